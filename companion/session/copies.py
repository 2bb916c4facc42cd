"""The second copy of every entry, packed, on pages of its own: no page that is lost takes both.

A batch of entries is one row of table ``copies``. Entries are copied in the transaction that stores them; small
batches are put together from time to time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from companion.session.chain import digest_of
from companion.session.limits import MOST_VALUE_BYTES, unpack
from companion.session.rows import Row, mended

__all__ = ["BATCH", "Copy", "batches", "copy_of", "rows_in"]

BATCH = 64
"""Entries from which a batch is left as it is."""

_SMALL, _SMALL_MEMORY = 1 << 12, 4
"""Bytes of a copy that are packed with little memory: to make the usual memory ready takes longer than to pack them."""
_MOST_BYTES = 3 * MOST_VALUE_BYTES
"""What a batch unpacks to at most; one that would hold more is not made."""

_Body = list[Any]
"""A row's columns without game and digest."""
_DECODER = msgspec.msgpack.Decoder(list[_Body])


class Copy(NamedTuple):
    """The columns of table ``copies``."""

    first: int
    last: int
    game: bytes
    before: bytes
    """Digest of the row before the first."""
    after: bytes
    """Digest of the last row."""
    packed: bytes
    """The rows without game and digest, zlib-compressed."""
    crc: int
    """CRC-32 of all the other columns."""

    def is_whole(self) -> bool:
        """Whether the check sum is right."""
        try:
            return self.crc == _crc(self[:-1])
        except TypeError:
            return False


def copy_of(rows: Sequence[Row], after: bytes = b"") -> Copy:
    """Return the copy of linked rows that follow each other; `after` is the digest of the last, where it is known."""
    first, last = rows[0], rows[-1]
    packed = _packed(msgspec.msgpack.encode([_body(row) for row in rows]))
    columns = (first.seq, last.seq, first.game, first.before, after or digest_of(last), packed)
    return Copy(*columns, _crc(columns))


def _packed(data: bytes) -> bytes:
    if len(data) > _SMALL:
        return zlib.compress(data, 6)
    packer = zlib.compressobj(6, zlib.DEFLATED, _SMALL.bit_length() - 1, _SMALL_MEMORY)
    return packer.compress(data) + packer.flush()


def batches(rows: Sequence[Row]) -> Iterator[Copy]:
    """Return copies of rows that follow each other: of a game's first one, which is long, alone, and of the others."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.command) + len(row.events)
        if row.seq == 1 or len(batch) == 2 * BATCH or size > MOST_VALUE_BYTES:
            yield copy_of(batch)
            batch, size = [], 0
    if batch:
        yield copy_of(batch)


def rows_in(copy: Copy) -> list[Row]:
    """Return the rows of a copy; none when it is damaged."""
    if not copy.is_whole():
        return []
    try:
        bodies = _DECODER.decode(unpack(copy.packed, _MOST_BYTES))
        return list(_rows(bodies, copy.game, copy.before))
    except (zlib.error, msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return []


def _rows(bodies: Iterable[_Body], game: bytes, before: bytes) -> Iterator[Row]:
    for body in bodies:
        row: Row | None = Row._make((*body[:-1], game, before, body[-1]))
        if row is not None and not row.is_whole():
            row = mended(row)
        if row is None:
            return
        yield row
        before = digest_of(row)


def _body(row: Row) -> _Body:
    if row.seq == 1:
        half = row._replace(events="")
        if mended(half) == row:  # what happened can be told from the command
            row = half
    return [*row[:-3], row.crc]


def _crc(columns: tuple[Any, ...]) -> int:
    first, last, game, before, after, packed = columns
    numbers = f"{first},{last},{len(packed)},".encode()
    return zlib.crc32(packed, zlib.crc32(numbers + game + before + after))
