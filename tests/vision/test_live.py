"""A watched tray: one reading a roll, and cameras that fail leave the app alive."""

from __future__ import annotations

import numpy as np
import pytest

from vision.errors import CameraError
from vision.frames import ScriptedFrames
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
    assert lamp.was == [True, False, True, False]
    assert read[0].photo_hash != read[1].photo_hash
    assert read[0].photo is not None
    assert read[0].photo_hash == photo_hash(read[0].photo)
    assert news[-1].moment is None
    camera.assert_done()


def test_an_unplugged_camera_is_one_line_and_comes_back() -> None:
    unplugged = CameraError(
        "USB camera /dev/video0: gives no picture; was it unplugged? Plug it in again, or type the dice"
    )
    camera = ScriptedFrames(
        [*(_table(60, i) for i in range(5)), unplugged, *(_table(60, 9 + i) for i in range(20))]
    )
    table = LiveTable(camera, _reader)
    news = [table.step() for _ in range(26)]
    problems = [n.problem for n in news if n.problem]
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


def test_the_button_reads_at_once_and_tells_a_dark_tray() -> None:
    dark = np.zeros((240, 320, 3), np.uint8)
    camera = ScriptedFrames([dark])
    table = LiveTable(camera, _reader)
    assert table.read_again().problem == "scripted camera: no picture yet"
    table.step()
    news = table.read_again()
    assert news.moment is Moment.SETTLED
    assert news.advice == ("almost black: switch the tray light on",)


@pytest.mark.parametrize("size", [(10, 10), (12, 9)])
def test_photo_hash_tells_pictures_apart(size: tuple[int, int]) -> None:
    a = np.zeros((*size, 3), np.uint8)
    b = a.copy()
    b[0, 0, 0] = 1
    assert photo_hash(a) == photo_hash(a.copy())
    assert photo_hash(a) != photo_hash(b)
    assert photo_hash(a) != photo_hash(a.reshape(size[1], size[0], 3)) or size[0] == size[1]
