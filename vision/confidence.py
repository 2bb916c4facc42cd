"""How sure a reading is: a logistic curve over a few honest signs, fitted on renders with fonts never trained on."""

from __future__ import annotations

__all__ = [
    "COLOUR_SIGNS",
    "DIE_SIGNS",
    "LEAN_SIGNS",
    "SIGNS",
    "STACK_SIGNS",
    "Signs",
    "colour_vector",
    "confidence",
    "curve",
    "die_vector",
    "fit",
    "lean_vector",
    "logistic",
    "reliability",
    "signs_vector",
    "stack_vector",
]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNS = (
    "one", "winner", "margin", "agree", "spread", "cocked", "off_plane", "small", "six_nine", "kind", "d10", "d6",
    "die", "score", "lean", "unlike", "backed", "drop", "firm", "stacked",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known about one reading before its confidence."""

    winner: float
    """Probability of the best legal value."""
    second: float
    """Probability of the next."""
    agree: float
    """Least probability any look gave to the best value."""
    spread: float
    cocked: float
    off_plane: float
    face_px: float
    """Size of the top face unit in photo pixels."""
    is_six_nine: bool
    kind: float
    """Probability of the named kind."""
    kind_name: str
    elsewhere: float = 0.0
    """Best probability of a number read where the table puts the top face; 0 where nobody looked."""
    lean: float = 0.0
    """Angle between the table and the die's face nearest to it, radians."""
    alike: float = 1.0
    """How much the table's direction looks like a face of this die: 1 for a sure one, 0 for no more than any."""
    peak: float = 1.0
    """The same of the face nearest to the table's direction: how surely there is a face at all."""
    firm: float = 0.4
    """How firmly the die's turn is known: about 0.4 to 0.55 for a sure one, by kind; 0 for nothing."""
    backing: float = 0.0
    """How many other dice say the same of the table."""
    misfit: float = 0.0
    """How far a d10's or d6's faces are from any turn of its shape: 0 for a perfect fit and for every d12."""
    stacked: float = 0.0
    """How surely it is seen to lie on another die, see ``Pose.stacked``."""
    higher: float = 0.0
    """How much larger it looks than others of its kind and colour do from there, as a logarithm."""
    colour: float = 1.0
    """Probability of the named colour."""
    colour_second: float = 0.0
    """Probability of the next."""
    colour_own: float = 1.0
    """Probability that the colour net gives the named colour for this die alone."""
    mates: float = 1.0
    """Mean of that probability over the photo's other dice of this name, its own where there is none."""
    is_gray: bool = False
    """Whether it is called white, gray or black."""
    gray_gap: float = 25.0
    """For these: lightness between it and the nearest die called another of the three, CIE units, at most 25."""
    light: float = 0.5
    """Lightness of the body, 0 to 1."""
    chroma: float = 0.0
    """Strength of the body's colour, CIE units."""
    score: float = 1.0
    """How sure the finder was."""
    die: float = 1.0
    """How sure the pose net was that it is a die at all."""
    size_off: float = 0.0
    """How far its radius lies from that of the photo's other dice, as the size of a logarithm."""


def _logit(p: float, most: float = 7.0) -> float:
    p = min(max(p, 1e-6), 1 - 1e-6)
    return min(most, max(-most, math.log(p / (1 - p))))


def signs_vector(s: Signs) -> NDArray[np.float64]:
    """Lay out the signs for the curve, in the order of ``SIGNS``; shape (signs,)."""
    return np.array([
        1.0, _logit(s.winner), min(9.0, max(0.0, math.log((s.winner + 1e-6) / (s.second + 1e-6)))), _logit(s.agree),
        s.spread, _logit(s.cocked, 6.0), min(s.off_plane, 1.0), max(0.0, 2.6 - math.log(max(1.0, s.face_px))),
        float(s.is_six_nine), _logit(s.kind, 5.0), float(s.kind_name == "d10"), float(s.kind_name == "d6"),
        _logit(s.die), _logit(s.score), *_leaning(s), s.firm, _logit(s.stacked, 6.0),
    ])  # fmt: skip


def _leaning(s: Signs) -> tuple[float, float, float, float]:
    """Return lean, unlikeness, backing from 0 to 1, and how far the table lies below the face nearby.

    All but the backing itself count as far as other dice back the table.
    """
    backed = min(s.backing, 3.0) / 3
    alike = min(max(s.alike, -0.3), 1.1)
    return 5 * backed * min(s.lean, 0.6), backed * (1 - alike), backed, backed * (s.peak - alike)


LEAN_SIGNS = (
    "one", "cocked", "off_plane", "far_off", "elsewhere", "d10", "lean", "unlike", "backed", "drop", "leans_far",
    "lean_unlike", "peak", "firm", "firm_lean", "misfit", "higher",
)  # fmt: skip


def lean_vector(s: Signs) -> NDArray[np.float64]:
    """Lay out the signs that a die leans, in the order of ``LEAN_SIGNS``; shape (signs,)."""
    off = min(s.off_plane, 0.6)
    lean, unlike, backed, drop = _leaning(s)
    return np.array([
        1.0, _logit(s.cocked, 6.0), 10 * off, 10 * max(0.0, off - 0.15), off * _logit(s.elsewhere or 0.5, 4.0),
        float(s.kind_name == "d10"), lean, unlike, backed, drop, max(0.0, lean - 0.6 * backed), lean * unlike,
        s.peak, s.firm, s.firm * lean, s.misfit, 10 * min(s.higher, 0.3),
    ])  # fmt: skip


STACK_SIGNS = ("one", "stacked", "higher")


def stack_vector(s: Signs) -> NDArray[np.float64]:
    """Lay out the signs that a die lies flat on another, in the order of ``STACK_SIGNS``; shape (signs,)."""
    return np.array([1.0, _logit(s.stacked), 10 * min(s.higher, 0.3)])


DIE_SIGNS = (
    "one", "score", "die", "kind", "size_off", "unlike", "off_plane", "firm", "misfit",
)  # fmt: skip
"""All of them known before a die is read."""


def die_vector(s: Signs) -> NDArray[np.float64]:
    """Lay out the signs that a found thing is a die, in the order of ``DIE_SIGNS``; shape (signs,)."""
    return np.array([
        1.0, _logit(s.score), _logit(s.die), _logit(s.kind, 5.0), min(s.size_off, 1.0), _leaning(s)[1], min(s.off_plane, 1.0),
        s.firm, s.misfit,
    ])  # fmt: skip


COLOUR_SIGNS = ("one", "winner", "margin", "own", "light", "chroma", "mates", "gray", "gray_gap")


def colour_vector(s: Signs) -> NDArray[np.float64]:
    """Lay out the signs that the colour is right, in the order of ``COLOUR_SIGNS``; shape (signs,)."""
    return np.array([
        1.0, _logit(s.colour), math.log((s.colour + 1e-6) / (s.colour_second + 1e-6)), _logit(s.colour_own),
        s.light, min(s.chroma, 80.0) / 50, _logit(s.mates), float(s.is_gray), s.gray_gap / 20 if s.is_gray else 0.0,
    ])  # fmt: skip


def curve(signs: NDArray[np.float64], weights: Sequence[float]) -> float:
    """Return the logistic curve's value, 0 to 1, for signs laid out in the weights' order."""
    return logistic(float(np.dot(signs, np.asarray(weights))))


def logistic(z: float) -> float:
    """Return the probability, 0 to 1, whose log odds are ``z``, taken as 30 at most to either side."""
    return 1 / (1 + math.exp(-min(30.0, max(-30.0, z))))


def confidence(s: Signs, weights: Sequence[float]) -> float:
    """Return the share, 0 to 1, of readings with these signs whose value is right; weights are log odds a sign."""
    return curve(signs_vector(s), weights)


def fit(rows: NDArray[np.float64], right: NDArray[np.float64], *, ridge: float = 1.0) -> NDArray[np.float64]:
    """Fit the curve by Newton's method: rows (n, signs), right (n,) of 0 or 1; returns log odds a sign, (signs,).

    ``ridge``, 0 or more, draws them towards 0, all but the first.
    """
    w = np.zeros(rows.shape[1])
    penalty = ridge * np.eye(rows.shape[1])
    penalty[0, 0] = 1e-3
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(rows @ w, -30, 30)))
        gradient = rows.T @ (p - right) + penalty @ w
        hessian = (rows * (p * (1 - p))[:, None]).T @ rows + penalty
        step = np.linalg.solve(hessian, gradient)
        w = w - step
        if np.abs(step).max() < 1e-8:
            break
    return w


def reliability(
    stated: Sequence[float], right: Sequence[bool], edges: Sequence[float]
) -> list[Mapping[str, Any]]:
    """Bin stated confidence against the share that was right, both 0 to 1, for the plot in the model card.

    A bin goes from one of the ``edges`` up to the next, that one not included.
    """
    out: list[Mapping[str, Any]] = []
    c, r = np.asarray(stated, float), np.asarray(right, float)
    for low, high in pairwise(edges):
        m = (c >= low) & (c < high)
        if m.any():
            out.append(
                {
                    "from": low,
                    "to": high,
                    "n": int(m.sum()),
                    "stated": float(c[m].mean()),
                    "right": float(r[m].mean()),
                }
            )
    return out
