"""Two directors at one record, one of them with the tables: the other sees their logs and clocks, and what he orders is done once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hall_net import HALL, Net, now_ms, until
from hall_postgres import Server
from test_desk_link import _state

from companion.cli import main
from companion.hall import orders as od
from companion.hall.desk.sharing import Asked, Sharing
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.lives import DirectorLives
from companion.hall.desk.web.pages import table_page
from companion.hall.desk.web.port import NoLink
from companion.hall.desk.web.shared_lives import SharedLives
from companion.hall.errors import HallError
from companion.hall.happenings import Entered, Paired, Pairing, Player, Rules, TournamentBegun
from companion.hall.messages import encode
from companion.hall.shared import Where, connected
from companion.hall.store import Store
from companion.hall.wall import clock_of
from companion.hall.wire import Shown

pytestmark = pytest.mark.long


class Pair:
    """The desk with the tables, and another director without any, over one database."""

    def __init__(self, net: Net, where: Where, folder: Path) -> None:
        self.net, self._where, self._folder = net, where, folder
        self.own = DirectorLives(net.director, net.logs)
        self.mine = self.open("mine", HALL)
        self.theirs = self.open("theirs", "")
        self.other = SharedLives(NoLink(), self.theirs, lambda: now_ms() + 5_000_000)

    def open(self, name: str, desk: str) -> Sharing:
        return Sharing(self._where, self._folder / name, desk, self.net.folder if desk else None)

    def step(self) -> list[Asked]:
        """Tell and read once, on both sides."""
        asked = self.mine.step(now_ms, self.own.live())
        self.theirs.step(lambda: now_ms() + 5_000_000, {})
        return asked

    def give(self, asked: list[Asked]) -> None:
        SharedLives(self.own, self.mine, now_ms, self.net.director)._give(asked)

    def close(self) -> None:
        self.mine.close()
        self.theirs.close()


def test_the_other_director_sees_all_and_what_he_orders_is_done_once(tmp_path: Path, server: Server) -> None:
    async def play() -> None:
        async with Net(tmp_path / "desk", ("1", "2"), is_real=False) as net:
            pair = Pair(net, Where(server.where, "cup-of-two"), tmp_path)
            one, two = net.boxes["1"], net.boxes["2"]
            one.play(7)
            two.play(3)
            one.end.take(Shown(encode(_state(wants="rule")).decode()))
            await until(lambda: net.is_equal() and "1" in pair.own.live() and pair.own.live()["1"].state)
            pair.step()
            held = pair.theirs.others[HALL].logs
            assert {b.table: held.course(b) for b in held.branches()} == {"1": one.lines, "2": two.lines}
            # What is the same clock stands the same, though the other director's own is far ahead.
            seen = pair.other.live()["1"]
            mine = clock_of(pair.own.live()["1"], "axis", now_ms())
            his = clock_of(seen, "axis", now_ms() + 5_000_000)
            assert mine is not None
            assert his is not None
            assert abs(mine.left_ms - his.left_ms) < 1_000
            assert pair.other.log("2") == pair.own.log("2")
            assert pair.other.why_not == ""
            # A wish of his: the desk with the tables gives it, once, however often it hears of it and whatever dies.
            assert "asked" in str(pair.other.order("1", {"kind": "pause", "reason": "fire"}))
            asked = pair.step()
            assert [one.each[0][0] for one in asked] == ["1"]
            pair.give(asked)
            pair.give(asked)
            again = pair.open("mine", HALL)  # as after a kill before the database was told
            assert again.step(now_ms, pair.own.live()) == []
            again.close()
            assert pair.step() == []
            await until(net.logs.answers)
            assert [order.what for order in one.orders] == [od.Pause("fire")]
            assert two.orders == []
            pair.step()
            (sent,) = pair.other.sent()
            assert (sent.to, sent.done, sent.asked, sent.refused) == ("1", 1, 1, ())
            # What the desk orders by itself is seen as well, and entries that come later.
            net.director.order("all", od.Message("Lunch"))
            two.play(4)
            await until(lambda: net.is_equal() and len(net.logs.answers()) == 3)
            pair.step()
            assert pair.other.sent()[0].done == 2
            assert pair.other.log("2")[0].startswith("7 ")
            with pytest.raises(HallError, match="no table is reached"):
                pair.other.order("9", {"kind": "pause"})
            with pytest.raises(HallError, match="no such order"):
                pair.other.order("1", {"kind": "explode"})
            pair.close()

    asyncio.run(play())


def test_a_database_that_dies_keeps_nothing_from_the_tables_and_all_is_told_later(
    tmp_path: Path, server: Server
) -> None:
    async def play() -> None:
        async with Net(tmp_path / "desk", ("1",), is_real=False) as net:
            pair = Pair(net, Where(server.where, "cup-that-dies"), tmp_path)
            box = net.boxes["1"]
            box.play(2)
            await until(net.is_equal)
            pair.step()
            server.kill()
            box.play(5)
            await until(net.is_equal)
            with pytest.raises(HallError, match="the shared record"):
                pair.step()
            with pytest.raises(HallError, match="the shared record"):
                pair.other.order("1", {"kind": "resume"})
            server.start()
            pair.step()
            held = pair.theirs.others[HALL].logs
            assert [held.course(one) for one in held.branches()] == [box.lines]
            pair.close()
            # Both begin anew with what is in their files: nothing is lost, nothing is there twice.
            pair = Pair(net, Where(server.where, "cup-that-dies"), tmp_path)
            box.play(1)
            await until(net.is_equal)
            pair.step()
            held = pair.theirs.others[HALL].logs
            assert [held.course(one) for one in held.branches()] == [box.lines]
            assert held.count() == len(box.lines)
            pair.close()

    asyncio.run(play())


def test_an_order_to_stop_that_was_asked_too_long_ago_is_not_given(tmp_path: Path, server: Server) -> None:
    async def play() -> None:
        async with Net(tmp_path / "desk", ("1",), is_real=False) as net:
            pair = Pair(net, Where(server.where, "cup-late"), tmp_path)
            net.boxes["1"].play(1)
            await until(lambda: net.is_equal() and "1" in pair.own.live())
            pair.step()
            what = msgspec.json.encode(od.Pause(""))
            pair.give([Asked(7, (("1", what),), od.LATE_MS + 60_000)])
            ((_n, _to, _what, _issued, until_ms),) = net.logs.orders()
            assert until_ms is not None
            assert until_ms < net.director.now_ms(), "it is not sent any more"
            pair.close()

    asyncio.run(play())


def test_what_cannot_be_read_of_another_desk_is_told_and_nothing_is_half_taken(
    tmp_path: Path, server: Server
) -> None:
    where = Where(server.where, "cup-strange")
    sharing = Sharing(where, tmp_path, "", None)
    sharing.step(now_ms, {})
    with connected(server.where) as held:
        held.execute("INSERT INTO hall_live VALUES ('cup-strange', '../../x', '{}', clock_timestamp())")
    with pytest.raises(HallError, match="is no desk's name"):
        sharing.step(now_ms, {})
    assert not list(tmp_path.rglob("x"))
    with connected(server.where) as held:
        held.execute("DELETE FROM hall_live WHERE tournament = 'cup-strange'")
        held.execute("INSERT INTO hall_live VALUES ('cup-strange', 'abc', '{}', clock_timestamp())")
        held.execute("INSERT INTO hall_told (tournament, desk, what) VALUES ('cup-strange', 'abc', 'x')")
    with pytest.raises(HallError, match="desk abc, row"):
        sharing.step(now_ms, {})
    sharing.close()


def test_a_page_of_the_other_director_shows_a_tables_log_and_its_orders(
    tmp_path: Path, server: Server
) -> None:
    async def play() -> None:
        begun = TournamentBegun("cup-page", "Cup", Rules(), "s")
        store = Store.begin(tmp_path / "theirs", begun, "now", server.where)
        players = [Entered(Player(n, f"P{n}")) for n in (1, 2)]
        store.add([*players, Paired(1, "swiss", (Pairing(1, 1, 2),))], "now")
        async with Net(tmp_path / "desk", ("1",), is_real=False) as net:
            pair = Pair(net, Where(server.where, begun.id), tmp_path)
            net.boxes["1"].play(4)
            net.boxes["1"].end.take(Shown(encode(_state()).decode()))
            await until(lambda: net.is_equal() and "1" in pair.own.live() and pair.own.live()["1"].state)
            pair.step()
            desk = Desk(tmp_path / "theirs", pair.other, now_ms=now_ms, wall=lambda: datetime.now(UTC))
            desk.act({"act": "order", "to": "1", "kind": "message", "text": "Lunch"})
            pair.give(pair.step())
            await until(net.logs.answers)
            pair.step()
            page = table_page(desk.view(), 1, "t", pair.other.log("1"), pair.other.sent())
            assert "4  : end act" in page
            assert "message: Lunch" in page
            assert "1 of 1" in page
            desk.close()
            pair.close()
            lines = net.boxes["1"].lines
        # The laptop with the tables is gone; what they played is with the other one, to go on at spare boxes.
        assert main(["hall", "check", str(tmp_path / "theirs"), "--out", str(tmp_path / "spare")]) == 0
        (made,) = (tmp_path / "spare").iterdir()
        assert made.read_bytes().splitlines()[1:] == lines

    asyncio.run(play())
