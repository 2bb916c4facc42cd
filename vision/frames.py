"""Where pictures come from: a file, a folder that photos arrive in, a USB camera, or a script of files.

All stand behind ``FrameSource``, as does the Pi's camera (``vision.picamera``). Opening a missing, busy or unplugged camera
raises ``CameraError`` with one line for the screen; closing twice is safe. Nothing here decides what is a roll
(``vision.settle``) or reads dice.
"""

from __future__ import annotations

__all__ = [
    "FrameSource",
    "PhotoFile",
    "ScriptedFrames",
    "UsbCamera",
    "WatchedFolder",
]

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say, Typed
from vision.errors import CameraError, PhotoError
from vision.folder import CompletePhotos
from vision.load import load_photo
from vision.v4l2 import Use, ask

Image = NDArray[np.uint8]


class FrameSource(Protocol):
    """One place that pictures come from. Every method may raise ``CameraError``; all run off the interface thread."""

    name: str
    """For the screen."""
    is_live: bool
    """Whether pictures come one after another, so that a roll is seen to come to rest; else each picture is a roll."""

    def open(self) -> None:
        """Get ready; does nothing when open."""

    def preview(self) -> Image | None:
        """Return the newest small picture (BGR), or None when there is no newer one."""

    def still(self) -> Image:
        """Take one sharp picture in full size."""

    def interrupt(self) -> None:
        """End a wait of the other methods soon, with a ``CameraError``. The only one that other threads may call."""

    def close(self) -> None:
        """Let go of the device; twice is safe."""


class PhotoFile:
    """One photo file: the preview and the still are the same."""

    is_live = False

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.name = self.path.name
        self._shown = False

    def open(self) -> None:
        """Forget that it was shown."""
        self._shown = False

    def preview(self) -> Image | None:
        """Return the photo once."""
        if self._shown:
            return None
        self._shown = True
        return self.still()

    def still(self) -> Image:
        """Read the file; CameraError, with the reason, where it is no photo that can be read."""
        try:
            return load_photo(self.path)
        except PhotoError as error:
            raise CameraError(error.say) from error

    def interrupt(self) -> None:
        """Do nothing: nothing waits."""

    def close(self) -> None:
        """Do nothing."""


class WatchedFolder:
    """A folder that a phone or camera puts photos in; each new, complete photo is given once, oldest first.

    Photos that lie there when the folder is opened are not new. A file that turns out not to be a photo is skipped and
    kept in ``skipped``.
    """

    is_live = False

    def __init__(self, folder: Path | str, looks: int = 8, name: str = "") -> None:
        """Take a photo as complete as ``CompletePhotos`` does."""
        self.folder = Path(folder)
        self.name = name or f"folder {self.folder.name}"
        self.path: Path | None = None
        """The photo that was last given."""
        self.skipped: list[PhotoError] = []
        self._photos = CompletePhotos(folder, looks)
        self._known: dict[str, tuple[int, int]] = {}
        self._last: Image | None = None

    def open(self) -> None:
        """Take what lies there as old."""
        self.skipped.clear()
        self._known = self._photos.look()

    def preview(self) -> Image | None:
        """Return the next new photo, or None."""
        now = self._photos.look()
        for name in sorted((n for n in now if now[n] != self._known.get(n)), key=lambda n: (now[n][1], n)):
            self._known[name] = now[name]
            try:
                self._last = load_photo(self.folder / name)
            except PhotoError as error:
                self.skipped.append(error)
                continue
            self.path = self.folder / name
            return self._last
        return None

    def still(self) -> Image:
        """Return the photo that was last given; CameraError while there is none."""
        if self._last is None:
            raise CameraError(Say("no new photo in {folder} yet", folder=Typed(str(self.folder))))
        return self._last

    def interrupt(self) -> None:
        """Do nothing: nothing waits."""

    def close(self) -> None:
        """Forget the last photo."""
        self._last = None


class UsbCamera:
    """A USB camera through V4L2. Written against OpenCV's documented behaviour; see the README for what was tried."""

    is_live = True

    def __init__(
        self,
        device: str = "/dev/video0",
        size: tuple[int, int] = (2592, 1944),
        warm_up: int = 5,
        name: str = "",
        ask: Callable[[str], Use] = ask,
    ) -> None:
        """Nothing is opened yet; ``ask`` says whether the device is free."""
        self.device, self.size, self.warm_up, self._ask = device, size, warm_up, ask
        self._is_interrupted = False
        self.name = name or f"USB camera {device}"
        self._capture: Any = None

    def open(self) -> None:
        """Open the device and ask for MJPEG in the wanted size, in pixels; the camera may give less.

        Raises:
            CameraError: It is not plugged in, another program uses it, or it gives no picture.
        """
        if self._capture is not None:
            return
        self._is_interrupted = False
        use = self._ask(self.device)
        if use == "lost":
            raise CameraError(
                Say("{name}: not plugged in; plug it in, or enter the dice by hand", name=Typed(self.name))
            )
        if use == "busy":
            raise CameraError(
                Say(
                    "{name}: another program is using it; close that program, or enter the dice by hand",
                    name=Typed(self.name),
                )
            )
        if use == "denied":
            raise CameraError(
                Say(
                    "{name}: this user may not use it; add the user to the group video, or enter the dice by hand",
                    name=Typed(self.name),
                )
            )
        capture = cv2.VideoCapture(self.device, cv2.CAP_V4L2)
        if not capture.isOpened():
            capture.release()
            raise CameraError(
                Say(
                    "{name}: is there, but gives no picture; choose another camera, or enter the dice by hand",
                    name=Typed(self.name),
                )
            )
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._capture = capture

    def _grab(self) -> Image:
        if self._capture is None:
            raise CameraError(Say("{name}: not open", name=Typed(self.name)))
        if self._is_interrupted:
            raise CameraError(Say("{name}: stopped", name=Typed(self.name)))
        ok, frame = self._capture.read()
        if not ok or frame is None:
            self.close()
            raise CameraError(
                Say(
                    "{name}: gives no picture; was it unplugged? Plug it in again, or enter the dice by hand",
                    name=Typed(self.name),
                )
            )
        return np.asarray(frame, np.uint8)

    def preview(self) -> Image | None:
        """Return the next frame."""
        return self._grab()

    def still(self) -> Image:
        """Drop the buffered frames and return a fresh one."""
        for _ in range(self.warm_up):
            self._grab()
        return self._grab()

    def interrupt(self) -> None:
        """End at the next frame; what the driver waits for cannot be cut short."""
        self._is_interrupted = True

    def close(self) -> None:
        """Release the device."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class ScriptedFrames:
    """A camera fed from files or arrays: the shipped fake.

    Each item is a picture, a path, or a ``CameraError`` to raise. ``preview`` gives them in order, then None;
    ``still`` gives the last one given. ``calls`` records what was asked of it.
    """

    def __init__(
        self,
        items: Iterable[Image | Path | CameraError],
        name: str = "scripted camera",
        *,
        is_live: bool = True,
    ) -> None:
        self.items = list(items)
        self.name, self.is_live = name, is_live
        self.calls: list[str] = []
        self._at = 0
        self._last: Image | None = None

    def _get(self, item: Image | Path | CameraError) -> Image:
        if isinstance(item, CameraError):
            raise item
        if isinstance(item, Path):
            try:
                return load_photo(item)
            except PhotoError as error:
                raise CameraError(error.say) from error
        return item

    def open(self) -> None:
        """Record it."""
        self.calls.append("open")

    def preview(self) -> Image | None:
        """Give the next item."""
        self.calls.append("preview")
        if self._at >= len(self.items):
            return None
        self._at += 1
        self._last = self._get(self.items[self._at - 1])
        return self._last

    def still(self) -> Image:
        """Give the last picture again; CameraError before the first."""
        self.calls.append("still")
        if self._last is None:
            raise CameraError(Say("{name}: no picture yet", name=Typed(self.name)))
        return self._last

    def interrupt(self) -> None:
        """Record it."""
        self.calls.append("interrupt")

    def close(self) -> None:
        """Record it."""
        self.calls.append("close")

    def assert_done(self) -> None:
        """Fail with AssertionError unless every item was given."""
        left = len(self.items) - self._at
        if left:
            raise AssertionError(f"{left} of {len(self.items)} frames were never asked for")
