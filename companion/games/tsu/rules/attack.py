"""The attack calculator: may this attack be made, what does it need, what follows, which unit more would win it.

Pure. Source: The Soft Underbelly, Combat; Supply; Winter Attacks; Sea and Air Landings; Permissible Attacks Chart.
"""

from __future__ import annotations

import msgspec

from companion.core.text import Say
from companion.games.tsu.rules.forces import Attack, Attacker, attack_value, defence_value
from companion.games.tsu.rules.legality import attack_faults, cell_of, is_unopposed, sides_of
from companion.games.tsu.rules.losses import Removal, early_retreats, removals
from companion.games.tsu.rules.units import Tables, Unit, called

__all__ = [
    "Reinforcement",
    "Verdict",
    "by_road",
    "landing_supply",
    "planner",
    "supply_needed",
    "verdict",
]


class Verdict(msgspec.Struct, frozen=True):
    """What the calculator says about an attack."""

    allowed: bool
    faults: tuple[Say, ...]
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
    if is_unopposed(attack):
        return _unopposed(attack, faults, tables)
    cell = cell_of(attack, tables)
    if cell is None:
        return Verdict(False, tuple(faults))
    fighting, facing = sides_of(attack, cell, tables)
    has_fort = any(unit.kind == "fort" for unit in attack.defenders)
    faults.extend(
        Say("Enter the printed value of this Fort first: {fort}.", fort=called(unit))
        for unit in facing
        if unit.kind == "fort" and unit.fort_value is None
    )
    ours = sum(attack_value(attacker, tables, has_fort, attack.reorganized) for attacker in fighting)
    theirs = sum(defence_value(unit, tables, attack.reorganized) for unit in facing)
    needed = supply_needed(attack, tables)
    if attack.supplies < needed:
        faults.append(_supply_short(needed, attack.supplies))
    allowed = not faults
    return Verdict(
        allowed=allowed,
        faults=tuple(faults),
        fighting=fighting,
        facing=facing,
        attack_value=ours,
        defence_value=theirs,
        supplies_needed=needed,
        removals=removals(facing, attack.defenders, ours - theirs, tables, attack.reorganized)
        if allowed
        else (),
        possession=not cell.no_possession and any(tables.group(a.unit.kind) == "land" for a in fighting),
        landing_craft_lost=any(a.landing and a.unit.kind == "landing_craft" for a in attack.attackers),
        may_retreat_before=early_retreats(attack, tables),
    )


def _unopposed(attack: Attack, faults: list[Say], tables: Tables) -> Verdict:
    """A landing without a combat: no value counts, the supply is used up, no Landing Craft is lost."""
    needed = supply_needed(attack, tables)
    if attack.supplies < needed:
        faults.append(_supply_short(needed, attack.supplies))
    land = any(tables.group(a.unit.kind) == "land" for a in attack.attackers)
    return Verdict(not faults, tuple(faults), attack.attackers, supplies_needed=needed, possession=land)


def _supply_short(need: int, have: int) -> Say:
    return Say.counted(
        "This attack needs {n} supply; it has {have}.",
        "This attack needs {n} supplies; it has {have}.",
        need,
        have=have,
    )


def landing_supply(attack: Attack) -> int:
    """Return how many supplies must support nothing else: one for every origin of a landing."""
    return len({a.stack for a in attack.attackers if a.landing})


def by_road(attack: Attack, tables: Tables) -> int:
    """Return how many land units attack along a road: each needs a supply of its own."""
    return sum(
        1
        for a in attack.attackers
        if a.line == "road" and not a.landing and tables.group(a.unit.kind) == "land"
    )


def _serves_supporters(attack: Attack) -> bool:
    """Say whether a landing's own supply also serves the overland units that support it."""
    crafts = {a.stack for a in attack.attackers if a.landing and a.unit.kind == "landing_craft"}
    drops = {a.stack for a in attack.attackers if a.landing} - crafts
    return bool(crafts and attack.is_landing_shared) or bool(drops and attack.is_drop_shared)


def supply_needed(attack: Attack, tables: Tables) -> int:
    """Return how many Supply units or Convoys an attack uses up at least.

    One supplies everything within its reach, but along a road only one land unit; every origin of a landing needs
    its own, which serves overland supporters too unless they come by road; a Winter attack in the winter zone needs
    double. Reach is the map's matter and not checked.

    Source: The Soft Underbelly, Supply; Roads; Dedicated Supply; Winter Attacks.
    """
    landings = landing_supply(attack)
    overland = [
        a
        for a in attack.attackers
        if not a.landing and tables.group(a.unit.kind) == "land" and a.line != "blue"
    ]
    least = 0 if landings and (not overland or _serves_supporters(attack)) else 1
    ordinary = max(least, by_road(attack, tables))
    return (landings + ordinary) * (2 if attack.season == "winter" and attack.winter_zone else 1)


class Reinforcement(msgspec.Struct, frozen=True):
    """One unit more that would win an attack."""

    kind: str
    attack_value: int
    """The attackers' value with it."""
    defence_value: int
    supplies_needed: int


def planner(attack: Attack, tables: Tables, nation: str = "britain") -> tuple[Reinforcement, ...]:
    """List which single extra unit would win an attack that now fails, cheapest first; none that its nation never has.

    Each kind is tried from an area of its own: armies by rail, aircraft by rail (to a sea area across a lane), ships
    by sea lane, and a Landing Craft with an Infantry army where the target is coastal. What supply it takes is told.
    """
    origin = "(new)"
    army = Unit("infantry", nation, loaded=True)
    air_line = "blue" if attack.area == "sea" else "black"
    tries: dict[str, tuple[Attacker, ...]] = {
        "infantry": (Attacker(Unit("infantry", nation), origin, "black"),),
        "panzer": (Attacker(Unit("panzer", nation), origin, "black"),),
        "tactical": (Attacker(Unit("tactical", nation), origin, air_line),),  # type: ignore[arg-type]
        "flotilla": (Attacker(Unit("flotilla", nation), origin, "blue", from_sea=True),),
        "carrier": (Attacker(Unit("carrier", nation), origin, "blue", from_sea=True),),
        "landing_craft": (
            Attacker(army, origin, "blue", from_sea=True, landing=True),
            Attacker(Unit("landing_craft", nation), origin, "blue", from_sea=True, landing=True),
        ),
    }
    found = []
    for kind, extra in tries.items():
        if (only := tables.units[kind].nations) and nation not in only:
            continue
        bigger = msgspec.structs.replace(attack, attackers=(*attack.attackers, *extra))
        needed = supply_needed(bigger, tables)
        judged = verdict(msgspec.structs.replace(bigger, supplies=needed), tables)
        if judged.wins:
            found.append(Reinforcement(kind, judged.attack_value, judged.defence_value, needed))
    costs = {kind: tables.units[kind].cost or 0 for kind in tries}
    return tuple(sorted(found, key=lambda r: (costs[r.kind], r.kind)))
