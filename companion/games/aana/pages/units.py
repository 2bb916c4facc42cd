"""Every figure of North Africa's pieces with where it comes from: stated, inferred, entered, unofficial or unknown."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.state import GameState
from companion.core.text import Name
from companion.games.aana.pages.words import unit_word, unofficial_note
from companion.games.aana.rules.figures import COLOURS, FIGURES, Row
from companion.games.aana.rules.ledger import figures
from companion.pages.i18n import N_, _
from companion.pages.speak import speak

__all__ = ["UnitRow", "colour_options", "unit_rows"]

_SHORT: dict[str, str] = {
    "cost": N_("cost {n}"),
    "attack": N_("attack {n}"),
    "defence": N_("defence {n}"),
    "move": N_("move {n}"),
}


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One piece."""

    name: str
    figures: str
    traits: str
    status: str
    """What of it is not stated in the rules; empty when all is, and where `unofficial_note` says it of all pieces."""


def colour_options() -> tuple[tuple[str, str], ...]:
    """Return the colours of pieces as tabs."""
    return tuple((colour, speak(Name("colour", colour), game="aana")) for colour in COLOURS)


def unit_rows(state: GameState, colour: str) -> tuple[UnitRow, ...]:
    """Return every piece of a colour."""
    return tuple(_row(state, row) for row in figures(state).rows() if row.power == colour)


def _row(state: GameState, row: Row) -> UnitRow:
    parts = []
    for figure in FIGURES:
        value = getattr(row, figure)
        parts.append(_(_SHORT[figure]).format(n="–" if value is None else value))
    parts.append(_("{n} in the box").format(n=row.limit))
    notes = []
    if any(row.status.get(figure) == "unknown" for figure in FIGURES):
        notes.append(_("– is printed on your chart"))
    if any(row.status.get(figure) == "printed" for figure in FIGURES) and not unofficial_note(state):
        notes.append(_("entered by the table"))
    if row.is_inferred("traits"):
        notes.append(_("characteristics inferred, check your chart"))
    traits = ", ".join(speak(Name("trait", trait), game="aana") for trait in sorted(row.traits))
    return UnitRow(unit_word(row.unit), ", ".join(parts), traits, ", ".join(notes))
