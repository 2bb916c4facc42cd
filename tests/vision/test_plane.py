"""All top faces on one table look the same way; the one that does not is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.plane import LIFT, expected_pose, is_plane_known, off_plane, plane_offsets

_SIZE = (1200, 900)


def _table(poses: Any, tilt: tuple[float, float], count: int = 9, seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        x, y = rng.uniform(80, 1120), rng.uniform(80, 820)
        at = np.array([x - 600, y - 450]) / 1200
        top = LIFT["d12"] * (np.array(tilt) + 0.9 * at) + rng.normal(0, 0.01, 2)
        out.append(poses.pose(x, y, 45, top=tuple(top)))
    return out


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.3, -0.2), (-0.4, 0.1)])
def test_dice_at_rest_lie_on_the_plane(poses: Any, tilt: tuple[float, float]) -> None:
    assert off_plane(_table(poses, tilt), _SIZE).max() < 0.08


@pytest.mark.parametrize("seed", range(5))
def test_one_leaning_die_stands_out(poses: Any, seed: int) -> None:
    table = _table(poses, (0.2, 0.1), seed=seed)
    a = table[3]
    table[3] = poses.pose(a.found.x, a.found.y, 45, top=(-0.5, 0.4))
    off = off_plane(table, _SIZE)
    assert int(np.argmax(off)) == 3
    assert off[3] > 0.3
    assert np.delete(off, 3).max() < 0.12


def test_few_dice_say_nothing(poses: Any) -> None:
    few = _table(poses, (0.2, 0.1), count=2)
    assert plane_offsets(few, _SIZE) is None
    assert np.array_equal(off_plane(few, _SIZE), np.zeros(2))
    assert off_plane([], _SIZE).shape == (0,)


def test_a_mistaken_top_face_is_looked_for_where_the_plane_says(poses: Any) -> None:
    table = _table(poses, (0.3, 0.0))
    a = table[2]
    true_top = a.top
    table[2] = poses.pose(a.found.x, a.found.y, 45, top=(-0.6, 0.3))
    fitted = plane_offsets(table, _SIZE)
    assert fitted is not None
    moved = expected_pose(table[2], fitted[2])
    assert np.hypot(moved.top[0] - true_top[0], moved.top[1] - true_top[1]) < 0.12 * 45
    xx, xy, yy = moved.ellipse
    small, large = np.linalg.eigvalsh([[xx, xy], [xy, yy]])
    assert small / large == pytest.approx(np.sqrt(1 - float(fitted[2] @ fitted[2])), abs=1e-6)
    assert moved.found == table[2].found


def test_tens_do_not_tell_the_plane(poses: Any) -> None:
    tens = [poses.pose(100 * i, 90 * i, 40, kind=1, top=(0.5, 0.1)) for i in range(6)]
    assert plane_offsets(tens, _SIZE) is None
    mixed = [*_table(poses, (0.1, 0.0)), tens[2]]
    assert off_plane(mixed, _SIZE)[-1] == 0


def test_the_plane_is_known_from_three_dice_that_tell(poses: Any) -> None:
    d12, d10 = poses.pose(), poses.pose(kind=1)
    assert not is_plane_known([d12, d12, d10])
    assert is_plane_known([d12, d12, d12])
    assert plane_offsets([d12, d12, d10], (640, 480)) is None
