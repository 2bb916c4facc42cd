"""Where retreating defenders may go: territories that nobody attacked by land, blitzed, or holds against them.

Source: rulebook, Remove Defender's Casualties and Resolve Retreats.
"""

from __future__ import annotations

from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.games.aana.rules.battle_messages import Attack, battles_of
from companion.games.aana.rules.figures import enemy_of
from companion.games.aana.rules.ledger import acting_side, board, figures, split
from companion.games.aana.rules.movement import closed_west, is_hostile, movement_of
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.routes import routes

__all__ = ["has_land", "may_shelter", "refuges"]


def may_shelter(state: GameState, piece: Piece, space: SiteId) -> bool:
    """Say whether a piece may stand in a territory: in the Sahara Desert scout cars only."""
    ways = routes(state)
    if ways is None or space not in ways.sahara:
        return True
    return "sahara" in figures(state).row(*split(piece)[:2]).traits


def refuges(state: GameState, space: SiteId) -> tuple[SiteId, ...]:
    """Return the territories to which defenders may retreat, as far as ledger and borders tell.

    Stacking limits are left aside, and that only scout cars enter the Sahara Desert.
    """
    side = enemy_of(acting_side(state))
    own, ways = board(state), routes(state)
    near = None if ways is None or not ways.knows(space) else set(ways.neighbours(space))
    shut = {item.space for item in battles_of(state).attacks if has_land(state, item)}
    shut |= {*movement_of(state).blitzed, space}
    return tuple(
        row.id
        for row in own.territories()
        if row.id not in shut
        and not row.owner
        and (near is None or row.id in near)
        and not is_hostile(state, row.id, side)
        and closed_west(state, row.id, side) is None
    )


def has_land(state: GameState, attack: Attack) -> bool:
    """Say whether any land unit takes part in an attack."""
    book = figures(state)
    return any(
        n and book.row(*split(piece)[:2]).type == "land"
        for group in attack.groups
        for piece, n in group.units.items()
    )
