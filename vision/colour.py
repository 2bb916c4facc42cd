"""Naming the body colour of each die from its look and the whole photo's light."""

from __future__ import annotations

__all__ = ["name_colours"]

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.types import COLOURS, Pose

Net = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def name_colours(
    poses: Sequence[Pose],
    scene: NDArray[np.float32],
    net: Net,
    *,
    expected: Sequence[str] = (),
    favour: float = 3.0,
) -> NDArray[np.float64]:
    """Return (n, 10) colour probabilities.

    Args:
        scene: (12,) from ``scene_statistics``.
        expected: Colours that should lie there; others stay possible, at ``favour`` less log odds.
    """
    if not poses:
        return np.zeros((0, len(COLOURS)))
    blob = np.stack([np.concatenate([np.array(p.look, np.float32), scene]) for p in poses]).astype(np.float32)
    logits = np.asarray(net(blob), np.float64)
    if expected:
        logits += np.array([0.0 if c in expected else -favour for c in COLOURS])
    logits -= logits.max(axis=1, keepdims=True)
    e = np.exp(logits)
    return np.asarray(e / e.sum(axis=1, keepdims=True))
