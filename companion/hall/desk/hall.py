"""A hall as a folder: its name, where its broker is, its keys, its tables. What the director's commands work on."""

from __future__ import annotations

import asyncio
import secrets
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from random import random
from typing import NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.gateway.addresses import elsewhere, is_elsewhere
from companion.hall.desk.broker import DIRECTOR, Broker
from companion.hall.desk.ca import CA, ensure_certificates, print_of, write_private
from companion.hall.desk.director import Director, will_of_director
from companion.hall.desk.enrol import Card, Office, SetPasswords
from companion.hall.desk.guard import MOST_EACH
from companion.hall.desk.key import DirectorKey
from companion.hall.desk.logs import Logs
from companion.hall.desk.venue import TableUsers, Venue, files_for, users_for
from companion.hall.errors import HallError
from companion.hall.link.mqtt import MqttLink, is_heard
from companion.hall.link.port import Where, ended
from companion.hall.private import read_plain
from companion.hall.typed import MOST_FIGURE, host_in, whole_in

__all__ = ["PORT", "Address", "Hall"]

PORT = 8883
_NO_TABLE = "no-table"
"""None can be called so; who may speak there may speak as any."""
_DIRECTOR_WORD, _VENUE, _VENUE_USERS = "director.password", "venue.json", "venue-users.json"


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
        self.key_file, self._pin = DirectorKey(self.desk), ""

    def unlock(self, pin: str) -> None:
        """Take the PIN of the director's key. HallError where it is another."""
        self.key_file.open(pin)
        self._pin = pin

    @cached_property
    def key(self) -> Ed25519PrivateKey:
        """The key that signs orders. HallError where it is behind a PIN that was not given."""
        return self.key_file.open(self._pin)

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

    def set_address(self, text: str, option: str = "--address", *, is_here: bool = False) -> None:
        """Say where tables call: ``IP`` or ``IP:PORT``; there our own broker listens. HallError for anything else.

        Cards may be made away from the hall; `is_here`: it must be this machine's own address now.
        """
        host, _colon, told = text.partition(":")
        port = whole_in(told) if _colon else PORT
        # It stands in the broker's configuration and on every card, so it is nothing but a name.
        if host_in(host) is None or port is None or not 0 < port < 1 << 16:
            raise HallError(f"{option}: expected IP or IP:PORT such as 192.168.1.20, got {text[:60]!r}")
        if is_here and is_elsewhere(host):
            raise HallError(f"{option}: {elsewhere(host)}; nothing was changed")
        self.logs.set_fact("host", host)
        self.logs.set_fact("port", str(port))
        self.logs.set_fact("venue", "")

    def set_venue(self, text: str, venue: Venue) -> None:
        """Say that tables call at a venue's broker, ``HOST:PORT``. HallError for anything else."""
        self.set_address(text, "--broker")
        write_private(self.desk / _VENUE, msgspec.json.encode(venue))
        self.logs.set_fact("venue", venue.user)

    @property
    def venue(self) -> Venue | None:
        """Whose broker tables call at; None: our own. HallError where what the venue has given is lost."""
        if not self.logs.fact("venue"):
            return None
        try:
            return msgspec.json.decode(read_plain(self.desk / _VENUE), type=Venue)
        except (OSError, msgspec.MsgspecError) as fault:
            raise HallError(
                f"{self.desk / _VENUE}: {fault}; name the venue's broker once more with --broker"
            ) from None

    def office(self, set_passwords: SetPasswords = lambda _known, _waiting: None) -> Office:
        """Return who knows the tables."""
        ensure_certificates(self.desk / "broker", self._names())
        venue, ca = self.venue, read_plain(self.desk / "broker" / CA)
        ca = ca if venue is None else venue.ca.encode("ascii")
        return Office(self.logs, ca, set_passwords, self._director_word(), venue)

    def card(self, table: str) -> Card:
        """Make a table's card."""
        host, port = self.address
        office = self.office()
        made = office.add(table, host, port, self.id, print_of(office.ca))
        own = self.venue_users.get(table)
        if made.venue is None or own is None:
            return made
        return msgspec.structs.replace(made, venue=made.venue._replace(user=own[0], password=own[1]))

    @property
    def venue_users(self) -> TableUsers:
        """Tables that have a user of their own at the venue's broker. HallError where what was made up is lost."""
        path = self.desk / _VENUE_USERS
        if not path.exists():
            return {}
        try:
            return msgspec.json.decode(read_plain(path), type=dict[str, tuple[str, str]])
        except (OSError, msgspec.MsgspecError) as fault:
            raise HallError(
                f"{path}: {fault}; companion hall rights makes new ones once it is gone"
            ) from None

    def make_venue_users(self, tables: Iterable[str]) -> dict[str, str]:
        """Make up a user for each table at the venue's broker, and return the files that the venue adds. HallError without one."""
        if (venue := self.venue) is None:
            raise HallError("tables call at a broker of this hall's own, which has their rights already")
        users = users_for(self.id, tables, self.venue_users)
        write_private(self.desk / _VENUE_USERS, msgspec.json.encode(users))
        return files_for(self.id, venue.user, users)

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
        return Broker(self.desk / "broker", self.id, host, port, self._names(), most_each=self.most_each)

    @property
    def most_each(self) -> int:
        """How many connections one other address may hold at our own broker; 0: it serves this machine alone."""
        kept = self.logs.fact("each")
        return 0 if self.address.host == "127.0.0.1" else int(kept) if kept else MOST_EACH

    def set_each(self, most: int) -> None:
        """Say how many connections one address may hold at our own broker. HallError for none."""
        if not 1 <= most <= MOST_FIGURE:
            raise HallError(f"--each-address: expected 1 or more, got {most}")
        self.logs.set_fact("each", str(most))

    def _at(self, venue: Venue, who: str) -> Where:
        return Where(*self.address, *venue, Where.client_of(self.id, who))

    async def rights(self, venue: Venue) -> str:
        """Return what to ask of a venue whose broker lets its users do too little, or tables too much.

        Empty: neither, or it is not reached.
        """
        is_let = await is_heard(self._at(venue, "rights"), f"tc/1/{self.id}/rights")
        if is_let is False:
            return f"the venue's broker does not let {venue.user} speak and listen at tc/1/{self.id}/#; ask the venue for both"
        if is_let is None or not (users := self.venue_users):
            return ""
        table, (user, word) = next(iter(users.items()))
        as_table = self._at(venue._replace(user=user, password=word), "rights-of-a-table")
        # Where it hears itself at a place that is another table's, it could be that table.
        match await is_heard(as_table, f"tc/1/{self.id}/t/{_NO_TABLE}/rights"):
            case True:
                return (
                    f"the venue's broker lets table {table} ({user}) speak and listen as another table: "
                    "ask the venue for the rights in the file acl that companion hall rights wrote"
                )
            case None:
                return (
                    f"the venue's broker does not let table {table} in ({user}): ask the venue to add "
                    "the files acl and passwords that companion hall rights wrote"
                )
        return ""

    def director(self, told: Callable[[str], None], broker: Broker | None) -> Director:
        """Return the director's end of the link, to be run on a loop; over our own broker, or the one at the address."""
        host, port = self.address
        zero_ns = (
            time.time_ns() - time.monotonic_ns()
        )  # whatever is done to this machine's time while it runs
        office = self.office(broker.set_passwords if broker is not None else lambda _known, _waiting: None)
        where = Where(host, port, DIRECTOR, self._director_word(), office.ca.decode("ascii"))
        if (venue := self.venue) is not None:
            where = self._at(venue, DIRECTOR)
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
        self,
        told: Callable[[str], None],
        ready: Callable[[Director], None] = lambda _one: None,
        *,
        has_signals: bool = True,
    ) -> None:
        """Run director, and broker where it is ours, until told to end; a broker that dies is started again.

        Without `has_signals`, as in a thread of its own, nothing but being cancelled ends it.
        """
        venue = self.venue
        broker = self.broker() if venue is None else None
        director = self.director(told, broker)
        asking: asyncio.Task[str] | None = None
        if venue is not None:
            told(venue.told(self.id, self.venue_users))
            asking = asyncio.create_task(self.rights(venue))
        try:
            if broker is not None:
                broker.start()
        except HallError as fault:  # such as a port that is still taken
            told(f"{fault}; it is tried again")
        loop, ends = asyncio.get_running_loop(), asyncio.Event()
        loop.set_exception_handler(
            lambda _loop, _context: None
        )  # of sockets that a cut has closed; the link begins again
        for number in (signal.SIGTERM, signal.SIGINT) if has_signals else ():
            loop.add_signal_handler(number, ends.set)
        going: asyncio.Task[None] | None = None
        ready(director)
        try:
            while not ends.is_set():
                if broker is not None and broker.look_after():
                    told("the broker was started again; tables keep all")
                for line in broker.refused() if broker is not None else ():
                    told(line)
                if asking is not None and asking.done():
                    if line := asking.result():
                        told(line)
                    asking = None
                if going is not None and going.done():
                    going.result()
                # Over our own broker only once it is up: another there would have another director.
                if going is None and (broker is None or broker.is_up):
                    going = asyncio.create_task(director.run())
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(ends.wait(), 0.3)
        finally:
            try:
                await ended(*(one for one in (going, asking) if one is not None))
            finally:
                if broker is not None:
                    broker.stop()
