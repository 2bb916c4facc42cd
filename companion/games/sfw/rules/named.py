"""What the rules of battle name in their sentences: sides of a battle, terrain, colours, figures, dice, spaces.

Source: rulebook v0.96, Battle Steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core.collecting import shown
from companion.core.text import Count, Name, Say, Several, Value, several, unit

__all__ = [
    "battle_side",
    "colour",
    "figure",
    "figure_of",
    "figures_of",
    "found",
    "sentences",
    "some_dice",
    "space",
    "terrain",
    "units_of",
]


def battle_side(side: str) -> Name:
    """Name a side of a battle: ``attacking`` or ``defending``."""
    return Name("battle_side", side)


def terrain(id_: str) -> Name:
    """Name a kind of terrain."""
    return Name("terrain", id_)


def colour(id_: str) -> Name:
    """Name a colour of dice or of armour."""
    return Name("colour", id_)


def figure(id_: str) -> Name | Say:
    """Name a figure of a unit, such as ``cost``, or ``number.red``: that of one colour alone."""
    name, _dot, of = id_.partition(".")
    plain = Name("figure", name)
    return Say("{figure} ({colour})", figure=plain, colour=colour(of)) if of else plain


def figure_of(key: str) -> Say:
    """Name a printed value of the unit table, such as ``tank.number``."""
    id_, _dot, of = key.partition(".")
    return Say("{unit}, {figure}", unit=unit(id_), figure=figure(of))


def figures_of(keys: Iterable[str]) -> Several:
    """Name several printed values of the unit table one after the other."""
    parted = (key.partition(".") for key in keys)
    return several(
        (Say("{unit}: {figure}", unit=unit(id_), figure=figure(of)) for id_, _dot, of in parted), "comma"
    )


def found(value: object) -> Value:
    """Return a value as it came, for a sentence that says what was expected instead."""
    return value if isinstance(value, int) and not isinstance(value, bool) else shown(value)


def space(name: str) -> Name:
    """Name a space by its one spelling: a site's name is told in the language at hand, any other as it was typed."""
    return Name("space", name)


def some_dice(count: int, of: str) -> Say:
    """Return so many dice of a colour."""
    return Say.counted("{n} {colour} die", "{n} {colour} dice", count, colour=colour(of))


def units_of(counts: Mapping[str, int]) -> Several:
    """Return units with their numbers."""
    return several(Count(n, unit(id_)) for id_, n in counts.items())


def sentences(says: Iterable[Say]) -> Say:
    """Return several sentences as one value; a single one stays what it is."""
    all_ = tuple(says)
    return all_[0] if len(all_) == 1 else Say("{sentences}", sentences=Several(all_, "sentences"))
