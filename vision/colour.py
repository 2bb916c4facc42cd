"""Naming the body colour of each die from its look, the whole photo's light, and the dice that look like it."""

from __future__ import annotations

__all__ = ["body_lab", "name_colours", "pool_alike"]

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import COLOURS, Pose

Net = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def name_colours(
    poses: Sequence[Pose],
    scene: NDArray[np.float32],
    net: Net,
    *,
    lab: NDArray[np.float64] | None = None,
    expected: Sequence[str] = (),
    favour: float = 3.0,
) -> NDArray[np.float64]:
    """Return (n, 10) colour probabilities.

    Args:
        scene: (12,) from ``scene_statistics``.
        lab: (n, 3) from ``body_lab``; dice that look alike then share their votes.
        expected: Colours that should lie there; others stay possible, at ``favour`` less log odds.
    """
    if not poses:
        return np.zeros((0, len(COLOURS)))
    blob = np.stack([np.concatenate([np.array(p.look, np.float32), scene]) for p in poses]).astype(np.float32)
    logits = np.asarray(net(blob), np.float64)
    if expected:
        logits += np.array([0.0 if c in expected else -favour for c in COLOURS])
    if lab is not None:
        logits = pool_alike(logits, lab)
    return _softmax(logits)


def body_lab(image: NDArray[np.uint8], poses: Sequence[Pose]) -> NDArray[np.float64]:
    """Measure each die's body: the median L, a, b of its middle, (n, 3), in CIE units; ink and glints fall out."""
    out = np.zeros((len(poses), 3))
    h, w = image.shape[:2]
    for i, p in enumerate(poses):
        half = 0.62 * p.found.radius
        x0, x1 = int(np.clip(p.found.x - half, 0, w - 2)), int(np.clip(p.found.x + half, 1, w - 1))
        y0, y1 = int(np.clip(p.found.y - half, 0, h - 2)), int(np.clip(p.found.y + half, 1, h - 1))
        part = image[y0 : max(y0, y1) + 1, x0 : max(x0, x1) + 1]
        step = max(1, min(part.shape[:2]) // 24)
        pixels = np.ascontiguousarray(part[::step, ::step])
        lab = cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float64)
        middle = np.median(lab, axis=0)
        out[i] = middle[0] * 100 / 255, middle[1] - 128, middle[2] - 128
    return out


def pool_alike(
    logits: NDArray[np.float64], lab: NDArray[np.float64], *, reach: float = 7.0
) -> NDArray[np.float64]:
    """Let dice of nearly the same measured body share their logits: dice come in sets, and light varies over a table.

    Args:
        logits: (n, colours).
        lab: (n, 3), CIE units.
        reach: Distance at which the share has fallen to 60 %.
    """
    d2 = ((lab[:, None] - lab[None]) ** 2).sum(axis=2)
    share = np.exp(-d2 / (2 * reach * reach))
    return np.asarray(share @ logits / share.sum(axis=1, keepdims=True))
