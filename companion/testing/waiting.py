"""Wait for what another process or thread does, by asking it over and over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["asking", "until"]

_TIMES_A_SECOND = 25
"""How often is asked at least in a second of a limit, however long an answer takes."""


def asking(timeout_s: float) -> Iterator[None]:
    """Yield whenever to ask once more, until it is no use: the time is up and enough was asked.

    On a machine with much to do every answer takes longer; then so does the waiting.
    """
    start, times = time.monotonic(), 0
    while time.monotonic() - start < timeout_s or times < timeout_s * _TIMES_A_SECOND:
        yield
        times += 1
        time.sleep(0.01)


def until(is_true: Callable[[], Any], timeout_s: float = 20.0) -> float:
    """Wait until something is true and return after how many seconds; AssertionError where it never comes true."""
    start = time.monotonic()
    for _n in asking(timeout_s):
        if is_true():
            return time.monotonic() - start
    raise AssertionError("it never came true")
