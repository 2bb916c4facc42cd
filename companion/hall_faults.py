"""What goes wrong in a simulated hall: faults as a file names them, and the proxies that stand in for bad networks."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.hall.errors import HallError
from companion.hall.typed import amount_in, whole_in
from companion.session.files import read_source

__all__ = ["KINDS", "MOST_TABLES", "NETWORKS", "Fault", "Proxy", "faults_in"]

NETWORKS = ("down", "black", "half", "slow", "reset")
"""Networks of tables: nothing listens; nothing comes through; only what the table says does; little and late; every connection is cut."""
KINDS: dict[str, bool] = {
    "kill-broker": False,
    "freeze-broker": False,
    "kill-director": False,
    "freeze-director": False,
    "two-directors": False,
    "cut": True,
    "restart": True,
    "restore": True,
    **dict.fromkeys(NETWORKS, True),
}
"""Kinds of faults, and whether tables are named."""
_MOST_FILE = 1 << 20
_SLOW_S, _SLOW_BYTES, _MOST = 0.25, 2_000, 1 << 16


MOST_TABLES = 200


class Fault(NamedTuple):
    """Something that goes wrong."""

    at_s: float
    kind: str
    tables: tuple[int, ...] = ()
    for_s: float = 5.0


def faults_in(path: Path) -> tuple[Fault, ...]:
    """Read faults, one a line: ``SECOND KIND [TABLES] [SECONDS]``, tables as ``3`` or ``1..20``. HallError names file and line."""
    found = []
    try:
        data = read_source(path, _MOST_FILE)
        if len(data) > _MOST_FILE:
            raise HallError(f"{path}: expected at most {_MOST_FILE} bytes, got more")
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise HallError(f"{path}: expected text saved as UTF-8, got another encoding") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            at_s, kind, rest = _seconds(words[0]), words[1], words[2:]
            tables: tuple[int, ...] = ()
            if KINDS[kind]:
                first, dots, last = rest.pop(0).partition("..")
                one, other = whole_in(first), whole_in(last if dots else first)
                if not one or not other or not one <= other <= MOST_TABLES:
                    raise ValueError(first)
                tables = tuple(range(one, other + 1))
            if len(rest) > 1:
                raise ValueError(rest[1])
            found.append(Fault(at_s, kind, tables, _seconds(rest[0]) if rest else 5.0))
        except (ValueError, LookupError):
            raise HallError(
                f"{path}, line {number}: expected SECOND KIND [TABLES] [SECONDS] with a kind of "
                f"{', '.join(KINDS)}, got {line!r}"
            ) from None
    return tuple(sorted(found))


def _seconds(text: str) -> float:
    found = amount_in(text)
    if found is None:
        raise ValueError(text)
    return found


class Proxy:
    """A network between one table and the broker; belongs to one loop."""

    def __init__(self, host: str, port: int) -> None:
        """Take where the broker is; `open` begins."""
        self._host, self._to = host, port
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._kind = ""
        self.port = 0

    async def open(self) -> None:
        """Listen, at the same port as before."""
        self._server = await asyncio.start_server(self._carry, self._host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Listen no more, and cut every connection."""
        if self._server is not None:
            self._server.close()
        await self._cut()

    async def be(self, kind: str, for_s: float) -> None:
        """Be one of `NETWORKS` for a while, and a good one again."""
        self._kind = kind
        if kind == "down":
            await self.close()
        elif kind == "reset":
            await self._cut()
        await asyncio.sleep(for_s)
        self._kind = ""
        if kind == "down":
            await self.open()

    async def _cut(self) -> None:
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        ends = [writer]
        try:
            there, back = await asyncio.open_connection(self._host, self._to)
            ends.append(back)
            ways = [
                asyncio.create_task(self._pump(reader, back, is_from_table=True)),
                asyncio.create_task(self._pump(there, writer, is_from_table=False)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # it was cut, which is what it is for
        finally:
            for one in ends:
                one.transport.abort()
            self._tasks.discard(task)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_from_table: bool
    ) -> None:
        is_torn = False
        with suppress(OSError):
            while data := await reader.read(_SLOW_BYTES if self._kind == "slow" else _MOST):
                if self._kind == "slow":
                    await asyncio.sleep(_SLOW_S)
                # Once bytes are missing the stream is torn: it says nothing more until it is made anew.
                is_torn |= self._kind == "black" or (self._kind == "half" and not is_from_table)
                if not is_torn:
                    writer.write(data)
                    await writer.drain()
