"""The record on disk: an append-only SQLite file, each line a link of a chain, and the same lines as text beside it.

Reading holds every line against the chain, so a cut, changed or damaged record is told and never half believed; nothing is
ever changed in it. The text file is written first and is what `repaired` goes back to.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from companion.hall.errors import HallError, RecordError
from companion.hall.happenings import Happening, TournamentBegun, decode, encode
from companion.hall.private import opened_new, read_plain, write_private
from companion.hall.record import Tournament, fold, happen
from companion.hall.shared import SHARED, Row, SharedRecord, Where, where_of

__all__ = ["COPY", "FILE", "Kept", "Store"]

FILE, COPY = "tournament.hall", "tournament.jsonl"
_TABLE = "CREATE TABLE entries (seq INTEGER PRIMARY KEY, line BLOB NOT NULL, digest BLOB NOT NULL)"
_GUARDS = (
    "CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the record only grows'); END",
    "CREATE TRIGGER entries_never_go BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the record only grows'); END",
)
_HINT = "nothing was changed; companion hall repair makes a whole record of what is left"


class Kept(NamedTuple):
    """One line of the record."""

    line: bytes
    happening: Happening
    at: str


def digest_after(before: bytes, line: bytes) -> bytes:
    """Return the digest of the chain after a line."""
    return hashlib.sha256(before + line).digest()


class Store:
    """The record of one tournament in a folder. RecordError where it cannot be read whole."""

    def __init__(self, folder: Path) -> None:
        """Read the record of a folder."""
        self.folder, self.path = folder, folder / FILE
        where = where_of(folder)
        self._shared = None if where is None else SharedRecord(where)
        if self._shared is None and not self.path.is_file():
            raise RecordError(
                f"{folder} holds no tournament ({FILE}); companion hall new {folder} begins one"
            )
        lines = (
            _lines_of(self.path) if self._shared is None else _held(self._shared.rows(), "the shared record")
        )
        self.kept = _decoded(lines, self.path)
        self._digest = _digest(lines)
        self.tournament: Tournament = fold(kept.happening for kept in self.kept)
        if not self.tournament.id:
            raise RecordError(f"{self.path} holds no entry; {_HINT}")
        if self._shared is not None:  # each director has all of it, should the database be lost
            self._mend_copy()

    @staticmethod
    def begin(folder: Path, what: TournamentBegun, at: str, postgres: str = "") -> Store:
        """Begin a tournament in a folder that has none; with `postgres` its record is shared, and lies in that database."""
        path = folder / FILE
        _check_free(folder)
        happen(Tournament(), what)
        line = encode(what, at)
        if postgres:
            where = Where(postgres, what.id)
            SharedRecord(where).add([(1, line, digest_after(b"", line))])
            return Store.joined(folder, where)
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, [line])
        _copy(folder / COPY, [line], is_new=True)
        return Store(folder)

    @staticmethod
    def joined(folder: Path, where: Where) -> Store:
        """Make a folder for one more director of a record that is shared. HallError where it is not reached."""
        _check_free(folder)
        if not SharedRecord(where).rows():
            raise HallError(
                f"there is no tournament {where.tournament} at {where.postgres.partition('password')[0]}"
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_private(folder / SHARED, msgspec.json.encode(where))
        return Store(folder)

    def stamp(self) -> object:
        """Return something that differs once somebody has added. HallError where nobody can say."""
        if self._shared is not None:
            return self._shared.news()
        try:
            found = self.path.stat()
        except OSError:
            return (0, 0)
        return found.st_mtime_ns, found.st_size

    def again(self) -> Store:
        """Return the record read anew. HallError as at first."""
        fresh = Store(self.folder)
        if fresh._shared is not None and self._shared is not None:
            fresh._shared = self._shared
        return fresh

    def close(self) -> None:
        """Let a shared record go."""
        if self._shared is not None:
            self._shared.close()

    def add(self, happenings: Sequence[Happening], at: str) -> Tournament:
        """Add happenings, all or none. HallError where one cannot be, or where somebody else has added meanwhile."""
        after = self.tournament
        for happening in happenings:
            after = happen(after, happening)
        lines = [encode(happening, at) for happening in happenings]
        first, digest = len(self.kept) + 1, self._digest
        rows = []
        for seq, line in enumerate(lines, first):
            digest = digest_after(digest, line)
            rows.append((seq, line, digest))
        if self._shared is not None:
            if rows:
                self._shared.add(rows)
            _copy(self.folder / COPY, lines, is_new=False)
        else:
            self._add_own(rows)
        self.kept += [Kept(line, what, at) for line, what in zip(lines, happenings, strict=True)]
        self._digest, self.tournament = digest, after
        return after

    def _add_own(self, rows: Sequence[Row]) -> None:
        lines, first = [line for _seq, line, _digest in rows], len(self.kept) + 1
        with _opened(self.path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
            if count != first - 1:
                connection.execute("ROLLBACK")
                raise HallError(
                    f"somebody else has added entry {count} meanwhile; nothing was changed: do it again"
                )
            self._mend_copy()
            _copy(self.folder / COPY, lines, is_new=False)
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
            connection.execute("COMMIT")

    def _mend_copy(self) -> None:
        """Write the copy anew where it does not end as the record does, as after a kill between the two."""
        lines, path = [kept.line for kept in self.kept], self.folder / COPY
        if _copied(path) != lines or not read_plain(path).endswith(b"\n"):
            fresh = self.folder / f"{COPY}.new"
            _copy(fresh, lines, is_new=True)
            fresh.replace(path)

    def check(self) -> str:
        """Return what is wrong with the copy beside the record, or an empty text when both say the same."""
        lines = [kept.line for kept in self.kept]
        copied = _copied(self.folder / COPY)
        if copied[: len(lines)] != lines:
            at = next(
                (n for n, (a, b) in enumerate(zip(lines, copied, strict=False), 1) if a != b), len(copied) + 1
            )
            return f"{COPY} differs from the record at entry {at}; companion hall repair writes it anew"
        return ""


def repaired(folder: Path, now: Callable[[], str]) -> tuple[int, str]:
    """Make a whole record of what is left of a damaged one; return how many entries it holds and from where.

    Whichever of the record and its copy holds more whole entries is taken. What was there stays beside it under another name.
    One who shares a record goes on alone with his copy.
    HallError where neither holds a beginning.
    """
    path, copy = folder / FILE, folder / COPY
    found = [(_whole_lines(_salvaged(path)), FILE), (_whole_lines(_copied(copy)), COPY)]
    lines, source = max(found, key=lambda one: len(one[0]))
    if not lines:
        raise RecordError(
            f"neither {FILE} nor {COPY} in {folder} holds the beginning of a tournament; nothing was changed"
        )
    fresh = folder / f"{FILE}.new"
    fresh.unlink(missing_ok=True)
    _write(fresh, lines)
    stamp = "".join(sign for sign in now() if sign.isalnum())
    for old in (path, copy, folder / SHARED):
        if os.path.lexists(old):
            old.rename(_free(folder / f"{old.name}.damaged-{stamp}"))
    _copy(copy, lines, is_new=True)
    fresh.rename(path)
    return len(lines), source


def _check_free(folder: Path) -> None:
    if any((folder / name).exists() for name in (FILE, COPY, SHARED)):
        raise HallError(f"{folder} holds a tournament already; choose another folder")


def _free(path: Path) -> Path:
    number = 1
    while (found := path if number == 1 else path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return found


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None, timeout=5)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        yield connection
    except sqlite3.OperationalError as fault:
        raise HallError(
            f"{path.name} could not be written ({fault}); nothing was changed: do it again"
        ) from None
    except sqlite3.DatabaseError as fault:
        raise RecordError(f"{path.name} is damaged ({fault}); {_HINT}") from None
    finally:
        connection.close()


def _lines_of(path: Path) -> list[bytes]:
    """Return all lines, held against the chain. RecordError at the first that does not fit."""
    rows: list[tuple[object, object, object]] = []
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{path.resolve().as_uri()[7:]}?mode=ro", uri=True)
        ) as connection:
            rows = connection.execute("SELECT seq, line, digest FROM entries ORDER BY seq").fetchall()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as fault:
        raise RecordError(f"{path.name} is damaged ({fault}); {_HINT}") from None
    return _held(rows, path.name)


def _held(rows: Sequence[tuple[object, object, object]], name: str) -> list[bytes]:
    digest, lines = b"", []
    for number, (seq, line, kept) in enumerate(rows, 1):
        if seq != number or not isinstance(line, bytes):
            raise RecordError(f"{name} lacks entry {number}; {_HINT}")
        digest = digest_after(digest, line)
        if kept != digest:
            raise RecordError(f"entry {number} of {name} was changed or damaged; {_HINT}")
        lines.append(line)
    return lines


def _decoded(lines: Sequence[bytes], path: Path) -> list[Kept]:
    kept = []
    for number, line in enumerate(lines, 1):
        try:
            happening, at = decode(line, number)
        except RecordError as fault:
            raise RecordError(f"{path.name}: {fault}") from None
        kept.append(Kept(line, happening, at))
    return kept


def _digest(lines: Sequence[bytes]) -> bytes:
    digest = b""
    for line in lines:
        digest = digest_after(digest, line)
    return digest


def _salvaged(path: Path) -> list[bytes]:
    """Return the lines that can still be read one by one, up to the first that cannot or breaks the chain."""
    lines: list[bytes] = []
    digest = b""
    with contextlib.suppress(sqlite3.DatabaseError, UnicodeDecodeError, OSError):
        if not path.is_file():
            return lines
        with contextlib.closing(
            sqlite3.connect(f"file:{path.resolve().as_uri()[7:]}?mode=ro", uri=True)
        ) as connection:
            cursor = connection.execute("SELECT seq, line, digest FROM entries ORDER BY seq")
            while (row := cursor.fetchone()) is not None:
                seq, line, kept = row
                if seq != len(lines) + 1 or not isinstance(line, bytes):
                    break
                digest = digest_after(digest, line)
                if kept != digest:
                    break
                lines.append(line)
    return lines


def _copied(path: Path) -> list[bytes]:
    """Return the whole lines of the text beside the record."""
    try:
        content = read_plain(path)
    except OSError:
        return []
    return content.split(b"\n")[:-1]  # a last line without its end was cut


def _whole_lines(lines: Sequence[bytes]) -> list[bytes]:
    """Return the lines from the start that can be read and fit one another."""
    now, whole = Tournament(), []
    for number, line in enumerate(lines, 1):
        try:
            now = happen(now, decode(line, number)[0])
        except HallError as fault:
            if "update it" in str(fault):
                raise
            break
        whole.append(line)
    return whole


def _write(path: Path, lines: Sequence[bytes]) -> None:
    with _opened(path) as connection:
        connection.execute("BEGIN")
        for statement in (_TABLE, *_GUARDS):
            connection.execute(statement)
        digest = b""
        for seq, line in enumerate(lines, 1):
            digest = digest_after(digest, line)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (seq, line, digest))
        connection.execute("COMMIT")


def _copy(path: Path, lines: Sequence[bytes], *, is_new: bool) -> None:
    with os.fdopen(opened_new(path), "wb") if is_new else path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in lines))
        file.flush()
        os.fsync(file.fileno())
