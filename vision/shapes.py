"""How a die of a known kind is turned: the shape whose faces fit best what was said of all directions.

``vision.attitude`` gives a smooth function on the sphere with a peak at every face. A d12's faces stand so far apart that
each peak can be found for itself. A d10's neighbouring faces run into one another, and of a d6 only three or fewer are
seen: there all faces together, as far apart as the kind's are, tell more than the nearest peak (``fit_shape``).

Directions are as in ``vision.attitude``.
"""

from __future__ import annotations

__all__ = ["Shape", "face_normals", "fit_shape"]

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.attitude import field_samples

F64 = NDArray[np.float64]
_RISE = np.radians(46.0)
"""How far a d10's faces usually rise from its belt; sets differ by six degrees to both sides."""
_RISES = np.radians([43.0, 49.0])
"""Tried at first."""
_RISE_RANGE = np.radians([38.0, 54.0])
_TURNS = 1500
"""Turns that are tried at first: one of them brings a d10's faces within about ten degrees of where they are."""
_STEPS = 4
"""Of least squares; more change nothing."""
_STEP = 0.02
"""Radians, for slopes."""
_MOST = 0.25
"""Radians that one step may go."""
_CALM = 1e-3
"""Keeps steps small where nothing was said."""
_USUAL = 0.5
"""How firmly the usual rise is held to where the samples say little of it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The faces of n dice of one kind, as they are turned."""

    normals: F64
    """(n, k, 3), one of each pair of opposite faces."""
    likeness: F64
    """(n,): correlation of what was said with what would be said of this turn: 1 for a perfect fit."""

    @property
    def poles(self) -> F64:
        """The line from point to point of each d10, (n, 3); means nothing for other kinds."""
        middle = self.normals.sum(axis=1)
        return np.asarray(middle / np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), 1e-9))

    def nearest(self, directions: F64) -> F64:
        """Return the face of each die that is nearest to its direction (n, 3): (n, 3)."""
        cosine = np.einsum("nkj,nj->nk", self.normals, directions)
        which = np.abs(cosine).argmax(axis=1)
        dice = np.arange(len(which))
        return np.asarray(self.normals[dice, which] * np.copysign(1.0, cosine[dice, which])[:, None])


def face_normals(kind: str, rises: F64) -> F64:
    """Return the face normals of unturned dice, one of each opposite pair, (n, k, 3).

    Args:
        kind: ``d12``, ``d10`` or ``d6``.
        rises: (n,) radians that a d10's faces rise from its belt; as many as dice are wanted, whatever the kind.
    """
    if kind == "d10":
        around, flat = np.radians(72.0 * np.arange(5)), np.cos(rises)[:, None]
        high = np.broadcast_to(np.sin(rises)[:, None], (len(rises), 5))
        return np.stack([flat * np.cos(around), flat * np.sin(around), high], axis=2)
    one = np.eye(3)
    if kind == "d12":
        golden = (1 + 5**0.5) / 2
        one = np.array([(0, s, golden) for s in (1, -1)] + [(s, golden, 0) for s in (1, -1)])
        one = np.concatenate([one, [(golden, 0, s) for s in (1, -1)]]) / np.sqrt(1 + golden**2)
    return np.repeat(one[None], len(rises), axis=0)


def _rotations(vectors: F64) -> F64:
    """Return rotations (n, 3, 3) about vectors (n, 3) by their lengths, radians."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None] + 1e-12
    cross = np.zeros((len(vectors), 3, 3))
    cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0] = vectors.T
    cross -= cross.transpose(0, 2, 1)
    return np.asarray(
        np.eye(3) + np.sin(angle) / angle * cross + (1 - np.cos(angle)) / angle**2 * (cross @ cross)
    )


def _spread_rotations(count: int) -> F64:
    """Spread rotations evenly over all there are, on a spiral of quaternions: (count, 3, 3)."""
    i = np.arange(count) + 0.5
    near, far = np.sqrt(i / count), np.sqrt(1 - i / count)
    # as in Alexa, "Super-Fibonacci spirals" (2022): the second number is the root of x^4 = x + 4
    a, b = 2 * np.pi * i / 2**0.5, 2 * np.pi * i / 1.533751168755204288118041
    w, x, y, z = near * np.sin(a), near * np.cos(a), far * np.sin(b), far * np.cos(b)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def _turned(turns: F64, kind: str, rises: F64) -> F64:
    return np.asarray(np.einsum("nij,nkj->nki", turns, face_normals(kind, rises)))


@lru_cache(maxsize=3)
def _tries(kind: str) -> tuple[F64, F64, F64]:
    """Return turns (m, 3, 3), rises (m,) and what a perfect net would say of each, (m, 32) of length 1."""
    rises = _RISES if kind == "d10" else _RISES[:1]
    turns = np.tile(_spread_rotations(_TURNS), (len(rises), 1, 1))
    rises = np.repeat(rises, _TURNS)
    said = field_samples(_turned(turns, kind, rises))
    return turns, rises, said / np.linalg.norm(said, axis=1, keepdims=True)


def fit_shape(samples: NDArray[np.floating], kind: str) -> Shape:
    """Turn dice of a kind so that their faces fit what the pose net said of the directions, by least squares.

    Args:
        samples: (n, 32), see ``vision.attitude.DIRECTIONS``.
        kind: Of all of them.
    """
    said = np.asarray(samples, np.float64)
    turns, rises, tried = _tries(kind)
    first = (said @ tried.T).argmax(axis=1)
    turn, rise = turns[first], rises[first]
    is_free = kind == "d10"  # its faces may rise more or less
    nudges = _rotations(_STEP * np.eye(3))
    for _ in range(_STEPS):
        # as it is, nudged about each axis, and with steeper faces: all at once, which is several times as quick
        nudged = np.concatenate([turn, *(nudge @ turn for nudge in nudges), *([turn] if is_free else [])])
        risen = np.concatenate([rise] * 4 + ([rise + _STEP] if is_free else []))
        fields = field_samples(_turned(nudged, kind, risen)).reshape(-1, *said.shape)
        now = fields[0]
        size = (said * now).sum(axis=1) / (now * now).sum(axis=1)
        slope = (fields[1:] - now).transpose(1, 2, 0) / _STEP * size[:, None, None]
        unit = now / np.linalg.norm(now, axis=1, keepdims=True)
        # how loud it is said is free
        slope -= unit[:, :, None] * np.einsum("ni,nij->nj", unit, slope)[:, None]
        square = slope.transpose(0, 2, 1) @ slope + _CALM * np.eye(slope.shape[2])
        pull = np.einsum("nij,ni->nj", slope, said - size[:, None] * now)
        if is_free:
            square[:, 3, 3] += _USUAL
            pull[:, 3] -= _USUAL * (rise - _RISE)
        step = np.clip(np.linalg.solve(square, pull[..., None])[..., 0], -_MOST, _MOST)
        turn = _rotations(step[:, :3]) @ turn
        if is_free:
            rise = np.clip(rise + step[:, 3], *_RISE_RANGE)
    normals = _turned(turn, kind, rise)
    now = field_samples(normals)
    loud = np.linalg.norm(said, axis=1) * np.linalg.norm(now, axis=1)
    return Shape(normals, (said * now).sum(axis=1) / np.maximum(loud, 1e-9))
