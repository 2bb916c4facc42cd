"""Words about dice sets and lessons, and the sets in memory that stand for real ones."""

from __future__ import annotations

import pytest

from companion.pages.dice_sets import (
    COLOURS,
    ColourRow,
    DieMark,
    LessonPhoto,
    NoSets,
    SetRow,
    colour_text,
    lesson_fault,
    photo_text,
    set_text,
    trouble_text,
)
from companion.testing.memory_sets import MemorySets, drawn_photo
from vision.types import COLOURS as SEEN_COLOURS


def test_every_colour_that_is_seen_can_be_said() -> None:
    assert COLOURS == SEEN_COLOURS


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (ColourRow("white", ()), "Complete"),
        (ColourRow("white", (), (6,)), "Complete; 6 shown twice"),
        (ColourRow("white", (7, 12)), "Missing: 7, 12"),
        (ColourRow("white", (12,), (6,)), "Missing: 12. Shown twice: 6"),
        (ColourRow("white", (12,), (), 1), "Missing: 12. 1 die in doubt: tap it"),
        (ColourRow("white", (11, 12), (6,), 3), "Missing: 11, 12. 3 dice in doubt: tap them"),
    ],
)
def test_a_colour_says_what_it_lacks(row: ColourRow, text: str) -> None:
    assert colour_text(row) == text


def test_a_lesson_is_complete_when_every_colour_is() -> None:
    assert lesson_fault(()) == "Show the dice first"
    gray = (ColourRow("white", ()), ColourRow("gray", (1,)))
    assert lesson_fault(gray) == "1 value is still missing"
    assert lesson_fault((ColourRow("white", ()), ColourRow("gray", (), (1,)))) == ""


@pytest.mark.parametrize(
    ("row", "short", "whole"),
    [
        (None, "Dice are read without a set", ""),
        (SetRow("club", "d12", ("white", "black")), "d12 · White, Black", ""),
        (SetRow("club", "d12", COLOURS[:6]), "d12 · 6 colours", ""),
        (
            SetRow("club", trouble="old"),
            "From an older version: learn it again",
            "The dice set club is from an older version: learn it again",
        ),
        (
            SetRow("club", trouble="damaged"),
            "Damaged: learn it again",
            "The dice set club is damaged: learn it again",
        ),
        (
            SetRow("club", trouble="gone"),
            "Gone: choose or learn another",
            "The dice set club is gone: choose or learn another",
        ),
    ],
)
def test_a_set_is_told_in_one_line(row: SetRow | None, short: str, whole: str) -> None:
    assert set_text(row) == short
    assert trouble_text(row) == whole


def test_dice_that_do_not_count_are_named_with_the_reason() -> None:
    photo = drawn_photo([(1, "white"), (None, "black"), (None, "gray"), (4, "")])
    shown = LessonPhoto(photo, (0, None, None, None), ("", "cocked", "stacked", "colour"))
    assert photo_text(shown) == (
        "1 die added. Left out: Black (it is tilted), Gray (it lies on another die), One die (its colour is unknown)."
    )
    assert photo_text(LessonPhoto(photo, (0, 1, 2, 3), ("",) * 4)) == "4 dice added."


def test_without_a_reader_nothing_is_learnt() -> None:
    sets, told = NoSets(), []
    assert (sets.sets(), sets.chosen(), sets.name_fault("x"), sets.delete("x")) == ((), None, "", "")
    lesson = sets.begin("mine", "d6")
    assert (lesson.name, lesson.kind, lesson.colours(), lesson.mark(0)) == ("mine", "d6", (), None)
    sets.show(
        "usb", lesson, done=told.append, failed=told.append, progress=told.append, told=told.append
    ).cancel()
    assert told == ["There is no camera here; enter the dice by hand."]
    assert lesson.save() == "There is no camera here; enter the dice by hand."


def test_sets_in_memory_count_the_first_of_two_alike() -> None:
    photo = drawn_photo([(1, "white"), (1, "white"), (None, "white"), (2, "black")])
    sets = MemorySets(photos={"a": (photo, ("", "", "", "cocked"))})
    lesson, shown = sets.begin("mine", "d6"), []
    sets.show("a", lesson, done=shown.append, failed=print, progress=print, told=print)
    assert shown[0].numbers == (0, 1, 2, None)
    assert lesson.colours() == (ColourRow("white", (2, 3, 4, 5, 6), (1,), 1),)
    assert [lesson.mark(n) for n in range(3)] == [DieMark(1, True), DieMark(1, False), DieMark(None, False)]
    lesson.tell(1, 2)
    lesson.drop(2)
    assert lesson.colours() == (ColourRow("white", (3, 4, 5, 6)),)
    lesson.recolour(0, "red")
    lesson.forget("white")
    assert lesson.colours() == (ColourRow("red", (2, 3, 4, 5, 6)),)
