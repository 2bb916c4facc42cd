"""Units and the tables that attacks are calculated from; the figures come from the game's data.

Source: The Soft Underbelly, Unit Combat Values; Permissible Attacks Chart; Reorganization of the German Army.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from companion.core.text import Name, Say, Typed

__all__ = [
    "Cell",
    "Chart",
    "Group",
    "Line",
    "Tables",
    "Unit",
    "UnitRow",
    "Values",
    "called",
    "group_of",
    "one_fits",
]

Group = Literal["land", "tactical", "naval", "land_tactical", "land_naval", "tactical_naval", "all"]
"""What a stack holds, as the chart's rows and columns name it."""

Line = Literal["black", "road", "blue", "inside"]
"""How an attacker reaches the target: railway, road, sea lane, or from within (Malta, a parachute on top)."""

Permission = Literal["yes", "no", "own_carrier", "no_enemy_carrier", "match_carrier"]


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Combat values of a kind that differ by who attacks."""

    attack: int
    defence: int


class UnitRow(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One kind of unit as the data give it."""

    id: str
    name: str
    group: Literal["land", "tactical", "naval"]
    source: str
    value: int | None = None
    value_against_fort: int | None = None
    value_landing: int | None = None
    reorganized: Values | None = None
    """What it counts in Germany's reorganized army."""
    cost: int | None = None
    nations: tuple[str, ...] = ()
    """The only nations that ever have it; empty: any."""
    army: bool = False
    """Army-sized: it can overrun, and only one may stay in an area."""
    cargo: bool = False
    """A Convoy or a Landing Craft can carry it."""
    status: dict[str, tuple[Literal["stated", "inferred", "unknown"], str]] = {}


class Cell(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One field of the permissible attacks chart."""

    combat: Literal["full", "none", "air", "carrier_air", "naval", "air_naval"]
    overrun: bool = False
    coastal: bool = False
    """Only where the target is a coastal area."""
    landing: Permission = "yes"
    paradrop: Permission = "yes"
    no_possession: bool = False


Chart = dict[str, dict[str, Cell]]


class Unit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One unit in an attack."""

    kind: str
    nation: str
    name: str = ""
    fort_value: int | None = None
    """Printed value of a Fort; None: not yet entered."""
    loaded: bool = False
    """Aboard a Convoy or Landing Craft."""


class Tables(msgspec.Struct, frozen=True):
    """What the calculator reads."""

    units: dict[str, UnitRow]
    chart: Chart

    def group(self, kind: str) -> str:
        """Return whether a kind counts as land, tactical or naval."""
        return self.units[kind].group

    def is_army(self, kind: str) -> bool:
        """Say whether a kind is army-sized."""
        return self.units[kind].army


def group_of(units: Iterable[Unit], tables: Tables) -> Group | None:
    """Return the chart's name for a stack; None for an empty one."""
    found = {tables.group(unit.kind) for unit in units}
    if not found:
        return None
    if len(found) == 3:
        return "all"
    names: dict[frozenset[str], Group] = {
        frozenset({"land"}): "land",
        frozenset({"tactical"}): "tactical",
        frozenset({"naval"}): "naval",
        frozenset({"land", "tactical"}): "land_tactical",
        frozenset({"land", "naval"}): "land_naval",
        frozenset({"tactical", "naval"}): "tactical_naval",
    }
    return names[frozenset(found)]


def called(unit: Unit) -> Name | Typed:
    """Return what a unit is called: its own name, or its kind where it has none."""
    return Typed(unit.name) if unit.name else Name("unit", unit.kind)


def one_fits(kind: str) -> Say:
    """Say that an area holds one unit of a kind.

    Source: The Soft Underbelly, Stacking.
    """
    return Say("An area can hold only one unit of this kind: {unit}.", unit=Name("unit", kind))
