"""Naming the body colour of each die from its look, the whole photo's light, and the dice that look like it."""

from __future__ import annotations

__all__ = [
    "body_lab",
    "company",
    "expect",
    "look_logits",
    "name_colours",
    "own_word",
    "pool_alike",
    "settle_grays",
    "softmax",
]

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import percentiles
from vision.types import COLOURS, Pose

_GRAYS = [COLOURS.index(c) for c in ("black", "gray", "white")]
_DISC = np.mgrid[-1:1:24j, -1:1:24j].reshape(2, -1)
_DISC = _DISC[:, (_DISC**2).sum(axis=0) < 1]
"""Rows and columns of points all over a disc of radius 1."""
Net = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities (n, colours) of logits of the same shape."""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def look_logits(poses: Sequence[Pose], scene: NDArray[np.float32], net: Net) -> NDArray[np.float64]:
    """Return the colour net's (n, 10) logits for each die alone; ``scene`` (12,) is from ``scene_statistics``."""
    if not poses:
        return np.zeros((0, len(COLOURS)))
    look = np.array([p.look for p in poses], np.float32)
    blob = np.concatenate(
        [look, np.broadcast_to(np.asarray(scene, np.float32), (len(poses), len(scene)))], axis=1
    )
    return np.asarray(net(blob), np.float64)


def expect(
    logits: NDArray[np.float64], expected: Sequence[str], *, favour: float = 3.0
) -> NDArray[np.float64]:
    """Return logits (n, 10) in which expected colours are favoured: others stay possible, at ``favour`` less log odds.

    Nothing expected changes nothing.
    """
    if not expected:
        return logits
    return np.asarray(logits + np.array([0.0 if c in expected else -favour for c in COLOURS]))


def own_word(logits: NDArray[np.float64], colour: int) -> float:
    """Return the probability, 0 to 1, that the net gives a colour (its number) for one die alone, from its logits (10,)."""
    return float(softmax(logits[None])[0, colour])


def company(
    logits: NDArray[np.float64], lab: NDArray[np.float64], names: Sequence[int]
) -> NDArray[np.float64]:
    """Return what the other dice of a photo say of each die's colour, (n, 3).

    Its columns: the mean probability that the net gives each of the other dice of the same name for that name, its own
    where there is none; 1 for white, gray and black, else 0; for these the lightness, in CIE units up to 25, between it
    and the nearest die that is called another of the three, else 0.

    Args:
        logits: (n, 10) from ``look_logits``.
        lab: (n, 3) from ``body_lab``.
        names: Each die's colour, by its number.
    """
    own = softmax(np.asarray(logits, np.float64))
    out = np.zeros((len(names), 3))
    for i, name in enumerate(names):
        mates = [j for j, other in enumerate(names) if other == name and j != i] or [i]
        is_gray = name in _GRAYS
        near = [abs(lab[j, 0] - lab[i, 0]) for j, k in enumerate(names) if k != name and k in _GRAYS]
        out[i] = own[mates, name].mean(), is_gray, min([25.0, *near]) if is_gray else 0.0
    return out


def name_colours(
    logits: NDArray[np.float64],
    lab: NDArray[np.float64] | None = None,
    *,
    grays: Sequence[float] | None = (10.0, 1.0),
) -> NDArray[np.float64]:
    """Return (n, 10) colour probabilities of the dice of one photo.

    Args:
        logits: (n, 10) from ``look_logits``.
        lab: (n, 3) from ``body_lab``; coloured dice that look alike then share their votes, and whites, grays and
            blacks are put in order.
        grays: Gap, in CIE units, and price of ``settle_grays``; None leaves each die's own word.
    """
    out = np.array(logits, np.float64)
    if not len(out):
        return out
    if lab is not None:
        plain = softmax(out)[:, _GRAYS].sum(axis=1) > 0.5
        out[~plain] = pool_alike(out[~plain], lab[~plain])
        if grays is not None:
            out[plain] = settle_grays(out[plain], lab[plain, 0], gap=grays[0], price=grays[1])
    return softmax(out)


def body_lab(image: NDArray[np.uint8], poses: Sequence[Pose]) -> NDArray[np.float64]:
    """Measure each die's body in CIE units, (n, 3): the L of its darker half, where no lamp is mirrored, median a and b.

    Whether much of the die is ink is not checked; black numerals on small white dice make them look a little darker.
    """
    if not poses:
        return np.zeros((0, 3))
    h, w = image.shape[:2]
    at = np.array([[p.found.x, p.found.y, 0.75 * p.found.radius] for p in poses])[:, :, None]
    x = np.clip(at[:, 0] + _DISC[1] * at[:, 2], 0, w - 1).astype(int)
    y = np.clip(at[:, 1] + _DISC[0] * at[:, 2], 0, h - 1).astype(int)
    lab = cv2.cvtColor(image[y, x], cv2.COLOR_BGR2LAB).transpose(1, 0, 2)
    low, high, middle = percentiles(lab, (0.2, 0.4, 0.5))
    return np.column_stack([(low[:, 0] + high[:, 0]) * (50 / 255), middle[:, 1:] - 128])


def pool_alike(
    logits: NDArray[np.float64], lab: NDArray[np.float64], *, reach: float = 7.0
) -> NDArray[np.float64]:
    """Let dice of nearly the same measured body share their logits: dice come in sets, and light varies over a table.

    Args:
        logits: (n, colours).
        lab: (n, 3), CIE units.
        reach: Distance, in CIE units, at which the share has fallen to 60 %; above 0.
    """
    d2 = ((lab[:, None] - lab[None]) ** 2).sum(axis=2)
    share = np.exp(-d2 / (2 * reach * reach))
    return np.asarray(share @ logits / share.sum(axis=1, keepdims=True))


def settle_grays(
    logits: NDArray[np.float64], light: NDArray[np.float64], *, gap: float = 10.0, price: float = 1.0
) -> NDArray[np.float64]:
    """Put white, gray and black dice of one photo in order: no white may be darker than a gray, no gray than a black.

    Of all ways to cut the dice, sorted by lightness, into three runs the likeliest is taken; a cut between dice of
    nearly the same lightness costs up to ``price`` of log probability.

    Args:
        logits: (n, colours).
        light: (n,), L in CIE units.
        gap: Difference of lightness, in CIE units, at which a cut is free.
        price: What a cut between dice of the same lightness costs, in log probability; 0 or more.

    Returns:
        (n, colours): every die's logits meet those of its run half way, and its run's name is the likeliest of the three.
    """
    n = len(logits)
    if not n:
        return logits
    order = np.argsort(light, kind="stable")
    three = np.clip(np.log(softmax(logits[order][:, _GRAYS]) + 1e-9), -4, 0)
    total = np.vstack([np.zeros(3), np.cumsum(three, axis=0)])
    steps = np.diff(light[order], prepend=-1e9, append=1e9)
    cost = -price * np.clip(1 - steps / gap, 0, 1)
    best, cuts = -np.inf, (0, n)
    for low in range(n + 1):
        for high in range(low, n + 1):
            value = total[low, 0] + total[high, 1] - total[low, 1] + total[n, 2] - total[high, 2]
            value += cost[low] + (cost[high] if high != low else 0.0)
            if value > best:
                best, cuts = value, (low, high)
    out = np.array(logits, np.float64)
    for name, run in zip(_GRAYS, np.split(order, cuts), strict=True):
        if len(run):
            out[run] = 0.5 * (logits[run] + logits[run].mean(axis=0))
            others = [g for g in _GRAYS if g != name]
            out[run, name] = np.maximum(out[run, name], out[run][:, others].max(axis=1) + 0.2)
    return out
