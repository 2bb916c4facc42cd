"""Decisions about clocks: pauses, flags, corrections, gaps and sleep, each refusal with its code and words."""

from __future__ import annotations

import pytest
from core_table import ALLIES, AXIS, MINUTE, Table, ToyRules, toy_setup

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.decide import handle, skipped
from companion.core.ids import ARBITER, SYSTEM, Actor, Side, StepId
from companion.core.rules import Code, Context, Rejected
from companion.core.setup import Setup
from companion.core.state import Ending, GameState, Gap
from companion.core.text import Duration, Say, Typed
from companion.core.text import side as side_name


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def running(table: Table) -> Table:
    """A tournament in which the Allies' clock has just started."""
    table.press_to("s1.t1.allies.move")
    return table


def untimed() -> Table:
    return Table(toy_setup(mode="none"))


# Pause, adjourn, resume


def test_a_pause_stops_the_clock_and_kills_the_button_until_resumed(running: Table) -> None:
    running.now += 7_000
    running.do(cm.Pause(running.now, "pizza"))
    running.now += 600_000
    assert running.used(ALLIES) == 7_000
    step = running.state.step.id
    assert running.refused(cm.EndAct(step, running.now)) == Rejected(Code.PAUSED)
    assert running.refused(cm.Pause(running.now)) == Rejected(Code.PAUSED, Say("The game is already paused."))
    assert running.do(cm.Resume(running.now)) == (
        ev.ClocksResumed(running.now),
        ev.ClockStarted(ALLIES, running.now),
    )
    assert running.refused(cm.Resume(running.now)) == Rejected(Code.NOT_PAUSED)
    running.now += 1_000
    assert running.used(ALLIES) == 8_000


def test_a_pause_where_no_clock_runs_needs_no_stop(table: Table) -> None:
    assert table.do(cm.Pause(table.now)) == (ev.ClocksPaused(table.now),)
    assert table.do(cm.Resume(table.now)) == (ev.ClocksResumed(table.now),)


def test_a_jump_while_paused_starts_no_clock(running: Table) -> None:
    running.do(cm.Pause(running.now))
    running.do(cm.JumpTo(running.state.step.id, StepId("s1.t1.axis.move"), running.now), ARBITER)
    assert running.state.clocks.running is None
    running.resume()
    assert running.state.clocks.running == AXIS


def test_adjourned_games_are_resumed_another_day(running: Table) -> None:
    running.now += 2_000
    running.do(cm.Adjourn(running.now))
    assert running.state.is_adjourned
    assert running.refused(cm.Adjourn(running.now)) == Rejected(
        Code.PAUSED, Say("The game is already adjourned.")
    )
    last, running.now = running.now, 50  # another day, another boot
    running.do(cm.ResumeGame(50, last, None, "closed"), SYSTEM)
    assert running.state.gap is None
    running.resume()
    assert not running.state.is_adjourned
    running.now += 1_000
    assert running.used(ALLIES) == 3_000


def test_a_paused_game_can_be_adjourned(running: Table) -> None:
    running.do(cm.Pause(running.now))
    assert running.do(cm.Adjourn(running.now)) == (ev.Adjourned(running.now),)


def test_ended_games_are_not_resumed(running: Table) -> None:
    running.do(cm.Pause(running.now))
    running.do(cm.EndGame(running.now, AXIS, "resigned"))
    assert running.state.ending == Ending(AXIS, "resigned")
    assert running.refused(cm.Resume(running.now)) == Rejected(Code.GAME_OVER)


def test_a_game_is_ended_by_hand_for_a_known_side_or_nobody(running: Table) -> None:
    assert running.refused(cm.EndGame(running.now, Side("france"), "x")) == Rejected(
        Code.UNKNOWN_SIDE, Say("This game has no side {side}.", side=Typed("france"))
    )
    running.now += 500
    events = running.do(cm.EndGame(running.now, None, "agreed"))
    assert [type(event) for event in events] == [ev.ClockStopped, ev.GameEnded]


# Flags


def fell(table: Table) -> Table:
    """Let the Allies' flag fall in stage 1."""
    table.press_to("s1.t1.allies.move")
    table.now += MINUTE + 250
    table.do(cm.SettleClock(table.now), SYSTEM)
    return table


def test_a_flag_falls_at_its_exact_deadline_once_the_grace_is_over(running: Table) -> None:
    start = running.state.clocks.since_ms
    step = running.state.step.id
    running.now = start + MINUTE + 249
    assert running.do(cm.SettleClock(running.now), SYSTEM) == ()
    running.now += 1
    assert running.do(cm.SettleClock(running.now), SYSTEM) == (
        ev.ClockStopped(ALLIES, start + MINUTE, MINUTE, step),
        ev.FlagFell(ALLIES, 1, start + MINUTE, step),
    )
    assert running.state.flag_prompt == ALLIES
    assert running.left(ALLIES) == 0
    assert running.do(cm.SettleClock(running.now), SYSTEM) == ()


def test_a_press_stamped_in_the_last_millisecond_counts_when_it_arrives_within_the_grace(
    running: Table,
) -> None:
    start = running.state.clocks.since_ms
    running.now = start + MINUTE + 200
    running.do(cm.EndAct(running.state.step.id, start + MINUTE - 1))
    running.do(cm.EndAct(running.state.step.id, start + MINUTE - 1))
    assert running.state.clocks.running == AXIS
    assert running.left(ALLIES) == 1
    assert running.state.clocks.falls == ()


def test_a_command_from_after_the_deadline_never_gets_in_front_of_such_a_press(running: Table) -> None:
    start = running.state.clocks.since_ms
    running.now = start + MINUTE + 10
    refused = running.refused(cm.Pause(start + MINUTE + 5), Actor("axis"))
    assert refused == Rejected(Code.FLAG_DUE)
    assert running.refused(cm.Undo(start + MINUTE)).code == Code.FLAG_DUE
    running.now += 20
    running.do(cm.EndAct(running.state.step.id, start + MINUTE - 3))
    assert running.state.clocks.falls == ()


def test_a_press_at_00_00_is_too_late(running: Table) -> None:
    start = running.state.clocks.since_ms
    running.now = start + MINUTE + 300
    step = running.state.step.id
    rejected = running.send(cm.EndAct(step, start + MINUTE))
    assert rejected == Rejected(
        Code.FLAG_PENDING,
        Say("{side}: the flag has fallen. Apply the penalty first.", side=side_name("allies")),
    )
    assert [type(e.command) for e in running.entries[-1:]] == [cm.SettleClock]
    assert running.entries[-1].events[-1] == ev.FlagFell(ALLIES, 1, start + MINUTE, step)


def test_while_the_table_carries_out_a_fallen_flag_no_clock_runs(table: Table) -> None:
    fell(table)
    assert table.state.clocks.running is None
    assert str(table.rules.flag_losses(table.state, ALLIES)[0].text) == "allies loses its acts"
    assert table.refused(cm.EndAct(table.state.step.id, table.now)).code == Code.FLAG_PENDING
    table.do(cm.Pause(table.now))
    table.do(cm.Resume(table.now))
    assert table.state.clocks.running is None


def test_after_it_the_side_is_skipped_for_the_stage_and_the_other_goes_on(table: Table) -> None:
    fell(table)
    step = table.state.step.id
    assert table.refused(cm.AcknowledgeFlag(AXIS, step, table.now)) == Rejected(
        Code.NO_FLAG, Say("{side}: no fallen flag to settle.", side=side_name("axis"))
    )
    assert table.refused(cm.AcknowledgeFlag(ALLIES, StepId("setup"), table.now)).code == Code.STALE_STEP
    table.do(cm.Pause(table.now))
    assert table.refused(cm.AcknowledgeFlag(ALLIES, step, table.now)) == Rejected(Code.PAUSED)
    table.resume()
    table.now += 30_000
    events = table.do(cm.AcknowledgeFlag(ALLIES, step, table.now, ("loss",)))
    assert events == (
        ev.FlagAcknowledged(ALLIES, ("loss",)),
        ev.StepEntered(StepId("s1.t1.axis.move"), "flag"),
        ev.ClockStarted(AXIS, table.now),
    )
    table.press_to("s2.begin")
    table.press_to("s2.t1.allies.move")
    assert table.left(ALLIES) == MINUTE
    assert table.state.clocks.running == ALLIES


def test_both_out_in_the_last_tactical_phase_lead_to_the_check(table: Table) -> None:
    table.press_to("s3.t1.allies.move")
    order = []
    for side in (ALLIES, AXIS):
        table.now += 3 * MINUTE + 250
        table.do(cm.SettleClock(table.now), SYSTEM)
        assert table.state.flag_prompt == side
        order.append(side)
        table.do(cm.AcknowledgeFlag(side, table.state.step.id, table.now))
    assert table.state.step.id == "s3.v.check"
    assert [fall.side for fall in table.state.clocks.falls] == order
    table.press()
    assert table.state.ending is not None


def test_a_flag_carried_out_at_the_last_step_ends_play() -> None:
    setup = toy_setup()
    steps = setup.steps[:4]
    table = Table(Setup(**{**{f: getattr(setup, f) for f in setup.__struct_fields__}, "steps": steps}))
    fell(table)
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    assert table.state.ending == Ending(None, "end_of_play")


def test_a_jump_over_a_pending_prompt_settles_it(table: Table) -> None:
    fell(table)
    table.do(cm.JumpTo(table.state.step.id, StepId("s1.t1.allies.resolve"), table.now), ARBITER)
    assert table.state.flag_prompt is None
    assert table.state.clocks.running is None  # the arbiter may look; the side's time is over all the same
    table.press()
    assert table.state.step.id == "s1.t1.axis.move"


def test_a_prompt_at_a_step_that_takes_place_lets_its_clock_run_on() -> None:
    """An undo within the stage can take the prompt back to a step of the other side."""
    table = Table(toy_setup(tournament=False))
    table.press_to("s2.t1.allies.move")
    table.now += 2 * MINUTE + 250
    table.do(cm.SettleClock(table.now), SYSTEM)
    table.do(cm.Undo(table.now))
    assert (table.state.step.id, table.state.flag_prompt) == ("s2.t1.axis.resolve", ALLIES)
    events = table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    assert events == (ev.FlagAcknowledged(ALLIES), ev.ClockStarted(AXIS, table.now))


def test_under_an_untimed_game_no_flag_is_settled() -> None:
    table = untimed()
    table.press_to("s1.t1.allies.move")
    table.now += 100 * MINUTE
    assert table.do(cm.SettleClock(table.now), SYSTEM) == ()
    assert table.state.clocks.running is None


def test_a_replayed_press_from_after_the_deadline_settles_at_once(running: Table) -> None:
    """Without a decision time there is nothing to wait for."""
    due = running.state.clocks.since_ms + MINUTE
    handled = handle(
        running.rules, running.state, cm.EndAct(running.state.step.id, due + 1), Context(now_ms=None)
    )
    assert [draft.command for draft in handled.drafts] == [cm.SettleClock(due + 250)]
    assert handled.rejected is not None
    assert handled.rejected.code == Code.FLAG_PENDING


def test_skipping_concerns_only_steps_of_the_fallen_side_alone() -> None:
    table = fell(Table())
    skips = skipped(ToyRules(), table.state)
    steps = {step.id: step for step in table.state.itinerary.steps}
    assert skips(steps[StepId("s1.r.allies.place")])
    assert not skips(steps[StepId("s1.r.axis.place")])
    assert not skips(steps[StepId("s2.t1.allies.move")])
    assert not skips(steps[StepId("s1.v.check")])
    assert isinstance(table.state, GameState)


# Corrections


def test_only_the_arbiter_corrects_a_tournament_clock(running: Table) -> None:
    give = cm.CorrectTime(AXIS, 15_000, running.now, "slow dice")
    assert running.refused(give) == Rejected(Code.ARBITER_ONLY)
    assert running.do(give, ARBITER) == (ev.TimeCorrected(AXIS, 15_000, "slow dice"),)
    assert running.left(AXIS) == MINUTE + 15_000


def test_a_tournament_correction_needs_a_reason(running: Table) -> None:
    assert running.refused(cm.CorrectTime(AXIS, 1_000, running.now, " "), ARBITER) == Rejected(
        Code.BAD_VALUE, Say("Under tournament time a correction needs a reason.")
    )


def test_anyone_corrects_a_friendly_clock_and_untimed_games_have_none() -> None:
    table = Table(toy_setup(tournament=False))
    table.press()
    table.do(cm.CorrectTime(ALLIES, -20_000, table.now, "late"))
    assert table.left(ALLIES) == 40_000
    timeless = untimed()
    assert timeless.refused(cm.CorrectTime(ALLIES, 1, 0)) == Rejected(Code.NO_CLOCK)


def test_a_correction_never_goes_below_zero_and_is_never_nothing(running: Table) -> None:
    running.now += 10_000
    for delta, why in (
        (0, "A correction of 0:00 changes nothing."),
        (-50_001, "allies: only 50000 ms left; 50001 ms cannot be deducted."),
    ):
        refused = running.refused(cm.CorrectTime(ALLIES, delta, running.now, "x"), ARBITER)
        assert (refused.code, str(refused.detail)) == (Code.BAD_VALUE, why)
    assert running.refused(cm.CorrectTime(Side("x"), 1, 0), ARBITER).code == Code.UNKNOWN_SIDE
    running.do(cm.CorrectTime(ALLIES, -50_000, running.now, "x"), ARBITER)
    assert running.left(ALLIES) == 0
    running.now += 250
    running.do(cm.SettleClock(running.now), SYSTEM)
    assert running.state.flag_prompt == ALLIES


def test_time_given_back_lifts_the_flag_and_pauses_the_clocks(table: Table) -> None:
    fell(table)
    events = table.do(cm.CorrectTime(ALLIES, 5_000, table.now, "camera slept"), ARBITER)
    assert events == (ev.TimeCorrected(ALLIES, 5_000, "camera slept"), ev.FlagLifted(ALLIES, 1))
    assert (table.state.flag_prompt, table.state.clocks.falls) == (None, ())
    assert table.state.clocks.is_paused
    table.resume()
    assert (table.state.clocks.running, table.left(ALLIES)) == (ALLIES, 5_000)


def test_a_flag_lifted_while_the_other_side_acts_stops_its_clock(table: Table) -> None:
    fell(table)
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    table.now += 3_000
    events = table.do(cm.CorrectTime(ALLIES, 5_000, table.now, "x"), ARBITER)
    assert [type(e) for e in events] == [ev.ClockStopped, ev.TimeCorrected, ev.FlagLifted]
    assert table.used(AXIS) == 3_000
    table.resume()
    table.press_to("s1.v.check")
    table.press()
    assert table.state.step.id == "s1.r.allies.place"  # it takes part in the rest of the stage again


def test_time_given_in_an_earlier_stage_lifts_the_flag_that_fell_later(running: Table) -> None:
    first, later = running.state.step.id, StepId("s2.t1.allies.move")
    running.do(cm.JumpTo(first, later, running.now), ARBITER)
    running.now += 2 * MINUTE + 250
    running.do(cm.SettleClock(running.now), SYSTEM)
    assert [(fall.side, fall.stage) for fall in running.state.clocks.falls] == [(ALLIES, 2)]
    running.do(cm.AcknowledgeFlag(ALLIES, running.state.step.id, running.now))
    running.do(cm.JumpTo(running.state.step.id, first, running.now), ARBITER)
    assert running.do(cm.CorrectTime(AXIS, 5_000, running.now, "x"), ARBITER)[-1:] == (
        ev.TimeCorrected(AXIS, 5_000, "x"),
    )
    events = running.do(cm.CorrectTime(ALLIES, 5_000, running.now, "it ran in the break"), ARBITER)
    assert events[-1] == ev.FlagLifted(ALLIES, 2)
    assert running.state.clocks.falls == ()
    running.do(cm.JumpTo(running.state.step.id, later, running.now), ARBITER)
    running.resume()
    assert (running.state.clocks.running, running.left(ALLIES)) == (ALLIES, 5_000)


def test_taking_time_from_a_fallen_side_lifts_nothing(table: Table) -> None:
    fell(table)
    assert table.refused(cm.CorrectTime(ALLIES, -1, table.now, "x"), ARBITER).code == Code.BAD_VALUE
    assert table.state.flag_prompt == ALLIES


def test_lifting_one_flag_leaves_the_prompt_of_the_other(table: Table) -> None:
    fell(table)
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    table.now += MINUTE + 250
    table.do(cm.SettleClock(table.now), SYSTEM)
    assert table.state.flag_prompt == AXIS
    table.do(cm.CorrectTime(ALLIES, 5_000, table.now, "x"), ARBITER)
    assert table.state.flag_prompt == AXIS


# Gaps and sleep


def test_a_power_cut_charges_up_to_the_last_known_instant_and_names_the_gap(running: Table) -> None:
    running.now += 20_000
    last = running.now - 3_000
    running.now = 77  # a new boot
    events = running.do(cm.ResumeGame(77, last, 90_000, "power"), SYSTEM)
    assert [type(e) for e in events] == [ev.ClockStopped, ev.GameResumed]
    assert running.used(ALLIES) == 17_000
    assert running.state.gap == Gap("power", last, 90_000, ALLIES)
    assert running.state.clocks.is_paused
    running.resume()
    running.now += 1_000
    assert running.used(ALLIES) == 18_000


def test_a_heartbeat_older_than_the_last_entry_is_not_believed(running: Table) -> None:
    running.press(5_000)
    running.press(5_000)
    stored = running.now
    running.now = 10
    running.do(cm.ResumeGame(10, stored - 4_000, None, "crash"), SYSTEM)
    assert (running.used(ALLIES), running.used(AXIS)) == (10_000, 0)
    assert running.state.gap == Gap("crash", stored, None, AXIS)


def test_a_flag_that_was_due_before_the_cut_falls_first(running: Table) -> None:
    due = running.state.clocks.since_ms + MINUTE
    running.now = 5
    before = len(running.entries)
    assert running.send(cm.ResumeGame(5, due + 1_000, 60_000, "power"), SYSTEM) is None
    assert [type(e.command) for e in running.entries[before:]] == [cm.SettleClock, cm.ResumeGame]
    assert running.state.flag_prompt == ALLIES
    assert running.state.gap == Gap("power", due + 1_000, 60_000, None)


def test_sleep_pauses_at_the_last_known_instant(running: Table) -> None:
    start = running.state.clocks.since_ms
    running.now = start + 30_000
    running.do(cm.StopForSleep(running.now, start + 9_000, 7_200_000), SYSTEM)
    assert running.used(ALLIES) == 9_000
    assert running.state.gap == Gap("sleep", start + 9_000, 7_200_000, ALLIES)
    assert running.state.clocks.is_paused


def test_a_gap_in_an_untimed_or_ended_game_stops_nothing() -> None:
    table = untimed()
    table.do(cm.ResumeGame(1, 0, 5_000, "power"), SYSTEM)
    assert not table.state.clocks.is_paused
    assert table.state.gap == Gap("power", 1_000, 5_000, None)
    ended = Table()
    ended.do(cm.EndGame(ended.now, None, "agreed"))
    ended.do(cm.ResumeGame(1, 0, 5_000, "power"), SYSTEM)
    assert ended.state.gap is None
    assert not ended.state.clocks.is_paused


def test_a_gap_in_which_nothing_ran_never_hides_one_that_waits(running: Table) -> None:
    last = running.now + 1_000
    running.now = 1
    running.do(cm.ResumeGame(1, last, 60_000, "power"), SYSTEM)
    running.do(cm.ResumeGame(2, 1, 5_000, "crash"), SYSTEM)
    running.do(cm.ResumeGame(3, 2, None, "closed"), SYSTEM)
    assert running.state.gap == Gap("power", last, 60_000, ALLIES)


def gap(table: Table, gap_ms: int | None = 40_000) -> Table:
    table.press_to("s1.t1.allies.move")
    last, table.now = table.now + 10_000, 1
    table.do(cm.ResumeGame(1, last, gap_ms, "power"), SYSTEM)
    return table


def test_only_the_arbiter_charges_a_gap_under_tournament_time(table: Table) -> None:
    assert table.refused(cm.DecideGap(None, 0, 0)) == Rejected(Code.NO_GAP)
    gap(table)
    assert table.refused(cm.DecideGap(ALLIES, 5_000, table.now)) == Rejected(Code.ARBITER_ONLY)
    table.do(cm.DecideGap(ALLIES, 40_000, table.now), ARBITER)
    assert (table.left(ALLIES), table.state.gap) == (10_000, None)


@pytest.mark.parametrize(
    ("side", "ms", "refusal"),
    [
        (None, 5, Rejected(Code.BAD_VALUE, Say("To charge a gap, choose a side and a time above 0:00."))),
        (ALLIES, 0, Rejected(Code.BAD_VALUE, Say("To charge a gap, choose a side and a time above 0:00."))),
        (ALLIES, -5, Rejected(Code.BAD_VALUE, Say("To charge a gap, choose a side and a time above 0:00."))),
        (
            ALLIES,
            40_001,
            Rejected(
                Code.BAD_VALUE,
                Say(
                    "The gap is only {gap} long: {asked} cannot be charged.",
                    gap=Duration(40_000, "clock"),
                    asked=Duration(40_001, "clock"),
                ),
            ),
        ),
        (Side("x"), 5, Rejected(Code.UNKNOWN_SIDE, Say("This game has no side {side}.", side=Typed("x")))),
    ],
)
def test_a_gap_is_charged_sensibly(table: Table, side: Side | None, ms: int, refusal: Rejected) -> None:
    assert gap(table).refused(cm.DecideGap(side, ms, table.now), ARBITER) == refusal


def test_a_gap_takes_what_there_is_and_nothing_of_the_next_stage(table: Table) -> None:
    gap(table, None)
    assert table.do(cm.DecideGap(ALLIES, 10 * MINUTE, table.now), ARBITER) == (ev.GapDecided(ALLIES, 50_000),)
    table.resume()
    table.now += 250
    table.do(cm.SettleClock(table.now), SYSTEM)
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    table.press_to("s2.begin")
    assert table.left(ALLIES) == MINUTE


def test_a_gap_may_be_charged_to_nobody_and_counted_up_where_nothing_counts_down() -> None:
    table = gap(Table())
    table.do(cm.DecideGap(None, 0, table.now))
    assert (table.left(ALLIES), table.state.gap) == (50_000, None)
    counted = gap(Table(toy_setup(mode="count_up")))
    counted.do(cm.DecideGap(AXIS, 40_000, counted.now))
    assert counted.used(AXIS) == 40_000
    timeless = gap(untimed())
    assert timeless.refused(cm.DecideGap(AXIS, 5, 0)) == Rejected(Code.NO_CLOCK)
