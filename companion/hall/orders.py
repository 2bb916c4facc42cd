"""Orders of the director: signed wishes, each done once by the box it is meant for. The box's own writer decides.

A signature covers a fixed prefix and the exact bytes, and so hall, receiver, number and everything else. Numbers rise for ever per
key; a box keeps which of the last 1,024 it has taken (`Window`) and refuses older ones as a replay. No clock here: an order
says when it was issued and when it was sent, both by the director's clock.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Annotated, Literal, Protocol

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from companion.hall.messages import MOST_BYTES, VERSION, Count, Did, Hall, Long, MessageError, Millis, Short

__all__ = [
    "LATE_MS",
    "WINDOW",
    "AddTime",
    "Adjourn",
    "AskLog",
    "End",
    "LastRound",
    "Message",
    "Order",
    "Pause",
    "Resume",
    "Retire",
    "Seat",
    "Signs",
    "Start",
    "What",
    "Window",
    "did_signed",
    "is_did_of",
    "is_late",
    "legible",
    "order_in",
    "public_of",
    "signed",
]

LATE_MS = 60_000
"""An order to stop or start clocks that comes later than this asks the table instead."""
WINDOW = 1_024
_ORDER, _DID = b"table companion hall order 1\0", b"table companion hall did 1\0"


class What(msgspec.Struct, frozen=True, tag_field="kind", tag=True):
    """Base of what may be wished."""


class Pause(What, frozen=True, tag="pause"):
    """Stop the clocks."""

    reason: Short = ""


class Resume(What, frozen=True, tag="resume"):
    """Let the clock run on whose turn it is."""


class AddTime(What, frozen=True, tag="add_time"):
    """Give a side time, or take it."""

    side: Short
    ms: Annotated[int, msgspec.Meta(ge=-(24 * 3_600_000), le=24 * 3_600_000)]
    reason: Short = ""


class Message(What, frozen=True, tag="message"):
    """Show a text until it is tapped."""

    text: Long


class LastRound(What, frozen=True, tag="last_round"):
    """This round is the last one: then the game is counted."""

    reason: Short = ""


class Seat(What, frozen=True, tag="seat"):
    """Who plays what at this table: the box prepares the game, and one tap or `Start` begins it."""

    round: Count
    game: Short
    scenario: Short
    names: dict[Short, Short] = {}
    """Side to player."""
    minutes: Annotated[int, msgspec.Meta(ge=0, le=6_000)] = 0
    """Of a side and stage; 0: as the scenario says."""
    control: Short = ""
    """A time control by its name; what it asks stands in `options`."""
    options: dict[Short, int | float | bool | Short] = {}
    """Options and rulings of a new game that are not as usual."""
    code: Short = ""
    """Of the slip, with the hall's mark, so that nobody types it at the end."""


class Start(What, frozen=True, tag="start"):
    """Begin the game for which the table was seated."""

    round: Count


class Adjourn(What, frozen=True, tag="adjourn"):
    """Pause for another day."""


class End(What, frozen=True, tag="end"):
    """End the game."""

    winner: Short | None
    reason: Short


class AskLog(What, frozen=True, tag="ask_log"):
    """Send the whole log again."""


class Retire(What, frozen=True, tag="retire"):
    """Leave this hall."""


Any_ = Pause | Resume | AddTime | Message | LastRound | Seat | Start | Adjourn | End | AskLog | Retire
_ASKS_WHEN_LATE = (Pause, Resume, Start, Adjourn, End)


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One wish of the director."""

    v: int = VERSION
    hall: Hall
    n: Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
    to: Annotated[str, msgspec.Meta(pattern="^[a-z0-9]{1,12}\\Z")]
    """A table, or ``all``."""
    what: Any_
    issued: Millis
    """By the director's clock."""
    sent: Millis
    """By the director's clock; an order that is sent again is signed again."""
    until: Millis | None = None


class _Envelope(msgspec.Struct, frozen=True):
    order: str
    sig: Annotated[str, msgspec.Meta(max_length=100)]


_envelope = msgspec.json.Decoder(_Envelope)
_order = msgspec.json.Decoder(Order)


def public_of(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes by which a key's signatures are checked."""
    return key.public_key().public_bytes_raw()


def legible(public: bytes) -> str:
    """Return a public key's print as four groups that can be read aloud and compared."""
    text = base64.b32encode(hashlib.sha256(b"table companion box\0" + public).digest()).decode()[:16]
    return "-".join(text[at : at + 4] for at in range(0, 16, 4))


def signed(order: Order, key: Ed25519PrivateKey) -> bytes:
    """Return an order as it is sent."""
    body = msgspec.json.encode(order)
    sig = base64.b64encode(key.sign(_ORDER + body)).decode()
    return msgspec.json.encode(_Envelope(body.decode(), sig))


def order_in(data: bytes, public: bytes, hall: str, table: str, where: str) -> Order:
    """Return an order that is genuine and meant for this table. MessageError for anything else.

    Whether its number was used already is not checked here (`Window`).
    """
    try:
        if len(data) > MOST_BYTES:
            raise MessageError(f"{where}: expected at most {MOST_BYTES} bytes, got {len(data)}; thrown away")
        envelope = _envelope.decode(data)
        Ed25519PublicKey.from_public_bytes(public).verify(
            base64.b64decode(envelope.sig, validate=True), _ORDER + envelope.order.encode()
        )
        order = _order.decode(envelope.order)
    except InvalidSignature:
        raise MessageError(f"{where}: expected the director's signature, got another one; not done") from None
    except MessageError:
        raise
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise MessageError(f"{where}: {fault}; not done") from None
    except ValueError as fault:
        raise MessageError(f"{where}: sig: expected base64, got {fault}; not done") from None
    if order.v != VERSION:
        raise MessageError(
            f"{where}: it speaks version {order.v}, this program {VERSION}: update the older one"
        )
    if order.hall != hall:
        raise MessageError(f"{where}: hall: expected {hall}, got {order.hall}; not done")
    if order.to not in (table, "all"):
        raise MessageError(f"{where}: to: expected {table}, got {order.to}; not done")
    return order


def is_late(order: Order, now_ms: int | None) -> bool:
    """Say whether an order is too old to be simply done: then the table is asked.

    `now_ms` is the director's clock as the box knows it; None: it does not, and nothing counts as fresh.
    """
    if order.until is not None and (now_ms is None or now_ms > order.until):
        return True
    if not isinstance(order.what, _ASKS_WHEN_LATE):
        return False
    return now_ms is None or now_ms - order.issued > LATE_MS


class Window(msgspec.Struct, frozen=True):
    """Which numbers of a key have been taken."""

    high: int = 0
    taken: frozenset[int] = frozenset()
    """Of the last `WINDOW` numbers."""

    def judge(self, n: int) -> Literal["new", "done", "replay"]:
        """Say what a number is: new, taken already, or so old that it cannot be known."""
        if n <= self.high - WINDOW:
            return "replay"
        return "done" if n in self.taken else "new"

    def with_taken(self, n: int) -> Window:
        """Return the window after a number was taken."""
        high = max(self.high, n)
        return Window(high, frozenset(one for one in (*self.taken, n) if one > high - WINDOW))


class Signs(Protocol):
    """A box's own key."""

    def sign(self, data: bytes, /) -> bytes:
        """Return the Ed25519 signature of some bytes."""
        ...


def did_signed(did: Did, key: Signs, hall: str, table: str) -> Did:
    """Return what became of an order, signed by the box."""
    sig = base64.b64encode(key.sign(_did_bytes(did, hall, table))).decode()
    return msgspec.structs.replace(did, sig=sig)


def is_did_of(did: Did, public: bytes, hall: str, table: str) -> bool:
    """Say whether the box with this key has said so."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(
            base64.b64decode(did.sig, validate=True), _did_bytes(did, hall, table)
        )
    except (InvalidSignature, ValueError):
        return False
    return True


def _did_bytes(did: Did, hall: str, table: str) -> bytes:
    return _DID + msgspec.json.encode((hall, table, did.n, did.code, did.at))
