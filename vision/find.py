"""Finding dice: the photo made small, a map of centres, its peaks."""

from __future__ import annotations

__all__ = ["LONG_PX", "find_dice", "peaks", "small_photo"]

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Found

LONG_PX = 640
"""Long side of the photo that the finder looks at."""
_GRAY = (114, 114, 114)
Net = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def small_photo(image: NDArray[np.uint8], long_px: int = LONG_PX) -> tuple[NDArray[np.float32], float]:
    """Scale a photo (h, w, 3) BGR to ``long_px`` and pad it to multiples of 32.

    Returns:
        Blob (1, 3, h', w') float32 0..1, and the scale from photo to blob pixels.
    """
    h, w = image.shape[:2]
    k = long_px / max(h, w)
    sw, sh = max(8, round(w * k)), max(8, round(h * k))
    flags = cv2.INTER_AREA if k < 1 else cv2.INTER_LINEAR
    small = cv2.resize(image, (sw, sh), interpolation=flags)
    small = cv2.copyMakeBorder(small, 0, -sh % 32, 0, -sw % 32, cv2.BORDER_CONSTANT, value=_GRAY)
    blob = np.ascontiguousarray(small.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    return blob, k


def peaks(grid: NDArray[np.float32], least: float) -> list[Found]:
    """Take the peaks of a map (5, h, w): centre logit, dx, dy in radii, log(radius/16), on-a-die; in blob pixels."""
    heat = grid[0]
    floor = float(np.log(least / (1 - least)))
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= top) & (heat > floor))
    order = np.argsort(-heat[ys, xs], kind="stable")
    kept: list[Found] = []
    for i in order[:400]:
        y, x = int(ys[i]), int(xs[i])
        dx, dy, size = (float(v) for v in grid[1:4, y, x])
        radius = 16 * float(np.exp(np.clip(size, -2, 3)))
        fx, fy = x * 4 + 1.5 + radius * dx, y * 4 + 1.5 + radius * dy
        score = 1 / (1 + float(np.exp(-heat[y, x])))
        if all((fx - p.x) ** 2 + (fy - p.y) ** 2 > (0.62 * max(radius, p.radius)) ** 2 for p in kept):
            kept.append(Found(fx, fy, radius, score))
    return kept


def _merge(first: list[Found], second: list[Found]) -> list[Found]:
    kept = list(first)
    for f in second:
        if all((f.x - p.x) ** 2 + (f.y - p.y) ** 2 > (0.7 * max(f.radius, p.radius)) ** 2 for p in kept):
            kept.append(f)
    return kept


def find_dice(
    image: NDArray[np.uint8], net: Net, *, least: float = 0.3, limit: int = 60
) -> tuple[Found, ...]:
    """Find dice in a photo (h, w, 3) uint8 BGR; best first, at most ``limit``.

    A second look follows at another size where the first shows dice too small or too large to be judged at
    ``LONG_PX``, or nothing at all.
    """
    h, w = image.shape[:2]

    def look(part: NDArray[np.uint8], long_px: int, ox: float = 0.0, oy: float = 0.0) -> list[Found]:
        blob, k = small_photo(part, long_px)
        out = []
        for p in peaks(net(blob)[0], least):
            x, y, r = (p.x + 0.5) / k - 0.5 + ox, (p.y + 0.5) / k - 0.5 + oy, p.radius / k
            if -0.3 * r < x - ox < part.shape[1] + 0.3 * r and -0.3 * r < y - oy < part.shape[0] + 0.3 * r:
                out.append(Found(x, y, r, p.score))
        return out

    found = look(image, LONG_PX)
    k = LONG_PX / max(h, w)
    sure = [f.radius * k for f in found if f.score > 0.5]
    middle = float(np.median(sure)) if sure else 0.0
    for smaller in (LONG_PX // 2, LONG_PX // 4):
        if middle > 70 or not sure:
            close = [f for f in look(image, smaller) if f.radius * k > 60]
            found = _merge(close, found) if middle > 70 else _merge(found, close)
            sure = [f.radius * k for f in found if f.score > 0.5]
            middle = float(np.median(sure)) if sure else 0.0
            if sure and middle < 140:
                break
    if (middle < 10.5 or not sure) and max(h, w) >= 1.5 * LONG_PX:
        for oy in (0, h - int(h * 0.56)):
            for ox in (0, w - int(w * 0.56)):
                part = image[oy : oy + int(h * 0.56), ox : ox + int(w * 0.56)]
                found = _merge(found, [f for f in look(part, LONG_PX, ox, oy) if f.radius * k < 20])
    found.sort(key=lambda f: -f.score)
    return tuple(found[:limit])
