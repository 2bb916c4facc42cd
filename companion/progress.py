"""A line on the terminal that says that a slow command works, and how far it is; nothing where nobody looks."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

from companion.terminal import unfiltered

__all__ = ["working"]

_CLEARED = "\r\x1b[K"


class _Line:
    """The line, which makes room for what is printed meanwhile."""

    def __init__(self, to: TextIO) -> None:
        self._to, self._lock, self._is_shown = to, threading.Lock(), False

    def show(self, text: str) -> None:
        with self._lock:
            self._to.write(_CLEARED + text)
            self._to.flush()
            self._is_shown = True

    def clear(self) -> None:
        with self._lock:
            if self._is_shown:
                self._to.write(_CLEARED)
                self._to.flush()
                self._is_shown = False


class _Above:
    """A stream whose text takes the line's place; the line comes again below it."""

    def __init__(self, stream: TextIO, line: _Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        self._line.clear()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def working(
    name: str, how_far: Callable[[], str] = lambda: "working", *, after_s: float = 1.0, every_s: float = 0.5
) -> Iterator[None]:
    """Tell people at a terminal that a command is at work once it takes longer than a second; the line goes at the end.

    What is printed meanwhile takes its place. Where standard error is no terminal, nothing is said.

    Args:
        name: Of the command, such as ``companion replay``.
        how_far: Says how far it is; called from another thread.
        after_s: So long nothing is said.
        every_s: Then it is said anew so often.
    """
    to = sys.stderr
    if to is None or not to.isatty():
        yield
        return
    begun, is_done, line = time.monotonic(), threading.Event(), _Line(unfiltered(to))

    def tell() -> None:
        wait_s = after_s
        while not is_done.wait(wait_s):
            wait_s = every_s
            line.show(f"{name}: {how_far()} ({time.monotonic() - begun:.0f} s)")
        line.clear()

    telling = threading.Thread(target=tell, name="progress", daemon=True)
    telling.start()
    with contextlib.ExitStack() as stack:
        stack.callback(telling.join)
        stack.callback(is_done.set)
        stack.enter_context(contextlib.redirect_stderr(cast(TextIO, _Above(to, line))))
        if sys.stdout is not None and sys.stdout.isatty():
            stack.enter_context(contextlib.redirect_stdout(cast(TextIO, _Above(sys.stdout, line))))
        yield
