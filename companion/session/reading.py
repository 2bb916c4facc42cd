"""What stands in a game file: its tables, word for word, and reading and checking what is in them.

Reads through SQLite and stops at the first fault; what is left of a damaged file is `salvage`'s matter.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from companion.session.beats import Beat, beat_from
from companion.session.chain import digest_after, digest_if_whole, digest_of, start_of
from companion.session.copies import BATCH, Copy
from companion.session.limits import hurried, shortened
from companion.session.rows import Row, mended

__all__ = [
    "INSERT",
    "INSERT_BEAT",
    "INSERT_COPY",
    "TABLES",
    "UNREADABLE",
    "Read",
    "has_own_tables",
    "peek_beat",
    "read_beat",
    "read_rows",
]

UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file raises; SQLite's own error text may quote the damage and be no text any more."""

_ENTRIES = """CREATE TABLE entries (
  seq INTEGER PRIMARY KEY,
  command NOT NULL,
  events NOT NULL,
  source TEXT NOT NULL,
  actor TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  wall_ms INTEGER NOT NULL,
  app_version TEXT NOT NULL,
  schema INTEGER NOT NULL,
  {links}crc INTEGER NOT NULL
)"""
_TRIGGERS = (
    "CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END",
    "CREATE TRIGGER entries_never_go BEFORE DELETE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END",
)
_HEARTBEAT = """CREATE TABLE heartbeat (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  is_closed INTEGER NOT NULL,
  summary TEXT NOT NULL{links}
)"""
TABLES = (
    _ENTRIES.format(links="game BLOB NOT NULL,\n  before BLOB NOT NULL,\n  "),
    *_TRIGGERS,
    _HEARTBEAT.format(
        links=",\n  game BLOB NOT NULL,\n  digest BLOB NOT NULL,\n  number INTEGER NOT NULL,\n"
        "  is_whole_file INTEGER NOT NULL,\n  crc BLOB NOT NULL"
    ),
    """CREATE TABLE copies (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  game BLOB NOT NULL,
  before BLOB NOT NULL,
  after BLOB NOT NULL,
  packed BLOB NOT NULL,
  crc INTEGER NOT NULL
)""",
)
"""The file's tables, word for word as they stand in it: other words there are damage."""

_OLD_TABLES = (_ENTRIES.format(links=""), *_TRIGGERS, _HEARTBEAT.format(links=""))
"""Those of a file of before the chain; it is written anew as soon as it is played on."""

INSERT = f"INSERT INTO entries VALUES ({','.join('?' * len(Row._fields))})"
INSERT_COPY = f"INSERT INTO copies VALUES ({','.join('?' * len(Copy._fields))})"
INSERT_BEAT = f"INSERT OR REPLACE INTO heartbeat VALUES (1,{','.join('?' * len(Beat._fields))})"
_SELECT = f"SELECT {','.join(Row._fields)} FROM entries ORDER BY seq"
_OLD_SELECT = _SELECT.replace("game,before,", "x'',x'',")
_ROW = functools.partial(tuple.__new__, Row)
"""Makes a row of found columns: `Row._make` without asking again how many there are."""
_SELECT_COPIES = f"SELECT {','.join(Copy._fields)} FROM copies ORDER BY first"


class Read(NamedTuple):
    """What reading a game file gave."""

    connection: sqlite3.Connection | None
    rows: list[Row]
    """Whole rows from entry 1 on, each linked to the one before, up to the first fault."""
    tip: bytes
    """Digest of the last of them."""
    is_sound: bool
    """Nothing was wrong with rows, copies and pages, nor with the form of the heartbeat."""
    reached: int
    """Number of the last row that stood there, whole or not."""
    beat: Beat | None = None
    """None when there is none that is whole."""
    is_old: bool = False
    """The file is of before the chain."""
    tail: int = 1
    """First entry that stands in a copy too small to be left as it is."""


def read_rows(connection: sqlite3.Connection) -> Read:
    """Read whole rows up to the first fault, and check what else stands in the file; raises nothing."""
    read = Read(connection, [], b"", False, 0)
    try:
        with hurried(connection):
            tables = _tables(connection)
            read = read._replace(is_old=tables == sorted(_OLD_TABLES))
            if not read.is_old and tables != sorted(TABLES):
                return read
            read = _read_course(read, connection)
            if read.is_sound and not read.is_old:
                read = _read_copies(read, connection)
            read = read._replace(beat=read_beat(connection))
        if read.is_sound:  # its cost is bounded by the size of the file
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
            read = read._replace(is_sound=found == ("ok",))
        return read
    except (*UNREADABLE, TypeError):  # a page of another table in its place brings values of other kinds
        return read._replace(is_sound=False, reached=max(read.reached, len(read.rows)))


def has_own_tables(connection: sqlite3.Connection) -> bool:
    """Whether a file has a game's tables and nothing else; only then may they be asked for anything."""
    return _tables(connection) in (sorted(TABLES), sorted(_OLD_TABLES))


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Return the words of a file's tables, sorted; a file with more than a game has may have thousands."""
    found = connection.execute("SELECT sql FROM sqlite_master LIMIT ?", (len(TABLES) + 1,))
    return sorted(str(row[0]) for row in found)


def _read_course(read: Read, connection: sqlite3.Connection) -> Read:
    """Read the entries up to the first that is not whole, or does not follow the one before."""
    rows, tip, game, is_sound = read.rows, b"", b"", True
    has_chain = not read.is_old
    for at, row in enumerate(map(_ROW, connection.execute(_SELECT if has_chain else _OLD_SELECT)), start=1):
        digest = digest_if_whole(row)
        if digest is None:
            whole = mended(row)
            if whole is None:
                return read._replace(tip=tip, reached=at)
            row, digest, is_sound = whole, digest_of(whole), False
        if at == 1 and has_chain:
            game = row.game
            tip = start_of(game)
        if row.seq != at or row.before != tip or row.game != game:
            return read._replace(tip=tip, reached=at)
        if has_chain:
            tip = digest
        rows.append(row)
    return read._replace(tip=tip, is_sound=is_sound, reached=len(rows))


def _read_copies(read: Read, connection: sqlite3.Connection) -> Read:
    """Check that every entry has a whole copy."""
    upto, tail = 0, 0
    for found in connection.execute(_SELECT_COPIES):
        copy = Copy(*found)
        is_next = copy.first == upto + 1 <= copy.last <= len(read.rows) and copy.is_whole()
        if not is_next or copy.after != digest_after(read.rows, copy.last, read.tip):
            return read._replace(is_sound=False)
        if not tail and copy.first > 1 and copy.last - copy.first + 1 < BATCH:
            tail = copy.first
        upto = copy.last
    return read._replace(is_sound=upto == len(read.rows), tail=tail or upto + 1)


def read_beat(connection: sqlite3.Connection) -> Beat | None:
    """Return the heartbeat. sqlite3.DatabaseError when it is damaged."""
    row = connection.execute("SELECT * FROM heartbeat").fetchone()
    return None if row is None else beat_from(list(row[1:]))


def peek_beat(path: Path, *, is_for_list: bool = False) -> Beat | None:
    """Return the heartbeat that stands in the file itself, whatever its log says; None when none is whole there.

    For a list it must speak of the file's newest entry.
    """
    uri = f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection, hurried(shortened(connection)):
            if not has_own_tables(connection):
                return None
            beat = read_beat(connection)
            if beat is None or not is_for_list:
                return beat
            (newest,) = connection.execute("SELECT max(seq) FROM entries").fetchone()
            return beat if beat.seq == newest and beat.boot_id else None
    except UNREADABLE:
        return None
