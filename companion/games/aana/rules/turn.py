"""Whose turn it is, and what is refused out of its phase or for want of a printed value.

Source: rulebook, Order of Play; Free French Units.
"""

from __future__ import annotations

from companion.core.flow import Step
from companion.core.ids import Nation, StepId
from companion.core.judgement import Need
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Say, key, nation, several
from companion.core.text import step as named
from companion.games.aana.rules.figures import MissingFiguresError
from companion.games.aana.rules.ledger import acting_power
from companion.games.aana.rules.pieces import Piece, counted

__all__ = [
    "at_phase",
    "at_step",
    "missing",
    "no_count",
    "not_now",
    "out_of_turn",
    "printed_need",
    "turn_of",
    "turn_powers",
]


def turn_of(step: Step) -> str:
    """Return a key for the turn that a step belongs to."""
    return f"r{step.stage}.{step.nation}"


def turn_powers(state: GameState) -> tuple[Nation, ...]:
    """Return the powers that act in this turn: Free France with the United States."""
    power = acting_power(state)
    return (power, Nation("free_french")) if power == "us" else (power,)


def at_step(state: GameState, step: StepId) -> Rejected | None:
    """Refuse a command aimed at another step."""
    return (
        None
        if state.step.id == step
        else Rejected(
            Code.STALE_STEP,
            Say(
                "This was meant for a step that has ended: {step}. Now: {now}.",
                step=named(step),
                now=named(state.step.id),
            ),
        )
    )


def at_phase(state: GameState, step: StepId, *phases: str) -> Rejected | None:
    """Refuse a command aimed at another step or given in another phase."""
    if state.step.id == step and state.step.phase not in phases:
        return not_now(state)
    return at_step(state, step)


def not_now(state: GameState) -> Rejected:
    """Refuse what belongs to another phase."""
    return Rejected(
        "wrong_phase", Say("This is not possible in this step: {step}.", step=named(state.step.id))
    )


def out_of_turn(state: GameState, piece: Piece, n: int) -> Rejected:
    """Refuse pieces, or a number of them, that cannot act in this turn."""
    return Rejected(
        "not_your_turn",
        Say(
            "{pieces} cannot act in this turn ({power}).",
            pieces=counted(piece, n),
            power=nation(acting_power(state)),
        ),
    )


def no_count(n: int) -> Rejected:
    """Refuse a number of pieces below one."""
    return Rejected(Code.BAD_VALUE, Say("Choose at least one piece, not {n}.", n=n))


def printed_need(key_: str) -> Need:
    """Return the question for a printed value."""
    return Need("printed", key_, Say("{what}", what=key(key_)))


def missing(error: MissingFiguresError) -> Rejected:
    """Refuse for want of printed values, and ask for them."""
    keys = several(map(key, error.keys))
    return Rejected(
        "printed_value_missing",
        Say("Enter these values from your Reference Chart first: {keys}.", keys=keys),
        tuple(map(printed_need, error.keys)),
    )
