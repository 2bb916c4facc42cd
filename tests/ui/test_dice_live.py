"""The Dice screen with a watched tray: pictures that are fed stand for the camera, all else is real, by real taps."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import cv2
import numpy as np
import pytest

from companion.adapters.cameras import FoundCamera
from companion.adapters.dice_eye import VisionEye
from companion.adapters.panel_link import PanelLink
from companion.core.dice import DiceSource
from companion.core.text import Say, Typed
from companion.pages.dice_live import LiveState, LiveView
from companion.pages.hardware import State
from companion.pages.i18n import _
from companion.testing import harness
from companion.ui.screens.dice_live import LivePanel
from hardware.fake import FakePanel
from tests.ui.test_battle import Plugged, Table
from tests.ui.test_dice import PHOTOS, TWO_WHITE, correct
from vision.errors import CameraError
from vision.frames import ScriptedFrames, UsbCamera

ROW = "USB camera Logi"


class Camera(ScriptedFrames):
    """A fed camera that fails the test if two have it at once."""

    is_open = False

    def open(self) -> None:
        assert not self.is_open, "two looks at one camera"
        self.is_open = True
        super().open()

    def close(self) -> None:
        self.is_open = False
        super().close()


class Gate:
    """Lets the reading thread take one step at a time; no time passes."""

    def __init__(self) -> None:
        self._go, self._arrived = threading.Semaphore(0), threading.Semaphore(0)

    def pause(self, wake: threading.Event, _seconds: float) -> None:
        self._arrived.release()
        while not wake.is_set() and not self._go.acquire(timeout=0.01):
            pass

    def go_on(self) -> None:
        """Let the thread take a step more, wherever it is."""
        self._go.release()

    def step(self, thread: threading.Thread) -> bool:
        """Wait until the thread has paused, and let it go on; False when it has ended."""
        while not self._arrived.acquire(timeout=0.01):
            if not thread.is_alive():
                return False
        self._go.release()
        return True


class Live:
    """A battle that waits for two white dice, beside a camera that is fed."""

    def __init__(
        self,
        folder: Path,
        frames: list[np.ndarray | CameraError],
        *,
        size: tuple[int, int] = (800, 480),
        language: str = "en",
        look: str = "night",
        camera: Any = None,
    ) -> None:
        from companion.games.sfw.rules.battle_commands import BeginBattle, ChangeUnits, DeclareBattle

        self.table = Table(size)
        for name, value in (("language", language), ("theme", look)):
            self.table.ui.root.set(name, value)
        self.camera: Any = Camera(frames) if camera is None else camera
        self.calls: list[Callable[[], None]] = []
        self.gate = Gate()
        self.panel = FakePanel()
        self.link = PanelLink(
            self.panel, self.table.desk, now_ns=lambda: self.panel.at_ns, post=self.calls.append
        )
        self.link.start(ticking=False)
        self.there: tuple[FoundCamera, ...] = (FoundCamera("/dev/video0", "Logi"),)
        self.state: State = "working"
        self.eye = VisionEye(
            folder,
            self.calls.append,
            light=self.link.light_tray,
            cameras=lambda: self.there,
            probe=lambda _key: self.state,
            source=None if camera == "real" else lambda _key, _name: self.camera,
            pause=self.gate.pause,
        )
        self.table.ui.root.eye = self.eye
        self.table.ui.root.cameras = Plugged("working")
        desk = self.table.desk
        desk.send(DeclareBattle("Taranto", "land"))
        for side, nation, count in (("attacking", "us", 2), ("defending", "italy", 1)):
            for _n in range(count):
                desk.send(ChangeUnits(self.table.battle.id, side, "infantry", nation))
        desk.send(BeginBattle(self.table.battle.id))
        self.table.ui.settle()
        self.thread: Any = None

    @property
    def screen(self) -> Any:
        return self.table.ui.root.screen

    def watch(self, row: str = ROW) -> None:
        """Choose the camera."""
        if self.screen.key != "dice":
            self.table.tap(_("Read the dice"))
        self.table.tap(row)
        self.thread = self.screen._look.thread

    def steps(self, most: int = 1000) -> list[str]:
        """Let the reading thread go on; return the lines that stood on the screen, without repetitions."""
        lines: list[str] = []
        for _n in range(most):
            goes_on = self.gate.step(self.thread)
            self.show()
            if self.screen.key == "dice" and self.screen._panel is not None:
                line = self.screen._panel.line.text
                if not lines or lines[-1] != line:
                    lines.append(line)
            if not goes_on:
                break
        return lines

    def show(self) -> None:
        """Make the calls that wait for the interface thread."""
        while self.calls:
            self.calls.pop(0)()
        self.table.ui.settle()

    def ended(self) -> None:
        """Wait until the reading thread has ended, and let what it still says arrive."""
        self.thread.join(60)
        assert not self.thread.is_alive()
        self.show()

    def light(self) -> list[float]:
        """Return the levels that the panel's tray light went through."""
        levels = [level for name, level in self.panel.commands if name == "set_tray_light"]
        return [level for i, level in enumerate(levels) if i == 0 or levels[i - 1] != level]


def photo() -> np.ndarray:
    image = cv2.imread(str(PHOTOS / TWO_WHITE))
    assert image is not None
    return cv2.resize(
        image, (960, round(image.shape[0] * 960 / image.shape[1])), interpolation=cv2.INTER_AREA
    )


LYING = photo()


def rolling(count: int) -> list[np.ndarray | CameraError]:
    return [np.roll(LYING, (37 * (i + 1), 53 * i), axis=(0, 1)) for i in range(count)]


def lying(count: int) -> list[np.ndarray | CameraError]:
    return [LYING] * count


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    harness.clear()
    from companion.pages import i18n

    i18n.use_language("en")


def test_a_roll_in_the_tray_is_seen_read_and_recorded(tmp_path: Path) -> None:
    live = Live(tmp_path, [*rolling(10), *lying(20)])
    live.watch()
    lines = live.steps()
    assert lines[:3] == ["Getting ready", "The dice are moving", "The dice have settled"]
    assert live.screen.photo is not None
    assert live.camera.calls.count("still") == 1
    assert not live.camera.is_open, "let go of as soon as the roll is read"
    assert live.light() == [0.0, 1.0, 0.0]
    correct(live.table, 11, 4)
    assert live.table.ui.faults() == []
    live.table.tap("Accept")
    roll = live.table.desk.sent[-1].command.roll  # type: ignore[attr-defined]
    assert sorted(roll.values()) == [4, 11]
    assert roll.origin.source == DiceSource.CAMERA
    assert len(roll.origin.photo_sha256) == 64
    assert roll.origin.proposed


def test_the_picture_moves_while_nothing_else_is_drawn_anew(tmp_path: Path) -> None:
    live = Live(tmp_path, rolling(20))
    live.watch()
    live.steps(2)
    panel = live.table.ui.find(cls=LivePanel)
    seen = []
    for _n in range(3):
        live.steps(3)
        live.table.ui.frames(2)
        x, y = live.screen._picture.center
        pixels = live.table.ui.pixels()
        row = pixels.shape[0] - 1 - round(y)
        seen.append(pixels[row - 40 : row + 40, round(x) - 60 : round(x) + 60, :3].astype(int))
    assert live.table.ui.find(cls=LivePanel) is panel
    assert all(np.abs(a - b).mean() > 1 for a, b in itertools.pairwise(seen)), "it moves"
    live.table.tap("Cancel")
    live.ended()


def test_dice_that_were_read_wait_for_a_roll_or_for_the_button(tmp_path: Path) -> None:
    live = Live(tmp_path, [*lying(20), *lying(15), *lying(12), *lying(20)])
    live.watch()
    live.steps()
    assert live.screen.photo is not None
    live.table.tap("Another photo") if live.screen.chosen < 0 else None
    while live.screen.photo is not None:
        live.screen.choose(-1)
        live.table.ui.settle()
        live.table.tap("Another photo")
    live.watch()
    lines = live.steps(15)
    assert lines[-1] == "These dice have been read. Roll again, or read them again."
    assert live.camera.calls.count("still") == 1
    live.table.tap("Read again")
    live.steps()
    assert live.screen.photo is not None
    assert live.camera.calls.count("still") == 2
    # once more, from beside the photo
    live.screen.choose(-1)
    live.table.ui.settle()
    assert live.table.ui.faults() == []
    live.table.tap("Read again")
    live.thread = live.screen._look.thread
    live.steps()
    assert live.screen.photo is not None
    assert live.camera.calls.count("still") == 3


def test_cancel_and_leaving_let_the_camera_go_at_once(tmp_path: Path) -> None:
    live = Live(tmp_path, rolling(40))
    live.watch()
    live.steps(12)
    assert live.camera.is_open
    live.table.tap("Cancel")
    live.ended()
    assert not live.camera.is_open
    assert live.table.ui.has(ROW)
    live.watch()
    live.steps(8)
    assert live.camera.is_open
    live.table.tap("Back")
    live.ended()
    assert live.screen.key == "battle"
    assert not live.camera.is_open
    assert live.light() == [0.0, 1.0, 0.0, 1.0, 0.0]


def test_the_next_look_waits_until_the_last_has_let_the_camera_go(tmp_path: Path) -> None:
    class Slow(Camera):
        taking, go = threading.Event(), threading.Event()

        def still(self) -> np.ndarray:
            self.taking.set()
            assert self.go.wait(60)
            return super().still()

    camera = Slow([*lying(20), *rolling(30)])
    live = Live(tmp_path, [], camera=camera)
    live.watch()
    before = live.thread
    while not camera.taking.wait(0.01):
        live.gate.go_on()
    live.table.tap("Cancel")
    live.watch()
    while not live.calls:
        live.thread.join(0.01)
    live.show()
    assert live.table.ui.has("The camera is still closing")
    camera.go.set()
    before.join(60)
    assert live.eye._models is None, "a photo that nobody waits for is not read"
    while camera.calls.count("open") < 2:
        live.thread.join(0.01)
    live.table.tap("Cancel")
    live.ended()
    assert camera.calls.count("open") == 2


def test_a_camera_that_is_pulled_is_one_line_and_typing_goes_on(tmp_path: Path) -> None:
    pulled = CameraError(
        Say(
            "{name}: gives no picture; was it unplugged? Plug it in again, or enter the dice by hand",
            name=Typed("Logi"),
        )
    )
    live = Live(tmp_path, [*rolling(8), *[pulled] * 50])
    live.watch()
    live.steps(12)
    assert live.table.ui.has("Logi: gives no picture; was it unplugged?")
    assert live.table.ui.faults() == []
    live.table.tap("Back")
    live.ended()
    assert live.screen.key == "battle"
    assert live.table.ui.has("Read the dice")


@pytest.mark.parametrize(
    ("state", "row", "line"),
    [
        (
            "busy",
            "USB camera Logi: another program uses it",
            "USB camera Logi: another program is using it; close that program, or enter the dice by hand",
        ),
        (
            "denied",
            "USB camera Logi: this user has no access to it",
            "USB camera Logi: this user may not use it; add the user to the group video, or enter the dice by hand",
        ),
    ],
)
def test_a_camera_that_cannot_be_used_says_why_before_and_after_the_tap(
    tmp_path: Path, state: State, row: str, line: str
) -> None:
    live = Live(tmp_path, [], camera=UsbCamera("/dev/video0", name=ROW, ask=lambda _device: state))  # type: ignore[arg-type, return-value]
    live.state = state
    live.table.tap("Read the dice")
    live.table.ui.root._tick()
    for thread in threading.enumerate():
        if thread.name == "dice-search":
            thread.join(60)
    live.show()
    live.watch(row)
    live.steps(1)
    assert live.table.ui.has(line)
    live.table.tap("Cancel")
    live.ended()


def test_a_camera_that_is_unplugged_leaves_the_list(tmp_path: Path) -> None:
    live = Live(tmp_path, [])
    live.table.tap("Read the dice")
    assert live.table.ui.has(ROW)
    live.there = ()
    live.table.ui.root._tick()
    for thread in threading.enumerate():
        if thread.name == "dice-search":
            thread.join(60)
    live.show()
    assert not live.table.ui.has(ROW)
    assert live.table.ui.has("No camera, and no photo in the folder")


def test_a_photo_that_arrives_in_the_watched_folder_is_the_roll(tmp_path: Path) -> None:
    live = Live(tmp_path, [], camera="real")
    live.watch(live.eye.sources()[-1][1])
    live.steps(3)
    assert live.table.ui.has("Waiting for a new photo in the folder")
    assert not live.table.ui.has("Read now")
    assert live.table.ui.faults() == []
    shutil.copy(PHOTOS / TWO_WHITE, tmp_path / "roll.jpg")
    live.steps()
    assert live.screen.photo.sha256 == hashlib.sha256((tmp_path / "roll.jpg").read_bytes()).hexdigest()
    assert live.light() == [0.0], "no lamp helps a photo"


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", harness.SIZES)
def test_the_live_view_is_whole_at_every_size(tmp_path: Path, size: tuple[int, int], language: str) -> None:
    live = Live(tmp_path, rolling(8), size=size, language=language)
    live.table.tap(_("Read the dice"))
    assert live.table.ui.faults() == []
    live.watch(_("USB camera {device}").format(device="Logi"))
    live.steps(2)
    pulled = "{name}: gives no picture; was it unplugged? Plug it in again, or enter the dice by hand"
    soft = "out of focus: check that the camera's autofocus is on and its lens clean"
    dark = "almost black: put more light on the tray, and keep the lens clear"
    views = [LiveView(state, advice=(_(soft), _(dark))) for state in get_args(LiveState)]
    for view in (*views, LiveView("opening", problem=_(pulled).format(name="USB camera Logi"))):
        live.screen._shown(view)
        live.table.ui.settle()
        assert live.table.ui.faults() == [], view.state
    live.table.ui.key(27)
    live.ended()
    assert not live.camera.is_open
