"""The port to whatever carries messages between tables and hall."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

__all__ = ["WHYS", "HallLink", "Said", "Where", "Will", "ended"]

_ASK_AGAIN_S = 0.5

WHYS = {
    "certificate": "the certificate is not of this hall",
    "refused": "name or password was refused: the card was used, or the table was retired",
    "nothing_there": "nothing listens at this address and port",
    "no_answer": "nothing answers at this address",
    "gone": "the broker hung up",
}
"""Why there is no link: a code, and what it means for a director or on a command line."""


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks until they have ended; what they ended with is nobody's.

    One cancellation may be lost: Python 3.11's `wait_for` swallows it where what it waits for is done in the same round.
    Whoever is cancelled meanwhile ends them all the same, before that counts: a link that is left goes on calling for ever.
    """
    left, cancelled = {task for task in tasks if not task.done()}, False
    while left:
        for task in left:
            task.cancel()
        try:
            _done, left = await asyncio.wait(left, timeout=_ASK_AGAIN_S)
        except asyncio.CancelledError:
            cancelled, left = True, {task for task in left if not task.done()}
    for task in tasks:
        if not task.cancelled():
            task.exception()
    if cancelled:
        raise asyncio.CancelledError


class Where(NamedTuple):
    """Where the hall is, and who calls."""

    host: str
    port: int
    user: str
    password: str
    ca: str
    """The hall's own authority, PEM; empty: none is asked for, only to fetch it."""
    client: str = ""
    """At a venue's broker, where all share a user: who this is; its certificate's name is checked there. Empty: the user says it."""

    @staticmethod
    def client_of(hall: str, who: str) -> str:
        """Return the name by which a venue's broker tells callers apart."""
        return f"tc-{hall}-{who}"


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
        """Hold the link until cancelled; `moved` is told when it comes and goes, and why (`WHYS`)."""
        ...

    async def publish(self, topic: str, data: bytes, *, qos: int = 1, is_retained: bool = False) -> bool:
        """Say something; False where there is no link now: nothing is kept for later."""
        ...
