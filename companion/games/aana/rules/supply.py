"""Whose supply may pay for a fight: the territory's own, or that of a friendly or neutral one next to it.

Source: rulebook, Supply Tokens; Declaration of Attacks; General Combat Sequence steps 1 and 5.
"""

from __future__ import annotations

from companion.core.rules import Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.rules.conditions import held_by
from companion.games.aana.rules.figures import enemy_of
from companion.games.aana.rules.ledger import board
from companion.games.aana.rules.movement import grounded, is_hostile
from companion.games.aana.rules.routes import routes

__all__ = ["payer_fault"]


def payer_fault(state: GameState, place: str, space: str, side: str) -> Rejected | None:
    """Say why supply of a place may not pay for a side's units in a territory; None when it may.

    Args:
        place: Where the tokens lie, a landing force's own (``SPACE@landing``) included.
        space: Where the units stand that attack or defend.
    """
    own, ways = board(state), routes(state)
    if place.partition("@")[0] == space:
        return None
    if own.type_of(place) != "land":
        return Rejected("unknown_space", Say("{space} is not a territory.", space=area(place)))
    if ways is not None and ways.knows(space) and place not in ways.neighbours(space):
        return Rejected(
            "far_supply",
            Say(
                "{place} is not next to {space}, so its supply is out of reach.",
                place=area(place),
                space=area(space),
            ),
        )
    held = held_by(state, place, enemy_of(side))
    if held.is_unknown and not grounded(state, place, side) and not is_hostile(state, place, side):
        return not_known(held)
    if is_hostile(state, place, side):
        return Rejected(
            "enemy_supply", Say("{place} is hostile: its supply belongs to the enemy.", place=area(place))
        )
    return None
