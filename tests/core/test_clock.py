"""Clocks as values: what is left, who runs, flags, and the arithmetic of every change."""

from __future__ import annotations

import pytest
from core_table import ALLIES, AXIS, MINUTE

from companion.core import clock as ck
from companion.core.clock import ClockConfig, Clocks, Fall, make_clocks
from companion.core.ids import Side

LIMIT = ClockConfig("limit", {ALLIES: (MINUTE, 2 * MINUTE), AXIS: (MINUTE, MINUTE)}, (1, 2), True)


@pytest.fixture
def clocks() -> Clocks:
    return ck.with_stage(make_clocks(LIMIT, (ALLIES, AXIS)), 1)


def test_new_clocks_stand_at_zero_and_nothing_counts_down_before_the_first_stage() -> None:
    fresh = make_clocks(LIMIT, (ALLIES, AXIS))
    assert (fresh.running, fresh.ordinal) == (None, -1)
    assert ck.spent(fresh, ALLIES, 10) == 0
    assert ck.remaining(fresh, ALLIES, 10) is None
    assert ck.deadline(fresh) is None
    assert ck.is_tournament(fresh)


@pytest.mark.parametrize("mode", ["none", "count_up"])
def test_only_a_limit_counts_down(mode: str) -> None:
    config = ClockConfig(mode, {}, (1,))  # type: ignore[arg-type]
    running = ck.started(ck.with_stage(make_clocks(config, (ALLIES,)), 1), ALLIES, 100)
    assert ck.remaining(running, ALLIES, 500) is None
    assert ck.deadline(running) is None
    assert ck.spent(running, ALLIES, 500) == 400


def test_a_side_without_minutes_counts_up_beside_one_that_has_a_limit() -> None:
    config = ClockConfig("limit", {ALLIES: (MINUTE,)}, (1,))
    running = ck.started(ck.with_stage(make_clocks(config, (ALLIES, AXIS)), 1), AXIS, 0)
    assert ck.remaining(running, AXIS, 5) is None
    assert ck.deadline(running) is None


def test_a_running_clock_is_asked_and_never_below_zero(clocks: Clocks) -> None:
    running = ck.started(clocks, ALLIES, 1_000)
    assert ck.remaining(running, ALLIES, 1_000) == MINUTE
    assert ck.remaining(running, ALLIES, 31_000) == MINUTE - 30_000
    assert ck.remaining(running, ALLIES, 999_999) == 0
    assert ck.remaining(running, AXIS, 999_999) == MINUTE
    assert ck.deadline(running) == 1_000 + MINUTE


def test_an_instant_before_the_start_of_the_interval_charges_nothing(clocks: Clocks) -> None:
    running = ck.started(clocks, ALLIES, 1_000)
    assert ck.remaining(running, ALLIES, 500) == MINUTE
    assert ck.stopped(running, 500).spent_ms[ALLIES] == (0, 0)


def test_stopping_charges_the_stage_and_standing_clocks_only_note_the_instant(clocks: Clocks) -> None:
    stopped = ck.stopped(ck.started(clocks, ALLIES, 1_000), 21_000)
    assert stopped.spent_ms == {ALLIES: (20_000, 0), AXIS: (0, 0)}
    assert (stopped.running, stopped.last_ms) == (None, 21_000)
    again = ck.stopped(stopped, 30_000)
    assert (again.spent_ms, again.last_ms) == (stopped.spent_ms, 30_000)


def test_unused_time_is_banked_and_stacks() -> None:
    """EXAMPLES A14: 3:15 left over in stage 1 of Italy is 25:15 in stage 2."""
    italy = ClockConfig("limit", {ALLIES: (22 * MINUTE,) * 4}, (1, 2, 3, 4), True)
    first = ck.with_stage(make_clocks(italy, (ALLIES,)), 1)
    used = 22 * MINUTE - (3 * MINUTE + 15_000)
    second = ck.with_stage(ck.stopped(ck.started(first, ALLIES, 0), used), 2)
    assert ck.remaining(second, ALLIES, used) == 25 * MINUTE + 15_000
    third = ck.with_stage(second, 3)
    assert ck.remaining(third, ALLIES, used) == 47 * MINUTE + 15_000


def test_a_return_to_an_earlier_stage_takes_back_its_grant_and_keeps_what_was_used(clocks: Clocks) -> None:
    second = ck.with_stage(ck.stopped(ck.started(clocks, ALLIES, 0), 10_000), 2)
    later = ck.stopped(ck.started(second, ALLIES, 20_000), 50_000)
    back = ck.with_stage(later, 1)
    assert ck.remaining(back, ALLIES, 50_000) == MINUTE - 10_000
    assert ck.spent(back, ALLIES, 50_000) == 40_000
    assert ck.remaining(ck.with_stage(back, 2), ALLIES, 50_000) == 3 * MINUTE - 40_000


def test_stage_zero_lies_before_the_first_and_unknown_stages_change_nothing(clocks: Clocks) -> None:
    assert ck.with_stage(clocks, 0).ordinal == -1
    assert ck.with_stage(clocks, 9) is clocks
    assert ck.with_stage(clocks, 1) is clocks


def test_pausing_stops_and_resuming_lifts_the_pause_without_starting(clocks: Clocks) -> None:
    paused = ck.paused(ck.started(clocks, AXIS, 0), 5_000)
    assert (paused.is_paused, paused.running, paused.spent_ms[AXIS][0]) == (True, None, 5_000)
    resumed = ck.resumed(paused, 60_000)
    assert (resumed.is_paused, resumed.running, resumed.last_ms) == (False, None, 60_000)


def test_corrections_and_charges_go_to_the_current_stage(clocks: Clocks) -> None:
    second = ck.with_stage(clocks, 2)
    given = ck.corrected(second, AXIS, 15_000)
    assert given.corrected_ms[AXIS] == (0, 15_000)
    assert ck.remaining(given, AXIS, 0) == 2 * MINUTE + 15_000
    taken = ck.charged(given, AXIS, 5_000)
    assert taken.spent_ms[AXIS] == (0, 5_000)
    assert ck.remaining(taken, AXIS, 0) == 2 * MINUTE + 10_000


def test_a_correction_before_the_first_stage_counts_for_it() -> None:
    before = ck.corrected(make_clocks(LIMIT, (ALLIES, AXIS)), ALLIES, 1_000)
    assert ck.remaining(ck.with_stage(before, 1), ALLIES, 0) == MINUTE + 1_000


def test_falls_are_kept_in_their_order_and_lifted_one_by_one(clocks: Clocks) -> None:
    fallen = ck.with_fall(ck.with_fall(clocks, Fall(AXIS, 1, 10)), Fall(ALLIES, 1, 20))
    assert [fall.side for fall in fallen.falls] == [AXIS, ALLIES]
    assert ck.fallen(fallen, AXIS, 1)
    assert not ck.fallen(fallen, AXIS, 2)
    lifted = ck.without_fall(fallen, AXIS, 1)
    assert [fall.side for fall in lifted.falls] == [ALLIES]


def test_only_time_that_is_given_lifts_a_flag(clocks: Clocks) -> None:
    fallen = ck.with_fall(ck.with_stage(clocks, 1), Fall(AXIS, 1, 10))
    assert [ck.lifted_by(fallen, AXIS, ms) for ms in (-1, 0, 1)] == [(), (), (1,)]
    assert ck.lifted_by(fallen, ALLIES, 1) == ()


def test_unequal_minutes_are_kept_by_side_and_stage() -> None:
    config = ClockConfig("limit", {ALLIES: (10, 20, 30), AXIS: (1, 2, 3)}, (1, 2, 3))
    clocks = make_clocks(config, (ALLIES, AXIS))
    grants = [
        (ck.remaining(ck.with_stage(clocks, n), ALLIES, 0), ck.remaining(ck.with_stage(clocks, n), AXIS, 0))
        for n in (1, 2, 3)
    ]
    assert grants == [(10, 1), (30, 3), (60, 6)]


def test_started_over_a_running_clock_drops_its_interval(clocks: Clocks) -> None:
    over = ck.started(ck.started(clocks, ALLIES, 0), Side("axis"), 9_000)
    assert (over.running, over.since_ms, over.spent_ms[ALLIES]) == (AXIS, 9_000, (0, 0))
