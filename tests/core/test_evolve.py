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
