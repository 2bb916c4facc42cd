"""What nobody has said of a battle although its dice hang on it, and what is counted meanwhile.

One list for every place that takes a battle: the table asks before it begins where the text leaves no room, the battle
page shows what is counted, and the report of a battle file names it. What does not change a roll here is left out.

Source: rulebook v0.96, Abilities (Ambush, Deployed, Coverage), Firepower Rules for Bombers, Defensive Lines (Sea wall),
Declaring Battles; first edition, Standard Unit Abilities and Limitations, Transporting Units, Hidden Fleets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    SIDES,
    Battle,
    Group,
    may_unload,
    other_side,
)
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.loads import fits, load_of
from companion.games.sfw.rules.units import UnitTable

__all__ = ["Counted", "Unsaid", "is_active_by_reveal", "unsaid"]

Counted = Literal[
    "moved", "stayed", "covered", "bare", "surface", "every_sea", "revealed", "fits", "named", "defended"
]
"""What is counted: a submarine as moved, artillery as not; a carrier as covered or not; a bomber's defence; what sea
walls face; ships as a revealed Hidden Fleet; cargo as fitting; icons as those that the rules name; a landing beside
friendly aircraft alone as under landing defence."""

_Key = tuple[str, Counted]


class Unsaid(msgspec.Struct, frozen=True):
    """One thing that nobody has said of a battle, and what is counted for it."""

    key: str
    """Key of a battle file (``moved``, ``nation``, ``choice``, ``wall_facing``, ``revealed``, ``cargo``); ``abilities``; or a ruling."""
    counted: Counted
    side: str = ""
    group: int = -1
    """Index of the group that it is about; -1: the whole battle."""


def unsaid(battle: Battle, edition: Edition, table: UnitTable) -> tuple[Unsaid, ...]:
    """Return what nobody has said of a battle and would change a roll, in the order of the sides and their groups."""
    found: list[Unsaid] = []
    for side in SIDES:
        for index, group in enumerate(_groups(battle, side)):
            if group.count and group.unit in table.units:
                of = _of_group(battle, edition, table, side, group)
                found.extend(Unsaid(key, counted, side, index) for key, counted in of)
    if battle.revealed is None and is_active_by_reveal(battle, table):
        found.append(Unsaid("revealed", "revealed", ATTACKING))
    if not battle.air_cancels_landing and _lands_beside_aircraft(battle, table):
        found.append(Unsaid("landing_air", "defended", ATTACKING))
    seas = {group.origin for group in battle.attacking if group.cargo and group.origin}
    if len(seas) > 1 and sum(map(bool, battle.wall_facing)) < battle.sea_walls:
        found.append(Unsaid("wall_facing", "every_sea", DEFENDING))
    return tuple(found)


def is_active_by_reveal(battle: Battle, table: UnitTable) -> bool:
    """Say whether nobody may declare a battle unless its ships are a Hidden Fleet that was revealed there.

    Source: rulebook v0.96, Declaring Battles, Revealing a Hidden Fleet; first edition, Declaring Battles (Fundamentals)
    """
    specs = [
        table.units[group.unit] for group in battle.attacking if group.count and group.unit in table.units
    ]
    if battle.occasion != "battle" or any(battle.movement_step in spec.movement_steps for spec in specs):
        return False
    return any(spec.type == "sea" for spec in specs)


def _lands_beside_aircraft(battle: Battle, table: UnitTable) -> bool:
    """Say whether units land where the only friends are aircraft, which the text judges in two ways.

    Source: rulebook v0.96, Landing Defense; its example at Tobruk; table ruling "landing_air"
    """
    known = [
        (group, table.units[group.unit])
        for group in battle.attacking
        if group.count and group.unit in table.units
    ]
    lands = any(
        group.cargo and group.unload and spec.type in ("air", "sea") and may_unload(battle, spec)
        for group, spec in known
    )
    return lands and {spec.type for group, spec in known if not group.distance and not group.cargo} == {"air"}


def _of_group(battle: Battle, edition: Edition, table: UnitTable, side: str, group: Group) -> Iterator[_Key]:
    spec = table.units[group.unit]
    enemies = _groups(battle, other_side(side))
    yield from _move(battle, edition, table, side, group)
    mates = [mate for mate in _groups(battle, side) if mate.count and _is_fighter_beside(table, mate, group)]
    is_hit = edition.coverage != "air" or _there(table, enemies, "air")
    is_open = not all(mate.nation and group.nation for mate in mates)
    if spec.has("coverage") and is_open and is_hit:
        yield "nation", "covered" if any(mate.nation == group.nation for mate in mates) else "bare"
    choices = {line.choice for line in spec.fire if line.choice}
    is_choosing = side == DEFENDING and len(choices) > 1 and not group.choice and battle.occasion == "battle"
    if is_choosing and _on_surface(table, enemies) and _there(table, enemies, "air", is_far=True):
        yield "choice", "surface"
    if spec.capacity and fits(spec, load_of(table, group)) is None:
        yield "cargo", "fits"
    if spec.fire and spec.status_of("abilities").status == "unknown":
        yield "abilities", "named"


def _move(battle: Battle, edition: Edition, table: UnitTable, side: str, group: Group) -> Iterator[_Key]:
    """Yield whether a group moved where its roll hangs on it: a submarine in ambush, artillery deployed."""
    spec, enemies = table.units[group.unit], _groups(battle, other_side(side))
    if group.moved is not None or battle.movement_step not in spec.movement_steps:
        return
    if spec.has("ambush") and _may_ambush(battle, edition, side) and _there(table, enemies, "sea"):
        yield "moved", "moved"
    is_used = group.spent or not _may_be_deployed(battle, edition, side)
    if spec.has("deployed") and not is_used and _on_surface(table, enemies):
        yield "moved", "stayed"


def _may_ambush(battle: Battle, edition: Edition, side: str) -> bool:
    """Say whether submarines of a side may fire from ambush at all."""
    if (
        battle.movement_step not in edition.ambush_steps
        or battle.occasion == "disengage"
        or side == battle.movers
    ):
        return False
    return side == ATTACKING or edition.ambush == "both"


def _may_be_deployed(battle: Battle, edition: Edition, side: str) -> bool:
    """Say whether a move would cost artillery of a side its roll."""
    if battle.movement_step not in edition.deployed_steps or side == battle.movers:
        return False
    if battle.occasion != "battle" and not edition.deployed_bonus:
        return False
    is_attack = side == ATTACKING
    return is_attack or edition.deployed_whole_step


def _on_surface(table: UnitTable, groups: tuple[Group, ...]) -> bool:
    return any(_there(table, groups, kind, is_far=True) for kind in ("land", "sea"))


def _groups(battle: Battle, side: str) -> tuple[Group, ...]:
    return battle.attacking if side == ATTACKING else battle.defending


def _there(table: UnitTable, groups: tuple[Group, ...], kind: str, *, is_far: bool = False) -> bool:
    """Say whether units of a type are in the space; `is_far`: in any space activated for the battle."""
    return any(
        group.count
        and group.unit in table.units
        and table.units[group.unit].type == kind
        and (not group.distance or (is_far and bool(group.origin)))
        for group in groups
    )


def _is_fighter_beside(table: UnitTable, mate: Group, carrier: Group) -> bool:
    spec = table.units.get(mate.unit)
    is_fighter = spec is not None and spec.standard == "fighter"
    return is_fighter and (mate.distance, mate.origin) == (carrier.distance, carrier.origin)
