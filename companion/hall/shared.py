"""A record that several directors share: the same lines and the same chain as in a folder's own file, in a PostgreSQL database.

Each director has a folder of his own with a copy of all lines as text. Whoever adds holds the tournament's lock for that one
transaction, and adds nothing where somebody else has added since he read; the database never changes or loses a line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from companion.core.text import Say
from companion.hall.errors import HallError, RecordError
from companion.hall.private import read_plain

if TYPE_CHECKING:
    import psycopg

__all__ = [
    "SHARED",
    "Row",
    "SharedRecord",
    "Where",
    "made_once",
    "connected",
    "tournaments_at",
    "where_of",
]

SHARED = "shared.json"
"""In a director's folder: where the record lies that he shares. It may hold a password, so nobody else may read it."""
_CONNECT_S = 3
_TABLE = (
    "CREATE TABLE IF NOT EXISTS hall_entries (tournament text NOT NULL, seq integer NOT NULL, line bytea NOT NULL, "
    "digest bytea NOT NULL, PRIMARY KEY (tournament, seq))",
    "CREATE OR REPLACE FUNCTION hall_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the record only grows'; END $$",
    "CREATE OR REPLACE TRIGGER hall_entries_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON hall_entries "
    "EXECUTE FUNCTION hall_only_grows()",
)
Row = tuple[int, bytes, bytes]
"""Number, line and digest of an entry."""


class Where(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a shared record lies."""

    postgres: str
    """How the database is reached, as libpq reads it: ``host=192.168.1.5 dbname=cup user=hall``."""
    tournament: str


def where_of(folder: Path) -> Where | None:
    """Return where the record of a folder lies that is shared; None: it is the folder's own. RecordError where that is lost."""
    path = folder / SHARED
    try:
        return msgspec.json.decode(read_plain(path), type=Where)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.MsgspecError) as fault:
        raise RecordError(f"{path}: {fault}; write it anew with companion hall join") from None


@contextlib.contextmanager
def connected(postgres: str) -> Iterator[psycopg.Connection[Any]]:
    """Open a database for one transaction. HallError where it is not reached, or does not take it."""
    try:
        import psycopg
    except ImportError:
        raise HallError("psycopg is missing; install table-companion[directors]") from None
    try:
        with psycopg.connect(
            postgres, connect_timeout=_CONNECT_S, application_name="table-companion"
        ) as made:
            yield made
    except psycopg.Error as fault:
        why = " ".join(str(fault).split())[:300]
        raise HallError(
            f"the shared record: {why}; nothing was changed: do it again, or companion hall repair goes on alone with the copy"
        ) from None


def tournaments_at(postgres: str) -> list[str]:
    """Return the ids of the tournaments in a database. HallError where it is not reached."""
    with connected(postgres) as held:
        _ensure(held)
        return [
            str(row[0]) for row in held.execute("SELECT DISTINCT tournament FROM hall_entries ORDER BY 1")
        ]


def _ensure(held: psycopg.Connection[Any]) -> None:
    made_once(held, "hall_entries", _TABLE)


def made_once(held: psycopg.Connection[Any], table: str, statements: Sequence[str]) -> None:
    """Make a table, and what goes with it, where it is missing; two who begin at the same time wait for each other."""
    held.execute("SELECT pg_advisory_xact_lock(hashtext('hall_entries'))")
    found = held.execute("SELECT to_regclass(%s)", (table,)).fetchone()
    if found is None or found[0] is None:
        for statement in statements:
            held.execute(statement)


class NewsOf(NamedTuple):
    """The connection on which a database tells that somebody has added, and how often it did."""

    held: Any
    heard: int


class SharedRecord:
    """The lines of one tournament in a database."""

    def __init__(self, where: Where) -> None:
        """Take where it lies; nothing is asked yet."""
        self._where = where
        self._news: NewsOf | None = None

    def rows(self) -> list[Row]:
        """Return all entries. HallError where they are not reached."""
        with connected(self._where.postgres) as held:
            _ensure(held)
            found = held.execute(
                "SELECT seq, line, digest FROM hall_entries WHERE tournament = %s ORDER BY seq",
                (self._where.tournament,),
            )
            return [(int(seq), bytes(line), bytes(digest)) for seq, line, digest in found]

    def add(self, rows: Sequence[Row]) -> None:
        """Add entries, all or none, and tell every director. HallError where somebody else has added meanwhile."""
        tournament = self._where.tournament
        with connected(self._where.postgres) as held:
            _ensure(held)
            held.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (tournament,))
            counted = held.execute(
                "SELECT count(*) FROM hall_entries WHERE tournament = %s", (tournament,)
            ).fetchone()
            count = 0 if counted is None else int(counted[0])
            if count != rows[0][0] - 1:
                raise HallError(
                    Say(
                        "somebody else has added entry {n} meanwhile; nothing was changed: do it again",
                        n=count,
                    )
                )
            for row in rows:
                held.execute("INSERT INTO hall_entries VALUES (%s, %s, %s, %s)", (tournament, *row))
            held.execute("SELECT pg_notify('hall_entries', %s)", (tournament,))

    def news(self) -> int:
        """Return a number that has changed once somebody has added; it asks nothing and waits for nothing.

        HallError where the database is not reached any more.
        """
        import psycopg

        try:
            if self._news is None:
                made = psycopg.connect(self._where.postgres, connect_timeout=_CONNECT_S, autocommit=True)
                self._news = NewsOf(made, 0)
                made.execute("LISTEN hall_entries")
            news = self._news
            heard = sum(one.payload == self._where.tournament for one in news.held.notifies(timeout=0))
        except psycopg.Error as fault:
            self.close()
            raise HallError(
                f"the shared record is not reached: {' '.join(str(fault).split())[:300]}"
            ) from None
        self._news = NewsOf(news.held, news.heard + heard)
        return self._news.heard

    def close(self) -> None:
        """Let the database go."""
        news, self._news = self._news, None
        if news is not None:
            news.held.close()
