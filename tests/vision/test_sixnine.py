"""6 and 9: the pentagon's vote, and what the rest of the set says about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vision import sixnine

_EDGE = 5 * (0.0 - np.pi / 2)


def _logp(six: float, nine: float) -> np.ndarray:
    p = np.full(13, (1 - six - nine) / 11)
    p[6], p[9] = six, nine
    return np.log(p)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turn=st.floats(-3.1, 3.1))
def test_turning_by_half_a_circle_swaps_edge_and_corner(poses: Any, turn: float) -> None:
    pose = poses.pose(phase=0.3)
    one = sixnine.parity(pose, poses.vote(6, turn=turn))
    other = sixnine.parity(pose, poses.vote(9, turn=turn + np.pi))
    assert one == pytest.approx(-other, abs=1e-9)


def test_an_edge_below_counts_plus_one(poses: Any) -> None:
    assert sixnine.parity(poses.pose(phase=_EDGE), poses.vote(6)) == pytest.approx(1)
    assert sixnine.parity(poses.pose(phase=_EDGE + np.pi), poses.vote(6)) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("six", "nine", "seen", "usual", "best"),
    [
        (0.55, 0.40, 1.0, 1.0, 6),  # stands on an edge as the set does: stays
        (0.55, 0.40, -1.0, 1.0, 9),  # on a corner in a set of edges: it is the other one, upside down
        (0.55, 0.40, -1.0, -1.0, 6),  # a set of corners
        (0.40, 0.55, -1.0, 1.0, 6),
        (0.55, 0.40, -1.0, 0.0, 6),  # nothing known of the set
        (0.97, 0.02, -0.4, 0.5, 6),  # a clear mark outweighs a weak vote
    ],
)
def test_votes_are_weighed(six: float, nine: float, seen: float, usual: float, best: int) -> None:
    out = sixnine.settle(_logp(six, nine), seen, usual)
    assert int(np.argmax(out)) == best
    assert np.exp(out).sum() == pytest.approx(1)


def test_disagreeing_votes_lower_the_confidence() -> None:
    before = np.exp(_logp(0.9, 0.08)).max()
    after = np.exp(sixnine.settle(_logp(0.9, 0.08), -1.0, 0.9)).max()
    assert after < before


def test_other_numbers_are_left_alone() -> None:
    logp = _logp(0.05, 0.05)
    assert np.array_equal(sixnine.settle(logp, -1.0, 1.0), logp)


def test_the_set_learns_its_parity_from_clear_numbers(poses: Any) -> None:
    corner = [poses.pose(phase=_EDGE + np.pi) for _ in range(6)]
    votes = [poses.vote(v) for v in (2, 3, 4, 5, 7, 12)]
    assert sixnine.set_parity(corner, votes, range(6)) < -0.4
    assert sixnine.set_parity(corner, votes, []) == pytest.approx(sixnine.COMMON)
    unclear = [poses.vote(v) for v in (1, 6, 9, 8, 11, 6)]
    assert sixnine.set_parity(corner, unclear, range(6)) == pytest.approx(sixnine.COMMON)
