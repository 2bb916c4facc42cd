"""A tray that is watched in the reading thread: what is told, what is read, and when the camera is let go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from companion.adapters import dice_watch
from companion.adapters.dice_eye import VisionEye
from companion.adapters.dice_watch import Tray, Watching, watch_tray
from companion.core.text import Say, Typed
from companion.pages.dice_live import LiveView, live_line
from vision.errors import CameraError
from vision.frames import ScriptedFrames
from vision.live import LiveNews
from vision.types import Reading, Readings

EMPTY = -100
"""Where a die would have to lie to be outside the picture."""


def table(x: int, seed: int, size: tuple[int, int] = (240, 320)) -> np.ndarray:
    """Make a tray with a die at `x`, or none."""
    image = np.full((*size, 3), 70, np.float32)
    if x >= 0:
        image[100:130, x : x + 30] = 220
        image[110:114, x + 8 : x + 22] = 10
    return np.clip(image + np.random.default_rng(seed).normal(0, 1, image.shape), 0, 255).astype(np.uint8)


def still(x: int, count: int, seed: int = 0) -> list[np.ndarray]:
    return [table(x, seed + i) for i in range(count)]


def rolling(count: int) -> list[np.ndarray]:
    return [table(40 + 17 * (i % 12), 500 + i) for i in range(count)]


class Watch:
    """One tray and what is told of it; no time passes, and the watch ends with its pictures."""

    def __init__(self, *items: np.ndarray | CameraError) -> None:
        self.camera = ScriptedFrames(items)
        self.lit: list[bool] = []
        self.tray = Tray(self.camera, self.lit.append)
        self.views: list[LiveView] = []
        self.waits: list[float] = []
        self.readings = 0
        self.running = self.next = Watching()
        """The look under way, and the one that begins next."""
        self.at: dict[int, Callable[[], None]] = {}
        """What happens at a step."""

    def read(self, image: np.ndarray) -> Readings:
        self.readings += 1
        found = np.argwhere(image[115, :, 0] > 150)
        dice = (Reading("d12", "white", 4, 0.99, float(found.mean()), 115, 15),) if len(found) else ()
        return Readings(image.shape[1], image.shape[0], dice)

    def pause(self, _wake: threading.Event, seconds: float) -> None:
        self.waits.append(seconds)
        self.at.get(len(self.waits), lambda: None)()
        if self.camera._at >= len(self.camera.items):
            self.running.cancel()

    def go(self) -> LiveNews | None:
        self.running = self.next
        self.next = Watching()
        return watch_tray(self.tray, self.running, self.read, self.views.append, self.pause)

    def states(self) -> list[str]:
        """Return the states that were told, without repetitions."""
        told = [view.state for view in self.views]
        return [state for i, state in enumerate(told) if i == 0 or told[i - 1] != state]


def test_a_roll_is_told_step_by_step_and_read_once() -> None:
    watch = Watch(*still(EMPTY, 20), *rolling(10), *still(60, 20))
    news = watch.go()
    assert news is not None
    assert news.readings is not None
    assert len(news.readings.dice) == 1
    assert watch.states() == [
        "opening", "still", "reading", "waiting", "moving", "still", "reading",
    ]  # fmt: skip
    assert watch.readings == 2, "the empty tray, and the roll"
    assert watch.camera.calls[-1] == "close"
    assert watch.lit == [True, False]


def test_what_was_read_is_not_read_by_the_next_look_but_by_the_button() -> None:
    watch = Watch(*still(60, 60))
    assert watch.go() is not None
    watch.views.clear()
    watch.at[len(watch.waits) + 15] = watch.next.read_now
    news = watch.go()
    assert news is not None
    assert "read" in watch.states()
    assert watch.readings == 2
    assert watch.camera.calls.count("open") == 2
    assert watch.go() is None
    assert watch.readings == 2


def test_a_look_that_is_to_read_now_reads_as_soon_as_the_camera_is_ready() -> None:
    watch = Watch(*rolling(20))
    watch.next.wants_now = True
    assert watch.go() is not None
    assert len(watch.waits) == 5, "the frames in which the camera gets used to the light"


def test_the_same_values_rolled_again_are_read_again() -> None:
    watch = Watch(*still(60, 20), *rolling(10), *still(75, 20))
    assert watch.go() is not None
    assert watch.go() is not None
    assert watch.readings == 2


def test_a_die_that_spins_on_is_told() -> None:
    watch = Watch(*still(EMPTY, 20), *rolling(100))
    assert watch.go() is None
    assert watch.states()[-2:] == ["moving", "spinning"]
    assert "Stop a spinning die" in live_line("spinning", is_camera=True)


def test_a_camera_that_fails_is_told_and_tried_again_after_a_second() -> None:
    watch = Watch(
        *still(60, 4), CameraError(Say("{name}: gives no picture", name=Typed("Logi"))), *still(60, 20)
    )
    assert watch.go() is not None
    assert [view.problem for view in watch.views if view.problem] == ["Logi: gives no picture"]
    assert watch.waits.count(1.0) == 1
    assert watch.lit == [True, False, True, False]


def test_frames_are_shown_at_most_five_a_second_and_no_larger_than_a_screen() -> None:
    watch = Watch(*[table(EMPTY, 1, (972, 1296))] * 25)
    assert watch.go() is None
    shown = [view for view in watch.views if view.rgb and view.state != "reading"]
    assert 1 < len(shown) <= sum(watch.waits) / 0.2 + 1
    assert {(view.width_px, view.height_px) for view in shown} == {(640, 480)}
    assert len(shown[0].rgb) == 640 * 480 * 3


def test_a_screen_that_is_slow_is_sent_no_further_frames() -> None:
    watch = Watch(*still(EMPTY, 40))
    watch.next.is_showing = True
    assert watch.go() is None
    assert [view.state for view in watch.views if view.rgb] == ["reading"]


def test_a_tray_where_nothing_happens_is_looked_at_more_seldom_and_let_go_after_ten_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert dice_watch._IDLE_S == 600
    monkeypatch.setattr(dice_watch, "_IDLE_S", 20)  # each step takes a while

    class Endless(ScriptedFrames):
        def preview(self) -> np.ndarray | None:
            """Give the same tray again and again."""
            self._last = tray
            return self._last

    tray = table(EMPTY, 1)
    watch = Watch()
    watch.camera.items = [table(EMPTY, 1)]
    watch.tray = Tray(Endless([]), watch.lit.append)
    with pytest.raises(CameraError, match="nothing happened for ten minutes"):
        watch.go()
    assert watch.waits[-1] == 0.25
    assert 20 < sum(watch.waits) < 24
    assert watch.lit == [True, False]


def test_advice_on_the_light_is_told_while_nothing_is_read() -> None:
    watch = Watch(*[np.zeros((240, 320, 3), np.uint8)] * 20)
    assert watch.go() is None
    assert watch.views[-1].advice == ("almost black: put more light on the tray, and keep the lens clear",)


@pytest.mark.parametrize("fails", [RuntimeError, CameraError])
def test_whatever_the_reader_raises_the_camera_and_the_lamp_are_let_go(fails: type[Exception]) -> None:
    watch = Watch(*still(60, 20))

    def read(_image: np.ndarray) -> Readings:
        raise fails("no")

    with pytest.raises(fails):
        watch_tray(watch.tray, watch.running, read, watch.views.append, watch.pause)
    assert watch.camera.calls[-1] == "close"
    assert watch.lit == [True, False]
    assert not watch.tray.lock.locked()


def test_a_photo_is_not_read_where_the_look_was_cancelled_while_it_was_taken() -> None:
    class Slow(ScriptedFrames):
        def still(self) -> np.ndarray:
            """Be cancelled meanwhile."""
            watch.running.cancel()
            return super().still()

    watch = Watch()
    watch.camera = Slow(still(60, 20))
    watch.tray = Tray(watch.camera, watch.lit.append)
    assert watch.go() is None
    assert watch.readings == 0
    assert "interrupt" in watch.camera.calls
    assert watch.camera.calls[-1] == "close"


@pytest.fixture
def held() -> Iterator[Watch]:
    watch = Watch(*still(60, 20))
    watch.tray.lock.acquire()
    yield watch
    if watch.tray.lock.locked():
        watch.tray.lock.release()


def test_one_look_at_a_time_has_a_camera(held: Watch) -> None:
    thread = threading.Thread(target=held.go)
    thread.start()
    while not held.views:
        thread.join(0.01)
    assert held.states() == ["closing"]
    assert held.camera.calls == []
    held.tray.lock.release()
    thread.join(60)
    assert held.readings == 1


def test_a_look_that_waits_for_the_camera_can_be_cancelled(held: Watch) -> None:
    thread = threading.Thread(target=held.go)
    thread.start()
    while not held.views:
        thread.join(0.01)
    held.running.cancel()
    thread.join(60)
    assert not thread.is_alive()
    assert held.camera.calls == []


@pytest.mark.parametrize(
    ("folder", "shown"),
    [
        ("a-folder-far-down-in-other-folders/photos-of-dice", "…/photos-of-dice"),
        ("photos-" + "of-dice-" * 9, "…/photos-of-dice-of-dice-of-dice-of…"),
    ],
)
def test_a_long_folder_is_called_by_its_end_on_its_key(tmp_path: Path, folder: str, shown: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    eye = VisionEye(tmp_path / folder, lambda call: call(), cameras=tuple)
    assert [name for _key, name in eye.sources()] == [f"Wait for a new photo in {shown}"]
    assert eye.place() == str(tmp_path / folder)
