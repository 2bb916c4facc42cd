"""Time controls on the small game: what each gives, when, and what an undo, a power cut or the arbiter changes."""

from __future__ import annotations

import msgspec
import pytest
from core_table import ALLIES, AXIS, Table, toy_setup
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.clock import Clocks, Fall, make_clocks
from companion.core.control import TimeControl
from companion.core.evolve import evolve
from companion.core.ids import ARBITER, SYSTEM, Actor
from companion.core.presets import ControlPreset, preset_faults
from companion.core.rules import Code
from companion.core.sound import setup_misfit, state_misfit

S = 1_000
STEP = "s1.t1.allies.move"


def test_a_preset_that_asks_for_what_no_control_has_is_named() -> None:
    presets = [ControlPreset("club", "Club", "", "", ask=("tokens", "colour"))]
    (fault,) = preset_faults(presets, "controls.toml")
    assert (fault.key, str(fault.got)) == ("controls[0].ask", "colour")


def table(control: TimeControl, bank_ms: int = 60 * S, *, tournament: bool = True) -> Table:
    """Return a table at Allies' first step, whose clock has just begun to run."""
    setup = toy_setup(tournament=tournament, allotted=dict.fromkeys((ALLIES, AXIS), (bank_ms,) * 3))
    found = Table(replace(setup, clock=replace(setup.clock, control=control)))
    found.press_to(STEP)
    return found


def rests(table: Table, side=ALLIES) -> ck.Rests:
    found = ck.rests(table.state.clocks, side, table.now)
    assert found is not None
    return found


def test_an_increment_is_given_when_a_turn_begins_the_first_one_too() -> None:
    at = table(TimeControl(unit="turn", increment_ms=10 * S))
    assert at.left(ALLIES) == 70 * S
    at.press(4 * S)
    assert at.left(ALLIES) == 66 * S, "the second step is of the same turn"
    at.press(4 * S)
    assert (at.left(ALLIES), at.left(AXIS)) == (62 * S, 70 * S)


def test_an_unused_delay_is_lost_and_a_used_one_is_not_paid_by_the_bank() -> None:
    at = table(TimeControl(unit="step", delay_ms=5 * S))
    at.press(3 * S)
    assert rests(at) == (5 * S, 60 * S, 0, 0)
    at.press(9 * S)
    assert at.left(ALLIES) == 56 * S


def test_turn_time_is_of_the_nation_before_the_side() -> None:
    control = TimeControl(turn_ms={"us": 7 * S, "allies": 9 * S, "axis": 4 * S})
    assert (control.free_ms(ALLIES, "us"), control.free_ms(ALLIES, "gb"), control.free_ms(AXIS, None)) == (
        7 * S,
        9 * S,
        4 * S,
    )


def test_tokens_are_spent_by_themselves_at_exactly_the_end_of_the_bank() -> None:
    at = table(TimeControl(tokens=2, token_ms=5 * S), 10 * S)
    at.now += 22 * S
    assert at.left(ALLIES) == 0, "both are used up, and the flag waits for its grace"
    at.send(cm.SettleClock(at.now), SYSTEM)
    at.send(cm.SettleClock(at.now), SYSTEM)
    at.send(cm.SettleClock(at.now), SYSTEM)
    start = at.state.clocks.since_ms
    told = [e for entry in at.entries for e in entry.events if isinstance(e, ev.TokenSpent | ev.FlagFell)]
    assert [(type(e).__name__, e.at_ms - 1_000) for e in told] == [
        ("TokenSpent", 10 * S),
        ("TokenSpent", 15 * S),
        ("FlagFell", 20 * S),
    ], start


def test_a_clock_shows_a_token_at_once_though_its_entry_comes_after_the_grace() -> None:
    at = table(TimeControl(tokens=1, token_ms=5 * S), 10 * S)
    at.now += 10 * S + 1
    assert at.left(ALLIES) == 5 * S - 1
    assert ck.tokens_left(at.state.clocks, ALLIES) == 1
    assert ck.tokens_left(ck.as_of(at.state.clocks, at.now), ALLIES) == 0


def test_a_press_right_after_a_token_began_is_taken() -> None:
    at = table(TimeControl(tokens=1, token_ms=5 * S), 10 * S)
    at.press(10 * S + 1)
    assert [type(e).__name__ for e in at.entries[-2].events] == ["TokenSpent"]


def test_a_press_from_before_a_token_that_is_told_late_spends_none() -> None:
    at = table(TimeControl(tokens=1, token_ms=5 * S), 10 * S)
    at.now += 10 * S + 200
    at.do(cm.EndAct(STEP, at.now - 201, confirmed=True))
    assert ck.tokens_left(at.state.clocks, ALLIES) == 1


def test_a_token_is_spent_by_asking_before_the_time_is_up() -> None:
    at = table(TimeControl(tokens=1, token_ms=5 * S, token_use="ask"), 10 * S)
    assert at.refused(cm.SpendToken(AXIS, STEP, at.now), Actor("allies")).code == Code.NOT_YOUR_ACT
    assert at.refused(cm.SpendToken(AXIS, STEP, at.now)).code == Code.NO_TOKEN
    at.now += 9 * S
    spent = at.do(cm.SpendToken(ALLIES, STEP, at.now), Actor("allies"))
    assert [event.left for event in spent if isinstance(event, ev.TokenSpent)] == [0], (
        "the log tells what is left"
    )
    assert rests(at) == (0, 1 * S, 5 * S, 0)
    assert at.refused(cm.SpendToken(ALLIES, STEP, at.now)).code == Code.NO_TOKEN


def test_entries_about_turns_change_nothing_where_the_clocks_know_no_turns() -> None:
    """A log that was put together by hand may hold them: it is read to its end."""
    at = Table(toy_setup(tournament=True))
    at.press_to(STEP)
    for event in (
        ev.TurnBegan(ALLIES, "t1", at.now, 5 * S, 1 * S),
        ev.TurnEnded(ALLIES, "t1", at.now, 0),
        ev.TokenSpent(ALLIES, 0, at.now),
        ev.PeriodBegan(ALLIES, 0, at.now),
        ev.TimeOverrun(ALLIES, 0, at.now, STEP),
    ):
        assert evolve(at.rules, at.state, event) == at.state, event


def test_a_time_that_ran_out_twice_is_marked_once() -> None:
    at = table(TimeControl(unit="turn", at_zero="only_mark"), 10 * S)
    once = ck.with_overrun(at.state.clocks, ALLIES)
    assert once.turns.over == (ALLIES,)
    assert ck.with_overrun(once, ALLIES) == once


def test_a_turn_that_ends_within_a_period_keeps_the_period() -> None:
    at = table(TimeControl(unit="step", periods=2, period_ms=5 * S), 10 * S)
    at.press(14 * S)
    assert (ck.periods_left(at.state.clocks, ALLIES), at.left(ALLIES)) == (2, 5 * S)
    at.now += 7 * S
    at.do(cm.EndAct(at.state.step.id, at.now, confirmed=True))
    assert ck.periods_left(at.state.clocks, ALLIES) == 1


def test_what_is_due_within_a_period_counts_the_one_that_goes_on_as_used() -> None:
    """With one period left and going on, the next border is no further period but the end."""
    at = table(TimeControl(unit="step", periods=2, period_ms=5 * S), 10 * S)
    kinds = []
    for now in (0, 12, 17):
        shown = ck.as_of(at.state.clocks, at.now + now * S)
        due = ck.border(shown)
        assert due is not None
        kinds.append((due.kind, ck.periods_left(shown, ALLIES)))
    assert kinds == [("period", 2), ("period", 2), ("flag", 1)]


def test_combat_is_not_timed_and_is_lost_with_the_flag() -> None:
    at = table(TimeControl(stops_in=("resolve",)), 10 * S)
    at.press(4 * S)
    assert (at.state.step.act, at.state.clocks.running) == ("resolve", None)
    at.press(400 * S)
    at.press_to("s2.t1.axis.move")
    at.now += 60 * S
    at.do(cm.SettleClock(at.now))
    at.do(cm.AcknowledgeFlag(AXIS, at.state.step.id, at.now))
    assert at.state.step.id == "s2.t1.allies.move"


def test_a_game_lost_on_time_goes_on_when_the_arbiter_gives_time() -> None:
    at = table(TimeControl(at_zero="lose"), 10 * S)
    at.now += 11 * S
    at.do(cm.SettleClock(at.now))
    ending = at.state.ending
    assert ending is not None
    assert (ending.winner, ending.reason) == (AXIS, "time")
    at.do(cm.CorrectTime(ALLIES, 30 * S, at.now, "the button was stuck"), ARBITER)
    assert at.state.ending is None
    assert at.state.clocks.is_paused
    at.resume()
    assert at.state.clocks.running == ALLIES


def test_an_undo_does_not_bring_back_a_game_that_was_lost_on_time() -> None:
    at = table(TimeControl(at_zero="lose"), 10 * S)
    at.now += 11 * S
    assert at.send(cm.Undo(at.now)).code == Code.GAME_OVER  # type: ignore[union-attr]
    assert (at.state.step.id, at.state.ending.winner) == (STEP, AXIS)  # type: ignore[union-attr]
    assert at.refused(cm.Undo(at.now, to_seq=1)).code == Code.GAME_OVER
    at.do(cm.CorrectTime(ALLIES, 30 * S, at.now, "the button was stuck"), ARBITER)
    at.do(cm.Undo(at.now))
    assert at.state.step.id == "s1.begin"


def test_an_overrun_that_is_only_marked_is_marked_once_and_owed_by_nobody() -> None:
    at = table(TimeControl(unit="turn", turn_ms={"allies": 10 * S, "axis": 10 * S}, at_zero="only_mark"), 0)
    at.now += 60 * S
    at.do(cm.SettleClock(at.now))
    assert at.state.clocks.running == ALLIES
    assert ck.deadline(at.state.clocks) is None
    at.press_to("s1.r.allies.place")
    assert at.left(ALLIES) == 10 * S


def test_a_fallen_flag_of_a_turn_with_its_own_time_costs_that_turn_only() -> None:
    at = table(TimeControl(unit="turn", turn_ms={"allies": 10 * S, "axis": 10 * S}), 0)
    at.now += 11 * S
    at.do(cm.SettleClock(at.now))
    at.do(cm.AcknowledgeFlag(ALLIES, STEP, at.now))
    assert at.state.step.id == "s1.t1.axis.move", "the rest of the turn is skipped"
    at.press_to("s1.r.allies.place")
    assert at.left(ALLIES) == 10 * S


def test_an_undo_lets_nobodys_flag_fall() -> None:
    """Increments of turns that are taken back stay given as far as they were spent."""
    at = table(TimeControl(unit="turn", increment_ms=30 * S, at_zero="lose"), 10 * S, tournament=False)
    at.press(5 * S)
    at.press(30 * S)
    for _ in range(2):
        at.press(1 * S)
    at.press()
    at.press(20 * S)
    assert at.left(ALLIES) == 15 * S, "of 30 s that the second turn gave 20 s are spent"
    at.do(cm.Undo(at.now, to_seq=4, confirmed=True))
    at.do(cm.SettleClock(at.now))
    assert (at.state.step.id, at.state.ending) == (STEP, None)
    assert at.left(ALLIES) == 5 * S, (
        "what the first turn left; the second takes only the rest of its 30 s back"
    )


def test_an_undone_turn_gives_only_what_its_own_time_covers_of_what_was_spent() -> None:
    both = {"allies": 20 * S, "axis": 20 * S}
    for spent_s, bank_s in ((3, 10), (25, 5)):
        at = table(TimeControl(unit="turn", turn_ms=both), 10 * S, tournament=False)
        at.press(5 * S)
        at.press(5 * S)
        at.now += spent_s * S
        at.do(cm.Undo(at.now))
        assert (at.left(ALLIES), at.left(AXIS)) == (20 * S, bank_s * S)
        at.press()
        assert at.left(AXIS) == (30 - spent_s) * S, "it goes on where it was"


def test_an_undo_over_several_turns_and_stages_keeps_each_millisecond_in_its_turn() -> None:
    both = {"allies": 20 * S, "axis": 20 * S}
    at = table(TimeControl(unit="turn", turn_ms=both, tokens=3, token_ms=5 * S), 10 * S, tournament=False)
    for _ in range(4):
        at.press(4 * S)
    at.press()
    at.press(33 * S)
    assert ck.tokens_left(at.state.clocks, ALLIES) == 2
    at.press(2 * S)
    assert at.state.step.stage == 2
    at.do(cm.Undo(at.now, to_seq=4))
    assert at.state.step.id == STEP
    # Of 33 s in Resupply 20 were its own, 10 the bank's and 3 a token's: its rest is there, as the token stays spent.
    assert rests(at) == (12 * S, 2 * S, 0, 0)
    assert ck.tokens_left(at.state.clocks, ALLIES) == 2
    for _ in range(4):
        at.press()
    at.press()
    assert rests(at) == (0, 0, 2 * S, 0)


def test_an_undo_into_a_turn_that_had_used_all_it_had_lets_no_flag_fall() -> None:
    at = table(TimeControl(unit="turn", tokens=1, token_ms=5 * S, at_zero="lose"), 10 * S, tournament=False)
    at.press(10 * S - 1)
    at.press()
    at.press_to("s1.r.allies.place")
    at.now += 2 * S
    at.do(cm.Undo(at.now, to_seq=4))
    assert at.state.step.id == STEP
    assert at.left(ALLIES) == 3 * S + 1
    at.do(cm.SettleClock(at.now + 250))
    assert at.state.ending is None
    at.press(2 * S)
    at.press_to("s1.r.allies.place")
    assert at.left(ALLIES) == S + 1, "what was used of the rest is used"


def test_an_undo_into_an_earlier_stage_takes_back_what_was_given_and_spent_in_the_later_one() -> None:
    at = table(TimeControl(unit="turn", tokens=1, token_ms=5 * S), 10 * S, tournament=False)
    at.press_to("s1.r.axis.place")
    before, last = at.left(AXIS), at.entries[-1].seq
    at.press_to("s2.t1.axis.move")
    at.press(23 * S)
    assert ck.tokens_left(at.state.clocks, AXIS) == 0
    assert rests(at, AXIS) == (0, 0, 2 * S, 0)
    at.do(cm.Undo(at.now, to_seq=last + 1))
    assert (at.state.step.stage, at.left(AXIS)) == (1, before)
    at.press()
    at.press()
    assert rests(at, AXIS) == (0, 0, 2 * S, 0)


def test_a_jump_back_into_a_turn_goes_on_with_it_and_gives_nothing_twice() -> None:
    control = TimeControl(unit="turn", turn_ms={"allies": 20 * S, "axis": 20 * S}, increment_ms=S)
    at = table(control, 10 * S)
    at.press(5 * S)
    at.press()
    assert rests(at) == (0, 11 * S, 0, 0)
    at.do(cm.JumpTo(at.state.step.id, STEP, at.now), ARBITER)
    assert rests(at) == (15 * S, 11 * S, 0, 0)
    at.press()
    at.press()
    assert (rests(at), rests(at, AXIS)) == ((0, 11 * S, 0, 0), (20 * S, 11 * S, 0, 0))


def test_a_power_cut_amid_a_period_settles_what_was_due_before_it() -> None:
    at = table(TimeControl(unit="turn", periods=3, period_ms=5 * S), 10 * S)
    last = at.now + 17 * S
    at.now = 50
    at.do(cm.ResumeGame(at.now, last, None, "power"), SYSTEM)
    assert [type(e).__name__ for entry in at.entries[-3:-1] for e in entry.events] == ["PeriodBegan"] * 2
    assert ck.periods_left(at.state.clocks, ALLIES) == 2
    assert at.left(ALLIES) == 3 * S


def test_the_arbiter_may_take_back_a_deduction_and_everything_is_as_before() -> None:
    at = table(TimeControl(unit="turn", turn_ms={"allies": 20 * S, "axis": 20 * S}, delay_ms=S), 2 * S)
    before = rests(at)
    at.do(cm.CorrectTime(ALLIES, -10 * S, at.now, "wrong"), ARBITER)
    assert rests(at) == (13 * S, 0, 0, 0)
    at.do(cm.CorrectTime(ALLIES, 10 * S, at.now, "right"), ARBITER)
    assert rests(at) == before


def test_games_without_a_control_are_written_as_before() -> None:
    """The wire form of entries of before never changes."""
    clocks = make_clocks(toy_setup().clock, (ALLIES, AXIS))
    written = msgspec.to_builtins(replace(clocks, falls=(Fall(ALLIES, 1, 5),)))
    assert "turns" not in written
    assert "control" not in written["config"]
    assert set(written["falls"][0]) == {"side", "stage", "at_ms"}
    assert msgspec.convert(written, Clocks).turns is msgspec.UNSET


@pytest.mark.parametrize(
    "control",
    [
        TimeControl(tokens=1),
        TimeControl(periods=1),
        TimeControl(tokens=101, token_ms=1),
        TimeControl(delay_ms=-1),
        TimeControl(turn_ms={"us": -5}),
        TimeControl(title="x" * 201),
    ],
)
def test_a_control_that_no_game_can_be_played_with_is_found(control: TimeControl) -> None:
    setup = toy_setup()
    assert setup_misfit(setup) is None
    assert setup_misfit(replace(setup, clock=replace(setup.clock, control=control))) is not None


def test_a_state_of_play_with_a_control_holds_together() -> None:
    at = table(TimeControl(unit="step", periods=2, period_ms=5 * S, tokens=1, token_ms=S), 10 * S)
    for _ in range(4):
        at.press(4 * S)
    at.do(cm.Undo(at.now))
    assert state_misfit(at.state) is None
    turns = at.state.clocks.turns
    assert turns is not msgspec.UNSET
    lost = replace(at.state, clocks=replace(at.state.clocks, turns=replace(turns, open={"nobody": "x"})))  # type: ignore[dict-item]
    assert state_misfit(lost) is not None
