"""One entry as it lies in a game file, with its check sum."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from companion.core.codec import SCHEMA, Codec
from companion.core.history import Entry
from companion.core.text import Say, Typed
from companion.session.errors import JournalUnreadableError
from companion.session.limits import MOST_LABEL, MOST_VALUE_BYTES, inflated, is_deep_json, unpack

__all__ = [
    "Labels",
    "Row",
    "entry_of",
    "game_of",
    "labels_of",
    "linked",
    "mended",
    "row_of",
    "size_of_rows",
    "sum_of",
    "unpacked",
]

_PACK_FROM_BYTES = 2048
_MOST_KEPT = 64
"""Of so many entries the labels are remembered."""
_ZLIB = b"\x78"
"""How packed values begin."""


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
    game: bytes
    """Id of the game that the entry belongs to; empty in files of before the chain."""
    before: bytes
    """Digest of the row before it (`chain`); empty in files of before the chain."""
    crc: int
    """CRC-32 of all the other columns; tells a flipped bit that SQLite itself does not see."""

    def is_whole(self) -> bool:
        """Whether the check sum is right, numbers are whole, and packed values look packed: text read as bytes sums up alike."""
        try:
            return self[-1] == _crc(self) and all(
                type(part) is str or part[:1] == _ZLIB for part in (self[1], self[2])
            )
        except (TypeError, AttributeError):
            return False


class Labels(NamedTuple):
    """The four labels of an entry as check sum and chain take them."""

    sum: bytes
    asked: bytes
    """Source and actor as JSON, and so on."""
    boot: bytes
    version: bytes


def labels_of(source: str, actor: str, boot_id: str, app_version: str) -> Labels:
    """Return an entry's labels, ready made for those that came before. TypeError for others than texts that an entry may carry."""
    texts = (source, actor, boot_id, app_version)
    found = _KEPT.get(texts)
    if found is None:
        if max(map(len, texts)) > MOST_LABEL:
            raise TypeError("labels of an entry are short texts")
        one, two, three, four = map(msgspec.json.encode, texts)
        found = Labels(
            "\x1f".join(texts).encode(),
            b'"source":%b,"actor":%b' % (one, two),
            b'"boot_id":' + three,
            b'"app_version":' + four,
        )
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[texts] = found
    return found


_KEPT: dict[tuple[str, str, str, str], Labels] = {}


class _PeekSetup(msgspec.Struct):
    game: str


class _Peek(msgspec.Struct):
    setup: _PeekSetup


def row_of(entry: Entry, codec: Codec, game: bytes = b"", before: bytes = b"") -> Row:
    """Return the row in which an entry is stored, as a link of a game's chain; without `game` not yet linked to one.

    ValueError for one too large to be ever read again.
    """
    command, events = codec.encode_command(entry.command), codec.encode_events(entry.events)
    if max(len(command), len(events)) > MOST_VALUE_BYTES:
        raise ValueError(f"entry {entry.seq} has more than {MOST_VALUE_BYTES} bytes")
    is_start = (
        entry.seq == 1
        and len(command) >= _PACK_FROM_BYTES
        and command.startswith(_COMMAND_HEAD)
        and events == _EVENTS_HEAD + command.removeprefix(_COMMAND_HEAD) + _EVENTS_TAIL
    )
    body = command.removeprefix(_COMMAND_HEAD)
    row = Row(
        entry.seq,
        _packed_start(_COMMAND_HEAD, body, b"") if is_start else _packed(command),
        _packed_start(_EVENTS_HEAD, body, _EVENTS_TAIL) if is_start else _packed(events),
        entry.source,
        entry.actor,
        entry.at_ms,
        entry.boot_id,
        entry.wall_ms,
        entry.app_version,
        SCHEMA,
        game,
        before,
        0,
    )
    return Row._make((*row[:-1], _crc(row)))


def linked(row: Row, game: bytes, before: bytes) -> Row:
    """Return a row as a link of a game's chain, its check sum anew."""
    row = Row._make((*row[:-3], game, before, 0))
    return Row._make((*row[:-1], _crc(row)))


def entry_of(row: Row, codec: Codec) -> Entry:
    """Return the entry of a whole row, lifted from older forms. JournalUnreadableError when it has no meaning here."""
    (
        seq,
        command,
        events,
        source,
        actor,
        at_ms,
        boot_id,
        wall_ms,
        app_version,
        schema,
        _game,
        _before,
        _crc,
    ) = row
    try:
        asked = command if isinstance(command, str) else unpack(command)
        happened = events if isinstance(events, str) else unpack(events)
        if is_deep_json(asked) or is_deep_json(happened):
            raise msgspec.ValidationError("nested too deeply")
        done = codec.decode_command(asked, schema)
        led_to = codec.decode_events(happened, schema)
        return Entry(seq, done, led_to, actor, source, at_ms, boot_id, wall_ms, app_version)  # type: ignore[arg-type]
    except (msgspec.MsgspecError, zlib.error, RecursionError) as fault:
        newer = row.schema > SCHEMA
        raise JournalUnreadableError(
            Say(
                "entry {seq} is intact, but this version cannot read it: {why}",
                seq=row.seq,
                why=Typed(str(fault)),
            ),
            Say("update Table Companion")
            if newer
            else Say(
                "it was written by version {version}; please report this", version=Typed(row.app_version)
            ),
        ) from fault


def game_of(first: Row) -> str:
    """Return the key of the game that a first entry starts. JournalUnreadableError when it starts none."""
    try:
        return msgspec.json.decode(unpacked(first.command), type=_Peek).setup.game
    except (msgspec.MsgspecError, zlib.error, RecursionError) as fault:
        raise JournalUnreadableError(
            Say("the first entry does not start a game: {why}", why=Typed(str(fault))),
            Say("the file is kept as it is"),
        ) from fault


def unpacked(stored: str | bytes) -> str | bytes:
    """Return the JSON of a stored value."""
    return stored if isinstance(stored, str) else unpack(stored)


def size_of_rows(rows: Iterable[Row]) -> int:
    """Return how many bytes commands and events of rows that were read take as JSON."""
    size = 0
    for row in rows:
        for part in row[1:3]:
            if isinstance(part, str):
                size += len(part if part.isascii() else part.encode())
            else:
                size += len(unpack(part))
    return size


def mended(row: Row) -> Row | None:
    """Return a damaged first row as it was, or None.

    A game's start holds its setup twice, in the command and in what happened; each half can be told from the other,
    and where both are damaged in different places, what is sound in either is put together.
    A row counts as mended only when the check sum that was stored with it is right again.
    """
    if row.seq != 1:
        return None
    for candidates in (_from_both, _from_command, _from_events):
        try:
            for whole in candidates(row):
                if whole.is_whole():
                    return whole
        except (zlib.error, ValueError, TypeError, AttributeError, RecursionError):
            continue
    return None


_MOST_RUNS = 10
"""Damaged places of a setup of which every choice between the two copies is tried; with more, only whole copies."""
_NEAR_BYTES = 8
"""Damaged bytes that are so near to each other are one place."""
_ASKED, _HAPPENED = '{"type":"StartGame",', '{"type":"GameStarted",'


def _text(stored: str | bytes) -> str:
    found = unpacked(stored)
    return found if isinstance(found, str) else found.decode()


def _from_command(row: Row) -> Iterator[Row]:
    command = _text(row.command)
    if not command.startswith(_ASKED):
        raise ValueError("the first entry starts no game")
    body = command.removeprefix(_ASKED).encode()
    yield row._replace(events=_packed_start(_EVENTS_HEAD, body, _EVENTS_TAIL))
    yield row._replace(events=_packed(_EVENTS_HEAD + body + _EVENTS_TAIL))


def _from_events(row: Row) -> Iterator[Row]:
    events = _text(row.events)
    if not events.startswith("[" + _HAPPENED):
        raise ValueError("the first entry starts no game")
    _value, end = json.JSONDecoder().raw_decode(events, 1)
    body = events[1 + len(_HAPPENED) : end].encode()
    yield row._replace(command=_packed_start(_COMMAND_HEAD, body, b""))
    yield row._replace(command=_packed(_COMMAND_HEAD + body))


_COMMAND_HEAD, _EVENTS_HEAD, _EVENTS_TAIL = _ASKED.encode(), b"[" + _HAPPENED.encode(), b"]"


def _from_both(row: Row) -> Iterator[Row]:
    """Put a start together from two copies of its setup that were packed byte for byte alike."""
    command, events = row.command, row.events
    if not isinstance(command, bytes) or not isinstance(events, bytes):
        return
    ends = [(_front(_COMMAND_HEAD), b""), (_front(_EVENTS_HEAD), _EVENTS_TAIL)]
    first, second = (
        stored[len(front) : len(stored) - len(_deflated(tail, zlib.Z_FINISH)) - 4]
        for stored, (front, tail) in zip((command, events), ends, strict=True)
    )
    if len(first) != len(second):
        return
    runs: list[list[int]] = []
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            if runs and at - runs[-1][1] < _NEAR_BYTES:
                runs[-1][1] = at + 1
            else:
                runs.append([at, at + 1])
    whole = [(False,) * len(runs), (True,) * len(runs)]
    for takes_second in (
        itertools.product((False, True), repeat=len(runs)) if len(runs) <= _MOST_RUNS else whole
    ):
        packed = bytearray(first)
        for (start, end), is_second in zip(runs, takes_second, strict=True):
            if is_second:
                packed[start:end] = second[start:end]
        try:
            body = inflated(zlib.decompressobj(-zlib.MAX_WBITS), bytes(packed))
        except zlib.error:
            continue
        yield row._replace(
            command=_framed(_COMMAND_HEAD, bytes(packed), body, b""),
            events=_framed(_EVENTS_HEAD, bytes(packed), body, _EVENTS_TAIL),
        )


def _packed_start(head: bytes, body: bytes, tail: bytes) -> bytes:
    """Pack `body` into the same bytes whatever stands around it; zlib reads the whole as one stream."""
    return _framed(head, _deflated(body, zlib.Z_FULL_FLUSH), body, tail)


def _framed(head: bytes, packed: bytes, body: bytes, tail: bytes) -> bytes:
    """Return a zlib stream of head, a body that is packed already, and tail."""
    check = zlib.adler32(tail, zlib.adler32(body, zlib.adler32(head)))
    return _front(head) + packed + _deflated(tail, zlib.Z_FINISH) + check.to_bytes(4, "big")


def _front(head: bytes) -> bytes:
    return b"\x78\x9c" + _deflated(head, zlib.Z_FULL_FLUSH)


def _deflated(data: bytes, flush: int) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush(flush)


def _packed(data: bytes) -> str | bytes:
    return zlib.compress(data, 6) if len(data) >= _PACK_FROM_BYTES else data.decode()


def _crc(row: Row) -> int:
    seq, command, events, source, actor, at_ms, boot_id, wall_ms, version, schema, game, before, _crc = row
    command = command.encode() if isinstance(command, str) else command
    events = events.encode() if isinstance(events, str) else events
    labels = labels_of(source, actor, boot_id, version)
    return sum_of(labels, (seq, at_ms, wall_ms, schema), command, events, game + before)


def sum_of(
    labels: Labels, numbers: tuple[int, int, int, int], command: bytes, events: bytes, links: bytes
) -> int:
    """Return the check sum of a row with these columns: number, instants and schema; game and digest before.

    TypeError where something stands there that is none of these.
    """
    seq, at_ms, wall_ms, schema = numbers
    if not type(seq) is type(at_ms) is type(wall_ms) is type(schema) is int:
        raise TypeError("numbers of an entry are whole ones")
    head = b"%d,%d,%d,%d,%d,%d," % (seq, at_ms, wall_ms, schema, len(command), len(events))
    return zlib.crc32(b"".join((head, labels.sum, command, events, links)))
