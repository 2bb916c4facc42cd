"""Events applied to a state: what only the fold of a changed log can bring up."""

from __future__ import annotations

from core_table import ALLIES, Rolled, Table, ToyRules

from companion.core import events as ev
from companion.core.clock import Fall
from companion.core.evolve import evolve, evolve_all
from companion.core.flow import Step
from companion.core.ids import StepId


def test_a_step_whose_segment_was_undone_leaves_the_position() -> None:
    state = Table().state
    assert evolve(ToyRules(), state, ev.StepEntered(StepId("gone"))) is state


def test_a_flag_is_kept_once_however_often_it_is_told() -> None:
    state = Table().state
    event = ev.FlagFell(ALLIES, 1, 10, StepId("s1.t1.allies.move"))
    twice = evolve_all(ToyRules(), state, (event, event))
    assert twice.clocks.falls == (Fall(ALLIES, 1, 10),)
    assert twice.flag_prompt == ALLIES


def test_events_that_only_tell_change_nothing() -> None:
    state = Table().state
    for event in (
        ev.ActEnded(StepId("setup"), 0),
        ev.NoteAdded("x"),
        ev.Undone((2,)),
        ev.Redone((2,)),
    ):
        assert evolve(ToyRules(), state, event) is state


def test_one_event_or_many_lead_to_the_same_state() -> None:
    table = Table()
    for event in (ev.SegmentAppended((Step(StepId("x"), 4, "p", "a"),)), Rolled(5)):
        one = evolve(ToyRules(), table.state, event)
        assert one == evolve_all(ToyRules(), table.state, (event,)) != table.state


def test_steps_are_replaced_from_a_step_on_and_the_position_stays() -> None:
    table = Table()
    table.press_to("s1.v.check")
    rest = (table.state.step, Step(StepId("new"), 1, "p", "a"))
    state = evolve(ToyRules(), table.state, ev.StepsReplaced(table.state.step.id, rest))
    assert (state.step.id, [step.id for step in state.itinerary.steps[state.index :]]) == (
        "s1.v.check",
        ["s1.v.check", "new"],
    )


def test_steps_replaced_in_the_fold_of_a_changed_log_never_lose_the_position() -> None:
    table = Table()
    table.press_to("s1.v.check")
    gone = ev.StepsReplaced(StepId("nowhere"), ())
    assert evolve(ToyRules(), table.state, gone) is table.state
    earlier = ev.StepsReplaced(StepId("s1.begin"), (Step(StepId("new"), 1, "p", "a"),))
    assert evolve(ToyRules(), table.state, earlier).step.id == "new"
