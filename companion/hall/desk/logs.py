"""What the hall keeps of its tables, in one SQLite file: their logs entry by entry, cards and keys, orders and answers."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from companion.hall.desk.intake import Entry, Tip
from companion.hall.errors import HallError

__all__ = ["FILE", "Branch", "Enrolled", "Logs", "TableLogs"]

FILE = "tables.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
  "table" TEXT NOT NULL, game TEXT NOT NULL, digest TEXT NOT NULL, seq INTEGER NOT NULL, before TEXT NOT NULL,
  line BLOB NOT NULL, PRIMARY KEY ("table", game, digest)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS branches (
  "table" TEXT NOT NULL, game TEXT NOT NULL, branch TEXT NOT NULL, seq INTEGER NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY ("table", game, branch)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tables (
  "table" TEXT PRIMARY KEY, state TEXT NOT NULL, password TEXT NOT NULL DEFAULT '', key BLOB NOT NULL DEFAULT x'');
CREATE TABLE IF NOT EXISTS orders (
  n INTEGER PRIMARY KEY AUTOINCREMENT, "to" TEXT NOT NULL, what BLOB NOT NULL, issued INTEGER NOT NULL, until INTEGER);
CREATE TABLE IF NOT EXISTS answers (
  n INTEGER NOT NULL, "table" TEXT NOT NULL, code TEXT NOT NULL, said TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (n, "table")) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Branch(NamedTuple):
    """One course of play of a table's game."""

    table: str
    game: str
    branch: str
    seq: int
    digest: str


class Enrolled(NamedTuple):
    """A table and how it stands: ``card`` (printed), ``asks`` (waits to be confirmed), ``in``, ``retired``."""

    table: str
    state: str
    password: str
    """As the broker keeps it."""
    key: bytes
    """The box's public key; empty before it has asked."""


class Logs:
    """The file. One writer; others may read."""

    def __init__(self, folder: Path) -> None:
        """Open it, or make it. HallError where it cannot be used."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self._one_at_a_time = folder / FILE, threading.Lock()
        try:
            with ExitStack() as opened:
                self._held, self._storing = (self._connected(opened) for _n in range(2))
                self._held.executescript(_SCHEMA)
                self.path.chmod(0o600)
                opened.pop_all()
        except sqlite3.Error as fault:
            raise HallError(f"{self.path} cannot be used ({fault}); restore it from a copy") from None

    def _connected(self, opened: ExitStack) -> sqlite3.Connection:
        made = sqlite3.connect(self.path, isolation_level=None, timeout=5, check_same_thread=False)
        opened.enter_context(closing(made))
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("PRAGMA synchronous = FULL")
        return made

    def close(self) -> None:
        """Let the file go."""
        self._held.close()
        with self._one_at_a_time:
            self._storing.close()

    @contextmanager
    def all_or_nothing(self, held: sqlite3.Connection | None = None) -> Iterator[sqlite3.Connection]:
        """One transaction. HallError where it is not taken: then nothing of it is stored."""
        held = held or self._held
        try:
            held.execute("BEGIN IMMEDIATE")
            yield held
            held.execute("COMMIT")
        except sqlite3.Error as fault:
            if held.in_transaction:
                held.execute("ROLLBACK")
            raise HallError(f"{self.path.name} takes nothing ({fault}); tables keep all: make room") from None
        except BaseException:
            if held.in_transaction:
                held.execute("ROLLBACK")
            raise

    # Logs of the tables

    def of(self, table: str) -> TableLogs:
        """Return what is held of one table."""
        return TableLogs(self._held, table)

    def add(self, taken: Iterable[tuple[str, Entry]]) -> None:
        """Store entries of tables in one transaction; one that is held already changes nothing.

        Any thread may call this: it has a connection of its own.
        """
        with self._one_at_a_time, self.all_or_nothing(self._storing) as held:
            for table, one in taken:
                held.execute(
                    "INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?)",
                    (table, one.game, one.digest, one.seq, one.before, one.line),
                )
                held.execute(
                    "INSERT OR REPLACE INTO branches VALUES (?, ?, ?, ?, ?)",
                    (table, one.game, one.branch, one.seq, one.digest),
                )

    def branches(self, table: str | None = None) -> list[Branch]:
        """Return every course of play, of one table or of all."""
        where, args = ("", ()) if table is None else ('WHERE "table" = ?', (table,))
        rows = self._held.execute(
            f'SELECT "table", game, branch, seq, digest FROM branches {where} ORDER BY 1, 2, 3',
            args,
        )
        return [Branch(*row) for row in rows]

    def course(self, branch: Branch) -> list[bytes]:
        """Return the lines of a course of play, first to newest."""
        known = {
            digest: (before, line)
            for digest, before, line in self._held.execute(
                'SELECT digest, before, line FROM entries WHERE "table" = ? AND game = ?',
                (branch.table, branch.game),
            )
        }
        lines, digest = [], branch.digest
        while digest in known:
            digest, line = known[digest]
            lines.append(line)
        return lines[::-1]

    def after(self, branch: Branch, digest: str) -> list[tuple[str, str, int, bytes]]:
        """Return what follows an entry on a course of play: digest, the digest before, number and line; all where it is not on it."""
        found, at = [], branch.digest
        while at != digest:
            row = self._held.execute(
                'SELECT before, seq, line FROM entries WHERE "table" = ? AND game = ? AND digest = ?',
                (branch.table, branch.game, at),
            ).fetchone()
            if row is None:
                break
            found.append((at, str(row[0]), int(row[1]), bytes(row[2])))
            at = str(row[0])
        return found[::-1]

    def count(self) -> int:
        """Return how many entries are held in all."""
        return int(self._held.execute("SELECT count(*) FROM entries").fetchone()[0])

    # Tables

    def tables(self) -> dict[str, Enrolled]:
        """Return every table."""
        rows = self._held.execute(
            'SELECT "table", state, password, key FROM tables ORDER BY length("table"), "table"'
        )
        return {row[0]: Enrolled(*row) for row in rows}

    def cards(self) -> tuple[tuple[str, bytes, bool], ...]:
        """Return table and public key of every box that was let in, and whether it still is: else it was shut out."""
        return tuple(
            (table, one.key, one.state == "in")
            for table, one in self.tables().items()
            if one.state in ("in", "retired")
        )

    def put_table(self, one: Enrolled) -> None:
        """Store how a table stands."""
        with self.all_or_nothing() as held:
            held.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?)", one)

    # Orders

    def add_orders(
        self, each: Iterable[tuple[str, bytes]], issued: int, until: int | None, *, asked: int = 0
    ) -> list[int]:
        """Store orders, receiver and what, and return their numbers, which no other one ever has.

        Those that another director has `asked` for are stored once, however often he is heard.
        """
        with self.all_or_nothing() as held:
            if asked:
                fresh = held.execute("INSERT OR IGNORE INTO facts VALUES (?, '1')", (f"asked:{asked}",))
                if not fresh.rowcount:
                    return []
            return [
                int(
                    held.execute(
                        'INSERT INTO orders ("to", what, issued, until) VALUES (?, ?, ?, ?)',
                        (to, what, issued, until),
                    ).lastrowid
                    or 0
                )
                for to, what in each
            ]

    def orders(self) -> list[tuple[int, str, bytes, int, int | None]]:
        """Return every order: number, receiver, what, issued, until."""
        return list(self._held.execute('SELECT n, "to", what, issued, until FROM orders ORDER BY n'))

    def take_order(self, n: int, to: str, what: bytes, issued: int, until: int | None) -> None:
        """Store an order that another desk has given, under its own number."""
        with self.all_or_nothing() as held:
            held.execute("INSERT OR IGNORE INTO orders VALUES (?, ?, ?, ?, ?)", (n, to, what, issued, until))

    def wished(self, n: int) -> bytes | None:
        """Return what an order wished; None where none of this number was given."""
        row = self._held.execute("SELECT what FROM orders WHERE n = ?", (n,)).fetchone()
        return None if row is None else bytes(row[0])

    def answer(self, n: int, table: str, code: str, said: str, at: int) -> None:
        """Store what a table has made of an order; the first answer stays, but a table may still decline its seat."""
        verb = "REPLACE" if code == "declined" else "IGNORE"
        with self.all_or_nothing() as held:
            held.execute(f"INSERT OR {verb} INTO answers VALUES (?, ?, ?, ?, ?)", (n, table, code, said, at))

    def answers(self) -> dict[tuple[int, str], tuple[str, str, int]]:
        """Return what tables have made of orders: number and table to code, words and instant."""
        rows = self._held.execute('SELECT n, "table", code, said, at FROM answers')
        return {(row[0], row[1]): (row[2], row[3], row[4]) for row in rows}

    # Facts

    def fact(self, name: str) -> str:
        """Return a fact of the hall; empty where it is not known."""
        row = self._held.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Store a fact of the hall."""
        self.set_facts({name: value})

    def set_facts(self, facts: Mapping[str, str]) -> None:
        """Store facts of the hall, all or none."""
        if facts:
            with self.all_or_nothing() as held:
                held.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())


class TableLogs:
    """What is held of one table: the `Held` of its intake."""

    def __init__(self, held: sqlite3.Connection, table: str) -> None:
        self._held, self._table = held, table

    def tip(self, game: str, branch: str) -> Tip | None:
        """Return the newest entry of a branch."""
        row = self._held.execute(
            'SELECT seq, digest FROM branches WHERE "table" = ? AND game = ? AND branch = ?',
            (self._table, game, branch),
        ).fetchone()
        return None if row is None else Tip(*row)

    def seq_of(self, game: str, digest: str) -> int | None:
        """Return the number of an entry by its digest."""
        row = self._held.execute(
            'SELECT seq FROM entries WHERE "table" = ? AND game = ? AND digest = ?',
            (self._table, game, digest),
        ).fetchone()
        return None if row is None else int(row[0])
