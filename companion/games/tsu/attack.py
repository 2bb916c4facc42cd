"""The attack calculator: may this attack be made, what does it need, what follows from it.

Pure: no map is known, so an attack says how each unit reaches the target. Sections: Combat; Supply; Sea and Air
Landings; Air Combat; Naval Combat; Air vs Naval Combat; Permissible Attacks Chart; Weather Summary.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import msgspec

from companion.games.tsu.units import Cell, Line, Permission, Tables, Unit, group_of, label

__all__ = [
    "Attack",
    "Attacker",
    "Reinforcement",
    "Removal",
    "Verdict",
    "attack_faults",
    "planner",
    "removals",
    "supply_needed",
    "verdict",
]

_AIR = ("tactical", "carrier")
_LIFTS = ("convoy", "landing_craft")


class Attacker(msgspec.Struct, frozen=True, omit_defaults=True):
    """A unit that attacks, where it starts and how it gets there."""

    unit: Unit
    origin: str
    """Name of the area that it attacks from: stacks are units of one origin."""
    line: Line
    from_sea: bool = False
    """The origin is an all-sea area."""
    in_winter_zone: bool | None = None
    """The origin lies north of the winter line; None: as the target."""
    landing: bool = False
    """A land unit off a Landing Craft, its Landing Craft, or a parachute across a sea lane or on top."""


class Attack(msgspec.Struct, frozen=True, omit_defaults=True):
    """One attack on one area."""

    target: str
    area: Literal["land", "coastal", "sea"]
    season: str
    """``spring``, ``summer``, ``fall`` or ``winter``."""
    attackers: tuple[Attacker, ...]
    defenders: tuple[Unit, ...]
    winter_zone: bool = False
    """The target lies north of the winter line."""
    supplies: int = 0
    """Supply units and Convoys spent on it."""
    reorganized: bool = False
    """Germany's reorganized army is in force."""


class Removal(msgspec.Struct, frozen=True):
    """One legal choice of what the attacker removes."""

    units: tuple[Unit, ...]
    value: int
    """Combat value removed."""
    survivors: tuple[Unit, ...]
    retreats: bool
    """Survivors retreat one area or are lost: no Fort holds them."""


class Verdict(msgspec.Struct, frozen=True):
    """What the calculator says about an attack."""

    allowed: bool
    faults: tuple[str, ...]
    fighting: tuple[Attacker, ...] = ()
    """Attackers that count under the chart."""
    facing: tuple[Unit, ...] = ()
    """Defenders that count under the chart."""
    attack_value: int = 0
    defence_value: int = 0
    supplies_needed: int = 0
    removals: tuple[Removal, ...] = ()
    possession: bool = False
    """A land unit of the attackers may take the area; False: control at most."""
    landing_craft_lost: bool = False
    may_retreat_before: tuple[Unit, ...] = ()
    """Defenders of value 0 that may leave before the combat."""

    @property
    def wins(self) -> bool:
        """Say whether the attackers' value exceeds the defenders'."""
        return self.allowed and self.attack_value > self.defence_value

    @property
    def difference(self) -> int:
        """Return the least value that the defender loses; 0 when the attack fails."""
        return max(0, self.attack_value - self.defence_value)


def verdict(attack: Attack, tables: Tables) -> Verdict:
    """Judge an attack. Every reason against it is named; the values are given either way."""
    faults = list(attack_faults(attack, tables))
    if any(attacker.unit.kind not in tables.units for attacker in attack.attackers) or any(
        unit.kind not in tables.units for unit in attack.defenders
    ):
        return Verdict(False, tuple(faults))
    cell = _cell(attack, tables)
    if cell is None:
        return Verdict(False, tuple(faults))
    fighting, facing = _sides(attack, cell, tables)
    has_fort = any(unit.kind == "fort" for unit in attack.defenders)
    unknown = [label(unit) for unit in facing if unit.kind == "fort" and unit.fort_value is None]
    faults.extend(f"the Fort {name} has a printed value that has not been entered" for name in unknown)
    attack_value = sum(_attack_value(attacker, tables, has_fort, attack.reorganized) for attacker in fighting)
    defence_value = sum(_defence_value(unit, tables, attack.reorganized) for unit in facing)
    needed = supply_needed(attack, tables)
    if attack.supplies < needed:
        faults.append(f"supply: {needed} needed, {attack.supplies} given")
    allowed = not faults
    loss = attack_value - defence_value
    return Verdict(
        allowed=allowed,
        faults=tuple(faults),
        fighting=fighting,
        facing=facing,
        attack_value=attack_value,
        defence_value=defence_value,
        supplies_needed=needed,
        removals=removals(facing, attack.defenders, loss, tables, attack.reorganized) if allowed else (),
        possession=not cell.no_possession and any(tables.group(a.unit.kind) == "land" for a in fighting),
        landing_craft_lost=any(a.landing and a.unit.kind == "landing_craft" for a in attack.attackers),
        may_retreat_before=_early_retreats(attack, tables),
    )


def attack_faults(attack: Attack, tables: Tables) -> tuple[str, ...]:
    """List every rule that an attack breaks, supply and printed values aside."""
    if not attack.attackers:
        return ("nobody attacks",)
    if not attack.defenders:
        return ("nobody defends: move in instead",)
    unknown = {u.kind for u in (*(a.unit for a in attack.attackers), *attack.defenders)} - set(tables.units)
    if unknown:
        return tuple(f"{kind} is no kind of unit" for kind in sorted(unknown))
    faults: list[str] = []
    for attacker in attack.attackers:
        faults.extend(_attacker_faults(attacker, attack, tables))
    faults.extend(_stack_faults(attack, tables))
    faults.extend(_chart_faults(attack, tables))
    faults.extend(_landing_faults(attack))
    faults.extend(_flotilla_faults(attack, tables))
    return tuple(dict.fromkeys(faults))


def _attacker_faults(attacker: Attacker, attack: Attack, tables: Tables) -> list[str]:
    unit, kind, name = attacker.unit, attacker.unit.kind, label(attacker.unit)
    group = tables.group(kind)
    faults: list[str] = []
    if kind in ("fort", "supply"):
        faults.append(f"{name} cannot attack")
    if kind == "convoy":
        faults.append("a Convoy cannot attack")
    if kind == "landing_craft" and not attacker.landing:
        faults.append("a Landing Craft attacks only when its land unit lands")
    if group == "naval" and attacker.line in ("black", "road"):
        faults.append(f"{name}: ships never attack across a black line")
    if group == "naval" and attack.area == "land":
        faults.append(f"{name}: ships never fight in a land area")
    if group == "land" and attacker.line == "blue" and not attacker.landing:
        faults.append(f"{name}: a land unit crosses a sea lane only in a landing")
    if group == "land" and unit.loaded and not attacker.landing:
        faults.append(f"{name} is aboard ship")
    if group == "land" and attack.area == "sea":
        faults.append(f"{name}: no land unit fights in a sea area")
    if group == "tactical" and attacker.from_sea and attack.area == "sea" and attacker.line == "blue":
        faults.append(f"{name}: a Tactical does not fight from sea area to sea area")
    if group == "tactical" and unit.loaded:
        faults.append(f"{name} is aboard ship")
    return faults


def _stack_faults(attack: Attack, tables: Tables) -> list[str]:
    faults = []
    origins: dict[str, list[Attacker]] = {}
    for attacker in attack.attackers:
        origins.setdefault(attacker.origin, []).append(attacker)
    for origin, stack in origins.items():
        armies = [a for a in stack if tables.is_army(a.unit.kind)]
        if len(armies) > 2:
            faults.append(f"{origin}: at most two armies attack from one area")
        if len(armies) > 1 and attack.season == "spring" and _muddy(armies, attack) and not _all_land(armies):
            faults.append(f"{origin}: spring mud keeps two armies from stacking in the winter zone")
        for kind in ("tactical", "flotilla", "carrier"):
            if sum(1 for a in stack if a.unit.kind == kind) > 1:
                faults.append(f"{origin}: only one {tables.units[kind].name} fits in an area")
        landers = [a for a in stack if a.landing and tables.is_army(a.unit.kind)]
        craft = [a for a in stack if a.landing and a.unit.kind == "landing_craft"]
        if len(craft) > 1:
            faults.append(f"{origin}: only one Landing Craft fits in an area")
        if len(landers) > len(craft):
            faults.append(f"{origin}: each landing army needs its Landing Craft")
    return faults


def _muddy(armies: list[Attacker], attack: Attack) -> bool:
    zones = {attack.winter_zone if a.in_winter_zone is None else a.in_winter_zone for a in armies}
    return True in zones


def _all_land(armies: list[Attacker]) -> bool:
    """Two armies that both land come off ships and do not stack on land."""
    return all(attacker.landing for attacker in armies)


def _cell(attack: Attack, tables: Tables) -> Cell | None:
    attacking = group_of((a.unit for a in attack.attackers), tables)
    defending = group_of(attack.defenders, tables)
    return None if attacking is None or defending is None else tables.chart[attacking][defending]


def _chart_faults(attack: Attack, tables: Tables) -> list[str]:
    attacking = group_of((a.unit for a in attack.attackers), tables)
    defending = group_of(attack.defenders, tables)
    if attacking is None or defending is None:
        return []
    cell = tables.chart[attacking][defending]
    faults = []
    named = f"{attacking.replace('_', ' + ')} against {defending.replace('_', ' + ')}"
    if cell.combat == "none":
        instead = "; a land unit may overrun or displace in movement" if cell.overrun else ""
        faults.append(f"{named}: not a permissible attack{instead}")
    if cell.coastal and attack.area != "coastal":
        faults.append(f"{named}: in a coastal area only")
    sea_landing = any(a.landing and a.unit.kind != "parachute" for a in attack.attackers)
    drop = any(a.landing and a.unit.kind == "parachute" for a in attack.attackers)
    if sea_landing and not _permitted(cell.landing, attack):
        faults.append(f"{named}: no landing{_unless(cell.landing)}")
    if drop and not _permitted(cell.paradrop, attack):
        faults.append(f"{named}: no paradrop{_unless(cell.paradrop)}")
    fighting, facing = _sides(attack, cell, tables)
    if cell.combat != "none" and (not fighting or not facing):
        faults.append(f"{named}: nobody here may fight the other")
    return faults


def _permitted(permission: Permission, attack: Attack) -> bool:
    own = any(a.unit.kind == "carrier" for a in attack.attackers)
    enemy = any(unit.kind == "carrier" for unit in attack.defenders)
    match permission:
        case "yes":
            return True
        case "no":
            return False
        case "own_carrier":
            return own
        case "no_enemy_carrier":
            return not enemy
        case "match_carrier":
            return own or not enemy


def _unless(permission: Permission) -> str:
    texts = {
        "own_carrier": " without a Carrier of your own",
        "no_enemy_carrier": " where the defender has a Carrier",
        "match_carrier": " against a Carrier without one of your own",
    }
    return texts.get(permission, "")


def _landing_faults(attack: Attack) -> list[str]:
    landers = [a for a in attack.attackers if a.landing]
    if not landers:
        return []
    faults = []
    if attack.area != "coastal":
        faults.append("landings go to coastal areas and islands only")
    if attack.season == "winter" and attack.winter_zone:
        faults.append("no landings in the winter zone in Winter")
    by_sea = any(a.unit.kind != "parachute" for a in landers)
    guarded = any(unit.kind in _AIR for unit in attack.defenders)
    covered = any(a.unit.kind in _AIR for a in attack.attackers)
    if by_sea and guarded and not covered:
        faults.append("no sea landing against a Tactical or Carrier without one of your own")
    if any(a.unit.kind == "parachute" for a in landers) and any(
        unit.kind == "tactical" for unit in attack.defenders
    ):
        faults.append("a parachute does not enter an area with an enemy Tactical")
    return faults


def _flotilla_faults(attack: Attack, tables: Tables) -> list[str]:
    """Air and sea combat only: in a land attack ships support, as the example turn's flotilla does."""
    overland = any(tables.group(a.unit.kind) == "land" for a in attack.attackers)
    if overland or not any(unit.kind in _AIR for unit in attack.defenders):
        return []
    faults = []
    for attacker in attack.attackers:
        if attacker.unit.kind != "flotilla":
            continue
        escorted = any(a.origin == attacker.origin and a.unit.kind in _AIR for a in attack.attackers)
        if not escorted:
            faults.append(
                f"{label(attacker.unit)}: a Flotilla attacks a Tactical or Carrier only when stacked with one"
            )
    return faults


def _sides(attack: Attack, cell: Cell, tables: Tables) -> tuple[tuple[Attacker, ...], tuple[Unit, ...]]:
    """Return who counts on each side under the chart."""

    def attackers(*groups: str) -> tuple[Attacker, ...]:
        return tuple(a for a in attack.attackers if tables.group(a.unit.kind) in groups)

    def defenders(*groups: str) -> tuple[Unit, ...]:
        return tuple(unit for unit in attack.defenders if tables.group(unit.kind) in groups)

    match cell.combat:
        case "full":
            return attack.attackers, attack.defenders
        case "none":
            return (), ()
        case "air":
            ours = tuple(a for a in attack.attackers if a.unit.kind in _AIR)
            return ours, tuple(unit for unit in attack.defenders if unit.kind in _AIR)
        case "carrier_air":
            ours = tuple(a for a in attack.attackers if a.unit.kind == "carrier")
            return ours, tuple(unit for unit in attack.defenders if unit.kind == "tactical")
        case "naval":
            return attackers("tactical", "naval"), defenders("naval")
        case "air_naval":
            return attackers("tactical", "naval"), defenders("tactical", "naval")


def _attack_value(attacker: Attacker, tables: Tables, has_fort: bool, reorganized: bool) -> int:
    unit = attacker.unit
    row = tables.units[unit.kind]
    if unit.loaded and not attacker.landing:
        return 0
    if attacker.landing and row.value_landing is not None:
        return row.value_landing
    if unit.kind == "infantry" and unit.nation == "germany" and reorganized:
        return 0
    if has_fort and row.value_against_fort is not None:
        return row.value_against_fort
    return row.value or 0


def _defence_value(unit: Unit, tables: Tables, reorganized: bool) -> int:
    if unit.kind == "fort":
        return unit.fort_value or 0
    if unit.loaded:
        return 0
    if unit.kind == "infantry" and unit.nation == "germany" and reorganized:
        return 2
    return tables.units[unit.kind].value or 0


def supply_needed(attack: Attack, tables: Tables) -> int:
    """Return how many Supply units or Convoys an attack uses up.

    One supplies everything within its reach, but along a road only one land unit; every origin of a landing needs
    its own; a Winter attack in the winter zone needs double.
    """
    landing_origins = {a.origin for a in attack.attackers if a.landing}
    overland = [
        a
        for a in attack.attackers
        if not a.landing and tables.group(a.unit.kind) == "land" and a.line != "blue"
    ]
    by_road = sum(1 for a in overland if a.line == "road")
    ordinary = max(1, by_road) if overland or not landing_origins else 0
    needed = len(landing_origins) + ordinary
    return needed * (2 if attack.season == "winter" and attack.winter_zone else 1)


def removals(
    facing: tuple[Unit, ...], present: tuple[Unit, ...], loss: int, tables: Tables, reorganized: bool = False
) -> tuple[Removal, ...]:
    """List every legal choice of losses, fewest units first.

    The attacker picks units one by one until their value reaches the loss; a unit that is hit in part is lost; a
    Fort comes last; with less value than the loss everything goes.
    """
    if loss <= 0:
        return ()
    values = [_defence_value(unit, tables, reorganized) for unit in facing]
    found: list[Removal] = []
    seen: set[tuple[tuple[str, str, str], ...]] = set()
    total = sum(values)
    everything = range(len(facing))
    choices = (
        [tuple(everything)]
        if total <= loss
        else [
            chosen
            for size in range(1, len(facing) + 1)
            for chosen in combinations(everything, size)
            if _is_legal(chosen, facing, values, loss)
        ]
    )
    for chosen in choices:
        key = tuple(sorted((facing[i].kind, facing[i].nation, facing[i].name) for i in chosen))
        if key in seen:
            continue
        seen.add(key)
        gone = tuple(facing[i] for i in chosen)
        left = list(present)
        for unit in gone:
            left.remove(unit)
        holds = any(unit.kind == "fort" for unit in left)
        found.append(Removal(gone, sum(values[i] for i in chosen), tuple(left), bool(left) and not holds))
    return tuple(found)


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


def _early_retreats(attack: Attack, tables: Tables) -> tuple[Unit, ...]:
    if any(a.unit.kind in _AIR for a in attack.attackers):
        return ()
    return tuple(
        unit
        for unit in attack.defenders
        if unit.kind != "fort" and _defence_value(unit, tables, attack.reorganized) == 0
    )


class Reinforcement(msgspec.Struct, frozen=True):
    """One unit more that would win an attack."""

    kind: str
    attack_value: int
    """The attackers' value with it."""
    supplies_needed: int


def planner(attack: Attack, tables: Tables, nation: str = "britain") -> tuple[Reinforcement, ...]:
    """List which single extra unit would win an attack that now fails, cheapest first.

    Each kind is tried from an area of its own: armies by rail, aircraft by rail, ships by sea lane, and a Landing
    Craft with an Infantry army where the target is coastal. Supply is assumed to be found: what is needed is given.
    """
    origin = "(new)"
    army = Unit("infantry", nation, loaded=True)
    tries: dict[str, tuple[Attacker, ...]] = {
        "infantry": (Attacker(Unit("infantry", nation), origin, "black"),),
        "panzer": (Attacker(Unit("panzer", nation), origin, "black"),),
        "tactical": (Attacker(Unit("tactical", nation), origin, "black"),),
        "flotilla": (Attacker(Unit("flotilla", nation), origin, "blue", from_sea=True),),
        "carrier": (Attacker(Unit("carrier", nation), origin, "blue", from_sea=True),),
        "landing_craft": (
            Attacker(army, origin, "blue", from_sea=True, landing=True),
            Attacker(Unit("landing_craft", nation), origin, "blue", from_sea=True, landing=True),
        ),
    }
    found = []
    for kind, extra in tries.items():
        bigger = msgspec.structs.replace(attack, attackers=(*attack.attackers, *extra))
        needed = supply_needed(bigger, tables)
        judged = verdict(msgspec.structs.replace(bigger, supplies=needed), tables)
        if judged.wins:
            found.append(Reinforcement(kind, judged.attack_value, needed))
    costs = {kind: tables.units[kind].cost or 0 for kind in tries}
    return tuple(sorted(found, key=lambda r: (costs[r.kind], r.kind)))
