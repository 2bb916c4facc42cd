"""A hall with tables on one loop: the product's own ends, over the broker in memory or a real one."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.hall import orders as od
from companion.hall.book import Book
from companion.hall.desk.broker import Broker, free_port, hashed
from companion.hall.desk.ca import CA
from companion.hall.desk.director import Director, will_of_director
from companion.hall.desk.enrol import Office
from companion.hall.desk.logs import Enrolled, Logs
from companion.hall.link.fake import FakeBroker, FakeLink
from companion.hall.link.mqtt import MqttLink
from companion.hall.link.port import HallLink, Where
from companion.hall.link.table import TableLink, topics_of, will_of
from companion.hall.messages import Did, encode
from companion.hall.wire import Acked, Answer, Ordered, Up, Wanted

__all__ = ["HALL", "Box", "Net", "needs_mosquitto", "until"]

HALL = "cup"
needs_mosquitto = pytest.mark.skipif(
    shutil.which("mosquitto") is None and not Path("/usr/sbin/mosquitto").exists(),
    reason="NOT TESTED: mosquitto is missing, so no real broker was tried: sudo apt install mosquitto",
)


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


async def until(what: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something on the loop. TimeoutError where it does not come."""
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.005)


class Box:
    """A table's app and link on the loop, with its log in memory."""

    def __init__(self, net: Net, table: str) -> None:
        self.table, self.lines, self.orders = table, list[bytes](), list[od.Order]()
        self.key = Ed25519PrivateKey.from_private_bytes(table.encode().rjust(32, b"k"))
        self.window, self.is_linked, self.faults = od.Window(), False, list[str]()
        self._net = net
        self.book = Book((), lambda _game, first, last: self.lines[first - 1 : last])
        self.link = net.link(table, topics_of(HALL, table), will_of(HALL, table))
        self.end = TableLink(
            self.link,
            HALL,
            table,
            self._hear,
            now_ms=lambda: now_ms() * net.pace,
            boot=f"boot-{table}",
            told=self.faults.append,
        )
        self.end.take(self.book.play(table.encode(), ()))

    def play(self, count: int = 1) -> None:
        for _n in range(count):
            self.lines.append(
                b'{"command":"EndAct","table":"%b","n":%d}' % (self.table.encode(), len(self.lines))
            )
            for frame in self.book.grow(self.lines[-1:]):
                self.end.take(frame)

    def decline(self, n: int) -> None:
        did = Did(n=n, code="declined", said="Others sit at this table.", at=now_ms())
        self.end.take(Answer(encode(od.did_signed(did, self.key, HALL, self.table)).decode()))

    def _hear(self, said: Up) -> None:
        match said:
            case Acked() | Wanted():
                for frame in self.book.hear(said):
                    self.end.take(frame)
            case Ordered():
                self._obey(said)

    def _obey(self, said: Ordered) -> None:
        try:
            order = od.order_in(said.data.encode(), self._net.public, HALL, self.table, "order")
        except ValueError as fault:
            self.faults.append(str(fault))
            return
        code = "done"
        match self.window.judge(order.n):
            case "replay":
                code = "replay"
            case "new":
                self.window = self.window.with_taken(order.n)
                self.orders.append(order)
        did = od.did_signed(Did(n=order.n, code=code, at=now_ms()), self.key, HALL, self.table)
        self.end.take(Answer(encode(did).decode()))


class Net:
    """The hall: director, broker and boxes; `is_real` says which broker, `pace` how much faster the boxes' clocks run."""

    def __init__(self, folder: Path, tables: tuple[str, ...], *, is_real: bool, pace: int = 1) -> None:
        self.pace = pace
        self.folder, self.is_real = folder, is_real
        self.logs = Logs(folder)
        self.key = Ed25519PrivateKey.from_private_bytes(b"d" * 32)
        self.public = od.public_of(self.key)
        self.passwords = {table: f"password-of-{table}" for table in tables}
        self.told: list[str] = []
        self.fake = FakeBroker(HALL)
        self.broker: Broker | None = None
        if is_real:
            self.broker = Broker(folder / "broker", HALL, "127.0.0.1", free_port())
        for table in tables:
            key = Ed25519PrivateKey.from_private_bytes(table.encode().rjust(32, b"k"))
            self.logs.put_table(Enrolled(table, "in", hashed(self.passwords[table]), od.public_of(key)))
        ca = (folder / "broker" / CA).read_bytes() if is_real else b""
        set_passwords = self.broker.set_passwords if self.broker else lambda _known, _waiting: None
        self.office = Office(self.logs, ca, set_passwords, "director's password")
        if self.broker is not None:
            self.broker.start()
        self._tasks: list[asyncio.Task[None]] = []
        self.runs = 0
        self.boxes = {table: Box(self, table) for table in tables}

    def where(self, user: str, password: str) -> Where:
        assert self.broker is not None
        ca = (self.broker.folder / CA).read_text(encoding="ascii")
        return Where("127.0.0.1", self.broker.port, user, password, ca)

    def link(self, user: str, topics: tuple[str, ...], will: object = None) -> HallLink:
        if not self.is_real:
            return FakeLink(self.fake, user, topics, will)  # type: ignore[arg-type]
        password = self.passwords.get(user, "director's password")
        return MqttLink(self.where(user, password), topics, will, chance=random.random)  # type: ignore[arg-type]

    async def __aenter__(self) -> Net:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        self.start_director()
        self._tasks += [asyncio.create_task(box.end.run()) for box in self.boxes.values()]
        return self

    async def __aexit__(self, *_fault: object) -> None:
        self.stop_director()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.broker is not None:
            self.broker.stop()
        self.logs.close()

    def start_director(self) -> None:
        self.runs += 1
        link = self.link("director", (f"tc/1/{HALL}/t/#",), will_of_director(HALL))
        self.director = Director(
            link, self.logs, HALL, self.key, self.office,
            now_ms=now_ms, run_id=str(self.runs), told=self.told.append,
        )  # fmt: skip
        self._running = asyncio.create_task(self.director.run())

    def stop_director(self) -> None:
        self._running.cancel()

    def kill_broker(self) -> None:
        if self.broker is None:
            self.fake.kill()
        else:
            assert self.broker._child is not None
            self.broker._child.kill()
            self.broker._child.wait()

    def start_broker(self) -> None:
        if self.broker is None:
            self.fake.is_up = True
        else:
            self.broker.start()

    def is_equal(self) -> bool:
        """Whether the record is the tables' own logs, entry by entry."""
        held = {(one.table, one.game, one.branch): one for one in self.logs.branches()}
        for table, box in self.boxes.items():
            course = box.book.course
            assert course is not None
            if course.acked != len(box.lines):
                return False
            found = held.get((table, course.game, course.branch))
            if (self.logs.course(found) if found else []) != box.lines:
                return False
        return True
