"""Names of what stands in a game of The Soft Underbelly itself: units on one line, stars, seasons, how a game ends."""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.state import GameState
from companion.core.text import N_, Count, Name, Say, Several, Typed, Value, several, side
from companion.games.tsu.rules.schema import fort_of
from companion.games.tsu.rules.state import slice_of
from companion.games.tsu.rules.units import Unit, called
from companion.games.tsu.rules.victory import Outcome

__all__ = ["SEASONS", "in_full", "listed", "named", "outcome", "season", "season_within", "side_or_nobody"]

SEASONS: dict[str, str] = {
    "spring": N_("Spring {year}"),
    "summer": N_("Summer {year}"),
    "fall": N_("Fall {year}"),
    "winter": N_("Winter {year}"),
}
"""A season of a year, standing alone."""

_WITHIN: dict[str, str] = {
    "spring": N_("the spring of {year}"),
    "summer": N_("the summer of {year}"),
    "fall": N_("the fall of {year}"),
    "winter": N_("the winter of {year}"),
}
"""The same inside a sentence, where some languages need an article."""


def season(name: str) -> Say:
    """Say a season such as ``winter 1942``."""
    of, _, year = name.partition(" ")
    return Say(SEASONS[of], year=Typed(year))


def season_within(name: str) -> Say:
    """Say a season such as ``winter 1942`` as a sentence says it, after *until*, *before* or *from*."""
    of, _, year = name.partition(" ")
    return Say(_WITHIN[of], year=Typed(year))


def side_or_nobody(of: str | None) -> Name:
    """Name a side; nobody where there is none."""
    return side(of or "nobody")


def in_full(unit: Unit) -> Say | Name:
    """Name a unit by its own name with its kind, or by its kind, with cargo told."""
    kind = Name("unit", unit.kind)
    word: Say | Name = kind
    if unit.name:
        name = Typed(unit.name)
        word = (
            Say("Fort {name}", name=name)
            if unit.kind == "fort"
            else Say("{name} ({kind})", name=name, kind=kind)
        )
    return Say("{unit}, aboard ship", unit=word) if unit.loaded else word


def listed(units: Iterable[Unit]) -> Several:
    """List units, equal ones counted; a dash where there are none."""
    counts: dict[Value, int] = {}
    for unit in units:
        word: Value = in_full(unit) if unit.kind == "fort" else called(unit)
        counts[word] = counts.get(word, 0) + 1
    return several((_so_many(word, n) for word, n in counts.items()) if counts else (Typed("–"),), "comma")


def _so_many(word: Value, n: int) -> Value:
    if n == 1:
        return word
    return Count(n, word) if isinstance(word, Name) else Say("{n} {noun}", n=n, noun=word)


def outcome(of: Outcome) -> Say:
    """Say how a game ends."""
    why = Name("reason", of.reason)
    if of.winner is None:
        return Say("Draw: {why}", why=why)
    return Say("{side}, {level}: {why}", side=side(of.winner), level=Name("level", of.level), why=why)


def named(name: Name, state: GameState | None) -> Say | None:
    """Name a season within a sentence, a star of the open game, or what a printed value's key means."""
    if name.kind == "season":
        return season_within(name.id)
    if state is None:
        return None
    if name.kind == "star":
        return Say(slice_of(state).star_names.get(name.id, name.id))
    fort = fort_of(name.id) if name.kind == "key" else None
    if fort is None:
        return None
    forts = state.frozen_setup.tables["game"]["forts"]
    word = next((Say(row["name"]) for row in forts if row["id"] == fort), Typed(fort))
    return Say("Fort {name}: value on its counter", name=word)
