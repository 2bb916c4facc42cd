"""What a time control adds to a clock: which time is the one that runs, and what stands beside it in words."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.ids import Actor, Millis, Side
from companion.core.state import GameState
from companion.pages import times
from companion.pages.i18n import _, ngettext

__all__ = ["ControlFace", "control_face", "first_time_ms", "steady_face", "token_command", "token_side"]


class ControlFace(msgspec.Struct, frozen=True):
    """A side's time under a control at one instant."""

    digits_ms: Millis
    """The time that is used now, or that the side's next turn begins with."""
    level_ms: Millis
    """The time that warnings are about: all that the side has in its turn."""
    note: str = ""
    """What else there is: a delay that runs, the bank, tokens and periods."""
    ticks_ms: Millis | None = None
    """The time that goes down now, the digits or the delay; None while nothing does."""


def control_face(state: GameState, side: Side, now_ms: Millis) -> ControlFace | None:
    """Return a side's time under the game's control; None in a game without one, or before the first stage."""
    clocks, control = state.clocks, state.clocks.config.control
    rests = ck.rests(clocks, side, now_ms)
    if control is None or rests is None or clocks.turns is UNSET:
        return None
    seen = ck.as_of(clocks, now_ms)
    left, is_running = sum(rests), clocks.running == side
    turn_ms, is_open = rests.turn_ms, side in clocks.turns.open
    if not is_open:
        turn_ms = _next_free_ms(state, side)
    notes = []
    own = rests.bank_ms + rests.token_ms
    if control.turn_ms and turn_ms:
        digits, own_note = turn_ms, own
    elif control.delay == "simple" and turn_ms and own:
        digits, own_note = own, 0
        if is_open:
            notes.append(_("Delay {time}").format(time=times.countdown(turn_ms)))
    elif turn_ms + own:
        digits, own_note = turn_ms + own, 0
    else:
        # A side that waits has a whole period when its turn begins.
        waits = not is_open and ck.periods_left(seen, side) > 0
        digits, own_note = control.period_ms if waits else rests.period_ms, 0
    if own_note >= 1000:
        notes.append(_("Bank {time}").format(time=times.countdown(own_note)))
    notes += [counts] if (counts := _counts(state, side, now_ms)) else []
    is_delayed = control.delay == "simple" and not control.turn_ms and rests.turn_ms > 0 and own > 0
    ticks = (rests.turn_ms if is_delayed else digits) if is_running and left else None
    level = left if is_open else max(digits, left + turn_ms)
    return ControlFace(digits, level, " · ".join(notes), ticks)


def steady_face(state: GameState, side: Side, now_ms: Millis) -> tuple[Millis, str] | None:
    """Return a side's time for whoever counts it down alone until the next change, and a note that holds until then.

    It is all that the side has left in its turn, so it is right however it is made up; the note says so where the box shows
    only the part that is used now. None in a game without a control.
    """
    control, face = state.clocks.config.control, control_face(state, side, now_ms)
    if control is None or face is None or state.clocks.turns is UNSET:
        return None
    left = ck.remaining(state.clocks, side, now_ms)
    if left is None or side not in state.clocks.turns.open:
        return face.digits_ms, _counts(state, side, now_ms)
    has_parts = control.turn_ms or (control.delay == "simple" and control.delay_ms)
    parts = (_("all time left") if has_parts else "", _counts(state, side, now_ms))
    return left, " · ".join(part for part in parts if part)


def _counts(state: GameState, side: Side, now_ms: Millis) -> str:
    """Return how many tokens and periods a side has left; empty where its control has none."""
    control, seen = state.clocks.config.control, ck.as_of(state.clocks, now_ms)
    notes = []
    if control is not None and control.tokens:
        tokens = ck.tokens_left(seen, side)
        notes.append(ngettext("{n} token", "{n} tokens", tokens).format(n=tokens))
    if control is not None and control.periods:
        periods = ck.periods_left(seen, side)
        notes.append(ngettext("{n} period", "{n} periods", periods).format(n=periods))
    return " · ".join(notes)


def first_time_ms(state: GameState, side: str) -> Millis:
    """Return what a side will have in the first stage, before which nothing counts down yet."""
    config = state.clocks.config
    bank = next(iter(config.allotted_ms.get(side, ())), 0)
    if config.control is None:
        return bank
    turn = _next_free_ms(state, Side(side))
    return turn if config.control.turn_ms else bank + config.control.increment_ms + turn


def _next_free_ms(state: GameState, side: Side) -> Millis:
    """Return the time of its own that a side's next turn begins with, as far as the sequence of play is known."""
    control = state.clocks.config.control
    if control is None:
        return 0
    for step in state.itinerary.steps[state.index :]:
        if step.clock == side:
            return control.free_ms(side, step.nation)
    return control.free_ms(side, None)


def token_side(state: GameState) -> Side | None:
    """Return the side that may spend an extension token now: whose clock runs, where its control leaves that to it."""
    control, side = state.clocks.config.control, state.clocks.running
    if control is None or side is None or control.token_use != "ask" or state.ending is not None:
        return None
    return side if ck.tokens_left(state.clocks, side) else None


def token_command(state: GameState, side: Side, at_ms: Millis) -> tuple[cm.Command, Actor]:
    """Return the spending of a token, in that side's name."""
    return cm.SpendToken(side, state.step.id, at_ms), Actor(side)
