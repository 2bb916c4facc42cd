"""The game file: an append-only log in SQLite that survives the plug.

One file a game. An entry counts as stored when `append` returns: write-ahead log, full synchronous. A damaged
file opens at its last whole entry; the file as it was is kept beside it and `Recovery` says what was lost. Beside
the log stands one row that is overwritten: the heartbeat, the last instant at which the program was alive.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from companion.core.codec import Codec
from companion.core.history import Entry
from companion.core.text import Say, Typed, several
from companion.session.errors import (
    JournalDamagedError,
    JournalLostError,
    JournalMissingError,
    JournalUnreadableError,
)
from companion.session.game_file import (
    INSERT,
    SUFFIX,
    Heartbeat,
    Read,
    drop_aside,
    finish_recovery,
    is_open_elsewhere,
    is_plain_game,
    keep_aside,
    log_path,
    not_stored,
    put_aside,
    put_back,
    put_in_place,
    read_beat,
    read_rows,
    take_lock,
)
from companion.session.rows import Row, row_of
from companion.session.salvage import find_last_seq, find_rows, inspect_wal
from companion.session.standing import Standing

__all__ = ["SUFFIX", "Heartbeat", "Journal", "Recovery", "finish_recovery", "is_open_elsewhere", "log_path"]

_CHECKPOINT_PAGES = 400


class Recovery(NamedTuple):
    """What was lost when a damaged file was opened."""

    path: Path
    kept: Path | None
    """Where the file as it was is kept."""
    last_seq: int
    """The last whole entry; the game goes on from there."""
    lost: int
    """Entries after it that are known to have been there; there may have been more."""
    last_wall_ms: int = 0
    """When that last whole entry was made; 0 when nobody asked."""

    @property
    def text(self) -> Say:
        """Say what is left, from when, and at least how many entries are gone."""
        file, last = Typed(self.path.name), Typed(str(self.last_seq))
        if self.last_wall_ms:
            made = datetime.fromtimestamp(self.last_wall_ms / 1000)
            last = Typed(f"{self.last_seq} ({made:%Y-%m-%d %H:%M:%S})")
        if self.lost == 0:
            what = Say(
                "{file} was damaged: entry {last} is the last readable one; later ones may be missing.",
                file=file,
                last=last,
            )
        else:
            what = Say(
                "{file} was damaged: entry {last} is the last intact one; at least {lost} after it "
                "could not be used.",
                file=file,
                last=last,
                lost=self.lost,
            )
        if self.kept is None:
            return what
        kept = Say("The original file is kept as {kept}.", kept=Typed(self.kept.name))
        return Say("{lines}", lines=several((what, kept), "sentences"))


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
        self._standing = Standing(path, log_path(path))
        self._is_abandoned = False
        self._frames = 0
        self._last_seq = 0

    @classmethod
    def create(cls, path: Path, entries: Sequence[Entry], codec: Codec) -> Journal:
        """Make a game file with its first entries; before they are durable no file has this name.

        FileExistsError when there is one; NotStoredError when the place takes none.
        """
        lock = take_lock(path)
        try:
            if path.exists():
                raise FileExistsError(f"{path} exists already")
            connection = put_in_place(path, [row_of(entry, codec) for entry in entries])
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
            raise JournalMissingError(
                Say("there is no game file {file}", file=Typed(str(path))),
                Say("it may have been moved or deleted"),
            )
        lock = take_lock(path)
        try:
            return cls._open_locked(path, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def _open_locked(cls, path: Path, lock: int) -> Journal:
        is_plain = is_plain_game(path)
        report = inspect_wal(log_path(path))
        # Opening may change the files of a game that was not put away: SQLite takes its log in or drops it.
        kept = None if is_plain else keep_aside(path)
        read = read_rows(path)
        try:
            return cls._judged(path, lock, read, kept, is_suspect=report.is_suspect)
        except BaseException:
            if read.connection is not None:
                read.connection.close()
            raise

    @classmethod
    def _judged(cls, path: Path, lock: int, read: Read, kept: Path | None, *, is_suspect: bool) -> Journal:
        """Take what was read, or rebuild the file from what can be found in its pages."""
        is_sound = read.is_sound and not is_suspect
        seen: dict[int, Row] = {}
        if not is_sound:
            kept = kept or keep_aside(path)
            seen = find_rows((kept, log_path(kept)))
        last = len(read.rows)
        while last + 1 in seen:
            last += 1
        connection = read.connection
        if connection is None or last > len(read.rows) or not read.is_sound:
            if connection is not None:
                connection.close()
            if last == 0:
                put_back(path, kept)
                raise JournalDamagedError(
                    Say("nothing in {file} can be read anymore", file=Typed(path.name)),
                    Say("the file is left as it is"),
                )
            whole = [*read.rows, *(seen[seq] for seq in range(len(read.rows) + 1, last + 1))]
            connection = put_in_place(path, whole)
        else:
            whole = read.rows
        journal = cls(path, connection, lock)
        journal.rows, journal._last_seq = whole, last
        if is_sound:
            drop_aside(kept)
        elif kept is not None:
            wall_ms = whole[-1].wall_ms if whole else 0
            reached = max(read.reached, *seen, last, find_last_seq((kept, log_path(kept)), wall_ms))
            journal.recovery = Recovery(path, kept, last, reached - last, wall_ms)
        if last == 0:
            journal.close()
            raise JournalUnreadableError(
                Say("{file} contains no game", file=Typed(path.name)),
                Say("delete it and start the game again"),
            )
        return journal

    @property
    def last_seq(self) -> int:
        """Number of the newest stored entry."""
        return self._last_seq

    def append(self, entries: Sequence[Entry], codec: Codec) -> None:
        """Store entries in one transaction; they are durable when this returns.

        NotStoredError when the disk does not take them: then none is stored, and a later call may succeed.
        JournalLostError when they would go, or have gone, into a file that is the game's no longer.
        """
        rows = [row_of(entry, codec) for entry in entries]
        self.check()
        try:
            self._insert(rows)
        except sqlite3.Error as fault:
            self._roll_back()
            self._wrote()
            if not self._holds(rows[-1].seq):
                if not self._make_room(fault):
                    raise not_stored(self.path, fault) from fault
                try:
                    self._insert(rows)
                except sqlite3.Error as again:
                    self._roll_back()
                    self._wrote()
                    raise not_stored(self.path, again) from again
        self._wrote()
        self._last_seq = rows[-1].seq
        self._frames += len(rows) + 2

    def _insert(self, rows: list[Row]) -> None:
        connection = self._open_connection()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")

    def _make_room(self, fault: sqlite3.Error) -> bool:
        """On a full disk let the log start over where it can; say whether a second try is worth it."""
        if getattr(fault, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_FULL or not self._frames:
            return False
        self.tidy(at_once=True)
        return True

    def beat(self, beat: Heartbeat) -> None:
        """Overwrite the heartbeat. Raises as `append` does."""
        self.check()
        connection = self._open_connection()
        try:
            connection.execute("INSERT OR REPLACE INTO heartbeat VALUES (1,?,?,?,?,?,?)", beat)
        except sqlite3.Error as fault:
            self._roll_back()
            self._wrote()
            raise not_stored(self.path, fault) from fault
        self._wrote()
        self._frames += 2

    def heartbeat(self) -> Heartbeat | None:
        """Return the last heartbeat, or None in a file that has none."""
        return read_beat(self._open_connection())

    def tidy(self, *, at_once: bool = False) -> None:
        """Move the write-ahead log into the file when it has grown; never needed for safety."""
        if self._frames >= _CHECKPOINT_PAGES or (at_once and self._frames):
            with contextlib.suppress(sqlite3.Error):  # a full disk may refuse; the log itself stays whole
                self._open_connection().execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            self._frames = 0
            self._standing.note()

    @property
    def is_named(self) -> bool:
        """Whether the game's name still leads to the file that was opened, whatever has become of its content."""
        return self._standing.is_ours(self.path)

    @property
    def is_home(self) -> bool:
        """Whether the file's folder is still there, on the medium on which it was."""
        return self._standing.is_home(self.path)

    def check(self) -> None:
        """Look whether the files are still as this journal left them. JournalLostError when they are not."""
        if not self._is_abandoned:
            self._open_connection()
        fault = self._standing.fault()
        if fault is not None or self._is_abandoned:
            raise JournalLostError(fault or Say("{file} has been let go", file=Typed(self.path.name)))

    def _wrote(self) -> None:
        fault = self._standing.note()
        if fault is not None:
            raise JournalLostError(fault)

    def abandon(self) -> None:
        """Let files go that somebody took or changed, without another byte into them; twice is safe.

        What still has the game's name but is not what was written there is kept aside.
        """
        if self._connection is not None and self.is_named:
            put_aside(self.path)  # SQLite would put its log into a file that has kept its name
        self._frames, self._is_abandoned = 0, True
        self.close()

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
