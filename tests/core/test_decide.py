"""Decisions: what each command leads to, and each refusal with its code and words."""

from __future__ import annotations

import pytest
from core_table import ALLIES, AXIS, MINUTE, Finish, Grow, Roll, Table, toy_setup
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.decide import decide
from companion.core.evolve import evolve, evolve_all
from companion.core.ids import ARBITER, SYSTEM, TABLE, Actor, StepId
from companion.core.rules import Accepted, Code, Context, GameRules, Rejected
from companion.core.setup import Setup
from companion.core.state import EMPTY_STATE, Ending
from companion.core.text import Name, Say, Typed, several
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
