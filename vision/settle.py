"""Do the dice lie still, and is this a new roll? A pure function over small frames; no clock, no camera.

A roll is an episode of movement followed by stillness. Values never matter: the same values rolled again are a new
roll, because the picture moved and came to rest differently; a hand that passes and leaves the dice as they were is
none, because the picture is the one that was read.
"""

from __future__ import annotations

__all__ = ["FrameState", "Moment", "Settings", "reopened", "small_gray", "start", "taken", "watch"]

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
_SIZE = (160, 120)


class Moment(StrEnum):
    """What a frame means."""

    LEARNING = "learning"
    """Too few frames to know the camera's noise."""
    MOVING = "moving"
    """Something moves."""
    CALMING = "calming"
    """Still, but not long enough."""
    STILL = "still"
    """Still, and nothing new: the roll was read, or none was made."""
    SETTLED = "settled"
    """Came to rest just now and looks different: take the sharp frame and read it. Said once a roll."""


@dataclass(frozen=True, slots=True)
class Settings:
    """When stillness counts; frames are whatever the source gives (about 10 a second)."""

    still_frames: int = 6
    """Quiet frames in a row that count as rest."""
    learn_frames: int = 4
    """First frames, from which the noise is learnt."""
    factor: float = 4.0
    """Movement is a difference of this many times the noise..."""
    least: float = 1.2
    """...but at least this many gray levels, in the liveliest part of the picture."""


@dataclass(frozen=True, slots=True)
class FrameState:
    """What is remembered between frames."""

    seen: int = 0
    noise: float = 0.0
    """Usual difference of two frames at rest, gray levels, in the liveliest part."""
    quiet: int = 0
    moved: bool = False
    """Movement since the last rest."""
    last: F32 | None = None
    read: F32 | None = None
    """The picture of the last roll, at rest."""


def start() -> FrameState:
    """Return the state before any frame."""
    return FrameState()


def reopened(state: FrameState) -> FrameState:
    """Return the state for a camera that was away: what was read stays read, the noise is known, all else begins anew."""
    return FrameState(noise=state.noise, read=state.read)


def taken(state: FrameState, gray: F32 | None = None) -> FrameState:
    """Return the state after a picture was read without waiting for rest: what lies there now is no new roll.

    Args:
        gray: The picture that was read; None takes the last one seen.
    """
    return replace(state, moved=False, read=state.last if gray is None else gray)


def small_gray(image: NDArray[np.uint8]) -> F32:
    """Make the small gray picture that ``watch`` compares: (120, 160) float32, 0..255."""
    small = cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small
    return np.asarray(cv2.GaussianBlur(gray, (0, 0), 1.0), np.float32)


def _difference(a: F32, b: F32) -> float:
    """Return the difference in the liveliest 8x8 block, after taking out a change of the whole picture's light."""
    d = a - b
    d = np.abs(d - np.median(d))
    h, w = d.shape
    blocks = d[: h // 8 * 8, : w // 8 * 8].reshape(h // 8, 8, w // 8, 8).mean(axis=(1, 3))
    return float(blocks.max())


def _is_same(gray: F32, read: F32, limit: float) -> bool:
    """Say whether two pictures at rest show the same things, also where the camera or a lamp made one brighter."""
    if _difference(gray, read) <= limit:
        return True
    spread = float(np.var(read))
    if spread < 1.0:
        return False
    gain = float(np.mean((gray - gray.mean()) * (read - read.mean()))) / spread
    return 0.4 <= gain <= 2.5 and _difference(gray, gain * read) <= limit * max(1.0, gain)


def watch(state: FrameState, gray: F32, settings: Settings | None = None) -> tuple[FrameState, Moment]:
    """Take one small gray frame in; return the new state and what the frame means.

    The first picture at rest counts as settled too: dice that already lie there are read.
    """
    s = settings or Settings()
    if state.last is None or state.last.shape != gray.shape:
        read = state.read if state.read is not None and state.read.shape == gray.shape else None
        return FrameState(seen=1, noise=state.noise, last=gray, moved=True, read=read), Moment.LEARNING
    change = _difference(gray, state.last)
    limit = max(s.least, s.factor * state.noise)
    learning = state.seen < s.learn_frames
    if change > limit and not learning:
        return replace(state, seen=state.seen + 1, quiet=0, moved=True, last=gray), Moment.MOVING
    # at rest the noise is followed slowly, so that a lamp that flickers does not stop reading for good
    noise = min(change, 6.0) if state.noise == 0 else 0.92 * state.noise + 0.08 * min(change, 2 * limit)
    if learning:
        noise = max(state.noise, 0.0) if change > 12 else noise
        return replace(state, seen=state.seen + 1, noise=noise, last=gray), Moment.LEARNING
    quiet = state.quiet + 1
    after = replace(state, seen=state.seen + 1, noise=noise, quiet=quiet, last=gray)
    if not state.moved:
        return after, Moment.STILL
    if quiet < s.still_frames:
        return after, Moment.CALMING
    is_same = state.read is not None and _is_same(gray, state.read, limit)
    after = replace(after, moved=False, read=gray)
    return after, Moment.STILL if is_same else Moment.SETTLED
