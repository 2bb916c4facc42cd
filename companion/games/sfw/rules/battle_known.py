"""What the ledger already knows of a battle: the airfield that rolls. The table confirms it and never enters it twice.

Source: rulebook v0.96, Abilities, Anti-Air; Objective and Airfield Control.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.ids import Side
from companion.core.judgement import Judgement
from companion.core.rules import Rejected, not_known
from companion.core.state import GameState
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle
from companion.games.sfw.rules.battle_edition import EDITIONS
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.control import held_by
from companion.games.sfw.rules.places import site_at
from companion.games.sfw.rules.support import unit_table_of

__all__ = ["airfield_held", "airfield_side", "with_airfield"]


def airfield_side(state: GameState, space: str, attacker: Side) -> str:
    """Return which side controls the airfield in a space and so rolls anti-air with it; empty without one, or unknown."""
    mine = airfield_held(state, space, attacker)
    return "" if mine is None or mine.is_unknown else ATTACKING if mine.is_yes else DEFENDING


def airfield_held(state: GameState, space: str, attacker: Side) -> Judgement | None:
    """Judge whether the attacker controls the airfield in a space; None where there is none that rolls.

    Source: rulebook v0.96, Abilities, Anti-Air; Objective and Airfield Control
    """
    site = site_at(state, space) if EDITIONS[state.frozen_setup.game].has_airfield_fire else None
    return None if site is None or site.kind != "airfield" else held_by(state, site.id, attacker)


def with_airfield(state: GameState, declared: Declared) -> Battle | Rejected:
    """Return a battle about to begin with the roll of its airfield, or ask who holds it where that decides a roll.

    It decides one only while aircraft are in the space, since it rolls at nothing else; what the table said itself stands.
    """
    battle = declared.battle
    if battle.occasion != "battle" or battle.airfield:
        return battle
    mine = airfield_held(state, declared.space, declared.attacker)
    if mine is None:
        return battle
    if not mine.is_unknown:
        return replace(battle, airfield=ATTACKING if mine.is_yes else DEFENDING)
    units = unit_table_of(state).units
    flies = any(
        units[group.unit].type == "air" and not group.distance
        for group in (*battle.attacking, *battle.defending)
        if group.unit in units
    )
    return not_known(mine) if flies else battle
