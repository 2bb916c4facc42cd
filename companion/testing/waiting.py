"""Wait for what another process or thread does, by asking it over and over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["until"]


def until(is_true: Callable[[], Any], timeout_s: float = 20.0) -> float:
    """Wait until something is true and return after how many seconds; AssertionError where it never comes true."""
    start = time.monotonic()
    while not is_true():
        assert time.monotonic() - start < timeout_s, "it never came true"
        time.sleep(0.01)
    return time.monotonic() - start
