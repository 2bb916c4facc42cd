"""Stands before the hall's own broker, so that nobody who only holds connections open keeps the tables out.

A connection is carried to the broker as it is; whether it has become a session is read in the broker's own log. One that has not
within a few seconds is cut, and neither one address nor all of them together hold more of these than their share: the oldest
of whoever holds most goes first. Whoever sits at this machine itself is left alone, as is every session.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.hall.errors import HallError

__all__ = ["MOST_OF_ONE", "MOST_WAITING", "WAIT_S", "Guard"]

MOST_OF_ONE, MOST_WAITING = 32, 128
"""Connections that are no session yet: of one address, and of all."""
WAIT_S = 10.0
_LOOK_S, _CHUNK, _MOST_LOG = 0.1, 1 << 16, 4 << 20
_CAME_IN = re.compile(rb"New client connected from [0-9a-f.:]*:(\d+) as ")


class _Waiting(NamedTuple):
    address: str
    since_s: float
    ends: tuple[asyncio.StreamWriter, asyncio.StreamWriter]


class Guard:
    """The port that tables know. Belongs to one loop."""

    def __init__(
        self, host: str, port: int, to: tuple[str, int], log: Path, *, wait_s: float = WAIT_S
    ) -> None:
        """Take where tables call, where the broker is, and its log, which is emptied when it grows large."""
        self._host, self._port, self._to, self._log, self._wait_s = host, port, to, log, wait_s
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[int, _Waiting] = {}
        self._read_to, self._is_log_known = 0, False

    async def open(self) -> None:
        """Listen. HallError where the port cannot be had."""
        with suppress(OSError):
            self._read_to = self._log.stat().st_size
        try:
            self._server = await asyncio.start_server(self._carry, self._host, self._port, limit=_CHUNK)
        except OSError as fault:
            where = f"{self._host}:{self._port}"
            if fault.errno == errno.EADDRINUSE:
                raise HallError(
                    f"another program listens at {where}, perhaps a director on a copy of this folder; end it first"
                ) from None
            raise HallError(f"tables cannot call at {where}: {fault.strerror or fault}") from None
        self._spawn(self._look())

    async def close(self) -> None:
        """Listen no more, and cut every connection; twice is safe."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _spawn(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        ends, port = [writer], 0
        try:
            there, back = await asyncio.open_connection(*self._to, limit=_CHUNK)
            ends.append(back)
            port = int(back.get_extra_info("sockname")[1])
            address = str(writer.get_extra_info("peername")[0])
            if address != writer.get_extra_info("sockname")[0]:
                self._waiting[port] = _Waiting(address, time.monotonic(), (writer, back))
                self._make_room(address)
            ways = [asyncio.create_task(_pump(reader, back)), asyncio.create_task(_pump(there, writer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except (
            OSError,
            asyncio.CancelledError,
            TypeError,
        ):  # gone, or gone before it could be asked who it was
            pass
        finally:
            self._waiting.pop(port, None)
            for one in ends:
                one.transport.abort()
            self._tasks.discard(task)

    def _make_room(self, address: str) -> None:
        """Cut the oldest of whoever holds too many connections that are no session."""
        held = Counter(one.address for one in self._waiting.values())
        if held[address] <= MOST_OF_ONE:
            if held.total() <= MOST_WAITING:
                return
            address = held.most_common(1)[0][0]
        self._cut(next(port for port, one in self._waiting.items() if one.address == address))

    def _cut(self, port: int) -> None:
        for end in self._waiting.pop(port).ends:
            end.transport.abort()

    async def _look(self) -> None:
        """Learn who has come in, and cut who has not for too long."""
        while True:
            await asyncio.sleep(_LOOK_S)
            with suppress(OSError):
                self._read_log()
            if self._is_log_known:  # another broker's words would let nobody in
                late_s = time.monotonic() - self._wait_s
                for port in [port for port, one in self._waiting.items() if one.since_s < late_s]:
                    self._cut(port)

    def _read_log(self) -> None:
        size = self._log.stat().st_size
        if size < self._read_to:
            self._read_to = 0
        if size == self._read_to:
            return
        with self._log.open("rb") as file:
            file.seek(self._read_to)
            lines, newline, _rest = file.read().rpartition(b"\n")
        self._read_to += len(lines) + len(newline)
        for found in _CAME_IN.finditer(lines):
            self._is_log_known = True
            self._waiting.pop(int(found[1]), None)
        if self._read_to > _MOST_LOG:
            os.truncate(self._log, 0)
            self._read_to = 0


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
