"""A die that lies on another: told by what it covers, and by how much nearer it is to the camera."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from vision.heights import lies_over, size_excess
from vision.plane import Table, fit_table
from vision.training.stage import make_camera
from vision.types import Pose

_SIZE = (1000, 800)
_KINDS = ("d12", "d10", "d6")


def _table(dice: list[Pose], normal: np.ndarray, focal: float) -> Table:
    """A table that is known, under dice that say nothing of it."""
    return replace(fit_table(dice, _SIZE), normal=normal, focal=focal, up=np.tile(normal, (len(dice), 1)))


def _upright(dice: list[Pose]) -> Table:
    return _table(dice, np.array([0.0, 0.0, 1.0]), 1.15)


def test_the_upper_of_two_that_cover_each_other_is_told(poses: Any) -> None:
    lower, upper = poses.pose(300, 300, 40), poses.pose(315, 310, 46)
    beside, touching = poses.pose(600, 300, 46), poses.pose(600, 300 + 73, 40)
    four = [lower, upper, beside, touching]
    assert lies_over(four, ["d12"] * 4, _upright(four)).tolist() == [False, True, False, False]
    mixed = lies_over(four, ["d12", "d6", "d12", "d12"], _upright(four))
    assert not mixed.any(), "one thing taken for two kinds of dice is no stack"
    as_large = [lower, poses.pose(315, 310, 41)]
    assert not lies_over(as_large, ["d12"] * 2, _upright(as_large)).any()


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 30.0])
def test_dice_face_to_face_are_no_stack_from_whatever_side(poses: Any, kind: str, tilt_deg: float) -> None:
    reach = {"d12": 1.26, "d10": 1.7, "d6": 1.73}[kind]  # from the middle to a corner; to a face it is 1
    away = 1 / reach * np.cos(np.radians(tilt_deg))
    normal = np.array([0.0, np.sin(np.radians(tilt_deg)), np.cos(np.radians(tilt_deg))])
    two = [poses.pose(500, 400, 40), poses.pose(500, 400 + 83 * away, 43)]
    assert not lies_over(two, [kind] * 2, _table(two, normal, 1.15)).any()
    near = [poses.pose(500, 400, 40), poses.pose(500, 400 + 0.5 * 83 * away, 43)]
    assert lies_over(near, [kind] * 2, _table(near, normal, 1.15)).tolist() == [False, True]


@pytest.mark.parametrize("tilt_deg", [0.0, 24.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_die_nearer_to_the_camera_looks_larger_than_its_mates(
    poses: Any, tilt_deg: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    camera = make_camera(rng, _SIZE, 40.0, tilt_deg, 10.0)
    directions = rng.normal(size=(400, 3))
    ball = 10 * directions / np.linalg.norm(directions, axis=1, keepdims=True)

    def seen(x: float, y: float, height: float = 0.0) -> Pose:
        """A ball on the table, as its smallest circle shows it."""
        at = camera.to_plane(np.array([[x, y]]))[0]
        points = camera.project(ball + np.array([*at, height])).astype(np.float32)
        (cx, cy), radius = cv2.minEnclosingCircle(points)
        return poses.pose(cx, cy, radius)

    places = [(float(rng.uniform(60, 940)), float(rng.uniform(60, 740))) for _ in range(8)]
    dice = [seen(x, y) for x, y in places]
    normal = camera.rotation @ [0, 0, 1] * [1, 1, -1]
    focal = float(camera.k[0, 0]) / 1000
    kinds, colours = ["d12"] * 8, [0] * 8
    assert size_excess(dice, kinds, colours, _table(dice, normal, focal), _SIZE).max() < 0.02
    lying = dice[3].found.radius
    dice[3] = seen(*places[3], height=20.0)
    grown = np.log(dice[3].found.radius / lying)
    found = size_excess(dice, kinds, colours, _table(dice, normal, focal), _SIZE)
    assert found[3] == pytest.approx(grown, abs=0.04)
    assert np.delete(found, 3).max() < 0.02


def test_few_mates_or_a_mixed_lot_say_nothing(poses: Any) -> None:
    dice = [poses.pose(100 + 120 * i, 400, r) for i, r in enumerate((40, 40, 40, 46))]
    assert size_excess(dice, ["d12"] * 4, [0, 0, 1, 0], _upright(dice), _SIZE).max() == 0
    mixed = [poses.pose(100 + 120 * i, 400, r) for i, r in enumerate((36, 40, 44, 38, 42, 46))]
    assert size_excess(mixed, ["d12"] * 6, [0] * 6, _upright(mixed), _SIZE).max() < 0.06
