"""Which rules an attack breaks. Every reason is named, not only the first.

Source: The Soft Underbelly, Combat; Sea and Air Landings; Air Combat; Naval Combat; Air vs Naval Combat; Malta; Permissible Attacks Chart.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.places import same_place
from companion.core.text import N_, Name, Range, Say, Typed
from companion.games.tsu.rules.forces import AIR, LIFTS, ONE_OF, Attack, Attacker
from companion.games.tsu.rules.units import Cell, Permission, Tables, Unit, called, group_of, one_fits

__all__ = [
    "FORT_VALUES",
    "NEVER_ATTACK",
    "area_faults",
    "attack_faults",
    "cell_of",
    "is_drop",
    "is_unopposed",
    "mud_faults",
    "sides_of",
    "turn_faults",
]

FORT_VALUES = Range(0, 9)
"""What a fort's counter may show."""
LETTERS = Range(1, 60)
"""Of an area's name."""
NEVER_ATTACK = ("fort", "supply", "convoy")
_AXIS = ("germany", "italy")

_NOT_PERMISSIBLE = N_("Not a permissible attack: {who} against {whom}.")
_OVERRUN = N_(
    "Not a permissible attack: {who} against {whom}. A land unit may overrun or displace in movement."
)
_NO_LANDING: dict[Permission, str] = {
    "no": N_("No landing: {who} against {whom}."),
    "own_carrier": N_("No landing without a Carrier of your own: {who} against {whom}."),
    "no_enemy_carrier": N_("No landing where the defender has a Carrier: {who} against {whom}."),
    "match_carrier": N_("No landing against a Carrier without one of your own: {who} against {whom}."),
}
_NO_PARADROP: dict[Permission, str] = {
    "no": N_("No paradrop: {who} against {whom}."),
    "own_carrier": N_("No paradrop without a Carrier of your own: {who} against {whom}."),
    "no_enemy_carrier": N_("No paradrop where the defender has a Carrier: {who} against {whom}."),
    "match_carrier": N_("No paradrop against a Carrier without one of your own: {who} against {whom}."),
}
"""What the chart's field says where it does not permit a landing or a paradrop."""


def _ship_inland(unit: Unit) -> Say:
    return Say("{unit}: ships never fight in a land area.", unit=called(unit))


def _land_at_sea(unit: Unit) -> Say:
    return Say("{unit}: no land unit fights in a sea area.", unit=called(unit))


def area_faults(attack: Attack) -> tuple[Say, ...]:
    """List what cannot be of an attack's areas: a name without letters or without end, a way that leads nowhere, a fort's value.

    Source: The Soft Underbelly, Land Combat; Unit Values for Combat and Replacements (forts as on the counter).
    """
    names = (attack.target, *(a.origin for a in attack.attackers))
    faults = [
        Say("An area has a name of {letters} letters, not {n}.", letters=LETTERS, n=len(name.strip()))
        for name in names
        if not LETTERS.first <= len(name.strip()) <= LETTERS.last
    ]
    faults += [
        Say("{unit} attacks from another area than {area}.", unit=called(a.unit), area=Typed(attack.target))
        for a in attack.attackers
        if a.line != "inside" and same_place(a.origin, attack.target)
    ]
    worth = [unit.fort_value for unit in attack.defenders if unit.fort_value is not None]
    faults += [
        Say("A fort is worth {values}, not {n}.", values=FORT_VALUES, n=n)
        for n in worth
        if not FORT_VALUES.first <= n <= FORT_VALUES.last
    ]
    return tuple(faults)


def attack_faults(attack: Attack, tables: Tables) -> tuple[Say, ...]:
    """List every rule that an attack breaks, supply and printed values aside.

    Source: The Soft Underbelly, Combat; Permissible Attacks Chart.
    """
    if not attack.attackers:
        return (Say("Nobody attacks."),)
    if not attack.defenders and not is_unopposed(attack):
        return (Say("Nobody defends. Move in instead."),)
    units = (*(a.unit for a in attack.attackers), *attack.defenders)
    unknown = {unit.kind for unit in units} - set(tables.units)
    if unknown:
        return tuple(Say("{kind} is not a kind of unit.", kind=Typed(kind)) for kind in sorted(unknown))
    faults: list[Say] = []
    for attacker in attack.attackers:
        faults.extend(_attacker_faults(attacker, attack, tables))
    faults.extend(_defender_faults(attack, tables))
    faults.extend(_stack_faults(attack, tables))
    faults.extend(_chart_faults(attack, tables))
    faults.extend(_landing_faults(attack))
    faults.extend(_flotilla_faults(attack, tables))
    return tuple(dict.fromkeys(faults))


def is_unopposed(attack: Attack) -> bool:
    """Say whether an attack is a landing on an area without a defender: it needs supply all the same."""
    return bool(attack.attackers) and not attack.defenders and all(a.landing for a in attack.attackers)


def is_drop(attacker: Attacker) -> bool:
    """Say whether a parachute comes by air onto the target: across a sea lane, or on top."""
    return attacker.unit.kind == "parachute" and (attacker.landing or attacker.line == "inside")


def cell_of(attack: Attack, tables: Tables) -> Cell | None:
    """Return the chart's field for an attack; None while one side is empty. Cargo aboard ship does not count."""
    attacking = group_of((a.unit for a in attack.attackers), tables)
    defending = group_of(_standing(attack.defenders), tables)
    return None if attacking is None or defending is None else tables.chart[attacking][defending]


def _standing(units: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple(unit for unit in units if not unit.loaded)


def sides_of(attack: Attack, cell: Cell, tables: Tables) -> tuple[tuple[Attacker, ...], tuple[Unit, ...]]:
    """Return who counts on each side under the chart.

    In a landing off ships that the chart permits everybody counts, also where it names air or sea combat alone: the
    landing units attack the area themselves. Source: The Soft Underbelly, Naval Combat; Permissible Attacks Chart ("may invade").
    """

    def attackers(*groups: str) -> tuple[Attacker, ...]:
        return tuple(a for a in attack.attackers if tables.group(a.unit.kind) in groups)

    def defenders(*groups: str) -> tuple[Unit, ...]:
        return tuple(unit for unit in attack.defenders if tables.group(unit.kind) in groups)

    invades = any(a.landing and a.unit.kind != "parachute" for a in attack.attackers)
    if invades and _permitted(cell.landing, attack) and cell.combat in ("carrier_air", "air_naval"):
        return attack.attackers, attack.defenders
    match cell.combat:
        case "full":
            return attack.attackers, attack.defenders
        case "none":
            return (), ()
        case "air":
            ours = tuple(a for a in attack.attackers if a.unit.kind in AIR)
            return ours, tuple(unit for unit in attack.defenders if unit.kind in AIR and not unit.loaded)
        case "carrier_air":
            ours = tuple(a for a in attack.attackers if a.unit.kind == "carrier")
            return ours, tuple(
                unit for unit in attack.defenders if unit.kind == "tactical" and not unit.loaded
            )
        case "naval":
            return attackers("tactical", "naval"), defenders("naval")
        case "air_naval":
            return attackers("tactical", "naval"), defenders("tactical", "naval")


def _attacker_faults(attacker: Attacker, attack: Attack, tables: Tables) -> list[Say]:
    unit, kind, name = attacker.unit, attacker.unit.kind, called(attacker.unit)
    group = tables.group(kind)
    faults: list[Say] = []
    if kind in NEVER_ATTACK:
        faults.append(Say("{unit} cannot attack.", unit=name))
    if kind == "landing_craft" and not attacker.landing:
        faults.append(Say("A Landing Craft attacks only when it lands its land unit."))
    if group == "naval" and attacker.line in ("black", "road"):
        faults.append(Say("{unit}: ships never attack across a black line.", unit=name))
    if group == "naval" and attack.area == "land":
        faults.append(_ship_inland(unit))
    if group == "land" and attacker.line == "blue" and not attacker.landing:
        faults.append(Say("{unit}: a land unit crosses a sea lane only in a landing.", unit=name))
    if group == "land" and unit.loaded and not attacker.landing:
        faults.append(Say("{unit} is aboard ship.", unit=name))
    if group == "land" and attack.area == "sea":
        faults.append(_land_at_sea(unit))
    if group == "tactical" and attacker.from_sea and attack.area == "sea" and attacker.line == "blue":
        faults.append(Say("{unit}: a Tactical does not attack from one sea area into another.", unit=name))
    if group == "tactical" and unit.loaded:
        faults.append(Say("{unit} is aboard ship.", unit=name))
    if attacker.line == "inside" and kind != "parachute" and not _is_in_malta(attacker, attack):
        faults.append(
            Say(
                "{unit}: only a parachute unit on top, or an Axis unit in Malta against its lone Fort, "
                "attacks from inside.",
                unit=name,
            )
        )
    return faults


def _is_in_malta(attacker: Attacker, attack: Attack) -> bool:
    """Axis ships and aircraft may stay in Malta while its Fort stands alone."""
    return (
        same_place(attack.target, "malta")
        and attacker.unit.nation in _AXIS
        and attacker.unit.kind in ("tactical", "flotilla", "carrier")
        and all(unit.kind == "fort" for unit in attack.defenders)
    )


def _defender_faults(attack: Attack, tables: Tables) -> list[Say]:
    cargo = [unit for unit in attack.defenders if unit.loaded]
    told = N_("{unit} never goes aboard ship.")
    faults = [Say(told, unit=called(unit)) for unit in cargo if not tables.units[unit.kind].cargo]
    ships = sum(1 for unit in _standing(attack.defenders) if unit.kind in LIFTS)
    if len(cargo) > ships:
        faults.append(
            Say("{unit} is aboard ship, but too few ships here can carry it.", unit=called(cargo[-1]))
        )
    if attack.area == "coastal":
        told = N_("{unit} is not aboard ship: in a port ships are unloaded.")
        faults.extend(Say(told, unit=called(unit)) for unit in cargo)
    for unit in _standing(attack.defenders):
        group = tables.group(unit.kind)
        if attack.area == "sea" and group == "land":
            faults.append(_land_at_sea(unit))
        if attack.area == "land" and group == "naval":
            faults.append(_ship_inland(unit))
    return faults


def _stacks(attackers: Iterable[Attacker]) -> tuple[list[Attacker], ...]:
    """Return the attackers by the area that they start from."""
    stacks: dict[str, list[Attacker]] = {}
    for attacker in attackers:
        stacks.setdefault(attacker.stack, []).append(attacker)
    return tuple(stacks.values())


def turn_faults(attackers: Iterable[Attacker], tables: Tables) -> tuple[Say, ...]:
    """List what the attacks of one turn break together: a stack is one stack, and nobody attacks twice.

    Source: The Soft Underbelly, Combat; Stacking.
    """
    faults: list[Say] = []
    known = tuple(attackers)
    names: set[tuple[str, str]] = set()
    for attacker in known:
        if attacker.unit.name:
            key = (attacker.unit.nation, attacker.unit.name.strip().casefold())
            if key in names:
                faults.append(Say("{unit} may attack only once per turn.", unit=Typed(attacker.unit.name)))
            names.add(key)
    for stack in _stacks(known):
        origin = Typed(stack[0].origin)
        if sum(1 for a in stack if tables.is_army(a.unit.kind)) > 2:
            faults.append(Say("{area}: at most {most} armies attack from one area.", area=origin, most=2))
        for kind in ONE_OF:
            if sum(1 for a in stack if a.unit.kind == kind) > 1:
                faults.append(Say("{area}: {fault}", area=origin, fault=one_fits(kind)))
        if sum(1 for a in stack if a.landing and a.unit.kind == "landing_craft") > 1:
            faults.append(Say("{area}: {fault}", area=origin, fault=one_fits("landing_craft")))
    return tuple(dict.fromkeys(faults))


def _stack_faults(attack: Attack, tables: Tables) -> list[Say]:
    faults = [*turn_faults(attack.attackers, tables), *mud_faults((attack,), tables)]
    for stack in _stacks(attack.attackers):
        origin = Typed(stack[0].origin)
        landers = [a for a in stack if a.landing and tables.group(a.unit.kind) == "land"]
        craft = [a for a in stack if a.landing and a.unit.kind == "landing_craft"]
        if sum(1 for a in landers if tables.is_army(a.unit.kind)) > len(craft):
            faults.append(Say("{area}: each landing army needs its own Landing Craft.", area=origin))
        if len(craft) > len(landers):
            faults.append(
                Say("{area}: a Landing Craft counts only with the land unit that it lands.", area=origin)
            )
    return faults


def mud_faults(attacks: Iterable[Attack], tables: Tables) -> tuple[Say, ...]:
    """List the areas of the winter zone in which two armies stand in Spring, also where each attacks another area.

    Source: The Soft Underbelly, Spring Mud
    """
    stacks: dict[str, list[tuple[Attacker, bool]]] = {}
    for attack in attacks:
        for a in attack.attackers if attack.season == "spring" else ():
            if tables.is_army(a.unit.kind) and not a.landing:
                is_muddy = attack.winter_zone if a.in_winter_zone is None else a.in_winter_zone
                stacks.setdefault(a.stack, []).append((a, is_muddy))
    return tuple(
        Say(
            "{area}: spring mud keeps two armies from stacking in the winter zone.",
            area=Typed(armies[0][0].origin),
        )
        for armies in stacks.values()
        if len(armies) > 1 and any(is_muddy for _, is_muddy in armies)
    )


def _chart_faults(attack: Attack, tables: Tables) -> list[Say]:
    attacking = group_of((a.unit for a in attack.attackers), tables)
    defending = group_of(_standing(attack.defenders), tables)
    if attacking is None or defending is None:
        return []
    cell = tables.chart[attacking][defending]
    who, whom = Name("group", attacking), Name("group", defending)
    faults: list[Say] = []
    if cell.combat == "none":
        faults.append(Say(_OVERRUN if cell.overrun else _NOT_PERMISSIBLE, who=who, whom=whom))
    if cell.coastal and attack.area != "coastal":
        faults.append(Say("Only in a coastal area: {who} against {whom}.", who=who, whom=whom))
    sea_landing = any(a.landing and a.unit.kind != "parachute" for a in attack.attackers)
    drop = any(is_drop(a) for a in attack.attackers)
    for wanted, permission, refused in (
        (sea_landing, cell.landing, _NO_LANDING),
        (drop, cell.paradrop, _NO_PARADROP),
    ):
        if wanted and not _permitted(permission, attack):
            faults.append(Say(refused[permission], who=who, whom=whom))
    fighting, facing = sides_of(attack, cell, tables)
    if cell.combat != "none" and (not fighting or not facing):
        faults.append(Say("Nobody here may fight the other side: {who} against {whom}.", who=who, whom=whom))
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


def _landing_faults(attack: Attack) -> list[Say]:
    drops = [a for a in attack.attackers if is_drop(a)]
    landers = [a for a in attack.attackers if a.landing]
    faults = []
    if landers and attack.area != "coastal":
        faults.append(Say("Landings are possible only in coastal areas and on islands."))
    if attack.is_port_closed and attack.defenders:
        told = N_("{unit}: a Landing Craft in a port is unloaded; it attacks from a sea area.")
        faults.extend(
            Say(told, unit=called(a.unit))
            for a in landers
            if a.unit.kind == "landing_craft" and not a.from_sea
        )
    zones = [attack.winter_zone] if landers else []
    # A parachute does not fly if any part of its way lies in the winter zone.
    zones += [attack.winter_zone or bool(a.in_winter_zone) for a in drops]
    if attack.season == "winter" and any(zones):
        faults.append(Say("No landings in the winter zone in Winter."))
    by_sea = any(a.unit.kind != "parachute" for a in landers)
    guarded = any(unit.kind in AIR and not unit.loaded for unit in attack.defenders)
    covered = any(a.unit.kind in AIR for a in attack.attackers)
    if by_sea and guarded and not covered:
        faults.append(Say("No sea landing against a Tactical or Carrier without one of your own."))
    if drops and any(unit.kind == "tactical" and not unit.loaded for unit in attack.defenders):
        faults.append(Say("A parachute cannot enter an area with an enemy Tactical."))
    return faults


def _flotilla_faults(attack: Attack, tables: Tables) -> list[Say]:
    """Air and sea combat only: in a land attack ships support, as the example turn's flotilla does."""
    cell = cell_of(attack, tables)
    if cell is None:
        return []
    fighting, facing = sides_of(attack, cell, tables)
    overland = any(tables.group(a.unit.kind) == "land" for a in fighting)
    if overland or not any(unit.kind in AIR for unit in facing):
        return []
    faults = []
    for attacker in fighting:
        if attacker.unit.kind != "flotilla":
            continue
        escorted = any(a.stack == attacker.stack and a.unit.kind in AIR for a in attack.attackers)
        if not escorted:
            faults.append(
                Say(
                    "{unit}: a Flotilla attacks a Tactical or Carrier only when stacked with one of your own.",
                    unit=called(attacker.unit),
                )
            )
    return faults
