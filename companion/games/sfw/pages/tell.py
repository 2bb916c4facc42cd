"""Words of Song for War's pages as values: targets, hits, units with their numbers, what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, Value, several, unit
from companion.games.sfw.rules.battle_losses import Hit
from companion.games.sfw.rules.named import colour
from companion.pages.speak import speak

__all__ = ["DASH", "counts_say", "hits_say", "name_of", "or_dash", "targets_say"]

DASH = Typed("–")
"""Stands for what is not known."""


def or_dash(value: int | None) -> Value:
    """Return a figure; a dash while it is unknown."""
    return DASH if value is None else value


def targets_say(targets: Sequence[str]) -> Value:
    """Return targets in words, such as ``Land or Sea``."""
    return several((Name("target", target) for target in targets), "or")


def counts_say(counts: Iterable[tuple[str, int]]) -> Value:
    """Return units with their numbers, such as ``2 Tanks, 1 Infantry``."""
    return several((Count(n, unit(id_)) for id_, n in counts), "comma")


def hits_say(hits: Sequence[Hit], levels: Sequence[str]) -> Value:
    """Return hits in words, the heaviest first, such as ``1 Black, 2 White``."""
    totals: dict[int, int] = {}
    for hit in hits:
        totals[hit.level] = totals.get(hit.level, 0) + hit.count
    heaviest = sorted(totals.items(), reverse=True)
    return several(
        (Say("{n} {colour}", n=n, colour=colour(levels[level - 1])) for level, n in heaviest), "comma"
    )


def name_of(state: GameState, unit_id: str) -> str:
    """Return a unit's name as text, that of a card or a token too."""
    return speak(unit(unit_id), state)
