"""The collector of rubbish stands still while much is made at once that stays: it would walk all of it again and again."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

__all__ = ["uncollected"]


class _Pause:
    """Who has the collector stand still at present, and whether it ran before the first of them."""

    def __init__(self) -> None:
        self.lock, self.within, self.was_on = threading.Lock(), 0, False


_pause = _Pause()


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let nothing be collected meanwhile, on any thread; afterwards the collector is as it was. For a second of work at most."""
    with _pause.lock:
        if not _pause.within:
            _pause.was_on = gc.isenabled()
            gc.disable()
        _pause.within += 1
    try:
        yield
    finally:
        with _pause.lock:
            _pause.within -= 1
            if not _pause.within and _pause.was_on:
                gc.enable()
