"""Cards and who is let in: a card carries a one-time secret; a box that shows it brings its own key and its own password.

A card that was used is dead, a second box with it is told as an alarm, and a retired table's password is taken away. The broker
checks the secret, since it is the table's password until the box has brought its own.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from collections.abc import Callable
from typing import Annotated, NamedTuple

import msgspec

from companion.hall.desk.broker import hashed
from companion.hall.desk.logs import Enrolled, Logs
from companion.hall.desk.venue import Venue, bytes_of, certificate_in
from companion.hall.errors import HallError
from companion.hall.messages import MessageError
from companion.hall.orders import Any_, Retire, legible
from companion.hall.typed import host_in

__all__ = ["Asked", "Asking", "Card", "Granted", "Office", "card_in", "check_table", "proof_of"]

_CARD = re.compile(
    r"TCHALL[12] (\S{1,100}) (\d{1,5}) ([a-z0-9]{1,32}) ([a-z0-9]{1,12}) ([A-Z2-7]{26}) ([0-9a-f]{64})"
    r"(?: ([\w-]{2,400}=*) ([\w-]{2,800}=*) ([\w-]{100,6000}=*))?",
    re.ASCII,
)
_TABLE = re.compile(r"(?!0)[0-9]{1,6}|(?![0-9]+\Z)[a-z0-9]{1,12}")
_RESERVED = ("all", "director", "guest")


class Card(msgspec.Struct, frozen=True):
    """What is on a card: where the hall is, which table this is, a secret for one use, and the authority's print."""

    host: str
    port: int
    hall: str
    table: str
    secret: str
    ca: str
    venue: Venue | None = None
    """Where the broker is the venue's: whom all tables call as; the authority comes along, as nobody can be asked for it there."""

    @property
    def text(self) -> str:
        """The card as one line, for a square and to be typed."""
        line = f"{self.host} {self.port} {self.hall} {self.table} {self.secret} {self.ca}"
        if self.venue is None:
            return f"TCHALL1 {line}"
        parts = (self.venue.user.encode(), self.venue.password.encode(), bytes_of(self.venue.ca))
        return " ".join(("TCHALL2", line, *(base64.urlsafe_b64encode(one).decode() for one in parts)))


def card_in(text: str) -> Card:
    """Read a card. HallError where it is none."""
    found = _CARD.fullmatch(" ".join(text.split()))
    venue = None
    if found is not None and (host_in(found[1]) is None or not 0 < int(found[2]) < 1 << 16):
        found = None
    if found is not None and found[9] is not None:
        try:
            user, password, der = (base64.urlsafe_b64decode(found[n]) for n in (7, 8, 9))
            venue = Venue(user.decode(), password.decode(), certificate_in(der))
        except ValueError:
            found = None
    if found is None:
        raise HallError(
            "expected an enrolment card of a hall (TCHALL1, then address, port, hall, table, secret and print), "
            f"got {text[:40]!r}; scan it again, or type it as it is printed"
        )
    return Card(found[1], int(found[2]), found[3], found[4], found[5], found[6], venue)


def check_table(table: str) -> None:
    """HallError where a table cannot be called so."""
    if not _TABLE.fullmatch(table) or table in _RESERVED:
        raise HallError(
            f"expected a table of one to twelve small letters and digits, such as 17, got {table[:40]!r}; nothing was changed"
        )


def proof_of(secret: str, *parts: bytes) -> str:
    """Return what only who knows a card's secret can say of some bytes: over a venue's broker nothing else proves it."""
    return hmac.new(secret.encode(), b"\0".join(parts), "sha256").hexdigest()


class Asking(msgspec.Struct, frozen=True):
    """What a box with a card says: its own public key, and the password it wants, both in base64."""

    key: Annotated[str, msgspec.Meta(max_length=44)]
    password: Annotated[str, msgspec.Meta(min_length=32, max_length=80, pattern="^[A-Za-z0-9_-]+\\Z")]
    proof: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """`proof_of` the card's secret over `key`; a venue's broker checks no secret."""


class Granted(msgspec.Struct, frozen=True):
    """What a box is told once it is let in: the key by which the director's orders are checked, in base64."""

    director: str
    key: str
    """The box's own, so that a second box with the same card knows that it is not meant."""
    proof: str = ""
    """`proof_of` the card's secret over both, as anybody at a venue's broker could say so."""


class Asked(NamedTuple):
    """What to tell the director of a box that shows its card."""

    text: str
    is_wrong: bool = False
    """It stays at the table; who only asks is on the list of those who do."""


SetPasswords = Callable[[dict[str, str], set[str]], None]


class Office:
    """Knows every table, and tells the broker who may connect."""

    def __init__(
        self, logs: Logs, ca: bytes, set_passwords: SetPasswords, director: str, venue: Venue | None = None
    ) -> None:
        """Read what is kept. `director` is the director's own password; `set_passwords` tells the broker, and who waits to be let in.

        At a `venue`'s broker secrets are checked here.
        """
        self._logs, self.ca, self._set_passwords = logs, ca, set_passwords
        self._director, self._venue = hashed(director), venue
        self.read()

    def read(self) -> None:
        """Read the tables anew, as after another program has changed them, and tell the broker."""
        self.tables = self._logs.tables()
        known = {one.table: one.password for one in self.tables.values() if one.password}
        waiting = {one.table for one in self.tables.values() if one.state != "in"}
        self._set_passwords({**known, "director": self._director}, waiting)

    def look(self) -> None:
        """Take what another program has changed meanwhile, such as a table that was let in or retired."""
        if self._logs.tables() != self.tables:
            self.read()

    def may_say(self, table: str, what: str) -> bool:
        """Say whether this is a table of the hall that may say so: until a box is let in it only asks for that."""
        one = self.tables.get(table)
        return one is not None and one.state != "retired" and (one.state == "in" or what == "enrol")

    def key_of(self, table: str) -> bytes:
        """Return a box's public key; empty where none was let in."""
        one = self.tables.get(table)
        return one.key if one is not None and one.state == "in" else b""

    def add(self, table: str, host: str, port: int, hall: str, print_: str) -> Card:
        """Make a card for a table; an older card or box of it is shut out. HallError for a name that is none."""
        check_table(table)
        secret = base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=")
        self._no_longer(table)
        self._logs.put_table(Enrolled(table, "card", hashed(secret), b""))
        self._logs.set_fact(f"secret:{table}", secret if self._venue is not None else "")
        self.read()
        return Card(host, port, hall, table, secret, print_, self._venue)

    def retire(self, table: str) -> None:
        """Shut a table out. HallError where there is none."""
        one = self.tables.get(table)
        if one is None:
            raise HallError(f"there is no table {table}; companion hall table list names them")
        self._no_longer(table)
        self._logs.put_table(Enrolled(table, "retired", "", one.key))
        self._logs.set_fact(f"secret:{table}", "")
        self.read()

    def _no_longer(self, table: str) -> None:
        """Take a wish that the box of a table leaves the hall as done: who has its place next is not to leave by it."""
        for n, to, what, issued, _until in self._logs.orders():
            if to == table and isinstance(msgspec.json.decode(what, type=Any_), Retire):
                self._logs.answer(n, table, "done", "", issued)

    def ask(self, table: str, data: bytes, where: str) -> Asked | None:
        """Take a box that shows its card; return what to tell the director, None: nothing. MessageError for anything else."""
        try:
            asking = msgspec.json.decode(data, type=Asking)
            key = base64.b64decode(asking.key, validate=True)
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            raise MessageError(f"{where}: {fault}; thrown away") from None
        if len(key) != 32:
            raise MessageError(f"{where}: key: expected 32 bytes, got {len(key)}; thrown away")
        one, secret = self.tables[table], self._logs.fact(f"secret:{table}")
        if self._venue is not None and not (
            secret and hmac.compare_digest(proof_of(secret, key).encode(), asking.proof.encode())
        ):
            raise MessageError(
                f"{where}: proof: expected what the newest card of table {table} gives; thrown away"
            )
        if one.key and one.key != key:
            return Asked(
                f"ALARM: a second box shows the card of table {table} ({legible(key)}); the first is {legible(one.key)}: "
                f"companion hall table retire, then add, makes a new card",
                is_wrong=True,
            )
        if one.state != "card":
            return None
        self._logs.put_table(Enrolled(table, "asks", one.password, key))
        self._logs.set_fact(f"wants:{table}", hashed(asking.password))
        self.tables = self._logs.tables()
        return Asked(
            f"table {table} asks to be let in: {legible(key)}; compare it with the box, then confirm"
        )

    def confirm(self, table: str) -> None:
        """Let a box in that has asked: from now on its own password counts, and its card is dead."""
        one = self.tables.get(table)
        if one is None or one.state != "asks":
            raise HallError(f"table {table} has not asked to be let in")
        self._logs.put_table(Enrolled(table, "in", self._logs.fact(f"wants:{table}"), one.key))
        self._logs.set_fact(f"wants:{table}", "")
        self.read()

    def grant(self, table: str, director: bytes) -> bytes:
        """Return what a box that was let in is told."""
        key, secret = self.tables[table].key, self._logs.fact(f"secret:{table}")
        proof = proof_of(secret, director, key) if secret else ""
        return msgspec.json.encode(
            Granted(base64.b64encode(director).decode(), base64.b64encode(key).decode(), proof)
        )
