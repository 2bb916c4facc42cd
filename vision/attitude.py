"""How a die is turned, told by how much each direction looks like one of its faces.

The pose net says of 32 directions on the half-sphere towards the camera how much each looks like a face's normal.
Those samples stand for one smooth even function on the sphere (``FaceField``), which has its peaks, with the value 1, at
the faces of the die. Unlike "which face is on top", that is a question that a picture of the die alone answers: which of
them is on top, and whether any is, the table's own direction tells (``vision.plane``).

Directions are unit vectors (x right, y down, z towards the camera) seen along the ray to the die, not along the
camera's axis.
"""

from __future__ import annotations

__all__ = ["DIRECTIONS", "FaceField", "around_axis", "field_samples", "quarter_turn"]

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
_COUNT = 32
_SECOND = np.array([(0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)])
"""Coordinates of the six products of degree two."""
_THIRD = np.array([(0, 0, 0, 3, 1, 5, 3, 3, 5, 5), (0, 1, 2, 0, 2, 0, 1, 2, 1, 2)])
"""A product of degree two and a coordinate each of the ten of degree three."""


def _directions() -> F64:
    """Spread points over the half-sphere evenly, on a spiral."""
    i = np.arange(_COUNT) + 0.5
    z = 1 - i / _COUNT
    turn = np.pi * (1 + 5**0.5) * i
    flat = np.sqrt(1 - z * z)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


DIRECTIONS: F64 = _directions()
"""The directions that the pose net speaks of, (32, 3)."""


def _cubes(v: NDArray[np.floating]) -> F64:
    """Return the ten products of degree three of directions (..., 3), two of which make every one of degree six."""
    v = np.asarray(v, np.float64)
    second = v.take(_SECOND[0], axis=-1) * v.take(_SECOND[1], axis=-1)
    return np.asarray(second.take(_THIRD[0], axis=-1) * v.take(_THIRD[1], axis=-1))


def _products(v: NDArray[np.floating]) -> F64:
    """Return all products of two of those ten, for directions (n, 3): all even functions up to that fineness, (n, 100)."""
    cubes = _cubes(v)
    return np.asarray((cubes[:, :, None] * cubes[:, None]).reshape(len(cubes), -1))


_AXIS = np.array([[0.0, 0.0, 1.0]])
_SHARP = np.array([5.0, 9.0, 13.0]) / 27
"""Weights of degree two, four and six that make the sharpest point."""
_RING = np.array([[0.0, 0.0, 0.0], *([np.cos(a), np.sin(a), 0.0] for a in 2 * np.pi * np.arange(8) / 8)])
_ON_RING = np.linalg.norm(_RING, axis=1, keepdims=True)


@lru_cache(maxsize=1)
def _from_samples() -> F64:
    return np.asarray(np.linalg.pinv(_products(DIRECTIONS)))


@lru_cache(maxsize=1)
def _quarter() -> F64:
    x, y, z = DIRECTIONS.T
    return np.asarray(_products(np.stack([y, -x, z], axis=1)) @ _from_samples())


def quarter_turn(samples: NDArray[np.floating]) -> F64:
    """Return the samples (32,) of a die that is turned by a quarter, x towards y."""
    return np.asarray(_quarter() @ np.asarray(samples, np.float64))


def _waves(cosine: F64) -> F64:
    """Return the Legendre polynomials of degree two, four and six, and their slopes: (6, ...)."""
    c = np.asarray(cosine, np.float64)
    x = c * c
    return np.stack([
        (3 * x - 1) / 2, (35 * x * x - 30 * x + 3) / 8, (231 * x**3 - 315 * x * x + 105 * x - 5) / 16,
        3 * c, c * (35 * x - 15) / 2, c * (693 * x * x - 630 * x + 105) / 8,
    ])  # fmt: skip


def field_samples(normals: NDArray[np.floating], directions: NDArray[np.floating] | None = None) -> F64:
    """Return what a perfect net would say of dice with these normals, (n, 32), or of other directions (m, 3).

    Each face is a point on the sphere, as sharp as degree six shows it, less its mean; the three degrees are weighed so
    that the peaks lie at the faces even where those stand unevenly, as on a d10.

    Args:
        normals: (n, k, 3) unit normals, one of each pair of opposite faces; rows of zeros stand for none.
    """
    normals = np.asarray(normals, np.float64)
    there = (np.abs(normals).sum(axis=2) > 0.5).astype(np.float64)
    first = normals[:, 0]
    cosine = np.einsum("nkj,nj->nk", normals, first)
    at_first = _waves(cosine) * there
    away = normals - cosine[..., None] * first[:, None]
    slope = np.einsum(
        "lnk,nkj->nlj", at_first[3:], away
    )  # of each degree at the first face: to be weighed away
    pull = np.einsum("nlj,l->nj", slope, _SHARP)
    square = np.einsum("nlj,nli->nji", slope, slope) + 1e-9 * np.eye(3)
    weight = _SHARP - np.einsum("nlj,nj->nl", slope, np.linalg.solve(square, pull[..., None])[..., 0])
    peak = np.einsum("nl,lnk->n", weight, at_first[:3])
    weight = weight / np.where(np.abs(peak) > 1e-6, peak, 1.0)[:, None]
    at = DIRECTIONS if directions is None else np.asarray(directions, np.float64)
    seen = _waves(normals @ at.T)[:3] * there[..., None]
    return np.asarray(np.einsum("nl,lnkm->nm", weight, seen))


@dataclass(frozen=True, slots=True)
class FaceField:
    """The even functions of n dice."""

    weights: F64
    """(n, 10, 10), of the products of two of degree three."""

    @classmethod
    def from_samples(cls, samples: Any) -> FaceField:
        """Take what the net says of ``DIRECTIONS``, (n, 32)."""
        weights = np.asarray(samples, np.float64).reshape(-1, _COUNT) @ _from_samples().T
        return cls(weights.reshape(-1, 10, 10))

    def at(self, directions: NDArray[np.floating]) -> F64:
        """Return each die's value in its own directions, (n, m, 3) or (n, 3): (n, m) or (n,)."""
        cubes = _cubes(directions)
        if cubes.ndim == 2:
            return self.at(np.asarray(directions)[:, None])[:, 0]
        return np.asarray(np.einsum("nmi,nmi->nm", cubes @ self.weights, cubes))

    def climb(self, start: NDArray[np.floating], *, steps: int = 7) -> F64:
        """Go from a direction for each die (n, 3) to the peak nearby, at most 40 degrees away: (n, 3)."""
        best = np.asarray(start, np.float64)
        which = np.arange(len(best))
        ring = np.radians(20.0)
        for _ in range(steps):
            tried = _AXIS + np.sin(ring) * _RING - (1 - np.cos(ring)) * _AXIS * _ON_RING
            around = tried @ around_axis(best).transpose(0, 2, 1)
            best = around[which, self.at(around).argmax(axis=1)]
            ring *= 0.52
        return best


def around_axis(direction: NDArray[np.floating]) -> F64:
    """Return the smallest rotations (n, 3, 3) that turn the camera's axis (0, 0, 1) into directions (n, 3)."""
    d = np.asarray(direction, np.float64)
    x, y, z = d[:, 0], d[:, 1], d[:, 2]
    k = 1 / np.maximum(1 + z, 1e-9)
    out = np.empty((len(d), 3, 3))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - k * x * x, -k * x * y, x
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = -k * x * y, 1 - k * y * y, y
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = -x, -y, z
    return out
