"""The record in a folder's own file and in a database that directors share: the same promises, held against both."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hall_postgres import Server

from companion import hall_command
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.port import NoLink
from companion.hall.errors import HallError
from companion.hall.happenings import Announced, Entered, Player, Rules, TournamentBegun
from companion.hall.shared import SHARED, Where, where_of
from companion.hall.store import COPY, FILE, Store
from companion.testing.waiting import until

AT = "2026-05-02T10:00:00+02:00"


@pytest.fixture(params=["own", pytest.param("shared", marks=pytest.mark.long)])
def make(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Callable[[str], tuple[Store, Callable[[], Store]]]:
    """Return what begins a record, and what opens it as another director does."""

    def begin(name: str) -> tuple[Store, Callable[[], Store]]:
        begun = TournamentBegun(f"{name}-{tmp_path.name}", "Cup", Rules(), "s")
        if request.param == "own":
            return Store.begin(tmp_path / name, begun, AT), lambda: Store(tmp_path / name)
        server: Server = request.getfixturevalue("server")
        made = Store.begin(tmp_path / name, begun, AT, server.where)
        others = iter(range(100))
        where = Where(server.where, begun.id)
        return made, lambda: Store.joined(tmp_path / f"{name}-{next(others)}", where)

    return begin


Make = Callable[[str], tuple[Store, Callable[[], Store]]]


def _player(n: int) -> Entered:
    return Entered(Player(n, f"P{n}"))


def test_what_one_adds_the_other_reads_line_for_line(make: Make) -> None:
    one, other = make("cup")
    one.add([_player(1), _player(2)], AT)
    found = other()
    assert [kept.line for kept in found.kept] == [kept.line for kept in one.kept]
    assert (found.tournament, found.check(), one.check()) == (one.tournament, "", "")
    lines = (found.folder / COPY).read_bytes().splitlines()
    assert lines == [kept.line for kept in one.kept], "each director has all of it as text"
    found.add([_player(3)], AT)
    assert [player.id for player in one.again().tournament.active] == [1, 2, 3]


def test_who_has_not_read_the_newest_adds_nothing(make: Make) -> None:
    one, other = make("cup")
    late = other()
    one.add([_player(1)], AT)
    with pytest.raises(HallError, match="somebody else has added entry 2 meanwhile; nothing was changed"):
        late.add([Announced("food")], AT)
    assert len(other().kept) == 2
    again = late.again()
    again.add([Announced("food")], AT)
    assert other().tournament.announcement == "food"


def test_of_many_who_add_at_once_each_entry_stands_once(make: Make) -> None:
    _one, other = make("cup")
    stores = [other() for _n in range(6)]

    def add(at: int) -> int:
        try:
            stores[at].add([_player(at + 1)], AT)
        except HallError:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        done = sum(pool.map(add, range(6)))
    found = other()
    assert done >= 1
    assert len(found.kept) == 1 + done
    assert found.check() == ""


def test_nothing_is_ever_changed_or_taken_away(make: Make) -> None:
    one, other = make("cup")
    one.add([_player(1)], AT)
    before = [kept.line for kept in one.kept]
    where = where_of(one.folder)
    for statement in ("UPDATE {} SET line = digest", "DELETE FROM {}"):
        if where is None:
            with (
                closing(sqlite3.connect(one.path)) as held,
                pytest.raises(sqlite3.DatabaseError, match="only grows"),
            ):
                held.execute(statement.format("entries"))
        else:
            import psycopg

            with pytest.raises(psycopg.Error, match="only grows"), psycopg.connect(where.postgres) as shared:
                shared.execute(statement.format("hall_entries"))  # type: ignore[arg-type]
    assert [kept.line for kept in other().kept] == before


def test_a_page_follows_what_another_director_adds(make: Make) -> None:
    one, other = make("cup")
    desk = Desk(one.folder, NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    assert not desk.reread()
    other().add([_player(7)], AT)
    assert desk.reread()
    assert 7 in desk.now.players
    assert not desk.reread()
    desk.act({"act": "enter", "name": "Eve"})
    assert [player.name for player in other().tournament.active] == ["P7", "Eve"]
    desk.close()


@pytest.mark.long
def test_a_database_that_dies_is_told_and_one_director_goes_on_alone(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`hall new --postgres`, `hall join`, the database killed amid it, back again, and lost for good."""

    def hall(*args: object) -> int:
        return hall_command.main([str(one) for one in args])

    a, b = tmp_path / "a", tmp_path / "b"
    assert hall("new", a, "--name", "Cup", "--postgres", server.where) == 0
    found = where_of(a)
    assert found is not None
    assert hall("join", b, "--postgres", server.where, "--tournament", found.tournament) == 0
    assert (b / SHARED).stat().st_mode & 0o077 == 0, "it may hold a password"
    assert hall("add", a, "Anna") == 0
    assert hall("add", b, "Ben") == 0
    desk = Desk(a, NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    server.kill()
    until(desk.reread, 10)
    assert "shared record" in str(desk.fault)
    assert len(desk.now.players) == 2, "what was read last is still shown"
    capsys.readouterr()
    assert hall("add", b, "Carl") == 1
    assert "nothing was changed" in capsys.readouterr().err
    server.start()
    assert hall("add", b, "Carl") == 0
    until(desk.reread, 10)
    assert (desk.fault, len(desk.now.players)) == (None, 3)
    desk.close()
    server.kill()
    assert hall("repair", b) == 3
    assert hall("add", b, "Dora") == 0
    assert ((b / FILE).exists(), (b / SHARED).exists()) == (True, False)
    assert len(Store(b).tournament.players) == 4
    server.start()


def test_where_a_shared_record_lies_is_read_strictly(tmp_path: Path) -> None:
    for data in (
        b"",
        b"{}",
        b'{"postgres":"x","tournament":1}',
        b'{"postgres":"x","tournament":"t","more":1}',
        b"\xff",
    ):
        (tmp_path / SHARED).write_bytes(data)
        with pytest.raises(HallError, match=r"shared\.json.*write it anew with companion hall join"):
            Store(tmp_path)


def test_without_a_server_nothing_is_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("psycopg")
    where: Any = f"host={tmp_path} user=hall dbname=none"
    assert hall_command.main(["new", str(tmp_path / "cup"), "--name", "X", "--postgres", where]) == 1
    assert "the shared record" in capsys.readouterr().err
    assert not (tmp_path / "cup").exists()
