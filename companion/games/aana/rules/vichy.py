"""Territories that Vichy French units alone hold: whether land units of a power that move in take control.

Source: rulebook, Vichy French Units.
"""

from __future__ import annotations

from typing import Final

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Millis, SiteId, StepId
from companion.core.judgement import Need
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.rules.figures import AXIS
from companion.games.aana.rules.ledger import acting_power, board, figures, ledger_of, occupants, split
from companion.games.aana.rules.ledger_messages import ControlChanged
from companion.games.aana.rules.movement import movement_of
from companion.games.aana.rules.turn import at_phase
from companion.games.aana.rules.victory import instant_events

__all__ = [
    "VICHY_GROUND",
    "TakeVichyGround",
    "VichyLeft",
    "take_vichy_ground",
    "vichy_grounds",
    "vichy_need",
    "vichy_taken",
]

VICHY_GROUND: Final = "vichy_ground"
"""The kind of `Need` that asks whether a territory of Vichy France is taken."""


class TakeVichyGround(Command, frozen=True, tag=True):
    """Take control, or not, of a territory with Vichy French units alone into which land units have moved."""

    step: StepId
    territory: SiteId
    take: bool
    at_ms: Millis = 0


class VichyLeft(Event, frozen=True, tag=True):
    """A territory stays with Vichy France this turn."""

    territory: SiteId


def vichy_need(territory: SiteId) -> Need:
    """Return the question for a territory of Vichy France."""
    question = Say("{space} held Vichy French units alone. Take control of it?", space=area(territory))
    return Need(VICHY_GROUND, territory, question)


def vichy_grounds(state: GameState) -> tuple[SiteId, ...]:
    """Return the territories of which the acting Axis power may take control now, nobody having decided yet.

    Its combat land units have ended phase 5 there, beside Vichy French units and nobody else of the Axis.
    Source: rulebook, Vichy French Units.
    """
    power, own, ledger, book = acting_power(state), board(state), ledger_of(state), figures(state)
    if state.step.phase != "noncombat" or power not in ("germany", "italy"):
        return ()
    movement = movement_of(state)
    found = []
    for place, late in movement.late.items():
        if place in movement.vichy_left or not own.is_open_to_capture(place):
            continue
        there = occupants(ledger, book, place, AXIS)
        vichy = [piece for piece in there if split(piece)[0] == "vichy"]
        others = {piece: n for piece, n in there.items() if piece not in vichy}
        moved_in = all(split(p)[0] == power and n <= len(late.get(p, ())) for p, n in others.items())
        ashore = any(book.row(*split(piece)[:2]).type == "land" for piece in others)
        if vichy and ashore and moved_in and ledger.control.get(place) != power:
            found.append(place)
    return tuple(found)


def take_vichy_ground(state: GameState, command: TakeVichyGround) -> Decision:
    """Decide who holds a territory that was Vichy France's alone."""
    refused = at_phase(state, command.step, "noncombat")
    if refused is not None:
        return refused
    if command.territory not in vichy_grounds(state):
        return Rejected(
            "not_vichy", Say("{space}: there is no control to take here.", space=area(command.territory))
        )
    if not command.take:
        return Accepted((VichyLeft(command.territory),))
    return Accepted(vichy_taken(state, command.territory, command.at_ms))


def vichy_taken(state: GameState, territory: SiteId, at_ms: Millis) -> tuple[Event, ...]:
    """Return what follows from taking it: its marker, and the end of the game where it ends so."""
    power, ledger = acting_power(state), ledger_of(state)
    control = {**ledger.control, territory: power}
    changed = ControlChanged(territory, power, ledger.control.get(territory))
    return (changed, *instant_events(state, control, ledger.units, at_ms))
