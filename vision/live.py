"""Watching a tray: wait for rest, take one sharp frame, read it once; every step is one call, driven by the app.

Runs in the app's reading thread. Holds a source, never a clock or a window.
"""

from __future__ import annotations

__all__ = ["LiveNews", "LiveTable", "TrayLight", "photo_hash"]

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.checks import exposure, focus
from vision.errors import CameraError
from vision.frames import FrameSource
from vision.settle import FrameState, Moment, Settings, small_gray, start, watch
from vision.types import Readings

Image = NDArray[np.uint8]


class TrayLight(Protocol):
    """The lamp over the tray; the app puts the panel's port behind it."""

    def set(self, on: bool) -> None:
        """Switch it."""


@dataclass(frozen=True, slots=True)
class LiveNews:
    """What one step brought."""

    moment: Moment | None
    """None when there was no new frame."""
    preview: Image | None = None
    readings: Readings | None = None
    """Only at the step in which a roll came to rest."""
    photo: Image | None = None
    """The frame that was read."""
    photo_hash: str | None = None
    advice: tuple[str, ...] = ()
    """About focus and light, from the frame that was read."""
    problem: str | None = None
    """One line about the camera; dice can still be typed."""


def photo_hash(image: Image) -> str:
    """Return the SHA-256 of a picture's size and pixels, as hex."""
    digest = hashlib.sha256(repr(image.shape).encode())
    digest.update(np.ascontiguousarray(image).data)
    return digest.hexdigest()


class LiveTable:
    """A source that is watched. ``step`` as often as the source has frames; ``close`` at the end."""

    def __init__(self, source: FrameSource, reader: Callable[[Image], Readings], *, settings: Settings | None = None,
                 light: TrayLight | None = None) -> None:  # fmt: skip
        self.source, self.reader, self.light = source, reader, light
        self.settings = settings or Settings()
        self._state: FrameState = start()
        self._open = False
        self._best_focus = 0.0

    def step(self) -> LiveNews:
        """Take one frame and, when a roll has just come to rest, read it.

        A camera that fails gives news with ``problem``; the next step tries to open it again. Errors of the reader are
        not caught, and what it raises leaves the roll unread: it is read at the next step.
        """
        try:
            if not self._open:
                self.source.open()
                self._open = True
                self._state = start()
            frame = self.source.preview()
            if frame is None:
                return LiveNews(None)
            before = self._state
            self._state, moment = watch(before, small_gray(frame), self.settings)
            if moment is not Moment.SETTLED:
                return LiveNews(moment, preview=frame)
            photo = self._sharp_still()
        except CameraError as error:
            self.close()
            return LiveNews(None, problem=str(error))
        try:
            readings = self.reader(photo)
        except BaseException:
            self._state = before
            raise
        return LiveNews(moment, frame, readings, photo, photo_hash(photo), self._camera_advice(photo))

    def _sharp_still(self) -> Image:
        """Take the still, and once more where it is far softer than this camera's best."""
        if self.light is not None:
            self.light.set(True)
        try:
            photo = self.source.still()
            sharp = focus(photo)
            if sharp < 0.5 * self._best_focus:
                second = self.source.still()
                if focus(second) > sharp:
                    photo, sharp = second, focus(second)
            self._best_focus = max(sharp, 0.98 * self._best_focus)
        finally:
            if self.light is not None:
                self.light.set(False)
        return photo

    def _camera_advice(self, photo: Image) -> tuple[str, ...]:
        out = []
        if focus(photo) < 0.25 * self._best_focus:
            out.append("out of focus: check that the camera's autofocus is on and its lens clean")
        dark, middle, white = exposure(photo)
        if dark > 0.9 or middle < 0.02:
            out.append("almost black: switch the tray light on")
        if white > 0.8:
            out.append("almost white: dim the light or shorten the exposure")
        return tuple(out)

    def read_again(self) -> LiveNews:
        """Read the tray now, whatever moved: the button beside the picture."""
        try:
            if not self._open:
                self.source.open()
                self._open = True
            photo = self._sharp_still()
        except CameraError as error:
            self.close()
            return LiveNews(None, problem=str(error))
        return LiveNews(
            Moment.SETTLED, photo, self.reader(photo), photo, photo_hash(photo), self._camera_advice(photo)
        )

    def close(self) -> None:
        """Let the source go; twice is safe."""
        self._open = False
        self.source.close()
