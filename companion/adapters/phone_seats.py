"""Who of the phones sits where, who asks to, and what a press from a seat may do. Pure of sockets and of time."""

from __future__ import annotations

from companion.core.commands import Command
from companion.core.ids import Actor, Millis
from companion.core.state import GameState
from companion.pages.clocks import press_half
from companion.pages.phone_pages import may_press, press_act
from companion.pages.phones import Sitting

__all__ = ["MOST_NAME", "MOST_WISHES", "PRESS_OLD_MS", "Seats"]

MOST_WISHES, MOST_NAME = 6, 24
"""Phones that may wait for an answer at once, and letters of a name."""
PRESS_OLD_MS = 2_000
"""A press that reaches the program later than this after it reached the box counts for nothing, as one by cable does."""


class Seats:
    """Sides and the phones that hold them: one live phone a side."""

    def __init__(self, held: tuple[Sitting, ...] = ()) -> None:
        """Begin with those who sat when the program was killed."""
        self.held = {one.token: one for one in held}
        self.wishes: dict[str, Sitting] = {}
        self.is_locked = False

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
            self.held = {
                key: one for key, one in self.held.items() if one.seat != asked.seat and key != token
            }
            self.held[token] = asked

    def kick(self, token: str) -> None:
        """Take a side from a phone."""
        self.held.pop(token, None)

    def seat_of(self, token: str) -> str:
        """Return the side that a phone holds; empty: none."""
        held = self.held.get(token)
        return held.seat if held is not None else ""

    def press(
        self, token: str, act: str, at_ms: Millis, now_ms: Millis, state: GameState | None
    ) -> tuple[Command, Actor] | None:
        """Return what a press does; None where it does nothing.

        It counts from the instant at which it reached the box, for the act that its page showed and for that alone.
        """
        seat = self.seat_of(token)
        if not seat or state is None or state.setup is None or may_press(state, seat) is not None:
            return None
        if act != press_act(state) or not now_ms - PRESS_OLD_MS <= at_ms <= now_ms:
            return None
        return press_half(state, seat, at_ms)
