"""``companion hall-link``: the table's process on the hall's network; the app starts it while the table is enrolled.

It has the network and no file: whom to call, and what to say, comes from the app over a socket. It may be killed at any time.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import logging
import math
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from enum import IntEnum
from pathlib import Path

from companion.gateway.wire import Frames, WireError, socket_fault
from companion.hall.wire import MOST, PROTOCOL, Alive, Enrolment, Met, Stop, Up, decode_down, packed

__all__ = ["End", "main"]

_log = logging.getLogger("companion.hall")
_AGAIN_S = 0.3
_ALIVE_S = 2.0


class End(IntEnum):
    """Why it ends: its exit codes."""

    STOPPED = 0
    NOT_INSTALLED = 1
    NO_APP = 4
    OTHER_PROTOCOL = 5


def main(argv: Sequence[str]) -> int:
    """Hold the link until told to end; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="companion hall-link",
        description="Carry a table's log and state to the hall. The app starts it while the table is enrolled.",
        epilog="exit codes: 0 stopped; 1 what it needs is not installed; 2 the command line was wrong; "
        "4 the app does not answer at its socket; 5 the app speaks another protocol",
    )
    parser.add_argument("--socket", type=Path, metavar="PATH", required=True, help="where the app listens")
    parser.add_argument(
        "--give-up", type=float, default=60.0, metavar="S", help="end after so long without the app (60)"
    )
    args = parser.parse_args(list(argv))
    if fault := socket_fault(args.socket):
        parser.error(fault)
    if not 0 <= args.give_up < math.inf:
        parser.error(f"--give-up: expected seconds such as 60, got {args.give_up}")
    if importlib.util.find_spec("aiomqtt") is None:
        print("companion hall-link: aiomqtt is missing; install table-companion[hall]", file=sys.stderr)
        return int(End.NOT_INSTALLED)
    logging.basicConfig(level=logging.WARNING, format="hall-link: %(message)s")
    return int(asyncio.run(_run(args.socket, args.give_up)))


async def _run(path: Path, give_up_s: float) -> End:
    loop = asyncio.get_running_loop()
    # On a cut the client's own callbacks may meet a socket that has gone; the loop goes on and connects again.
    loop.set_exception_handler(lambda _loop, context: _log.info("%s", context.get("message")))
    going = asyncio.create_task(_hold(path, give_up_s))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, going.cancel)
    try:
        return await going
    except asyncio.CancelledError:
        return End.STOPPED


async def _hold(path: Path, give_up_s: float) -> End:
    """Call the app, and again when it hangs up."""
    alone_since = time.monotonic()
    while True:
        try:
            reader, writer = await asyncio.open_unix_connection(path)
        except OSError as fault:
            if time.monotonic() - alone_since > give_up_s:
                _log.error("the app does not answer at %s: %s", path, fault.strerror or fault)
                return End.NO_APP
            await asyncio.sleep(_AGAIN_S)
            continue
        try:
            end = await _talk(reader, writer)
            if end is not None:
                return end
        except (OSError, WireError) as fault:
            _log.warning("the app hung up: %s", fault)
        finally:
            writer.close()
        alone_since = time.monotonic()
        await asyncio.sleep(_AGAIN_S)


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> End | None:
    """Carry what the app says until it hangs up; return why all ends, None where only the app has gone."""
    from companion.hall.link.mqtt import MqttLink
    from companion.hall.link.port import Where, ended
    from companion.hall.link.table import TableLink, topics_of, will_of

    frames = Frames(MOST)
    table: TableLink | None = None
    holding: asyncio.Task[None] | None = None

    def say(said: Up) -> None:
        if not writer.is_closing():
            with suppress(WireError):
                writer.write(packed(said))

    async def beat() -> None:
        while True:
            await asyncio.sleep(_ALIVE_S)
            say(Alive())

    def link_ended(task: asyncio.Task[None]) -> None:
        # The app is told by the end of this call, and calls anew.
        if not task.cancelled() and task.exception() is not None:
            _log.error("the link ended by a fault of its own: %r", task.exception())
            writer.close()

    say(Met(PROTOCOL, os.getpid()))
    beating = asyncio.create_task(beat())
    try:
        while data := await reader.read(1 << 16):
            for body in frames.feed(data):
                said = decode_down(body)
                match said:
                    case Enrolment():
                        if said.protocol != PROTOCOL:
                            _log.error("the app speaks protocol %s; expected %s", said.protocol, PROTOCOL)
                            return End.OTHER_PROTOCOL
                        client = Where.client_of(said.hall, said.table) if said.user else ""
                        where = Where(
                            said.host, said.port, said.user or said.table, said.password, said.ca, client
                        )
                        link = MqttLink(
                            where,
                            topics_of(said.hall, said.table),
                            will_of(said.hall, said.table),
                            chance=random.random,
                        )
                        table = TableLink(
                            link,
                            said.hall,
                            said.table,
                            say,
                            now_ms=_now_ms,
                            boot=said.boot,
                            told=_log.warning,
                        )
                        if holding is not None:
                            await ended(holding)
                        holding = asyncio.create_task(table.run())
                        holding.add_done_callback(link_ended)
                    case Stop():
                        return End.STOPPED
                    case _ if table is not None:
                        table.take(said)
        return None
    finally:
        beating.cancel()
        if holding is not None:
            await ended(holding)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
