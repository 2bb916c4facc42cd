"""Is the photo good enough? Focus, exposure and glare, and what to do about it, in words for the table."""

from __future__ import annotations

__all__ = ["blot", "exposure", "focus", "photo_advice", "sharpness", "shine"]

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say
from vision.types import Flag, Pose, Reading

_WHITE, _AS_LIGHT = 244, 220
_LEAST_WHITE, _ALL_WHITE = (_WHITE + 1,) * 3, (255,) * 3


def _square(image: NDArray[np.uint8], x: float, y: float, half: float) -> NDArray[np.uint8]:
    h, w = image.shape[:2]
    x0, x1 = int(max(0, x - half)), int(min(w, x + half + 1))
    y0, y1 = int(max(0, y - half)), int(min(h, y + half + 1))
    return image[y0:y1, x0:x1]


def shine(image: NDArray[np.uint8], pose: Pose, unit_px: float) -> float:
    """Return the share of the top face that is blown out to white, 0..1."""
    part = _square(image, pose.top[0], pose.top[1], 0.6 * unit_px)
    if part.size == 0:
        return 0.0
    return float((part.min(axis=2) > 247).mean())


def blot(image: NDArray[np.uint8], pose: Pose, unit_px: float) -> float:
    """Return the radius of the largest white spot on the top face, in face units; 0 where what surrounds it is as light.

    A stroke of a numeral holds a disc of up to 0.1, a pip one of up to 0.17; what is larger hides what is printed there.
    """
    part = _square(image, pose.top[0], pose.top[1], 0.9 * unit_px)
    if part.size == 0 or not cv2.hasNonZero(cv2.inRange(part, _LEAST_WHITE, _ALL_WHITE)):
        return 0.0
    darkest = cv2.min(cv2.min(part[:, :, 0], part[:, :, 1]), part[:, :, 2])
    scale = 48 / max(darkest.shape)
    level = cv2.resize(darkest, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    white = cv2.copyMakeBorder(
        cv2.compare(level, _WHITE, cv2.CMP_GT), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0
    )
    _least, radius, _at, (x, y) = cv2.minMaxLoc(cv2.distanceTransform(white, cv2.DIST_L2, 5)[1:-1, 1:-1])
    outer, inner = round(2.4 * radius) + 2, round(1.6 * radius) + 1
    ring = np.zeros(level.shape, np.uint8)
    cv2.circle(ring, (x, y), outer, 255, -1)
    cv2.circle(ring, (x, y), inner, 0, -1)
    around = level[ring > 0]
    # A white face in strong light is white around its lightest place too; there, no spot can be told.
    if around.size == 0 or np.count_nonzero(around > _AS_LIGHT) > around.size / 4:
        return 0.0
    return float(radius / (scale * unit_px))


def sharpness(image: NDArray[np.uint8], pose: Pose) -> float:
    """Return how crisp a die's picture is: energy of fine detail over all detail, about 0 (soft) to 0.3; 1 for one under 8 pixels."""
    part = _square(image, pose.found.x, pose.found.y, pose.found.radius)
    if min(part.shape[:2]) < 8:
        return 1.0
    gray = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).astype(np.float32)
    size = 96
    if max(gray.shape) > size:
        gray = cv2.resize(gray, (size, size), interpolation=cv2.INTER_AREA)
    fine = gray - cv2.GaussianBlur(gray, (0, 0), 1.0)
    return float(fine.var() / (gray.var() + 4.0))


def focus(image: NDArray[np.uint8]) -> float:
    """Return a focus figure of a whole frame, 0 or more, that does not depend on its size: compare frames of one camera."""
    h, w = image.shape[:2]
    k = 960 / max(h, w)
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if k < 1:
        gray = cv2.resize(gray, (round(w * k), round(h * k)), interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(gray, cv2.CV_32F).var())


def exposure(image: NDArray[np.uint8]) -> tuple[float, float, float]:
    """Return (share of black, middle brightness, share of white) of a frame, each 0..1."""
    step = max(1, max(image.shape[:2]) // 200)  # every so many pixels tells as much as all of them
    small = cv2.resize(image[::step, ::step], (96, 72), interpolation=cv2.INTER_AREA)
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return float((gray < 8).mean()), float(np.median(gray)) / 255, float((gray > 250).mean())


def photo_advice(image: NDArray[np.uint8], dice: Sequence[Reading]) -> tuple[Say, ...]:
    """Say what would make the next photo better; empty when nothing is wrong."""
    out = []
    _, middle, white = exposure(image)
    doubtful = [d for d in dice if not d.is_sure]
    if any(Flag.GLARE in d.flags for d in dice):
        out.append(Say("a lamp is reflected on the dice: move the lamp aside or use softer light"))
    if len([d for d in dice if Flag.BLURRED in d.flags]) > max(1, len(dice) // 3):
        out.append(Say("the photo is blurry: let the camera focus again and hold it still"))
    if any(Flag.TOO_SMALL in d.flags for d in dice):
        out.append(Say("the dice are too small in the photo: bring the camera closer or take a larger photo"))
    if any(Flag.CUT in d.flags for d in doubtful):
        out.append(Say("a die is cut off at the edge of the photo: move the dice or the camera"))
    if middle < 0.05 and (doubtful or not dice):
        out.append(Say("the photo is very dark: put more light on the tray"))
    if white > 0.6 and (doubtful or not dice):
        out.append(Say("the photo is overexposed: use less light or a shorter exposure"))
    return tuple(out)
