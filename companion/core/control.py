"""Time controls of conventions: what a side gets beyond the clock of its stage, and what was used of it.

A control gives time in a turn: time of the turn itself, a delay, an increment, extension tokens, periods of byo-yomi.
Time is used in this order: turn time and delay, the side's own clock (its bank), tokens, periods. Whatever is given
is an entry at an exact instant; time that was spent is never rewritten. `Turns` is the ledger of all turns of a game, so
that an undo keeps every millisecond in the turn in which it was used.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from companion.core.ids import Millis, Nation, Side

__all__ = ["TimeControl", "Turn", "Turns"]


class TimeControl(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a clock does beyond counting down the time of a side and stage."""

    id: str = ""
    """The preset that it was made from; empty for the table's own."""
    title: str = ""
    """English source text of its name; empty for the table's own."""
    unit: Literal["step", "turn", "stage"] = "turn"
    """What a turn is: one step, an unbroken run of steps of one owner and nation, or all of a side's steps of a stage."""
    turn_ms: dict[str, Millis] = {}
    """Nation or side to the time of each of its turns; an unused rest is lost."""
    increment_ms: Millis = 0
    """Added to the bank when a turn begins, before the first too."""
    delay_ms: Millis = 0
    """Time at the start of each turn that the bank does not pay; an unused rest is lost."""
    delay: Literal["bronstein", "simple"] = "bronstein"
    """How a delay is shown: counted down together with the bank, or before it while the bank stands."""
    tokens: int = 0
    """Extension tokens of each side, for the whole game."""
    token_ms: Millis = 0
    token_use: Literal["auto", "ask"] = "auto"
    """Whether a token is spent when the bank is empty, or only when its side says so before that."""
    token_rest: Literal["lost", "kept"] = "lost"
    """What becomes of the rest of a token when its turn ends."""
    tokens_gone_vp: int = 0
    """Victory points for the other side when the last token is spent; the table counts them."""
    periods: int = 0
    """Periods of byo-yomi of each side: once the bank is empty a turn that ends within one does not use it up."""
    period_ms: Millis = 0
    stops_in: tuple[str, ...] = ()
    """Phases or acts in which every clock stands."""
    at_zero: Literal["flag", "lose", "only_mark"] = "flag"
    """The game's own loss for a fallen flag, the game itself, or a mark in the log while play goes on."""

    def free_ms(self, side: Side, nation: Nation | str | None) -> Millis:
        """Return the time at the start of a turn that the bank does not pay: turn time and delay."""
        return self.turn_ms.get(nation or "", self.turn_ms.get(side, 0)) + self.delay_ms


class Turn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn: what it gave, what was spent in it, and what is left of its tokens and periods."""

    side: Side
    slot: int
    """Position of its stage, where its time counts."""
    increment_ms: Millis = 0
    free_ms: Millis = 0
    """Turn time and delay."""
    spent_ms: Millis = 0
    """Measured time, over every attempt at this turn."""
    tokens: int = 0
    token_ms: Millis = 0
    token_rest_ms: Millis = 0
    """What is left of tokens whose rest ends with the turn."""
    periods_gone: int = 0
    period_ms: Millis = 0
    period_rest_ms: Millis = 0
    back_ms: Millis = 0
    """Taken back when it ended: unused rests, less what it overran."""
    is_begun: bool = True
    """False after an undo to before it; what was spent in it stays."""

    @property
    def given_ms(self) -> Millis:
        """Return what the turn adds to its side's time; an undo's increments are `Turns.given_ms`'s matter.

        A turn that an undo took out gives what its own time covers of what was spent in it, and the rest of its tokens:
        they stay spent, so nobody is out of time who was not.
        """
        if self.is_begun:
            return self.increment_ms + self.free_ms + self.token_ms + self.period_ms - self.back_ms
        return self._covered_ms + self.token_rest_ms

    @property
    def _covered_ms(self) -> Millis:
        used = self.token_ms - self.token_rest_ms + self.period_ms - self.period_rest_ms
        return min(self.free_ms, self.spent_ms) + used

    @property
    def from_bank_ms(self) -> Millis:
        """Return what was spent beyond free time, tokens and periods."""
        return max(0, self.spent_ms - self._covered_ms)

    @property
    def free_rest_ms(self) -> Millis:
        """Return what is left of turn time and delay."""
        return max(0, self.free_ms - self.spent_ms)

    def charged(self, used_ms: Millis, left_ms: Millis) -> Turn:
        """Return the turn after some more time; `left_ms` is all that its side then has left.

        With `used_ms` 0 it follows a correction of the clock: the bank is used before tokens, these before periods.
        """
        after = replace(self, spent_ms=self.spent_ms + used_ms)
        own = max(0, left_ms - after.free_rest_ms)
        period = min(self.period_rest_ms, own)
        token = min(self.token_rest_ms, own - period)
        return replace(after, token_rest_ms=token, period_rest_ms=period)

    def closing_ms(self, left_ms: Millis) -> Millis:
        """Return what is taken back when the turn ends with `left_ms`; negative where it was overrun."""
        back = self.free_rest_ms + self.token_rest_ms + self.period_rest_ms
        return back + min(0, left_ms - back)


class Turns(msgspec.Struct, frozen=True):
    """Every turn of a game in the order in which they first began."""

    ledger: dict[str, Turn] = {}
    """Key of a turn (the id of its first step) to what it gave and what was spent."""
    open: dict[Side, str] = {}
    """Side to the key of its turn that goes on."""
    over: tuple[Side, ...] = ()
    """Sides whose time ran out in the open turn where that is only marked."""

    def current(self, side: Side) -> Turn | None:
        """Return a side's turn that goes on."""
        return self.ledger.get(self.open.get(side, ""))

    def put(self, key: str, turn: Turn) -> Turns:
        """Return the ledger with one turn changed."""
        return replace(self, ledger={**self.ledger, key: turn})

    def given_ms(self, side: Side, upto: int) -> Millis:
        """Return what a side's turns gave in stages up to a position.

        Of the increments of turns that an undo took out stays what was spent of them: nobody's flag falls by an undo.
        """
        turns = [turn for turn in self.ledger.values() if turn.side == side and turn.slot <= upto]
        undone = [turn for turn in turns if not turn.is_begun]
        spent = min(sum(t.increment_ms for t in undone), sum(t.from_bank_ms for t in undone))
        return sum(turn.given_ms for turn in turns) + spent

    def tokens_spent(self, side: Side) -> int:
        """Return how many tokens a side has spent; an undo brings none back."""
        return sum(turn.tokens for turn in self.ledger.values() if turn.side == side)

    def periods_gone(self, side: Side) -> int:
        """Return how many periods a side has used up; an undo brings none back."""
        return sum(turn.periods_gone for turn in self.ledger.values() if turn.side == side)

    def began(self, key: str, turn: Turn) -> Turns:
        """Return the ledger with a turn begun, or begun again with what was spent in it before."""
        before = self.ledger.get(key)
        if before is not None:
            turn = replace(before, slot=turn.slot, is_begun=True, back_ms=0)
        over = tuple(side for side in self.over if side != turn.side)
        return replace(self.put(key, turn), open={**self.open, turn.side: key}, over=over)

    def ended(self, side: Side, key: str, back_ms: Millis) -> Turns:
        """Return the ledger with a turn ended; a turn that it does not hold changes nothing."""
        turn = self.ledger.get(key)
        if turn is None:
            return self
        is_open = {who: of for who, of in self.open.items() if of != key}
        over = tuple(who for who in self.over if who != side)
        return replace(self.put(key, replace(turn, back_ms=back_ms)), open=is_open, over=over)
