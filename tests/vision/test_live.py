"""A watched tray: one reading a roll, and cameras that fail leave the app alive."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.core.text import Say, Typed
from vision.errors import CameraError
from vision.frames import PhotoFile, ScriptedFrames, WatchedFolder
from vision.live import LiveTable, photo_hash
from vision.settle import Moment
from vision.types import Readings


def _table(x: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    image = np.full((240, 320, 3), 70, np.float32)
    image[100:130, x : x + 30] = 220
    image[110:114, x + 8 : x + 22] = 10
    return np.clip(image + rng.normal(0, 1, image.shape), 0, 255).astype(np.uint8)


class _Lamp:
    def __init__(self) -> None:
        self.was: list[bool] = []

    def set(self, on: bool) -> None:
        self.was.append(on)


def _reader(image: np.ndarray) -> Readings:
    return Readings(image.shape[1], image.shape[0], ())


def test_two_rolls_are_read_twice_with_the_lamp_on() -> None:
    frames = (
        [_table(60, i) for i in range(20)]
        + [_table(60 + 17 * i, 30 + i) for i in range(8)]
        + [_table(200, 60 + i) for i in range(20)]
    )
    camera, lamp = ScriptedFrames(frames), _Lamp()
    table = LiveTable(camera, _reader, light=lamp)
    news = [table.step() for _ in range(len(frames) + 2)]
    read = [n for n in news if n.readings is not None]
    assert len(read) == 2
    assert lamp.was == [True], "lit while the tray is watched"
    table.close()
    table.close()
    assert lamp.was == [True, False]
    assert read[0].photo_hash != read[1].photo_hash
    assert read[0].photo is not None
    assert read[0].photo_hash == photo_hash(read[0].photo)
    assert news[-1].moment is None
    camera.assert_done()


def test_an_unplugged_camera_is_one_line_and_comes_back() -> None:
    unplugged = CameraError(
        Say(
            "USB camera /dev/video0: gives no picture; was it unplugged? Plug it in again, or enter the dice by hand"
        )
    )
    camera = ScriptedFrames(
        [*(_table(60, i) for i in range(5)), unplugged, *(_table(60, 9 + i) for i in range(20))]
    )
    table = LiveTable(camera, _reader)
    news = [table.step() for _ in range(26)]
    problems = [str(n.problem) for n in news if n.problem]
    assert problems == [str(unplugged)]
    assert "\n" not in problems[0]
    assert [n for n in news if n.readings is not None], "it is read after it came back"
    assert camera.calls.count("open") == 2
    table.close()
    table.close()


def test_a_reader_that_stops_leaves_the_roll_to_be_read() -> None:
    answers = iter([RuntimeError("stopped"), None])

    def reader(image: np.ndarray) -> Readings:
        error = next(answers)
        if error:
            raise error
        return _reader(image)

    table = LiveTable(ScriptedFrames([_table(60, i) for i in range(30)]), reader)
    read = stopped = 0
    for _ in range(30):
        try:
            read += table.step().readings is not None
        except RuntimeError:
            stopped += 1
    assert (read, stopped) == (1, 1)


def _count(table: LiveTable, steps: int) -> int:
    """Take so many steps; return how many rolls were read."""
    return sum(table.step().readings is not None for _ in range(steps))


def _rolled(x: int) -> list[np.ndarray]:
    """A die that lies at 60, is rolled, and comes to rest at another place."""
    return (
        [_table(60, i) for i in range(20)]
        + [_table(60 + 17 * i, 30 + i) for i in range(8)]
        + [_table(x, 60 + i) for i in range(20)]
    )


_GLITCH = CameraError(Say("{name}: gives no picture", name=Typed("scripted camera")))


def test_a_camera_that_fails_after_a_reading_does_not_read_the_roll_again() -> None:
    camera = ScriptedFrames(
        [*(_table(60, i) for i in range(20)), _GLITCH, *(_table(60, 40 + i) for i in range(25))]
    )
    table = LiveTable(camera, _reader)
    assert _count(table, 46) == 1
    camera.assert_done()


def test_a_camera_that_comes_back_brighter_does_not_read_the_roll_again() -> None:
    bright = [np.clip(_table(60, 40 + i) * 1.15, 0, 255).astype(np.uint8) for i in range(25)]
    table = LiveTable(ScriptedFrames([*(_table(60, i) for i in range(20)), _GLITCH, *bright]), _reader)
    assert _count(table, 46) == 1


def test_a_roll_made_while_the_camera_was_away_is_read() -> None:
    camera = ScriptedFrames(
        [*(_table(60, i) for i in range(20)), _GLITCH, *(_table(75, 40 + i) for i in range(25))]
    )
    assert _count(LiveTable(camera, _reader), 46) == 2


def test_a_watch_that_is_taken_up_again_leaves_what_was_read() -> None:
    camera = ScriptedFrames([*(_table(60, i) for i in range(20)), *(_table(60, 40 + i) for i in range(20))])
    table = LiveTable(camera, _reader)
    assert _count(table, 20) == 1
    table.close()
    assert _count(table, 20) == 0
    assert camera.calls.count("open") == 2


class _NoStill(ScriptedFrames):
    """A camera whose first still fails."""

    def still(self) -> np.ndarray:
        """Fail once."""
        if "still" not in self.calls:
            self.calls.append("still")
            raise _GLITCH
        return super().still()


def test_a_still_that_fails_leaves_the_roll_to_be_read() -> None:
    camera = _NoStill([_table(60, i) for i in range(45)])
    assert _count(LiveTable(camera, _reader), 46) == 1


def test_the_button_while_the_dice_calm_down_is_the_only_reading() -> None:
    camera = ScriptedFrames(_rolled(200))
    table = LiveTable(camera, _reader)
    assert _count(table, 20) == 1
    while table.step().moment is not Moment.CALMING:
        pass
    assert table.read_again().readings is not None
    assert _count(table, 30) == 0


def test_the_button_waits_until_the_camera_is_used_to_the_light() -> None:
    table = LiveTable(ScriptedFrames([_table(60, i) for i in range(10)]), _reader, warm_frames=3)
    news = [table.read_again() for _ in range(4)]
    assert [n.readings is not None for n in news] == [False, False, False, True]
    assert all(n.preview is not None for n in news)


def test_frames_before_the_camera_is_used_to_the_light_are_not_judged() -> None:
    dark = [np.zeros((240, 320, 3), np.uint8)] * 12
    lit = [_table(60, i) for i in range(30)]
    seen: list[float] = []

    def reader(image: np.ndarray) -> Readings:
        seen.append(float(image.mean()))
        return _reader(image)

    assert _count(LiveTable(ScriptedFrames(dark + lit), reader, warm_frames=12), 42) == 1
    assert seen[0] > 50, "the tray, not the dark before the lamp"


def test_a_die_that_spins_on_is_not_read_before_it_falls() -> None:
    def spinning(i: int) -> np.ndarray:
        image = _table(60, i)
        image[100:130, 60:90] = 220
        turn = 12 + 9 * (i % 3 - 1)
        image[100 + turn : 106 + turn, 64:86] = 10
        return image

    frames = [spinning(i) for i in range(60)]
    table = LiveTable(ScriptedFrames([*frames, *(_table(60, i) for i in range(20))]), _reader)
    assert _count(table, 60) == 0
    assert _count(table, 20) == 1


def test_a_source_that_is_not_live_is_read_at_each_new_picture() -> None:
    lamp = _Lamp()
    camera = ScriptedFrames([_table(60, 1), _table(60, 1)], is_live=False)
    table = LiveTable(camera, _reader, light=lamp)
    assert _count(table, 5) == 2
    assert table.read_again().readings is not None
    table.close()
    assert lamp.was == [], "no lamp helps a photo that is there"


def test_photos_that_arrive_in_a_folder_are_read_once_each(tmp_path: Path) -> None:
    table = LiveTable(WatchedFolder(tmp_path), _reader)
    assert _count(table, 3) == 0
    for name in ("one.png", "two.png"):
        cv2.imwrite(str(tmp_path / name), _table(60, 1))
        assert _count(table, 5) == 1


def test_a_photo_file_is_read_once(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), _table(60, 1))
    assert _count(LiveTable(PhotoFile(tmp_path / "one.png"), _reader), 5) == 1


def test_a_silent_camera_is_told_and_opened_again() -> None:
    camera = ScriptedFrames([])
    table = LiveTable(camera, _reader, patience=3)
    problems = [table.step().problem for _ in range(4)]
    assert [str(p) for p in problems if p] == [
        "scripted camera: gives no picture; check its cable, or enter the dice by hand"
    ]
    assert "close" in camera.calls


def test_a_camera_that_repeats_one_picture_for_ever_is_a_fault_and_a_dark_or_still_tray_is_none() -> None:
    stuck = LiveTable(ScriptedFrames([_table(60, 1)] * 40), _reader, most_alike=20)
    news = [stuck.step() for _frame in range(40)]
    told = [str(n.problem) for n in news if n.problem is not None]
    assert told[0] == (
        "scripted camera: sends the same picture over and over; unplug it and plug it in again, or type in the dice"
    )
    assert len(told) == 1, "opened again, it is judged anew"
    for frames in ([np.zeros((240, 320, 3), np.uint8)] * 40, [_table(60, seed) for seed in range(40)]):
        table = LiveTable(ScriptedFrames(frames), _reader, most_alike=20)
        assert all(table.step().problem is None for _frame in range(40))


@pytest.mark.parametrize("where", ["open", "preview", "still"])
def test_the_lamp_goes_out_when_a_camera_fails(where: str) -> None:
    class Failing(ScriptedFrames):
        def _fail(self, name: str) -> None:
            if name == where:
                raise _GLITCH

        def open(self) -> None:
            self._fail("open")

        def preview(self) -> np.ndarray | None:
            self._fail("preview")
            return super().preview()

        def still(self) -> np.ndarray:
            self._fail("still")
            return super().still()

    lamp = _Lamp()
    table = LiveTable(Failing([_table(60, i) for i in range(30)]), _reader, light=lamp)
    while table.step().problem is None:
        pass
    assert lamp.was == ([] if where == "open" else [True, False])


def test_the_button_reads_at_once_and_tells_a_dark_tray() -> None:
    dark = np.zeros((240, 320, 3), np.uint8)
    camera = ScriptedFrames([dark])
    table = LiveTable(camera, _reader, warm_frames=0)
    news = table.read_again()
    assert news.moment is Moment.SETTLED
    assert news.readings is not None
    assert [str(note) for note in news.advice] == [
        "almost black: put more light on the tray, and keep the lens clear"
    ]


@pytest.mark.parametrize("size", [(10, 10), (12, 9)])
def test_photo_hash_tells_pictures_apart(size: tuple[int, int]) -> None:
    a = np.zeros((*size, 3), np.uint8)
    b = a.copy()
    b[0, 0, 0] = 1
    assert photo_hash(a) == photo_hash(a.copy())
    assert photo_hash(a) != photo_hash(b)
    assert photo_hash(a) != photo_hash(a.reshape(size[1], size[0], 3)) or size[0] == size[1]
