"""Watching a tray: wait for rest, take one sharp frame, read it once; every step is one call, driven by the app.

Runs in the app's reading thread. Holds a source, never a clock or a window.
"""

from __future__ import annotations

__all__ = ["LiveNews", "LiveTable", "TrayLight", "photo_hash"]

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say, Typed
from vision.checks import exposure, focus
from vision.errors import CameraError
from vision.frames import FrameSource
from vision.settle import FrameState, Moment, Settings, reopened, small_gray, start, taken, watch
from vision.types import Readings
from vision.vote import vote

Image = NDArray[np.uint8]
_MOST_FRAMES = 3
"""Frames of one roll that are read at most while a die is in doubt."""


class TrayLight(Protocol):
    """The lamp over the tray; the app puts the panel's port behind it."""

    def set(self, on: bool) -> None:
        """Light the tray for reading, or let it go back to what it was before. Twice is safe; any thread."""


@dataclass(frozen=True, slots=True)
class LiveNews:
    """What one step brought."""

    moment: Moment | None
    """None when there was no new frame."""
    preview: Image | None = None
    readings: Readings | None = None
    """Only at the step in which a roll came to rest, or was asked for."""
    photo: Image | None = None
    """The frame that was read."""
    path: Path | None = None
    """The file that was read, where it is one."""
    photo_hash: str | None = None
    advice: tuple[Say, ...] = ()
    """About light, and about focus too where a frame was read."""
    problem: CameraError | None = None
    """One line about the camera; dice can still be typed."""


def photo_hash(image: Image) -> str:
    """Return the SHA-256 of a picture's size and pixels, as hex."""
    digest = hashlib.sha256(repr(image.shape).encode())
    digest.update(np.ascontiguousarray(image).data)
    return digest.hexdigest()


class LiveTable:
    """A source that is watched. ``step`` as often as the source has frames; ``close`` at the end.

    What was read is remembered over a failure of the camera and over ``close``: the same dice, unmoved, are never read
    again by themselves. The lamp is lit while the source is open. The first frames after that are only shown, because
    the camera still gets used to the light. A source that is not live is read whenever it has a new picture.
    """

    def __init__(self, source: FrameSource, reader: Callable[[Image], Readings], *, settings: Settings | None = None,
                 light: TrayLight | None = None, warm_frames: int = 5, patience: int = 100, most_alike: int = 100) -> None:  # fmt: skip
        """Open nothing yet.

        Args:
            warm_frames: First frames after opening that are not judged.
            patience: Steps without a frame after which an open camera counts as silent.
            most_alike: Frames without the least difference after which it counts as stuck: a picture of anything has noise.
        """
        self.source, self.reader, self.light = source, reader, light
        self.settings = settings or Settings()
        self.warm_frames, self.patience, self.most_alike = warm_frames, patience, most_alike
        self._state: FrameState = start()
        self._open = False
        self._cold = self._missed = self._alike = 0
        self._before: Image | None = None
        """The frame before, of a live source."""
        self._best_focus = 0.0

    def step(self) -> LiveNews:
        """Take one frame and, when a roll has just come to rest, read it.

        A camera that fails gives news with ``problem``; the next step tries to open it again. Errors of the reader are
        not caught, and what it raises leaves the roll unread: it is read at the next step.
        """
        return self._step(is_asked=False)

    def read_again(self) -> LiveNews:
        """Read the tray now, whatever moves: the button beside the picture.

        News without readings and without a problem mean that the camera is not ready yet: ask again. What was read here
        is not read again by ``step``.
        """
        return self._step(is_asked=True)

    def _step(self, *, is_asked: bool) -> LiveNews:
        before = self._state
        try:
            if not self._open:
                self._get_ready()
            frame = self.source.preview()
            if frame is None and not self.source.is_live and is_asked:
                frame = self.source.still()
            if frame is None:
                return self._none()
            self._missed = 0
            if not self.source.is_live:
                return self._read(frame, frame)
            self._check_alive(frame)
            if self._cold > 0:
                self._cold -= 1
                return LiveNews(Moment.LEARNING, preview=frame)
            self._state, moment = watch(before, small_gray(frame), self.settings)
            if is_asked:
                self._state = taken(self._state)
            elif moment is not Moment.SETTLED:
                return LiveNews(moment, preview=frame, advice=_light_advice(frame))
            photo = self._sharp_still()
        except CameraError as error:
            self._state = before
            self.close()
            return LiveNews(None, problem=error)
        try:
            return self._read(photo, frame)
        except BaseException:
            self._state = before
            raise

    def _get_ready(self) -> None:
        self.source.open()
        self._open = True
        self._cold, self._missed, self._alike, self._before = self.warm_frames, 0, 0, None
        self._state = reopened(self._state)
        if self.light is not None and self.source.is_live:
            self.light.set(True)

    def _check_alive(self, frame: Image) -> None:
        """Raise CameraError where a camera gives one picture for ever. One that is all black or white is told as that instead."""
        is_alike = self._before is not None and np.array_equal(frame, self._before)
        self._before = frame
        self._alike = self._alike + 1 if is_alike and not _light_advice(frame) else 0
        if self._alike >= self.most_alike:
            raise CameraError(
                Say(
                    "{name}: sends the same picture over and over; unplug it and plug it in again, or type in the dice",
                    name=Typed(self.source.name),
                )
            )

    def _none(self) -> LiveNews:
        """Nothing came; a live camera that is silent for long has failed."""
        self._missed += 1
        if self.source.is_live and self._missed > self.patience:
            raise CameraError(
                Say(
                    "{name}: gives no picture; check its cable, or enter the dice by hand",
                    name=Typed(self.source.name),
                )
            )
        return LiveNews(None)

    def _read(self, photo: Image, preview: Image) -> LiveNews:
        readings = self._votes(photo)
        path = getattr(self.source, "path", None)
        advice = self._camera_advice(photo)
        return LiveNews(Moment.SETTLED, preview, readings, photo, path, photo_hash(photo), advice)

    def _votes(self, photo: Image) -> Readings:
        """Read a frame, and while a die is in doubt the next ones of a live source; together they say what lies there.

        A camera that fails meanwhile leaves what was read.
        """
        frames = [self.reader(photo)]
        readings = frames[0]
        while self.source.is_live and readings.to_ask and len(frames) < _MOST_FRAMES:
            try:
                again = self.source.preview()
                if again is not None and again.shape != photo.shape:
                    again = self.source.still()
            except CameraError:
                break
            if again is None:
                break
            frames.append(self.reader(again))
            readings = vote(frames)
        return readings

    def _sharp_still(self) -> Image:
        """Take the still, and once more where it is far softer than this camera's best."""
        photo = self.source.still()
        sharp = focus(photo)
        if sharp < 0.5 * self._best_focus:
            second = self.source.still()
            if focus(second) > sharp:
                photo, sharp = second, focus(second)
        self._best_focus = max(sharp, 0.98 * self._best_focus)
        return photo

    def _camera_advice(self, photo: Image) -> tuple[Say, ...]:
        if self.source.is_live and focus(photo) < 0.25 * self._best_focus:
            soft = Say("out of focus: check that the camera's autofocus is on and its lens clean")
            return (soft, *_light_advice(photo))
        return _light_advice(photo)

    def close(self) -> None:
        """Let the source and the lamp go; twice is safe."""
        was_open, self._open = self._open, False
        try:
            self.source.close()
        finally:
            if was_open and self.light is not None and self.source.is_live:
                self.light.set(False)


def _light_advice(frame: Image) -> tuple[Say, ...]:
    dark, middle, white = exposure(frame)
    if dark > 0.9 or middle < 0.02:
        return (Say("almost black: put more light on the tray, and keep the lens clear"),)
    if white > 0.8:
        return (Say("almost white: dim the light or shorten the exposure"),)
    return ()
