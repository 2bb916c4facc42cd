"""Real sets behind the screens: files, the reading thread, and what a lesson makes of photos. Readings are made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.adapters.dice_eye import VisionEye
from companion.adapters.dice_sets import VisionSets
from companion.core.text import Say, Typed
from companion.pages.dice_live import FOLDER
from companion.pages.dice_sets import ColourRow, DieMark, LessonPhoto, SetRow
from tests.vision.test_learn import Seen, seen
from vision.errors import CameraError
from vision.frames import ScriptedFrames
from vision.set_files import load_set, save_set
from vision.sets import DiceSet, Sample
from vision.types import Flag, Readings


class Bench:
    """A folder of photos whose dice a fake reader tells by their first pixel, and sets beside it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.posts: list[Callable[[], None]] = []
        self.camera: ScriptedFrames = ScriptedFrames(())
        self.photos, self.folder = folder / "photos", folder / "sets"
        self.photos.mkdir()
        self.dice: dict[int, tuple[Seen, ...]] = {}
        self.used: list[DiceSet | None] = []
        self.name = ""
        self.eye = VisionEye(
            self.photos,
            self.posts.append,
            cameras=tuple,
            source=lambda _key, _name: self.camera,
            pause=lambda _event, _seconds: None,
        )
        self.sets = VisionSets(self.folder, self.posts.append, self.eye, lambda: self.name)
        self.eye.own_set = self.sets.in_use
        self.told: list[Any] = []
        self.shown: list[LessonPhoto] = []
        monkeypatch.setattr("vision.reader.examine", self._examine)
        monkeypatch.setattr("vision.reader.read", self._read)
        monkeypatch.setattr("vision.models.load_models", lambda: "nets")

    def _examine(
        self, image: Any, request: Any, models: Any, *, progress: Any, cancelled: Any
    ) -> tuple[Seen, ...]:
        assert request.kinds == ("d6",)
        assert models == "nets"
        progress(0.4, "reading")
        assert not cancelled()
        return self.dice[int(image[0, 0, 0])]

    def _read(self, image: Any, _request: Any, *, dice_set: DiceSet | None, **_more: Any) -> Readings:
        self.used.append(dice_set)
        return Readings(image.shape[1], image.shape[0], ())

    def picture(self, *dice: Seen) -> np.ndarray:
        self.dice[len(self.dice)] = dice
        return np.full((120, 160, 3), len(self.dice) - 1, np.uint8)

    def photo(self, *dice: Seen) -> str:
        path = self.photos / f"{len(self.dice)}.png"
        cv2.imwrite(str(path), self.picture(*dice))
        return f"file:{path}"

    def show(self, key: str, lesson: Any) -> None:
        running = self.sets.show(
            key, lesson, done=self.shown.append, failed=self.told.append, progress=self.told.append,
            told=self.told.append,
        )  # fmt: skip
        self._finish(running)

    def _finish(self, running: Any) -> None:
        running.thread.join(timeout=30)
        while self.posts:
            self.posts.pop(0)()

    def read(self) -> None:
        """Read a roll as the Dice screen does."""
        self._finish(
            self.eye.look(
                self.photo(), "d6", (), done=print, failed=pytest.fail, progress=lambda _share: None
            )
        )


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def _set(name: str, kind: str = "d6") -> DiceSet:
    return DiceSet(name, tuple(Sample(kind, "red", value, (0.5, float(value))) for value in range(1, 7)))


def test_a_set_is_learnt_over_photos_and_used_from_then_on(bench: Bench) -> None:
    lesson = bench.sets.begin("  My   dice ", "d6")
    bench.show(bench.photo(*map(seen, (1, 2, 3, 3)), seen(None, flags=[Flag.COCKED])), lesson)
    assert bench.told == [0.4]
    (shown,) = bench.shown
    assert shown.numbers == (0, 1, 2, 3, None)
    assert shown.why == ("", "", "", "", "cocked")
    assert (shown.photo.width_px, shown.photo.height_px) == (160, 120)
    assert [die.value for die in shown.photo.dice] == [1, 2, 3, 3, None]
    assert lesson.colours() == (ColourRow("white", (4, 5, 6), (3,)),)
    assert sorted(lesson.mark(n) == DieMark(3, True) for n in (2, 3)) == [False, True]
    assert lesson.save().startswith("set My dice: White: 3 shown twice, 4, 5, 6 missing.")
    bench.show(bench.photo(*map(seen, (4, 5, 6))), lesson)
    assert lesson.colours() == (ColourRow("white", (), (3,)),)
    assert lesson.save() == ""
    assert bench.sets.sets() == (SetRow("My dice", "d6", ("white",)),)
    assert bench.sets.chosen() is None
    bench.read()
    bench.name = "My dice"
    bench.read()
    assert bench.used == [None, load_set("My dice", bench.folder)]


def test_what_the_table_says_of_a_die_is_kept(bench: Bench) -> None:
    lesson = bench.sets.begin("mine", "d6")
    bench.show(bench.photo(*map(seen, (1, 2, 3, 4, 5, 5)), seen(1, "gray"), seen(2, "gray")), lesson)
    numbers = bench.shown[0].numbers
    last, gray, other = numbers[5], numbers[6], numbers[7]
    assert last is not None
    assert gray is not None
    assert other is not None
    lesson.tell(last, 6)
    assert lesson.mark(last) == DieMark(6, True)
    lesson.drop(gray)
    assert lesson.mark(gray) is None
    lesson.recolour(other, "white")
    assert lesson.colours() == (ColourRow("white", (), (2,)),)
    lesson.forget("white")
    assert lesson.colours() == ()
    assert lesson.mark(last) is None
    assert lesson.save() == "set mine: no dice have been shown yet"


def test_a_camera_takes_the_photo_at_once(bench: Bench) -> None:
    picture = bench.picture(*map(seen, range(1, 7)))
    bench.camera = ScriptedFrames([picture] * 30)
    lesson = bench.sets.begin("mine", "d6")
    bench.show("/dev/video0", lesson)
    assert len(bench.shown) == 1
    assert lesson.colours() == (ColourRow("white", ()),)
    assert bench.camera.calls[-1] == "close"
    assert "Getting ready" in bench.told


def test_the_folder_is_waited_for(bench: Bench) -> None:
    picture = bench.picture(seen(4))
    bench.camera = ScriptedFrames([picture], is_live=False)
    lesson = bench.sets.begin("mine", "d6")
    bench.show(FOLDER, lesson)
    assert [shown.numbers for shown in bench.shown] == [(0,)]


def test_what_cannot_be_read_is_one_line_and_the_lesson_goes_on(bench: Bench) -> None:
    lesson = bench.sets.begin("mine", "d6")
    (bench.photos / "torn.jpg").write_bytes(b"no photo")
    bench.show(f"file:{bench.photos / 'torn.jpg'}", lesson)
    assert len(bench.told) == 1
    assert "torn.jpg" in bench.told[0]
    assert bench.shown == []
    bench.show(bench.photo(seen(1)), lesson)
    assert len(bench.shown) == 1


def test_a_cancelled_photo_teaches_nothing(bench: Bench) -> None:
    lesson = bench.sets.begin("mine", "d6")
    running = bench.sets.show(
        bench.photo(seen(1)), lesson, done=bench.shown.append, failed=bench.told.append,
        progress=bench.told.append, told=bench.told.append,
    )  # fmt: skip
    running.thread.join(timeout=30)  # type: ignore[attr-defined]
    running.cancel()
    while bench.posts:
        bench.posts.pop(0)()
    assert bench.shown == []
    assert bench.told == []
    assert lesson.colours() == ()


def test_a_set_that_cannot_be_used_is_told_and_reading_goes_on(bench: Bench) -> None:
    for name in ("fine", "broken", "old"):
        save_set(_set(name), bench.folder)
    (bench.folder / "broken.dice.json").write_text("{")
    old = bench.folder / "old.dice.json"
    old.write_text(json.dumps({**json.loads(old.read_text()), "version": 1}))
    assert bench.sets.sets() == (
        SetRow("broken", trouble="damaged"), SetRow("fine", "d6", ("red",)), SetRow("old", trouble="old"),
    )  # fmt: skip
    for name, trouble in (("broken", "damaged"), ("old", "old"), ("lost", "gone"), ("../x", "gone")):
        bench.name = name
        assert bench.sets.chosen() == SetRow(name, trouble=trouble)
        bench.read()
    assert bench.used == [None] * 4
    # one that is learnt again is seen at once, one that is deleted is gone at once
    bench.name = "old"
    save_set(_set("old"), bench.folder)
    assert bench.sets.chosen() == SetRow("old", "d6", ("red",))
    assert bench.sets.delete("old") == ""
    assert bench.sets.delete("old") == ""
    assert bench.sets.chosen() == SetRow("old", trouble="gone")


def test_no_set_is_used_that_was_not_chosen(bench: Bench) -> None:
    save_set(_set("table"), bench.folder)
    bench.read()
    assert bench.used == [None]


def test_names_are_checked_before_a_lesson(bench: Bench) -> None:
    assert bench.sets.name_fault("Änne's dice") == ""
    assert bench.sets.name_fault("../x").startswith("set name '../x': use up to 40 letters")


def test_a_camera_that_fails_is_one_line(bench: Bench) -> None:
    bench.camera = ScriptedFrames(
        [CameraError(Say("{name}: unplugged", name=Typed("cam")))] * 3 + [bench.picture(seen(1))] * 20
    )
    bench.show("/dev/video0", bench.sets.begin("mine", "d6"))
    assert any("cam: unplugged" in str(text) for text in bench.told)
