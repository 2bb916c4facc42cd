"""Rectifying top faces and reading what stands on them, several looks a die."""

from __future__ import annotations

__all__ = [
    "CLASSES",
    "READ_PX",
    "READ_REACH",
    "FaceVote",
    "face_map",
    "face_unit",
    "look_at_face",
    "normalise_face",
    "read_faces",
]

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import Levels, face_patch
from vision.types import Pose

READ_PX = 48
"""Side of a rectified face."""
READ_REACH = 1.25
"""Half side of it in face units."""
CLASSES = 13
"""Printed numbers 0 to 12."""
_UPRIGHT = 0.09
"""Sine of half the angle under which a numeral stands upright enough (about 10 degrees)."""
Net = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]]


@dataclass(frozen=True, slots=True)
class FaceVote:
    """What the looks at one face say together."""

    logp: tuple[float, ...]
    """Mean log probability of each printed number 0..12, over the looks, before anything is ruled out."""
    agree: float
    """Smallest probability that any look gave to the mean's winner."""
    turn: float
    """Angle of the numeral's right in the picture after reading, radians."""
    spread: float
    """How far the looks' turns lie apart, 0 (alike) to 1."""
    features: tuple[float, ...] = ()
    """Of the first upright look, for calibrated sets."""


def normalise_face(patch: NDArray[np.generic]) -> NDArray[np.float32]:
    """Take out brightness and contrast of a face patch (h, w, 3), so that ink on body is what remains.

    The middle disc decides; all channels share one scale, so that red on black stays red on black.
    """
    p = patch if patch.dtype == np.uint8 else np.asarray(patch, np.float32)
    h, w = p.shape[:2]
    mean, spread = cv2.meanStdDev(p[h // 6 : h - h // 6, w // 6 : w - w // 6])
    scale = np.float32(1 / (float(spread.max()) + 4.0))
    out = np.asarray(p, np.float32) * scale
    out -= (mean[:, 0] * scale).astype(np.float32)
    return np.asarray(np.clip(out, -4, 4, out=out), np.float32)


def face_map(pose: Pose, turn: float | None = None) -> NDArray[np.float64]:
    """Return the 2x2 map from face units (right, down) to photo pixels; ``turn`` in radians, the pose's own where missing."""
    return np.array(_face_map(pose, pose.turn if turn is None else turn), np.float64).reshape(2, 2)


def _face_map(pose: Pose, turn: float) -> tuple[float, float, float, float]:
    xx, xy, yy = pose.ellipse
    c, s = math.cos(turn), math.sin(turn)
    return xx * c + xy * s, xy * c - xx * s, xy * c + yy * s, yy * c - xy * s


def face_unit(pose: Pose) -> float:
    """Return the size of a face unit in photo pixels."""
    xx, xy, yy = pose.ellipse
    return math.sqrt(abs(xx * yy - xy * xy))


def look_at_face(
    photo: Levels,
    pose: Pose,
    turn: float,
    scale: float = 1.0,
    shift: tuple[float, float] = (0.0, 0.0),
) -> NDArray[np.uint8]:
    """Rectify the top face of a die at a turn in radians, by a factor ``scale`` wider and by ``shift`` face units aside."""
    a, b, c, d = (scale * v for v in _face_map(pose, turn))
    x, y = pose.top[0] + a * shift[0] + b * shift[1], pose.top[1] + c * shift[0] + d * shift[1]
    part, n = photo.near(READ_PX / (2 * READ_REACH * max(scale * face_unit(pose), 1e-3)))
    face = ((a / n, b / n), (c / n, d / n))
    return face_patch(part, ((x + 0.5) / n - 0.5, (y + 0.5) / n - 0.5), face, READ_PX, READ_REACH)


def _log_softmax(x: NDArray[np.floating]) -> NDArray[np.float64]:
    x = np.asarray(x, np.float64)
    x = x - x.max(axis=-1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))


def _faces_blob(patches: list[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """Normalise many patches at once, as ``normalise_face`` does one: (n, 3, h, w)."""
    blob = np.asarray(cv2.dnn.blobFromImages(patches), np.float32)
    h, w = blob.shape[2:]
    core = blob[:, :, h // 6 : h - h // 6, w // 6 : w - w // 6]
    blob -= core.mean(axis=(2, 3))[:, :, None, None]
    spread = np.sqrt(np.einsum("ncij,ncij->nc", core, core) / (core.shape[2] * core.shape[3]))
    blob /= spread.max(axis=1)[:, None, None, None] + np.float32(4)
    return np.asarray(np.clip(blob, -4, 4, out=blob), np.float32)


def _run(
    net: Net, patches: list[NDArray[np.uint8]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32]]:
    value, up, features = net(_faces_blob(patches))
    return _log_softmax(value), np.arctan2(up[:, 1], up[:, 0]).astype(np.float64), features


def read_faces(
    image: NDArray[np.uint8] | Levels,
    poses: Sequence[Pose],
    net: Net,
    *,
    doubt: float = 0.8,
    plain: float = 0.9,
) -> tuple[FaceVote, ...]:
    """Read the top faces of a photo (h, w, 3) uint8 BGR.

    A face that the first look finds upright and reads with ``plain`` certainty is done. The others are set upright by
    what that look saw and looked at again; those that still leave doubt get two more looks, a little larger, smaller
    and aside, where the likeliest value has a probability under ``doubt`` (both limits 0 to 1). Higher limits changed none
    of 496 values on renders.
    """
    if not poses:
        return ()
    photo = image if isinstance(image, Levels) else Levels(image)
    turns = np.array([p.turn for p in poses])
    first, lean, features = _run(net, [look_at_face(photo, p, t) for p, t in zip(poses, turns, strict=True)])
    final = turns + lean
    total = first.copy()
    looks: list[list[NDArray[np.float64]]] = [[a] for a in first]
    spread = np.abs(np.sin(lean / 2))
    tilted = [i for i in range(len(poses)) if np.exp(first[i]).max() < plain or spread[i] > _UPRIGHT]
    if tilted:
        second, lean2, seen = _run(net, [look_at_face(photo, poses[i], final[i]) for i in tilted])
        for j, i in enumerate(tilted):
            total[i] = 0.4 * first[i] + 0.6 * second[j]
            looks[i].append(second[j])
            final[i] += lean2[j]
            spread[i] = np.abs(np.sin(lean2[j] / 2))
            features[i] = seen[j]
    weak = [i for i in tilted if np.exp(total[i]).max() < doubt or spread[i] > 0.2]
    if weak:
        patches = []
        for i in weak:
            for scale, shift, extra in ((0.92, (0.05, 0.05), 0.1), (1.08, (-0.05, -0.05), -0.1)):
                patches.append(look_at_face(photo, poses[i], final[i] + extra, scale, shift))
        more, _, _ = _run(net, patches)
        for j, i in enumerate(weak):
            mine = more[2 * j : 2 * j + 2]
            total[i] = (0.7 * first[i] + looks[i][1] + mine.sum(axis=0)) / 3.7
            looks[i].extend(mine)
    out = []
    for i in range(len(poses)):
        logp = _log_softmax(total[i])
        winner = int(np.argmax(logp))
        agree = min(float(np.exp(look[winner])) for look in looks[i])
        out.append(
            FaceVote(
                tuple(logp.tolist()), agree, float(final[i]), float(spread[i]), tuple(features[i].tolist())
            )
        )
    return tuple(out)
