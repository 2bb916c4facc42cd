"""Dice sets by real taps: choose, delete, learn photo by photo, correct a die on the photo, and what is told of bad sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.adapters.dice_eye import VisionEye
from companion.adapters.dice_sets import VisionSets
from companion.pages.dice_sets import COLOURS, SetRow
from companion.pages.settings import SettingsDraft
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_sets import MemorySets
from companion.testing.scenes import empty_desk
from companion.testing.scenes_dice import with_sets
from companion.ui.widgets import Plate, Text
from tests.vision.test_learn import Seen, seen
from vision.set_files import load_set
from vision.types import COLOURS as SEEN_COLOURS

ESCAPE = 27


def shelf(chosen: str = "", screen: str = "dice_sets", **args: Any) -> tuple[Laid, MemorySets]:
    laid = harness.lay(empty_desk(), screen=screen, **args)
    sets = with_sets(laid, chosen)
    laid.settle()
    return laid, sets


def tap(laid: Laid, text: str) -> None:
    """Tap what bears a text: of a dialog's title and its button, the button."""
    plates = [w for w in laid.walk() if isinstance(w, Plate) and w.text == text]
    laid.tap(plates[-1] if plates else laid.find(text=text))


def texts(laid: Laid) -> list[str]:
    return [w.text for w in laid.walk() if isinstance(w, Text) and w.text]


def icon_beside(laid: Laid, icon: str, text: str) -> Any:
    """Return the button with an icon in the row of a text."""
    at = laid.find(text=text)
    rows = [w for w in laid.walk() if isinstance(w, Plate) and w.icon == icon]
    return min(rows, key=lambda w: abs(w.center_y - at.center_y))


def learn(laid: Laid, name: str = "Winter", kind: str = "d12, 1 to 12") -> None:
    tap(laid, "Learn a set")
    laid.root.dialogs[-1].take_text(name)
    tap(laid, "Next")
    tap(laid, kind)


def test_settings_name_the_set_and_lead_to_the_list() -> None:
    laid, _sets = shelf("Club dice", "settings", draft=SettingsDraft("dice"))
    assert laid.has("d12 · White, Gray, Black, Purple")
    tap(laid, "Club dice")
    assert laid.root.screen.key == "dice_sets"
    tap(laid, "Evening")
    assert laid.desk.settings()["dice_set"] == "Evening"
    tap(laid, "Done")
    assert (laid.root.screen.key, laid.root.screen.page.tab) == ("settings", "dice")
    assert laid.has("Evening")
    assert laid.has("d6 · Red")
    tap(laid, "Evening")
    tap(laid, "No set")
    assert laid.desk.settings()["dice_set"] == ""
    laid.key(ESCAPE)
    assert laid.has("Dice are read without a set")


def test_a_set_is_deleted_only_after_a_question() -> None:
    laid, sets = shelf("Club dice")
    laid.tap(icon_beside(laid, "trash", "Club dice"))
    assert laid.has("Delete Club dice?")
    tap(laid, "Cancel")
    assert "Club dice" in [row.name for row in sets.sets()]
    laid.tap(icon_beside(laid, "trash", "Club dice"))
    tap(laid, "Delete")
    assert [row.name for row in sets.sets()] == ["Evening", "From last year"]
    assert laid.desk.settings()["dice_set"] == "", "what is gone is not chosen any more"
    assert not laid.has("Club dice")
    laid.tap(icon_beside(laid, "trash", "Evening"))
    tap(laid, "Delete")
    assert [row.name for row in sets.sets()] == ["From last year"]


def test_a_set_that_cannot_be_used_is_told_at_the_dice_and_learnt_again_with_a_tap() -> None:
    laid, sets = shelf("From last year", "dice", kind="d6", what="for supper")
    told = "The dice set From last year is from an older version: learn it again"
    assert laid.has(told)
    tap(laid, told)
    assert laid.root.screen.key == "dice_sets"
    assert laid.has("From an older version: learn it again")
    tap(laid, "From last year")
    tap(laid, "d6, 1 to 6")
    assert laid.root.screen.lesson.name == "From last year"
    laid.key(ESCAPE)
    assert laid.root.screen.lesson is None
    tap(laid, "Evening")
    tap(laid, "Done")
    assert laid.root.screen.key == "dice"
    assert (laid.root.screen.kind, laid.root.screen.what) == ("d6", "for supper")
    assert laid.has("Dice set: Evening")
    assert len(sets.sets()) == 3


def test_a_chosen_set_that_is_gone_is_told() -> None:
    laid, _sets = shelf("Lost", "dice")
    tap(laid, "The dice set Lost is gone: choose or learn another")
    assert laid.has("Gone: choose or learn another")


def test_a_set_is_learnt_photo_by_photo_and_used() -> None:
    laid, sets = shelf()
    learn(laid)
    assert laid.has("Winter · d12")
    assert not laid.root.screen.main_enabled
    tap(laid, "dice-1.jpg")
    assert laid.has("Missing: 9, 10, 11, 12. Shown twice: 6")
    assert laid.has("Missing: 1, 2, 4, 5, 6, 7, 8, 10, 11, 12")
    assert laid.has("11 dice added. Left out: Black (it is tilted).")
    assert [ring[2] for ring in laid.root.screen._rings()][8:] == ["3", "6?", "9", "×"]
    # the black dice are started again and left away
    laid.tap(icon_beside(laid, "undo", "Black"))
    tap(laid, "Cancel")
    assert "Black" in texts(laid)
    laid.tap(icon_beside(laid, "undo", "Black"))
    tap(laid, "Start over")
    assert "Black" not in texts(laid)
    tap(laid, "Another photo")
    tap(laid, "dice-2.jpg")
    assert laid.has("Complete; 6 shown twice")
    assert not laid.root.screen.main_enabled, "black is there again and lacks some"
    laid.tap(icon_beside(laid, "undo", "Black"))
    tap(laid, "Start over")
    tap(laid, "Save the set")
    assert SetRow("Winter", "d12", ("white",)) in sets.sets()
    assert laid.desk.settings()["dice_set"] == "Winter"
    assert laid.root.screen.lesson is None


def test_a_tap_on_the_photo_says_what_a_die_shows() -> None:
    laid, _sets = shelf()
    learn(laid)
    tap(laid, "dice-1.jpg")
    screen = laid.root.screen
    x, y, _radius = screen._view.spot(9)
    laid.tap((x, y))
    assert laid.has("Read as 6")
    tap(laid, "12")
    assert laid.has("Missing: 9, 10, 11")
    assert screen._rings()[9][2] == "12"
    laid.tap(screen._view.spot(9)[:2])
    tap(laid, "Colour")
    tap(laid, "Purple")
    assert "Purple" in texts(laid)
    laid.tap(screen._view.spot(9)[:2])
    tap(laid, "Not a die")
    assert "Purple" not in texts(laid)
    assert screen._rings()[9][2] == "×"
    laid.tap(screen._view.spot(11)[:2])
    assert laid.root.dialogs == []
    assert str(laid.root.toast.notice.text) == "Black (it is tilted)"


def test_a_photo_that_fails_is_told_and_the_lesson_goes_on() -> None:
    laid, sets = shelf()
    learn(laid)
    tap(laid, "dice-2.jpg")
    tap(laid, "Another photo")
    tap(laid, "Pi camera")
    assert laid.has("Pi camera: no answer; check the ribbon cable")
    assert laid.has("Missing: 1, 2, 3, 4, 5, 6, 7, 8")
    sets.waits = True
    tap(laid, "dice-1.jpg")
    assert laid.has("Reading the dice")
    tap(laid, "Cancel")
    assert laid.has("dice-1.jpg")
    laid.key(ESCAPE)
    assert laid.has("Stop learning Winter?")
    tap(laid, "Cancel")
    laid.tap(laid.find(icon="close"))
    tap(laid, "Stop")
    assert laid.has("Learn a set")


def test_a_name_is_checked_and_a_known_one_asked_about() -> None:
    laid, sets = shelf()
    learn_names = ("a/b", "Club dice")
    tap(laid, "Learn a set")
    laid.root.dialogs[-1].take_text(learn_names[0])
    tap(laid, "Next")
    assert str(laid.root.toast.notice.text) == "No slash in a name"
    assert laid.root.dialogs[-1].value == "a/b", "what was typed stays"
    for _n in range(3):
        laid.root.dialogs[-1].type("erase")
    laid.root.dialogs[-1].take_text(learn_names[1])
    tap(laid, "Next")
    assert laid.has("Learn Club dice again?")
    tap(laid, "Learn again")
    tap(laid, "d10, 1 to 10")
    assert laid.root.screen.lesson.kind == "d10"
    assert len(sets.sets()) == 3


def test_a_set_that_cannot_be_saved_is_told_and_kept_on_the_screen() -> None:
    laid, sets = shelf()
    learn(laid)
    laid.root.screen.lesson.fault = "The disk is full"
    for photo in ("dice-1.jpg", "dice-2.jpg"):
        tap(laid, photo)
        tap(laid, "Another photo")
    laid.tap(icon_beside(laid, "undo", "Black"))
    tap(laid, "Start over")
    tap(laid, "Save the set")
    assert laid.has("The disk is full")
    assert laid.has("Complete; 6 shown twice")
    assert len(sets.sets()) == 3
    laid.root.screen.lesson.fault = ""
    tap(laid, "Save the set")
    assert len(sets.sets()) == 4


def test_a_lesson_outlives_a_change_of_the_look() -> None:
    laid, _sets = shelf()
    learn(laid)
    tap(laid, "dice-1.jpg")
    laid.root.set("theme", "day")
    laid.settle()
    assert laid.has("Missing: 9, 10, 11, 12. Shown twice: 6")
    assert laid.root.screen.shown is not None
    assert laid.has("11 dice added. Left out: Black (it is tilted).")


@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_ten_colours_and_long_names_find_room(size: tuple[int, int]) -> None:
    laid = harness.lay(empty_desk(), screen="dice_sets", size=size, text_step=2, language="de")
    sets = MemorySets([SetRow("Anna's very own dice from the club 2026", "d12", COLOURS)], {}, lambda: "")
    laid.root.dice_sets = sets
    laid.root.refresh()
    laid.settle()
    assert laid.faults() == []
    assert COLOURS == SEEN_COLOURS


class Real:
    """The real sets and their reading thread, with a reader that tells the dice of a photo by its first pixel."""

    def __init__(
        self, laid: Laid, folder: Path, monkeypatch: pytest.MonkeyPatch, dice: list[list[Seen]]
    ) -> None:
        self.laid, self.posts = laid, []
        photos = folder / "photos"
        photos.mkdir()
        for number in range(len(dice)):
            image = np.full((240, 320, 3), number, np.uint8)
            cv2.imwrite(str(photos / f"photo-{number}.png"), image)
        monkeypatch.setattr(
            "vision.reader.examine", lambda image, *_args, **_more: tuple(dice[int(image[0, 0, 0])])
        )
        posts: list[Callable[[], None]] = []
        eye = VisionEye(photos, posts.append, cameras=tuple, pause=lambda _event, _seconds: None)
        monkeypatch.setattr(eye, "nets", lambda: "nets")
        self.posts = posts
        laid.root.eye = eye
        laid.root.dice_sets = VisionSets(
            folder / "sets", posts.append, eye, lambda: laid.root.settings.dice_set
        )
        laid.root.refresh()
        laid.settle()

    def show(self, name: str) -> None:
        tap(self.laid, name)
        self.laid.root.screen._look.thread.join(timeout=30)
        while self.posts:
            self.posts.pop(0)()
        self.laid.settle()


def test_the_real_thing_learns_from_files_by_taps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid = harness.lay(empty_desk(), screen="dice_sets")
    dice = [[seen(v) for v in (1, 2, 3, 4, 5)], [seen(5), seen(3, "gray")]]
    real = Real(laid, tmp_path, monkeypatch, dice)
    learn(laid, "Würfel 1", "d6, 1 to 6")
    real.show("photo-0.png")
    assert laid.has("Missing: 6")
    tap(laid, "Another photo")
    real.show("photo-1.png")
    assert laid.has("Missing: 6. Shown twice: 5")
    screen = laid.root.screen
    assert not screen.main_enabled
    at = next(i for i, ring in enumerate(screen._rings()) if ring[2] == "5?")
    laid.tap(screen._view.spot(at)[:2])
    tap(laid, "6")
    laid.tap(icon_beside(laid, "undo", "Gray"))
    tap(laid, "Start over")
    assert laid.has("Complete")
    tap(laid, "Save the set")
    learnt = load_set("Würfel 1", tmp_path / "sets")
    assert {(s.kind, s.colour, s.value) for s in learnt.samples} == {("d6", "white", v) for v in range(1, 7)}
    assert laid.has("d6 · White")
    assert laid.desk.settings()["dice_set"] == "Würfel 1"
