"""Numbers as people type them: digits 0 to 9 alone, and none so large that it can be meant."""

from __future__ import annotations

import re

__all__ = ["MOST_FIGURE", "figure_in", "whole_in"]

MOST_FIGURE = 1_000_000
"""No number of a tournament is larger: table, round, player, rating, victory points, seconds."""
_WHOLE = re.compile(r"[0-9]{1,7}")
_FIGURE = re.compile(r"-?[0-9]{1,7}")


def whole_in(text: str) -> int | None:
    """Return a number from 0 to `MOST_FIGURE`, None where the text is none."""
    found = _WHOLE.fullmatch(text.strip())
    return int(found[0]) if found is not None and int(found[0]) <= MOST_FIGURE else None


def figure_in(text: str) -> int | None:
    """Return a number that may be below zero, from ``-MOST_FIGURE`` to `MOST_FIGURE`; None where the text is none."""
    found = _FIGURE.fullmatch(text.strip())
    return int(found[0]) if found is not None and abs(int(found[0])) <= MOST_FIGURE else None
