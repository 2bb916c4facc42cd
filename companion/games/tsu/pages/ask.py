"""What the Attack screen asks: known areas, and what may be changed about a unit that was entered."""

from __future__ import annotations

from dataclasses import replace

from msgspec.structs import replace as changed

from companion.core.state import GameState
from companion.games.tsu.pages.draft import Draft, change_attacker, change_defender
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.state import slice_of
from companion.games.tsu.rules.units import Tables, Unit
from companion.pages.i18n import _

__all__ = [
    "attacker_options",
    "change_attacker_by",
    "change_defender_by",
    "defender_options",
    "known_areas",
    "origin_options",
]


def _used(state: GameState, draft: Draft) -> list[str]:
    found = [draft.target, *(a.origin for a in draft.attackers)]
    for declared in slice_of(state).attacks:
        found += [declared.attack.target, *(a.origin for a in declared.attack.attackers)]
    return [area for area in dict.fromkeys(found) if area]


def _named(state: GameState) -> tuple[str, ...]:
    """Return the areas that the rules name; the map has more, which are typed once and then offered."""
    return tuple(state.frozen_setup.tables["game"]["areas"]["names"])


def known_areas(state: GameState, draft: Draft) -> tuple[str, ...]:
    """Return areas to choose from as a target: those that were used in this turn first."""
    return tuple(dict.fromkeys((*_used(state, draft), *_named(state))))


def origin_options(state: GameState, draft: Draft) -> tuple[str, ...]:
    """Return areas to choose from as an origin: those of this attack first, never the target."""
    own = [a.origin for a in draft.attackers]
    return tuple(a for a in dict.fromkeys((*own, *_used(state, draft), *_named(state))) if a != draft.target)


def attacker_options(attacker: Attacker, tables: Tables) -> tuple[tuple[str, str], ...]:
    """Return what may be changed about an attacker, as (key, text)."""
    zone = attacker.in_winter_zone
    zones = {
        None: _("Its area lies in the winter zone: as the target"),
        True: _("Its area lies in the winter zone: yes"),
        False: _("Its area lies in the winter zone: no"),
    }
    found = [("remove", _("Take it out")), ("name", _("Give it a name")), ("zone", zones[zone])]
    kind = attacker.unit.kind
    if tables.is_army(kind) or kind in ("parachute", "landing_craft"):
        found.append(("lands", _("It lands: yes") if attacker.landing else _("It lands: no")))
    return tuple(found)


def change_attacker_by(draft: Draft, index: int, what: str, tables: Tables, name: str = "") -> Draft:
    """Carry an option of `attacker_options` out."""
    attacker = draft.attackers[index]
    match what:
        case "remove":
            return change_attacker(draft, index, None)
        case "name":
            unit = changed(attacker.unit, name=name)
            return change_attacker(draft, index, changed(attacker, unit=unit))
        case "zone":
            following: dict[bool | None, bool | None] = {None: True, True: False, False: None}
            zone = following[attacker.in_winter_zone]
            # The zone is the area's: all that start there follow.
            attackers = tuple(
                changed(a, in_winter_zone=zone) if a.origin == attacker.origin else a for a in draft.attackers
            )
            return replace(draft, attackers=attackers)
        case _:
            lands = not attacker.landing
            loaded = lands and tables.is_army(attacker.unit.kind)
            unit = changed(attacker.unit, loaded=loaded)
            return change_attacker(draft, index, changed(attacker, unit=unit, landing=lands))


def defender_options(unit: Unit) -> tuple[tuple[str, str], ...]:
    """Return what may be changed about a defender, as (key, text)."""
    found = [("remove", _("Take it out"))]
    if unit.kind != "fort":
        found.append(("name", _("Give it a name")))
    if unit.kind in ("panzer", "infantry", "parachute", "supply", "tactical"):
        found.append(("aboard", _("It is aboard ship: yes") if unit.loaded else _("It is aboard ship: no")))
    return tuple(found)


def change_defender_by(draft: Draft, index: int, what: str, name: str = "") -> Draft:
    """Carry an option of `defender_options` out."""
    unit = draft.defenders[index]
    match what:
        case "remove":
            return change_defender(draft, index, None)
        case "name":
            return change_defender(draft, index, changed(unit, name=name))
        case _:
            return change_defender(draft, index, changed(unit, loaded=not unit.loaded))
