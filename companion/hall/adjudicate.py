"""Adjudication of a game that time has ended: from the table's own figures, with their sum; a director decides.

Figures come from outside, as each game counts them. What is not known is said and never guessed; a game without figures is the
director's to judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

__all__ = ["Proposal", "SideFigure", "propose"]


class SideFigure(msgspec.Struct, frozen=True):
    """What one side has."""

    side: str
    amount: float | None
    """None: not known."""
    lines: tuple[str, ...] = ()
    is_points: bool = True
    """False where it is only 1 for the side that would have won."""


class Proposal(msgspec.Struct, frozen=True):
    """What the figures say."""

    winner: str | None
    """A side; None: a draw where `is_known`, else nobody can say."""
    is_known: bool
    sum: tuple[str, ...]
    vp: tuple[int, int] | None = None


def propose(
    figures: Sequence[SideFigure], sides: Sequence[str], names: Mapping[str, str], as_of: str
) -> Proposal:
    """Return what the figures of a game say, line by line.

    Args:
        sides: The game's sides in the tournament's order.
        names: Side to what it is called.
        as_of: Which instant of the game they are of.
    """
    by_side = {figure.side: figure for figure in figures}
    lines = [f"Figures as of {as_of}."]
    amounts = []
    for side in sides:
        figure, name = by_side.get(side), names.get(side, side)
        if figure is None:
            continue
        amount = "not known" if figure.amount is None else f"{figure.amount:g}"
        amounts.append(figure.amount)
        parts = ((amount,) if figure.is_points else ()) + figure.lines
        lines.append(f"{name}: {'; '.join(parts)}.".replace("..", "."))
    if len(amounts) < len(sides):
        return Proposal(None, False, (*lines, "This game has no figures to judge it by: by the director."))
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts):
        return Proposal(
            None, False, (*lines, "A figure is missing: enter it at the table, or by the director.")
        )
    best = max(known)
    winners = [side for side, amount in zip(sides, known, strict=True) if amount == best]
    is_whole = all(amount == int(amount) for amount in known) and len(known) == 2
    is_points = all(figure.is_points for figure in figures)
    vp = (int(known[0]), int(known[1])) if is_whole and is_points else None
    if len(winners) > 1:
        return Proposal(None, True, (*lines, "Equal: a draw."), vp)
    rest = best - max(amount for amount in known if amount != best)
    by = f"is ahead by {rest:g}" if is_points else "wins by that"
    return Proposal(winners[0], True, (*lines, f"{names.get(winners[0], winners[0])} {by}."), vp)
