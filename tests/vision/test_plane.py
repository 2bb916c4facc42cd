"""The table that all dice of a photo lie on: found from their faces, and the die that has no face for it leans."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.attitude import field_samples
from vision.plane import LIFT, Table, expected_pose, fit_table, nearness, top_direction
from vision.shapes import fit_shape
from vision.training.glyphs import FontBook
from vision.training.looks import Studio, make_set
from vision.training.paint import seen_normals
from vision.training.solids import trapezohedron
from vision.training.stage import Camera, laid, make_camera
from vision.types import KINDS, Pose

_SIZE = (1200, 900)
_KINDS = ("d12", "d10", "d6")


@pytest.fixture(scope="module")
def studio() -> Studio:
    return Studio(3, surfaces_count=1, book=FontBook.strokes())


def _throw(
    poses: Any, studio: Studio, seed: int, *, kinds: tuple[str, ...] = _KINDS, count: int = 8, tilt_deg: float = 20.0,
    leans: tuple[float, ...] = (), noise: float = 0.05,
) -> tuple[list[Pose], np.ndarray, Camera]:  # fmt: skip
    """Throw dice under a camera; what a good net would say of them, and the true normals of their top faces."""
    rng = np.random.default_rng(seed)
    camera = make_camera(rng, _SIZE, 45.0, tilt_deg, 10.0)
    out, tops = [], []
    for i in range(count):
        kind = kinds[i % len(kinds)]
        look = make_set(rng, studio, kind, "white", 0)
        at = camera.to_plane(np.array([[rng.uniform(80, 1120), rng.uniform(80, 820)]]))[0]
        lean = leans[i] if i < len(leans) else 0.0
        die = laid(rng, look, at, lean_deg=lean)
        normals = seen_normals(camera, die).astype(float)
        place = camera.project(die.position)[0]
        samples = field_samples(normals[None])[0] + rng.normal(0, noise, 32)
        level = normals[0, :2] + rng.normal(0, 0.03, 2)
        pose = poses.pose(*place, 45, kind=KINDS.index(kind), faces=tuple(samples), level=tuple(level))
        out.append(pose)
        tops.append(normals[0])
    return out, np.array(tops), camera


def _degrees(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.degrees(np.arccos(np.clip((a * b).sum(axis=-1), -1, 1)))


@pytest.mark.parametrize("kinds", [("d12",), ("d10",), ("d6",), _KINDS])
@pytest.mark.parametrize("tilt_deg", [0.0, 15.0, 28.0])
def test_the_table_is_found_from_any_kind_of_dice(
    poses: Any, studio: Studio, kinds: tuple[str, ...], tilt_deg: float
) -> None:
    thrown, tops, camera = _throw(poses, studio, 1, kinds=kinds, tilt_deg=tilt_deg)
    table = fit_table(thrown, _SIZE)
    true = camera.rotation @ [0, 0, 1] * [1, 1, -1]
    assert _degrees(table.normal, true) < 2.5
    assert _degrees(table.up, tops).max() < 4
    assert np.degrees(table.lean).max() < 5
    assert table.alike.min() > 0.75
    assert table.backing.min() > 4
    assert table.focal == pytest.approx(camera.k[0, 0] / 1200, rel=0.35)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lean_deg", [12.0, 20.0, 30.0])
def test_a_leaning_die_has_no_face_for_the_table(
    poses: Any, studio: Studio, seed: int, lean_deg: float
) -> None:
    thrown, _, camera = _throw(poses, studio, seed, kinds=("d12",), leans=(lean_deg,))
    table = fit_table(thrown, _SIZE)
    up = camera.rotation @ [0, 0, 1] * [1, 1, -1]
    assert _degrees(table.normal, up) < 3
    least = min(lean_deg, 36.0) - 5
    assert np.degrees(table.lean[0]) > least
    assert np.degrees(table.lean[1:]).max() < 6
    assert table.alike[0] < table.alike[1:].min()


@pytest.mark.parametrize("kind", ["d10", "d6"])
def test_a_leaning_ten_or_six_is_told_though_its_faces_are_known_badly(
    poses: Any, studio: Studio, kind: str
) -> None:
    apart = []
    for seed in range(8):
        thrown, _, _ = _throw(poses, studio, seed, kinds=(kind,), leans=(22.0,), noise=0.2)
        table = fit_table(thrown, _SIZE)
        assert 0 < table.misfit.max() < 0.5
        apart.append(table.lean[0] > 1.5 * np.sort(table.lean[1:])[-2])
    assert sum(apart) >= 7


def test_what_a_die_was_named_decides_whose_shape_it_has(poses: Any, studio: Studio) -> None:
    thrown, _, _ = _throw(poses, studio, 4, kinds=("d12",), count=6)
    as_named = fit_table(thrown, _SIZE, ["d12"] * 6)
    assert as_named.misfit.max() == 0
    assert fit_table(thrown, _SIZE).lean == pytest.approx(as_named.lean)
    other = fit_table(thrown, _SIZE, ["d10", *["d12"] * 5])
    assert other.misfit[0] > 0.05
    assert other.misfit[1:].max() == 0


@pytest.mark.parametrize("kind", ["d10", "d6"])
def test_one_ten_or_six_alone_and_a_silent_one_are_borne(poses: Any, studio: Studio, kind: str) -> None:
    thrown, tops, _ = _throw(poses, studio, 2, kinds=(kind,), count=1)
    assert _degrees(fit_table(thrown, _SIZE).up, tops)[0] < 10
    silent = [poses.pose(100 * i, 90 * i, 40, kind=KINDS.index(kind)) for i in range(1, 4)]
    table = fit_table(silent, _SIZE)
    for values in (table.normal, table.up, table.peaks, table.lean, table.backing, table.misfit, table.poles):
        assert np.isfinite(values).all()
    assert table.misfit == pytest.approx(1)


def test_things_look_smaller_farther_away(poses: Any, studio: Studio) -> None:
    thrown, _, camera = _throw(poses, studio, 5, kinds=("d12",), tilt_deg=25.0)
    table = fit_table(thrown, _SIZE)
    near = nearness(thrown, table, _SIZE)
    at = camera.to_plane(np.array([(p.found.x, p.found.y) for p in thrown]))
    depth = (np.column_stack([at, np.zeros(len(at))]) - camera.centre) @ camera.rotation[2]
    ratio = near * depth
    sides = np.array([(p.found.x - 600, p.found.y - 450) for p in thrown]) / 1200 / table.focal
    ratio /= np.sqrt(1 + (sides**2).sum(axis=1))  # balls are drawn longer there
    assert np.ptp(ratio) / ratio.mean() < 0.08
    assert np.ptp(near) / near.mean() > 0.1


def test_two_dice_tell_the_table_though_both_mistook_their_tops(poses: Any, studio: Studio) -> None:
    right = 0
    for seed in range(8):
        thrown, tops, _ = _throw(poses, studio, seed, kinds=("d12",), count=4)
        wrong = thrown[0]
        far = -np.array(wrong.level) + 0.3
        thrown[0] = poses.pose(
            wrong.found.x, wrong.found.y, 45, faces=wrong.faces, level=tuple(np.clip(far, -0.6, 0.6))
        )
        table = fit_table(thrown, _SIZE)
        right += _degrees(table.up, tops)[0] < 6
        assert np.linalg.norm(top_direction(thrown)[0] - table.up[0]) > 0.1
    assert right == 8


def test_one_die_is_believed_and_backed_by_none(poses: Any, studio: Studio) -> None:
    thrown, tops, _ = _throw(poses, studio, 3, kinds=("d12",), count=1)
    table = fit_table(thrown, _SIZE)
    assert table.backing == pytest.approx(0, abs=1e-9)
    assert _degrees(table.up, tops)[0] < 8


def test_a_net_that_says_nothing_gives_no_lean_and_no_nonsense(poses: Any) -> None:
    table = fit_table([poses.pose(100 * i, 90 * i, 40) for i in range(1, 5)], _SIZE)
    assert isinstance(table, Table)
    for values in (table.normal, table.up, table.peaks, table.alike, table.lean, table.backing):
        assert np.isfinite(values).all()
    assert np.linalg.norm(table.up, axis=1) == pytest.approx(1)
    assert 0.5 <= table.focal <= 3


def test_a_mistaken_top_face_is_looked_for_where_the_table_says(poses: Any) -> None:
    die = poses.pose(500, 400, 45, top=(-0.6, 0.3))
    direction = np.array([0.3, -0.2, np.sqrt(1 - 0.13)])
    moved = expected_pose(die, direction, np.array([0.0, 0.0, 1.0]))
    assert moved.top == pytest.approx((500 + 0.3 * 45 * LIFT["d12"], 400 - 0.2 * 45 * LIFT["d12"]))
    xx, xy, yy = moved.ellipse
    small, large = np.linalg.eigvalsh([[xx, xy], [xy, yy]])
    assert small / large == pytest.approx(direction[2], abs=1e-6)
    assert moved.level == pytest.approx((0.3, -0.2))
    assert moved.found == die.found


@pytest.mark.parametrize("elevation_deg", [40, 46, 51])
def test_the_top_of_a_ten_lies_beside_its_normal(poses: Any, studio: Studio, elevation_deg: int) -> None:
    rng = np.random.default_rng(elevation_deg)
    camera = make_camera(rng, _SIZE, 45.0, 18.0, 10.0)
    look = make_set(rng, studio, "d10", "red", 0)
    look.solid = trapezohedron(float(elevation_deg))
    for _ in range(6):
        die = laid(rng, look, rng.uniform(-40, 40, 2))
        seen = camera.project(die.corners())
        middle = camera.project(die.position)[0]
        radius = float(np.linalg.norm(seen - middle, axis=1).max())
        normals = seen_normals(camera, die).astype(float)
        shape = fit_shape(field_samples(normals[None]), "d10")
        moved = expected_pose(poses.pose(*middle, radius, kind=1), normals[0], shape.poles[0])
        face = look.solid.faces[die.face]
        true = camera.project(die.position + (face.centre * look.inradius_mm) @ die.rotation.T)[0]
        assert np.linalg.norm(np.array(moved.top) - true) < 0.16 * radius
