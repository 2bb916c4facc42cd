"""What directors who share a record know of each other's tables: logs, orders, answers and clocks, over the same database.

Each desk whose tables report to it appends what its file gains to a list of its own, and says how its tables stand. Every director
reads the lists of the others into files of his own, so a laptop that dies takes no log with it. Whoever wishes something of a table of
another desk asks that desk, which alone signs orders and gives each its number; what is asked for is given once, whatever dies. No
table waits for any of it: what cannot be told now is told later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from companion.core.text import Say
from companion.hall.desk.intake import Entry
from companion.hall.desk.logs import Enrolled, Logs
from companion.hall.errors import HallError
from companion.hall.shared import Where, connected, made_once
from companion.hall.wall import Live

if TYPE_CHECKING:
    import psycopg

__all__ = ["OTHERS", "Asked", "Other", "Sharing"]

OTHERS = "others"
"""In a director's folder: what the desks of others have told."""
_MOST = 2_000
"""Rows of one transaction."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS hall_told (tournament text NOT NULL, desk text NOT NULL, at bigserial, "
    "what bytea NOT NULL, PRIMARY KEY (tournament, desk, at))",
    "CREATE TABLE IF NOT EXISTS hall_live (tournament text NOT NULL, desk text NOT NULL, what bytea NOT NULL, "
    "at timestamptz NOT NULL, PRIMARY KEY (tournament, desk))",
    "CREATE TABLE IF NOT EXISTS hall_asked (id bigserial PRIMARY KEY, tournament text NOT NULL, desk text NOT NULL, "
    "each bytea NOT NULL, at timestamptz NOT NULL, is_taken boolean NOT NULL DEFAULT false)",
)


class _Told(msgspec.Struct, frozen=True, tag=True):
    """Something that a desk's file has gained."""


class _Line(_Told, frozen=True):
    table: str
    game: str
    branch: str
    seq: int
    digest: str
    before: str
    line: bytes


class _Order(_Told, frozen=True):
    n: int
    to: str
    what: bytes
    issued: int
    until: int | None


class _Answer(_Told, frozen=True):
    n: int
    table: str
    code: str
    said: str
    at: int


class _Table(_Told, frozen=True):
    table: str
    state: str
    key: bytes


_Any = _Line | _Order | _Answer | _Table


class _Lives(msgspec.Struct, frozen=True):
    """How a desk's tables stand."""

    now: int
    """Its clock."""
    live: dict[str, Live]


class Asked(NamedTuple):
    """Orders that another director asks of this desk, all or none."""

    id: int
    each: tuple[tuple[str, bytes], ...]
    age_ms: int


class Other(NamedTuple):
    """Another desk: its file as it was told, and how its tables stand by our own clock."""

    logs: Logs
    live: Mapping[str, Live]
    age_ms: int


class Sharing:
    """One director's part in it. `step` is called from one thread at a time, and waits for the database."""

    def __init__(self, where: Where, folder: Path, desk: str, own: Path | None) -> None:
        """Take where the record lies, the director's folder, and the name and the folder of his own desk where tables report to it."""
        self._where, self._others, self._desk, self._own_folder = where, folder / OTHERS, desk, own
        self._own: Logs | None = None
        self._logs: dict[str, Logs] = {}
        self._read: dict[str, int] = {}
        self._kept: dict[tuple[str, ...], object] = {}
        self._is_made = False
        self.others: dict[str, Other] = {}
        """Every other desk by its name, as of the last step."""

    def step(self, now_ms: Callable[[], int], live: Mapping[str, Live]) -> list[Asked]:
        """Tell what is new here, read what is new elsewhere, and return what is asked of this desk. HallError: not reached."""
        with connected(self._where.postgres) as held:
            self._make(held)
            if self._own_folder is not None:
                if self._own is None:
                    self._own = Logs(self._own_folder)
                self._tell(held, self._own)
                what = msgspec.json.encode(_Lives(now_ms(), dict(live)))
                held.execute(
                    "INSERT INTO hall_live VALUES (%s, %s, %s, clock_timestamp()) ON CONFLICT (tournament, desk) "
                    "DO UPDATE SET what = EXCLUDED.what, at = EXCLUDED.at",
                    (self._where.tournament, self._desk, what),
                )
                held.commit()
            self._hear(held, now_ms)
            return self._asked(held)

    def _make(self, held: psycopg.Connection[Any]) -> None:
        if not self._is_made:
            made_once(held, "hall_asked", _TABLES)
            held.commit()
            self._is_made = True

    # Our own tables

    def _tell(self, held: psycopg.Connection[Any], own: Logs) -> None:
        """Append what our file has gained; what was appended already, before a kill, is told twice and changes nothing."""
        for some in _cut(self._news(own)):
            rows = [
                (self._where.tournament, self._desk, msgspec.msgpack.encode(one)) for one, _key, _was in some
            ]
            with held.cursor() as cursor:
                cursor.executemany("INSERT INTO hall_told (tournament, desk, what) VALUES (%s, %s, %s)", rows)
            held.commit()
            tips = {}
            for one, key, value in some:
                self._kept[key] = value
                if isinstance(one, _Line):
                    tips[f"told:{one.table}:{one.game}:{one.branch}"] = one.digest
            own.set_facts(tips)

    def _news(self, own: Logs) -> Iterable[tuple[_Any, tuple[str, ...], object]]:
        """Return what is not told yet, each with its key and what is kept of it."""
        for branch in own.branches():
            key = ("line", branch.table, branch.game, branch.branch)
            told = self._kept.get(key) or own.fact(f"told:{branch.table}:{branch.game}:{branch.branch}")
            if told != branch.digest:
                for digest, before, seq, line in own.after(branch, str(told)):
                    row = _Line(branch.table, branch.game, branch.branch, seq, digest, before, line)
                    yield row, key, digest
        for n, to, what, issued, until in own.orders():
            if ("order", str(n)) not in self._kept:
                yield _Order(n, to, what, issued, until), ("order", str(n)), True
        for (n, table), (code, said, at) in own.answers().items():
            if self._kept.get(("answer", str(n), table)) != code:
                yield _Answer(n, table, code, said, at), ("answer", str(n), table), code
        for one in own.tables().values():
            if self._kept.get(("table", one.table)) != (one.state, one.key):
                yield _Table(one.table, one.state, one.key), ("table", one.table), (one.state, one.key)

    # Tables of others

    def _hear(self, held: psycopg.Connection[Any], now_ms: Callable[[], int]) -> None:
        found = held.execute(
            "SELECT desk, what, extract(epoch FROM clock_timestamp() - at) FROM hall_live "
            "WHERE tournament = %s AND desk <> %s",
            (self._where.tournament, self._desk),
        ).fetchall()
        now = now_ms()
        for desk, what, age_s in found:
            logs = self._logs_of(desk)
            while self._hear_some(held, desk, logs):
                pass
            age = max(0, round(float(age_s) * 1000))
            try:
                lives = msgspec.json.decode(bytes(what), type=_Lives)
            except (msgspec.MsgspecError, RecursionError) as fault:
                raise HallError(f"the shared record: desk {desk}, tables: {fault}") from None
            shift = now - age - lives.now
            self.others[desk] = Other(
                logs, {table: _moved(one, shift) for table, one in lives.live.items()}, age
            )

    def _logs_of(self, desk: str) -> Logs:
        if desk not in self._logs:
            if not (desk.isascii() and desk.isalnum() and len(desk) <= 32):
                raise HallError(f"the shared record: {desk[:40]!r} is no desk's name")
            self._logs[desk] = Logs(self._others / desk)
            self._read[desk] = int(self._logs[desk].fact("read") or 0)
        return self._logs[desk]

    def _hear_some(self, held: psycopg.Connection[Any], desk: str, logs: Logs) -> bool:
        """Take rows of another desk; return whether there may be more."""
        rows = held.execute(
            "SELECT at, what FROM hall_told WHERE tournament = %s AND desk = %s AND at > %s ORDER BY at LIMIT %s",
            (self._where.tournament, desk, self._read[desk], _MOST),
        ).fetchall()
        lines: list[tuple[str, Entry]] = []
        for at, what in rows:
            try:
                one = msgspec.msgpack.decode(bytes(what), type=_Any)
            except (msgspec.MsgspecError, RecursionError) as fault:
                raise HallError(f"the shared record: desk {desk}, row {at}: {fault}") from None
            match one:
                case _Line():
                    entry = Entry(one.game, one.branch, one.seq, one.digest, one.before, one.line)
                    lines.append((one.table, entry))
                case _Order():
                    logs.take_order(one.n, one.to, one.what, one.issued, one.until)
                case _Answer():
                    logs.answer(one.n, one.table, one.code, one.said, one.at)
                case _Table():
                    logs.put_table(Enrolled(one.table, one.state, "", one.key))
        if lines:
            logs.add(lines)
        if rows:
            self._read[desk] = int(rows[-1][0])
            logs.set_fact("read", str(self._read[desk]))
        return len(rows) == _MOST

    # Wishes

    def _asked(self, held: psycopg.Connection[Any]) -> list[Asked]:
        """Note what has become of what was asked, and return what is still to be given."""
        if self._own is None:
            return []
        rows = held.execute(
            "SELECT id, each, extract(epoch FROM clock_timestamp() - at) FROM hall_asked "
            "WHERE tournament = %s AND desk = %s AND NOT is_taken ORDER BY id",
            (self._where.tournament, self._desk),
        ).fetchall()
        found = []
        for id_, each, age_s in rows:
            if self._own.fact(f"asked:{id_}"):
                held.execute("UPDATE hall_asked SET is_taken = true WHERE id = %s", (id_,))
                continue
            orders = msgspec.msgpack.decode(bytes(each), type=tuple[tuple[str, bytes], ...])
            found.append(Asked(int(id_), orders, max(0, round(float(age_s) * 1000))))
        return found

    def ask(self, desk: str, each: Sequence[tuple[str, bytes]]) -> None:
        """Ask another desk for orders. HallError where nobody was asked."""
        if desk not in self.others:
            raise HallError(Say("no table is reached from here; go there"))
        with connected(self._where.postgres) as held:
            self._make(held)
            held.execute(
                "INSERT INTO hall_asked (tournament, desk, each, at) VALUES (%s, %s, %s, clock_timestamp())",
                (self._where.tournament, desk, msgspec.msgpack.encode(tuple(each))),
            )

    def close(self) -> None:
        """Let every file go."""
        for one in (*self._logs.values(), *((self._own,) if self._own is not None else ())):
            one.close()


def _moved(one: Live, shift: int) -> Live:
    """Return how a table stands by a clock that is so much ahead of the one by which it was told."""
    ahead = None if one.offset_ms is None else one.offset_ms - shift
    return one._replace(heard_ms=one.heard_ms + shift, state_ms=one.state_ms + shift, offset_ms=ahead)


def _cut(
    news: Iterable[tuple[_Any, tuple[str, ...], object]],
) -> Iterable[list[tuple[_Any, tuple[str, ...], object]]]:
    some = []
    for one in news:
        some.append(one)
        if len(some) == _MOST:
            yield some
            some = []
    if some:
        yield some
