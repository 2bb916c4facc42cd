"""The solids as half-spaces: faces, vertices and the frame in which each face's numeral stands.

All lengths are in units of the inradius (centre to face), so that a die of inradius ``r`` millimetres is the solid
times ``r``. Knows nothing of light, colour or cameras.
"""

from __future__ import annotations

__all__ = [
    "Face",
    "Solid",
    "cube",
    "dodecahedron",
    "icosahedron",
    "octahedron",
    "rotation_between",
    "trapezohedron",
]

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.shapes import face_normals

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Face:
    """One flat face: where its numeral stands and how large it may be."""

    normal: Array
    """Outward unit normal, shape (3,)."""
    centre: Array
    """Middle of the face polygon, shape (3,)."""
    up: Array
    """Unit vector in the face towards the numeral's top, shape (3,)."""
    right: Array
    """Unit vector in the face along the numeral's line, shape (3,)."""
    polygon: Array
    """Corners in order, shape (n, 3)."""
    unit: float
    """Length that the glyph tile's half side stands for: a circle of about the face's own size."""


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex die: face planes at distance 1 from the centre."""

    kind: str
    faces: tuple[Face, ...]
    vertices: Array
    """All corners, shape (n, 3)."""
    opposite: tuple[int, ...]
    """For each face the index of the parallel one."""

    @property
    def normals(self) -> Array:
        """Face normals, shape (n, 3)."""
        return np.stack([face.normal for face in self.faces])


def rotation_between(a: Array, b: Array) -> Array:
    """Return the smallest rotation matrix that turns unit vector ``a`` into ``b``."""
    v, c = np.cross(a, b), float(a @ b)
    if c < -0.999999:
        axis = np.cross(a, [1.0, 0.0, 0.0] if abs(a[0]) < 0.9 else [0.0, 1.0, 0.0])
        axis /= np.linalg.norm(axis)
        return np.asarray(2 * np.outer(axis, axis) - np.eye(3))
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray(np.eye(3) + k + k @ k / (1 + c))


def _corners(normals: Array) -> tuple[Array, list[Array]]:
    """Intersect planes ``n.x = 1`` three by three; keep the points inside all half-spaces."""
    planes = normals[list(combinations(range(len(normals)), 3))]
    meeting = planes[np.abs(np.linalg.det(planes)) >= 1e-6]
    met = np.linalg.solve(meeting, np.ones((len(meeting), 3, 1)))[:, :, 0]
    found: list[Array] = []
    for p in met[np.all(met @ normals.T <= 1 + 1e-6, axis=1)]:
        if not found or not np.isclose(p, found, atol=1e-6).all(axis=1).any():
            found.append(p)
    points = np.array(found)
    polygons = []
    for n in normals:
        on = points[np.abs(points @ n - 1) < 1e-5]
        middle = on.mean(axis=0)
        a = on[0] - middle
        a /= np.linalg.norm(a)
        b = np.cross(n, a)
        order = np.argsort(np.arctan2((on - middle) @ b, (on - middle) @ a))
        polygons.append(on[order])
    return points, polygons


def _area(polygon: Array, normal: Array) -> float:
    return float(abs(0.5 * np.cross(np.roll(polygon, 1, axis=0), polygon).sum(axis=0) @ normal))


def _solid(kind: str, normals: Array, ups: list[Array]) -> Solid:
    points, polygons = _corners(normals)
    faces = []
    for n, polygon, up in zip(normals, polygons, ups, strict=True):
        flat = up - n * float(up @ n)
        flat /= np.linalg.norm(flat)
        unit = float(np.sqrt(_area(polygon, n) / np.pi) * 1.15)
        faces.append(Face(n, polygon.mean(axis=0), flat, np.cross(flat, n), polygon, unit))
    opposite = tuple(int(np.argmin(normals @ n)) for n in normals)
    return Solid(kind, tuple(faces), points, opposite)


def dodecahedron(*, corner_below: bool = False) -> Solid:
    """Build the d12: numerals stand on an edge of the pentagon, or on a corner if asked."""
    pairs = face_normals("d12", np.zeros(1))[0].reshape(3, 2, 3)
    normals = np.concatenate([[a, -b, b, -a] for a, b in pairs])
    _, polygons = _corners(normals)
    sign = -1.0 if corner_below else 1.0
    ups = [sign * (p[0] - p.mean(axis=0)) for p in polygons]
    return _solid("d12", normals, ups)


def trapezohedron(elevation_deg: float = 45.0, *, up_to_pole: bool = True) -> Solid:
    """Build the d10 with faces whose normals rise ``elevation_deg`` from the belt (40 to 52 look like dice)."""
    upper = face_normals("d10", np.radians([elevation_deg]))[0]
    array = np.concatenate([upper, -np.roll(upper, 2, axis=0)])
    sign = 1.0 if up_to_pole else -1.0
    ups = [np.array([0, 0, sign * np.sign(n[2])]) for n in array]
    return _solid("d10", array, ups)


def cube() -> Solid:
    """Build the d6."""
    one = face_normals("d6", np.zeros(1))[0]
    normals = np.stack([one, -one], axis=1).reshape(6, 3)
    ups = [
        np.array(u, dtype=float) for u in ([0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 1, 0], [0, 1, 0])
    ]
    return _solid("d6", normals, ups)


def _towards_a_corner(normals: Array) -> Solid:
    _, polygons = _corners(normals)
    return _solid("other", normals, [p[0] - p.mean(axis=0) for p in polygons])


def octahedron() -> Solid:
    """Build the d8, a die that is none of those read: its kind is ``other``."""
    signs = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    return _towards_a_corner(np.array(signs) / np.sqrt(3))


def icosahedron() -> Solid:
    """Build the d20, a die that is none of those read: its kind is ``other``."""
    corners, _ = _corners(dodecahedron().normals)
    return _towards_a_corner(corners / np.linalg.norm(corners, axis=1, keepdims=True))
