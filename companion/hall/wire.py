"""What the app and its link to the hall say to each other over their socket: frames as the gateway's, with values of their own.

The link has the network and no file; the app has the files and no network. The app hands over whom to call, what the table
stands like, and entries when asked for them; the link hands over what the director said. Either side may be killed at any time.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from companion.gateway.wire import decoded
from companion.gateway.wire import packed as packed_within
from companion.hall.messages import MOST_BYTES, Ack, Count, Long, Millis, Short, Standing

__all__ = [
    "MOST",
    "PROTOCOL",
    "Alive",
    "Acked",
    "Answer",
    "Down",
    "Enrolment",
    "Entry",
    "Grown",
    "Known",
    "Linked",
    "Met",
    "Ordered",
    "Proof",
    "Shown",
    "Stop",
    "Told",
    "Up",
    "Wanted",
    "decode_down",
    "decode_up",
    "packed",
]

PROTOCOL = 2
MOST = 256 << 10
"""Most bytes of a frame either way."""


class _Said(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Base of all that is said."""


# Down: from the app


class Enrolment(_Said, frozen=True, kw_only=True):
    """First: whom to call, and as whom."""

    protocol: int
    hall: Short
    table: Short
    host: Short
    port: int
    password: Short
    ca: Annotated[str, msgspec.Meta(max_length=16_000)]
    user: Short = ""
    """At a venue's broker, where all tables share it; empty: the table's name."""
    boot: Short
    """Name of this boot; both processes share its monotonic clock."""


class Known(_Said, frozen=True):
    """The box's newest games, the one at the table first, and how much of each the hall is known to hold."""

    games: tuple[Standing, ...]
    acked: tuple[int, ...]


class Grown(_Said, frozen=True):
    """A game has more entries."""

    standing: Standing


class Shown(_Said, frozen=True):
    """The table as it stands, ready to be sent; the newest wins."""

    state: Annotated[str, msgspec.Meta(max_length=MOST_BYTES)]


class Entry(_Said, frozen=True):
    """A message with one entry that was asked for, or a part of it."""

    game: Short
    data: Annotated[str, msgspec.Meta(max_length=MOST_BYTES)]


class Answer(_Said, frozen=True):
    """What became of an order, ready to be sent."""

    data: Annotated[str, msgspec.Meta(max_length=MOST_BYTES)]


class Proof(_Said, frozen=True):
    """A result that the box has signed, as the text of its code; the newest one holds."""

    text: Annotated[str, msgspec.Meta(max_length=MOST_BYTES)]


class Stop(_Said, frozen=True):
    """Why the link is to end."""

    why: Short


# Up: from the link


class Met(_Said, frozen=True):
    """First: who calls."""

    protocol: int
    pid: int


class Linked(_Said, frozen=True):
    """Whether the hall is reached, whether its director is there, and why not."""

    is_up: bool
    is_director_there: bool
    why: Long = ""


class Wanted(_Said, frozen=True):
    """Entries to send now, the last one included."""

    game: Short
    branch: Short
    first: Count
    last: Count


class Acked(_Said, frozen=True):
    """The director holds so much."""

    ack: Ack


class Ordered(_Said, frozen=True):
    """An order as it came; whether it is genuine is the app's to say."""

    data: Annotated[str, msgspec.Meta(max_length=MOST_BYTES)]
    now_ms: Millis | None
    """The director's clock when it came; None: not known."""


class Told(_Said, frozen=True):
    """A text of the director for everybody, with the round's clock."""

    text: Long
    round: Count
    left_ms: Millis | None
    at_ms: Millis


class Alive(_Said, frozen=True):
    """Said every few seconds: a process that stands still keeps its end of the socket open all the same."""


Down = Enrolment | Known | Grown | Shown | Entry | Answer | Proof | Stop
Up = Met | Linked | Wanted | Acked | Ordered | Told | Alive
_down: msgspec.json.Decoder[Down] = msgspec.json.Decoder(
    Enrolment | Known | Grown | Shown | Entry | Answer | Proof | Stop
)
_up: msgspec.json.Decoder[Up] = msgspec.json.Decoder(Met | Linked | Wanted | Acked | Ordered | Told | Alive)


def packed(said: Down | Up) -> bytes:
    """Return a value as a frame. WireError where it is too large for any."""
    return packed_within(said, MOST)


def decode_down(body: bytes) -> Down:
    """Return what the app said. WireError for anything else."""
    return decoded(_down, body)


def decode_up(body: bytes) -> Up:
    """Return what the link said. WireError for anything else."""
    return decoded(_up, body)
