"""The line of steps: look-up, walking, spans."""

from __future__ import annotations

import pytest
from core_table import toy_steps

from companion.core.flow import Itinerary, Step
from companion.core.ids import StepId


@pytest.fixture
def line() -> Itinerary:
    return Itinerary(toy_steps())


def never(_step: Step) -> bool:
    return False


def test_a_line_knows_its_steps_by_id(line: Itinerary) -> None:
    assert len(line) == len(list(line)) == 23
    assert "s2.begin" in line
    assert "s9.begin" not in line
    assert line.steps[line.index(StepId("s2.begin"))].stage == 2
    assert repr(line) == "Itinerary(<23 steps>)"
    with pytest.raises(KeyError, match=r"s9\.begin"):
        line.index(StepId("s9.begin"))


def test_a_repeated_id_is_refused_by_name() -> None:
    step = Step(StepId("a"), 1, "p", "x")
    with pytest.raises(ValueError, match="step id 'a' stands twice in the sequence of play"):
        Itinerary((step, step))
    with pytest.raises(ValueError, match="'a'"):
        Itinerary((step,)).with_segment((step,))


def test_lines_are_equal_by_their_steps(line: Itinerary) -> None:
    same = Itinerary(toy_steps())
    assert line == same
    assert hash(line) == hash(same)
    assert line != Itinerary(())
    assert line != "line"


def test_a_segment_goes_to_the_end_of_a_new_line(line: Itinerary) -> None:
    longer = line.with_segment((Step(StepId("extra"), 4, "p", "x"),))
    assert longer.steps[-1].id == "extra"
    assert len(line) == 23


def test_walks_pass_over_what_is_skipped(line: Itinerary) -> None:
    def no_axis(step: Step) -> bool:
        return "axis" in step.owners

    at = line.index(StepId("s1.t1.allies.resolve"))
    following = line.following(at, no_axis)
    assert following is not None
    assert line.steps[following].id == "s1.v.check"
    assert line.preceding(following, no_axis) == at
    assert line.following(len(line) - 1, never) is None
    assert line.preceding(0, never) is None


def test_the_span_of_a_stage_and_the_stages_in_order(line: Itinerary) -> None:
    assert [line.steps[i].id for i in line.stage_span(0)] == ["setup"]
    span = line.stage_span(line.index(StepId("s2.v.check")))
    assert (line.steps[span[0]].id, line.steps[span[-1]].id) == ("s2.begin", "s2.r.allies.place")
    last = line.stage_span(len(line) - 1)
    assert line.steps[last[-1]].id == "s3.v.check"
    assert line.stages() == (1, 2, 3)
