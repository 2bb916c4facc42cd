"""The director's end of the link: takes what tables say, stores it, acknowledges it then, and repeats orders until they are answered.

All of it runs on one loop and holds one file. It may be killed at any instant: what was not stored was not acknowledged and
comes again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.hall import orders as od
from companion.hall.desk.enrol import Office
from companion.hall.desk.intake import Entry, Intake
from companion.hall.desk.logs import Logs
from companion.hall.desk.seen import MOST_AT_ONCE, Seen
from companion.hall.errors import HallError
from companion.hall.link.port import WHYS, HallLink, Said, Will, ended
from companion.hall.messages import (
    MOST_BYTES,
    Ack,
    Did,
    Have,
    LogPart,
    MessageError,
    Notice,
    Ping,
    Pong,
    State,
    decode,
    encode,
    topic_of,
    topic_to,
)

__all__ = ["Director", "will_of_director"]

_PING_EACH_S, _PING_APART_S = 10.0, 0.02
_AGAIN_MS, _NOTICE_MS = 2_000, 10_000
"""An order is sent again after so long, and every table is told the round's clock so often."""
_MOST_A_SECOND = 200


def will_of_director(hall: str) -> Will:
    """Return what is said for a director whose link breaks."""
    return Will(topic_to(hall, "d", "all", "up"), b"0")


def _untaken(table: str, what: str, fault: Exception) -> str:
    return f"table {table}, {what}: it could not be taken ({type(fault).__name__}: {fault}); thrown away"


class Director:
    """Takes and says all that the director does, over one `HallLink`."""

    def __init__(
        self,
        link: HallLink,
        logs: Logs,
        hall: str,
        key: Ed25519PrivateKey,
        office: Office,
        *,
        now_ms: Callable[[], int],
        run_id: str,
        told: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Wait to be run.

        Args:
            office: Takes who asks to be enrolled.
            now_ms: The director's clock; it never goes back while this runs.
            run_id: Names this run, so that tables know a director who was started again.
            told: Takes each line for the director.
        """
        self._link, self._logs, self._hall, self._key, self._office = link, logs, hall, key, office
        self.now_ms, self._run_id, self._told = now_ms, run_id, told
        self.seen: dict[str, Seen] = {}
        self._intakes: dict[str, Intake] = {}
        self._coming: deque[tuple[str, LogPart | Have]] = deque()
        self._bell = asyncio.Event()
        self._pings: dict[int, tuple[str, int]] = {}
        self._ping = 0
        self._sent_ms: dict[tuple[int, str], int] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._listeners: list[Callable[[str], None]] = []
        self.results: dict[str, str] = {}
        """The newest signed result of each table."""
        self.on_result: Callable[[str, str], str] = lambda _table, _text: ""
        """Takes a signed result from a table and returns a line for the director; empty: nothing to tell."""
        self.round_now: Callable[[], tuple[int, int | None]] = lambda: (0, None)
        """Which round is played, 0 for none, and what is left of it."""

    @property
    def hall(self) -> str:
        """The hall's id, which names this desk among others."""
        return self._hall

    @property
    def is_linked(self) -> bool:
        """Whether the broker is reached now."""
        return self._link.is_up

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call a listener with a table's id whenever something of it has changed; what is returned ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def run(self) -> None:
        """Work until cancelled."""
        tasks = [
            asyncio.create_task(one)
            for one in (
                self._link.run(self._heard, self._moved),
                self._store_what_comes(),
                self._ask_clocks(),
                self._repeat_orders(),
            )
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            await ended(*tasks, *self._tasks)

    # What comes

    def _moved(self, is_up: bool, why: str) -> None:
        if is_up:
            self._say("all", "up", f"1 {self._run_id}".encode(), is_retained=True)
            self._say("all", "ca", self._office.ca, is_retained=True)
        else:
            for one in self.seen.values():
                self._presence(one, is_up=False)
            self._tell("", f"the broker is not reached: {WHYS.get(why, why)}")

    def _heard(self, said: Said) -> None:
        topic = topic_of(said.topic)
        if topic is None or topic.hall != self._hall or not topic.is_from_table:
            return
        table, now = topic.table, self.now_ms()
        if not self._office.may_say(table, topic.what):
            return
        one = self.seen.get(table)
        if one is None:
            one = self.seen[table] = Seen(table)
        if not self._is_allowed(one, now):
            return
        if not said.is_retained:
            one.heard_ms = now
        try:
            self._take(one, topic.what, said)
        except HallError as fault:
            self._tell(table, str(fault))
        except Exception as fault:  # whatever one table says, the others are heard
            self._tell(table, _untaken(table, topic.what, fault))

    def _is_allowed(self, one: Seen, now: int) -> bool:
        """Bound how much a table may say; what is thrown away comes again."""
        more = (now - one.allowed_ms) * _MOST_A_SECOND / 1000
        one.allowed, one.allowed_ms = min(MOST_AT_ONCE, one.allowed + more), now
        if one.allowed < 1:
            return False
        one.allowed -= 1
        return True

    def _take(self, one: Seen, what: str, said: Said) -> None:
        table, where = one.table, f"table {one.table}, {what}"
        match what:
            case "up":
                self._presence(one, is_up=said.data == b"1")
            case "state":
                one.state, one.state_ms = decode(State, said.data, where), self.now_ms()
                if not said.is_retained:
                    self._presence(one, is_up=True)
                self._changed(table)
            case "have":
                self._coming.append((table, decode(Have, said.data, where)))
                self._sent_ms = {key: at for key, at in self._sent_ms.items() if key[1] != table}
                self._bell.set()
            case "log":
                self._coming.append((table, decode(LogPart, said.data, where)))
                self._bell.set()
            case "pong":
                self._take_pong(one, decode(Pong, said.data, where))
            case "result":
                text = said.data[:MOST_BYTES].decode("ascii", "replace")
                self.results[table] = text
                told = self.on_result(table, text)
                if told:
                    self._tell(table, told)
                self._changed(table)
            case "did":
                self._take_did(table, decode(Did, said.data, where))
            case "enrol":
                asked = self._office.ask(table, said.data, where)
                if asked is not None:
                    self._tell(table if asked.is_wrong else "", asked.text)
                if self._office.key_of(table):
                    self._say(table, "enrolled", self._office.grant(table, od.public_of(self._key)))
                self._changed(table)

    def _presence(self, one: Seen, *, is_up: bool) -> None:
        if one.is_up != is_up:
            one.is_up, one.since_ms = is_up, self.now_ms()
            self._changed(one.table)

    def _intake(self, table: str) -> Intake:
        if table not in self._intakes:
            self._intakes[table] = Intake(table, self._logs.of(table))
        return self._intakes[table]

    # The logs

    async def _store_what_comes(self) -> None:
        """Store all that came, and acknowledge it then. What comes while the disk works is stored together next."""
        while True:
            await self._bell.wait()
            self._bell.clear()
            entries, acks = self._taken()
            if entries:
                try:
                    await asyncio.to_thread(self._logs.add, entries)
                except HallError as fault:
                    self._intakes.clear()
                    self._tell("", str(fault))
                    continue
            for (table, _game, _branch), ack in acks.items():
                self._ack(table, ack)
                self._changed(table)

    def _taken(self) -> tuple[list[tuple[str, Entry]], dict[tuple[str, str, str], Ack]]:
        """Return what of all that came is to be stored, and what is acknowledged once it is."""
        entries: list[tuple[str, Entry]] = []
        acks: dict[tuple[str, str, str], Ack] = {}
        while self._coming:
            table, said = self._coming.popleft()
            try:
                if isinstance(said, Have):
                    for one in said.games:
                        acks[(table, one.game, one.branch)] = self._intake(table).answer(one)
                    continue
                taken = self._intake(table).take(said)
            except MessageError as fault:
                self._tell(table, str(fault))
                continue
            except Exception as fault:  # it comes again, and is held against what is stored then
                self._intakes.pop(table, None)
                self._tell(table, _untaken(table, "log", fault))
                continue
            entries += [(table, one) for one in taken.entries]
            if taken.told:
                self._tell(table, taken.told)
            if taken.ack is not None:
                acks[(table, said.game, said.branch)] = taken.ack
        return entries, acks

    def _ack(self, table: str, ack: Ack) -> None:
        self._say(table, "ack", encode(ack), qos=0, is_retained=True)

    # Clocks

    async def _ask_clocks(self) -> None:
        """Ask the boxes for their clocks one at a time, so that no answer waits behind another."""
        while True:
            before = self.now_ms()
            for table in [one.table for one in self.seen.values() if one.is_up]:
                self._ping += 1
                self._pings[self._ping] = (table, self.now_ms())
                while len(self._pings) > 1_000:
                    del self._pings[next(iter(self._pings))]
                self._say(table, "ping", encode(Ping(n=self._ping, at=self.now_ms())), qos=0)
                await asyncio.sleep(_PING_APART_S)
            rest = _PING_EACH_S - (self.now_ms() - before) / 1000
            await asyncio.sleep(max(0.2, rest) if self.seen else 0.2)

    def _take_pong(self, one: Seen, pong: Pong) -> None:
        table, asked = self._pings.pop(pong.n, ("", 0))
        if table != one.table:
            return
        now = self.now_ms()
        if pong.boot != one.boot:
            one.samples.clear()
            one.boot = pong.boot
        one.samples.append((now, pong.at - (asked + now) // 2, now - asked))
        self._presence(one, is_up=True)

    # Orders

    def order(self, to: str, what: od.Any_, until_ms: int | None = None) -> int:
        """Wish something of a table, or of ``all``; return the order's number. HallError where it cannot be stored."""
        return self.order_each(((to, what),), until_ms)[0]

    def order_each(self, each: Iterable[tuple[str, od.Any_]], until_ms: int | None = None) -> list[int]:
        """Wish something of each of several tables, all of it or nothing; return the orders' numbers. HallError as `order`."""
        made = [(to, msgspec.json.encode(what)) for to, what in each]
        numbers = self._logs.add_orders(made, self.now_ms(), until_ms)
        self._send_orders()
        return numbers

    def order_asked(self, asked: int, each: Iterable[tuple[str, bytes]], until_ms: int | None) -> None:
        """Give orders that another director has asked for, once. HallError where they cannot be stored."""
        if self._logs.add_orders(each, self.now_ms(), until_ms, asked=asked):
            self._send_orders()

    def answers(self, n: int) -> dict[str, tuple[str, str, int]]:
        """Return what tables have made of an order: table to code, words and instant."""
        return {table: answer for (one, table), answer in self._logs.answers().items() if one == n}

    async def _repeat_orders(self) -> None:
        told_ms = 0
        while True:
            await asyncio.sleep(0.5)
            self._office.look()
            self._send_orders()
            if self.now_ms() - told_ms >= _NOTICE_MS:
                told_ms = self.now_ms()
                number, left = self.round_now()
                if number:
                    self._say("all", "notice", encode(Notice(round=number, left=left)), qos=0)

    def _send_orders(self) -> None:
        """Send each order to each table that it is for and that has not answered; nothing rests on the broker's queue."""
        now, answered = self.now_ms(), self._logs.answers()
        for n, to, what, issued, until in self._logs.orders()[-od.WINDOW // 2 :]:
            if until is not None and now > until:
                continue
            for table in self.seen if to == "all" else (to,) if to in self.seen else ():
                key = (n, table)
                if key in answered or not self.seen[table].is_up:
                    continue
                if now - self._sent_ms.get(key, -_AGAIN_MS) < _AGAIN_MS:
                    continue
                self._sent_ms[key] = now
                order = od.Order(
                    hall=self._hall,
                    n=n,
                    to=to,
                    what=msgspec.json.decode(what, type=od.Any_),
                    issued=issued,
                    sent=now,
                    until=until,
                )
                kind = type(order.what).__struct_config__.tag
                self._say(table, f"order/{kind}", od.signed(order, self._key))

    def _take_did(self, table: str, did: Did) -> None:
        key = self._office.key_of(table)
        if not key or not od.is_did_of(did, key, self._hall, table):
            raise MessageError(f"table {table}, did: expected this box's signature, got another; thrown away")
        wished = self._logs.wished(did.n)
        if wished is None:
            raise MessageError(
                f"table {table}, did: n: expected an order that was given, got {did.n}; thrown away"
            )
        is_known = (did.n, table) in self._logs.answers()
        self._logs.answer(did.n, table, did.code, did.said, self.now_ms())
        if (
            not is_known
            and did.code == "done"
            and isinstance(msgspec.json.decode(wished, type=od.Any_), od.Retire)
        ):
            self._office.retire(table)  # it has left the hall, so nobody else may call as it
        self._changed(table)

    # What goes

    def _say(self, table: str, what: str, data: bytes, *, qos: int = 1, is_retained: bool = False) -> None:
        if self._link.is_up:
            topic = topic_to(self._hall, "d", table, what)
            task = asyncio.ensure_future(self._link.publish(topic, data, qos=qos, is_retained=is_retained))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _changed(self, table: str) -> None:
        for listener in list(self._listeners):
            listener(table)

    def _tell(self, table: str, text: str) -> None:
        one = self.seen.get(table)
        if one is not None:
            if one.told and one.told[-1] == text:
                return
            one.told.append(text)
        self._told(text)
