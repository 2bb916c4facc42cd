"""A draft of photographed dice: corrections, what is still wrong, and the origin that the roll remembers."""

from __future__ import annotations

from pathlib import Path

from companion.core.dice import DiceSource
from companion.presenters.dice import NoEye, Photo, SeenDie, dice_text, draft_of, no_photo, problem

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
    assert problem(draft, COLOURS) == "2 White dice asked for, 1 there"
    assert problem(draft.with_colour(1, "white"), COLOURS) == ""
    assert problem(draft_of(photo(seen(1), seen(2), seen(3, "gray")), (("white", 2),)), COLOURS).startswith(
        "2 dice"
    )


def test_dice_of_any_colour_are_counted_all_the_same() -> None:
    one = draft_of(photo(seen(4), seen(5, "gray"), seen(6, "")), (("", 1),))
    assert problem(one, COLOURS) == "1 die asked for, 3 there"
    assert problem(one.without(0).without(0), COLOURS) == ""
    assert problem(draft_of(photo(seen(4)), (("", 2),)), COLOURS) == "2 dice asked for, 1 there"
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
    assert "type the dice" in said[0]
    assert NoEye().sources() == NoEye().photos() == ()


def test_without_photos_the_folder_is_named(tmp_path: Path) -> None:
    from companion.dice_eye import VisionEye

    eye = VisionEye(tmp_path / "photos", lambda _act: None)
    assert no_photo(eye.place()) == f"No camera here, and no photo in the folder {tmp_path}/photos"
    assert VisionEye(Path.home() / "games" / "photos", lambda _act: None).place() == "~/games/photos"
    assert no_photo(NoEye().place()) == "No camera here; type the dice"
