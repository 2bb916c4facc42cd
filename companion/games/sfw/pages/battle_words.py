"""Words of battles that several screens say: terrain, steps, colours, figures, the names of units and hits."""

from __future__ import annotations

from collections.abc import Sequence

from companion.core.state import GameState
from companion.games.sfw.pages.ledger_view import KINDS
from companion.games.sfw.rules.battle_edition import EDITIONS
from companion.games.sfw.rules.battle_losses import Hit
from companion.games.sfw.rules.battle_rolls import OBJECTIVE
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import TYPES
from companion.games.sfw.words_battle import COLOURS, FIGURES, TERRAINS
from companion.pages.i18n import N_, _
from companion.pages.labels import unit_name
from companion.pages.shared_words import SHARED

__all__ = [
    "COLOURS",
    "TERRAINS",
    "FIGURES",
    "STATUS",
    "TARGETS",
    "TARGET_SETS",
    "die_colours",
    "figure_name",
    "hits_text",
    "name_of",
    "targets_text",
]

STATUS: dict[str, str] = {
    "declared": N_("declared"),
    "fighting": N_("being fought"),
    "over": N_("over"),
    "broken_off": N_("broken off"),
}

TARGETS: dict[str, str] = {**KINDS, OBJECTIVE: N_("Resupply")}

TARGET_SETS: tuple[tuple[str, ...], ...] = (("air",), ("sea",), ("land",), ("land", "sea"), TYPES)
"""Targets that a unit or a card is likely to name together."""


def name_of(state: GameState, unit: str) -> str:
    """Return a unit's name, that of a card or a token too."""
    table = unit_table_of(state)
    if SHARED.word("unit", unit) is not None or unit not in table.units:
        return unit_name(unit)
    return table.units[unit].name


def die_colours(state: GameState | None) -> dict[str, str]:
    """Return the colours of battle dice that a die can be said to have: those of the running game's edition."""
    if state is not None and state.setup is not None and state.setup.game in EDITIONS:
        levels = unit_table_of(state).levels
        return {level: _(COLOURS.get(level, level)) for level in levels}
    return {key: _(COLOURS[key]) for key in ("white", "gray", "black", "purple")}


def figure_name(figure: str) -> str:
    """Return the name of a unit's figure, such as ``Hit number (Red)``."""
    name, _dot, colour = figure.partition(".")
    text = _(FIGURES.get(name, name))
    return f"{text} ({_(COLOURS.get(colour, colour))})" if colour else text


def targets_text(targets: Sequence[str]) -> str:
    """Return targets in words, such as ``Land / Sea``."""
    return " / ".join(_(TARGETS.get(target, target)) for target in targets)


def hits_text(hits: Sequence[Hit], levels: Sequence[str]) -> str:
    """Return hits in words, such as ``1 Black, 2 White``."""
    totals: dict[int, int] = {}
    for hit in hits:
        totals[hit.level] = totals.get(hit.level, 0) + hit.count
    return ", ".join(
        f"{count} {_(COLOURS.get(levels[level - 1], levels[level - 1]))}"
        for level, count in sorted(totals.items(), reverse=True)
    )
