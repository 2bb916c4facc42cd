"""What a table's corrections teach: bounded, resettable, never a value."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.habit import MOST_SHIFT, Habit, read_habit, write_habit
from vision.types import Reading, Readings

_ANSWERS = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans(), st.booleans()), max_size=120)


def _seen(value_confidence: float, colour_confidence: float = 0.95) -> Readings:
    die = Reading(
        "d12", "white", 7, value_confidence * colour_confidence, 50, 50, 20, guess=7,
        value_confidence=value_confidence, colour_confidence=colour_confidence,
    )  # fmt: skip
    return Readings(100, 100, (die,))


@given(_ANSWERS)
def test_whatever_a_table_answers_the_shift_stays_within_its_bounds(
    answers: list[tuple[float, bool, bool]],
) -> None:
    habit = Habit()
    for stated, is_right, is_colour in answers:
        before = habit
        habit = habit.taught(stated, is_right=is_right, is_colour=is_colour)
        assert abs(habit.value - before.value) + abs(habit.colour - before.colour) <= 0.1 + 1e-9
    assert max(abs(habit.value), abs(habit.colour)) <= MOST_SHIFT
    assert habit.dice == len(answers)


def test_readings_that_are_always_right_need_fewer_taps_and_wrong_ones_more() -> None:
    habit = Habit()
    for _die in range(60):
        stated = habit.applied(_seen(0.8)).dice[0].value_confidence
        assert stated is not None
        habit = habit.taught(stated, is_right=True, is_colour=False)
    read = habit.applied(_seen(0.85)).dice[0]
    assert read.is_sure
    assert (read.value, read.guess, read.colour) == (7, 7, "white")
    for _die in range(80):
        habit = habit.taught(0.95, is_right=False, is_colour=False)
    assert not habit.applied(_seen(0.93)).dice[0].is_sure


def test_a_table_that_is_read_as_well_as_stated_teaches_nothing_much() -> None:
    habit = Habit()
    for die in range(200):
        stated = habit.applied(_seen(0.8)).dice[0].value_confidence
        assert stated is not None
        habit = habit.taught(stated, is_right=die % 5 != 0, is_colour=False)
    assert abs(habit.value) < 0.3


def test_colours_and_values_are_learnt_apart() -> None:
    habit = Habit()
    for _die in range(30):
        habit = habit.taught(0.5, is_right=True, is_colour=True)
    assert habit.value == 0.0
    read = habit.applied(_seen(0.8, 0.8)).dice[0]
    assert read.value_confidence == pytest.approx(0.8)
    assert read.colour_confidence > 0.9
    assert read.confidence == pytest.approx(0.8 * read.colour_confidence)


def test_it_is_kept_and_a_damaged_file_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "habit.json"
    assert read_habit(path) == Habit()
    habit = Habit().taught(0.6, is_right=True, is_colour=False)
    write_habit(path, habit)
    assert read_habit(path) == habit
    for text in (
        "",
        "[]",
        "{",
        '{"value": 9, "colour": 0, "dice": 1}',
        '{"value": NaN, "colour": 0, "dice": 1}',
    ):
        path.write_text(text, "utf-8")
        assert read_habit(path) == Habit(), text
