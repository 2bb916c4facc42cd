"""Which find is which die."""

from __future__ import annotations

__all__ = ["pair_up"]

import math
from collections.abc import Sequence


def pair_up(
    dice: Sequence[tuple[float, float, float]], places: Sequence[tuple[float, float]], within: float
) -> dict[int, int]:
    """Pair dice (x, y, radius) with places (x, y), the nearest in radii first, each once.

    Pairs farther apart than ``within`` radii are none.

    Returns:
        Index of the die to that of its place, the nearest pair first.
    """
    pairs = sorted(
        (math.dist((x, y), place) / radius, i, j)
        for i, (x, y, radius) in enumerate(dice)
        for j, place in enumerate(places)
    )
    out: dict[int, int] = {}
    taken: set[int] = set()
    for far, i, j in pairs:
        if far <= within and i not in out and j not in taken:
            taken.add(j)
            out[i] = j
    return out
