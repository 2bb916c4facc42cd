"""What goes between the program and one seat's own phone: sealed with a key that only these two have.

ChaCha20-Poly1305 (RFC 8439). A nonce is a direction and a count: the program's counts begin above those of every start before
(`Keyed.first`), a phone's only rise, and what was taken once is never taken again. Texts are padded, so that their length tells
little. Pure of sockets and of time.
"""

from __future__ import annotations

import base64
import secrets
from typing import Annotated

import msgspec

__all__ = ["MOST_SEALED", "MOST_STARTS", "Act", "SealedLine", "new_key"]

MOST_SEALED = 4000
"""Signs of a sealed act, as they are posted."""
MOST_STARTS = 1 << 20
"""So many starts of the program an evening may see; its counts stay exact in a browser's numbers."""

_KEY, _NONCE, _TAG, _LENGTH = 32, 12, 16, 4
_DOWN, _UP = b"\0", b"\1"
_PAGE_BLOCK, _MOST_OF_START = 1024, 1 << 32
Short = Annotated[str, msgspec.Meta(max_length=200)]


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a phone asks for."""

    act: Short
    at: Short = ""
    """Names the page that was pressed."""
    answers: Annotated[dict[Short, Short], msgspec.Meta(max_length=20)] = {}


_acts = msgspec.json.Decoder(Act)


def new_key() -> bytes:
    """Return a key for one seat and one evening."""
    return secrets.token_bytes(_KEY)


class SealedLine:
    """One key, both directions."""

    def __init__(self, key: bytes, *, start: int, last: int = 0) -> None:
        """Take a key.

        Args:
            key: 32 bytes.
            start: How often the program has begun with this evening's keys; no count of an earlier start comes again.
            last: The newest count that was taken from the phone.

        Raises:
            ValueError: The key has another length, or there were more starts than an evening may see.
        """
        if not 0 <= start < MOST_STARTS:
            raise ValueError(f"start {start}; expected 0 to {MOST_STARTS - 1}")
        self.key, self.last = key, last
        from cryptography.hazmat.primitives.ciphers.aead import (
            ChaCha20Poly1305,
        )  # phones are a table's choice

        self._cipher = ChaCha20Poly1305(key)
        self._next = start * _MOST_OF_START + 1
        self._end = (start + 1) * _MOST_OF_START
        self._taken = ""
        self._before = (last, "")

    def seal(self, html: str) -> str:
        """Return a page as the phone is sent it, with the newest count that was taken from it. OverflowError: used up."""
        if self._next >= self._end:
            raise OverflowError("all counts of this start are used up")
        nonce = _DOWN + bytes(3) + self._next.to_bytes(8, "big")
        self._next += 1
        told = msgspec.json.encode({"taken": self.last, "html": html})
        framed = len(told).to_bytes(_LENGTH, "big") + told
        framed += bytes(-len(framed) % _PAGE_BLOCK)
        return base64.b64encode(nonce + self._cipher.encrypt(nonce, framed, None)).decode()

    def open(self, sealed: str) -> tuple[int, Act] | None:
        """Return the count and the act of what a phone sent; None where it was altered, is another's, or no act.

        Whether its count is new is not looked at, see `take`.
        """
        try:
            data = base64.b64decode(sealed, validate=True)
        except ValueError:
            return None
        found = self.open_bytes(data) if len(sealed) <= MOST_SEALED else None
        return found and found[:2]

    def open_bytes(self, data: bytes) -> tuple[int, Act, bytes] | None:
        """Return the count and the act of what a phone sent, and what stands behind it, such as a photo; as `open`."""
        from cryptography.exceptions import InvalidTag

        nonce = data[:_NONCE]
        if len(data) < _NONCE + _TAG + _LENGTH or nonce[:1] != _UP:
            return None
        try:
            framed = self._cipher.decrypt(nonce, data[_NONCE:], None)
            length = int.from_bytes(framed[:_LENGTH], "big")
            act = _acts.decode(framed[_LENGTH : _LENGTH + length])
        except (InvalidTag, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return int.from_bytes(nonce[4:], "big"), act, framed[_LENGTH + length :]

    def take(self, count: int, sealed: str) -> bool:
        """Say whether a count is new, and take it; one that is not is a replay."""
        if not self.last < count < 1 << 53:
            return False
        self._before, self.last, self._taken = (self.last, self._taken), count, sealed
        return True

    def give_back(self) -> None:
        """Take back that the newest count was taken: nothing was done for it, so it may come again."""
        self.last, self._taken = self._before

    def is_again(self, sealed: str) -> bool:
        """Say whether this is the newest act once more: a phone that heard no answer sends it again."""
        return bool(sealed) and sealed == self._taken
