"""Skew: an edge's time is right whatever the delivery takes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.boxclock import BoxClock

MS = 1_000_000


def test_before_any_exchange_the_arrival_counts():
    clock = BoxClock()
    assert not clock.is_set
    assert clock.uncertainty_ns(5) is None
    assert clock.to_ours_ns(123, 5_000) == 5_000


def test_one_exchange_bounds_the_offset():
    clock = BoxClock()
    clock.exchange(sent_ns=1_000, box_ns=500, received_ns=1_400)
    assert clock.is_set
    assert clock.to_ours_ns(500, 10_000) == 1_200
    assert clock.uncertainty_ns(1_400) == 200


def test_a_stamp_is_never_later_than_now():
    clock = BoxClock()
    clock.exchange(1_000, 500, 1_400)
    assert clock.to_ours_ns(99_999, 2_000) == 2_000


def test_a_clock_that_jumped_is_learned_anew():
    clock = BoxClock()
    clock.exchange(1_000 * MS, 500 * MS, 1_001 * MS)
    clock.exchange(2_000 * MS, 9_000 * MS, 2_001 * MS)
    assert clock.resets == 1
    assert clock.to_ours_ns(9_000 * MS, 2_001 * MS) == 2_000 * MS + MS // 2


def learned(*deeds, at_ns):
    """The bounds on (ours - the box's) after exchanges (three times) and arrivals (two), at a time."""
    clock = BoxClock()
    for deed in deeds:
        (clock.exchange if len(deed) == 3 else clock.arrival)(*deed)
    middle_ns, half_ns = clock.to_ours_ns(0, at_ns), clock.uncertainty_ns(at_ns)
    return middle_ns, half_ns, clock.resets


def test_a_frame_alone_sets_no_clock():
    clock = BoxClock()
    clock.arrival(500, 900)
    assert not clock.is_set
    assert clock.uncertainty_ns(900) is None
    assert clock.to_ours_ns(600, 2_000) == 2_000


ASKED = (1_000 * MS, 500 * MS, 1_100 * MS)
"""An exchange at 1,000 ms that says: ours is 500 to 600 ms ahead of the box."""


@pytest.mark.parametrize(
    ("deed", "middle_ms", "half_ms", "resets"),
    [
        pytest.param((600 * MS, 1_120 * MS), 510, 10, 0, id="a quick frame narrows from above"),
        pytest.param((600 * MS, 1_100 * MS), 500, 0, 0, id="a frame that took no time leaves nothing open"),
        pytest.param((600 * MS, 1_250 * MS), 550, 50, 0, id="a slow frame teaches nothing"),
        pytest.param((800 * MS, 1_120 * MS), 550, 50, 0, id="a frame from the future is not believed"),
        pytest.param(
            (1_110 * MS, 590 * MS, 1_250 * MS), 560, 40, 0, id="a later question narrows from below"
        ),
        pytest.param(
            (1_050 * MS, 580 * MS, 1_130 * MS), 525, 25, 0, id="a quicker answer narrows from above"
        ),
        pytest.param((1_000 * MS, 600 * MS, 1_400 * MS), 550, 50, 0, id="a slower exchange teaches nothing"),
        pytest.param((1_110 * MS, 700 * MS, 1_130 * MS), 420, 10, 1, id="the box's clock jumped ahead"),
        pytest.param((1_110 * MS, 400 * MS, 1_130 * MS), 720, 10, 1, id="the box's clock jumped back"),
    ],
)
def test_each_frame_narrows_what_is_known_and_never_widens_it(deed, middle_ms, half_ms, resets):
    middle_ns, half_ns, begun_anew = learned(ASKED, deed, at_ns=deed[-1])
    slack_ns = MS // 10  # what two crystals may drift meanwhile
    assert abs(middle_ns - middle_ms * MS) <= slack_ns
    assert abs(half_ns - half_ms * MS) <= slack_ns
    assert begun_anew == resets


def test_a_frame_before_the_first_exchange_counts_from_then_on():
    # the frame says: at most 520 ms ahead; the exchange: 500 to 600
    middle_ns, half_ns, _ = learned(
        (600 * MS, 1_120 * MS), (1_100 * MS, 600 * MS, 1_200 * MS), at_ns=1_200 * MS
    )
    assert abs(middle_ns - 510 * MS) <= MS // 10
    assert abs(half_ns - 10 * MS) <= MS // 10


def test_bounds_widen_by_two_hundred_parts_in_a_million():
    clock = BoxClock()
    clock.exchange(1_000 * MS, 500 * MS, 1_100 * MS)
    hour_ns = 3_600_000 * MS
    assert clock.uncertainty_ns(1_100 * MS + hour_ns) == 50 * MS + hour_ns * 200 // 1_000_000
    assert clock.to_ours_ns(700 * MS, 1_100 * MS + hour_ns) == 1_250 * MS


def test_bounds_that_meet_agree_and_are_exact():
    clock = BoxClock()
    clock.exchange(1_000, 500, 1_000)  # no time passed between question and answer
    clock.exchange(1_000, 500, 1_000)
    clock.arrival(500, 1_000)
    assert (clock.resets, clock.uncertainty_ns(1_000), clock.to_ours_ns(500, 2_000)) == (0, 0, 1_000)


def simulate(seed, *, slowest_ms, ppm, minutes=5, quick_share=0.0):
    """Pings every second and presses now and then, every frame delayed at random; the worst error in ns."""
    chance = random.Random(seed)
    offset_ns = chance.randint(-(10**12), 10**12)

    def delay():
        return round((0.3 if chance.random() < quick_share else chance.uniform(0.3, slowest_ms)) * MS)

    def box_time(at_ns):
        return round(at_ns * (1 + ppm / 1e6)) + offset_ns

    clock = BoxClock()
    worst = 0
    for second in range(minutes * 60):
        now = second * 1_000 * MS
        there, back = delay(), delay()
        clock.exchange(now, box_time(now + there), now + there + back)
        pressed = now + 500 * MS
        told = pressed + delay()
        clock.arrival(box_time(pressed), told)
        ours = clock.to_ours_ns(box_time(pressed), told)
        assert ours <= told
        bound = clock.uncertainty_ns(told)
        assert bound is not None
        assert abs(ours - pressed) <= bound + 1
        if second > 20:
            worst = max(worst, abs(ours - pressed))
    assert clock.resets == 0
    return worst


@pytest.mark.parametrize("ppm", [-90, 0, 90])
def test_a_late_line_costs_less_than_five_ms_where_some_frames_are_quick(ppm):
    assert simulate(1, slowest_ms=250, ppm=ppm, quick_share=0.25) < 5 * MS


@pytest.mark.parametrize("seed", range(5))
def test_even_where_every_frame_is_up_to_250_ms_late_the_error_stays_small(seed):
    assert simulate(seed, slowest_ms=250, ppm=60) < 40 * MS


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(-95, 95), st.integers(1, 250), st.floats(0, 1))
def test_the_error_is_always_within_what_it_claims(seed, ppm, slowest_ms, quick):
    simulate(seed, slowest_ms=max(slowest_ms, 1), ppm=ppm, minutes=1, quick_share=quick)
