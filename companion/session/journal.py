"""The game file: an append-only log in SQLite that survives the plug.

One file a game. An entry counts as stored when `append` returns: write-ahead log, full synchronous. Every entry
stands in it twice, on different pages, and is a link of a chain (`chain`). Beside the log stands one row that is
overwritten: the heartbeat, the last instant at which the program was alive, with the newest entry. The same claim
stands outside the file (`witness`). A damaged file opens at its last whole entry; the file as it was is kept beside
it and `Recovery` says what was lost.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from companion.core.codec import Codec
from companion.core.history import Entry
from companion.core.text import Say, Typed
from companion.session.beats import Beat, Heartbeat, stored_beat, unknown_beat
from companion.session.chain import Claim, chained, digest_of
from companion.session.copies import BATCH, batches, copy_of
from companion.session.errors import (
    JournalDamagedError,
    JournalLostError,
    JournalMissingError,
    JournalUnreadableError,
    NotStoredError,
)
from companion.session.files import real_path, unchanged
from companion.session.game_file import (
    SUFFIX,
    connect,
    finish_recovery,
    has_frames,
    is_open_elsewhere,
    is_plain_game,
    keep_aside,
    log_path,
    not_stored,
    open_rows,
    open_sound,
    own_files,
    put_aside,
    put_back,
    put_in_place,
    read_copy,
    take_back,
    take_lock,
    was_game,
)
from companion.session.judging import Known, Saved, doubt_of, saved_from
from companion.session.memory import uncollected
from companion.session.reading import INSERT, INSERT_BEAT, INSERT_COPY, peek_beat
from companion.session.recovery import Recovery
from companion.session.rows import Row, row_of
from companion.session.salvage import find_all, inspect_wal
from companion.session.standing import Standing
from companion.session.witness import Witness, read_witness, witness_path

__all__ = [
    "SUFFIX",
    "Heartbeat",
    "Journal",
    "Recovery",
    "finish_recovery",
    "is_open_elsewhere",
    "log_path",
    "witness_path",
]

_MOST_FRAMES, _MOST_LOOSE = 400, 130
_FAR_TOO_MANY = 2
"""So many times as much waits at most for a moment in which nobody waits for an answer."""
_PAGE = 4096
_ID_BYTES = 16


class Journal:
    """An open game file. One thread at a time; `append` is the only way in."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int, newest: Claim) -> None:
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
        self._newest = newest
        self._beat: Heartbeat | None = None
        self._witness: Witness | None = None
        self._is_begun = False
        """This sitting has written something."""
        self._is_whole_file = True
        """The file itself says that it needs no log beside it."""
        self._old_rows: list[Row] = []
        """All rows of a file in a form of before that has not been written anew yet."""
        self._tail: list[Row] = []
        """Entries whose copies are too small to be left as they are."""
        self._loose = 0
        """How many copies these stand in."""

    @classmethod
    def create(cls, path: Path, entries: Sequence[Entry], codec: Codec, game: bytes = b"") -> Journal:
        """Make a game file with its first entries; before they are durable no file has this name.

        `game` is the id of a game that is written anew; a new game gets its own. FileExistsError when there is a
        file; NotStoredError when the place takes none.
        """
        lock = take_lock(path)
        try:
            if path.exists():
                raise FileExistsError(f"{path} exists already")
            rows = list(chained((row_of(entry, codec) for entry in entries), game or os.urandom(_ID_BYTES)))
            with contextlib.suppress(OSError):  # it would speak of a game that is gone
                witness_path(path).unlink()
            state = Claim(rows[0].game, len(rows), digest_of(rows[-1]), 0)
            try:
                connection = put_in_place(path, rows, unknown_beat(), state)
            except NotStoredError:
                take_back(path)
                raise
        except BaseException:
            os.close(lock)
            raise
        return cls(path, connection, lock, state)

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Open a game file at its last whole entry; of a link, the file that it stands for.

        Raises JournalMissingError, JournalLockedError, JournalDamagedError when nothing can be read,
        JournalUnreadableError when it is no game file, and NotStoredError when the place cannot be written
        (CopyError where a file that shares its content with another name cannot be made one of its own).
        """
        path = real_path(path)
        finish_recovery(path)
        if not path.exists():
            raise JournalMissingError(
                Say("there is no game file {file}", file=Typed(str(path))),
                Say("it may have been moved or deleted"),
            )
        lock = take_lock(path)
        try:
            with uncollected():
                return cls._open_locked(path, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def _open_locked(cls, path: Path, lock: int) -> Journal:
        is_plain = is_plain_game(path)
        own_files(path)
        has_log = has_frames(path)
        known = Known(
            peek_beat(path) if has_log else None,
            read_witness(path),
            has_log,
            inspect_wal(log_path(path)).is_suspect,
        )
        read = open_rows(path) if is_plain else read_copy(path)
        doubt = doubt_of(read, known)
        if doubt is not None or (is_plain and read.connection is None):
            try:
                kept = keep_aside(path)
            finally:
                if read.connection is not None:
                    read.connection.close()
            found = find_all((kept, log_path(kept)))
            return cls._restored(path, lock, kept, saved_from(read, known, found, doubt or "damaged"))
        connection = read.connection or open_sound(path)
        state = Claim(
            read.rows[0].game, len(read.rows), read.tip, 0 if read.beat is None else read.beat.number
        )
        journal = cls(path, connection, lock, state)
        journal.rows = read.rows
        if not read.is_old:
            journal._tail = read.rows[read.tail - 1 :]
            journal._loose = len(journal._tail)
        if read.beat is not None:
            journal._beat = read.beat.heartbeat
            journal._is_whole_file = bool(read.beat.is_whole_file)
        journal._old_rows = read.rows if read.is_old else []
        return journal

    @classmethod
    def _restored(cls, path: Path, lock: int, kept: Path, saved: Saved) -> Journal:
        """Write the file anew with all that could be put together of it."""
        if not saved.rows:
            put_back(path, kept)
            if saved.is_empty:
                raise JournalUnreadableError(
                    Say("{file} contains no game", file=Typed(path.name)),
                    Say("delete it and start the game again"),
                )
            if not was_game(path):
                raise JournalUnreadableError(
                    Say(
                        "{file} contains no saved game, or none that can still be read", file=Typed(path.name)
                    ),
                    Say(
                        "choose a saved game, or a file that was written by Export; this one is left as it is"
                    ),
                )
            raise JournalDamagedError(
                Say("nothing in {file} can be read anymore", file=Typed(path.name)),
                Say("the file is left as it is"),
            )
        game, rows, tip = saved.rows[0].game, saved.rows, saved.tip
        if not game:
            game = os.urandom(_ID_BYTES)
            rows = list(chained(rows, game))
            tip = digest_of(rows[-1])
        state = Claim(game, len(rows), tip, saved.number + 1)
        beat = None if saved.beat is None else saved.beat.heartbeat
        journal = cls(path, put_in_place(path, rows, beat or unknown_beat(), state), lock, state)
        journal.rows, journal._beat = rows, beat
        journal._tell_witness(is_synced=True)
        journal.recovery = Recovery(
            path, kept, len(rows), saved.lost, rows[-1].wall_ms, saved.why, saved.beat is None
        )
        return journal

    def renew_first(self, first: Row) -> None:
        """Have the file written anew with the next write, with another first entry; before `rows` are let go."""
        self._old_rows = [first, *self.rows[1:]]

    @property
    def last_seq(self) -> int:
        """Number of the newest stored entry."""
        return self._newest.seq

    @property
    def game(self) -> bytes:
        """The game's id; empty for a file of before the chain, until it is written to."""
        return self._newest.game

    @property
    def claim(self) -> Claim:
        """The newest stored entry, with game and digest."""
        return self._newest

    @property
    def digest(self) -> bytes:
        """The chained digest of the newest stored entry; it and `game` name one course of play."""
        return self._newest.digest

    def append(self, entries: Sequence[Entry], codec: Codec) -> None:
        """Store entries in one transaction; they are durable when this returns.

        NotStoredError when the disk does not take them: then none is stored, and a later call may succeed.
        JournalLostError when they would go, or have gone, into a file that is the game's no longer.
        """
        rows: list[Row] = []
        tip = b""

        def insert(connection: sqlite3.Connection) -> None:
            nonlocal tip
            rows.clear()
            tip = self.digest
            for entry in entries:
                rows.append(row_of(entry, codec, self.game, tip))
                tip = digest_of(rows[-1])
            connection.executemany(INSERT, rows)
            connection.execute(INSERT_COPY, copy_of(rows, tip))

        self.check()
        self._commit(insert, entries[-1].seq)
        self._newest = self._newest._replace(seq=rows[-1].seq, digest=tip)
        self._tail += rows
        self._loose += 1
        self._frames += 2 + sum(1 + (len(row.command) + len(row.events)) // _PAGE for row in rows)
        self._tell_witness()

    def beat(self, beat: Heartbeat) -> None:
        """Move what came before into the file, so that a cut log cannot cost it, and overwrite the heartbeat, which states it.

        Raises as `append` does.
        """
        self.check()
        self._fold_in()
        self._write_beat(beat, is_whole_file=False)
        self._tell_witness(is_synced=True)

    def heartbeat(self) -> Heartbeat | None:
        """Return the last heartbeat, or None when none is known."""
        self._open_connection()
        return self._beat

    @property
    def is_untidy(self) -> bool:
        """Whether copies or log have grown so much that `tidy` has work."""
        return self._frames >= _MOST_FRAMES or self._loose >= _MOST_LOOSE

    @property
    def is_very_untidy(self) -> bool:
        """Whether that must not wait any longer for a quiet moment."""
        return self._frames >= _FAR_TOO_MANY * _MOST_FRAMES or self._loose >= _FAR_TOO_MANY * _MOST_LOOSE

    def tidy(self) -> None:
        """Put copies together and move the write-ahead log into the file when they have grown; never needed for safety."""
        if self.is_untidy and self._standing.fault() is None:  # what others did is told before the next entry
            with contextlib.suppress(sqlite3.Error):  # a full disk may refuse; the log itself stays whole
                self._gather()
            self._fold_in()

    def _fold_in(self) -> None:
        if self._frames:
            with contextlib.suppress(sqlite3.Error):
                self._open_connection().execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            self._frames = 0
            self._standing.note()

    def _commit(self, work: Callable[[sqlite3.Connection], object], seq: int = 0) -> None:
        """Do one transaction, on a full disk once more; `seq` is the entry that stands in the file afterwards."""
        for is_last in (False, True):
            try:
                self._start_writing()
                connection = self._open_connection()
                connection.execute("BEGIN IMMEDIATE")
                work(connection)
                connection.execute("COMMIT")
                break
            except sqlite3.Error as fault:
                self._roll_back()
                self._wrote()
                if seq and self._holds(seq):
                    break
                if is_last or not self._make_room(fault):
                    raise not_stored(self.path, fault) from fault
        self._wrote()

    def _start_writing(self) -> None:
        """Before the first write of a sitting, give a file today's form, and let the file itself say that it is open.

        Without that mark a file that is copied without its log would look like a game that ended there.
        """
        if self._is_begun:
            return
        if self._old_rows:
            self._renew()
        connection = self._open_connection()
        if self._is_whole_file:
            connection.execute(INSERT_BEAT, self._next_beat(self._beat, is_whole_file=False))
            self._newest = self._newest._replace(number=self._newest.number + 1)
            self._is_whole_file = False
        connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
        self._is_begun = True

    def _renew(self) -> None:
        """Write a file of before in today's form, as a chain of its own."""
        self._open_connection().close()
        self._connection = None
        with contextlib.suppress(OSError):  # it speaks of the chain before
            witness_path(self.path).unlink()
        rows = list(chained(self._old_rows, os.urandom(_ID_BYTES)))
        newest = Claim(rows[0].game, len(rows), digest_of(rows[-1]), 0)
        try:
            self._connection = put_in_place(self.path, rows, self._beat or unknown_beat(), newest)
        except NotStoredError:
            self._connection = connect(self.path)
            raise
        self._standing = Standing(self.path, log_path(self.path))
        self._newest, self._old_rows, self._is_whole_file = newest, [], True
        self._tail, self._loose = [], 0

    def _next_beat(self, beat: Heartbeat | None, *, is_whole_file: bool) -> Beat:
        claim = self._newest._replace(number=self._newest.number + 1)
        return stored_beat(beat or unknown_beat(), claim, is_whole_file=is_whole_file)

    def _write_beat(self, beat: Heartbeat | None, *, is_whole_file: bool) -> None:
        self._commit(
            lambda connection: connection.execute(
                INSERT_BEAT, self._next_beat(beat, is_whole_file=is_whole_file)
            )
        )
        self._newest = self._newest._replace(number=self._newest.number + 1)
        self._beat, self._is_whole_file = beat, is_whole_file
        self._frames += 2

    def _gather(self) -> None:
        """Put the copies of single entries together into one batch."""
        if self._loose < 2:
            return
        connection = self._open_connection()
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM copies WHERE first >= ?", (self._tail[0].seq,))
            gathered = list(batches(self._tail))
            connection.executemany(INSERT_COPY, gathered)
            connection.execute("COMMIT")
            self._frames += 2
        except sqlite3.Error:
            self._roll_back()
            raise
        newest = gathered[-1]
        is_small = newest.last - newest.first + 1 < BATCH
        self._tail, self._loose = (self._tail[newest.first - self._tail[0].seq :], 1) if is_small else ([], 0)

    def _tell_witness(self, *, is_synced: bool = False) -> None:
        """Say outside the file what stands in it now."""
        if self._witness is None:
            self._witness = Witness(self.path)
        self._witness.tell(self._newest, is_synced=is_synced)

    def _make_room(self, fault: sqlite3.Error) -> bool:
        """On a full disk let the log start over where it can; say whether a second try is worth it."""
        if getattr(fault, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_FULL or not self._frames:
            return False
        self._fold_in()
        return True

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
        self._frames, self._loose, self._is_abandoned = 0, 0, True
        self.close()

    def close(self) -> None:
        """Put the file away as one single file; twice is safe."""
        if self._connection is not None and not self._is_whole_file and self._standing.fault() is None:
            with contextlib.suppress(sqlite3.Error, NotStoredError):
                self._gather()
                self._write_beat(self._beat, is_whole_file=True)
                self._tell_witness(is_synced=True)
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        self._let_go()

    def cut_power(self) -> None:
        """Leave the files exactly as a power cut at this instant would; for the demo and for tests."""
        if self._connection is not None:
            with unchanged(self.path, log_path(self.path)):
                self._connection.close()
            self._connection = None
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
        if self._witness is not None:
            self._witness.close()
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)
