"""A table's end of the link: what the app hands over goes to the hall, what the hall says goes to the app. It knows no file.

Entries are sent only while the director is there, and again until he says that he holds them. Of the state only the newest
goes, at most twice a second. Pings are answered at once, with the clock that app and link share.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from companion.hall.link.port import HallLink, Said, Will, ended
from companion.hall.messages import (
    Ack,
    Have,
    MessageError,
    Notice,
    Ping,
    Pong,
    Standing,
    decode,
    encode,
    topic_of,
    topic_to,
)
from companion.hall.outbox import AGAIN_MS, MOST_AGAIN_MS, Outbox
from companion.hall.wire import (
    Acked,
    Answer,
    Down,
    Entry,
    Grown,
    Known,
    Linked,
    Ordered,
    Proof,
    Shown,
    Told,
    Up,
    Wanted,
)

__all__ = ["STATE_S", "TableLink", "topics_of", "will_of"]

STATE_S = 0.5
_LOOK_S, _BYE_S = 0.25, 1.0


def topics_of(hall: str, table: str) -> tuple[str, ...]:
    """Return what a table listens to."""
    return (topic_to(hall, "d", table, "#"), topic_to(hall, "d", "all", "#"))


def will_of(hall: str, table: str) -> Will:
    """Return what is said for a table whose link breaks."""
    return Will(topic_to(hall, "t", table, "up"), b"0")


class TableLink:
    """One table at a `HallLink`."""

    def __init__(
        self,
        link: HallLink,
        hall: str,
        table: str,
        app: Callable[[Up], None],
        *,
        now_ms: Callable[[], int],
        boot: str,
        told: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Wait to be run.

        Args:
            app: Takes what is for the app; called on the loop.
            now_ms: The box's monotonic clock.
            told: Takes a line about a message that could not be taken.
        """
        self._link, self._hall, self._table, self._app = link, hall, table, app
        self._now_ms, self._boot, self._told = now_ms, boot, told
        self._games: dict[str, Standing] = {}
        self._boxes: dict[str, Outbox] = {}
        self._director_ms: int | None = None
        self._is_director_there = False
        self._asked_ms, self._ask_again_ms = 0, AGAIN_MS
        self._state = self._proof = b""
        self._state_is_new = self._sends_state = False
        self._todo: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Any]] = set()

    # From the app

    def take(self, said: Down) -> None:
        """Take what the app says."""
        match said:
            case Known():
                self._games = {one.game: one for one in said.games}
                self._boxes = {
                    one.game: Outbox(min(acked, one.seq), one.seq)
                    for one, acked in zip(said.games, said.acked, strict=True)
                }
                self._greet()
            case Grown():
                one = said.standing
                known = self._games.get(one.game)
                if known is not None and known.branch == one.branch:
                    self._games[one.game] = one
                    self._boxes[one.game].grow(one.seq)
                    self._pump()
            case Shown():
                self._state, self._state_is_new = said.state.encode(), True
                self._send_state()
            case Entry():
                self._say("log", said.data.encode())
            case Proof():
                self._proof = said.text.encode()
                self._say("result", self._proof, is_retained=True)
            case Answer():
                self._say("did", said.data.encode())

    # The loop

    async def run(self) -> None:
        """Hold the table's end until cancelled."""
        holding = asyncio.create_task(self._link.run(self._heard, self._moved))
        looking = asyncio.create_task(self._look())
        try:
            done, _going = await asyncio.wait((holding, looking), return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            try:
                with suppress(asyncio.TimeoutError):  # a link that ends in order leaves no will behind
                    up = topic_to(self._hall, "t", self._table, "up")
                    await asyncio.wait_for(self._link.publish(up, b"0", is_retained=True), _BYE_S)
            finally:  # whoever has waited for that long enough cancels again
                await ended(holding, looking, *self._tasks)

    async def _look(self) -> None:
        """Ask and send again what has not been answered for long; asleep while nothing is on its way.

        An answer may be lost for good: a broker throws away what goes to a caller who is slow.
        """
        while True:
            waits = self._is_unanswered or any(box.waits_ms for box in self._boxes.values())
            await asyncio.sleep(_LOOK_S if waits else 1.0)
            if self._is_unanswered and self._now_ms() - self._asked_ms >= self._ask_again_ms:
                self._greet(min(2 * self._ask_again_ms, MOST_AGAIN_MS))
            self._pump()

    @property
    def _is_unanswered(self) -> bool:
        return self._is_director_there and not all(box.is_answered for box in self._boxes.values())

    def _moved(self, is_up: bool, why: str) -> None:
        self._is_director_there = False
        self._director_ms = None
        self._boxes = {game: Outbox(box.acked, box.end) for game, box in self._boxes.items()}
        self._app(Linked(is_up, False, why))
        if is_up:
            self._say("up", b"1", is_retained=True)
            self._state_is_new = bool(self._state)
            self._send_state()
            if self._proof:
                self._say("result", self._proof, is_retained=True)

    def _heard(self, said: Said) -> None:
        topic = topic_of(said.topic)
        if topic is None or topic.hall != self._hall or topic.is_from_table:
            return
        where = f"table {self._table}, {topic.what}"
        try:
            match topic.what.partition("/")[0]:
                case "ack" if not said.is_retained or self._is_director_there:
                    self._take_ack(decode(Ack, said.data, where))
                case "up":
                    self._take_presence(said.data)
                case "ping" if not said.is_retained:
                    ping = decode(Ping, said.data, where)
                    pong = Pong(n=ping.n, at=self._now_ms(), boot=self._boot)
                    self._say("pong", encode(pong), qos=0)
                    self._director_ms = ping.at - self._now_ms()
                case "order" if not said.is_retained:
                    now = None if self._director_ms is None else self._director_ms + self._now_ms()
                    self._app(Ordered(said.data.decode(), now))
                case "notice":
                    notice = decode(Notice, said.data, where)
                    self._app(Told(notice.text, notice.round, notice.left, self._now_ms()))
        except (MessageError, UnicodeDecodeError) as fault:
            self._told(str(fault))

    def _take_presence(self, data: bytes) -> None:
        was, self._is_director_there = self._is_director_there, data[:1] == b"1"
        if was != self._is_director_there or self._is_director_there:
            self._app(Linked(True, self._is_director_there))
            self._boxes = {game: Outbox(box.acked, box.end) for game, box in self._boxes.items()}
            self._greet()

    def _take_ack(self, ack: Ack) -> None:
        known, box = self._games.get(ack.game), self._boxes.get(ack.game)
        if known is None or box is None or known.branch != ack.branch:
            return
        self._app(Acked(ack))
        if ack.seq <= known.seq:
            box.take(ack.seq, self._now_ms())
            self._pump()

    def _greet(self, again_ms: int = AGAIN_MS) -> None:
        """Ask the director how far he is with each game, and again after so long without an answer."""
        self._asked_ms, self._ask_again_ms = self._now_ms(), again_ms
        if self._is_director_there and self._games:
            self._say("have", encode(Have(games=tuple(self._games.values()))))

    def _pump(self) -> None:
        if not self._is_director_there:
            return
        for game, box in self._boxes.items():
            due = box.due(self._now_ms())
            if due:
                self._app(Wanted(game, self._games[game].branch, due.start, due.stop - 1))

    def _send_state(self) -> None:
        if not self._state_is_new or self._sends_state or not self._link.is_up:
            return
        self._state_is_new, self._sends_state = False, True
        self._spawn(self._paced(self._state))

    async def _paced(self, state: bytes) -> None:
        await self._link.publish(
            topic_to(self._hall, "t", self._table, "state"), state, qos=1, is_retained=True
        )
        await asyncio.sleep(STATE_S)
        self._sends_state = False
        self._send_state()

    def _say(self, what: str, data: bytes, *, qos: int = 1, is_retained: bool = False) -> None:
        if self._link.is_up:
            topic = topic_to(self._hall, "t", self._table, what)
            self._spawn(self._link.publish(topic, data, qos=qos, is_retained=is_retained))

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
