"""Which entries count: undo, redo, the clocks that keep their time, snapshots."""

from __future__ import annotations

import pytest
from core_table import ALLIES, AXIS, MINUTE, Grow, Roll, Table, ToyRules, check_log, toy_setup

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.history import Entry, Timeline
from companion.core.ids import ARBITER, SYSTEM, TABLE, StepId
from companion.core.rules import Code, Rejected


@pytest.fixture
def table() -> Table:
    return Table()


def friendly() -> Table:
    """A game with limits and without tournament rules."""
    return Table(toy_setup(tournament=False))


def test_undo_takes_back_acts_one_by_one_and_redo_brings_them_back(table: Table) -> None:
    table.do(cm.TickCheck(StepId("setup"), "units"))
    table.press()
    assert table.line.undo_target() == table.entries[-1]
    table.do(cm.Undo(table.now))
    assert table.state.step.id == "setup"
    assert table.line.undo_target() == table.entries[1]
    assert table.line.redo_target() == table.entries[2]
    table.do(cm.Undo(table.now))
    assert table.state.ticked == {}
    assert table.refused(cm.Undo(table.now)) == Rejected(Code.NOTHING_TO_UNDO)
    table.do(cm.Redo(table.now))
    table.do(cm.Redo(table.now))
    assert table.state.ticked == {"setup": {"units"}}
    assert table.state.step.id == "s1.begin"
    assert table.refused(cm.Redo(table.now)) == Rejected(Code.NOTHING_TO_REDO)
    assert table.line.redo_target() is None
    check_log(table)


def test_undo_down_to_an_entry_takes_everything_since(table: Table) -> None:
    table.press_to("s1.t1.axis.move")
    table.do(cm.Undo(table.now, to_seq=3))
    assert table.state.step.id == "s1.begin"
    assert [table.line.counts(seq) for seq in (1, 2, 3, 4, 5)] == [True, True, False, False, False]
    table.do(cm.Redo(table.now))
    assert table.state.step.id == "s1.t1.axis.move"
    assert table.refused(cm.Undo(table.now, to_seq=99)).code == Code.NOTHING_TO_UNDO
    table.do(cm.Undo(table.now, to_seq=-4))
    assert table.state.step.id == "setup"
    check_log(table)


def test_a_new_act_drops_what_could_be_redone_and_other_entries_do_not(table: Table) -> None:
    table.press_to("s1.t1.allies.move")
    table.do(cm.Undo(table.now))
    table.do(cm.AddNote("hm"))
    table.do(cm.SetRuling("early", "yes"), ARBITER)
    table.do(cm.CorrectTime(AXIS, 1_000, table.now, "x"), ARBITER)
    assert table.line.redo_target() is not None
    table.resume()
    table.press()
    assert table.refused(cm.Redo(table.now)).code == Code.NOTHING_TO_REDO


def test_corrections_rulings_and_printed_values_always_count(table: Table) -> None:
    table.press_to("s1.t1.allies.move")
    table.do(cm.CorrectTime(ALLIES, 5_000, table.now, "x"), ARBITER)
    table.do(cm.SetRuling("early", "yes"), ARBITER)
    table.do(cm.EnterPrintedValue("vp.rome", 3))
    table.do(cm.Undo(table.now, to_seq=2))
    assert table.state.step.id == "setup"
    assert table.state.clocks.corrected_ms[ALLIES][0] == 5_000
    assert (table.state.rulings["early"], table.state.printed) == ("yes", {"vp.rome": 3})
    check_log(table)


def test_a_roll_is_taken_back_only_after_asking(table: Table) -> None:
    table.press()
    table.do(Roll(0))
    table.do(cm.Undo(table.now))
    table.do(Roll(9))
    assert table.refused(cm.Undo(table.now)) == Rejected(Code.CONFIRM_UNDO)
    assert table.refused(cm.Undo(table.now, to_seq=2)).code == Code.CONFIRM_UNDO
    table.do(cm.Undo(table.now, confirmed=True))
    assert table.state.game == ()
    assert any(isinstance(entry.command, Roll) for entry in table.entries)  # the trail keeps it


def test_under_tournament_time_undo_keeps_the_time_used_and_pauses(table: Table) -> None:
    table.press_to("s1.t1.allies.move")
    table.press(10_000)
    table.press(10_000)
    table.now += 4_000
    events = table.do(cm.Undo(table.now))
    assert [type(event) for event in events] == [ev.ClockStopped, ev.Undone, ev.TimeKept]
    assert table.state.step.id == "s1.t1.allies.resolve"
    assert (table.used(ALLIES), table.used(AXIS)) == (20_000, 4_000)
    assert table.state.clocks.is_paused
    assert table.refused(cm.EndAct(table.state.step.id, table.now)).code == Code.PAUSED
    table.resume()
    assert (table.state.clocks.running, table.left(ALLIES)) == (ALLIES, MINUTE - 20_000)
    check_log(table)


def test_a_friendly_undo_lets_the_clock_of_whoever_is_to_act_run_on() -> None:
    table = friendly()
    table.press_to("s1.t1.allies.move")
    table.press(10_000)
    table.press(10_000)
    table.now += 4_000
    table.do(cm.Undo(table.now))
    assert table.state.clocks.running == ALLIES
    table.now += 1_000
    assert (table.used(ALLIES), table.used(AXIS)) == (21_000, 4_000)
    table.do(cm.Redo(table.now))
    assert table.state.clocks.running == AXIS
    check_log(table)


def test_a_friendly_undo_to_a_step_without_a_clock_stops_all() -> None:
    table = friendly()
    table.press_to("s1.t1.allies.move")
    table.now += 2_000
    table.do(cm.Undo(table.now))
    assert (table.state.step.id, table.state.clocks.running) == ("s1.begin", None)
    table.do(cm.Redo(table.now))
    assert table.state.clocks.running == ALLIES


def test_undo_while_paused_stays_paused() -> None:
    table = friendly()
    table.press_to("s1.t1.allies.resolve")
    table.do(cm.Pause(table.now))
    table.do(cm.Undo(table.now))
    assert table.state.clocks.is_paused


def test_undo_in_an_untimed_game_only_moves() -> None:
    table = Table(toy_setup(mode="none"))
    table.press_to("s1.t1.allies.resolve")
    table.do(cm.Undo(table.now))
    assert not table.state.clocks.is_paused
    assert table.state.clocks.running is None


def test_the_stage_goes_back_and_forth_with_the_position(table: Table) -> None:
    table.press_to("s1.r.axis.place", 1_000)
    table.press(1_000)
    assert table.left(ALLIES) == 2 * MINUTE - table.used(ALLIES)
    table.do(cm.Undo(table.now))
    assert table.left(ALLIES) == MINUTE - table.used(ALLIES)
    table.do(cm.Redo(table.now))
    assert table.state.step.id == "s2.begin"
    assert table.left(ALLIES) == 2 * MINUTE - table.used(ALLIES)
    table.do(cm.Undo(table.now, to_seq=2))
    assert table.left(ALLIES) is None
    table.do(cm.Redo(table.now))
    assert table.left(ALLIES) == 2 * MINUTE - table.used(ALLIES)
    check_log(table)


def test_time_used_in_a_stage_that_was_undone_is_still_used_when_it_comes_again(table: Table) -> None:
    table.press_to("s2.t1.axis.move")
    table.press(30_000)
    table.do(cm.Undo(table.now, to_seq=2))
    table.resume()
    table.press_to("s2.t1.axis.move")
    assert table.used(AXIS) == 30_000
    assert table.left(AXIS) == 2 * MINUTE - 30_000


def fell(table: Table, step: str = "s1.t1.allies.move") -> Table:
    table.press_to(step)
    table.now += (table.left(ALLIES) or 0) + 250
    table.do(cm.SettleClock(table.now), SYSTEM)
    assert table.state.flag_prompt == ALLIES
    return table


def test_undoing_the_answer_to_a_flag_brings_the_prompt_back_and_the_flag_stays(table: Table) -> None:
    fell(table)
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    table.now += 5_000
    table.do(cm.Undo(table.now))
    assert (table.state.step.id, table.state.flag_prompt) == ("s1.t1.allies.move", ALLIES)
    assert len(table.state.clocks.falls) == 1
    assert table.used(AXIS) == 5_000
    table.resume()
    assert table.state.clocks.running is None
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    assert table.state.step.id == "s1.t1.axis.move"
    check_log(table)


def test_a_prompt_does_not_follow_an_undo_into_an_earlier_stage(table: Table) -> None:
    fell(table, "s2.t1.allies.move")
    target = table.entries[-2].seq
    table.do(cm.Undo(table.now))
    assert table.state.flag_prompt == ALLIES  # the same stage: the table must still carry it out
    while table.state.step.stage == 2:
        table.do(cm.Undo(table.now))
    assert table.state.flag_prompt is None
    assert table.left(ALLIES) == MINUTE
    table.resume()
    assert table.state.clocks.running == AXIS
    while table.line.redo_target() is not None:
        table.do(cm.Redo(table.now))
    assert (table.state.step.id, table.state.flag_prompt) == ("s2.t1.allies.move", ALLIES)
    assert table.line.counts(target)
    check_log(table)


def test_after_such_an_undo_the_side_is_still_out_when_the_stage_comes_again(table: Table) -> None:
    fell(table, "s2.t1.allies.move")
    while table.state.step.stage == 2:
        table.do(cm.Undo(table.now))
    table.resume()
    table.press()
    assert table.state.step.id == "s2.begin"
    table.press_to("s2.v.check")
    assert "s2.t1.allies.move" not in [
        event.step
        for entry in table.entries[-5:]
        for event in entry.events
        if isinstance(event, ev.StepEntered)
    ]
    check_log(table)


def test_a_flag_due_before_an_undo_falls_first(table: Table) -> None:
    table.press_to("s1.t1.allies.resolve")
    due = table.state.clocks.since_ms + MINUTE
    table.now = due + 400
    before = len(table.entries)
    assert table.send(cm.Undo(table.now)) is None
    assert [type(e.command) for e in table.entries[before:]] == [cm.SettleClock, cm.Undo]
    assert (table.state.step.id, table.state.flag_prompt) == ("s1.t1.allies.move", ALLIES)
    check_log(table)


def test_a_flag_due_before_an_undo_that_is_refused_falls_all_the_same() -> None:
    setup = toy_setup()
    fields = {name: getattr(setup, name) for name in setup.__struct_fields__}
    table = Table(type(setup)(**{**fields, "steps": setup.steps[2:]}))
    table.now += MINUTE + 300
    rejected = table.send(cm.Undo(table.now))
    assert rejected is not None
    assert rejected.code == Code.NOTHING_TO_UNDO
    assert table.state.flag_prompt == ALLIES


def test_a_friendly_undo_back_to_the_other_sides_step_waits_for_the_prompt() -> None:
    table = friendly()
    table.press_to("s2.t1.allies.move")
    due = table.state.clocks.since_ms + 2 * MINUTE
    table.now = due + 300
    table.send(cm.Undo(table.now))
    assert (table.state.step.id, table.state.flag_prompt) == ("s2.t1.axis.resolve", ALLIES)
    assert table.state.clocks.running is None
    check_log(table)


def test_a_friendly_undo_to_a_step_of_a_fallen_side_starts_nothing() -> None:
    table = fell(friendly())
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    table.do(cm.Undo(table.now))
    assert table.state.clocks.running is None


def test_a_lifted_flag_stays_lifted_through_undo(table: Table) -> None:
    fell(table)
    table.do(cm.AcknowledgeFlag(ALLIES, table.state.step.id, table.now))
    table.do(cm.CorrectTime(ALLIES, 9_000, table.now, "x"), ARBITER)
    table.do(cm.Undo(table.now))
    assert (table.state.step.id, table.state.flag_prompt) == ("s1.t1.allies.move", None)
    assert table.state.clocks.falls == ()
    assert table.left(ALLIES) == 9_000
    check_log(table)


def test_a_gap_decided_before_an_undo_stays_charged(table: Table) -> None:
    table.press_to("s1.t1.allies.resolve")
    last, table.now = table.now + 1_000, 3
    table.do(cm.ResumeGame(3, last, 30_000, "power"), SYSTEM)
    table.do(cm.DecideGap(ALLIES, 30_000, table.now), ARBITER)
    table.do(cm.Undo(table.now))
    assert table.used(ALLIES) == 31_000
    check_log(table)


def test_the_end_of_the_game_is_undone_like_any_act(table: Table) -> None:
    table.press_to("s3.v.check")
    table.press()
    table.do(cm.TickCheck(table.state.step.id, "vp"))
    table.do(cm.Undo(table.now))
    assert table.state.ending is not None
    table.do(cm.Undo(table.now))
    assert table.state.ending is None
    assert table.state.clocks.is_paused
    check_log(table)


def test_an_act_that_lengthened_the_game_is_undone_and_done_again(table: Table) -> None:
    table.do(Grow("extra"))
    table.press_to("s3.v.check")
    table.press()
    assert table.state.step.id == "extra"
    while table.line.undo_target() is not None:
        table.do(cm.Undo(table.now))
    assert "extra" not in table.state.itinerary
    assert table.state.step.id == "setup"
    while table.line.redo_target() is not None:
        table.do(cm.Redo(table.now))
    assert table.state.step.id == "extra"
    check_log(table)


def test_snapshots_never_keep_what_was_undone() -> None:
    """Over more entries than lie between two snapshots, an undo of old acts leaves nothing of them."""
    table = Table(toy_setup(mode="none"))
    for i in range(100):
        table.do(cm.TickCheck(StepId("setup"), "units", done=i % 2 == 0))
    table.do(cm.Undo(table.now, to_seq=21))
    assert table.state.ticked["setup"] == frozenset({"units"} if 19 % 2 else ())
    assert table.folded() == table.state
    for _ in range(19):
        table.do(cm.Undo(table.now))
    assert table.state.ticked == {}
    for _ in range(20):
        table.do(cm.Redo(table.now))
    assert table.folded() == table.state
    assert table.line.redo_target() is None


def test_the_state_at_any_entry_counts_what_counts_now(table: Table) -> None:
    table.press_to("s1.t1.axis.move")
    assert table.line.state_at(0).setup is None
    assert table.line.state_at(3).step.id == "s1.t1.allies.move"
    table.do(cm.Undo(table.now, to_seq=3))
    assert table.line.state_at(3).step.id == "s1.begin"
    assert table.line.state_at(len(table.entries)) == table.state


def test_numbers_without_gaps_are_required() -> None:
    line = Timeline(ToyRules())
    entry = Entry(2, cm.AddNote("x"), (), TABLE, "test", 0)
    with pytest.raises(ValueError, match="entry 2 comes after 0; expected 1"):
        line.append(entry)


def test_a_log_whose_redo_was_never_undone_still_folds() -> None:
    """A damaged log must not break the fold."""
    table = Table()
    clocks = table.state.clocks
    entry = Entry(2, cm.Redo(0), (ev.Redone((1,)), ev.TimeKept(clocks)), TABLE, "test", 0)
    assert table.line.append(entry).clocks == clocks


def test_an_entry_of_the_act_at_hand_goes_without_stopping_the_clock(table: Table) -> None:
    """A unit tapped by mistake costs its side no pause; a step, a roll, and an undo that asks for none do."""
    table.press_to("s1.t1.allies.move")
    table.do(Roll(0))
    table.now += 5_000
    table.do(cm.Undo(table.now, keeps_clock=True))
    assert table.state.clocks.running == ALLIES
    assert not table.state.clocks.is_paused
    assert table.used(ALLIES) == 5_000
    table.do(Roll(0))
    table.do(cm.Undo(table.now))
    assert table.state.clocks.is_paused
    table.resume()
    table.do(Roll(3))
    table.do(cm.Undo(table.now, confirmed=True, keeps_clock=True))
    assert table.state.clocks.is_paused, "a roll"
    table.resume()
    table.press()
    table.do(cm.Undo(table.now, keeps_clock=True))
    assert table.state.step.id == "s1.t1.allies.move"
    assert table.state.clocks.is_paused, "a change of position"
