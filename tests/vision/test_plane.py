"""All top faces on one table look the same way; the one that does not is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.plane import LIFT, off_plane, plane_offsets

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
    few = _table(poses, (0.2, 0.1), count=3)
    assert plane_offsets(few, _SIZE) is None
    assert np.array_equal(off_plane(few, _SIZE), np.zeros(3))
    assert off_plane([], _SIZE).shape == (0,)
