"""What phones that watch a table are sent, frame by frame, without a gateway."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from companion.adapters.phone_frames import Frames
from companion.adapters.phone_seats import Seats
from companion.testing.memory_desk import MemoryDesk

__all__ = ["Sent"]

_CHANNELS = ("table.en", "clocks.de", "score.fr", "log.en", "tv.en")


class Sent:
    """The frames of one table."""

    def __init__(self, desk: MemoryDesk) -> None:
        """Send every page once."""
        self._frames: list[tuple[str, bytes]] = []
        link: Any = SimpleNamespace(desk=desk, wall_ms=lambda: 0, on_fault=_raised)
        self._making = Frames(
            link, Seats(), _nobody, lambda channel, frame: self._frames.append((channel, frame))
        )
        self.new()

    def new(self) -> list[tuple[str, bytes]]:
        """Make every page; return the frames that are sent for it."""
        self._frames.clear()
        self._making._make(_CHANNELS)
        return self._frames.copy()


def _raised(fault: BaseException) -> None:
    raise fault


def _nobody(_side: str) -> Any:
    raise AssertionError("nobody sits here")
