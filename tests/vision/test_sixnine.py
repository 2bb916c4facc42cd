"""6 and 9: the pentagon's vote, and what the rest of the set says about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision import sixnine
from vision.numerals import FaceVote

_EDGE = 5 * (0.0 - np.pi / 2)


def _logp(six: float, nine: float) -> NDArray[np.float64]:
    p = np.full(13, (1 - six - nine) / 11)
    p[6], p[9] = six, nine
    return np.asarray(np.log(p))


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
    ("six", "nine", "seen", "edge", "best", "is_sure"),
    [
        (0.985, 0.002, 0.0, 0.0, 6, True),  # a mark is seen: it decides where there is no pentagon
        (0.985, 0.002, -0.4, 1.6, 6, True),  # and against a weak vote
        (0.95, 0.04, 0.0, 0.0, 6, False),  # no mark, no pentagon: 6 or 9, however sure the net is
        (0.95, 0.04, 1.0, 1.6, 6, False),  # nothing is known of the set but how most are made
        (0.95, 0.04, 1.0, 4.0, 6, True),  # stands on an edge as its set does
        (0.95, 0.04, -1.0, 4.0, 9, True),  # on a corner in a set of edges: it is the other one, upside down
        (0.95, 0.04, -1.0, -4.0, 6, True),  # a set of corners
        (0.04, 0.95, -1.0, 4.0, 6, True),
        (0.95, 0.04, 0.1, 4.0, 6, False),  # whether on an edge or a corner cannot be seen
    ],
)
def test_votes_are_weighed(
    *, six: float, nine: float, seen: float, edge: float, best: int, is_sure: bool
) -> None:
    out = sixnine.settle(_logp(six, nine), seen, edge)
    assert int(np.argmax(out)) == best
    assert (sixnine.share(out) >= 0.9) == is_sure
    assert np.exp(out).sum() == pytest.approx(1)


@given(six=st.floats(0.01, 0.97), seen=st.floats(-1, 1), edge=st.floats(-4, 4))
def test_six_and_nine_are_treated_alike_and_keep_what_they_have_together(
    six: float, seen: float, edge: float
) -> None:
    nine = 0.98 - six
    out, turned = (np.exp(sixnine.settle(_logp(*pair), seen, edge)) for pair in ((six, nine), (nine, six)))
    assert out[6] + out[9] == pytest.approx(0.98)
    if abs(six - nine) > 1e-6:
        assert out[6] == pytest.approx(turned[9])


def test_the_surer_the_net_the_surer_the_value() -> None:
    shares = [float(sixnine.settle(_logp(0.98 - other, other))[6]) for other in np.geomspace(0.4, 1e-5, 60)]
    assert shares == sorted(shares)


def test_other_numbers_are_left_alone() -> None:
    logp = _logp(0.05, 0.05)
    assert np.array_equal(sixnine.settle(logp, -1.0, 1.0), logp)
    assert sixnine.share(_logp(0.05, 0.9)) > sixnine.share(_logp(0.3, 0.6))
    logp[4] = 0.0
    assert sixnine.share(logp) == 1


def test_the_set_learns_its_parity_from_clear_numbers(poses: Any) -> None:
    corner = [poses.pose(phase=_EDGE + np.pi) for _ in range(6)]
    votes = [poses.vote(v) for v in (2, 3, 4, 5, 7, 12)]
    assert sixnine.edge_odds(corner, votes, range(6)) < -2
    assert sixnine.edge_odds(corner, votes, []) == pytest.approx(sixnine.COMMON)
    assert sixnine.edge_odds(corner, votes, [0]) < 0, "one die tells more than what is common"
    unclear = [poses.vote(v) for v in (1, 11, 8)]
    assert sixnine.edge_odds(corner, unclear, range(3)) == pytest.approx(sixnine.COMMON)


def test_a_die_does_not_vote_about_itself(poses: Any) -> None:
    """A marked 9 tells how its set stands, but only to the others."""
    corner = [poses.pose(phase=_EDGE + np.pi) for _ in range(2)]
    marked, plain = poses.vote(9), poses.vote(6)
    alone = sixnine.settle_photo(corner[:1], [marked], ("d12",), (0,))[0]
    assert np.allclose(alone, sixnine.settle(np.array(marked.logp), -1.0, sixnine.COMMON))
    beside = sixnine.settle_photo(corner, [marked, plain], ("d12", "d12"), (0, 0))[0]
    assert sixnine.share(beside) > sixnine.share(alone)
    apart = sixnine.settle_photo(corner, [marked, plain], ("d12", "d12"), (0, 1))[0]
    assert np.allclose(apart, alone), "dice of another colour are another set"


def test_a_d10_has_no_pentagon_and_a_d6_no_nine(poses: Any) -> None:
    faint = FaceVote(tuple(_logp(0.95, 0.04).tolist()), 0.95, 0.0, 0.0)
    pose = [poses.pose(phase=_EDGE)]
    of_kind = {kind: sixnine.settle_photo(pose, [faint], (kind,), (0,))[0] for kind in ("d12", "d10", "d6")}
    assert sixnine.share(of_kind["d10"]) < sixnine.share(of_kind["d12"]) < 0.9
    assert np.array_equal(of_kind["d6"], np.array(faint.logp))
