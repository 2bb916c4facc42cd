"""The cameras of this machine for the Hardware screen: which are there, which are busy, and whether one takes a picture.

Cameras are found through the kernel's own list, without opening them. Every look and every picture runs in a thread of
its own. Like `companion.adapters.dice_eye` this knows both `vision` and the screens' port.
"""

from __future__ import annotations

import fcntl
import logging
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from companion.core.text import N_, Say, Typed
from companion.pages.desk import Subscription
from companion.pages.hardware import NO_CAMERA, DeviceState, State

if TYPE_CHECKING:
    from vision.errors import VisionError

__all__ = ["PI_CAMERA", "CameraWatch", "FoundCamera", "find_cameras", "probe", "take_picture"]

_log = logging.getLogger(__name__)

PI_CAMERA = "pi"
"""Key of the Pi's own camera, which has no device file of its own that could be opened here."""

_Told: TypeAlias = "tuple[int, int] | VisionError"
"""Size of the picture that a test took, or why it took none."""


class FoundCamera(msgspec.Struct, frozen=True):
    """A camera as the kernel lists it."""

    key: str
    """Path of its device file, or `PI_CAMERA`."""
    name: str


def find_cameras(sys: Path = Path("/sys"), dev: Path = Path("/dev")) -> tuple[FoundCamera, ...]:
    """Return the USB cameras in the order of their numbers, and the Pi's own where its tools are installed.

    A USB camera has several device files; the first of each gives the pictures. The Pi's codecs, which are listed as
    video devices too, are on no USB and are left out.
    """
    found = []
    listed = (sys / "class" / "video4linux").glob("video*")
    for entry in sorted(listed, key=lambda path: (len(path.name), path.name)):
        try:
            is_usb = "/usb" in str((entry / "device").resolve())
            if is_usb and (entry / "index").read_text().strip() == "0":
                found.append(FoundCamera(str(dev / entry.name), (entry / "name").read_text().strip()))
        except OSError:
            continue  # it went while we looked
    if shutil.which("rpicam-still") is not None:
        found.append(FoundCamera(PI_CAMERA, "Raspberry Pi"))
    return tuple(found)


def probe(key: str, ioctl: Callable[[int, int, bytes], object] = fcntl.ioctl) -> State:
    """Say whether a camera could be used now: ``working``, ``busy``, ``denied`` or ``lost``. Disturbs nobody."""
    from vision.v4l2 import ask

    return "working" if key == PI_CAMERA else ask(key, ioctl)


def take_picture(key: str, name: str) -> tuple[int, int]:
    """Take one picture and return its width and height in pixels. Raises vision.errors.CameraError, which says the name."""
    from vision.frames import FrameSource, UsbCamera
    from vision.picamera import PiCamera

    source: FrameSource = PiCamera(name=name) if key == PI_CAMERA else UsbCamera(key, name=name)
    source.open()
    try:
        height, width = source.still().shape[:2]
    finally:
        source.close()
    return width, height


_LINES: dict[State, str] = {
    "lost": N_("The camera {name} is unplugged. Plug it in again, or enter the dice by hand."),
    "busy": N_("Another program is using the camera {name}. Close it, or enter the dice by hand."),
    "denied": N_("This user has no access to the camera {name} (add the user to the group video)."),
    "trying": N_("The camera {name} is taking a picture."),
}
_IS_THERE = N_("The camera {name} is connected. Test it to take a picture.")


class CameraWatch:
    """The `Cameras` port over this machine; its answers reach the interface thread through `post`."""

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        *,
        find: Callable[[], tuple[FoundCamera, ...]] = find_cameras,
        probe: Callable[[str], State] = probe,
        take: Callable[[str, str], tuple[int, int]] = take_picture,
    ) -> None:
        """Nothing is looked at before the first `look`."""
        self._post, self._find, self._probe, self._take = post, find, probe, take
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}
        self._names: dict[str, str] = {}
        self._told: dict[str, _Told] = {}
        self._listeners: list[Callable[[], None]] = []
        self._looking = False

    def devices(self) -> tuple[DeviceState, ...]:
        """Return every camera that is or was there since the start."""
        with self._lock:
            seen = [
                (key, self._names[key], state, self._told.get(key)) for key, state in self._states.items()
            ]
        if not seen:
            return (DeviceState("camera", Say("Camera"), "absent", NO_CAMERA),)
        return tuple(self._device(*one) for one in seen)

    def _device(self, key: str, name: str, state: State, told: _Told | None) -> DeviceState:
        if state != "working" or told is None:
            line = Say(_LINES.get(state, _IS_THERE), name=Typed(name))
        elif isinstance(told, tuple):
            wide, high = (Typed(str(px)) for px in told)
            line = Say(
                "The camera {name} took a picture of {width} by {height}.",
                name=Typed(name), width=wide, height=high,
            )  # fmt: skip
        else:
            state, line = "failed", told.say
        return DeviceState(key, Say("Camera"), state, line, can_test=state not in ("lost", "trying"))

    def look(self) -> None:
        """Look again in a thread; a look that is still under way is enough."""
        with self._lock:
            if self._looking:
                return
            self._looking = True
        threading.Thread(target=self._look, name="cameras", daemon=True).start()

    def _look(self) -> None:
        try:
            found = {one.key: one.name for one in self._find()}
            states = {key: self._probe(key) for key in found}
        finally:
            with self._lock:
                self._looking = False
        with self._lock:
            before = dict(self._states)
            self._names |= found
            for key, state in states.items():
                if before.get(key) == "lost" and state != "lost":
                    self._told.pop(key, None)
                if before.get(key) != "trying":
                    self._states[key] = state
            for key in before.keys() - found.keys():
                self._states[key] = "lost"
            has_changed = self._states != before
        if has_changed:
            self._tell()

    def test(self, key: str) -> None:
        """Take a picture in a thread and say how that went."""
        with self._lock:
            if self._states.get(key) in (None, "trying"):
                return
            self._states[key] = "trying"
            self._told.pop(key, None)
        self._tell()
        threading.Thread(target=self._try, args=(key,), name="camera-test", daemon=True).start()

    def _try(self, key: str) -> None:
        from vision.errors import CameraError, VisionError

        told: _Told
        try:
            told = self._take(key, self._names[key])
        except VisionError as fault:
            told = fault
        except Exception:
            _log.exception("the test of the camera %s", key)
            told = CameraError(Say("The camera returned no picture."))
        state = self._probe(key)
        with self._lock:
            self._told[key] = told
            self._states[key] = state
        self._tell()

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever a camera came, went or answered."""
        self._listeners.append(listener)
        watch = self

        class _Held:
            def cancel(self) -> None:
                if listener in watch._listeners:
                    watch._listeners.remove(listener)

        return _Held()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            self._post(listener)
