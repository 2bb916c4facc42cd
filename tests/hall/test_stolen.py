"""Somebody has a table's password and its address, but not its box: what he can do against a real broker, and what he cannot."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hall_net import HALL, Net, needs_mosquitto, now_ms, until

from companion.hall import orders as od
from companion.hall.desk.enrol import Asking
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.lives import DirectorLives
from companion.hall.happenings import Entered, Paired, Pairing, Player, Rules, TournamentBegun
from companion.hall.messages import Ack, Did, Have, LogPart, Standing, State, encode
from companion.hall.record import code_of
from companion.hall.result import SignedResult, seat_of, written_result
from companion.hall.store import Store
from companion.hall.wire import Proof

pytestmark = [pytest.mark.long, needs_mosquitto]
HASH = "0" * 64


def _is_acked(heard: list[tuple[str, bytes]]) -> bool:
    return any(topic.endswith("/ack") for topic, _data in heard)


def _is_ordered(heard: list[tuple[str, bytes]]) -> bool:
    return any("/order/" in topic for topic, _data in heard)


def _is_held(net: Net, line: str) -> bool:
    return any(line.encode() in net.logs.course(one) for one in net.logs.branches("1"))


class Thief:
    """Calls as table 1, without its box and its key. Unless he is to fight for its name, the box is away meanwhile."""

    def __init__(self, net: Net, *, fights: bool = False) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self._net, self._fights = net, fights

    async def __aenter__(self) -> Thief:
        if not self._fights:
            await _ended(self._net._tasks[0])
        topics = (f"tc/1/{HALL}/d/1/#", f"tc/1/{HALL}/d/all/#", f"tc/1/{HALL}/t/#")
        self.link = self._net.link("1", topics)
        self._task = asyncio.create_task(
            self.link.run(lambda said: self.heard.append((said.topic, said.data)), lambda *_: None)
        )
        await until(lambda: self.link.is_up)
        return self

    async def __aexit__(self, *_fault: object) -> None:
        await _ended(self._task)
        if not self._fights:
            self._net._tasks[0] = asyncio.create_task(self._net.boxes["1"].end.run())

    async def say(self, what: str, data: bytes, *, is_retained: bool = False) -> None:
        assert await self.link.publish(f"tc/1/{HALL}/t/1/{what}", data, is_retained=is_retained)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _robbed(tmp_path: Path, play: Callable[[Net], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with Net(tmp_path / "desk", ("1", "2"), is_real=True) as net:
            await until(
                lambda: all(net.director.seen.get(t) and net.director.seen[t].is_up for t in ("1", "2"))
            )
            await play(net)

    asyncio.run(run())


def test_what_is_left_at_the_broker_is_bounded_whatever_a_table_says(tmp_path: Path) -> None:
    """Each table has a few places to leave a message at; at others nothing stays, or memory would be anybody's."""

    async def play(net: Net) -> None:
        net.boxes["1"].play(1)
        await until(net.is_equal)
        async with Thief(net) as thief:
            for n in range(300):
                await thief.say(f"x{n}", b"x" * 60_000, is_retained=True)
                await thief.say(f"log/{n}", b"x" * 60_000, is_retained=True)
        assert net.broker is not None
        status = Path(f"/proc/{net.broker.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+)", status)
        assert found is not None
        assert int(found[1]) < 20_000, "36 MB were said"
        left: list[str] = []
        director = net.link("director", (f"tc/1/{HALL}/#",))
        net.stop_director()
        watching = asyncio.create_task(director.run(lambda said: left.append(said.topic), lambda *_: None))
        await until(lambda: f"tc/1/{HALL}/d/all/up" in left)
        watching.cancel()
        assert not [topic for topic in left if "/x" in topic or "/log/" in topic]

    _robbed(tmp_path, play)


def test_forged_entries_stand_beside_what_was_played_and_all_of_it_comes_through(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        box = net.boxes["1"]
        box.play(5)
        await until(net.is_equal)
        line = '{"command":"EndGame","forged":true}'
        for _round in range(3):
            async with Thief(net) as thief:
                await until(partial(_is_acked, thief.heard))
                said = next(data for topic, data in reversed(thief.heard) if topic.endswith("/ack"))
                ack = msgspec.json.decode(said, type=Ack)
                forged = LogPart(
                    game=ack.game, branch=ack.branch, seq=ack.seq + 1, before=ack.digest, line=line
                )
                await thief.say("log", encode(forged))
                await until(partial(_is_held, net, line))
            box.play(4)
            await until(net.is_equal)
        # Jumps, doubles and strangers' numbers change nothing.
        first = net.logs.branches("1")[0]
        async with Thief(net) as thief:
            for seq in (1 << 39, first.seq + 60, first.seq + 61, 1):
                part = LogPart(
                    game=first.game, branch=first.branch, seq=seq, before=HASH, line='{"command":"x"}'
                )
                for _n in range(20):
                    await thief.say("log", encode(part))
            await thief.say("have", encode(Have(games=(Standing(first.game, first.branch, 1 << 30, HASH),))))
        net.boxes["2"].play(3)
        box.play(3)
        await until(net.is_equal)
        assert any("seq: expected at most" in one for one in net.told)

    _robbed(tmp_path, play)


def test_results_orders_and_keys_are_the_boxs_own(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        begun = TournamentBegun("ab" * 16, "Cup", Rules(), "s")
        store = Store.begin(tmp_path / "cup", begun, "now")
        players = [Entered(Player(n, f"P{n}")) for n in (1, 2, 3, 4)]
        store.add([*players, Paired(1, "swiss", (Pairing(1, 1, 2), Pairing(2, 3, 4)))], "now")
        lives = DirectorLives(net.director, net.logs)
        desk = Desk(tmp_path / "cup", lives, now_ms=now_ms, wall=lambda: datetime.now(UTC))
        lives.on_result(desk.take_by_link)
        own = Ed25519PrivateKey.generate()

        def result(key: Ed25519PrivateKey, winner: str = "allies") -> str:
            _round, _table, seat = seat_of(code_of(desk.now, 1, desk.now.rounds[0].tables[0]))
            won = SignedResult(
                1, seat, 1, 1, b"1", b"", 4, winner, "played", "", {"axis": 3, "allies": 9}, {}, (), b"d" * 32
            )
            return written_result(won, key.public_key().public_bytes_raw(), key.sign)

        async with Thief(net) as thief:
            await thief.say("up", b"1", is_retained=True)
            await thief.say("result", result(own).encode(), is_retained=True)
            await until(lambda: any("is unknown here" in one for one in net.told))
            n = net.director.order("1", od.Message("Lunch"))
            await thief.say("did", encode(Did(n=n, code="done", at=1)))
            await thief.say("did", encode(od.did_signed(Did(n=n, code="done", at=1), own, HALL, "1")))
            await until(lambda: any("expected this box's signature" in one for one in net.told))
            asking = Asking(_base64(own.public_key().public_bytes_raw()), "p" * 40)
            await thief.say("enrol", msgspec.json.encode(asking))
            await until(lambda: any(one.startswith("ALARM: a second box") for one in net.told))
            await until(partial(_is_ordered, thief.heard))
            order = next(data for topic, data in thief.heard if "/order/" in topic)
        assert desk.now.rounds[0].reports == {}
        assert b"Lunch" in order
        # What the box itself has signed counts once, however often and by whomever it is said again.
        box = net.boxes["1"]
        await until(lambda: (n, "1") in net.logs.answers())
        box.end.take(Proof(result(box.key)))
        await until(lambda: 1 in desk.now.rounds[0].results)
        before, entries = desk.now.rounds, len(Store(tmp_path / "cup").kept)
        async with Thief(net) as thief:
            for _n in range(30):
                await thief.say("result", result(box.key).encode(), is_retained=True)
            await thief.say("result", result(Ed25519PrivateKey.generate(), "axis").encode())
            await until(lambda: sum("is unknown here" in one for one in net.told) > 1)
        assert desk.now.rounds == before
        assert len(Store(tmp_path / "cup").kept) == entries
        assert [one.n for one in box.orders] == [n]
        desk.close()

    _robbed(tmp_path, play)


def test_two_devices_with_one_password_are_told_and_hinder_no_other_table(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        assert net.broker is not None
        went: list[str] = []
        net.director.subscribe(lambda t: went.append(t) if not net.director.seen[t].is_up else None)
        net.boxes["2"].play(1)
        for _n in range(8):
            async with Thief(net, fights=True):
                net.boxes["2"].play(1)
            await until(lambda: net.director.seen["1"].is_up)
        await until(lambda: net.boxes["2"].book.waiting() == 0)
        assert "2" not in went
        told: list[str] = []
        await until(lambda: told.extend(net.broker.refused()) or told)  # type: ignore[func-returns-value,union-attr]
        assert "table 1" in told[0]
        assert "two devices" in told[0]
        assert net.broker.refused() == [], "once"
        net.boxes["1"].play(3)
        await until(net.is_equal)

    _robbed(tmp_path, play)


def test_lies_about_a_table_end_with_the_boxs_next_word(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        from companion.hall.wire import Shown

        lie = State(
            game="31", branch=HASH, seq=9, digest=HASH, boot="b", now=1, title="a lie", flag=("axis",)
        )
        async with Thief(net) as thief:
            await thief.say("state", encode(lie), is_retained=True)
            await thief.say("up", b"0", is_retained=True)
            await thief.say("state", json.dumps({"v": 1, "game": "31"}).encode())
            await until(lambda: net.director.seen["1"].state is not None)
        truth = State(game="31", branch=HASH, seq=9, digest=HASH, boot="b", now=1, title="the truth")
        net.boxes["1"].end.take(Shown(encode(truth).decode()))
        await until(lambda: net.director.seen["1"].state.title == "the truth")  # type: ignore[union-attr]
        await until(lambda: net.director.seen["1"].is_up)

    _robbed(tmp_path, play)


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()
