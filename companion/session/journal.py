"""The game file: an append-only log in SQLite that survives the plug.

One file a game. An entry counts as stored when `append` returns: write-ahead log, full synchronous. A damaged
file opens at its last whole entry; the file as it was is kept beside it and `Recovery` says what was lost. Beside
the log stands one row that is overwritten: the heartbeat, the last instant at which the program was alive.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from companion.core.codec import Codec
from companion.core.history import Entry
from companion.core.ids import Millis
from companion.session.errors import (
    JournalDamagedError,
    JournalLockedError,
    JournalMissingError,
    JournalUnreadableError,
    NotStoredError,
)
from companion.session.files import aside_path, explain, sync_folder
from companion.session.rows import Row, row_of
from companion.session.salvage import find_rows, inspect_wal

__all__ = ["SUFFIX", "Heartbeat", "Journal", "Recovery", "finish_recovery", "is_open_elsewhere", "log_path"]

SUFFIX = ".tcgame"
"""How the names of game files end."""

_APPLICATION_ID = 0x54436A31
_CHECKPOINT_PAGES = 400
_UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file raises; SQLite's own error text may quote the damage and be no text any more."""

_TABLES = (
    """CREATE TABLE entries (
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
  crc INTEGER NOT NULL
)""",
    "CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END",
    "CREATE TRIGGER entries_never_go BEFORE DELETE ON entries "
    "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END",
    """CREATE TABLE heartbeat (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  is_closed INTEGER NOT NULL,
  summary TEXT NOT NULL
)""",
)
"""The file's tables, word for word as they stand in it: other words there are damage."""

_INSERT = f"INSERT INTO entries VALUES ({','.join('?' * len(Row._fields))})"
_SELECT = f"SELECT {','.join(Row._fields)} FROM entries ORDER BY seq"
_SELECT_BEAT = "SELECT boot_id, at_ms, wall_ms, seq, is_closed, summary FROM heartbeat"


class Heartbeat(NamedTuple):
    """When the program was last alive with this game, and what the shelf shows of it."""

    boot_id: str
    at_ms: Millis
    wall_ms: int
    seq: int
    """Newest entry at that time."""
    is_closed: bool
    """The game was put away in order."""
    summary: str = "{}"
    """JSON for the shelf."""


class Recovery(NamedTuple):
    """What was lost when a damaged file was opened."""

    path: Path
    kept: Path | None
    """Where the file as it was is kept."""
    last_seq: int
    """The last whole entry; the game goes on from there."""
    lost: int
    """Entries after it that are known to have been there."""

    @property
    def text(self) -> str:
        """One sentence for the table."""
        kept = f" The file as it was is kept as {self.kept.name}." if self.kept else ""
        if self.lost == 0:
            return f"{self.path.name} was damaged; all {self.last_seq} readable entries were kept.{kept}"
        return (
            f"{self.path.name} was damaged: entry {self.last_seq} is the last whole one, "
            f"{self.lost} after it could not be used.{kept}"
        )


class Journal:
    """An open game file. One thread at a time; `append` is the only way in."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int) -> None:
        """Use `create` or `open` instead."""
        self.path = path
        self.rows: list[Row] = []
        """What stood in the file when it was opened; empty it once the entries are folded."""
        self.recovery: Recovery | None = None
        self._connection: sqlite3.Connection | None = connection
        self._lock: int | None = lock
        self._frames = 0
        self._last_seq = 0

    @classmethod
    def create(cls, path: Path, entries: Sequence[Entry], codec: Codec) -> Journal:
        """Make a game file with its first entries; before they are durable no file has this name.

        FileExistsError when there is one; NotStoredError when the place takes none.
        """
        lock = _take_lock(path)
        try:
            if path.exists():
                raise FileExistsError(f"{path} exists already")
            connection = _put_in_place(path, [row_of(entry, codec) for entry in entries])
        except BaseException:
            os.close(lock)
            raise
        journal = cls(path, connection, lock)
        journal._last_seq = len(entries)
        return journal

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Open a game file at its last whole entry.

        Raises JournalMissingError, JournalLockedError, JournalDamagedError when nothing can be read,
        JournalUnreadableError when it is no game file, and NotStoredError when the place cannot be written.
        """
        finish_recovery(path)
        if not path.is_file():
            raise JournalMissingError(f"there is no game file {path}", "it may have been moved or deleted")
        lock = _take_lock(path)
        try:
            return cls._open_locked(path, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def _open_locked(cls, path: Path, lock: int) -> Journal:
        is_plain = _refuse_foreign(path)
        report = inspect_wal(log_path(path))
        # Opening may change the files of a game that was not put away: SQLite takes its log in or drops it.
        kept = None if is_plain else _keep_aside(path)
        read = _read_rows(path)
        try:
            return cls._judged(path, lock, read, kept, is_suspect=report.is_suspect)
        except BaseException:
            if read.connection is not None:
                read.connection.close()
            raise

    @classmethod
    def _judged(cls, path: Path, lock: int, read: _Read, kept: Path | None, *, is_suspect: bool) -> Journal:
        """Take what was read, or rebuild the file from what can be found in its pages."""
        is_sound = read.is_sound and not is_suspect
        seen: dict[int, Row] = {}
        if not is_sound:
            kept = kept or _keep_aside(path)
            seen = find_rows((kept, log_path(kept)))
        last = len(read.rows)
        while last + 1 in seen:
            last += 1
        connection = read.connection
        if connection is None or last > len(read.rows) or not read.is_sound:
            if connection is not None:
                connection.close()
            if last == 0:
                _put_back(path, kept)
                raise JournalDamagedError(
                    f"nothing in {path.name} can be read any more", "the file is left as it is"
                )
            whole = [*read.rows, *(seen[seq] for seq in range(len(read.rows) + 1, last + 1))]
            connection = _put_in_place(path, whole)
        else:
            whole = read.rows
        journal = cls(path, connection, lock)
        journal.rows, journal._last_seq = whole, last
        if is_sound:
            _drop_aside(kept)
        elif kept is not None:
            journal.recovery = Recovery(path, kept, last, max(read.reached, *seen, last) - last)
        if last == 0:
            journal.close()
            raise JournalUnreadableError(f"{path.name} holds no game", "delete it and start the game again")
        return journal

    @property
    def last_seq(self) -> int:
        """Number of the newest stored entry."""
        return self._last_seq

    def append(self, entries: Sequence[Entry], codec: Codec) -> None:
        """Store entries in one transaction; they are durable when this returns.

        NotStoredError when the disk does not take them: then none is stored, and a later call may succeed.
        """
        rows = [row_of(entry, codec) for entry in entries]
        try:
            self._insert(rows)
        except sqlite3.Error as fault:
            self._roll_back()
            if not self._holds(rows[-1].seq):
                if not self._make_room(fault):
                    raise _not_stored(self.path, fault) from fault
                try:
                    self._insert(rows)
                except sqlite3.Error as again:
                    self._roll_back()
                    raise _not_stored(self.path, again) from again
        self._last_seq = rows[-1].seq
        self._frames += len(rows) + 2

    def _insert(self, rows: list[Row]) -> None:
        connection = self._open_connection()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(_INSERT, rows)
        connection.execute("COMMIT")

    def _make_room(self, fault: sqlite3.Error) -> bool:
        """On a full disk let the log start over where it can; say whether a second try is worth it."""
        if getattr(fault, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_FULL or not self._frames:
            return False
        self.tidy(at_once=True)
        return True

    def beat(self, beat: Heartbeat) -> None:
        """Overwrite the heartbeat. NotStoredError when the disk does not take it."""
        connection = self._open_connection()
        try:
            connection.execute("INSERT OR REPLACE INTO heartbeat VALUES (1,?,?,?,?,?,?)", beat)
        except sqlite3.Error as fault:
            self._roll_back()
            raise _not_stored(self.path, fault) from fault
        self._frames += 2

    def heartbeat(self) -> Heartbeat | None:
        """Return the last heartbeat, or None in a file that has none."""
        return _read_beat(self._open_connection())

    def tidy(self, *, at_once: bool = False) -> None:
        """Move the write-ahead log into the file when it has grown; never needed for safety."""
        if self._frames >= _CHECKPOINT_PAGES or (at_once and self._frames):
            with contextlib.suppress(sqlite3.Error):  # a full disk may refuse; the log itself stays whole
                self._open_connection().execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            self._frames = 0

    def close(self) -> None:
        """Put the file away as one single file; twice is safe."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        self._let_go()

    def cut_power(self) -> None:
        """Leave the files exactly as a power cut at this instant would; for the demo and for tests."""
        if self._connection is None:
            return
        copies: list[tuple[Path, Path]] = []
        for name in (self.path, log_path(self.path)):
            if name.exists():
                copies.append((name.with_name(f".{name.name}.cut"), name))
                shutil.copy2(name, copies[-1][0])
        self._connection.close()
        self._connection = None
        for copy, name in copies:
            copy.replace(name)
        self._let_go()

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise ValueError(f"{self.path.name} is closed")
        return self._connection

    def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _holds(self, seq: int) -> bool:
        """Whether an entry stands in the file after all, whatever the error said."""
        try:
            found = self._open_connection().execute("SELECT max(seq) FROM entries").fetchone()
        except sqlite3.Error:
            return False
        return bool(found[0] == seq)

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def is_open_elsewhere(path: Path) -> bool:
    """Say whether a game file is in use by this or another Table Companion."""
    try:
        os.close(_take_lock(path))
    except JournalLockedError:
        return True
    except NotStoredError:
        return False
    return False


def finish_recovery(path: Path) -> None:
    """Complete a recovery that a power cut interrupted between its two renames."""
    rebuilt = _rebuilt_path(path)
    if rebuilt.exists() and not path.exists():
        log_path(path).unlink(missing_ok=True)
        rebuilt.replace(path)
        sync_folder(path.parent)


def log_path(path: Path) -> Path:
    """Return where SQLite keeps the write-ahead log of a game file."""
    return path.with_name(path.name + "-wal")


def _rebuilt_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.rebuilt")


def _take_lock(path: Path) -> int:
    try:
        handle = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as fault:
        text, hint = explain(fault)
        raise NotStoredError(f"{path.name} cannot be used: {text}", hint) from fault
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        os.close(handle)
        raise JournalLockedError(
            f"{path.name} is open in another Table Companion", "close it there first; one game has one writer"
        ) from fault
    return handle


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
    try:
        for pragma in (
            "locking_mode=EXCLUSIVE",  # one writer; keeps the log's index in memory
            "journal_mode=WAL",
            "synchronous=FULL",
            "wal_autocheckpoint=0",  # a failing checkpoint must never look like a failed commit
            "temp_store=MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except _UNREADABLE:
        connection.close()
        raise
    return connection


def _refuse_foreign(path: Path) -> bool:
    """Refuse a sound SQLite file of another program; a damaged head is damage, not a foreign file.

    Returns whether the file looks like a game that was put away in order.
    """
    try:
        with path.open("rb") as file:
            head = file.read(100)
        has_log = log_path(path).exists() and log_path(path).stat().st_size > 0
    except OSError as fault:
        text, hint = explain(fault)
        raise NotStoredError(f"{path.name} cannot be read: {text}", hint) from fault
    if not head:
        raise JournalUnreadableError(f"{path.name} is empty", "delete it and start the game again")
    is_ours = int.from_bytes(head[68:72], "big") == _APPLICATION_ID
    is_sqlite = head.startswith(b"SQLite format 3\0")
    if is_sqlite and not is_ours and not has_log and not find_rows((path, log_path(path))):
        raise JournalUnreadableError(f"{path.name} is no game file", "choose a file that ends in " + SUFFIX)
    return is_ours and is_sqlite and not has_log and head[18:20] == b"\2\2"


class _Read(NamedTuple):
    connection: sqlite3.Connection | None
    rows: list[Row]
    """Whole rows from entry 1 on, up to the first fault."""
    is_sound: bool
    reached: int
    """Number of the last row that stood there, whole or not."""


def _read_rows(path: Path) -> _Read:
    rows: list[Row] = []
    reached = 0
    try:
        connection = _connect(path)
    except _UNREADABLE as fault:
        if isinstance(fault, sqlite3.OperationalError) and not _is_writable(path):
            raise _not_stored(path, fault) from fault
        return _Read(None, rows, False, 0)
    try:
        tables = [row[0] for row in connection.execute("SELECT sql FROM sqlite_master ORDER BY sql")]
        if tables != sorted(_TABLES):
            return _Read(connection, rows, False, 0)
        for found in connection.execute(_SELECT):
            row = Row(*found)
            reached = len(rows) + 1
            if row.seq != len(rows) + 1 or not row.is_whole():
                return _Read(connection, rows, False, reached)
            rows.append(row)
        _read_beat(connection)
    except _UNREADABLE:
        return _Read(connection, rows, False, reached)
    return _Read(connection, rows, True, reached)


def _read_beat(connection: sqlite3.Connection) -> Heartbeat | None:
    """Return the heartbeat. sqlite3.DatabaseError when it is damaged."""
    row = connection.execute(_SELECT_BEAT).fetchone()
    if row is None:
        return None
    if [type(value) for value in row] != [str, int, int, int, int, str]:
        raise sqlite3.DatabaseError("the heartbeat is damaged")
    return Heartbeat(row[0], row[1], row[2], row[3], bool(row[4]), row[5])


def _is_writable(path: Path) -> bool:
    """Whether the file and its folder take writes: a fault is then the file's own."""
    try:
        with path.open("rb+"):
            pass
        probe = path.with_name(f".{path.name}.probe")
        probe.write_bytes(b"probe")
        probe.unlink()
    except OSError:
        return False
    return True


def _keep_aside(path: Path) -> Path:
    kept = aside_path(path)
    try:
        for source, target in ((path, kept), (log_path(path), log_path(kept))):
            if source.exists() and source.stat().st_size:
                shutil.copy2(source, target)
                with target.open("rb+") as file:
                    os.fsync(file.fileno())
    except OSError as fault:
        for target in (kept, log_path(kept)):
            target.unlink(missing_ok=True)
        text, hint = explain(fault)
        raise NotStoredError(f"{path.name} cannot be opened safely: {text}", hint) from fault
    sync_folder(path.parent)
    return kept


def _drop_aside(kept: Path | None) -> None:
    """Remove a copy that was not needed."""
    for name in () if kept is None else (kept, log_path(kept)):
        with contextlib.suppress(OSError):
            name.unlink(missing_ok=True)


def _put_back(path: Path, kept: Path | None) -> None:
    """Give the game's name back to the files as they were."""
    if kept is None:
        return
    with contextlib.suppress(OSError):
        log_path(path).unlink(missing_ok=True)
        kept.replace(path)
        if log_path(kept).exists():
            log_path(kept).replace(log_path(path))
        sync_folder(path.parent)


def _put_in_place(path: Path, rows: list[Row]) -> sqlite3.Connection:
    """Write whole rows into a new file and give it the game's name; what stood there has been copied aside."""
    rebuilt = _rebuilt_path(path)
    partial = path.with_name(f".{path.name}.partial")
    try:
        for leftover in (partial, partial.with_name(f"{partial.name}-journal")):
            leftover.unlink(missing_ok=True)
        connection = sqlite3.connect(partial, isolation_level=None)
        with contextlib.closing(connection):
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute("BEGIN")
            for table in _TABLES:
                connection.execute(table)
            connection.executemany(_INSERT, rows)
            connection.execute("COMMIT")
        partial.replace(rebuilt)  # whole from here on: `finish_recovery` may take it
        sync_folder(path.parent)
        path.unlink(missing_ok=True)  # first the file, then its log: a new file must never meet an old log
        log_path(path).unlink(missing_ok=True)
        rebuilt.replace(path)
        sync_folder(path.parent)
        return _connect(path)
    except (sqlite3.Error, OSError) as fault:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise _not_stored(path, fault) from fault


def _not_stored(path: Path, fault: sqlite3.Error | OSError) -> NotStoredError:
    if isinstance(fault, OSError):
        text, hint = explain(fault)
        return NotStoredError(f"{path.name} cannot be written: {text}", hint)
    code: Any = getattr(fault, "sqlite_errorcode", 0) & 0xFF
    texts = {
        sqlite3.SQLITE_FULL: ("the disk is full", "delete old games or files, then go on"),
        sqlite3.SQLITE_READONLY: ("the place is read-only", "check the card and the rights of the folder"),
        sqlite3.SQLITE_IOERR: ("the disk answers with errors", "check the card; export the game to a stick"),
        sqlite3.SQLITE_CANTOPEN: (
            "the place cannot be written",
            "check the card and the rights of the folder",
        ),
        sqlite3.SQLITE_BUSY: ("another program holds the file", "close it there first"),
    }
    text, hint = texts.get(code, (str(fault), "check the card; export the game to a stick"))
    return NotStoredError(f"{path.name} cannot be written: {text}", hint)
