"""The stream of one page, step by step: what comes while it is being written to is not left for the next beat."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from companion.gateway.hub import Hub
from companion.gateway.link import Link
from companion.gateway.server import BEAT_S, _Server
from companion.gateway.wire import PROTOCOL, Alive, Evening, Frame, packed

EVENING = Evening(PROTOCOL, "e", "ABCDEFGH", "0" * 64, "tv")
AT_ONCE_S = BEAT_S / 10


class App:
    def ask(self, channel: str) -> None: ...
    def press(self, token: str, act: str, at_ms: int, answers: dict[str, str]) -> None: ...
    def scan(self, token: str, ticket: str) -> None: ...
    def press_sealed(self, token: str, sealed: str, at_ms: int) -> None: ...
    async def photo(self, token: str, number: int, data: bytes, *, is_last: bool) -> None: ...


def opened() -> tuple[Hub, AsyncIterator[bytes]]:
    hub = Hub(lambda: 0)
    hub.begin(EVENING)
    viewer = hub.look("table.en", hub.new_token())
    assert viewer is not None
    return hub, _Server(hub, App())._stream(viewer)


async def next_of(stream: AsyncIterator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(stream), AT_ONCE_S)


def frame(n: int) -> Frame:
    return Frame("table.en", n, 0, f"<main>{n}</main>")


def test_a_frame_that_comes_while_any_event_is_written_is_sent_at_once() -> None:
    async def play() -> None:
        hub, stream = opened()
        assert b"retry" in await next_of(stream)
        # The stream now stands in each of its writes in turn; meanwhile a newer page comes.
        for n in range(1, 20):
            hub.publish(frame(n))
            assert f"<main>{n}</main>".encode() in await next_of(stream)
        hub.lose()
        assert b"event: gone" in await next_of(stream)
        hub.begin(EVENING)
        assert b"<main>19</main>" in await next_of(stream)
        hub.publish(frame(20))
        assert b"<main>20</main>" in await next_of(stream)

    asyncio.run(play())


def test_what_ends_a_page_while_it_is_written_is_told_at_once() -> None:
    async def play() -> None:
        hub, stream = opened()
        await next_of(stream)
        hub.publish(frame(1))
        await next_of(stream)
        (viewer,) = hub.viewers
        hub.look("log.en", viewer.token)
        assert b"event: elsewhere" in await next_of(stream)

    asyncio.run(play())


def test_of_two_frames_that_come_together_only_the_newest_is_sent() -> None:
    async def play() -> None:
        hub, stream = opened()
        await next_of(stream)
        hub.publish(frame(1))
        hub.publish(frame(2))
        hub.publish(frame(1))
        assert b"<main>2</main>" in await next_of(stream)
        waits = asyncio.ensure_future(anext(stream))
        done, _waiting = await asyncio.wait((waits,), timeout=0.05)
        assert not done
        hub.publish(frame(3))
        assert b"<main>3</main>" in await asyncio.wait_for(waits, AT_ONCE_S)

    asyncio.run(play())


def test_an_app_that_stands_still_is_told_from_one_that_lives() -> None:
    """Its end of the socket stays open, as that of a program that is stopped does."""

    async def play(folder: Path) -> None:
        hub, stream = Hub(lambda: 0), list[bool]()
        speaks: asyncio.Queue[bytes] = asyncio.Queue()

        async def app(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while said := await speaks.get():
                writer.write(said)
            writer.close()

        async def comes(is_joined: bool) -> None:
            async with asyncio.timeout(5):
                while hub.is_joined is not is_joined:
                    await asyncio.sleep(0.01)
            stream.append(is_joined)

        async with await asyncio.start_unix_server(app, folder / "app.sock"):
            link = Link(folder / "app.sock", hub, "x", give_up_s=5, on_end=lambda *_why: None, silent_s=0.3)
            holding = asyncio.create_task(link.run())
            speaks.put_nowait(packed(EVENING))
            await comes(True)
            await comes(False)  # it said nothing more
            speaks.put_nowait(packed(Alive()))
            await comes(True)
            for _n in range(5):
                speaks.put_nowait(packed(Alive()))
                await asyncio.sleep(0.15)
                assert hub.is_joined
            speaks.put_nowait(b"")
            await comes(False)
            holding.cancel()
        assert stream == [True, False, True, False]

    with tempfile.TemporaryDirectory(prefix="companion-") as folder:
        asyncio.run(play(Path(folder)))
