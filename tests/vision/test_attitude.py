"""Which directions look like faces of a die: peaks where the faces are, whatever the solid and its turn."""

from __future__ import annotations

import numpy as np
import pytest

from vision.attitude import DIRECTIONS, FaceField, around_axis, field_samples, quarter_turn
from vision.training.solids import Solid, cube, dodecahedron, rotation_between, trapezohedron

_SOLIDS = (dodecahedron(), trapezohedron(44), cube())


def _turned(solid: Solid, rng: np.random.Generator) -> np.ndarray:
    """Return one normal of each opposite pair at a random turn, (6, 3), zeros at the end."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    pairs = [i for i, j in enumerate(solid.opposite) if i < j]
    out = np.zeros((6, 3))
    out[: len(pairs)] = solid.normals[pairs] @ q.T
    return out


def _aside(v: np.ndarray, degrees: float, rng: np.random.Generator) -> np.ndarray:
    across = np.cross(v, rng.normal(size=3))
    across /= np.linalg.norm(across)
    return np.asarray(np.cos(np.radians(degrees)) * v + np.sin(np.radians(degrees)) * across)


def test_directions_cover_the_half_sphere_evenly() -> None:
    assert DIRECTIONS.shape == (32, 3)
    assert np.linalg.norm(DIRECTIONS, axis=1) == pytest.approx(1)
    assert DIRECTIONS[:, 2].min() > 0
    cosines = DIRECTIONS @ DIRECTIONS.T - 2 * np.eye(32)
    assert np.degrees(np.arccos(cosines.max(axis=1))).min() > 15


def test_the_field_is_nothing_on_average() -> None:
    rng = np.random.default_rng(4)
    everywhere = rng.normal(size=(40000, 3))
    everywhere /= np.linalg.norm(everywhere, axis=1, keepdims=True)
    for solid in _SOLIDS:
        assert field_samples(_turned(solid, rng)[None], everywhere).mean() == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("solid", _SOLIDS, ids=lambda s: s.kind)
def test_the_field_peaks_at_the_faces_and_falls_off_beside_them(solid: Solid) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        normals = _turned(solid, rng)
        faces = normals[np.abs(normals).sum(axis=1) > 0.5]
        field = FaceField.from_samples(field_samples(normals[None]))
        assert field.at(faces[None]) == pytest.approx(1, abs=1e-6)
        assert field.at(-faces[None]) == pytest.approx(1, abs=1e-6)
        same = int(rng.integers(1000))
        beside = [
            float(field.at(_aside(faces[0], d, np.random.default_rng(same))[None])[0])
            for d in (0.0, 5.0, 10.0, 15.0, 20.0)
        ]
        assert beside == sorted(beside, reverse=True)
        assert beside[-1] < 0.6
        everywhere = rng.normal(size=(1, 4000, 3))
        everywhere /= np.linalg.norm(everywhere, axis=2, keepdims=True)
        assert field.at(everywhere).max() < 1.01


@pytest.mark.parametrize("solid", _SOLIDS, ids=lambda s: s.kind)
def test_climbing_ends_at_the_nearest_face(solid: Solid) -> None:
    rng = np.random.default_rng(6)
    normals = np.stack([_turned(solid, rng) for _ in range(30)])
    field = FaceField.from_samples(field_samples(normals))
    start = np.stack([_aside(n[0], rng.uniform(0, 24), rng) for n in normals])
    end = field.climb(start)
    assert np.degrees(np.arccos(np.clip((end * normals[:, 0]).sum(axis=1), -1, 1))).max() < 1.5


def test_other_directions_can_be_asked_for_at_once() -> None:
    rng = np.random.default_rng(7)
    normals = _turned(_SOLIDS[0], rng)[None]
    field = FaceField.from_samples(field_samples(normals))
    at = _aside(DIRECTIONS[3], 9.0, rng)[None]
    assert field.at(at)[0] == pytest.approx(field_samples(normals, at)[0, 0], abs=1e-6)


def test_a_quarter_turn_of_the_die_turns_its_samples() -> None:
    rng = np.random.default_rng(8)
    normals = _turned(_SOLIDS[1], rng)
    turned = np.stack([-normals[:, 1], normals[:, 0], normals[:, 2]], axis=1)  # x towards y
    assert quarter_turn(field_samples(normals[None])[0]) == pytest.approx(
        field_samples(turned[None])[0], abs=1e-9
    )
    samples = field_samples(normals[None])[0]
    for _ in range(4):
        samples = quarter_turn(samples)
    assert samples == pytest.approx(field_samples(normals[None])[0], abs=1e-9)


def test_the_smallest_rotation_to_a_direction() -> None:
    rng = np.random.default_rng(9)
    d = rng.normal(size=(12, 3))
    d[:, 2] = np.abs(d[:, 2])
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    for rotation, direction in zip(around_axis(d), d, strict=True):
        assert rotation == pytest.approx(rotation_between(np.array([0, 0, 1.0]), direction), abs=1e-9)
