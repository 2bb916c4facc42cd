"""The shapes of the dice: all faces together tell how a die is turned, from what was said of a few directions."""

from __future__ import annotations

import numpy as np
import pytest

from vision.attitude import field_samples
from vision.shapes import face_normals, fit_shape
from vision.training.solids import Solid, cube, dodecahedron, trapezohedron

_KINDS = ("d12", "d10", "d6")


def _turn(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def _turned(kind: str, count: int, seed: int, rise_deg: tuple[float, float] = (40, 52)) -> np.ndarray:
    rng = np.random.default_rng(seed)
    one = face_normals(kind, np.radians(rng.uniform(*rise_deg, count)))
    return np.stack([n @ _turn(rng).T for n in one])


def _off_deg(true: np.ndarray, fitted: np.ndarray) -> np.ndarray:
    """For every true face, how far the nearest fitted one is, (n, k)."""
    cosine = np.abs(np.einsum("nkj,nlj->nkl", true, fitted)).max(axis=2)
    return np.degrees(np.arccos(np.clip(cosine, 0, 1)))


@pytest.mark.parametrize(
    ("kind", "solid"), [("d12", dodecahedron()), ("d10", trapezohedron(47.0)), ("d6", cube())]
)
def test_shapes_are_those_of_the_solids(kind: str, solid: Solid) -> None:
    normals = solid.normals
    mine = face_normals(kind, np.radians([47.0]))[0]
    assert 2 * len(mine) == len(normals)
    pairs = np.abs(mine @ normals.T) > 1 - 1e-9
    assert (pairs.sum(axis=1) == 2).all(), "each face and the one opposite"
    assert (pairs.sum(axis=0) == 1).all()
    between = np.degrees(np.arccos(np.sort(normals @ normals[0])[-2]))
    # of a d10 whose faces rise 47 degrees: cos a = cos² 47 cos 72 + sin² 47
    assert between == pytest.approx({"d12": 63.4349, "d10": 47.2650, "d6": 90.0}[kind], abs=1e-3)


@pytest.mark.parametrize("kind", _KINDS)
def test_any_turn_is_found_from_what_a_perfect_net_says(kind: str) -> None:
    true = _turned(kind, 120, seed=1)
    loud = np.random.default_rng(2).uniform(0.3, 1.2, (120, 1))
    shape = fit_shape(field_samples(true) * loud, kind)
    assert _off_deg(true, shape.normals).max() < 0.5
    assert shape.likeness.min() > 0.9995


@pytest.mark.parametrize(
    ("kind", "noise", "usual_deg"), [("d12", 0.2, 3.0), ("d10", 0.2, 5.5), ("d6", 0.2, 4.5)]
)
def test_noise_is_borne(kind: str, noise: float, usual_deg: float) -> None:
    true = _turned(kind, 200, seed=3)
    said = field_samples(true) + np.random.default_rng(4).normal(0, noise, (200, 32))
    off = _off_deg(true, fit_shape(said, kind).normals)
    assert np.median(off) < usual_deg
    assert np.percentile(off, 95) < 3.2 * usual_deg


def test_the_wrong_shape_fits_badly() -> None:
    for kind in _KINDS:
        said = field_samples(_turned(kind, 60, seed=5))
        own = fit_shape(said, kind).likeness
        for other in _KINDS:
            if other != kind:
                assert np.median(fit_shape(said, other).likeness) < own.min() - 0.05


def test_the_line_from_point_to_point_of_a_ten_is_found() -> None:
    rng = np.random.default_rng(10)
    for rise_deg in (40, 45, 51):
        q = _turn(rng)
        said = field_samples((trapezohedron(rise_deg).normals[:5] @ q.T)[None])
        assert abs(float(fit_shape(said, "d10").poles[0] @ q[:, 2])) == pytest.approx(1, abs=1e-4)


def test_the_nearest_face_points_the_way_asked() -> None:
    normals = _turned("d6", 40, seed=6)
    shape = fit_shape(field_samples(normals), "d6")
    rng = np.random.default_rng(7)
    up = rng.normal(size=(40, 3))
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    found = shape.nearest(up)
    cosine = (found * up).sum(axis=1)
    assert cosine.min() > 1 / 3**0.5 - 1e-3, "a cube's nearest face is never farther than its corner"


def test_a_net_that_says_nothing_gives_a_turn_and_no_likeness() -> None:
    shape = fit_shape(np.zeros((3, 32)), "d10")
    assert np.isfinite(shape.normals).all()
    assert np.linalg.norm(shape.normals, axis=2) == pytest.approx(1)
    assert shape.likeness == pytest.approx(0)
