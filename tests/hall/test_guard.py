"""The hall's own broker behind its guard: an address that floods is refused more, and everybody else comes in as before."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
from pathlib import Path

import pytest
from hall_net import HALL, needs_mosquitto

from companion.hall.desk.broker import Broker, free_port
from companion.hall.desk.ca import CA
from companion.hall.desk.guard import _Caller, _Gate
from companion.hall.desk.hall import Hall
from companion.hall.errors import HallError
from companion.testing.waiting import until


def test_an_address_holds_so_many_and_this_machine_is_never_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[bytes] = []
    monkeypatch.setattr(os, "write", lambda _file, data: told.append(data) or len(data))
    gate = _Gate(0, most_each=2)
    assert [gate.lets_in("10.0.0.7", "10.0.0.1") for _n in range(4)] == [True, True, False, False]
    assert gate.lets_in("10.0.0.8", "10.0.0.1"), "another address is another device"
    assert all(gate.lets_in("10.0.0.1", "10.0.0.1") for _n in range(9))
    assert told == [b"10.0.0.7\n"], "a flood is told once"
    gate.lets_go("10.0.0.7", "10.0.0.1")
    assert gate.lets_in("10.0.0.7", "10.0.0.1")
    for address in ("10.0.0.7", "10.0.0.7", "10.0.0.8"):
        gate.lets_go(address, "10.0.0.1")
    assert not gate.held, "who holds none is forgotten"


def test_all_addresses_together_leave_the_director_a_place() -> None:
    gate = _Gate(0, most_each=8)
    let_in = [gate.lets_in(f"10.0.{n // 200}.{n % 200}", "10.9.9.9") for n in range(60) for _each in range(8)]
    assert sum(let_in) == 390, "the broker takes 400"
    assert gate.lets_in("10.9.9.9", "10.9.9.9")


def _called(port: int, source: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 5, source_address=(source, 0))


def test_bytes_pass_both_ways_whole_and_a_cut_end_cuts_the_other() -> None:
    """Four megabytes at once, to one who echoes them back slowly: neither end runs ahead of the other, and none is lost."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(10_000):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def play() -> None:
        loop = asyncio.get_running_loop()
        async with await asyncio.start_server(echo, "127.0.0.1", 0) as inner:
            gate = _Gate(inner.sockets[0].getsockname()[1], most_each=8)
            async with await loop.create_server(lambda: _Caller(gate), "127.0.0.1", 0) as guard:
                port = guard.sockets[0].getsockname()[1]
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.7", 0))
                sent = bytes(range(256)) * (1 << 14)
                writer.write(sent)
                got, _drained = await asyncio.gather(reader.readexactly(len(sent)), writer.drain())
                assert got == sent
                assert gate.held == {"127.0.0.7": 1}
                writer.close()
                async with asyncio.timeout(5):
                    while gate.held:
                        await asyncio.sleep(0.005)

    asyncio.run(play())


@pytest.mark.long
@needs_mosquitto
@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="needs the loopback of Linux, which is more than one address"
)
def test_a_flood_from_one_address_keeps_nobody_else_out(tmp_path: Path) -> None:
    """Bytes pass both ways through the guard to the real broker; one that was killed is started again with it."""
    broker = Broker(tmp_path, HALL, "127.0.0.1", free_port(), most_each=3)
    broker.start()
    held: list[socket.socket] = []
    try:
        held += [_called(broker.port, "127.0.0.9") for _n in range(3)]
        assert _is_refused(broker.port, "127.0.0.9")
        lines: list[str] = []
        until(lambda: lines.extend(broker.refused()) or lines)
        assert len(lines) == 1
        assert lines[0].startswith("127.0.0.9 holds 3 connections and was refused more")
        context = ssl.create_default_context(cafile=str(tmp_path / CA))
        for source in ("127.0.0.1", "127.0.0.8"):
            with context.wrap_socket(_called(broker.port, source), server_hostname="127.0.0.1") as through:
                assert through.version() == "TLSv1.3"
        held.pop().close()
        until(lambda: not _is_refused(broker.port, "127.0.0.9"))
        assert broker._guard is not None
        assert broker._guard._child is not None
        os.kill(broker._guard._child.pid, signal.SIGKILL)
        until(lambda: not broker.is_up)
        until(broker.look_after)
        assert not _is_refused(broker.port, "127.0.0.9")
    finally:
        for one in held:
            one.close()
        broker.stop()
    with pytest.raises(ConnectionRefusedError):
        _called(broker.port, "127.0.0.1")


def _is_refused(port: int, source: str) -> bool:
    """Say whether one more connection is let go at once; one that is kept waits for what it says."""
    with _called(port, source) as one:
        one.settimeout(0.2)
        try:
            return one.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True


def test_a_hall_in_a_network_bounds_each_address_and_alone_on_a_machine_none(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    try:
        with pytest.raises(HallError, match="--each-address: expected 1 or more, got 0"):
            hall.set_each(0)
        for address, most in (("127.0.0.1", 0), ("192.168.1.20", 8)):
            hall.set_address(address)
            assert hall.most_each == most
        hall.set_each(200)
        assert hall.most_each == 200
    finally:
        hall.close()
