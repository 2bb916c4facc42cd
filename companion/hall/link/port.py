"""The port to whatever carries messages between tables and hall."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

__all__ = ["HallLink", "Said", "Where", "Will"]


class Where(NamedTuple):
    """Where the hall is, and who calls."""

    host: str
    port: int
    user: str
    password: str
    ca: str
    """The hall's own authority, PEM; empty: none is asked for, only to fetch it."""


class Will(NamedTuple):
    """What is said for a caller whose connection breaks; retained."""

    topic: str
    data: bytes


class Said(NamedTuple):
    """A message that came."""

    topic: str
    data: bytes
    is_retained: bool
    """It was kept by the broker and may be old."""


class HallLink(Protocol):
    """One caller's way to the hall; it comes back by itself."""

    @property
    def is_up(self) -> bool:
        """Whether it is connected now."""
        ...

    async def run(self, heard: Callable[[Said], None], moved: Callable[[bool, str], None]) -> None:
        """Hold the link until cancelled; `moved` is told when it comes and goes, and why."""
        ...

    async def publish(self, topic: str, data: bytes, *, qos: int = 1, is_retained: bool = False) -> bool:
        """Say something; False where there is no link now: nothing is kept for later."""
        ...
