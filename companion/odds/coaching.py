"""What every game's coach shares: the question that is asked of it, and when it does not speak."""

from __future__ import annotations

import msgspec

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, Share, Value

__all__ = ["CHANCES", "GOALS", "Question", "coach_fault", "goal_say", "worth_say"]

GOALS = ("space", "clear", "keep", "exchange")
"""What a player may want most of a battle."""
CHANCES = ("space", "clear")
"""Goals that are chances; the others are costs on average."""
_GOALS = {
    "clear": Say("Eliminate the enemy"),
    "keep": Say("Keep value"),
    "exchange": Say("Best exchange"),
}


def goal_say(goal: str, *, is_attacking: bool) -> Say:
    """Return what a side wants most: an attacker takes a space, a defender holds it."""
    if goal == "space":
        return Say("Take the space") if is_attacking else Say("Hold the space")
    return _GOALS[goal]


class Question(msgspec.Struct, frozen=True):
    """What is asked of the coach."""

    side: str
    """``attacking`` or ``defending``."""
    goal: str
    """One of `GOALS`."""
    wanted: float | None = None
    """Chance for which the smallest force is looked for, 0 to 1; None: none is."""


def coach_fault(state: GameState, *, is_on: bool) -> Rejected | None:
    """Return why the coach does not speak in a game; None where it may.

    Args:
        is_on: The box's setting allows it.
    """
    if state.clocks.config.tournament:
        return Rejected("coach_tournament", Say("The coach is never available under tournament time."))
    if state.frozen_setup.coach_locked:
        return Rejected("coach_locked", Say("The arbiter has locked the coach."))
    if not is_on:
        return Rejected("coach_off", Say("The coach is off. Turn it on in the settings."))
    return None


def worth_say(goal: str, value: float) -> Value:
    """Return what a goal comes to: a chance, 0 to 1, in percent that never rounds one away, or a cost with two decimals."""
    if goal not in CHANCES:
        return round(value, 2) + 0.0
    if 0 < value < 0.001:
        return Say("<{share}", share=Share(0.001, 1))
    if 0.999 < value < 1:
        return Say(">{share}", share=Share(0.999, 1))
    return Share(value, 1)
