"""From a found die to its pose: kind, leaning or not, top face and how it is turned."""

from __future__ import annotations

__all__ = ["POSE_PX", "POSE_REACH", "find_poses"]

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.crops import square_crop
from vision.types import Found, Pose

POSE_PX = 64
"""Side of the crop that the pose net sees."""
POSE_REACH = 1.3
"""Half side of that crop in radii."""
Net = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]


def _softmax(x: NDArray[np.floating]) -> NDArray[np.float64]:
    e = np.exp(np.asarray(x, np.float64) - np.max(x))
    return np.asarray(e / e.sum())


def find_poses(image: NDArray[np.uint8], found: Sequence[Found], net: Net) -> tuple[Pose, ...]:
    """Run the pose net on every found place of a photo (h, w, 3) uint8 BGR."""
    if not found:
        return ()
    crops = np.stack([square_crop(image, f.x, f.y, f.radius * POSE_REACH, POSE_PX) for f in found])
    blob = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32) / np.float32(255)
    pose, look = net(blob)
    out = []
    for f, p, features in zip(found, pose, look, strict=True):
        half = f.radius * POSE_REACH
        refined = Found(
            f.x + float(np.clip(p[14], -0.4, 0.4)) * half,
            f.y + float(np.clip(p[15], -0.4, 0.4)) * half,
            f.radius * float(np.exp(np.clip(p[16], -0.4, 0.4))),
            f.score,
        )
        out.append(
            Pose(
                refined,
                tuple(_softmax(p[:4]).tolist()),
                1 / (1 + float(np.exp(-np.clip(p[4], -30, 30)))),
                (f.x + float(p[5]) * half, f.y + float(p[6]) * half),
                (float(p[7]) * half, float(p[8]) * half, float(p[9]) * half),
                float(np.arctan2(p[11], p[10])),
                float(np.arctan2(p[13], p[12])),
                tuple(features.tolist()),
            )
        )
    return tuple(out)
