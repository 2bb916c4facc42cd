"""What all dice on one table have in common: their top faces look the same way.

Seen from one camera, the offset of each top face from its die's centre grows evenly across the photo. One plane
through these offsets is fitted; a die far off it leans, stands on another, or its top face was mistaken. For the last
case ``expected_pose`` says where the top face would have to be, so that it can be read there too.

Only d12 and d6 take part: the faces of a d10 do not lie straight over its centre.
"""

from __future__ import annotations

__all__ = ["LIFT", "expected_pose", "is_plane_known", "off_plane", "plane_offsets"]

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.types import KINDS, Pose

LIFT = {"d12": 0.82, "d10": 1.0, "d6": 0.62}
"""Height of the top face over the die's centre in outline radii, by kind."""
_UNIT = {"d12": 0.62, "d10": 0.62, "d6": 0.86}
"""Size of the face unit in outline radii."""
_LEAST = 3
"""Dice that it takes to know the plane."""


def _kind(pose: Pose) -> str:
    return KINDS[int(np.argmax(pose.kinds[:3]))]


def _offsets(poses: Sequence[Pose]) -> NDArray[np.float64]:
    out = []
    for p in poses:
        lift = LIFT[_kind(p)] * p.found.radius
        out.append([(p.top[0] - p.found.x) / lift, (p.top[1] - p.found.y) / lift])
    return np.array(out).reshape(-1, 2)


def is_plane_known(poses: Sequence[Pose]) -> bool:
    """Say whether enough dice lie there that tell."""
    return sum(_kind(p) != "d10" for p in poses) >= _LEAST


def plane_offsets(poses: Sequence[Pose], size: tuple[int, int]) -> NDArray[np.float64] | None:
    """Fit where every top face should lie, in lifts of its die: (n, 2), or None with fewer than three that tell.

    Args:
        size: Width and height of the photo.
    """
    telling = np.array([_kind(p) != "d10" for p in poses], bool)
    if telling.sum() < _LEAST:
        return None
    offsets = _offsets(poses)
    far = max(size)
    at = np.array([[(p.found.x - size[0] / 2) / far, (p.found.y - size[1] / 2) / far] for p in poses])
    weight = np.array([p.die * (1 - 0.9 * p.cocked) for p in poses]) * telling + 1e-6
    plan = np.zeros((len(poses), 2, 3))
    plan[:, 0, 0], plan[:, 1, 1] = 1, 1
    plan[:, :, 2] = at
    # a camera's own field of view says roughly how fast offsets grow: a weak prior keeps few dice from lying
    firm = 0.5 if telling.sum() > 5 else 2.0
    prior = np.diag([1e-9, 1e-9, firm * firm])
    squares = np.einsum("nij,nik->njk", plan, plan)
    pulls = np.einsum("nij,ni->nj", plan, offsets)
    fitted = np.zeros(3)
    w = weight
    for _ in range(12):
        fitted = np.linalg.solve(
            np.tensordot(w, squares, 1) + prior, w @ pulls + prior @ np.array([0.0, 0.0, 0.95])
        )
        rest = np.linalg.norm(offsets - plan @ fitted, axis=1)
        w = weight / (1 + (rest / 0.1) ** 2) ** 1.5
    return np.asarray(plan @ fitted)


def off_plane(poses: Sequence[Pose], size: tuple[int, int]) -> NDArray[np.float64]:
    """Return how far each top face lies from where the others say, about the sine of the angle; zeros if unknown."""
    fitted = plane_offsets(poses, size)
    if fitted is None:
        return np.zeros(len(poses))
    away = np.linalg.norm(_offsets(poses) - fitted, axis=1)
    return np.asarray(away * np.array([_kind(p) != "d10" for p in poses]))


def expected_pose(pose: Pose, offset: NDArray[np.float64]) -> Pose:
    """Return the pose with its top face where the plane says (one row of ``plane_offsets``); the turn is kept."""
    kind, r = _kind(pose), pose.found.radius
    sine = float(np.clip(np.linalg.norm(offset), 1e-6, 0.85))
    along = offset / np.linalg.norm(offset) if np.linalg.norm(offset) > 1e-6 else np.array([1.0, 0.0])
    shrink = 1 - np.sqrt(1 - sine * sine)
    unit = _UNIT[kind] * r
    xx, xy, yy = (
        unit * (1 - shrink * along[0] ** 2), -unit * shrink * along[0] * along[1], unit * (1 - shrink * along[1] ** 2)
    )  # fmt: skip
    lift = LIFT[kind] * r
    top = (pose.found.x + float(offset[0]) * lift, pose.found.y + float(offset[1]) * lift)
    return replace(pose, top=top, ellipse=(float(xx), float(xy), float(yy)))
