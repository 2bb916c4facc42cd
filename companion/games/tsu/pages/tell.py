"""Words of The Soft Underbelly's pages as values: units, areas, stars, seasons, outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core.state import GameState
from companion.core.text import Count, Say, Typed, Value, nation, several, unit
from companion.games.tsu.names import listed, side_or_nobody
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.state import slice_of
from companion.games.tsu.rules.units import Tables

__all__ = [
    "attackers_say",
    "counts_say",
    "holder_say",
    "reorganized_say",
    "star_say",
    "stars_say",
]


def counts_say(units: Mapping[str, int]) -> Value:
    """Return kinds of units with their numbers on one line."""
    return several((Count(n, unit(kind)) for kind, n in units.items()), "comma")


def attackers_say(attackers: Iterable[Attacker]) -> Value:
    """Return attackers on one line."""
    return listed(attacker.unit for attacker in attackers)


def reorganized_say(tables: Tables) -> Say:
    """Return what German Infantry counts in the reorganized army."""
    values = tables.units["infantry"].reorganized
    assert values is not None, "the data give it"
    return Say("German Infantry: attack {a}, defence {d}", a=values.attack, d=values.defence)


def star_say(state: GameState, star: str) -> Value:
    """Return a star's name: of the data, or as the table typed it."""
    name = slice_of(state).star_names.get(star, star)
    is_listed = any(row["id"] == star for row in state.frozen_setup.tables["game"]["stars"])
    return Say(name) if is_listed else Typed(name)


def holder_say(state: GameState, star: str) -> Value:
    """Return who holds a star, and whose ships or aircraft stand on it."""
    own = slice_of(state)
    holder = own.stars.get(star)
    found: Value = nation(holder) if holder else Say("nobody")
    if star in own.controlled:
        on_it = side_or_nobody(own.controlled[star])
        return Say("{holder}; only ships or aircraft: {side}", holder=found, side=on_it)
    return found


def stars_say(count: int) -> Say:
    """Return a number of stars."""
    return Say.counted("{n} star", "{n} stars", count)
