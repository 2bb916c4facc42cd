"""Finding dice: the photo made small, a map of centres, its peaks."""

from __future__ import annotations

__all__ = ["LONG_PX", "choose", "find_dice", "peaks", "small_photo"]

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import Levels
from vision.types import Found

LONG_PX = 640
"""Long side of the photo that the finder looks at."""
_CLOSE_PX = 256
"""Long side of the second look, for dice that fill the first."""
_BETWEEN_PX = 384
"""Long side of the look between those two, at photos of few dice: what is too large for the first may be too small for the second."""
_MANY, _SMALL_PX = 6, 30.0
"""So many sure dice of under this radius, in pixels of the first look, are no close-up."""
_PRINT = 0.3
"""Share of a die's radius that a numeral or a pip on it hardly reaches."""
_SKIPS = 0.75
"""Scale under which a photo is averaged as it is made small."""
_GRAY = (114, 114, 114)
_BYTE = np.float32(1 / 255)
Net = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def small_photo(image: NDArray[np.uint8], long_px: int = LONG_PX) -> tuple[NDArray[np.float32], float]:
    """Scale a photo (h, w, 3) BGR to ``long_px`` and pad it to multiples of 32.

    Returns:
        Blob (1, 3, h', w') float32 0..1, and the scale from photo to blob pixels.
    """
    h, w = image.shape[:2]
    k = long_px / max(h, w)
    sw, sh = max(8, round(w * k)), max(8, round(h * k))
    # shrinking by a little, which averaging does at five times the cost, skips no pixels
    flags = cv2.INTER_AREA if k < _SKIPS else cv2.INTER_LINEAR
    small = cv2.resize(image, (sw, sh), interpolation=flags)
    if sh % 32 or sw % 32:
        small = cv2.copyMakeBorder(small, 0, -sh % 32, 0, -sw % 32, cv2.BORDER_CONSTANT, value=_GRAY)
    # plane by plane, in half of the time of ``blobFromImage``
    blob = np.empty((1, 3, *small.shape[:2]), np.float32)
    for plane, values in zip(blob[0], cv2.split(small), strict=True):
        np.multiply(values, _BYTE, out=plane)
    return blob, k


def peaks(grid: NDArray[np.float32], least: float) -> list[Found]:
    """Take the peaks of a map (5, h, w): centre logit, dx, dy in radii, log(radius/16), on-a-die; in blob pixels.

    ``least`` is the probability from which a peak counts, above 0 and below 1.
    """
    heat = grid[0]
    floor = float(np.log(least / (1 - least)))
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= top) & (heat > floor))
    order = np.argsort(-heat[ys, xs], kind="stable")[:400]
    ys, xs = ys[order], xs[order]
    logit, dx, dy, size = grid[:4, ys, xs].astype(np.float64)
    radii = 16 * np.exp(np.clip(size, -2, 3))
    where = zip(
        (xs * 4 + 1.5 + radii * dx).tolist(), (ys * 4 + 1.5 + radii * dy).tolist(), radii.tolist(),
        (1 / (1 + np.exp(-logit))).tolist(), strict=True,
    )  # fmt: skip
    kept: list[Found] = []
    for x, y, radius, score in where:
        if all(math.hypot(x - p.x, y - p.y) > 0.62 * max(radius, p.radius) for p in kept):
            kept.append(Found(x, y, radius, score))
    return kept


def choose(seen: list[Found]) -> list[Found]:
    """Keep one of what several looks saw at one place: the surest; what lies inside a surer, larger die is its print.

    A large find that holds several smaller sure ones is a heap of dice, not one. What is printed on a die is smaller, and
    seldom as sure as a die.
    """
    out: list[Found] = []
    for f in sorted(seen, key=lambda f: -f.score):
        inside = [
            g for g in seen
            if g.score > (0.45 if g.radius > _PRINT * f.radius else 0.75)
            and g.radius < 0.6 * f.radius and math.hypot(f.x - g.x, f.y - g.y) < f.radius
        ]  # fmt: skip
        apart = [g for i, g in enumerate(inside) if all(_far(g, h) > 1.2 for h in inside[:i])]
        if len(apart) > 2:
            continue
        if all(_far(f, g) > 0.7 and (_far(f, g) > 0.95 or f.radius > 0.6 * g.radius) for g in out):
            out.append(f)
    return out


def _far(f: Found, g: Found) -> float:
    """Return the distance of two finds in radii of the larger."""
    return math.hypot(f.x - g.x, f.y - g.y) / max(f.radius, g.radius)


def find_dice(
    image: NDArray[np.uint8] | Levels, net: Net, *, least: float = 0.3, limit: int = 40
) -> tuple[Found, ...]:
    """Find dice in a photo (h, w, 3) uint8 BGR, alone or with its levels; best first.

    What is found has a probability of ``least`` or more (above 0 and below 1). At most ``limit`` dice are returned.

    Photos are looked at in two sizes, since dice of close-ups are too large for the first, all but those in which the
    first shows many sure dice and small ones alone. One more look follows where the second shows dice too large for it, and
    at photos of few dice, which are looked at in a size between the first two as well; and
    four quarters of the photo where dice are too small or none is sure.
    """
    levels = image if isinstance(image, Levels) else Levels(image)
    h, w = levels.image.shape[:2]
    k = LONG_PX / max(h, w)

    def look(long_px: int, least_px: float, box: tuple[int, int, int, int] = (0, 0, w, h)) -> list[Found]:
        """Look at a box (x, y, width, height) of the photo; finds in photo pixels."""
        level, n = levels.near(long_px / max(box[2:]))
        x0, y0 = box[0] // n, box[1] // n
        part = level[y0 : (box[1] + box[3]) // n, x0 : (box[0] + box[2]) // n]
        blob, scale = small_photo(part, long_px)
        high, wide = part.shape[:2]
        out = []
        for p in peaks(net(blob)[0], least):
            x, y, r = (p.x + 0.5) / scale - 0.5, (p.y + 0.5) / scale - 0.5, p.radius / scale
            if p.radius >= least_px and -0.3 * r < x < wide + 0.3 * r and -0.3 * r < y < high + 0.3 * r:
                out.append(Found((x + x0 + 0.5) * n - 0.5, (y + y0 + 0.5) * n - 0.5, r * n, p.score))
        return out

    seen = look(LONG_PX, 0.0)
    plain = [f.radius * k for f in seen if f.score > 0.5]
    few = len(plain) < _MANY
    close = look(_CLOSE_PX, 14.0) if few or max(plain) >= _SMALL_PX else []
    if few or any(f.radius * k * _CLOSE_PX / LONG_PX > 50 for f in close):
        close += look(_CLOSE_PX * 2 // 5, 18.0)
    if few:
        close += look(_BETWEEN_PX, 20.0)
    found = choose(seen + close)
    sure = [f.radius * k for f in found if f.score > 0.5]
    middle = float(np.median(sure)) if sure else 0.0
    if (middle < 10.5 or not sure) and max(h, w) >= 1.5 * LONG_PX:
        tiles: list[Found] = []
        th, tw = int(h * 0.56), int(w * 0.56)
        for oy in (0, h - th):
            for ox in (0, w - tw):
                tiles += [f for f in look(LONG_PX, 0.0, (ox, oy, tw, th)) if f.radius * k < 20]
        found = choose(found + tiles)
    found.sort(key=lambda f: -f.score)
    return tuple(found[:limit])
