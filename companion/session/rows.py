"""One entry as it lies in a game file, with its check sum."""

from __future__ import annotations

import json
import zlib
from typing import NamedTuple

import msgspec

from companion.core.codec import SCHEMA, Codec
from companion.core.history import Entry
from companion.session.errors import JournalUnreadableError

__all__ = ["Row", "entry_of", "game_of", "mended", "row_of", "unpacked"]

_PACK_FROM_BYTES = 2048


class Row(NamedTuple):
    """The columns of table ``entries``."""

    seq: int
    command: str | bytes
    """JSON; long values are zlib-compressed bytes."""
    events: str | bytes
    source: str
    actor: str
    at_ms: int
    boot_id: str
    wall_ms: int
    app_version: str
    schema: int
    crc: int
    """CRC-32 of all the other columns; tells a flipped bit that SQLite itself does not see."""

    def is_whole(self) -> bool:
        """Whether the check sum is right."""
        try:
            return self.crc == _crc(self)
        except (TypeError, AttributeError):
            return False


class _PeekSetup(msgspec.Struct):
    game: str


class _Peek(msgspec.Struct):
    setup: _PeekSetup


def row_of(entry: Entry, codec: Codec) -> Row:
    """Return the row in which an entry is stored."""
    row = Row(
        entry.seq,
        _packed(codec.encode_command(entry.command)),
        _packed(codec.encode_events(entry.events)),
        entry.source,
        entry.actor,
        entry.at_ms,
        entry.boot_id,
        entry.wall_ms,
        entry.app_version,
        SCHEMA,
        0,
    )
    return row._replace(crc=_crc(row))


def entry_of(row: Row, codec: Codec) -> Entry:
    """Return the entry of a whole row, lifted from older forms. JournalUnreadableError when it has no meaning here."""
    try:
        command = codec.decode_command(unpacked(row.command), row.schema)
        events = codec.decode_events(unpacked(row.events), row.schema)
    except (msgspec.MsgspecError, zlib.error) as fault:
        newer = row.schema > SCHEMA
        raise JournalUnreadableError(
            f"entry {row.seq} is whole, but this version cannot read it: {fault}",
            "update Table Companion"
            if newer
            else f"it was written by version {row.app_version}; report this",
        ) from fault
    return Entry(
        seq=row.seq,
        command=command,
        events=events,
        actor=row.actor,  # type: ignore[arg-type]
        source=row.source,
        at_ms=row.at_ms,
        boot_id=row.boot_id,
        wall_ms=row.wall_ms,
        app_version=row.app_version,
    )


def game_of(first: Row) -> str:
    """Return the key of the game that a first entry starts. JournalUnreadableError when it starts none."""
    try:
        return msgspec.json.decode(unpacked(first.command), type=_Peek).setup.game
    except (msgspec.MsgspecError, zlib.error) as fault:
        raise JournalUnreadableError(
            f"the first entry starts no game: {fault}", "the file is kept as it is"
        ) from fault


def unpacked(stored: str | bytes) -> str | bytes:
    """Return the JSON of a stored value."""
    return stored if isinstance(stored, str) else zlib.decompress(stored)


def mended(row: Row) -> Row | None:
    """Return a damaged first row as it was, or None.

    A game's start holds its setup twice, in the command and in what happened; each half can be told from the other.
    A row counts as mended only when the check sum that was stored with it is right again.
    """
    if row.seq != 1:
        return None
    for candidate in (_from_command, _from_events):
        try:
            whole = candidate(row)
        except (zlib.error, UnicodeDecodeError, ValueError, TypeError, AttributeError):
            continue
        if whole.is_whole():
            return whole
    return None


_ASKED, _HAPPENED = '{"type":"StartGame",', '{"type":"GameStarted",'


def _text(stored: str | bytes) -> str:
    found = unpacked(stored)
    return found if isinstance(found, str) else found.decode()


def _from_command(row: Row) -> Row:
    command = _text(row.command)
    if not command.startswith(_ASKED):
        raise ValueError("the first entry starts no game")
    return row._replace(events=_packed(f"[{_HAPPENED}{command.removeprefix(_ASKED)}]".encode()))


def _from_events(row: Row) -> Row:
    events = _text(row.events)
    if not events.startswith("[" + _HAPPENED):
        raise ValueError("the first entry starts no game")
    _value, end = json.JSONDecoder().raw_decode(events, 1)
    return row._replace(command=_packed((_ASKED + events[1 + len(_HAPPENED) : end]).encode()))


def _packed(data: bytes) -> str | bytes:
    return zlib.compress(data, 6) if len(data) >= _PACK_FROM_BYTES else data.decode()


def _crc(row: Row) -> int:
    command, events = (part.encode() if isinstance(part, str) else part for part in row[1:3])
    rest = "\x1f".join((row.source, row.actor, row.boot_id, row.app_version))
    numbers = f"{row.seq},{row.at_ms},{row.wall_ms},{row.schema},{len(command)},{len(events)},"
    return zlib.crc32(events, zlib.crc32(command, zlib.crc32((numbers + rest).encode())))
