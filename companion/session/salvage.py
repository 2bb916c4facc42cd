"""Read what is left of a damaged game file, page by page, without SQLite's help.

Owns: checking a write-ahead log before SQLite silently cuts it, and finding whole entries in raw pages.
Knows the layout of SQLite's files (sqlite.org/fileformat2) and of `journal.Row`; decides nothing.
"""

from __future__ import annotations

import array
import sqlite3
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from companion.session.beats import Beat, beat_from
from companion.session.copies import Copy, rows_in
from companion.session.limits import MOST_FILE_BYTES, MOST_VALUE_BYTES
from companion.session.rows import Row, mended

__all__ = ["Found", "WalReport", "find_all", "find_rows", "inspect_wal"]

_WAL_HEADER = 32
_FRAME_HEADER = 24
_LEAF_TABLE = 0x0D
_MASK = 0xFFFFFFFF
_COLUMNS, _OLD_COLUMNS = len(Row._fields), len(Row._fields) - 2
_COPY_COLUMNS = len(Copy._fields)


_MOST_CELL = 3 * MOST_VALUE_BYTES
_MOST_HEADER = 200
_LEAST_CELL = 16
"""Bytes that the smallest record of ours takes, its place in the page's list included, halved to be sure."""
_MOST_EFFORT = 150_000
"""Cells read and pages followed for one file, half a second's work; 10,000 entries and their copies take 20,000."""
_MOST_MENDED = 6
"""First entries that are tried to be mended, at most: that is dear, and must leave the others their turn to be read."""


class Found(NamedTuple):
    """What can be read in the pages of a game's files."""

    rows: list[Row]
    """Every whole row, in no order; of one entry there may be several."""
    beats: list[Beat]
    """Every heartbeat of today's form whose check sum is right."""
    old_beats: list[Beat]
    """What has the form of a heartbeat of before the chain, which had no check sum."""


class WalReport(NamedTuple):
    """What a write-ahead log holds beyond the point where SQLite will stop reading it."""

    kept_commits: int
    """Transactions that SQLite will take."""
    lost_commits: int
    """Ends of transactions that stand behind the first bad frame; 0 in a sound log."""
    is_header_bad: bool
    """The log's own head is damaged: SQLite would ignore all of it."""

    @property
    def is_suspect(self) -> bool:
        """Whether something that was once committed may be cut off.

        A single broken transaction at the end is what a power cut leaves of an entry that was being written:
        nobody had heard of it.
        """
        return self.is_header_bad or self.lost_commits > 1


def inspect_wal(path: Path) -> WalReport:
    """Check a write-ahead log frame by frame. A missing or empty log is sound."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return WalReport(0, 0, False)
    if not data.strip(b"\0"):
        return WalReport(0, 0, False)
    if len(data) < _WAL_HEADER:
        return WalReport(0, 0, is_header_bad=False)
    magic, _version, page_size = struct.unpack_from(">III", data)
    sums = struct.unpack_from(">II", data, 24)
    is_big = bool(magic & 1)
    if magic & ~1 != 0x377F0682 or _checksum(data[:24], (0, 0), is_big) != sums:
        return WalReport(0, 0, is_header_bad=len(data) > _WAL_HEADER)
    salts = data[16:24]
    kept = lost = 0
    is_sound = True
    for start in range(_WAL_HEADER, len(data) - _FRAME_HEADER - page_size + 1, _FRAME_HEADER + page_size):
        is_ours = data[start + 8 : start + 16] == salts
        is_commit = data[start + 4 : start + 8] != b"\0\0\0\0"
        if is_sound:
            body = data[start : start + 8] + data[start + _FRAME_HEADER : start + _FRAME_HEADER + page_size]
            sums = _checksum(body, sums, is_big)
            is_sound = is_ours and sums == struct.unpack_from(">II", data, start + 16)
        if is_sound and is_commit:
            kept += 1
        elif is_ours:
            lost += is_commit and not is_sound
    return WalReport(kept, lost, is_header_bad=False)


class _Book:
    """The pages of a file, and how much reading them may cost yet: one that was made to cost more is left there."""

    def __init__(self, pages: dict[int, list[bytes]], page_size: int) -> None:
        self.pages, self.page_size, self.left = pages, page_size, _MOST_EFFORT
        self.halves: dict[Row, None] = {}
        """First entries of which something is wrong: images of two states, or of two games, put together, or damaged ones."""

    def keep_half(self, row: Row) -> None:
        """Keep the last few, of a size that a first entry has: those of the file itself come after those of its log."""
        sizes = [len(part) for part in (row.command, row.events) if isinstance(part, bytes | str)]
        if len(sizes) == 2 and sum(sizes) <= MOST_VALUE_BYTES:
            self.halves[row] = None
            if len(self.halves) > _MOST_MENDED:
                del self.halves[next(iter(self.halves))]

    def takes(self, steps: int) -> bool:
        self.left -= steps
        return self.left >= 0


def find_all(paths: tuple[Path, ...]) -> Found:
    """Return every whole entry and heartbeat that stands in the pages of a database and its log.

    A row, a packed copy of rows or a heartbeat counts only when its own check sum is right. Files that are missing
    count as empty.
    """
    pages, page_size = _pages(paths)
    rows: dict[tuple[int, bytes, int], Row] = {}
    copies: dict[int, Copy] = {}
    beats: dict[bytes, Beat] = {}
    old_beats: list[Beat] = []
    book = _Book(pages, page_size)
    for images in pages.values():
        for image in images:
            page = image.ljust(page_size, b"\0")
            for start in _cells(page, page_size):
                if not book.takes(1):
                    break
                found = _read_cell(page, start, book)
                if isinstance(found, Row):
                    rows.setdefault((found.seq, found.before, found.crc), found)
                elif isinstance(found, Copy):
                    copies.setdefault(found.crc, found)
                elif found is not None and found.game:
                    beats.setdefault(found.crc, found)
                elif found is not None:
                    old_beats.append(found)
    _mend(book, rows)
    left = MOST_FILE_BYTES
    for copy in copies.values():
        unpacked = rows_in(copy) if left > 0 else []
        left -= sum(len(row.command) + len(row.events) for row in unpacked) or MOST_VALUE_BYTES
        for row in unpacked:
            rows.setdefault((row.seq, row.before, row.crc), row)
    return Found(list(rows.values()), list(beats.values()), old_beats)


def _mend(book: _Book, rows: dict[tuple[int, bytes, int], Row]) -> None:
    """Mend first entries of games of which none is whole."""
    whole = {row.game for row in rows.values() if row.seq == 1}
    for half in [half for half in book.halves if half.game not in whole]:
        row = mended(half)
        if row is not None:
            rows.setdefault((row.seq, row.before, row.crc), row)


def find_rows(paths: tuple[Path, ...]) -> dict[int, Row]:
    """Return a whole row of every entry, by number, that stands in the pages of a database and its log."""
    rows: dict[int, Row] = {}
    for row in find_all(paths).rows:
        rows.setdefault(row.seq, row)
    return rows


def _pages(paths: tuple[Path, ...]) -> tuple[dict[int, list[bytes]], int]:
    """Return every image of every page by its number, newer ones first, and the size of a page."""
    database, log = (_read(path) for path in paths)
    page_size = _page_size(database, log)
    pages: dict[int, list[bytes]] = {}
    for number, start in enumerate(range(0, len(database), page_size), start=1):
        pages.setdefault(number, []).append(database[start : start + page_size])
    for start in range(_WAL_HEADER, len(log) - _FRAME_HEADER + 1, _FRAME_HEADER + page_size):
        (number,) = struct.unpack_from(">I", log, start)
        body = log[start + _FRAME_HEADER : start + _FRAME_HEADER + page_size]
        pages.setdefault(number, []).insert(0, body)
    return pages, page_size


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _page_size(database: bytes, log: bytes) -> int:
    sizes = {1 << power for power in range(9, 17)}
    if len(database) >= 18:
        size = int.from_bytes(database[16:18], "big")
        if size in sizes:
            return size
    if len(log) >= 12:
        size = int.from_bytes(log[8:12], "big")
        if size in sizes:
            return size
    return 4096


def _cells(page: bytes, page_size: int) -> Iterator[int]:
    """Yield where the cells of a leaf begin."""
    if page[0] != _LEAF_TABLE:
        return
    cells = int.from_bytes(page[3:5], "big")
    for index in range(min(cells, page_size // _LEAST_CELL)):
        yield int.from_bytes(page[8 + 2 * index : 10 + 2 * index], "big")


def _read_cell(page: bytes, start: int, book: _Book) -> Row | Copy | Beat | None:
    """Return what is in a cell; None when there is nothing whole in it."""
    try:
        size, start = _varint(page, start)
        number, start = _varint(page, start)
    except IndexError:
        return None
    for payload in _payloads(page, start, size, book):
        try:
            found = _meaning_of(number, _columns(payload), book)
        except (IndexError, ValueError, sqlite3.DatabaseError):
            continue
        if found is not None:
            return found
    return None


def _payloads(page: bytes, start: int, size: int, book: _Book) -> Iterator[bytes]:
    """Yield the payload of a cell, its overflow pages followed.

    Older images are tried after newer ones, then those of the file itself; last, as if a page before these had
    been cut out of the file.
    """
    pages, page_size = book.pages, book.page_size
    if size <= page_size - 35:
        yield page[start : start + size]
        return
    if size > _MOST_CELL:
        return
    least = (page_size - 12) * 32 // 255 - 23
    local = least + (size - least) % (page_size - 4)
    local = local if local <= page_size - 35 else least
    if start + local + 4 > page_size:
        return
    first = int.from_bytes(page[start + local : start + local + 4], "big")
    for moved, age in ((0, 0), (0, 1), (0, -1), (1, 0)):
        parts, left, number = [page[start : start + local]], size - local, first - moved
        while left > 0 and number in pages and book.takes(1):
            images = pages[number]
            image = images[min(age, len(images) - 1)]
            parts.append(image[4 : 4 + left])
            left -= page_size - 4
            number = int.from_bytes(image[:4], "big") - moved
        if left <= 0:
            yield b"".join(parts)


def _meaning_of(number: int, values: list[Any], book: _Book) -> Row | Copy | Beat | None:
    """Return what a whole record is; sqlite3.DatabaseError for a damaged heartbeat."""
    if len(values) in (_COLUMNS, _OLD_COLUMNS):
        unlinked = (b"", b"") if len(values) == _OLD_COLUMNS else ()
        row = Row._make((number, *values[1:-1], *unlinked, values[-1]))
        if row.is_whole():
            return row
        if number == 1:
            book.keep_half(row)
    if len(values) == _COPY_COLUMNS and isinstance(values[2], bytes):
        copy = Copy(number, *values[1:])
        return copy if copy.is_whole() else None
    if number == 1 and values and values[0] is None:
        return beat_from(values[1:])
    return None


def _columns(payload: bytes) -> list[Any]:
    header_size, at = _varint(payload, 0)
    if header_size > _MOST_HEADER:
        raise ValueError(f"a record of {header_size} bytes of columns")
    kinds: list[int] = []
    while at < header_size:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Any] = []
    at = header_size
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    return values


def _value(payload: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == 0:
        return None, at
    if kind <= 6:
        size = (1, 2, 3, 4, 6, 8)[kind - 1]
        return int.from_bytes(payload[at : at + size], "big", signed=True), at + size
    if kind in (8, 9):
        return kind - 8, at
    if kind < 12:
        raise ValueError(f"column kind {kind}")
    size = (kind - 12) // 2
    data = payload[at : at + size]
    return (data.decode() if kind % 2 else data), at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | data[at + 8], at + 9


def _checksum(data: bytes, start: tuple[int, int], is_big: bool) -> tuple[int, int]:
    words = array.array("I", data)
    if is_big != (sys.byteorder == "big"):
        words.byteswap()
    first, second = start
    pairs = iter(words)
    for word in pairs:
        first = (first + word + second) & _MASK
        second = (second + next(pairs) + first) & _MASK
    return first, second
