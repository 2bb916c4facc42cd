"""Thirty phones for an hour: every one is sent every change, and the gateway holds no more at the end than at the beginning."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from companion.core import commands as cm
from companion.gateway.limits import STALLED_S
from companion.testing.waiting import until
from tests.phones.crowd import SHOWING, Crowd, told

HOUR_S = 3600.0


def turned(table: Any) -> None:
    """Pause, or let the clocks run on: a change that most pages show, as often as one likes."""
    seq, state = table.desk.change.seq, table.desk.change.state
    kind = cm.Resume if state.clocks.is_paused else cm.Pause
    table.desk.send(kind(at_ms=table.desk.now_ms()))
    until(lambda: table.desk.change.seq > seq)


@pytest.mark.parametrize(
    ("seconds", "every_s"), [(1.0, 0.5), pytest.param(HOUR_S, 3.0, marks=pytest.mark.long)]
)
def test_thirty_phones_see_every_change_and_the_gateways_memory_stays_flat(
    table: Any, seconds: float, every_s: float
) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    crowd = Crowd(table)
    try:
        warm = crowd.watch(min(60.0, seconds / 3), every_s, lambda: turned(table))
        seen = crowd.watch(seconds, every_s, lambda: turned(table))
    finally:
        crowd.close()
    print(told(seen))
    assert len(seen.waits_ms) == sum(one.page in SHOWING for one in crowd.phones) * seen.changes
    assert all(one.frames == 1 for one in crowd.phones if one.page not in SHOWING), "no news for them"
    assert seen.part(0.5) < 500
    assert max(seen.memory_kb) < 45 << 10
    assert seen.memory_kb[-1] - warm.memory_kb[-1] < 2 << 10, "flat"


@pytest.mark.long
def test_a_phone_that_reads_nothing_is_dropped_and_the_others_never_notice(table: Any) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    crowd = Crowd(table, 4)
    host, _colon, port = table.address.rpartition(":")
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        lazy.bind(("127.0.2.1", 0))
        lazy.connect((host, int(port)))
        asks = f"GET /live/table HTTP/1.1\r\nHost: {table.address}\r\nCookie: {table.join()}\r\n\r\n"
        lazy.sendall(asks.encode())
        try:
            until(lambda: table.link.state.watching == 5)
            start = time.monotonic()
            while table.link.state.watching == 5:
                assert time.monotonic() - start < 150
                seen = crowd.watch(2.0, 0.15, lambda: turned(table))
                assert seen.part(0.5) < 500
            assert time.monotonic() - start > STALLED_S, "a reader that is behind has a while to catch up"
            assert table.link.state.watching == 4
        finally:
            crowd.close()
