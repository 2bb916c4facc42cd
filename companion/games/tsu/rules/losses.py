"""What follows from a won or lost attack: legal losses, who retreats, who may advance, who has no place left.

Source: The Soft Underbelly, Combat; Retreat Before Combat; Post Combat Retreat; Advance after Combat;
Losses and Disruption; Parachute Units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal

import msgspec

from companion.core.text import Say
from companion.games.tsu.rules.forces import AIR, LIFTS, ONE_OF, Attack, Attacker, defence_value
from companion.games.tsu.rules.state import BRITAIN
from companion.games.tsu.rules.units import Tables, Unit, one_fits

__all__ = [
    "Advance",
    "Removal",
    "advance_fault",
    "advance_of",
    "attackers_lost",
    "early_retreats",
    "overstacked",
    "removals",
]


class Removal(msgspec.Struct, frozen=True):
    """One legal choice of what the attacker removes."""

    units: tuple[Unit, ...]
    value: int
    """Combat value removed."""
    survivors: tuple[Unit, ...]
    retreating: tuple[Unit, ...] = ()
    """Survivors that lost the combat and retreat one area or are lost; empty where a Fort holds them."""

    @property
    def retreats(self) -> bool:
        """Say whether anybody retreats."""
        return bool(self.retreating)

    @property
    def staying(self) -> tuple[Unit, ...]:
        """Return the defenders that stay in the area: behind a Fort, or not part of the combat."""
        return _without(self.survivors, self.retreating)


def _without(units: Iterable[Unit], gone: Iterable[Unit]) -> tuple[Unit, ...]:
    left = list(units)
    for unit in gone:
        left.remove(unit)
    return tuple(left)


def removals(
    facing: tuple[Unit, ...], present: tuple[Unit, ...], loss: int, tables: Tables, reorganized: bool = False
) -> tuple[Removal, ...]:
    """List every legal choice of losses, fewest units first.

    The attacker picks units one by one until their value reaches the loss; a unit that is hit in part is lost; a
    Fort comes last; with less value than the loss everything goes. Cargo sinks with the ship that carries it.

    Args:
        facing: Defenders that take part under the chart.
        present: All defenders in the area.
        loss: By how much the attackers' value exceeds the defenders'; without any there is no choice.
    """
    values = [defence_value(unit, tables, reorganized) for unit in facing]
    everything = range(len(facing))
    choices: list[tuple[int, ...]] = (
        [tuple(everything)]
        if sum(values) < loss
        else [
            chosen
            for size, _unit in enumerate(facing, 1)
            for chosen in combinations(everything, size)
            if _is_legal(chosen, facing, values, loss)
        ]
    )
    found: list[Removal] = []
    seen: set[tuple[tuple[str, str, str, bool], ...]] = set()
    for chosen in choices:
        gone = tuple(facing[i] for i in chosen)
        value = sum(values[i] for i in chosen)
        for sunk in _sunk(_without(present, gone)):
            everyone = (*gone, *sunk)
            key = tuple(sorted((u.kind, u.nation, u.name, u.loaded) for u in everyone))
            if key in seen:
                continue
            seen.add(key)
            left = _without(present, everyone)
            holds = any(unit.kind == "fort" for unit in left)
            fought = _without(facing, [unit for unit in everyone if unit in facing])
            retreating = () if holds else _with_cargo(fought, left)
            found.append(Removal(everyone, value, left, retreating))
    return tuple(sorted(found, key=lambda removal: len(removal.units)))


def _sunk(left: Sequence[Unit]) -> list[tuple[Unit, ...]]:
    """Return what may sink with ships that are gone: every choice of cargo beyond what is left to carry it."""
    cargo = [unit for unit in left if unit.loaded]
    ships = sum(1 for unit in left if unit.kind in LIFTS)
    return list(combinations(cargo, max(0, len(cargo) - ships)))


def _with_cargo(fought: tuple[Unit, ...], left: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """A ship that retreats takes its cargo along."""
    aboard = [unit for unit in left if unit.loaded and unit not in fought]
    return (*fought, *aboard) if any(unit.kind in LIFTS for unit in fought) else fought


def _is_legal(chosen: tuple[int, ...], facing: tuple[Unit, ...], values: list[int], loss: int) -> bool:
    total = sum(values[i] for i in chosen)
    if total < loss:
        return False
    forts = [i for i in chosen if facing[i].kind == "fort"]
    if forts:
        # A Fort is taken only after everything else is gone, and only while loss is left for it.
        others = [i for i in range(len(facing)) if facing[i].kind != "fort"]
        if any(i not in chosen for i in others):
            return False
        return sum(values[i] for i in others) < loss
    # Some unit must have been the last: without it the loss was not yet met.
    return any(values[i] > 0 and total - values[i] < loss for i in chosen)


def early_retreats(attack: Attack, tables: Tables) -> tuple[Unit, ...]:
    """Return the defenders of value 0 that may leave before the combat: none while aircraft attack.

    Cargo is not among them: it goes with its ship.

    Source: The Soft Underbelly, Retreat Before Combat; Convoys and Landing Craft
    """
    if any(a.unit.kind in AIR for a in attack.attackers):
        return ()
    return tuple(
        unit
        for unit in attack.defenders
        if unit.kind != "fort" and not unit.loaded and defence_value(unit, tables, attack.reorganized) == 0
    )


class Advance(msgspec.Struct, frozen=True):
    """Who may move into the area that was won, as places in the attack's list of attackers."""

    kind: Literal["land", "other"]
    """``land``: one land unit first, then others. ``other``: ships and aircraft."""
    leaders: tuple[int, ...]
    followers: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()
    """Attackers that stand in the area already."""


def advance_of(
    attack: Attack, fighting: tuple[Attacker, ...], staying: tuple[Unit, ...], tables: Tables
) -> Advance | None:
    """Return who may advance after a victory; None while a defender stays in the area.

    Args:
        fighting: Attackers that count under the chart.
        staying: Defenders that neither were lost nor retreat.
    """
    if staying:
        return None
    able = [
        i
        for i, attacker in enumerate(attack.attackers)
        if attacker in fighting and attacker.unit.kind != "landing_craft"
    ]
    inside = tuple(i for i in able if attack.attackers[i].line == "inside")
    outside = [i for i in able if i not in inside]
    land = tuple(i for i in outside if tables.group(attack.attackers[i].unit.kind) == "land")
    rest = tuple(i for i in outside if i not in land)
    if any(tables.group(attack.attackers[i].unit.kind) == "land" for i in able):
        return Advance("land", land, rest, inside)
    return Advance("other", rest, (), inside)


def advance_fault(
    attack: Attack, advance: Advance | None, chosen: tuple[int, ...], tables: Tables
) -> Say | None:
    """Say why a choice of who advances is not legal; None when it is.

    Source: The Soft Underbelly, Advance after Combat.
    """
    if not chosen:
        return None
    if advance is None:
        return Say("Nobody advances while a defender stays.")
    if len(set(chosen)) != len(chosen) or not set(chosen) <= {*advance.leaders, *advance.followers}:
        return Say("Only units that fought may advance, each only once.")
    kinds = [attack.attackers[i].unit.kind for i in (*chosen, *advance.inside)]
    if advance.kind == "land":
        leading = [i for i in chosen if i in advance.leaders]
        if len(leading) > 1:
            return Say("At most one land unit may advance.")
        holds = any(tables.group(attack.attackers[i].unit.kind) == "land" for i in advance.inside)
        if not leading and not holds:
            return Say("A land unit must advance first, then others.")
    for kind in ONE_OF:
        if kinds.count(kind) > 1:
            return one_fits(kind)
    return None


def attackers_lost(
    attack: Attack,
    *,
    is_taken: bool,
    advanced: tuple[int, ...],
    is_stranded_lost: bool,
    is_unopposed: bool = False,
    is_one_use: bool = False,
) -> tuple[Unit, ...]:
    """Return what the attackers lose: Landing Craft used on defenders, units left without a place.

    Args:
        is_taken: No defender is left in the area.
        advanced: Places of the attackers that advanced.
        is_stranded_lost: An army that landed from a sea area and did not get ashore sinks with its craft.
        is_unopposed: Nobody stood in the area when the landing was declared: everybody lives.
        is_one_use: Britain's Landing Craft goes after such a landing, too: ruling ``one_use``.
    """
    if is_unopposed:
        craft = (one.unit for one in attack.attackers if is_one_use and one.unit.kind == "landing_craft")
        return tuple(unit for unit in craft if unit.nation == BRITAIN)
    lost = []
    for i, attacker in enumerate(attack.attackers):
        kind = attacker.unit.kind
        is_craft = kind == "landing_craft" and attacker.landing
        fell = kind == "parachute" and attacker.line == "inside" and not is_taken
        ashore = i in advanced or not attacker.from_sea or kind == "parachute"
        stranded = attacker.landing and is_stranded_lost and not ashore
        if is_craft or fell or stranded:
            lost.append(attacker.unit)
    return tuple(lost)


def overstacked(attack: Attack, gone: Iterable[int], tables: Tables) -> dict[str, tuple[Unit, ...]]:
    """Return the origins where two armies stand after the combat, with these armies: one of them must go."""
    left = set(gone)
    stacks: dict[str, list[Unit]] = {}
    for i, attacker in enumerate(attack.attackers):
        if i not in left and not attacker.landing and tables.is_army(attacker.unit.kind):
            stacks.setdefault(attacker.origin, []).append(attacker.unit)
    return {origin: tuple(units) for origin, units in stacks.items() if len(units) > 1}
