"""What app and gateway say to each other over their socket: a length in four bytes, then one tagged value as JSON.

Every frame is bounded before it is read and decoded strictly; whoever sends anything else is hung up on. The app needs
this module alone, so nothing here imports a web server.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

__all__ = [
    "MOST_DOWN",
    "MOST_UP",
    "PROTOCOL",
    "Alive",
    "Answered",
    "Ask",
    "Down",
    "Evening",
    "Frame",
    "Frames",
    "Greeting",
    "Joined",
    "PhotoPart",
    "Pressed",
    "Scanned",
    "SealedPress",
    "Seat",
    "Seated",
    "Stop",
    "Up",
    "Wanted",
    "Way",
    "WireError",
    "decode_down",
    "decode_up",
    "decoded",
    "packed",
    "socket_fault",
]

PROTOCOL = 5
"""Both sides name theirs first; another one is refused."""
MOST_UP, MOST_DOWN = 64 << 10, 256 << 10
"""Most bytes of a frame to the app, and of one to the gateway."""
_HEAD = 4

Short = Annotated[str, msgspec.Meta(max_length=200)]
Channel = Annotated[str, msgspec.Meta(pattern="^[a-z]{2,10}(-[a-z0-9_]{1,20})?[.][a-z]{2,3}\\Z")]
"""A page and a language, such as ``table.de``."""
Token = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}\\Z")]
"""Names a phone."""


class WireError(ValueError):
    """The other side sent what no frame is."""


class _Said(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Base of all that is said."""


# Down: from the app


class Evening(_Said, frozen=True):
    """First: what the gateway needs to let phones in. It ends when the app takes another one or hangs up for good."""

    protocol: int
    id: Short
    """Names the evening; cookies of another one are worth nothing."""
    code: Short
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}\\Z")]
    """Signs cookies, in hex."""
    tv: Short
    """Opens the spectators' page."""
    hosts: tuple[Short, ...] = ()
    """Further names under which a phone may ask, with their port."""
    languages: tuple[Annotated[str, msgspec.Meta(pattern="^[a-z]{2,3}\\Z")], ...] = ("en",)
    """The box's own first."""
    words: dict[str, dict[str, str]] = {}
    """Language to the gateway's own few words, by their key."""


class Frame(_Said, frozen=True):
    """One page in one language, whole."""

    channel: Channel
    rev: int
    at_ms: int
    """The app's instant that it shows; clocks count on from there."""
    html: str


class Stop(_Said, frozen=True):
    """Why the gateway is to end."""

    why: Short


class Seated(_Said, frozen=True):
    """Which phones hold a side, and press for it."""

    seats: dict[str, Annotated[str, msgspec.Meta(pattern="^(mine|own)-[a-z0-9_]{1,20}\\Z")]]
    """A phone's token to the page of its side: ``mine-`` in the open, ``own-`` sealed."""


class Answered(_Said, frozen=True):
    """Whether what a phone scanned or sent sealed was taken."""

    token: Short
    is_taken: bool


class Seat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side, as a phone that comes in may ask for it."""

    id: Short
    names: dict[str, Short]
    """Language to what it is called."""
    emblem: Annotated[str, msgspec.Meta(pattern="^[a-z0-9_.-]{0,30}\\Z")] = ""
    tone: Annotated[str, msgspec.Meta(pattern="^[a-z0-9_-]{0,30}\\Z")] = ""
    is_free: bool = True


class Way(_Said, frozen=True):
    """What a phone reads that comes in with the code."""

    table: dict[str, Short] = {}
    """Language to what is played; empty while no game is open."""
    seats: tuple[Seat, ...] = ()


class Alive(_Said, frozen=True):
    """Said by both every few seconds: a program that stands still keeps its end of the socket open all the same."""


# Up: from the gateway


class Greeting(_Said, frozen=True):
    """First: who calls."""

    protocol: int
    pid: int
    bound: Short
    """Where it listens, such as ``192.168.1.20:8765``."""


class Wanted(_Said, frozen=True):
    """Which channels somebody looks at, and how many look."""

    channels: tuple[Channel, ...]
    phones: int


class Ask(_Said, frozen=True):
    """A channel is wanted once, as it is now."""

    channel: Channel


class Joined(_Said, frozen=True):
    """Somebody came in with the code."""


class Pressed(_Said, frozen=True):
    """A phone pressed something."""

    token: Token
    act: Short
    at_ms: int
    """When the whole request was here, by the clock that both processes share."""
    answers: dict[Short, Short] = {}


class Scanned(_Said, frozen=True):
    """A phone uses up a ticket of a side's own code."""

    token: Token
    ticket: Short


class SealedPress(_Said, frozen=True):
    """A phone sent what only the app can open."""

    token: Token
    sealed: Annotated[str, msgspec.Meta(max_length=4000)]
    at_ms: int
    """When the whole request was here, by the clock that both processes share."""


class PhotoPart(_Said, frozen=True):
    """A part of a photo that a phone sends sealed; the first has number 0."""

    token: Token
    number: Annotated[int, msgspec.Meta(ge=0, le=200)]
    is_last: bool
    data: Annotated[bytes, msgspec.Meta(max_length=32768)]


Down = Evening | Frame | Stop | Seated | Way | Answered | Alive
Up = Greeting | Wanted | Ask | Joined | Pressed | Scanned | SealedPress | PhotoPart | Alive

_down: msgspec.json.Decoder[Down] = msgspec.json.Decoder(
    Evening | Frame | Stop | Seated | Way | Answered | Alive
)
_up: msgspec.json.Decoder[Up] = msgspec.json.Decoder(
    Greeting | Wanted | Ask | Joined | Pressed | Scanned | SealedPress | PhotoPart | Alive
)
T = TypeVar("T")


def packed(said: msgspec.Struct, most: int = MOST_DOWN) -> bytes:
    """Return a value as a frame. WireError where it is too large for any."""
    body = msgspec.json.encode(said)
    if len(body) > most:
        raise WireError(f"a frame of {len(body)} bytes; expected at most {most}")
    return len(body).to_bytes(_HEAD, "big") + body


def decoded(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Return what a frame holds. WireError where it is none."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise WireError(f"no frame: {fault}") from None


def decode_down(body: bytes) -> Down:
    """Return what the app said. WireError for anything else."""
    return decoded(_down, body)


def decode_up(body: bytes) -> Up:
    """Return what the gateway said. WireError for anything else."""
    return decoded(_up, body)


class Frames:
    """Cuts a stream of bytes into frames."""

    def __init__(self, most: int) -> None:
        """Take frames of at most so many bytes."""
        self._most, self._held = most, bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes and return the frames that are whole now. WireError as soon as a length is out of bounds."""
        self._held += data
        found = []
        while len(self._held) >= _HEAD:
            length = int.from_bytes(self._held[:_HEAD], "big")
            if not 0 < length <= self._most:
                raise WireError(f"a frame of {length} bytes; expected 1 to {self._most}")
            if len(self._held) < _HEAD + length:
                break
            found.append(bytes(self._held[_HEAD : _HEAD + length]))
            del self._held[: _HEAD + length]
        return found


_MOST_SOCKET = 107
"""Bytes that the system takes as the path of a socket."""


def socket_fault(path: Path) -> str:
    """Return why nobody can ever listen at this path of a call; empty where somebody may."""
    size = len(os.fsencode(path))
    if size > _MOST_SOCKET:
        return f"--socket: expected a path of at most {_MOST_SOCKET} bytes, got {size}; name a shorter one"
    try:
        is_other = path.exists() and not path.is_socket()
    except OSError as fault:
        return f"--socket: {str(path)!r} cannot be looked at: {fault.strerror}"
    return f"--socket: expected the path of a socket, got something else: {str(path)!r}" if is_other else ""
