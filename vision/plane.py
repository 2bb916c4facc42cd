"""What all dice on one table have in common: their top faces look the same way.

Seen from one camera, the offset of each top face from its die's centre grows evenly across the photo. One plane
through these offsets is fitted; a die far off it leans, stands on another, or its top face was mistaken.
"""

from __future__ import annotations

__all__ = ["LIFT", "off_plane", "plane_offsets"]

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.types import KINDS, Pose

LIFT = {"d12": 0.80, "d10": 0.62, "d6": 0.62}
"""Height of the top face over the die's centre in outline radii, by kind."""


def _offsets(poses: Sequence[Pose]) -> NDArray[np.float64]:
    out = []
    for p in poses:
        kind = KINDS[int(np.argmax(p.kinds[:3]))]
        out.append(
            [
                (p.top[0] - p.found.x) / p.found.radius / LIFT[kind],
                (p.top[1] - p.found.y) / p.found.radius / LIFT[kind],
            ]
        )
    return np.array(out).reshape(-1, 2)


def plane_offsets(poses: Sequence[Pose], size: tuple[int, int]) -> NDArray[np.float64] | None:
    """Fit where every top face should lie, in lifts of its die: (n, 2), or None with fewer than four dice.

    Args:
        size: Width and height of the photo.
    """
    if len(poses) < 4:
        return None
    offsets = _offsets(poses)
    far = max(size)
    at = np.array([[(p.found.x - size[0] / 2) / far, (p.found.y - size[1] / 2) / far] for p in poses])
    weight = np.array([p.die * (1 - 0.9 * p.cocked) for p in poses]) + 1e-3
    plan = np.zeros((2 * len(poses), 3))
    plan[0::2, 0], plan[1::2, 1] = 1, 1
    plan[0::2, 2], plan[1::2, 2] = at[:, 0], at[:, 1]
    goal = offsets.ravel()
    # a camera's own field of view says roughly how fast offsets grow: a weak prior keeps few dice from lying
    prior, prior_goal = np.array([[0.0, 0.0, 0.5]]), np.array([0.5 * 0.95])
    fitted = np.zeros(3)
    w = weight.copy()
    for _ in range(8):
        ww = np.sqrt(np.repeat(w, 2))[:, None]
        fitted = np.linalg.lstsq(
            np.vstack([plan * ww, prior]), np.concatenate([goal * ww[:, 0], prior_goal]), rcond=None
        )[0]
        rest = np.linalg.norm((goal - plan @ fitted).reshape(-1, 2), axis=1)
        w = weight / (1 + (rest / 0.12) ** 2)
    return np.asarray((plan @ fitted).reshape(-1, 2))


def off_plane(poses: Sequence[Pose], size: tuple[int, int]) -> NDArray[np.float64]:
    """Return how far each top face lies from where the others say, about the sine of the angle; zeros if unknown."""
    fitted = plane_offsets(poses, size)
    if fitted is None:
        return np.zeros(len(poses))
    return np.asarray(np.linalg.norm(_offsets(poses) - fitted, axis=1))
