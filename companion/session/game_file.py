"""A game's files on the disk: its tables, its lock, its write-ahead log, and what is set aside of a damaged one.

Knows how a game file is laid out and how to put a whole one in place; what an entry means is `journal`'s matter.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from companion.core.text import Say, Typed
from companion.session.beats import Heartbeat, stored_beat, unknown_beat
from companion.session.chain import Claim, digest_of
from companion.session.copies import batches
from companion.session.errors import (
    JournalLockedError,
    JournalLostError,
    JournalUnreadableError,
    NotStoredError,
    Shown,
)
from companion.session.files import (
    aside_path,
    clear_name,
    copy_verified,
    explain,
    real_path,
    scratch_folder,
    sync_folder,
)
from companion.session.limits import MOST_FILE_BYTES, shortened
from companion.session.reading import INSERT, INSERT_BEAT, INSERT_COPY, TABLES, UNREADABLE, Read, read_rows
from companion.session.rows import Row
from companion.session.salvage import find_all
from companion.session.witness import witness_path

__all__ = [
    "SUFFIX",
    "connect",
    "finish_recovery",
    "has_frames",
    "is_open_elsewhere",
    "is_plain_game",
    "look_at_kinds",
    "keep_aside",
    "lock_path",
    "log_path",
    "not_stored",
    "open_rows",
    "open_sound",
    "own_files",
    "put_aside",
    "put_back",
    "put_in_place",
    "read_copy",
    "take_back",
    "take_lock",
    "too_large",
    "was_game",
]

SUFFIX = ".tcgame"
"""How the names of game files end."""

_APPLICATION_ID = 0x54436A31
_COPIES = 20
"""So many copies kept aside are compared with a file before one more is made."""
_LOG_HEAD = 32
_BROKEN = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""Errors after which nothing more can be trusted to a file that is open."""


def is_open_elsewhere(path: Path) -> bool:
    """Say whether a game file is in use by this or another Table Companion; leaves nothing beside it."""
    path = real_path(path)
    if not lock_path(path).exists():
        return False
    try:
        os.close(take_lock(path))
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


def has_frames(path: Path) -> bool:
    """Say whether a game file has a log with something in it beside it."""
    try:
        return log_path(path).stat().st_size > _LOG_HEAD
    except OSError:
        return False


def lock_path(path: Path) -> Path:
    """Return the file whose lock says that a game is in use."""
    return path.with_name(f".{path.name}.lock")


def _rebuilt_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.rebuilt")


def take_lock(path: Path) -> int:
    """Take the one writer's place and return the lock's handle. JournalLockedError when another has it."""
    try:
        handle = os.open(lock_path(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as fault:
        text, hint = explain(fault)
        raise NotStoredError(
            Say("{file} cannot be used: {why}", file=Typed(path.name), why=text), hint
        ) from fault
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        os.close(handle)
        raise JournalLockedError(
            Say("{file} is open in another Table Companion", file=Typed(path.name)),
            Say("close it there first; only one program can write to a game"),
        ) from fault
    return handle


def own_files(path: Path) -> None:
    """Give a game that shares its files with other names (hard links) files of its own, so that each has one writer.

    What the other names show stays as it is. JournalLockedError where the game is open under one of them in this
    folder; CopyError where the place takes no copy.
    """
    for file in (path, log_path(path), witness_path(path)):
        if not file.is_file() or file.stat().st_nlink < 2:
            continue
        for other in path.parent.glob(f"*{SUFFIX}"):
            if other != path and other.exists() and other.samefile(file) and is_open_elsewhere(other):
                raise JournalLockedError(
                    Say(
                        "{file} is a second name of {other}, which is open",
                        file=Typed(path.name),
                        other=Typed(other.name),
                    ),
                    Say("open the game under that name"),
                )
        copy_verified(file, file)


def connect(path: Path) -> sqlite3.Connection:
    """Open a game file for writing, every commit synced."""
    connection = shortened(sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0))
    try:
        for pragma in (
            "locking_mode=EXCLUSIVE",  # one writer; keeps the log's index in memory
            "journal_mode=WAL",
            "synchronous=FULL",
            "wal_autocheckpoint=0",  # a failing checkpoint must never look like a failed commit
            "temp_store=MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except UNREADABLE:
        connection.close()
        raise
    return connection


def look_at_kinds(path: Path) -> None:
    """Refuse a game in whose place, or its log's, a pipe or a device stands, whose reading could wait for ever, or a folder.

    What stands in the witness's place takes no witness, and costs the game nothing else.
    """
    log = log_path(path)
    if log.exists() and not log.is_file():
        raise JournalUnreadableError(
            Say("{file} is not a file", file=Typed(log.name)),
            Say("move away what has that name, then try again"),
        )
    if path.exists() and not path.is_file():
        raise _foreign(path)


def _foreign(path: Path) -> JournalUnreadableError:
    return JournalUnreadableError(
        Say("{file} is not a Table Companion game file", file=Typed(path.name)),
        Say("another program wrote it; open a saved game instead"),
    )


def is_plain_game(path: Path) -> bool:
    """Refuse a sound SQLite file of another program; a damaged head is damage, not a foreign file.

    Returns whether the file looks like a game that was put away in order.
    """
    look_at_kinds(path)
    try:
        with path.open("rb") as file:
            head = file.read(100)
        has_log = log_path(path).exists() and log_path(path).stat().st_size > 0
        size = max(name.stat().st_size for name in (path, log_path(path)) if name.exists())
    except OSError as fault:
        text, hint = explain(fault)
        raise NotStoredError(
            Say("{file} cannot be read: {why}", file=Typed(path.name), why=text), hint
        ) from fault
    if not head:
        raise JournalUnreadableError(
            Say("{file} is empty", file=Typed(path.name)), Say("delete it and start the game again")
        )
    if size > MOST_FILE_BYTES:
        raise too_large(path)
    is_ours = int.from_bytes(head[68:72], "big") == _APPLICATION_ID
    is_sqlite = head.startswith(b"SQLite format 3\0")
    if is_sqlite and not is_ours and not has_log and not find_all((path, log_path(path))).rows:
        raise _foreign(path)
    return is_ours and is_sqlite and not has_log and head[18:20] == b"\2\2"


def was_game(path: Path) -> bool:
    """Whether something tells that a file of which nothing can be read was a game: its head, or what lies beside it."""
    try:
        with path.open("rb") as file:
            is_database = file.read(16) == b"SQLite format 3\0"
    except OSError:
        return True
    return is_database or any(name_of(path).is_file() for name_of in (log_path, witness_path))


def too_large(path: Path) -> JournalUnreadableError:
    """Return the error of a file larger than any game's."""
    return JournalUnreadableError(
        Say("{file} is too large to be a saved game", file=Typed(path.name)),
        Say("a game takes at most {most} MB", most=MOST_FILE_BYTES >> 20),
    )


def open_rows(path: Path) -> Read:
    """Open a game file and read it; NotStoredError when the place cannot be written."""
    try:
        return read_rows(connect(path))
    except UNREADABLE as fault:
        if isinstance(fault, sqlite3.OperationalError) and not _is_writable(path):
            raise not_stored(path, fault) from fault
        return Read(None, [], b"", False, 0)


def _is_writable(path: Path) -> bool:
    """Whether the file and its folder take writes: a fault is then the file's own."""
    try:
        with path.open("rb+"):
            pass
        probe = path.with_name(f".{path.name}.probe")
        clear_name(probe)
        probe.write_bytes(b"probe")
        probe.unlink()
    except OSError:
        return False
    return True


def read_copy(path: Path) -> Read:
    """Read a copy of a game's files, so that SQLite changes nothing about them: it takes a log in, or drops it.

    The connection is closed. NotStoredError where the machine has no room for a copy.
    """
    try:
        with scratch_folder() as folder:
            copy = folder / path.name
            for source, target in ((path, copy), (log_path(path), log_path(copy))):
                if source.exists():
                    shutil.copyfile(source, target)
            read = open_rows(copy)
            if read.connection is not None:
                read.connection.close()
            return read._replace(connection=None)
    except OSError as fault:
        if isinstance(fault, NotStoredError):
            raise
        raise _not_safe(path, fault) from fault


def open_sound(path: Path) -> sqlite3.Connection:
    """Open a game file that was read and found sound. NotStoredError when the place cannot be written."""
    try:
        return connect(path)
    except UNREADABLE as fault:
        raise not_stored(path, fault if isinstance(fault, sqlite3.Error) else OSError(str(fault))) from fault


def _not_safe(path: Path, fault: OSError) -> NotStoredError:
    text, hint = explain(fault)
    return NotStoredError(Say("{file} cannot be opened safely: {why}", file=Typed(path.name), why=text), hint)


def keep_aside(path: Path) -> Path:
    """Copy a damaged game's files beside it as they are, unless such a copy is there. NotStoredError without room."""
    kept = aside_path(path)
    earlier = _copy_before(path, kept)
    if earlier is not None:
        return earlier
    pairs = [(log_path(path), log_path(kept)), (path, kept)]
    pairs = [pair for pair in pairs if pair[0].exists() and pair[0].stat().st_size]
    partial = [target.with_name(f".{target.name}.part") for _source, target in pairs]
    try:
        for (source, _target), part in zip(pairs, partial, strict=True):
            clear_name(part)
            shutil.copy2(source, part)
            with part.open("rb+") as file:
                os.fsync(file.fileno())
        for (_source, target), part in zip(pairs, partial, strict=True):
            part.replace(target)
    except OSError as fault:
        for name in (*partial, *(target for _source, target in pairs)):
            with contextlib.suppress(OSError):
                name.unlink(missing_ok=True)
        raise _not_safe(path, fault) from fault
    sync_folder(path.parent)
    return kept


def _copy_before(path: Path, free: Path) -> Path | None:
    """Return a copy of the files as they are that an opening which did not end has left; None when there is none."""
    names = [path.with_name(f"{path.stem}.damaged{path.suffix}")]
    names += [
        names[0].with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in range(2, _COPIES)
    ]
    for kept in names:
        if kept == free or not kept.exists():
            return None
        with contextlib.suppress(OSError):
            if all(
                _content(one) == _content(other)
                for one, other in ((path, kept), (log_path(path), log_path(kept)))
            ):
                return kept
    return None


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def put_aside(path: Path) -> Path | None:
    """Give a game's files, as they are, a name beside it; None where the place does not take that."""
    kept = aside_path(path)
    try:
        path.replace(kept)
        for name_of in (log_path, witness_path):
            if name_of(path).exists():
                name_of(path).replace(name_of(kept))
    except OSError:
        return None
    sync_folder(path.parent)
    return kept


def put_back(path: Path, kept: Path | None) -> None:
    """Give the game's name back to the files as they were."""
    if kept is None:
        return
    with contextlib.suppress(OSError):
        log_path(path).unlink(missing_ok=True)
        kept.replace(path)
        if log_path(kept).exists():
            log_path(kept).replace(log_path(path))
        sync_folder(path.parent)


def put_in_place(
    path: Path, rows: list[Row], beat: Heartbeat | None = None, claim: Claim | None = None
) -> sqlite3.Connection:
    """Write linked rows into a new file and give it the game's name; what stood there has been copied aside.

    The heartbeat is written with them, one of no boot by default; `claim` states the last row, which is looked at
    where none is given.
    """
    beat = beat or unknown_beat()
    claim = claim or Claim(rows[-1].game, len(rows), digest_of(rows[-1]), 0)
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
            for table in TABLES:
                connection.execute(table)
            connection.executemany(INSERT, rows)
            connection.executemany(INSERT_COPY, batches(rows))
            connection.execute(INSERT_BEAT, stored_beat(beat, claim, is_whole_file=True))
            connection.execute("COMMIT")
        partial.replace(rebuilt)  # whole from here on: `finish_recovery` may take it
        sync_folder(path.parent)
        path.unlink(missing_ok=True)  # first the file, then its log: a new file must never meet an old log
        log_path(path).unlink(missing_ok=True)
        rebuilt.replace(path)
        sync_folder(path.parent)
        return connect(path)
    except (sqlite3.Error, OSError) as fault:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise not_stored(path, fault) from fault


def take_back(path: Path) -> None:
    """Remove what `put_in_place` has left of a new game that it could not finish: it was refused, and would be listed later."""
    for left in (_rebuilt_path(path), path, log_path(path)):
        with contextlib.suppress(OSError):
            left.unlink(missing_ok=True)


def not_stored(path: Path, fault: sqlite3.Error | OSError) -> NotStoredError:
    """Say in the table's words why the disk did not take something."""
    if isinstance(fault, OSError):
        return _not_written(path, *explain(fault))
    code: Any = getattr(fault, "sqlite_errorcode", 0) & 0xFF
    if code in _BROKEN:
        text, hint = Say("the disk reports errors"), Say("check the card; export the game to a stick")
        return JournalLostError(Say("{file} cannot be written: {why}", file=Typed(path.name), why=text), hint)
    texts: dict[int, tuple[Shown, Say]] = {
        sqlite3.SQLITE_FULL: (
            Say("the disk is full"),
            Say("empty the bin (Settings, Box) or delete files, then try again"),
        ),
        sqlite3.SQLITE_READONLY: (
            Say("the folder is read-only"),
            Say("check the card and the permissions of the folder"),
        ),
        sqlite3.SQLITE_CANTOPEN: (
            Say("the folder cannot be written to"),
            Say("check the card and the permissions of the folder"),
        ),
        sqlite3.SQLITE_BUSY: (Say("another program is using the file"), Say("close it there first")),
    }
    other = (Typed(str(fault)), Say("check the card; export the game to a stick"))
    error = _not_written(path, *texts.get(code, other))
    error.is_full = code == sqlite3.SQLITE_FULL
    return error


def _not_written(path: Path, why: Shown, hint: Say | None) -> NotStoredError:
    return NotStoredError(Say("{file} cannot be written: {why}", file=Typed(path.name), why=why), hint)
