"""How much a file may cost before it is known to be a game: size, unpacking, nesting, and what SQLite may do for it.

Every limit lies far above what play writes: the largest setup is 0.1 MB of JSON, 10,000 entries are 4 MB on disk.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import sqlite3
import zlib
from collections.abc import Iterator
from typing import Any

__all__ = [
    "MOST_DEPTH",
    "MOST_FILE_BYTES",
    "MOST_LABEL",
    "MOST_SMALL_BYTES",
    "MOST_VALUE_BYTES",
    "hurried",
    "inflated",
    "is_deep",
    "is_deep_json",
    "shortened",
    "unpack",
]

MOST_FILE_BYTES = 32 << 20
"""A game file, or its log."""
MOST_SMALL_BYTES = 1 << 20
"""A file of settings, printed values or tries."""
MOST_VALUE_BYTES = 2 << 20
"""One stored value, unpacked."""
MOST_LABEL = 80
"""Letters of a name that an entry carries beside its command: who asked, from where."""
MOST_DEPTH = 40
"""Levels of lists and tables; play writes nine."""
_QUOTED, _BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"'), re.compile(rb"[\[\]{}]")
_MOST_STEPS = 10_000_000
"""Instructions of SQLite's machine for reading one file, about half a second; 10,000 entries take 130,000."""
_LOOK_EVERY = 100_000


def unpack(packed: bytes, most: int = MOST_VALUE_BYTES) -> bytes:
    """Unpack a zlib stream, whole and alone. zlib.error when it is damaged, or holds more than `most` bytes, those of a stored value."""
    unpacker = zlib.decompressobj()
    data = inflated(unpacker, packed, most)
    if not unpacker.eof or unpacker.unused_data:
        raise zlib.error("cut off, or followed by something else")
    return data


def inflated(unpacker: zlib._Decompress, packed: bytes, most: int = MOST_VALUE_BYTES) -> bytes:
    """Unpack a stream with an unpacker made for it; raises as `unpack` does."""
    data = unpacker.decompress(packed, most)
    if unpacker.unconsumed_tail:
        raise zlib.error("more than a stored value ever holds")
    return data


def is_deep(value: Any) -> bool:
    """Whether plain data nest deeper than a file of ours: what walks them later would run out of stack."""
    level = [value]
    for _depth in range(MOST_DEPTH + 1):
        if not level:
            return False
        level = [
            item
            for one in level
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
        ]
    return True


def is_deep_json(text: str | bytes) -> bool:
    """Whether JSON nests deeper than what play stores, told before it is decoded."""
    if isinstance(text, str):
        if text.count("[") + text.count("{") <= MOST_DEPTH:
            return False
        text = text.encode()
    if text.count(b"[") + text.count(b"{") <= MOST_DEPTH:
        return False
    depth = 0
    for sign in _BRACKETS.findall(_QUOTED.sub(b"", text)):
        depth += 1 if sign in b"[{" else -1
        if depth > MOST_DEPTH:
            return True
    return False


def shortened(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Refuse values longer than any that is stored: a damaged length would ask for a gigabyte."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MOST_VALUE_BYTES)
    return connection


@contextlib.contextmanager
def hurried(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Keep the questions asked within from taking for ever; too long ones raise sqlite3.OperationalError."""
    looks = itertools.count(1)
    connection.set_progress_handler(lambda: next(looks) > _MOST_STEPS // _LOOK_EVERY, _LOOK_EVERY)
    try:
        yield connection
    finally:
        connection.set_progress_handler(None, 0)
