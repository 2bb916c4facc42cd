"""Which dice stand higher than the others: a die on another covers it and is nearer to the camera."""

from __future__ import annotations

__all__ = ["HIGHER", "lies_over", "size_excess"]

from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from vision.plane import LIFT, Table, nearness
from vision.types import Pose

F64 = NDArray[np.float64]
_OVER = 0.85
"""Share of the least distance that two dice beside each other have, face to face, under which one must be on the other."""
_LARGER = 1.06
"""How much larger the upper one has to look."""
HIGHER = {"d12": 0.06, "d10": 0.2, "d6": 0.2}
"""Excess from which a die that is not upright stands on another; a cube that leans looks larger by itself."""
_LEAST_MATES = 3


def lies_over(poses: Sequence[Pose], kinds: Sequence[str], table: Table) -> NDArray[np.bool_]:
    """Say of each die whether it lies over another of its kind that is seen, too, (n,).

    Two dice on the table are never nearer to each other than face to face; a camera that looks from the side sees
    them as near as the cosine of its tilt brings them.
    """
    places = np.array([(p.found.x, p.found.y) for p in poses], np.float64).reshape(-1, 2)
    radius = np.array([p.found.radius for p in poses], np.float64)
    far = np.linalg.norm(places[:, None] - places[None], axis=2)
    same = np.array(kinds)[:, None] == np.array(kinds)[None]
    least = _OVER * np.array([LIFT[kind] for kind in kinds], np.float64) * table.up[:, 2]
    over = (
        (far < least[:, None] * (radius[:, None] + radius[None]))
        & (radius[:, None] > _LARGER * radius[None])
        & same
    )
    return np.asarray(over.any(axis=1))


def size_excess(
    poses: Sequence[Pose], kinds: Sequence[str], colours: Sequence[int], table: Table, size: tuple[int, int]
) -> F64:
    """Return how much larger each die looks than its mates, from where it lies, as a logarithm, (n,).

    Mates are dice of one kind and colour, at least three others. What they differ among themselves is taken off twice:
    near 0 for a die of a mixed lot.

    Args:
        colours: Which colour each was named.
        size: Width and height of the photo.
    """
    radius = (np.log([p.found.radius for p in poses]) - np.log(nearness(poses, table, size))).tolist()
    out = np.zeros(len(poses))
    sets = list(zip(kinds, colours, strict=True))
    for i, one in enumerate(sets):
        mates = [radius[j] for j, other in enumerate(sets) if other == one and j != i]
        if len(mates) >= _LEAST_MATES:
            usual = median(mates)
            out[i] = max(0.0, radius[i] - usual - 2 * median(abs(r - usual) for r in mates))
    return out
