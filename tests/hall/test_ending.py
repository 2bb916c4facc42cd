"""A link that is told to end does end, also where Python loses the first cancellation."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from companion.hall.link import port
from companion.hall.link.fake import FakeBroker, FakeLink
from companion.hall.link.port import ended
from companion.hall.link.table import TableLink, topics_of, will_of
from companion.hall.wire import PROTOCOL, Enrolment, packed


def test_a_task_that_swallows_a_cancellation_is_ended_all_the_same() -> None:
    async def deaf(times: int) -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                times -= 1
                if times < 0:
                    raise

    async def failing() -> None:
        raise OSError("gone")

    async def run() -> None:
        tasks = [asyncio.create_task(one) for one in (deaf(0), deaf(2), failing())]
        await asyncio.sleep(0)
        await asyncio.wait_for(ended(*tasks), 10)
        assert all(task.done() for task in tasks)
        await ended(*tasks)

    asyncio.run(run())


def test_whoever_is_cancelled_meanwhile_ends_its_tasks_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port, "_ASK_AGAIN_S", 0.01)
    alive: list[str] = []

    async def slow() -> None:
        alive.append("slow")
        try:
            await asyncio.Event().wait()
        finally:
            try:
                await asyncio.sleep(0.05)
            finally:
                alive.remove("slow")

    async def outer() -> None:
        inner = asyncio.create_task(slow())
        await asyncio.sleep(0)
        try:
            await asyncio.Event().wait()
        finally:
            await ended(inner)
            alive.append("ended in order")

    async def run() -> None:
        task = asyncio.create_task(outer())
        await asyncio.sleep(0.01)
        await ended(task)
        assert "slow" not in alive
        assert task.cancelled()

    asyncio.run(run())


def test_a_table_whose_goodbye_nobody_takes_leaves_no_link_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two links of one table would throw each other out for ever."""
    monkeypatch.setattr(port, "_ASK_AGAIN_S", 0.01)
    broker = FakeBroker("cup")

    class Silent(FakeLink):
        async def publish(self, *_said: Any, **_how: Any) -> bool:
            await asyncio.Event().wait()
            return False

    async def run() -> None:
        link = Silent(broker, "1", topics_of("cup", "1"), will_of("cup", "1"))
        table = TableLink(link, "cup", "1", lambda _said: None, now_ms=lambda: 0, boot="boot")
        task = asyncio.create_task(table.run())
        while not link.is_up:
            await asyncio.sleep(0)
        await ended(task)
        assert not link.is_up

    asyncio.run(run())


def test_a_link_that_ends_by_a_fault_of_its_own_hangs_up_on_the_app(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The app then starts it anew; one that only says that it is alive would be waited for, for ever."""
    pytest.importorskip("aiomqtt")
    from companion.hall.link.command import _talk

    hung_up = asyncio.Event()
    asked = Enrolment(
        protocol=PROTOCOL,
        hall="cup",
        table="1",
        host="",
        port=0,
        password="word",
        ca="",
        boot="b",
    )

    async def app(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(packed(asked))
        while await reader.read(100):
            pass
        hung_up.set()
        writer.close()

    async def run() -> None:
        path = tmp_path / "app.sock"
        async with await asyncio.start_unix_server(app, path):
            assert await asyncio.wait_for(_talk(*await asyncio.open_unix_connection(path)), 20) is None
            await hung_up.wait()
            await asyncio.sleep(0)

    asyncio.run(run())
    assert "the link ended by a fault of its own" in caplog.text
