"""Decisions: what each command leads to, and each refusal with its code and words."""

from __future__ import annotations

import pytest
from core_table import ALLIES, AXIS, MINUTE, Finish, Grow, Roll, Table, ToyRules, toy_setup
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.decide import decide, handle, skipped
from companion.core.evolve import evolve, evolve_all
from companion.core.ids import ARBITER, SYSTEM, TABLE, Actor, Side, StepId
from companion.core.rules import Accepted, Code, Context, GameRules, Rejected
from companion.core.setup import Setup
from companion.core.state import EMPTY_STATE, Ending, GameState, Gap
from companion.core.text import Duration, Name, Say, Typed, several
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


# Starting


def test_nothing_goes_before_the_start() -> None:
    table = Table(start=False)
    assert table.refused(cm.EndAct(StepId("setup"), 0)) == Rejected(Code.NOT_STARTED)
    assert table.refused(cm.Undo(0)).code == Code.NOT_STARTED
    with pytest.raises(ValueError, match="the game has not started"):
        _ = EMPTY_STATE.frozen_setup
    with pytest.raises(IndexError):
        _ = EMPTY_STATE.step


def test_a_game_starts_once_at_its_first_step(table: Table) -> None:
    assert table.state.step.id == "setup"
    assert table.state.frozen_setup.title == "Toy"
    assert table.refused(cm.StartGame(toy_setup(), 5)) == Rejected(Code.ALREADY_STARTED)


def test_a_scenario_without_steps_is_refused() -> None:
    empty = Setup("toy", "hollow", "Hollow", (), (), ())
    assert Table(start=False).refused(cm.StartGame(empty, 0)) == Rejected(
        Code.BAD_VALUE, Say("The scenario {scenario} has no steps.", scenario=Typed("hollow"))
    )


def test_a_log_that_starts_a_game_without_steps_still_folds() -> None:
    """A damaged setup must not break the fold: evolve is total."""
    from companion.core.evolve import evolve

    state = evolve(GameRules(), EMPTY_STATE, ev.GameStarted(Setup("toy", "x", "X", (), (), ()), 0))
    assert len(state.itinerary) == 0


def test_a_game_whose_first_step_is_timed_starts_the_clock_at_once() -> None:
    setup = toy_setup()
    first = setup.steps[2:]
    table = Table(Setup(**{**{f: getattr(setup, f) for f in setup.__struct_fields__}, "steps": first}))
    assert table.state.clocks.running == ALLIES
    assert table.left(ALLIES) == MINUTE


# The main button


def test_a_whole_game_goes_through_every_step_and_ends(table: Table) -> None:
    seen = [table.state.step.id]
    while table.state.ending is None:
        table.press(1_000)
        seen.append(table.state.step.id)
    assert seen == [*(step.id for step in table.state.itinerary.steps), "s3.v.check"]
    assert table.state.ending == Ending(None, "end_of_play")
    assert table.state.clocks.running is None


def test_only_the_acting_side_is_charged_and_the_stage_check_is_free(table: Table) -> None:
    table.press_to("s1.v.check", each_ms=1_000)
    assert (table.used(ALLIES), table.used(AXIS)) == (2_000, 2_000)
    table.press(50_000)
    assert (table.used(ALLIES), table.used(AXIS)) == (2_000, 2_000)


def test_a_press_is_charged_from_its_stamp_and_not_from_its_arrival(running: Table) -> None:
    stamp = running.now + 5_000
    running.now += 5_200
    running.do(cm.EndAct(running.state.step.id, stamp))
    running.press(1_000)
    assert running.used(ALLIES) == 6_200
    assert running.state.clocks.running == AXIS


def test_the_clock_runs_on_over_steps_of_one_side_and_hands_over_between_sides(running: Table) -> None:
    assert running.press(1_000) == (
        ev.ActEnded(StepId("s1.t1.allies.move"), running.now),
        ev.StepEntered(StepId("s1.t1.allies.resolve")),
    )
    start = running.state.clocks.since_ms
    assert running.press(1_000) == (
        ev.ActEnded(StepId("s1.t1.allies.resolve"), running.now),
        ev.ClockStopped(ALLIES, running.now, running.now - start, StepId("s1.t1.allies.resolve")),
        ev.StepEntered(StepId("s1.t1.axis.move")),
        ev.ClockStarted(AXIS, running.now),
    )


def test_a_side_that_acts_on_into_the_next_stage_is_charged_in_each_stage_for_itself() -> None:
    setup = toy_setup()
    steps = [
        step for step in setup.steps if step.owners in ((), (AXIS,)) and step.act not in ("begin", "check")
    ]
    table = Table(Setup(**{**{f: getattr(setup, f) for f in setup.__struct_fields__}, "steps": tuple(steps)}))
    table.press_to("s1.r.axis.place")
    table.press(5_000)
    assert table.state.step.id == "s2.t1.axis.move"
    table.now += 2_000
    table.do(cm.Pause(table.now))
    assert table.state.clocks.spent_ms[AXIS][:2] == (5_000, 2_000)


def test_a_stamp_before_the_last_clock_event_is_clamped_and_noted(running: Table) -> None:
    running.press(3_000)
    running.press(3_000)
    early = running.now - 2_000
    events = running.do(cm.EndAct(running.state.step.id, early))
    assert events[0] == ev.ActEnded(StepId("s1.t1.axis.move"), running.now, clamped_ms=2_000)
    assert (running.used(ALLIES), running.used(AXIS)) == (6_000, 0)


def test_a_stamp_from_the_future_counts_from_now(running: Table) -> None:
    running.now += 1_000
    running.do(cm.EndAct(running.state.step.id, running.now + 10 * MINUTE))
    running.press()
    assert running.used(ALLIES) == 1_000
    assert running.state.flag_prompt is None


def test_a_second_press_at_a_step_that_has_gone_is_refused_without_a_trace(running: Table) -> None:
    step = running.state.step.id
    running.press()
    assert running.refused(cm.EndAct(step, running.now)) == Rejected(Code.STALE_STEP)
    assert running.refused(cm.EndAct(StepId("s9"), running.now)) == Rejected(
        Code.UNKNOWN_STEP, Say("This game has no step {step}.", step=Typed("s9"))
    )


def test_the_other_side_cannot_end_an_act_but_its_owner_the_table_and_the_arbiter_can(running: Table) -> None:
    step = running.state.step.id
    assert running.refused(cm.EndAct(step, running.now), Actor("axis")) == Rejected(
        Code.NOT_YOUR_ACT, Say("Only {owners} can do this.", owners=several((side_name("allies"),), "or"))
    )
    for actor in (Actor("allies"), TABLE, ARBITER, SYSTEM):
        running.do(cm.EndAct(running.state.step.id, running.now), actor)
        running.do(cm.Undo(running.now))
        running.resume()


def test_a_step_that_is_not_done_asks_first_and_goes_on_when_confirmed(table: Table) -> None:
    table.press_to("s1.v.check")
    step = table.state.step.id
    assert table.refused(cm.EndAct(step, table.now)) == Rejected(Code.STILL_OPEN, "nothing is ticked")
    table.do(cm.EndAct(step, table.now, confirmed=True))
    assert table.state.step.id == "s1.r.allies.place"


def test_a_step_ends_with_the_one_before_it_and_both_come_back_together(running: Table) -> None:
    first, second, third = running.state.itinerary.steps[running.state.index :][:3]
    before, seq = running.state, len(running.entries)
    events = running.do(cm.EndAct(first.id, running.now, also=second.id))
    assert [event.step for event in events if isinstance(event, ev.ActEnded)] == [first.id, second.id]
    assert running.state.step.id == third.id
    assert len(running.entries) == seq + 1, "one entry"
    running.do(cm.Undo(running.now))
    assert running.state.step.id == first.id
    assert running.state.game == before.game


def test_a_step_that_may_not_be_ended_keeps_the_one_before_it(table: Table) -> None:
    before = StepId("s1.t1.axis.resolve")
    table.press_to(before)
    refused = table.refused(cm.EndAct(before, table.now, also="s1.v.check"))
    assert refused == Rejected(Code.STILL_OPEN, "nothing is ticked")
    assert table.state.step.id == before
    table.do(cm.EndAct(before, table.now, also="s3.begin"))
    assert table.state.step.id == "s1.v.check", "only the step that follows ends with it"


def test_a_phase_that_the_game_skips_is_passed_over(table: Table) -> None:
    table.do(cm.SetRuling("resupply", "no"))
    table.press_to("s1.v.check")
    table.press()
    assert table.state.step.id == "s2.begin"


def test_a_game_may_end_when_a_step_is_ended_or_entered_and_goes_on_after_an_undo() -> None:
    for ruling, step, winner in (("early", "s2.v.check", ALLIES), ("sudden", "s3.t1.axis.resolve", AXIS)):
        table = Table(toy_setup(tournament=False))
        table.do(cm.SetRuling(ruling, "yes"))
        table.press_to(step)
        table.press(500)
        assert table.state.ending == Ending(winner, ruling)
        assert table.state.clocks.running is None
        table.do(cm.Undo(table.now))
        assert (table.state.step.id, table.state.ending) == (step, None)


def test_nothing_but_undo_and_words_goes_after_the_end(table: Table) -> None:
    table.press_to("s3.v.check")
    table.press()
    step, now = table.state.step.id, table.now
    for command in (
        cm.EndAct(step, now),
        cm.JumpTo(step, StepId("setup"), now),
        cm.Pause(now),
        cm.Adjourn(now),
        cm.AcknowledgeFlag(ALLIES, step, now),
        cm.EndGame(now, None, "again"),
        Roll(3),
    ):
        assert table.refused(command, ARBITER).code == Code.GAME_OVER, command
    table.do(cm.AddNote("well played"))
    table.do(cm.Undo(now))
    assert table.state.ending is None


# Jumps, checklists, notes


def test_under_tournament_time_only_the_arbiter_jumps(running: Table) -> None:
    jump = cm.JumpTo(running.state.step.id, StepId("s2.t1.axis.move"), running.now)
    assert running.refused(jump) == Rejected(Code.ARBITER_ONLY)
    running.now += 4_000
    running.do(cm.JumpTo(running.state.step.id, StepId("s2.t1.axis.move"), running.now), ARBITER)
    assert running.state.step.id == "s2.t1.axis.move"
    assert running.state.clocks.running == AXIS
    assert (running.used(ALLIES), running.left(AXIS)) == (4_000, 2 * MINUTE)


def test_a_jump_reverts_nothing_and_must_be_aimed_well() -> None:
    table = untimed()
    table.do(cm.TickCheck(StepId("setup"), "units"))
    table.press_to("s1.v.check")
    step = table.state.step.id
    assert table.refused(cm.JumpTo(StepId("setup"), step, 0)).code == Code.STALE_STEP
    assert table.refused(cm.JumpTo(step, StepId("nowhere"), 0)) == Rejected(
        Code.UNKNOWN_STEP, Say("This game has no step {step}.", step=Typed("nowhere"))
    )
    table.do(cm.JumpTo(step, StepId("setup"), 0))
    assert table.state.ticked == {"setup": frozenset({"units"})}


def test_a_checklist_is_ticked_and_unticked_at_its_own_step(table: Table) -> None:
    setup = StepId("setup")
    assert table.do(cm.TickCheck(setup, "units")) == (ev.CheckTicked(setup, "units"),)
    assert table.do(cm.TickCheck(setup, "units")) == ()
    assert table.state.ticked["setup"] == {"units"}
    table.do(cm.TickCheck(setup, "units", done=False))
    assert table.state.ticked["setup"] == frozenset()
    assert table.refused(cm.TickCheck(setup, "vp")) == Rejected(
        Code.UNKNOWN_CHECK, Say("This step has no line {check}.", check=Typed("vp"))
    )
    assert table.refused(cm.TickCheck(StepId("s1.begin"), "units")).code == Code.STALE_STEP


def test_a_note_needs_words(table: Table) -> None:
    assert table.do(cm.AddNote("rain")) == (ev.NoteAdded("rain"),)
    assert table.refused(cm.AddNote("  ")) == Rejected(Code.BAD_VALUE, Say("A note needs text."))


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


# Rulings and printed values


def test_a_ruling_is_set_to_one_of_its_choices(table: Table) -> None:
    assert table.do(cm.SetRuling("early", "yes")) == (ev.RulingSet("early", "yes", "no"),)
    assert table.do(cm.SetRuling("early", "yes")) == ()
    assert table.state.rulings["early"] == "yes"
    assert table.refused(cm.SetRuling("late", "yes")) == Rejected(
        Code.UNKNOWN_RULING, Say("This game has no ruling {ruling}.", ruling=Typed("late"))
    )
    assert table.refused(cm.SetRuling("early", "maybe")) == Rejected(
        Code.BAD_VALUE,
        Say(
            "{ruling} The answer must be one of {choices}, not {value}.",
            ruling=Name("ruling", "early"),
            choices=several((Typed("no"), Typed("yes")), "comma"),
            value=Typed("maybe"),
        ),
    )
    table.do(cm.SetRuling("free", "whatever"))


def test_a_printed_value_is_checked_entered_and_taken_back(table: Table) -> None:
    assert table.refused(cm.EnterPrintedValue("vp.rome", "x")) == Rejected(
        Code.BAD_VALUE, "vp.rome: expected a whole number, got 'x'"
    )
    assert str(table.refused(cm.EnterPrintedValue("colour", 1)).detail) == (
        "This game has no printed value colour."
    )
    table.do(cm.EnterPrintedValue("vp.rome", 3))
    table.do(cm.EnterPrintedValue("vp.rome", 4))
    assert table.state.printed == {"vp.rome": 4}
    table.do(cm.EnterPrintedValue("vp.rome", None))
    assert table.state.printed == {}
    assert table.do(cm.EnterPrintedValue("vp.rome", None)) == ()


# The game's own commands


def test_the_games_own_commands_are_asked_of_its_rules(table: Table) -> None:
    assert table.do(Roll(7)) == (ev_rolled(7),)
    assert table.refused(Roll(13)) == Rejected("bad_die", "13")
    table.do(Grow("s3.extra"))
    assert table.state.itinerary.steps[-1].id == "s3.extra"


def ev_rolled(value: int) -> ev.Event:
    from core_table import Rolled

    return Rolled(value)


def test_a_game_that_ends_itself_stops_the_clock(running: Table) -> None:
    running.now += 5_000
    events = running.do(Finish(running.now))
    assert events[-1] == ev.ClockStopped(ALLIES, running.now, 5_000, StepId("s1.t1.allies.move"))
    assert running.state.ending == Ending(ALLIES, "finished", "minor")


def test_commands_of_other_games_are_unknown(table: Table) -> None:
    class Foreign(cm.Command, frozen=True, tag=True):
        """A command of no game here."""

    assert table.refused(Foreign()) == Rejected(Code.UNKNOWN_COMMAND)


def test_what_happens_by_itself_follows_the_step_that_is_entered(table: Table) -> None:
    table.press_to("s2.r.allies.place")
    assert table.press()[-1] == ev_rolled(0)
    assert table.state.game == ("stage 2", 0)


def test_rules_without_opinions_answer_every_question() -> None:
    rules: GameRules = GameRules()
    table = Table(toy_setup(), rules)
    step = table.state.step
    assert rules.initial(toy_setup()) is None
    assert rules.evolve(table.state, ev.NoteAdded("x")) is None
    assert rules.entering(table.state, step, 0) == rules.ending(table.state, step, 0) == ()
    assert rules.leaving(table.state, step) is None
    assert rules.flag_losses(table.state, ALLIES) == ()
    assert not rules.skips(table.state, step)
    assert not rules.is_irreversible(ev.NoteAdded("x"))
    assert rules.decide(table.state, Roll(1), Context()) == Rejected(Code.UNKNOWN_COMMAND)
    assert str(rules.printed_fault(table.state, "x", 1)) == "This game has no printed value x."


def test_deciding_settles_nothing_by_itself(running: Table) -> None:
    late = cm.TickCheck(running.state.step.id, "none")
    assert isinstance(decide(running.rules, running.state, late, Context()), Rejected)
    assert isinstance(decide(running.rules, running.state, cm.SettleClock(10 * MINUTE), Context()), Accepted)


def test_skipping_concerns_only_steps_of_the_fallen_side_alone() -> None:
    table = fell(Table())
    skips = skipped(ToyRules(), table.state)
    steps = {step.id: step for step in table.state.itinerary.steps}
    assert skips(steps[StepId("s1.r.allies.place")])
    assert not skips(steps[StepId("s1.r.axis.place")])
    assert not skips(steps[StepId("s2.t1.allies.move")])
    assert not skips(steps[StepId("s1.v.check")])
    assert isinstance(table.state, GameState)


def test_a_new_arbiters_pin_needs_the_arbiter_a_pin_before_and_a_name() -> None:
    rules, setup = GameRules(), toy_setup()
    started = decide(
        rules, EMPTY_STATE, cm.StartGame(replace(setup, arbiter_hash="pin:elsewhere"), 0), Context()
    )
    assert isinstance(started, Accepted)
    state = evolve_all(rules, EMPTY_STATE, started.events)
    asked = cm.SetArbiterPin("pin:0123456789abcdef")
    for actor in (TABLE, Actor("allies")):
        assert decide(rules, state, asked, Context(actor)) == Rejected(Code.ARBITER_ONLY)
    for name in ("", "pin:", "pin:elsewhere", "scrypt$1$8$1$00$00", "pin:0123456789abcdeg"):
        refused = decide(rules, state, cm.SetArbiterPin(name), Context(ARBITER))
        assert isinstance(refused, Rejected)
        assert refused.code == Code.BAD_VALUE
    decision = decide(rules, state, asked, Context(ARBITER))
    assert isinstance(decision, Accepted)
    assert evolve_all(rules, state, decision.events).frozen_setup == replace(setup, arbiter_hash=asked.pin)
    bare = evolve(rules, EMPTY_STATE, ev.GameStarted(setup, 0))
    assert isinstance(decide(rules, bare, asked, Context(ARBITER)), Rejected)


def test_only_the_arbiter_locks_the_coach_and_the_log_keeps_it() -> None:
    rules = GameRules()
    started = decide(rules, EMPTY_STATE, cm.StartGame(toy_setup(), 0), Context())
    assert isinstance(started, Accepted)
    state = evolve_all(rules, EMPTY_STATE, started.events)
    for actor in (TABLE, Actor("allies")):
        refused = decide(rules, state, cm.LockCoach(), Context(actor))
        assert isinstance(refused, Rejected)
        assert refused.code == Code.ARBITER_ONLY
    for is_locked in (True, False):
        answer = decide(rules, state, cm.LockCoach(is_locked), Context(ARBITER))
        assert isinstance(answer, Accepted)
        state = evolve_all(rules, state, answer.events)
        assert state.frozen_setup.coach_locked == is_locked
        assert decide(rules, state, cm.LockCoach(is_locked), Context(ARBITER)) == Accepted(())
