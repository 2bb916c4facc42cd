"""What tables and the hall say to each other over a broker: topics, and JSON that is strict where it is known.

Every message says its version `v`. Keys that a later version adds are ignored; known ones are checked, and whatever is wrong
is told with table, topic, key, what was expected and what came. Nothing here has a clock, a socket or a file.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from companion.hall.errors import HallError

__all__ = [
    "MOST_BYTES",
    "MOST_JUMP",
    "MOST_LINE",
    "REASONS",
    "SAYS",
    "VERSION",
    "Ack",
    "Did",
    "Have",
    "LogPart",
    "MessageError",
    "Notice",
    "Ping",
    "Pong",
    "Standing",
    "State",
    "Topic",
    "decode",
    "encode",
    "line_in",
    "log_parts",
    "topic_of",
    "topic_to",
]

VERSION = 1
MOST_BYTES = 64 << 10
"""Most bytes of a message; the broker is told the same."""
MOST_LINE = 2 << 20
"""Most bytes of one entry as a line; what a portable game may hold."""
MOST_JUMP = 100_000
"""An entry further ahead than this of what is held is no entry of an evening."""
_MOST_PLAIN, _MOST_PART, _MOST_PARTS = 32 << 10, 40 << 10, 64
_ROOT = "tc/1"

Hall = Annotated[str, msgspec.Meta(pattern="^[a-z0-9]{1,32}\\Z")]
Table = Annotated[str, msgspec.Meta(pattern="^[a-z0-9]{1,12}\\Z")]
GameId = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2}){1,32}\\Z")]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}\\Z")]
Branch = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}(-[0-9a-f]{8})?\\Z")]
"""The digest of the entry at which a course of play forks off, and what tells two of them apart; that of the start: none."""
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
Millis = Annotated[int, msgspec.Meta(ge=-(1 << 46), le=1 << 46)]
Short = Annotated[str, msgspec.Meta(max_length=120)]
Long = Annotated[str, msgspec.Meta(max_length=2000)]
SAYS = ("up", "state", "have", "log", "did", "result", "pong", "enrol")
"""What a table says, each at a place of its own; it may speak nowhere else, so little of it stays at a broker."""
REASONS = ("rule", "clock", "dice", "other")
"""Why a table calls the director."""


class MessageError(HallError):
    """A message that cannot be taken; it is thrown away and told."""


class _Message(msgspec.Struct, frozen=True):
    v: int = VERSION


class Standing(msgspec.Struct, frozen=True):
    """How far a course of play has come."""

    game: GameId
    branch: Branch
    seq: Count
    digest: Digest


# From a table


class Have(_Message, frozen=True):
    """What the box has of its newest games; the director answers each with an `Ack`."""

    games: Annotated[tuple[Standing, ...], msgspec.Meta(max_length=16)] = ()


class State(_Message, frozen=True, kw_only=True):
    """A table as it stands, whole: whoever comes late needs nothing else.

    Instants and `since` are of the box's own monotonic clock, which `boot` names; a side's time left is
    ``limit + grants - spent - (box's now - since where it runs)``.
    """

    game: GameId
    branch: Branch
    seq: Count
    digest: Digest
    boot: Short
    now: Millis
    kind: Short = ""
    """Which game it is, such as ``sfw_italy``."""
    scenario: Short = ""
    title: Short = ""
    round: Count = 0
    """Of the tournament; 0 where the table was not seated by the hall."""
    stage: Count = 0
    phase: Short = ""
    step: Short = ""
    act: Short = ""
    limit: dict[Short, Millis] = {}
    spent: dict[Short, Millis] = {}
    grants: dict[Short, Millis] = {}
    run: Short | None = None
    since: Millis = 0
    vp: dict[Short, float | None] = {}
    far: dict[Short, Short] = {}
    flag: tuple[Short, ...] = ()
    gap: bool = False
    """Time that nobody measured, such as of a power cut, waits to be decided."""
    wants: Short = ""
    """Why the table calls the director, one of `REASONS`; empty where it does not."""
    wants_at: Millis = 0
    paused: bool = False
    adjourned: bool = False
    ended: bool = False
    winner: Short | None = None
    names: dict[Short, Short] = {}
    last_round: bool = False


class LogPart(_Message, frozen=True, kw_only=True):
    """One entry of the log, or a part of a long one."""

    game: GameId
    branch: Branch
    seq: Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
    before: Digest
    """Digest of the entry before it."""
    line: Annotated[str, msgspec.Meta(max_length=_MOST_PART)]
    """The entry as the export writes it; where it is `packed`, a part of it deflated, in base64."""
    packed: bool = False
    part: Annotated[int, msgspec.Meta(ge=1, le=_MOST_PARTS)] = 1
    parts: Annotated[int, msgspec.Meta(ge=1, le=_MOST_PARTS)] = 1


class Did(_Message, frozen=True, kw_only=True):
    """What became of an order."""

    n: Count
    code: Short
    """``done``, or why it was refused."""
    said: Long = ""
    """The refusal in words."""
    at: Millis = 0
    sig: Short = ""


class Pong(_Message, frozen=True, kw_only=True):
    """The answer to a ping: the box's clock."""

    n: Count
    at: Millis
    boot: Short


# From the director


class Ack(_Message, frozen=True, kw_only=True):
    """What the director holds of a course of play, durable."""

    game: GameId
    branch: Branch
    seq: Count
    digest: Digest


class Ping(_Message, frozen=True, kw_only=True):
    """A question for the box's clock, with the director's."""

    n: Count
    at: Millis


class Notice(_Message, frozen=True, kw_only=True):
    """A text for every table, and the round's clock."""

    text: Long = ""
    round: Count = 0
    left: Millis | None = None
    """Of the round when this was sent; None: it has none, or it stands."""


FROM_TABLE: dict[str, type[_Message]] = {
    "have": Have,
    "state": State,
    "log": LogPart,
    "did": Did,
    "pong": Pong,
}
FROM_HALL: dict[str, type[_Message]] = {"ack": Ack, "ping": Ping, "notice": Notice}
_READERS: dict[type[_Message], msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (*FROM_TABLE.values(), *FROM_HALL.values())
}


class _Version(msgspec.Struct):
    v: int


_version = msgspec.json.Decoder(_Version)
_FAULT = re.compile(r"^(?P<text>.*?)(?: - at `\$\.?(?P<key>.*)`)?$", re.DOTALL)
M = TypeVar("M", bound=_Message)


def encode(message: _Message) -> bytes:
    """Return a message as it is sent. MessageError where it is too large for the broker."""
    data = msgspec.json.encode(message)
    if len(data) > MOST_BYTES:
        raise MessageError(f"a message of {len(data)} bytes; expected at most {MOST_BYTES}")
    return data


def decode(kind: type[M], data: bytes, where: str) -> M:
    """Return a message of a kind. MessageError for anything else; `where` says whose it is and on which topic."""
    if len(data) > MOST_BYTES:
        raise MessageError(f"{where}: expected at most {MOST_BYTES} bytes, got {len(data)}; thrown away")
    try:
        version = _version.decode(data).v
        if version > VERSION:
            raise MessageError(
                f"{where}: it speaks version {version}, this program {VERSION}: update this program"
            )
        if version < 1:
            raise MessageError(f"{where}: v: expected {VERSION}, got {version}; thrown away")
        found: M = _READERS[kind].decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        match = _FAULT.match(str(fault))
        key = (match["key"] if match else "") or ""
        text = match["text"] if match else str(fault)
        raise MessageError(f"{where}: {key + ': ' if key else ''}{text}; thrown away") from None
    return found


class Topic(NamedTuple):
    """A topic taken apart."""

    hall: str
    is_from_table: bool
    table: str
    """``all`` where it goes to everybody."""
    what: str
    """Such as ``state`` or ``order/pause``."""


_TOPIC = re.compile(r"tc/1/([a-z0-9]{1,32})/([td])/([a-z0-9]{1,12})/([a-z_]{1,20}(?:/[a-z_]{1,20})?)")


def topic_of(text: str) -> Topic | None:
    """Take a topic apart; None where it is none of ours."""
    found = _TOPIC.fullmatch(text)
    return None if found is None else Topic(found[1], found[2] == "t", found[3], found[4])


def topic_to(hall: str, who: str, table: str, what: str) -> str:
    """Return a topic: `who` is ``t`` for what a table says, ``d`` for what the director says."""
    return f"{_ROOT}/{hall}/{who}/{table}/{what}"


# Long lines


def log_parts(game: str, branch: str, seq: int, before: str, line: bytes) -> tuple[bytes, ...]:
    """Return one entry as messages. MessageError for a line too long for any game."""
    if len(line) > MOST_LINE:
        raise MessageError(f"entry {seq} has {len(line)} bytes; expected at most {MOST_LINE}")
    plain = _plain(line)
    if plain is not None:
        return (encode(LogPart(game=game, branch=branch, seq=seq, before=before, line=plain)),)
    packed = base64.b64encode(zlib.compress(line)).decode()
    pieces = [packed[at : at + _MOST_PLAIN] for at in range(0, len(packed), _MOST_PLAIN)]
    if len(pieces) > _MOST_PARTS:
        raise MessageError(f"entry {seq} is too long for the hall: {len(line)} bytes")
    return tuple(
        encode(
            LogPart(
                game=game,
                branch=branch,
                seq=seq,
                before=before,
                line=piece,
                packed=True,
                part=number,
                parts=len(pieces),
            )
        )
        for number, piece in enumerate(pieces, 1)
    )


def _plain(line: bytes) -> str | None:
    """Return a line that may go as it is, or None."""
    if len(line) > _MOST_PLAIN:
        return None
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def line_in(parts: Iterable[LogPart], where: str) -> bytes:
    """Return the line that all parts of an entry make. MessageError where they make none."""
    found = sorted(parts, key=lambda one: one.part)
    if not found[0].packed:
        line = found[0].line.encode()
    else:
        try:
            packed = base64.b64decode("".join(one.line for one in found), validate=True)
            opened = zlib.decompressobj()
            line = opened.decompress(packed, MOST_LINE + 1)
        except (ValueError, zlib.error) as fault:
            raise MessageError(f"{where}: line: expected deflated text, got {fault}; thrown away") from None
        if len(line) > MOST_LINE or not opened.eof:
            raise MessageError(f"{where}: line: expected at most {MOST_LINE} bytes; thrown away")
    if b"\n" in line or b"\r" in line:
        raise MessageError(f"{where}: line: expected one line, got several; thrown away")
    try:
        entry: Any = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise MessageError(f"{where}: line: expected one entry as JSON, got {fault}; thrown away") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        raise MessageError(f"{where}: line: expected an entry with its command; thrown away")
    return line
