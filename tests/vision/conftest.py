"""Poses and votes made by hand, for steps that are tested on values alone."""

from __future__ import annotations

import numpy as np
import pytest

from vision.numerals import FaceVote
from vision.types import Found, Pose


def make_pose(
    x: float = 100.0, y: float = 100.0, radius: float = 40.0, *, top: tuple[float, float] = (0.0, 0.0), kind: int = 0,
    cocked: float = 0.02, turn: float = 0.0, phase: float = 0.0, unit: float = 22.0,
    level: tuple[float, float] | None = None, faces: tuple[float, ...] = (0.0,) * 32,
) -> Pose:  # fmt: skip
    """Make a pose; ``top`` is the top face's offset in radii."""
    kinds = [0.01] * 4
    kinds[kind] = 0.97
    place = (x + top[0] * radius, y + top[1] * radius)
    return Pose(
        Found(x, y, radius, 0.95), tuple(kinds), cocked, place, (unit, 0.0, unit), turn, phase,
        level=level or (top[0] / 0.82, top[1] / 0.82), faces=faces,
    )  # fmt: skip


def make_vote(
    value: int, p: float = 0.97, *, turn: float = 0.0, spread: float = 0.0, features: tuple[float, ...] = ()
) -> FaceVote:
    """Make a vote for one printed number."""
    logp = np.full(13, np.log((1 - p) / 12))
    logp[value] = np.log(p)
    return FaceVote(tuple(logp.tolist()), p, turn, spread, features)


@pytest.fixture
def poses() -> type:
    """Give the builders to tests."""

    class Builders:
        pose = staticmethod(make_pose)
        vote = staticmethod(make_vote)

    return Builders
