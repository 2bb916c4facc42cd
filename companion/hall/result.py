"""A result that a table has signed: what both players confirmed, as one short text that fits a QR code.

The text is ``TCR1:``, then public key, signature and the signed bytes in base45, then ``/``. The signed bytes are an array in
msgpack behind a fixed prefix. Who signed is told by the fingerprint of the key, which the box shows and the hall keeps.
Nothing here reads a file, a clock or chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from companion.core import base45
from companion.core.text import Say, Typed
from companion.hall.errors import HallError
from companion.hall.orders import legible
from companion.hall.typed import whole_in

__all__ = [
    "MARK",
    "RESULT_VERSION",
    "Signed",
    "SignedResult",
    "hall_mark",
    "is_result",
    "read_result",
    "seat_of",
    "written_result",
]

RESULT_VERSION = 1
MARK = "TCR1:"
"""What every text of a result begins with."""
_END = "/"
_PREFIX = b"table companion result 1\0"
_KEY, _SIGNATURE, _LONGEST = 32, 64, 2_000


class SignedResult(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a table says of its game; sides go by their ids, in lower case."""

    v: int
    hall: str
    """The hall's mark where the box knows it, a dot, and the sign of the slip's code (``9F3A21C0.K7QF``)."""
    round: int
    table: int
    game: bytes
    """Id of the game, as its chain begins with it."""
    branch: bytes
    """Digest that the game forks from after a recovery; empty: none."""
    seq: int
    """The entry that the result was read from."""
    winner: str | None
    """None: a draw."""
    how: Literal["played", "conceded", "adjudicated"]
    level: str
    """Degree of victory in the game's own word; empty: it has none."""
    vp: dict[str, int]
    """Victory points of a side; empty: the game counts none, or not all are known."""
    left: dict[str, int]
    """Whole seconds left on a side's clock; empty: no clocks."""
    flags: tuple[str, ...]
    """Sides whose flag has fallen."""
    digest: bytes
    """Of the chain at `seq`."""


class Signed(NamedTuple):
    """A result whose signature holds, and whose it is."""

    result: SignedResult
    public: bytes

    @property
    def box(self) -> str:
        """Return the fingerprint of the box that signed."""
        return legible(self.public)


def hall_mark(id_: str) -> str:
    """Return what tells a hall from others in a result: eight signs made of its tournament's id."""
    return hashlib.sha256(b"table companion hall\0" + id_.encode()).hexdigest()[:8].upper()


def seat_of(code: str) -> tuple[int, int, str]:
    """Return round, table and `SignedResult.hall` of a slip's code, with or without the hall's mark before it.

    Such as ``2-14-K7QF`` or ``9F3A21C0.2-14-K7QF``. HallError where it is none.
    """
    mark, dot, slip = code.strip().upper().rpartition(".")
    parts = slip.split("-")
    is_marked = not dot or (len(mark) == 8 and mark.isalnum())
    number, table = (whole_in(part) for part in (*parts, "", "")[:2])
    if len(parts) != 3 or number is None or table is None or not is_marked:
        raise HallError(f"{code[:40]!r} is no code of a slip; one reads like 2-14-K7QF")
    return number, table, f"{mark}.{parts[2]}"


def is_result(text: str) -> bool:
    """Say whether a text means to be a result."""
    return text.strip().upper().startswith(MARK)


def written_result(result: SignedResult, public: bytes, sign: Callable[[bytes], bytes]) -> str:
    """Return a result as the text of its code; `sign` makes the Ed25519 signature of some bytes with the box's key."""
    body = msgspec.msgpack.encode(result)
    return f"{MARK}{base45.encode(public + sign(_PREFIX + body) + body)}{_END}"


def read_result(text: str) -> Signed:
    """Return what a text says. HallError in one line where it is none, of another version, or was changed since it was signed."""
    text = text.strip()
    if not text.startswith(MARK) or not text.endswith(_END) or len(text) > _LONGEST:
        raise HallError(
            Say(
                "this is no result of a table: expected a text from {first} to {last}, got {got}; read its code again",
                first=Typed(MARK),
                last=Typed(_END),
                got=Typed(repr(text[:24])),
            )
        )
    try:
        data = base45.decode(text[len(MARK) : -len(_END)])
    except base45.Base45Error as fault:
        sign = len(MARK) + fault.at + 1
        raise HallError(Say("sign {n} of the result cannot be; read its code again", n=sign)) from None
    public, signature, body = data[:_KEY], data[_KEY : _KEY + _SIGNATURE], data[_KEY + _SIGNATURE :]
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _PREFIX + body)
    except (InvalidSignature, ValueError):
        raise HallError(
            Say("the result was changed since its table signed it; read its code again")
        ) from None
    try:
        version = msgspec.msgpack.decode(body, type=list[msgspec.Raw])[:1]
        spoken = msgspec.msgpack.decode(version[0], type=int) if version else 0
        if spoken != RESULT_VERSION:
            raise HallError(
                f"the table writes results of version {spoken}, this hall reads {RESULT_VERSION}: update it"
            )
        return Signed(msgspec.msgpack.decode(body, type=SignedResult), public)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise HallError(f"the signed result cannot be read: {fault}") from None
