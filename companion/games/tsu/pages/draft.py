"""What is being entered on the Attack screen, and the steps that change it; nothing here is sent yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import msgspec
from msgspec.structs import replace as changed

from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.units import Line, Tables, Unit
from companion.pages.page import Act, Draft

__all__ = [
    "StarsDraft",
    "WAYS",
    "AttackDraft",
    "add_attacker",
    "add_defender",
    "attack_of",
    "change_attacker",
    "change_defender",
    "draft_of",
    "edit",
    "take_up",
    "spent_units",
    "way_of",
]

WAYS: Mapping[str, tuple[Line, bool]] = {
    "black": ("black", False),
    "road": ("road", False),
    "port": ("blue", False),
    "sea": ("blue", True),
    "inside": ("inside", False),
}
"""Way to the target as the screen names it: the line, and whether it starts in a sea area."""


@dataclass(frozen=True, slots=True)
class AttackDraft:
    """An attack that is being worked out, or the choices of one that is being fought."""

    mode: str = "list"
    """``list``, ``edit``, ``fight`` or ``done``."""
    number: int = 0
    """The attack that is fought or looked at."""
    tab: str = ""
    side: str = ""
    """Who attacks in an attack that is only tried out; empty: the side that acts."""
    target: str = ""
    area: str = "coastal"
    winter: bool = False
    attackers: tuple[Attacker, ...] = ()
    defenders: tuple[Unit, ...] = ()
    supplies: int = 1
    """Supplies of an attack that is only tried out."""
    spent: Mapping[str, int] = field(default_factory=dict)
    """``nation.kind`` to how many are used up."""
    shared: tuple[int, ...] = ()
    before: tuple[tuple[str, str, str], ...] = ()
    """Target, origin and way of what attacked earlier in this game, the newest first."""
    origin: str = ""
    """Where the next attacker starts."""
    way: str = "black"
    is_taking: bool = False
    """A tap takes a unit off again."""
    choice: int | None = None
    lost: tuple[int, ...] = ()
    """Places in the list of retreating units that have nowhere to go."""
    advance: tuple[int, ...] = ()


def edit(change: Callable[[AttackDraft], AttackDraft], then: Act | None = None) -> Draft[AttackDraft]:
    """Return an act that changes what is being entered."""
    return Draft(change, AttackDraft(), then)


def take_up(draft: AttackDraft) -> Draft[AttackDraft]:
    """Return an act that puts another draft in its place."""
    return Draft(lambda _draft: draft, AttackDraft())


def attack_of(draft: AttackDraft) -> Attack:
    """Return the attack as entered; season and the army's order come from the log."""
    return Attack(
        draft.target,
        draft.area,  # type: ignore[arg-type]
        "",
        draft.attackers,
        draft.defenders,
        draft.winter,
        draft.supplies,
    )


def draft_of(attack: Attack) -> AttackDraft:
    """Return what was entered for an attack, to be worked out again; its supply is named anew."""
    return AttackDraft(
        "edit",
        tab="attackers",
        target=attack.target,
        area=attack.area,
        winter=attack.winter_zone,
        attackers=attack.attackers,
        defenders=attack.defenders,
        origin=attack.attackers[-1].origin if attack.attackers else "",
    )


def spent_units(draft: AttackDraft) -> tuple[Unit, ...]:
    """Return the supplies that are used up."""
    found = []
    for key, count in draft.spent.items():
        nation, _dot, kind = key.partition(".")
        found += [Unit(kind, nation)] * count
    return tuple(found)


def way_of(attacker: Attacker) -> str:
    """Return the key of an attacker's way to the target."""
    if attacker.line == "blue":
        return "sea" if attacker.from_sea else "port"
    return attacker.line


def add_attacker(draft: AttackDraft, unit: Unit, tables: Tables) -> AttackDraft:
    """Add a unit from the origin and by the way at hand.

    A land unit that crosses a sea lane lands: an army brings its Landing Craft along unless its stack has one. A
    parachute onto a coastal area from inside or across a lane lands by air.
    """
    line, from_sea = WAYS[draft.way]
    origin = draft.target if line == "inside" else draft.origin
    is_land = tables.group(unit.kind) == "land"
    lands = (is_land and line == "blue") or unit.kind == "landing_craft"
    lands = lands or (unit.kind == "parachute" and line == "inside" and draft.area == "coastal")
    loaded = lands and tables.is_army(unit.kind)
    made = Attacker(changed(unit, loaded=loaded), origin, line, from_sea, None, lands)
    extra = [made]
    has_craft = any(a.unit.kind == "landing_craft" and a.origin == origin for a in draft.attackers)
    if loaded and not has_craft:
        craft = Unit("landing_craft", unit.nation)
        extra.append(Attacker(craft, origin, line, from_sea, None, True))
    return replace(draft, attackers=(*draft.attackers, *extra))


def change_attacker(draft: AttackDraft, index: int, new: Attacker | None) -> AttackDraft:
    """Put another attacker in a place, or take it out."""
    rest = draft.attackers[:index], draft.attackers[index + 1 :]
    return replace(draft, attackers=(*rest[0], *(() if new is None else (new,)), *rest[1]))


def add_defender(draft: AttackDraft, unit: Unit) -> AttackDraft:
    """Add a defender."""
    return replace(draft, defenders=(*draft.defenders, unit))


def change_defender(draft: AttackDraft, index: int, new: Unit | None) -> AttackDraft:
    """Put another defender in a place, or take it out."""
    rest = draft.defenders[:index], draft.defenders[index + 1 :]
    return replace(draft, defenders=(*rest[0], *(() if new is None else (new,)), *rest[1]))


class StarsDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    tab: str = ""
    """``replace``, ``stars`` or ``box``; empty: what the phase asks for."""
    nation: str = ""
    """Whose box is shown; empty: that of the first nation of the side that acts."""
    is_taking: bool = False
    """A tap on a unit in a box takes one out."""
