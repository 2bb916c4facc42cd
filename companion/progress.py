"""A line on the terminal that says that a slow command works, and how far it is; nothing where nobody looks."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

__all__ = ["working"]

_CLEARED = "\r\x1b[K"


@contextlib.contextmanager
def working(
    name: str, how_far: Callable[[], str] = lambda: "working", *, after_s: float = 1.0, every_s: float = 0.5
) -> Iterator[None]:
    """Tell people at a terminal that a command is at work once it takes longer than a second; the line goes at the end.

    Nothing else may be printed meanwhile. Where standard error is no terminal, nothing is said.

    Args:
        name: Of the command, such as ``companion replay``.
        how_far: Says how far it is; called from another thread.
        after_s: So long nothing is said.
        every_s: Then it is said anew so often.
    """
    to = sys.stderr
    if not to.isatty():
        yield
        return
    begun, is_done = time.monotonic(), threading.Event()

    def tell() -> None:
        wait_s = after_s
        while not is_done.wait(wait_s):
            wait_s = every_s
            to.write(f"{_CLEARED}{name}: {how_far()} ({time.monotonic() - begun:.0f} s)")
            to.flush()
        if wait_s == every_s:
            to.write(_CLEARED)
            to.flush()

    telling = threading.Thread(target=tell, name="progress", daemon=True)
    telling.start()
    try:
        yield
    finally:
        is_done.set()
        telling.join()
