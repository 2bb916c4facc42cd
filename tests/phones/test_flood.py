"""Floods: who asks more than its share is refused, and whoever is served already hardly notices."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

from companion.adapters import child_server
from companion.gateway.limits import MOST_ALL, MOST_OF_ONE, limited
from companion.gateway.server import Guard
from companion.testing.waiting import until

FLOOD = """
import socket, sys, time
host, port, cookie, end = sys.argv[1], int(sys.argv[2]), sys.argv[3], time.monotonic() + 6
asks = f"GET /table HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nCookie: {cookie}\\r\\n\\r\\n".encode()
while time.monotonic() < end:
    try:
        with socket.create_connection((host, port), 5, source_address=("127.4.0.1", 0)) as one:
            one.sendall(asks)
    except OSError:
        pass
"""


def test_who_hangs_up_before_the_answer_leaves_no_more_than_his_share_behind() -> None:
    """Else a page that takes a second to be made is a place for any number of requests in memory."""

    async def play() -> None:
        opens, said = asyncio.Event(), list[int]()

        async def app(_scope: Any, _receive: Any, send: Any) -> None:
            await opens.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        guard = Guard(app, None, frozenset({"box:1"}))

        async def ask(address: str) -> None:
            async def send(message: Any) -> None:
                if message["type"] == "http.response.start":
                    said.append(message["status"])

            scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"box:1")]}
            await guard(scope | {"client": (address, 1), "server": ("box", 1)}, None, send)  # type: ignore[arg-type]

        async with asyncio.TaskGroup() as asking:
            for _n in range(MOST_OF_ONE + 3):
                asking.create_task(ask("10.0.0.1"))
            for n in range(MOST_ALL):
                asking.create_task(ask(f"10.0.1.{n}"))
            asking.create_task(ask("box"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert said == [429] * (3 + MOST_OF_ONE), "one's own share, then that of all together but the box"
            opens.set()
        assert said.count(200) == MOST_ALL + 1
        said.clear()
        await ask("10.0.0.1")
        assert said == [200]

    asyncio.run(play())


def test_few_connections_are_taken_at_once() -> None:
    """Two thousand that wait would be taken before anybody who is served already is looked at again."""
    assert limited(None).backlog <= 64


@pytest.mark.long
def test_a_flood_of_connections_hardly_holds_up_who_is_served_already(table: Any) -> None:
    table.start()
    table.turn_on()
    host, _colon, port = table.address.rpartition(":")
    command = [sys.executable, "-c", FLOOD, host, port, table.join()]
    asks, waits = f"GET /pulse HTTP/1.1\r\nHost: {table.address}\r\n\r\n".encode(), list[float]()
    with socket.create_connection((host, int(port)), 20, source_address=("127.9.0.1", 0)) as phone:
        floods = [subprocess.Popen(command) for _n in range(3)]
        while any(one.poll() is None for one in floods):
            start = time.monotonic()
            phone.sendall(asks)
            assert b" 204 " in phone.recv(4096)
            waits.append(time.monotonic() - start)
            with contextlib.suppress(subprocess.TimeoutExpired):
                next((one for one in floods if one.poll() is None), floods[0]).wait(0.05)
    waits.sort()
    print(f"{len(waits)} pulses, p50 {1000 * waits[len(waits) // 2]:.0f} ms, most {1000 * waits[-1]:.0f} ms")
    assert waits[len(waits) // 2] < 0.25
    assert table.ask("GET", "/pulse")[0] == 204


@pytest.mark.long
def test_callers_that_never_say_who_they_are_do_not_shut_the_gateway_out(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_server, "_SILENT_S", 5.0)
    table.start()
    table.turn_on()
    callers = [socket.socket(socket.AF_UNIX) for _n in range(4)]
    for one in callers:
        one.connect(str(table.link.socket_path()))
    serving = table.link._serving
    assert serving is not None
    until(lambda: len(serving._strangers) == 4)
    for one in callers:
        one.settimeout(15)
        assert one.recv(1) == b"", "hung up on"
        one.close()
    assert table.link.state.is_connected
