"""The report's section on dice that were read from photos: how many, and how often the table put them right.

The same for every game that records rolls: an act counts as a roll where it holds a `Roll`, or an origin beside dice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.core.commands import Command
from companion.core.dice import DiceOrigin, DiceSource, Roll
from companion.pages.i18n import N_, _
from companion.pages.numbers import percent
from companion.pages.report_parts import ReportSource, Section, section, table_html

__all__ = ["SECTIONS", "DiceFigures", "dice_figures", "origin_of"]

_DICE_FIELDS = ("dice", "values", "rolls")
"""Where commands that carry an origin keep what was rolled; empty: nothing was."""


@dataclass(frozen=True, slots=True)
class DiceFigures:
    """How the rolls of a game came in."""

    photo_rolls: int = 0
    """Rolls of which at least a part was read from a photo."""
    virtual_rolls: int = 0
    typed_rolls: int = 0
    photos: int = 0
    proposed: int = 0
    """Dice that were seen in the photos, with a value or without."""
    corrected: int = 0
    """Dice that the table changed in value or colour, added or took out."""
    recoloured: int = 0
    added: int = 0

    @property
    def rate(self) -> float:
        """The corrected share of all dice that were seen or missed, 0..1."""
        return self.corrected / max(1, self.proposed + self.added)


def origin_of(command: Command) -> DiceOrigin | None:
    """Return where a command's dice come from; None where it rolls none."""
    roll = getattr(command, "roll", None)
    if isinstance(roll, Roll):
        return roll.origin if roll.dice else None
    origin = getattr(command, "origin", None)
    if isinstance(origin, DiceOrigin) and any(getattr(command, name, ()) for name in _DICE_FIELDS):
        return origin
    return None


def dice_figures(source: ReportSource) -> DiceFigures:
    """Count the rolls that were not taken back."""
    found = [
        origin
        for entry in source.entries
        if source.counts(entry.seq) and (origin := origin_of(entry.command)) is not None
    ]
    ways = Counter(DiceSource.CAMERA if origin.photos else origin.source for origin in found)
    return DiceFigures(
        ways[DiceSource.CAMERA],
        ways[DiceSource.VIRTUAL],
        ways[DiceSource.TYPED],
        sum(len(origin.photos) for origin in found),
        sum(len(origin.proposed) for origin in found),
        sum(origin.corrected for origin in found),
        sum(origin.recoloured for origin in found),
        sum(origin.added for origin in found),
    )


@section("photo_dice", N_("Dice read from photos"), 55)
def _photo_dice(source: ReportSource) -> str:
    """Show the figures where a photo was read at all."""
    figures = dice_figures(source)
    if not figures.photos:
        return ""
    rows = (
        (_("Rolls read from photos"), str(figures.photo_rolls)),
        (_("Rolls typed"), str(figures.typed_rolls)),
        (_("Rolls by the box"), str(figures.virtual_rolls)),
        (_("Photos"), str(figures.photos)),
        (_("Dice proposed"), str(figures.proposed)),
        (_("Dice corrected"), str(figures.corrected)),
        (_("of these, wrong colour"), str(figures.recoloured)),
        (_("of these, not seen in the photo"), str(figures.added)),
        (_("Correction rate"), percent(figures.rate)),
    )
    return table_html(("", ""), rows)


SECTIONS: tuple[Section, ...] = (_photo_dice,)
"""What this adds to the report."""
