"""One contract for every way to the hall: over the broker in memory, and over a real mosquitto with TLS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hall_net import HALL, Net, needs_mosquitto, until

from companion.hall import orders as od
from companion.hall.messages import Ack, State, encode
from companion.hall.wire import Shown

REAL = pytest.param("mosquitto", marks=needs_mosquitto)
REAL_IN_THE_LONG_RUN = pytest.param("mosquitto", marks=[needs_mosquitto, pytest.mark.long])
BROKERS = ("in memory", REAL_IN_THE_LONG_RUN)
Play = Callable[[Net], Coroutine[Any, Any, None]]


def _in_a_hall(
    folder: Path, broker: str, play: Play, tables: tuple[str, ...] = ("1", "2"), *, pace: int = 1
) -> None:
    async def run() -> None:
        async with Net(folder, tables, is_real=broker == "mosquitto", pace=pace) as net:
            await play(net)

    asyncio.run(run())


@pytest.mark.parametrize("broker", ["in memory", REAL])
def test_what_is_played_is_at_the_hall_whatever_dies(tmp_path: Path, broker: str) -> None:
    async def play(net: Net) -> None:
        for box in net.boxes.values():
            box.play(60)
        await until(net.is_equal)
        net.kill_broker()
        for box in net.boxes.values():
            box.play(30)
        await asyncio.sleep(0.1)
        net.start_broker()
        for box in net.boxes.values():
            box.play(5)
        await until(net.is_equal)
        net.stop_director()
        for box in net.boxes.values():
            box.play(20)
        net.start_director()
        await until(net.is_equal)
        assert net.logs.count() == 230, "nothing is held twice"

    _in_a_hall(tmp_path, broker, play)


def test_a_table_whose_answers_were_thrown_away_asks_again(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        net.fake.slow = set(net.boxes)
        for box in net.boxes.values():
            box.play(20)
        await until(lambda: net.fake.thrown_away >= len(net.boxes))
        assert not net.logs.count()
        net.fake.slow = set()
        await until(net.is_equal)

    _in_a_hall(tmp_path, "in memory", play, pace=20)


@pytest.mark.parametrize("broker", BROKERS)
def test_the_director_sees_who_comes_and_goes_and_newcomers_see_all_at_once(
    tmp_path: Path, broker: str
) -> None:
    async def play(net: Net) -> None:
        director = net.director
        await until(lambda: all(director.seen.get(t) and director.seen[t].is_up for t in ("1", "2")))
        digest = "0" * 64
        state = State(game="00", branch=digest, seq=1, digest=digest, boot="b", now=5, names={"axis": "Ben"})
        net.boxes["1"].end.take(Shown(encode(state).decode()))
        await until(lambda: director.seen["1"].state == state)
        await until(lambda: director.seen["1"].offset(0) is not None)
        found = director.seen["1"].offset(director.now_ms())
        assert found is not None
        assert abs(found[0]) <= found[1], "both clocks are one here, so the true offset is 0"
        net.stop_director()
        net.start_director()
        again = net.director
        await until(lambda: "1" in again.seen and again.seen["1"].state == state)

    _in_a_hall(tmp_path, broker, play)


@pytest.mark.long
@pytest.mark.parametrize("broker", BROKERS)
def test_an_order_is_done_once_however_often_it_comes_and_whatever_dies(tmp_path: Path, broker: str) -> None:
    async def play(net: Net) -> None:
        await until(lambda: len(net.director.seen) == 2)
        first = net.director.order("1", od.Message("Lunch at one."))
        every = net.director.order("all", od.Pause("lunch"))
        await until(lambda: set(net.director.answers(every)) == {"1", "2"} and net.director.answers(first))
        net.kill_broker()
        last = net.director.order("2", od.Resume())
        net.start_broker()
        await until(lambda: "2" in net.director.answers(last))
        net.stop_director()
        net.start_director()
        again = net.director.order("all", od.AddTime("axis", 60_000))
        await until(lambda: set(net.director.answers(again)) == {"1", "2"})
        assert [one.n for one in net.boxes["1"].orders] == [first, every, again]
        assert [one.n for one in net.boxes["2"].orders] == [every, last, again]
        assert net.director.answers(every)["1"][0] == "done"

    _in_a_hall(tmp_path, broker, play)


@pytest.mark.parametrize("broker", BROKERS)
def test_nobody_speaks_for_another_table_or_the_director_or_reads_their_log(
    tmp_path: Path, broker: str
) -> None:
    async def play(net: Net) -> None:
        heard: list[tuple[str, bytes]] = []
        rogue = net.boxes.pop("2")
        spy = net.link("2", ("tc/1/cup/#", "tc/1/cup/t/1/#", "tc/1/cup/d/1/#"))
        holding = asyncio.create_task(
            spy.run(lambda said: heard.append((said.topic, said.data)), lambda *_: None)
        )
        await until(lambda: spy.is_up)
        ack = encode(Ack(game="31", branch="0" * 64, seq=9, digest="0" * 64))
        for topic in ("t/1/up", "t/1/log", "d/1/ack", "d/all/order/pause", "d/all/up"):
            await spy.publish(f"tc/1/{HALL}/{topic}", ack, is_retained=True)
        net.boxes["1"].play(3)
        net.director.order("1", od.Message("secret"))
        await until(net.is_equal)
        await until(lambda: net.boxes["1"].orders)
        holding.cancel()
        del rogue
        assert not [
            topic for topic, _data in heard if topic.startswith((f"tc/1/{HALL}/t/1", f"tc/1/{HALL}/d/1"))
        ]
        assert not [data for _topic, data in heard if data == ack]
        course = net.boxes["1"].book.course
        assert course is not None
        assert course.branch == course.digest_at(0), "no false acknowledgement came through"

    _in_a_hall(tmp_path, broker, play)


@pytest.mark.parametrize("broker", BROKERS)
def test_the_hall_says_at_once_that_a_table_is_gone(tmp_path: Path, broker: str) -> None:
    async def play(net: Net) -> None:
        await until(lambda: all(net.director.seen.get(t) and net.director.seen[t].is_up for t in ("1", "2")))
        net._tasks[0].cancel()
        await until(lambda: not net.director.seen["1"].is_up, 5)
        assert net.director.seen["2"].is_up

    _in_a_hall(tmp_path, broker, play)


@pytest.mark.long
@needs_mosquitto
def test_a_table_with_its_own_password_cannot_take_anothers_name_nor_come_in_plain(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        import aiomqtt

        from companion.hall.link.mqtt import _context

        await until(lambda: all(net.director.seen.get(t) and net.director.seen[t].is_up for t in ("1", "2")))
        rogue = net.where("2", net.passwords["2"])
        went: list[str] = []
        net.director.subscribe(
            lambda table: went.append(table) if not net.director.seen[table].is_up else None
        )
        async with aiomqtt.Client(
            rogue.host, rogue.port, username="2", password=rogue.password, identifier="1",
            tls_context=_context(rogue.ca), will=aiomqtt.Will(f"tc/1/{HALL}/t/1/up", b"0", 1, True),
        ) as client:  # fmt: skip
            await client.publish(f"tc/1/{HALL}/t/1/up", b"0", qos=0, retain=True)
            net.boxes["1"].play(3)
            await until(lambda: net.boxes["1"].book.waiting() == 0)
        assert "1" not in went, "table 1 was never off"
        for client in (
            aiomqtt.Client(
                rogue.host, rogue.port, username="2", password="wrong", tls_context=_context(rogue.ca)
            ),
            aiomqtt.Client(rogue.host, rogue.port, username="2", password=rogue.password, timeout=2),
            aiomqtt.Client(rogue.host, rogue.port, tls_context=_context(rogue.ca)),
        ):
            with pytest.raises(aiomqtt.MqttError):
                await client.__aenter__()

    _in_a_hall(tmp_path, "mosquitto", play)


@pytest.mark.long
@needs_mosquitto
def test_guests_keep_nobody_from_the_certificate_and_hear_and_say_nothing_else(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        from companion.hall.desk.broker import GUEST_PASSWORD, GUESTS
        from companion.hall.link.mqtt import MqttLink, fetched_ca

        await until(lambda: all(net.director.seen.get(t) and net.director.seen[t].is_up for t in ("1", "2")))
        assert net.broker is not None
        heard: list[str] = []
        topics = (f"tc/1/{HALL}/#", f"tc/1/{HALL}/d/all/#", f"tc/1/{HALL}/d/all/ca")
        crowd = [
            MqttLink(net.where(GUESTS[0], GUEST_PASSWORD), topics, chance=lambda: 0.0) for _n in range(4)
        ]
        holding = [
            asyncio.create_task(one.run(lambda said: heard.append(said.topic), lambda *_: None))
            for one in crowd
        ]
        await until(lambda: any(one.is_up for one in crowd))
        for guest in GUESTS[1:6]:  # four that fight for one name delay nobody under another
            found = await fetched_ca(
                "127.0.0.1", net.broker.port, guest, GUEST_PASSWORD, f"tc/1/{HALL}/d/all/ca"
            )
            assert found == net.office.ca
        net.director.order("all", od.Message("Lunch at one."))
        for one in crowd:
            await one.publish(f"tc/1/{HALL}/t/guest-0/log", b"x")
        await until(lambda: all(box.orders for box in net.boxes.values()))
        for task in holding:
            task.cancel()
        assert set(heard) <= {f"tc/1/{HALL}/d/all/ca"}
        assert set(net.director.seen) == {"1", "2"}

    _in_a_hall(tmp_path, "mosquitto", play)


@pytest.mark.long
@needs_mosquitto
def test_a_box_with_a_card_can_only_ask_until_it_is_let_in(tmp_path: Path) -> None:
    async def play(net: Net) -> None:
        from companion.hall.link.mqtt import MqttLink

        card = net.office.add("7", "127.0.0.1", 1, HALL, "0" * 64)
        heard: list[str] = []
        topics = (f"tc/1/{HALL}/d/all/#", f"tc/1/{HALL}/d/7/#")
        box = MqttLink(net.where("7", card.secret), topics, chance=lambda: 0.0)
        holding = asyncio.create_task(box.run(lambda said: heard.append(said.topic), lambda *_: None))
        await until(lambda: box.is_up)
        for what in ("state", "have", "up", "result"):
            await box.publish(f"tc/1/{HALL}/t/7/{what}", b"1")
        net.director.order("all", od.Message("Lunch at one."))
        await until(lambda: all(one.orders for one in net.boxes.values()))
        assert not heard
        assert "7" not in net.director.seen
        await box.publish(f"tc/1/{HALL}/t/7/enrol", b"{}")
        await until(lambda: "7" in net.director.seen)
        holding.cancel()

    _in_a_hall(tmp_path, "mosquitto", play)


@pytest.mark.long
@needs_mosquitto
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # the client library's, of a cut connection
def test_a_port_that_is_taken_is_told_and_taken_once_it_is_free(tmp_path: Path) -> None:
    from companion.hall.desk.broker import Broker, free_port
    from companion.hall.desk.hall import Hall
    from companion.hall.errors import HallError

    port = free_port()
    other = Broker(tmp_path / "other", HALL, "127.0.0.1", port)
    other.start()
    with pytest.raises(HallError, match="another program listens at"):
        Broker(tmp_path / "mine", HALL, "127.0.0.1", port).start()
    assert other.is_up, "a broker that is not ours is left alone"
    (tmp_path / "cup").mkdir()
    hall = Hall(tmp_path / "cup")
    hall.set_address(f"127.0.0.1:{port}")
    told: list[str] = []

    async def run() -> None:
        director = asyncio.get_running_loop().create_future()
        going = asyncio.create_task(hall.run(told.append, director.set_result))
        await until(lambda: any("another program listens" in one for one in told))
        other.stop()
        await until(lambda: "the broker was started again; tables keep all" in told)
        await until(lambda: director.result()._link.is_up)
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)

    asyncio.run(run())
    hall.close()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # the client library's, of a cut connection
def test_a_broker_that_takes_its_time_is_given_more_of_it_call_by_call() -> None:
    """Hundreds that give up together and call anew together would keep each other from ever being taken."""
    pytest.importorskip("aiomqtt")
    from companion.hall.link.mqtt import MqttLink
    from companion.hall.link.port import Where

    waits_s: list[float] = []

    class Noting(MqttLink):
        def _made(self, answer_s: float) -> Any:
            waits_s.append(answer_s)
            return super()._made(answer_s)

    async def play(silent: socket.socket) -> None:
        host, port = silent.getsockname()
        where = Where(host, port, "1", "word", "")
        link = Noting(where, (), chance=lambda: 0.0, most_wait_s=0.01, answer_s=0.04)
        calling = asyncio.create_task(link.run(lambda _said: None, lambda _up, _why: None))
        await until(lambda: len(waits_s) == 5)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)

    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes every call, and says nothing
        asyncio.run(play(silent))
    assert waits_s == [0.04, 0.08, 0.16, 0.16, 0.16]
