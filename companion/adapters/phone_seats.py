"""Who of the phones sits where, who asks to, and what a press from a seat may do. Pure of sockets and of time."""

from __future__ import annotations

import hmac
import secrets
from typing import NamedTuple

from companion.adapters.phone_evening import Keyed
from companion.adapters.phone_seal import Act, SealedLine, new_key
from companion.core.commands import Command
from companion.core.ids import Actor, Millis
from companion.core.state import GameState
from companion.pages.clocks import press_half
from companion.pages.phone_pages import Seating, may_press, press_act
from companion.pages.phones import Sitting

__all__ = ["MOST_ALTERED", "MOST_NAME", "MOST_WISHES", "PRESS_OLD_MS", "TICKET_S", "Offer", "Seats"]

MOST_WISHES, MOST_NAME = 6, 24
"""Phones that may wait for an answer at once, and letters of a name."""
PRESS_OLD_MS = 2_000
"""A press that reaches the program later than this after it reached the box counts for nothing, as one by cable does."""


TICKET_S = 120.0
"""So long a side's own code can be scanned."""
MOST_ALTERED = 3
"""After so many sealed acts in a row that cannot be opened, the seat has to be scanned again."""


class Offer(NamedTuple):
    """A side's own code that waits to be scanned."""

    seat: str
    ticket: str
    key: bytes
    until_s: float


class Seats:
    """Sides and the phones that hold them: one live phone a side."""

    def __init__(
        self, held: tuple[Sitting, ...] = (), keys: tuple[Keyed, ...] = (), *, start: int = 0
    ) -> None:
        """Begin with those who sat when the program was killed; `start` is how often it has begun since (`SealedLine`)."""
        self.held = {one.token: one for one in held}
        self.wishes: dict[str, Sitting] = {}
        self.is_locked = False
        self.offer: Offer | None = None
        self._start = start
        self._lines = {
            one.token: SealedLine(bytes.fromhex(one.key), start=start, last=one.last)
            for one in keys
            if one.token in self.held
        }
        self._altered: dict[str, int] = {}

    # Private seats

    @property
    def keys(self) -> tuple[Keyed, ...]:
        """What is kept of the phones that have a key."""
        return tuple(Keyed(token, line.key.hex(), line.last) for token, line in self._lines.items())

    def line(self, token: str) -> SealedLine | None:
        """Return what is sealed with a phone; None where it has no key."""
        return self._lines.get(token)

    def page_of(self, token: str) -> str:
        """Return the page that a phone at a side looks at: sealed where it has a key."""
        return f"{'own' if token in self._lines else 'mine'}-{self.held[token].seat}"

    def offer_own(self, seat: str, now_s: float) -> Offer:
        """Make a side's own code; the one before is worth nothing anymore."""
        self.offer = Offer(seat, secrets.token_urlsafe(16), new_key(), now_s + TICKET_S)
        return self.offer

    def scan(self, token: str, ticket: str, name: str, now_s: float) -> bool:
        """Use a ticket up; say whether the phone has the side now. Whoever held it before holds it no more."""
        offer = self.offer
        if offer is None or not hmac.compare_digest(ticket.encode(), offer.ticket.encode()):
            return False
        self.offer = None
        if now_s > offer.until_s:
            return False
        self._sit(Sitting(token, offer.seat, name, is_private=True))
        self._lines[token] = SealedLine(offer.key, start=self._start)
        return True

    def open(self, token: str, sealed: str) -> Act | bool:
        """Take what a phone sent sealed: its act, or whether it was taken already; False: altered, replayed, another's.

        After `MOST_ALTERED` in a row that do not open the phone holds its side no more.
        """
        line = self._lines.get(token)
        if line is None:
            return False
        if line.is_again(sealed):
            return True
        found = line.open(sealed)
        if found is None:
            return self._note_altered(token)
        self._altered.pop(token, None)
        count, act = found
        return act if line.take(count, sealed) else False

    def open_photo(self, token: str, data: bytes) -> tuple[Act, bytes] | None:
        """Take a photo that a phone sent sealed, and what it is for; None as `open`'s False."""
        line = self._lines.get(token)
        found = line.open_bytes(data) if line is not None else None
        if line is None or found is None:
            self._note_altered(token)
            return None
        self._altered.pop(token, None)
        count, act, photo = found
        return (act, photo) if line.take(count, "") else None

    def _note_altered(self, token: str) -> bool:
        self._altered[token] = self._altered.get(token, 0) + 1
        if self._altered[token] >= MOST_ALTERED:
            self.kick(token)
        return False

    def _sit(self, one: Sitting) -> None:
        """Let a phone sit; it holds nothing else, and nobody else holds its side."""
        for token in [key for key, other in self.held.items() if other.seat == one.seat or key == one.token]:
            self.kick(token)
        self.wishes.pop(one.token, None)
        self.held[one.token] = one

    # Seats in the open

    @property
    def seating(self) -> Seating:
        """What everybody may know who looks for a seat."""
        asked = {one.seat: one.name for one in self.wishes.values()}
        return Seating(frozenset(one.seat for one in self.held.values()), asked, self.is_locked)

    def wish(self, token: str, seat: str, name: str, state: GameState | None) -> bool:
        """Take that a phone asks for a side; return whether the table is to be asked."""
        if state is None or state.setup is None or seat not in {info.id for info in state.setup.sides}:
            return False
        known = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:MOST_NAME]
        if self.is_locked or not known or (token not in self.wishes and len(self.wishes) >= MOST_WISHES):
            return False
        self.wishes[token] = Sitting(token, seat, known)
        return True

    def answer(self, token: str, *, is_let_in: bool) -> None:
        """Take the table's answer; whoever held the side before holds it no more."""
        asked = self.wishes.pop(token, None)
        if asked is not None and is_let_in:
            self._sit(asked)

    def kick(self, token: str) -> None:
        """Take a side from a phone, and its key with it."""
        self.held.pop(token, None)
        self._lines.pop(token, None)
        self._altered.pop(token, None)

    def lock(self, *, is_locked: bool) -> None:
        """Let nobody else in: who waits is sent away, and a code that waits to be scanned is worth nothing."""
        self.is_locked = is_locked
        if is_locked:
            self.wishes.clear()
            self.offer = None

    def seat_of(self, token: str) -> str:
        """Return the side that a phone holds; empty: none."""
        held = self.held.get(token)
        return held.seat if held is not None else ""

    def token_of(self, seat: str) -> str:
        """Return the phone that holds a side; empty: none."""
        return next((token for token, one in self.held.items() if one.seat == seat), "")

    def press(
        self,
        token: str,
        act: str,
        at_ms: Millis,
        now_ms: Millis,
        state: GameState | None,
        *,
        is_sealed: bool = False,
        may_tournament: bool = False,
    ) -> tuple[Command, Actor] | None:
        """Return what a press does; None where it does nothing.

        It counts from the instant at which it reached the box, for the act that its page showed and for that alone. A phone
        with a key presses sealed or not at all; `may_tournament` is the arbiter's word for both sides.
        """
        seat = self.seat_of(token)
        if not seat or state is None or state.setup is None or is_sealed != (token in self._lines):
            return None
        if may_press(state, seat, may_tournament=is_sealed and may_tournament) is not None:
            return None
        if act != press_act(state) or not now_ms - PRESS_OLD_MS <= at_ms <= now_ms:
            return None
        return press_half(state, seat, at_ms)
