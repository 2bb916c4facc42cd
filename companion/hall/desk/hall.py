"""A hall as a folder: its name, where its broker is, its keys, its tables. What the director's commands work on."""

from __future__ import annotations

import asyncio
import re
import secrets
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import random
from typing import NamedTuple

from companion.hall.desk.broker import DIRECTOR, Broker
from companion.hall.desk.ca import CA, director_key, ensure_certificates, print_of, write_private
from companion.hall.desk.director import Director, will_of_director
from companion.hall.desk.enrol import Card, Office, SetPasswords
from companion.hall.desk.logs import Logs
from companion.hall.errors import HallError
from companion.hall.link.mqtt import MqttLink
from companion.hall.link.port import Where, ended
from companion.hall.typed import whole_in

__all__ = ["PORT", "Address", "Hall"]

PORT = 8883
_DIRECTOR_WORD = "director.password"
_HOST = re.compile(
    r"(?=.{1,100}\Z)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
)


class Address(NamedTuple):
    """Where tables call: the name they know, and where our own broker listens."""

    host: str
    port: int


class Hall:
    """One hall's folder; made with the first card. HallError where it cannot be used."""

    def __init__(self, folder: Path) -> None:
        """Open the folder of a hall."""
        self.folder, self.desk = folder, folder / "desk"
        if not folder.is_dir():
            raise HallError(f"there is no folder {folder}; companion hall new begins a tournament")
        self.desk.mkdir(mode=0o700, exist_ok=True)
        self.logs = Logs(self.desk)
        self.id = self.logs.fact("hall") or secrets.token_hex(4)
        self.logs.set_fact("hall", self.id)
        self.key = director_key(self.desk)

    def close(self) -> None:
        """Let its file go."""
        self.logs.close()

    @property
    def address(self) -> Address:
        """Where tables call. HallError before it was said."""
        host, port = self.logs.fact("host"), self.logs.fact("port")
        if not host:
            raise HallError(
                "nobody has said where this hall is: --address IP (with :PORT for another than 8883)"
            )
        return Address(host, int(port or PORT))

    def set_address(self, text: str) -> None:
        """Say where tables call: ``IP`` or ``IP:PORT``. HallError for anything else."""
        host, _colon, told = text.partition(":")
        port = whole_in(told) if _colon else PORT
        # It stands in the broker's configuration and on every card, so it is nothing but a name.
        if not _HOST.fullmatch(host) or port is None or not 0 < port < 1 << 16:
            raise HallError(f"--address: expected IP or IP:PORT such as 192.168.1.20, got {text[:60]!r}")
        self.logs.set_fact("host", host)
        self.logs.set_fact("port", str(port))

    def office(self, set_passwords: SetPasswords = lambda _known, _waiting: None) -> Office:
        """Return who knows the tables."""
        ensure_certificates(self.desk / "broker", self._names())
        ca = (self.desk / "broker" / CA).read_bytes()
        return Office(self.logs, ca, set_passwords, self._director_word())

    def card(self, table: str) -> Card:
        """Make a table's card."""
        host, port = self.address
        office = self.office()
        return office.add(table, host, port, self.id, print_of(office.ca))

    def _names(self) -> tuple[str, ...]:
        host = self.logs.fact("host")
        return tuple(dict.fromkeys(("127.0.0.1", *((host,) if host else ()))))

    def _director_word(self) -> str:
        path = self.desk / _DIRECTOR_WORD
        if not path.exists():
            write_private(path, secrets.token_urlsafe(32).encode())
        return path.read_text(encoding="ascii")

    def broker(self) -> Broker:
        """Return the hall's own broker, not yet started."""
        host, port = self.address
        return Broker(self.desk / "broker", self.id, host, port, self._names())

    def director(self, told: Callable[[str], None], broker: Broker | None) -> Director:
        """Return the director's end of the link, to be run on a loop; over our own broker, or the one at the address."""
        host, port = self.address
        zero_ns = (
            time.time_ns() - time.monotonic_ns()
        )  # whatever is done to this machine's time while it runs
        office = self.office(broker.set_passwords if broker is not None else lambda _known, _waiting: None)
        where = Where(host, port, DIRECTOR, self._director_word(), office.ca.decode("ascii"))
        link = MqttLink(
            where, (f"tc/1/{self.id}/t/#",), will_of_director(self.id), chance=random, most_wait_s=0.5
        )
        return Director(
            link,
            self.logs,
            self.id,
            self.key,
            office,
            now_ms=lambda: (zero_ns + time.monotonic_ns()) // 1_000_000,
            run_id=secrets.token_hex(4),
            told=told,
        )

    async def run(
        self, told: Callable[[str], None], ready: Callable[[Director], None] = lambda _one: None
    ) -> None:
        """Run broker and director until told to end by a signal; a broker that dies is started again."""
        broker = self.broker()
        director = self.director(told, broker)
        try:
            broker.start()
        except HallError as fault:  # such as a port that is still taken
            told(f"{fault}; it is tried again")
        loop, ends = asyncio.get_running_loop(), asyncio.Event()
        loop.set_exception_handler(
            lambda _loop, _context: None
        )  # of sockets that a cut has closed; the link begins again
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ends.set)
        going: asyncio.Task[None] | None = None
        ready(director)
        try:
            while not ends.is_set():
                if broker.look_after():
                    told("the broker was started again; tables keep all")
                if going is not None and going.done():
                    going.result()
                if (
                    going is None and broker.is_up
                ):  # over no other broker, where it would take another director's place
                    going = asyncio.create_task(director.run())
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(ends.wait(), 0.3)
        finally:
            if going is not None:
                await ended(going)
            broker.stop()
