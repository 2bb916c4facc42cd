"""Which cameras are there, which are busy, and what a test of one says; over a made-up list of the kernel's."""

from __future__ import annotations

import errno
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.adapters.cameras import PI_CAMERA, CameraWatch, FoundCamera, find_cameras, probe, take_picture
from companion.core.text import Say, Typed
from companion.pages import i18n
from companion.pages.hardware import DeviceState, State
from companion.pages.speak import speak
from vision.errors import CameraError


def listed(sys: Path, name: str, *, title: str, index: int = 0, bus: str = "devices/pci0/usb1/1-1") -> None:
    """Add a video device to a made-up /sys."""
    entry = sys / "class" / "video4linux" / name
    entry.mkdir(parents=True)
    (entry / "index").write_text(f"{index}\n")
    (entry / "name").write_text(f"{title}\n")
    real = sys / bus
    real.mkdir(parents=True, exist_ok=True)
    (entry / "device").symlink_to(real)


def test_only_the_picture_files_of_usb_cameras_are_cameras(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    listed(tmp_path, "video10", title="Second", bus="devices/usb2/2-1")
    listed(tmp_path, "video2", title="First")
    listed(tmp_path, "video3", title="First", index=1)
    listed(tmp_path, "video19", title="bcm2835-codec", bus="devices/platform/codec")
    (tmp_path / "class" / "video4linux" / "video4").mkdir()
    assert find_cameras(tmp_path, Path("/dev")) == (
        FoundCamera("/dev/video2", "First"),
        FoundCamera("/dev/video10", "Second"),
    )
    (tmp_path / "rpicam-still").write_text("#!/bin/sh\n")
    (tmp_path / "rpicam-still").chmod(0o755)
    assert find_cameras(tmp_path, Path("/dev"))[-1].key == PI_CAMERA


def test_a_machine_without_cameras_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_cameras(tmp_path / "none") == ()


@pytest.mark.parametrize(
    ("code", "state"),
    [
        (None, "working"),
        (errno.EBUSY, "busy"),
        (errno.ENOTTY, "working"),
        (errno.EINVAL, "working"),
        (errno.ENODEV, "lost"),
    ],
)
def test_what_the_kernel_answers(tmp_path: Path, code: int | None, state: State) -> None:
    device = tmp_path / "video0"
    device.touch()
    asked: list[int] = []

    def ioctl(_file: int, request: int, _buffers: bytes) -> object:
        asked.append(request)
        if code is not None:
            raise OSError(code, "no")
        return 0

    assert probe(str(device), ioctl) == state
    assert asked == [0xC0145608]


def test_a_device_that_is_gone_is_unplugged() -> None:
    assert probe("/dev/video-that-is-not-there") == "lost"
    assert probe(PI_CAMERA) == "working"


class Desk:
    """A watch over cameras that are plugged by hand."""

    def __init__(self) -> None:
        self.calls: deque[Callable[[], None]] = deque()
        self.changes = 0
        self.there: dict[str, str] = {}
        self.busy: set[str] = set()
        self.gives: tuple[int, int] | Exception = (1280, 720)
        self.taking, self.go = threading.Event(), threading.Event()
        self.go.set()
        self.watch = CameraWatch(self.calls.append, find=self.find, probe=self.probe, take=self.take)
        self.held = self.watch.subscribe(self.changed)

    def changed(self) -> None:
        self.changes += 1

    def find(self) -> tuple[FoundCamera, ...]:
        return tuple(FoundCamera(key, name) for key, name in self.there.items())

    def probe(self, key: str) -> State:
        return "lost" if key not in self.there else "busy" if key in self.busy else "working"

    def take(self, _key: str, _name: str) -> tuple[int, int]:
        self.taking.set()
        assert self.go.wait(10)
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives

    def settle(self) -> None:
        """Let the threads end and make their calls."""
        for thread in threading.enumerate():
            if thread.name in ("cameras", "camera-test"):
                thread.join(10)
        while self.calls:
            self.calls.popleft()()

    def look(self) -> tuple[DeviceState, ...]:
        self.watch.look()
        self.settle()
        return self.watch.devices()

    def test(self) -> DeviceState:
        self.watch.test("/dev/video0")
        self.settle()
        return self.watch.devices()[0]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_plugged_in_busy_unplugged_and_back(desk: Desk) -> None:
    (none,) = desk.look()
    assert (none.state, speak(none.line)) == ("absent", "No camera is plugged in; enter the dice by hand.")
    assert desk.changes == 0
    desk.there["/dev/video0"] = "Logi"
    (one,) = desk.look()
    assert (one.state, one.can_test) == ("working", True)
    assert "Logi is connected" in speak(one.line)
    desk.busy.add("/dev/video0")
    assert (
        speak(desk.look()[0].line)
        == "Another program is using the camera Logi. Close it, or enter the dice by hand."
    )
    desk.there.clear()
    (gone,) = desk.look()
    assert (gone.state, gone.can_test) == ("lost", False)
    assert speak(gone.line) == "The camera Logi is unplugged. Plug it in again, or enter the dice by hand."
    desk.busy.clear()
    desk.there["/dev/video0"] = "Logi"
    assert desk.look()[0].state == "working"
    assert desk.changes == 4
    desk.look()
    assert desk.changes == 4, "nothing new, nothing told"
    desk.held.cancel()
    desk.held.cancel()


def test_a_test_takes_a_picture(desk: Desk) -> None:
    desk.there["/dev/video0"] = "Logi"
    desk.look()
    done = desk.test()
    assert speak(done.line) == "The camera Logi took a picture of 1280 by 720."
    assert done.can_test


def test_while_a_picture_is_taken_it_says_so_and_a_look_does_not_disturb(desk: Desk) -> None:
    desk.there["/dev/video0"] = "Logi"
    desk.look()
    desk.go.clear()
    desk.watch.test("/dev/video0")
    assert desk.taking.wait(10)
    desk.watch.test("/dev/video0")
    desk.watch.look()
    for thread in threading.enumerate():
        if thread.name == "cameras":
            thread.join(10)
    (one,) = desk.watch.devices()
    assert (one.state, one.can_test) == ("trying", False)
    desk.go.set()
    desk.settle()
    assert desk.watch.devices()[0].state == "working"


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (CameraError(Say("Logi: gives no picture")), "Logi: gives no picture"),
        (RuntimeError("a bug"), "The camera returned no picture."),
    ],
)
def test_a_test_that_fails_says_why(desk: Desk, fault: Exception, line: str) -> None:
    desk.there["/dev/video0"] = "Logi"
    desk.look()
    desk.gives = fault
    done = desk.test()
    assert (done.state, speak(done.line)) == ("failed", line)


def test_a_camera_pulled_during_its_test_is_unplugged(desk: Desk) -> None:
    desk.there["/dev/video0"] = "Logi"
    desk.look()
    desk.gives = CameraError(Say("no picture"))
    desk.go.clear()
    desk.watch.test("/dev/video0")
    desk.there.clear()
    desk.go.set()
    desk.settle()
    assert desk.watch.devices()[0].state == "lost"


@pytest.fixture
def german() -> Iterator[None]:
    i18n.use_language("de")
    yield
    i18n.use_language("en")


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (
            CameraError(
                Say(
                    "{name}: gives no picture; was it unplugged? Plug it in again, or enter the dice by hand",
                    name=Typed("Logi"),
                )
            ),
            "Logi: liefert kein Bild; wurde sie abgezogen? Wieder einstecken oder die Würfel eintippen",
        ),
        (RuntimeError("a bug"), "Die Kamera hat kein Bild geliefert."),
    ],
)
def test_a_test_that_fails_says_why_in_german(desk: Desk, fault: Exception, line: str) -> None:
    desk.there["/dev/video0"] = "Logi"
    desk.look()
    desk.gives = fault
    assert speak(desk.test().line) == line


@pytest.mark.usefixtures("german")
def test_a_camera_is_called_by_the_name_that_the_screen_shows() -> None:
    with pytest.raises(CameraError) as caught:
        take_picture("/dev/video-that-is-not-there", "Logi")
    line = speak(caught.value.say)
    assert line == "Logi: nicht eingesteckt; einstecken oder die Würfel eintippen"


@pytest.mark.usefixtures("german")
def test_in_german(desk: Desk) -> None:
    desk.there["/dev/video0"] = "Logi"
    desk.busy.add("/dev/video0")
    desk.look()
    (one,) = desk.watch.devices()
    assert speak(one.name) == "Kamera"
    assert speak(one.line).startswith("Ein anderes Programm benutzt die Kamera Logi")
