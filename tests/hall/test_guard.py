"""Whoever only holds connections open keeps no table out: the hall's own broker behind its guard, as it is run."""

from __future__ import annotations

import asyncio
import socket
import ssl
from contextlib import closing
from pathlib import Path

import pytest
from hall_net import needs_mosquitto

pytest.importorskip("aiomqtt")

from companion.hall.desk.broker import LOG, Broker, free_port, hashed
from companion.hall.desk.ca import CA
from companion.hall.desk.guard import MOST_OF_ONE, MOST_WAITING, Guard
from companion.hall.errors import HallError

HALL = "cup"
RUDE, TABLE = "127.0.0.2", "127.0.0.3"
"""Other machines: only who sits at the hall's own address is left alone."""


def _idle(port: int, source: str = RUDE) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), 5, source_address=(source, 0))
    made.settimeout(0.01)
    return made


def _is_open(one: socket.socket) -> bool:
    try:
        return one.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def _table(broker: Broker, port: int, name: str) -> object:
    import aiomqtt

    trust = ssl.create_default_context(cafile=str(broker.folder / CA))
    trust.check_hostname = False
    return aiomqtt.Client(
        "127.0.0.1", port, username=name, password="word", identifier=name, tls_context=trust, bind_address=TABLE,
        protocol=aiomqtt.ProtocolVersion.V5, timeout=5,
    )  # fmt: skip


@needs_mosquitto
def test_four_hundred_idle_connections_keep_no_table_out_and_are_cut(tmp_path: Path) -> None:
    """A session stays however long it is silent; a table that comes amid the flood is served."""

    async def play() -> None:
        broker = Broker(tmp_path / "broker", HALL, "127.0.0.1", free_port())
        broker.set_passwords({"7": hashed("word"), "8": hashed("word")})
        port = free_port()
        guard = Guard("127.0.0.1", port, (broker.address, broker.port), broker.folder / LOG, wait_s=1.0)
        rude: list[socket.socket] = []
        try:
            await guard.open()
            broker.start()
            async with _table(broker, port, "7") as early:  # type: ignore[attr-defined]
                for _n in range(400):
                    rude.append(await asyncio.to_thread(_idle, port))
                    await asyncio.sleep(0)
                async with asyncio.timeout(5):
                    while sum(map(_is_open, rude)) > MOST_OF_ONE:
                        await asyncio.sleep(0.05)
                async with _table(broker, port, "8") as late:  # type: ignore[attr-defined]
                    await late.publish(f"tc/1/{HALL}/t/8/up", b"1", qos=1, timeout=5)
                    async with asyncio.timeout(5):
                        while any(map(_is_open, rude)):
                            await asyncio.sleep(0.05)
                    await late.publish(f"tc/1/{HALL}/t/8/up", b"1", qos=1, timeout=5)
                await early.publish(f"tc/1/{HALL}/t/7/up", b"1", qos=1, timeout=5)
        finally:
            for one in rude:
                one.close()
            await guard.close()
            broker.stop()

    asyncio.run(play())


@pytest.mark.long
@needs_mosquitto
def test_many_addresses_together_have_a_bound_and_the_one_that_holds_most_pays(tmp_path: Path) -> None:
    async def play() -> None:
        broker = Broker(tmp_path / "broker", HALL, "127.0.0.1", free_port())
        port = free_port()
        guard = Guard("127.0.0.1", port, (broker.address, broker.port), broker.folder / LOG)
        rude: list[socket.socket] = []
        try:
            await guard.open()
            broker.start()
            for n in range(MOST_WAITING + 40):
                source = f"127.0.1.{n % 8 + 1}"
                rude.append(await asyncio.to_thread(_idle, port, source))
                await asyncio.sleep(0)
            lonely = await asyncio.to_thread(_idle, port, TABLE)
            async with asyncio.timeout(5):
                while sum(map(_is_open, rude)) >= MOST_WAITING:
                    await asyncio.sleep(0.05)
            assert _is_open(lonely), "who holds one connection is not cut for those who hold many"
            lonely.close()
        finally:
            for one in rude:
                one.close()
            await guard.close()
            broker.stop()

    asyncio.run(play())


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        guard = Guard("127.0.0.1", taken.getsockname()[1], ("127.0.0.1", 1), tmp_path / LOG)
        with pytest.raises(HallError, match="another program listens at"):
            asyncio.run(guard.open())
