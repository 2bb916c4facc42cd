"""What this program asks of touches and keys; the window's toolkit has no types of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

__all__ = ["Press", "Touch"]


class Press(Protocol):
    """A touch or a key as far as presses go: stamped before any widget hears of it (`companion.ui.inputs.PressClock`)."""

    seen_ns: int
    """When it was first seen, on the monotonic clock."""


class Touch(Press, Protocol):
    """A finger on the glass, or the mouse, from its first contact to its last; lengths in pixels from the lower left."""

    uid: int
    pos: tuple[float, float]
    x: float
    y: float
    ox: float
    """Where it began."""
    oy: float
    dx: float
    """How far it went since it was last told."""
    dy: float
    is_stale: Callable[[], bool]
    """Whether it was meant for what is no longer drawn."""
    grab_current: object
    """The widget that it is told to now, having been grabbed."""

    def grab(self, widget: object) -> None:
        """Have a widget told of it until its end, wherever it goes."""
        ...

    def ungrab(self, widget: object) -> None:
        """Have it no longer."""
        ...
