"""From a found die to its pose: kind, leaning or not, top face and how it is turned."""

from __future__ import annotations

__all__ = ["POSE_PX", "POSE_REACH", "TONES", "find_poses", "look_again", "tones"]

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.attitude import quarter_turn
from vision.confidence import logistic
from vision.crops import Levels, square_crop
from vision.types import Found, Pose

POSE_PX = 64
"""Side of the crop that the pose net sees."""
POSE_REACH = 1.3
"""Half side of that crop in radii."""
Net = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]]
"""Crops to pose, look and middle."""
StackNet = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""The middle to a logit of lying on another die, first of its columns."""
KindNet = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""The middle to logits of d12, d10, d6, no die, and a die of another kind."""


def _within(low: float, high: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows and columns of every second pixel of the crop whose distance from its middle lies between two radii."""
    yy, xx = np.mgrid[0:POSE_PX:2, 0:POSE_PX:2]
    far = np.hypot(yy - POSE_PX / 2 + 0.5, xx - POSE_PX / 2 + 0.5) * (2 * POSE_REACH / POSE_PX)
    rows, columns = np.nonzero((far >= low) & (far < high))
    return rows * 2, columns * 2


_BODY, _AROUND = _within(0.0, 0.75), _within(1.07, 1.26)
TONES = 21
"""How many numbers ``tones`` returns a die."""


def tones(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Sum up the colours of dice and of what lies around them, so that no net can overlook them.

    Args:
        crops: (n, 64, 64, 3) uint8 BGR, as the pose net sees them.

    Returns:
        (n, 21) float32: the 10th, 30th, 50th, 70th and 90th percentile of L, a, b on the die, the 25th and 75th of
        them around it; CIE units by 50.
    """
    parts = []
    for (rows, columns), shares in ((_BODY, (0.1, 0.3, 0.5, 0.7, 0.9)), (_AROUND, (0.25, 0.75))):
        some = cv2.cvtColor(np.ascontiguousarray(crops[:, rows, columns]), cv2.COLOR_BGR2LAB)
        lab = np.sort(some, axis=1, kind="stable")  # counts bytes: several times as quick
        some = lab[:, [int(share * len(rows)) for share in shares]].astype(np.float32)
        parts.append((some * [100 / 255, 1, 1] - [0, 128, 128]).reshape(len(crops), -1))
    return np.asarray(np.concatenate(parts, axis=1) / 50, np.float32)


def _softmax(x: Sequence[float]) -> tuple[float, ...]:
    e = [math.exp(v - max(x)) for v in x]
    return tuple(v / sum(e) for v in e)


def _bounded(x: float) -> float:
    return min(0.4, max(-0.4, x))


def _undo(p: NDArray[np.float32], quarter: int) -> NDArray[np.float64]:
    """Turn what the net said of a crop that was turned left by quarters back into the photo's directions."""
    q = np.array(p, np.float64)
    for _ in range(quarter % 4):
        for i in (5, 10, 14, 17):
            q[i], q[i + 1] = -q[i + 1], q[i]
        q[7], q[8], q[9] = q[9], -q[8], q[7]
        q[12], q[13] = -q[13], q[12]  # five quarters are one
        q[19:] = quarter_turn(q[19:])
    return q


def _pose(
    f: Found,
    said: NDArray[np.floating],
    features: NDArray[np.float32],
    stacked: float,
    named: tuple[float, ...],
) -> Pose:
    half = f.radius * POSE_REACH
    p: list[float] = said.tolist()
    refined = Found(
        f.x + _bounded(p[14]) * half, f.y + _bounded(p[15]) * half, f.radius * math.exp(_bounded(p[16])), f.score
    )  # fmt: skip
    return Pose(
        refined,
        _softmax(p[:4]),
        logistic(p[4]),
        (f.x + p[5] * half, f.y + p[6] * half),
        (p[7] * half, p[8] * half, p[9] * half),
        math.atan2(p[11], p[10]),
        math.atan2(p[13], p[12]),
        tuple(features.tolist()),
        (p[17], p[18]),
        tuple(p[19:]),
        stacked,
        named,
    )


def _blob(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(cv2.dnn.blobFromImages(list(crops), 1 / 255), np.float32)


def find_poses(
    image: NDArray[np.uint8] | Levels, found: Sequence[Found], net: Net, stack: StackNet, kind: KindNet
) -> tuple[Pose, ...]:
    """Run the pose net, and on its middle the stack net and the kind net, on every found place of a photo (h, w, 3) uint8 BGR.

    The kind net only tells things that are none of the three kinds; which of them a die is, the pose net says.
    """
    if not found:
        return ()
    crops = np.stack([square_crop(image, f.x, f.y, f.radius * POSE_REACH, POSE_PX) for f in found])
    pose, look, middle = net(_blob(crops))
    stacked, named = stack(middle), kind(middle).tolist()
    look = np.concatenate([look, tones(crops)], axis=1)
    return tuple(
        _pose(f, p, features, logistic(float(on)), _softmax(k))
        for f, p, features, on, k in zip(found, pose, look, stacked[:, 0], named, strict=True)
    )


def look_again(
    image: NDArray[np.uint8] | Levels,
    poses: Sequence[Pose],
    net: Net,
    kind: KindNet,
    *,
    quarters: Sequence[int] = (0, 1),
) -> tuple[Pose, ...]:
    """Look at places again, centred on what was found there, from several sides, and take the mean.

    Args:
        image: (h, w, 3) uint8 BGR.
        poses: As ``find_poses`` gave them.
        quarters: Turns of the crop that the net sees, to the left, in quarters.

    Returns:
        The mean poses; of lying on another they say what they said before, of the kind net's word the mean of all looks.
    """
    if not poses:
        return ()
    places = [p.found for p in poses]
    crops = np.stack([square_crop(image, f.x, f.y, f.radius * POSE_REACH, POSE_PX) for f in places])
    out, looks, middle = net(_blob(np.concatenate([np.rot90(crops, q, axes=(1, 2)) for q in quarters])))
    n = len(poses)
    named = kind(middle).tolist()
    looks = np.concatenate([looks[:n], tones(crops)], axis=1)
    again = []
    for i, f in enumerate(places):
        turned = np.stack([_undo(out[j * n + i], q) for j, q in enumerate(quarters)])
        for columns in (slice(10, 12), slice(12, 14)):
            turned[:, columns] /= np.linalg.norm(turned[:, columns], axis=1, keepdims=True) + 1e-9
        words = [poses[i].named, *(_softmax(named[j * n + i]) for j in range(len(quarters)))]
        mean = tuple(sum(each) / len(words) for each in zip(*words, strict=True))
        again.append(_pose(f, turned.mean(axis=0), looks[i], poses[i].stacked, mean))
    return tuple(again)
