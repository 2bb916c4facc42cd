"""The director's page over the link: live tiles, logs as they grow, and orders with an honest count."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hall_net import Net, now_ms, until

from companion.cli import main
from companion.hall import orders as od
from companion.hall.desk.logs import Enrolled
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.lives import DirectorLives, order_of
from companion.hall.desk.web.pages import table_page, wall
from companion.hall.desk.web.rounds import round_page
from companion.hall.desk.web.view import Playable
from companion.hall.errors import HallError
from companion.hall.messages import State, encode
from companion.hall.orders import Seat, legible
from companion.hall.record import code_of
from companion.hall.result import SignedResult, seat_of, written_result
from companion.hall.store import Store
from companion.hall.wire import Proof, Shown

HASH = "0" * 64


def lives_order(**fields: str) -> od.Any_:
    return order_of({"kind": "end", **fields})


def _state(**other: object) -> State:
    whole = {
        "game": "31", "branch": HASH, "seq": 3, "digest": HASH, "boot": "boot-1", "now": now_ms(), "round": 1, "run": "axis",
        "since": now_ms(), "limit": {"axis": 3_600_000, "allies": 3_600_000}, "phase": "Tactical <x>",
    }  # fmt: skip
    return State(**{**whole, **other})  # type: ignore[arg-type]


def test_the_page_lives_with_its_tables_and_counts_honestly(tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    (tmp_path / "p.csv").write_text("name\nAnna\nBen\nCarl\nDora\n", encoding="utf-8")
    for call in (("new", cup, "--name", "Cup"), ("import", cup, tmp_path / "p.csv"), ("pair", cup)):
        assert main(["hall", *map(str, call)]) == 0

    async def play() -> None:
        async with Net(tmp_path / "desk", ("1", "2"), is_real=False) as net:
            lives = DirectorLives(net.director, net.logs)
            desk = Desk(cup, lives, now_ms=now_ms, wall=lambda: datetime.now(UTC))
            one = net.boxes["1"]
            one.play(4)
            one.end.take(Shown(encode(_state(wants="rule")).decode()))
            await until(
                lambda: "1" in lives.live() and lives.live()["1"].state is not None and net.is_equal()
            )
            parts = wall(desk.view())
            assert parts.order[1] == "t1", "the table that calls comes first"
            assert "Call: rule" in parts.html["t1"]
            assert "Tactical &lt;x&gt;" in parts.html["t1"]
            assert parts.heard["t1"] > 0
            assert lives.log("1")[0] == "4  : end act"
            page = table_page(desk.view(), 1, "token", lives.log("1"), lives.sent())
            assert "Pause the clocks" in page
            assert "Adjourn the game" in page
            assert lives_order(side="Axis", reason="late") == od.End("axis", "late")
            assert lives_order(side="draw", reason="agreed") == od.End(None, "agreed")
            net.boxes["2"].play(1)
            await until(lambda: "2" in lives.live() and lives.live()["2"].is_up)
            told, _page = desk.act({"act": "order", "to": "all", "kind": "pause", "reason": "fire alarm"})
            assert "to every table" in str(told)
            await until(lambda: lives.sent()[0].done == 2)
            sent = lives.sent()[0]
            assert (sent.asked, sent.open, sent.refused) == (2, (), ())
            lives.on_result(desk.take_by_link)
            now, key = desk.now, one.key
            pairing = now.rounds[0].tables[0]
            _round, _table, seat = seat_of(code_of(now, 1, pairing))
            won = SignedResult(
                1, seat, 1, 1, b"1", b"", 4, "axis", "played", "", {"axis": 9, "allies": 3}, {}, (), b"d" * 32
            )
            text = written_result(won, key.public_key().public_bytes_raw(), key.sign)
            net.boxes["2"].end.take(Proof(text))
            await until(lambda: any("sends a result of table 1" in told for told in net.told))
            assert desk.now.rounds[0].results == {}, "a table never speaks for another"
            one.end.take(Proof(text.replace("A", "B", 1)))
            await until(lambda: any("changed since" in told for told in net.told))
            one.end.take(Proof(text))
            await until(lambda: 1 in desk.now.rounds[0].results)
            assert desk.now.rounds[0].reports[1][0].way == "link"
            entries = len(Store(cup).kept)
            assert str(desk.act({"act": "take", "text": text})[0]).endswith("the same as reported before.")
            assert len(Store(cup).kept) == entries + 1, "by code it is one more way, and the same result"
            net.fake.kill()
            await until(lambda: not lives.live()["1"].is_up)
            assert "The broker is not reached" in wall(desk.view()).html["sum"]
            desk.act({"act": "order", "to": "1", "kind": "message", "text": "Lunch <now>"})
            assert lives.sent()[0].open == ("1",)
            shown = round_page(desk.view(), "token", lives.sent())
            assert "no answer from table 1" in shown
            assert "Lunch &lt;now&gt;" in shown
            assert "lost" in wall(desk.view()).html["t1"] or "called" in wall(desk.view()).html["t1"]
            admitted: list[str] = []
            lives.admit = admitted.append
            stranger = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
            net.logs.put_table(Enrolled("7", "asks", "", stranger))
            box = legible(stranger)
            assert f"Table 7: {box}, let it in" in round_page(desk.view(), "token", (), lives.asking())
            with pytest.raises(HallError, match="or is another one"):
                desk.act({"act": "admit", "table": "7", "box": legible(b"o" * 32)})
            assert "is let in" in str(desk.act({"act": "admit", "table": "7", "box": box})[0])
            assert admitted == ["7"]
            for fields, why in (
                ({"to": "1", "kind": "message", "text": " "}, "has words"),
                (
                    {"to": "1", "kind": "add_time", "side": "axis", "seconds": "x", "reason": "r"},
                    "whole seconds",
                ),
                ({"to": "1", "kind": "add_time", "side": "axis", "seconds": "60"}, "with a reason"),
                ({"to": "1", "kind": "explode"}, "no such order"),
                ({"to": "1", "kind": "end", "side": "axis", "reason": " "}, "and a reason"),
                ({"to": "1", "kind": "end", "reason": "late"}, "who has won"),
                ({"to": "../1", "kind": "pause"}, "expected a table or all"),
            ):
                with pytest.raises(HallError, match=why):
                    desk.act({"act": "order", **fields})

    asyncio.run(play())


def test_a_round_is_seated_at_once_and_begun_together_and_what_was_refused_is_named(tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    (tmp_path / "p.csv").write_text("name\nAnna\nBen\nCarl\nDora\nEva\n", encoding="utf-8")
    for call in (("new", cup, "--name", "Cup"), ("import", cup, tmp_path / "p.csv"), ("pair", cup)):
        assert main(["hall", *map(str, call)]) == 0
    games = (Playable("sfw96", "italy", "The way to Rome", (("rapid_25_10", "Rapid"),)),)

    async def play() -> None:
        async with Net(tmp_path / "desk", ("1", "2"), is_real=False) as net:
            reading: asyncio.Future[list[Playable]] = asyncio.get_running_loop().create_future()
            lives = DirectorLives(net.director, net.logs, games=reading)
            assert lives.games == ()
            reading.set_result(list(games))
            desk = Desk(cup, lives, now_ms=now_ms, wall=lambda: datetime.now(UTC))
            await until(lambda: all(one in lives.live() and lives.live()[one].is_up for one in "12"))
            assert "Seat every table" in round_page(desk.view(), "token", (), (), games)
            seat = {"act": "seat", "round": "1", "game": "sfw96/italy", "control": "", "minutes": "22"}
            for fields, why in (
                ({"round": "2"}, "is of round 2"),
                ({"game": "sfw96/oz"}, "one of those shown"),
                ({"control": "blitz"}, "cannot be played with"),
                ({"minutes": "x"}, "1 to 600"),
            ):
                with pytest.raises(HallError, match=why):
                    desk.act({**seat, **fields})
            assert lives.sent() == ()
            assert "to 2 tables" in str(desk.act(seat)[0]), "a bye has no table"
            await until(lambda: lives.sent()[0].done == 2)
            sent = lives.sent()
            assert [(one.to, one.asked, one.open) for one in sent] == [("round", 2, ())], (
                "one row, not one a table"
            )
            for pairing in desk.now.rounds[0].tables[:2]:
                order = net.boxes[str(pairing.table)].orders[-1].what
                assert isinstance(order, Seat)
                assert pairing.second is not None
                assert order.names == {
                    "axis": desk.now.players[pairing.first].name,
                    "allies": desk.now.players[pairing.second].name,
                }
                assert (order.minutes, order.scenario) == (22, "italy")
                assert order.code.partition(".")[2] == code_of(desk.now, 1, pairing)
            assert str(sent[0].text) == "seat round 1: The way to Rome"
            begin = {"act": "order", "to": "all", "kind": "start", "round": "1"}
            assert "to every table" in str(desk.act(begin)[0])
            await until(lambda: lives.sent()[0].done == 2)
            net.boxes["1"].decline(1)
            await until(lambda: lives.sent()[1].done == 1)
            assert [str(one) for one in lives.sent()[1].refused] == [
                "table 1 says: Others sit at this table."
            ]

            sides = desk.now.rules.sides
            time = {"act": "order", "to": "1", "kind": "add_time", "side": "Allies", "seconds": "60"}
            told = str(desk.act({**time, "reason": "the box fell"})[0])
            assert told.endswith("add 60 s, Allies, to table 1."), "a side goes by its name, not by its id"
            await until(lambda: lives.sent()[0].done == 1)
            assert str(lives.sent(sides)[0].text) == "add 60 s, Allies"

            desk.act({"act": "order", "to": "2", "kind": "ask_log"})
            await until(lambda: isinstance(net.boxes["2"].orders[-1].what, od.AskLog))
            desk.act({"act": "order", "to": "2", "kind": "retire"})
            await until(lambda: net.logs.tables()["2"].state == "retired")
            assert net.logs.tables()["1"].state == "in"
            assert not net.office.may_say("2", "state"), "whoever calls as it now is not heard"

    asyncio.run(play())
