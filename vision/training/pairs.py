"""Which find is which die."""

from __future__ import annotations

__all__ = ["pair_up"]

from collections.abc import Sequence

import numpy as np

from vision.training.paint import DieTruth


def pair_up(dice: Sequence[DieTruth], places: Sequence[tuple[float, float]], within: float) -> dict[int, int]:
    """Pair dice with places (x, y) in pixels, the nearest in radii first, each once: index of the die to that of the place.

    Pairs farther apart than ``within`` radii are none.
    """
    pairs = sorted(
        (float(np.hypot(x - d.x, y - d.y)) / d.radius, i, j)
        for i, d in enumerate(dice)
        for j, (x, y) in enumerate(places)
    )
    out: dict[int, int] = {}
    taken: set[int] = set()
    for far, i, j in pairs:
        if far <= within and i not in out and j not in taken:
            taken.add(j)
            out[i] = j
    return out
