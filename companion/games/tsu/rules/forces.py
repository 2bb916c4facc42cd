"""Who attacks whom: an attack as a value, and what each unit counts in it.

No map is known, so an attack says how each unit reaches the target. Source: The Soft Underbelly, Combat; Unit Combat Values.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.places import folded
from companion.games.tsu.rules.units import Line, Tables, Unit, Values

__all__ = ["AIR", "LIFTS", "ONE_OF", "Attack", "Attacker", "attack_value", "defence_value"]

AIR = ("tactical", "carrier")
"""Kinds that fight in the air."""
ONE_OF = ("tactical", "flotilla", "carrier", "parachute")
"""Kinds of which one fits in an area; armies and supply have their own rules."""
LIFTS = ("convoy", "landing_craft")
"""Kinds that carry others."""


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

    @property
    def stack(self) -> str:
        """Return what units of one origin share, however its name was typed."""
        return folded(self.origin)


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
    """Supply units, Convoys and empty Landing Craft that support it."""
    reorganized: bool = False
    """Germany's reorganized army is in force."""
    is_landing_shared: bool = True
    """A Landing Craft's own supply also serves overland units that support the landing: ruling ``landing_supply``."""
    is_drop_shared: bool = False
    """The same for a Parachute across a sea lane without a Landing Craft: ruling ``parachute_supply``."""
    is_port_closed: bool = False
    """A Landing Craft in a port is unloaded and attacks from none: ruling ``port_landing``."""


def _reorganized(unit: Unit, tables: Tables, reorganized: bool) -> Values | None:
    """Return what a unit counts in the reorganized army; None where that changes nothing for it."""
    return tables.units[unit.kind].reorganized if reorganized and unit.nation == "germany" else None


def attack_value(attacker: Attacker, tables: Tables, has_fort: bool, reorganized: bool) -> int:
    """Return what an attacker counts."""
    unit = attacker.unit
    row = tables.units[unit.kind]
    if unit.loaded and not attacker.landing:
        return 0
    if attacker.landing and row.value_landing is not None:
        return row.value_landing
    changed = _reorganized(unit, tables, reorganized)
    if changed is not None:
        return changed.attack
    if has_fort and row.value_against_fort is not None:
        return row.value_against_fort
    return row.value or 0


def defence_value(unit: Unit, tables: Tables, reorganized: bool) -> int:
    """Return what a defender counts; an unknown Fort counts nothing here, and `verdict` names it."""
    if unit.kind == "fort":
        return unit.fort_value or 0
    if unit.loaded:
        return 0
    changed = _reorganized(unit, tables, reorganized)
    if changed is not None:
        return changed.defence
    return tables.units[unit.kind].value or 0
