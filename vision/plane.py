"""What all dice on one table have in common: the table, which every upright die's top face is parallel to.

Each die says which directions look like its faces (``vision.attitude``), none says surely which of them is up. One
direction of the table and one focal length must fit them all: ``fit_table`` looks for them, and a die none of whose
faces looks that way leans. Where a top face lies in the picture follows from its direction (``expected_pose``), so that a
die whose top face was mistaken can be read again.
"""

from __future__ import annotations

__all__ = ["LIFT", "Table", "expected_pose", "fit_table", "nearness", "top_direction"]

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.attitude import FaceField, around_axis
from vision.shapes import Shape, fit_shape
from vision.types import KINDS, Pose

F64 = NDArray[np.float64]
LIFT = {"d12": 0.82, "d10": 0.65, "d6": 0.62}
"""Height of the top face over the die's centre in outline radii, by kind."""
_UNIT = {"d12": 0.62, "d10": 0.6, "d6": 0.86}
"""Size of the face unit in outline radii."""
_ASIDE = 0.3
"""How far the middle of a d10's face lies from the foot of its normal, away from the point, in outline radii."""
_FLIP = np.outer([1.0, 1.0, -1.0], [1.0, 1.0, -1.0])
"""Turns the sense of z in a rotation."""
_FOCAL = 1.15
"""Focal length that is expected, in long sides of the photo: between a phone's and a longer lens's."""
_FOCAL_SPREAD = 0.3
"""Of its logarithm."""
_GRID_DEG, _MOST_TILT_DEG = 6.0, 42.0
_STRAY = np.radians(7.0)
"""Angle at which a die counts half in the fit."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table as a camera sees it."""

    normal: F64
    """(3,) unit vector: x right, y down, z towards the camera."""
    focal: float
    """In long sides of the photo."""
    up: F64
    """(n, 3): where the top face of each die, upright, would look, along the ray to it."""
    peaks: F64
    """(n, 3): the die's face nearest to that."""
    alike: F64
    """(n,): how much ``up`` looks like a face of the die, 1 for a sure one."""
    peak: F64
    """(n,): the same of ``peaks``: how surely there is a face at all."""
    firm: F64
    """(n,): root mean square of what was said of all directions: how firmly the die's turn is known."""
    poles: F64
    """(n, 3): the line from point to point of a d10; means nothing for other kinds."""
    lean: F64
    """(n,): angle between ``up`` and ``peaks``, radians."""
    misfit: F64
    """(n,): how far what was said of a d10 or d6 is from any turn of its shape: 0 for a perfect fit, 0 for a d12."""
    backing: F64
    """(n,): how many other dice say the same of the table."""

    def of(self, dice: Sequence[int]) -> Table:
        """Return the same table with so many of the dice, by their numbers, which are told of in that order."""
        which = list(dice)
        return Table(
            self.normal, self.focal, self.up[which], self.peaks[which], self.alike[which], self.peak[which],
            self.firm[which], self.poles[which], self.lean[which], self.misfit[which], self.backing[which],
        )  # fmt: skip


def _kind(pose: Pose) -> str:
    return KINDS[int(np.argmax(pose.kinds[:3]))]


def _places(poses: Sequence[Pose], size: tuple[int, int]) -> F64:
    """Return where dice lie, in long sides from the middle, (n, 2)."""
    far = max(size)
    return np.array([[(p.found.x - size[0] / 2) / far, (p.found.y - size[1] / 2) / far] for p in poses])


def _straighten(places: F64, focal: float) -> F64:
    """Return rotations (n, 3, 3) from the camera's directions into those along the ray to each die."""
    ray = np.column_stack([places / focal, np.ones(len(places))])
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    return np.asarray(around_axis(ray).transpose(0, 2, 1) * _FLIP)


def _grid() -> F64:
    """Spread directions evenly over the tilts that a table may have, (m, 3)."""
    low = np.cos(np.radians(_MOST_TILT_DEG))
    count = int(2 * np.pi * (1 - low) / np.radians(_GRID_DEG) ** 2)
    i = np.arange(count) + 0.5
    z = 1 - (1 - low) * i / count
    turn, flat = np.pi * (1 + 5**0.5) * i, np.sqrt(1 - z * z)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


_TILTS = _grid()


def _weights(poses: Sequence[Pose]) -> F64:
    return np.array([p.die * (1 - 0.7 * p.cocked) for p in poses]) + 1e-6


def top_direction(poses: Sequence[Pose]) -> F64:
    """Return where each die's own look says that its top face looks, (n, 3)."""
    flat = np.array([p.level for p in poses], np.float64).reshape(-1, 2)
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    flat = flat * np.minimum(1.0, 0.9 / np.maximum(length, 1e-9))
    return np.column_stack([flat, np.sqrt(1 - (flat**2).sum(axis=1))])


def _first_guess(field: FaceField, own: F64, places: F64, weight: F64) -> F64:
    """Return the direction of the table that most dice have a face for, preferring the faces they call their tops."""
    up = _TILTS @ _straighten(places, _FOCAL).transpose(0, 2, 1)
    faces = np.clip(field.at(up), -0.2, 1.1)
    near = np.exp(-((up[..., :2] - own[:, None, :2]) ** 2).sum(axis=2) / (2 * 0.13**2))
    total = weight @ (faces + 0.6 * near) - 0.3 * (1 - _TILTS[:, 2])
    return np.asarray(_TILTS[int(np.argmax(total))])


def _angle(a: F64, b: F64) -> F64:
    return np.asarray(2 * np.arcsin(np.clip(np.linalg.norm(a - b, axis=-1) / 2, 0, 1)))


def fit_table(
    poses: Sequence[Pose],
    size: tuple[int, int],
    kinds: Sequence[str] | None = None,
    near: Table | None = None,
) -> Table:
    """Fit the table to at least one die; ``backing`` says what that is worth.

    Args:
        poses: Of all dice of a photo.
        size: Width and height of the photo.
        kinds: What each was named; its own look's word when missing.
        near: A table that is nearly right, as a start; all tilts are tried when missing.
    """
    field = FaceField.from_samples([p.faces for p in poses])
    own, places, weight = top_direction(poses), _places(poses, size), _weights(poses)
    if near is None:
        normal, focal = _first_guess(field, own, places, weight), _FOCAL
    else:
        normal, focal = near.normal, near.focal
    up = _straighten(places, focal) @ normal
    peaks = field.climb(up, steps=5)
    there = np.clip(field.at(peaks), 0.05, 1)
    for _ in range(3 if near is None else 2):
        normal, focal = _improve(normal, focal, places, peaks, _amount(weight, up, peaks) * there)
        up = _straighten(places, focal) @ normal
    faces = _Faces.of(poses, [_kind(p) for p in poses] if kinds is None else kinds)
    if faces.is_any:
        for _ in range(2):
            peaks = faces.nearest(up, peaks)
            amount = _amount(weight * (1 - faces.misfit), up, peaks) * np.clip(field.at(peaks), 0.05, 1)
            normal, focal = _improve(normal, focal, places, peaks, amount)
            up = _straighten(places, focal) @ normal
    peaks = faces.nearest(up, field.climb(up))
    amount = _amount(weight * (1 - faces.misfit), up, peaks)
    firm = np.sqrt(np.mean(np.square([p.faces for p in poses]), axis=1))
    return Table(
        normal,
        focal,
        up,
        peaks,
        field.at(up),
        field.at(peaks),
        firm,
        faces.poles,
        _angle(up, peaks),
        faces.misfit,
        amount.sum() - amount,
    )


def _amount(weight: F64, up: F64, peaks: F64) -> F64:
    """Return how much each die counts: less the farther its nearest face looks aside."""
    return np.asarray(weight / (1 + (_angle(up, peaks) / _STRAY) ** 2) ** 1.5)


@dataclass(frozen=True, slots=True)
class _Faces:
    """Where the faces of dice look whose peaks run into one another, all kinds but d12, by the kind's shape."""

    shapes: tuple[tuple[NDArray[np.intp], Shape], ...]
    """Which dice, and their faces."""
    poles: F64
    """(n, 3), see ``Table``."""
    misfit: F64
    """(n,), see ``Table``."""

    @classmethod
    def of(cls, poses: Sequence[Pose], kinds: Sequence[str]) -> _Faces:
        poles, misfit = np.zeros((len(poses), 3)), np.zeros(len(poses))
        poles[:, 2] = 1
        shapes = []
        for kind in ("d10", "d6"):
            which = np.nonzero(np.array(kinds) == kind)[0]
            if len(which):
                shape = fit_shape(
                    np.array([pose.faces for pose, k in zip(poses, kinds, strict=True) if k == kind]), kind
                )
                poles[which], misfit[which] = shape.poles, np.clip(1 - shape.likeness, 0, 1)
                shapes.append((which, shape))
        return cls(tuple(shapes), poles, misfit)

    @property
    def is_any(self) -> bool:
        return bool(self.shapes)

    def nearest(self, up: F64, peaks: F64) -> F64:
        """Return the nearest faces (n, 3): of d10 and d6 by their shapes, of others the peaks given."""
        out = np.array(peaks)
        for which, shape in self.shapes:
            out[which] = shape.nearest(up[which])
        return out


def nearness(poses: Sequence[Pose], table: Table, size: tuple[int, int]) -> F64:
    """Return how large a thing lying on the table looks where each die lies, in any unit, (n,).

    Larger the nearer to the camera, and longer the farther from the middle of the picture, as balls are drawn there.
    """
    places = _places(poses, size) / table.focal
    x, y, z = table.normal
    near = np.maximum(z - places @ [x, y], 0.05)
    return np.asarray(near * np.sqrt(1 + (places**2).sum(axis=1)))


def _improve(normal: F64, focal: float, places: F64, peaks: F64, amount: F64) -> tuple[F64, float]:
    """Make one step of least squares over the table's direction and the focal length's logarithm."""
    side = np.array([-normal[2], 0.0, normal[0]])
    side /= np.linalg.norm(side)
    frame = np.stack([side, np.cross(normal, side)])
    straight = _straighten(places, focal)
    up = straight @ normal
    zero = up - peaks
    eps = 1e-4
    zoomed = (_straighten(places, focal * float(np.exp(eps))) @ normal - up) / eps
    slopes = np.concatenate([straight @ frame.T, zoomed[:, :, None]], axis=2)
    firm = (0.1 / _FOCAL_SPREAD) ** 2
    square = np.einsum("n,nij,nik->jk", amount, slopes, slopes) + np.diag([1e-4, 1e-4, firm])
    pull = -np.einsum("n,nij,ni->j", amount, slopes, zero)
    pull[2] -= firm * np.log(focal / _FOCAL)
    step = np.clip(np.linalg.solve(square, pull), -0.3, 0.3)
    n = normal + step[:2] @ frame
    return n / np.linalg.norm(n), float(np.clip(focal * np.exp(step[2]), 0.5, 3.0))


def expected_pose(pose: Pose, direction: F64, pole: F64) -> Pose:
    """Return the pose with its top face looking in a direction (3,); the turn is kept.

    Args:
        pole: (3,) the line from point to point of a d10, whose faces do not lie straight over its centre; of no use
            for other kinds.
    """
    kind, r = _kind(pose), pose.found.radius
    flat = np.asarray(direction[:2], np.float64)
    sine = float(np.clip(np.linalg.norm(flat), 1e-6, 0.85))
    along = flat / np.linalg.norm(flat) if np.linalg.norm(flat) > 1e-6 else np.array([1.0, 0.0])
    shrink = 1 - np.sqrt(1 - sine * sine)
    unit = _UNIT[kind] * r
    xx, xy, yy = (
        unit * (1 - shrink * along[0] ** 2), -unit * shrink * along[0] * along[1], unit * (1 - shrink * along[1] ** 2)
    )  # fmt: skip
    middle = LIFT[kind] * flat
    if kind == "d10":
        rise = float(pole @ direction)
        across = (pole - rise * direction) * np.copysign(1.0, rise)
        middle = middle - _ASIDE * across[:2] / max(1e-6, float(np.linalg.norm(across)))
    top = (pose.found.x + float(middle[0]) * r, pose.found.y + float(middle[1]) * r)
    return replace(
        pose, top=top, ellipse=(float(xx), float(xy), float(yy)), level=(float(flat[0]), float(flat[1]))
    )
