"""A draft of photographed dice: corrections, what is still wrong, and the origin that the roll remembers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from companion.core.dice import DiceSource
from companion.core.text import Say
from companion.pages.dice import (
    Photo,
    SeenDie,
    colour_name,
    dice_text,
    draft_of,
    lessons,
    photo_lines,
    problem,
)
from companion.pages.dice_eye import NoEye, no_photo
from companion.pages.i18n import use_language
from vision.reader import _mismatches
from vision.types import Flag, Reading, Readings, Request

COLOURS = {"white": "White", "gray": "Gray"}


def photo(*dice: SeenDie) -> Photo:
    return Photo(4, 2, bytes(24), "ab" * 32, dice)


def seen(value: int | None, colour: str = "white", confidence: float = 0.99) -> SeenDie:
    return SeenDie(value, colour, confidence, 0.5, 0.5, 0.1)


def test_sure_dice_of_the_right_count_are_accepted_at_once() -> None:
    draft = draft_of(photo(seen(4), seen(11)), (("white", 2),))
    assert problem(draft, COLOURS) == ""
    assert draft.values("white") == (4, 11)
    origin = draft.origin()
    assert (origin.source, origin.proposed, origin.corrected) == (DiceSource.CAMERA, (4, 11), 0)
    assert origin.photo_sha256 == "ab" * 32


def test_a_doubtful_die_asks_for_a_tap_and_a_confirmed_one_is_no_correction() -> None:
    draft = draft_of(photo(seen(4), seen(11, confidence=0.6)), (("white", 2),))
    assert problem(draft, COLOURS) == "Tap the doubtful die"
    right = draft.with_value(1, 11)
    assert problem(right, COLOURS) == ""
    assert right.origin().corrected == 0
    wrong = draft.with_value(1, 12)
    assert wrong.origin().corrected == 1
    assert wrong.origin().proposed == (4, 11)


def test_a_die_without_a_value_cannot_be_accepted() -> None:
    draft = draft_of(photo(seen(None)), (("white", 1),))
    assert problem(draft, COLOURS) == "1 die has no value"


def test_count_and_colour_are_compared_with_what_was_asked() -> None:
    draft = draft_of(photo(seen(4), seen(5, "gray")), (("white", 2),))
    assert problem(draft, COLOURS) == "2 White dice needed, 1 so far"
    assert problem(draft.with_colour(1, "white"), COLOURS) == ""
    assert problem(draft_of(photo(seen(1), seen(2), seen(3, "gray")), (("white", 2),)), COLOURS).startswith(
        "2 dice"
    )


def test_dice_of_any_colour_are_counted_all_the_same() -> None:
    one = draft_of(photo(seen(4), seen(5, "gray"), seen(6, "")), (("", 1),))
    assert problem(one, COLOURS) == "1 die needed, 3 so far"
    assert problem(one.without(0).without(0), COLOURS) == ""
    assert problem(draft_of(photo(seen(4)), (("", 2),)), COLOURS) == "2 dice needed, 1 so far"
    assert [dice_text(n, "") for n in (1, 2)] == ["1 die", "2 dice"]


def test_added_and_removed_dice_count_as_corrections() -> None:
    draft = draft_of(photo(seen(4), seen(5)), (("white", 2),)).without(0).with_die(9, "white")
    assert draft.values() == (5, 9)
    assert draft.origin().corrected == 2
    assert draft.origin().proposed == (4, 5)


def test_a_colour_put_right_is_a_correction_but_one_that_only_could_be_is_none() -> None:
    draft = draft_of(photo(seen(4, ""), seen(5, "gray")), (("white", 2),))
    assert draft.origin().corrected == 0
    right = draft.with_colour(1, "white").origin()
    assert (right.corrected, right.recoloured, right.added) == (1, 1, 0)
    both = draft.with_colour(1, "white").with_value(1, 6).with_die(1, "white").origin()
    assert (both.corrected, both.recoloured, both.added) == (2, 1, 1), "a die is counted once"


def test_an_unknown_colour_is_the_only_one_asked_for() -> None:
    assert draft_of(photo(seen(4, "")), (("gray", 1),)).dice[0].colour == "gray"


def test_without_a_reader_dice_are_typed() -> None:
    said: list[str] = []
    NoEye().look("x", "d12", (), done=lambda _p: None, failed=said.append, progress=lambda _s: None).cancel()
    assert "enter the dice by hand" in said[0]
    assert NoEye().sources() == NoEye().photos() == ()


def test_without_photos_the_folder_is_named(tmp_path: Path) -> None:
    from companion.adapters.dice_eye import VisionEye

    eye = VisionEye(tmp_path / "photos", lambda _act: None)
    assert no_photo(eye.place()) == f"No camera, and no photo in the folder {tmp_path}/photos"
    assert VisionEye(Path.home() / "games" / "photos", lambda _act: None).place() == "~/games/photos"
    assert no_photo(NoEye().place()) == "No camera; enter the dice by hand"


def test_a_die_of_another_kind_has_no_value_until_the_table_says_so() -> None:
    strange = SeenDie(11, "white", 0.99, 0.5, 0.5, 0.1, kind="d12")
    small = SeenDie(4, "white", 0.99, 0.5, 0.5, 0.1, kind="d6")
    draft = draft_of(photo(small, strange), (), "d6")
    die = draft.dice[1]
    assert (die.value, die.strange, die.is_sure) == (None, "d12", False)
    assert die.note == "this roll uses d6"
    assert problem(draft, COLOURS) == "1 die is the wrong kind: take it out"
    out = draft.without(1)
    assert problem(out, COLOURS) == ""
    assert out.values() == (4,)
    assert (out.origin().proposed, out.origin().corrected) == ((4, None), 0), "it was seen rightly"
    said = draft.with_value(1, 5)
    assert problem(said, COLOURS) == ""
    assert (said.values(), said.origin().corrected) == ((4, 5), 1)
    assert draft_of(photo(small, strange), ()).values() == (4, 11), "where any kind is right"
    unknown = draft_of(photo(seen(4)), (), "d6")
    assert unknown.values() == (4,), "a reader that tells no kinds"


def test_what_differs_stands_under_the_heading_until_the_table_changes_it() -> None:
    dice = (seen(4), seen(5, "gray"))
    taken = replace(
        photo(*dice),
        mismatches=("needed 2 White, found 1 White and 1 Gray", "found 1 d10, needed d12"),
        advice=("the photo is soft: hold it still", "more light on the tray"),
    )
    draft = draft_of(taken, (("white", 2),))
    both = "Needed 2 White, found 1 White and 1 Gray; found 1 d10, needed d12"
    advice = "The photo is soft: hold it still"
    assert photo_lines(taken, draft) == (both, advice)
    assert photo_lines(taken, draft.with_value(0, 6)) == (both, advice)
    for changed in (draft.with_colour(1, "white"), draft.without(1), draft.with_die(3, "white")):
        assert photo_lines(taken, changed) == (advice,)
    assert photo_lines(photo(*dice), draft) == ()


def test_a_die_of_another_kind_that_counts_all_the_same_is_no_longer_told() -> None:
    strange = SeenDie(11, "white", 0.99, 0.5, 0.5, 0.1, kind="d12")
    taken = replace(photo(strange), mismatches=("found 1 d12, needed d6",))
    draft = draft_of(taken, (), "d6")
    assert photo_lines(taken, draft) == ("Found 1 d12, needed d6",)
    assert photo_lines(taken, draft.with_value(0, 5)) == ()


def test_colours_that_no_game_asks_for_have_a_name_too() -> None:
    assert [colour_name(colour) for colour in ("white", "pink", "")] == ["White", "Pink", "–"]


class Told:
    """Readings as the reader gives them, made by hand."""

    def __init__(self, *dice: Reading, mismatches: tuple[...] = (), advice: tuple[Say, ...] = ()) -> None:
        self.readings = Readings(40, 20, dice, mismatches, advice)

    def photo(self) -> Photo:
        from companion.adapters.dice_eye import _photo

        return _photo(np.zeros((20, 40, 3), np.uint8), self.readings, "ab" * 32)


def test_what_the_reader_says_reaches_the_photo_in_the_language_of_the_table() -> None:
    dice = (
        Reading("d12", "gray", None, 0.3, 10, 10, 4, flags=(Flag.STACKED, Flag.BLURRED), guess=5),
        Reading("d10", "white", 7, 0.99, 20, 10, 4),
    )
    asked = Request(kinds=("d12",), counts=(("white", 2),))
    told = Told(
        *dice,
        mismatches=_mismatches(dice, asked),
        advice=(Say("the photo is very dark: put more light on the tray"),),
    )
    english = told.photo()
    assert english.mismatches == (
        "needed 2 White, found 1 White and 1 Gray",
        "found 1 d10, needed d12",
    )
    assert english.advice == ("the photo is very dark: put more light on the tray",)
    assert [die.kind for die in english.dice] == ["d12", "d10"]
    assert english.dice[0].note == "lies on another die, blurred: roll it again or enter what it shows"
    assert english.dice[1].note == ""
    use_language("de")
    try:
        german = told.photo()
    finally:
        use_language("en")
    assert german.mismatches == (
        "nötig 2 Weiß, zu sehen 1 Weiß und 1 Grau",
        "zu sehen 1 d10, nötig d12",
    )
    assert german.advice == ("das Foto ist sehr dunkel: mehr Licht auf die Schale",)
    assert german.dice[0].note == (
        "liegt auf einem anderen Würfel, unscharf: nochmals würfeln oder eingeben, was er zeigt"
    )


def test_every_flag_says_what_to_do_and_has_a_german_text() -> None:
    from companion.adapters.dice_eye import _flag_words

    for flag in Flag:
        english = _flag_words([flag.value])
        assert english.endswith(": roll it again or enter what it shows")
        use_language("de")
        german = _flag_words([flag.value])
        use_language("en")
        assert german.endswith(": nochmals würfeln oder eingeben, was er zeigt")
        assert german.partition(":")[0] != english.partition(":")[0]


def test_a_die_of_unknown_colour_is_told_as_such() -> None:
    dice = (Reading("d12", None, 5, 0.99, 10, 10, 4),)
    told = Told(*dice, mismatches=_mismatches(dice, Request(counts=(("white", 1),))))
    assert told.photo().mismatches == ("needed 1 White, found 1 of unknown colour",)


def test_a_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    from companion.adapters.dice_eye import _file_hash

    file = tmp_path / "roll.jpg"
    file.write_bytes(b"abc")
    assert _file_hash(str(file)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_finds_that_are_hardly_dice_are_not_shown_and_dice_of_other_kinds_are() -> None:
    from companion.adapters.dice_eye import _photo

    def read(kind: str, value: int | None, sure: float) -> Reading:
        return Reading(kind, "white", value, sure * 0.9, 30, 30, 10, guess=value, value_confidence=sure)

    readings = Readings(100, 100, (read("d12", 7, 0.97), read("d10", 3, 0.04), read("other", None, 0.0)))
    shown = _photo(np.zeros((100, 100, 3), np.uint8), readings, "ab" * 32)
    assert [(die.kind, die.value) for die in shown.dice] == [("d12", 7), ("other", None)]
    draft = draft_of(shown, (("white", 1),), "d12")
    assert problem(draft, COLOURS) == "1 die is the wrong kind: take it out"
    assert problem(draft.without(1), COLOURS) == ""
    assert draft.without(1).corrected == 0


def test_only_dice_that_were_asked_about_or_corrected_teach_anything() -> None:
    taken = photo(
        seen(4), seen(11, confidence=0.6), seen(2, confidence=0.97), seen(None), seen(9, "gray", 0.5),
        replace(seen(8), colour_confidence=0.7),
    )  # fmt: skip
    draft = draft_of(taken, (("white", 4), ("gray", 1)))
    draft = draft.with_value(1, 11).with_value(2, 3).with_value(3, 6).with_colour(5, "gray").without(4)
    told = {(one.stated, one.is_right, one.is_colour) for one in lessons(taken, draft)}
    assert told == {
        (0.6, True, False),  # asked about, and right
        (0.97, False, False),  # sure, and corrected
        (0.5, False, False),  # no die of this roll
        (0.7, False, True),  # its colour was asked about, and wrong
    }
