"""What an upgrade changes in what is known already: groups, compositions, whole battles, counts of units.

An upgrade holds for all units of its sort that a nation has or will have, wherever they are written down; what
the table noted before is read with the units as they are now. A battle that has begun keeps its figures.
Source: rulebook v0.96, NS Cards; first edition, National Support Cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from companion.core.text import Say, nation, unit
from companion.games.sfw.rules.battle import Battle, Group, Load
from companion.games.sfw.rules.units import UnitTable

__all__ = ["card_fault", "is_upgraded", "owned_battle", "owned_counts", "owned_group", "owned_groups"]


def card_fault(table: UnitTable, card: Mapping[str, Any]) -> Say | None:
    """Say why a card cannot bring its unit beside those there are; None when it can.

    Its figures are checked by `units.with_card`.
    """
    base, id_ = str(card.get("base", "")), str(card.get("id", ""))
    if base in table.units and table.units[base].base:
        return Say("{unit} is on a card already. Choose a Standard Unit as the base.", unit=unit(base))
    if id_ in table.units and table.units[id_].base:
        return Say("Another card has brought this unit: {unit}. Give it another name.", unit=unit(id_))
    return None


def is_upgraded(table: UnitTable, of: str, base: str) -> Say | None:
    """Say that a nation has upgraded a unit before, which it may do once; None when it has not.

    Source: rulebook v0.96, NS Cards
    """
    if f"{of}.{base}" not in table.upgrades:
        return None
    return Say(
        "{nation} has already upgraded this unit: {unit}. Each unit is upgraded once per game.",
        nation=nation(of),
        unit=unit(base),
    )


def owned_group(table: UnitTable, group: Group) -> Group:
    """Return a group with its units and its cargo as its nation has them now."""
    cargo = tuple(Load(table.owned(group.nation, load.unit), load.count) for load in group.cargo)
    return replace(group, unit=table.owned(group.nation, group.unit), cargo=cargo)


def owned_groups(table: UnitTable, groups: Iterable[Group]) -> tuple[Group, ...]:
    """Return groups with their units as their nations have them now."""
    return tuple(owned_group(table, group) for group in groups)


def owned_battle(table: UnitTable, battle: Battle) -> Battle:
    """Return a battle that has not begun with its units as their nations have them now."""
    if not table.upgrades:
        return battle
    attacking, defending = owned_groups(table, battle.attacking), owned_groups(table, battle.defending)
    return replace(battle, attacking=attacking, defending=defending)


def owned_counts(table: UnitTable, of: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return counts by unit with the units as a nation has them now."""
    found: dict[str, int] = {}
    for one, count in units.items():
        now = table.owned(of, one)
        found[now] = found.get(now, 0) + count
    return found
