"""Whose turn it is, and what is refused out of its phase or for want of a printed value.

Source: rulebook, Order of Play; Free French Units.
"""

from __future__ import annotations

from companion.core.flow import Step
from companion.core.ids import StepId
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.games.aana.rules.figures import MissingFiguresError

__all__ = ["at_phase", "at_step", "missing", "turn_of", "turn_powers"]


def turn_of(step: Step) -> str:
    """Return a key for the turn that a step belongs to."""
    return f"r{step.stage}.{step.nation}"


def turn_powers(state: GameState) -> tuple[str, ...]:
    """Return the powers that act in this turn: Free France with the United States."""
    power = state.step.nation or ""
    return (power, "free_french") if power == "us" else (power,)


def at_step(state: GameState, step: StepId) -> Rejected | None:
    """Refuse a command aimed at another step."""
    return (
        None if state.step.id == step else Rejected(Code.STALE_STEP, f"aimed at {step}, now {state.step.id}")
    )


def at_phase(state: GameState, step: StepId, *phases: str) -> Rejected | None:
    """Refuse a command aimed at another step or given in another phase."""
    if state.step.id == step and state.step.phase not in phases:
        return Rejected("wrong_phase", f"{state.step.id} is not the phase for this")
    return at_step(state, step)


def missing(error: MissingFiguresError) -> Rejected:
    """Refuse for want of printed values, and name them."""
    return Rejected("printed_value_missing", f"enter {', '.join(error.keys)} from your Reference Chart")
