"""Cutting squares out of a photo and summing up the whole photo; the same for training and for reading."""

from __future__ import annotations

__all__ = [
    "SCENE_VALUES",
    "Levels",
    "face_patch",
    "percentiles",
    "scene_statistics",
    "small_jpeg",
    "small_rgb",
    "square_crop",
]

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

SCENE_VALUES = 12
"""How many numbers ``scene_statistics`` returns."""
_STATISTICS_PX, _WHOLE_PX = 400, 128
"""Long sides that are enough for them: for dice, and for the photo as a whole."""


class Levels:
    """A photo with its half, quarter and so on, each made when first asked for: what shrinks far starts from there."""

    def __init__(self, image: NDArray[np.uint8]) -> None:
        """Take a photo (h, w, 3) uint8 BGR; it is not copied."""
        self._levels = [image]

    @property
    def image(self) -> NDArray[np.uint8]:
        """The photo itself, (h, w, 3) uint8, BGR."""
        return self._levels[0]

    def near(self, scale: float) -> tuple[NDArray[np.uint8], int]:
        """Return the smallest level that still has to shrink for ``scale``, and its divisor (1, 2, 4 ...).

        ``scale`` is a factor: pixels that are wanted for one of the photo.

        A point x of the photo lies at (x + 0.5) / divisor - 0.5 there. No level has a side under 32 pixels.
        """
        level = 0
        while scale * 2 ** (level + 1) <= 1:
            if level + 1 == len(self._levels):
                last = self._levels[level]
                h, w = last.shape[0] // 2, last.shape[1] // 2
                if min(h, w) < 32:
                    break
                half = cv2.resize(last[: 2 * h, : 2 * w], (w, h), interpolation=cv2.INTER_AREA)
                self._levels.append(np.asarray(half, np.uint8))
            level += 1
        return self._levels[level], 2**level


def square_crop(
    image: NDArray[np.uint8] | Levels, x: float, y: float, reach_px: float, size_px: int
) -> NDArray[np.uint8]:
    """Cut the square of half side ``reach_px`` around (x, y), pixels of the image, and scale it to ``size_px``.

    Args:
        image: (h, w, 3) uint8, BGR, alone or with its levels. Outside of it the border pixels go on.

    Returns:
        (size_px, size_px, 3) uint8.
    """
    k = size_px / (2 * reach_px)
    if isinstance(image, Levels):
        part, n = image.near(k)
        return square_crop(part, (x + 0.5) / n - 0.5, (y + 0.5) / n - 0.5, reach_px / n, size_px)
    if k < 0.5:  # shrink in two steps, or the sampling would skip pixels
        h, w = image.shape[:2]
        x0, y0 = max(0, int(x - reach_px) - 2), max(0, int(y - reach_px) - 2)
        x1, y1 = min(w, int(x + reach_px) + 3), min(h, int(y + reach_px) + 3)
        if x1 - x0 >= 4 and y1 - y0 >= 4:
            part = image[y0:y1, x0:x1]
            target = (max(2, round((x1 - x0) * k)), max(2, round((y1 - y0) * k)))
            small = cv2.resize(part, target, interpolation=cv2.INTER_AREA)
            kx, ky = target[0] / (x1 - x0), target[1] / (y1 - y0)
            m = np.array([[k / kx, 0, size_px / 2 - (x - x0) * k], [0, k / ky, size_px / 2 - (y - y0) * k]])
            return np.asarray(
                cv2.warpAffine(
                    small, m, (size_px, size_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
                ),
                np.uint8,
            )
    m = np.array([[k, 0, size_px / 2 - x * k], [0, k, size_px / 2 - y * k]])
    flags = cv2.INTER_LINEAR if k < 1 else cv2.INTER_CUBIC
    return np.asarray(
        cv2.warpAffine(image, m, (size_px, size_px), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def face_patch(
    crop: NDArray[np.uint8],
    centre: tuple[float, float],
    face: NDArray[np.floating] | Sequence[Sequence[float]],
    size_px: int,
    reach: float,
) -> NDArray[np.uint8]:
    """Rectify one face: the picture vectors ``face`` (2x2, columns right and down, pixels of ``crop``) become axes.

    ``centre`` is in pixels of ``crop``, ``reach`` the half side of the patch in face units.
    """
    k = 2 * reach / size_px
    m = np.array([
        (float(right) * k, float(down) * k, middle - reach * float(right + down))
        for (right, down), middle in zip(face, centre, strict=True)
    ])  # fmt: skip
    return np.asarray(
        cv2.warpAffine(
            crop,
            m,
            (size_px, size_px),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        np.uint8,
    )


def percentiles(values: NDArray[np.uint8], shares: Sequence[float]) -> NDArray[np.float64]:
    """Return the values under which such shares of them lie, 0 to 1, along the first axis: (shares, ...).

    As ``np.percentile`` tells them, in a fraction of its time, since bytes can be counted.
    """
    ranked = np.sort(values, axis=0, kind="stable")
    at = np.array(shares) * (len(ranked) - 1)
    low = at.astype(int)
    below, above = ranked[low].astype(np.float64), ranked[np.minimum(low + 1, len(ranked) - 1)]
    return np.asarray(below + (above - below) * (at - low).reshape(-1, *[1] * (ranked.ndim - 1)))


def scene_statistics(image: NDArray[np.uint8] | Levels, dice: NDArray[np.floating]) -> NDArray[np.float32]:
    """Sum up a photo for the colour step: 5th, 50th and 95th percentile of B, G, R, and the dice's own brightness.

    Args:
        image: (h, w, 3) uint8, BGR, alone or with its levels.
        dice: (n, 3): x, y, radius in pixels.

    Returns:
        (12,) float32 in 0..1; the last three are the darkest, middle and brightest die.
    """
    divisor, whole = 1, image
    if isinstance(image, Levels):
        long_px = max(image.image.shape[:2])
        whole, _divisor = image.near(_WHOLE_PX / long_px)
        image, divisor = image.near(_STATISTICS_PX / long_px)
    h, w = image.shape[:2]
    small = cv2.resize(whole, (64, 48), interpolation=cv2.INTER_AREA)
    values = list(percentiles(small.reshape(-1, 3), (0.05, 0.5, 0.95)).T.ravel() / 255)
    levels = []
    for x, y, r in dice / divisor:
        half = max(1.0, 0.5 * float(r))
        x0, x1 = int(max(0, x - half)), int(min(w, x + half + 1))
        y0, y1 = int(max(0, y - half)), int(min(h, y + half + 1))
        if x1 > x0 and y1 > y0:
            levels.append(sum(cv2.mean(image[y0:y1, x0:x1])[:3]) / 765)
    if not levels:
        levels = [0.5]
    values += [min(levels), float(np.median(levels)), max(levels)]
    return np.array(values, np.float32)


def small_jpeg(image: NDArray[np.uint8], longest_px: int, quality: int) -> bytes:
    """Return a BGR picture as a small JPEG without a word of where and when it was taken. ValueError where it cannot be packed."""
    height, width = image.shape[:2]
    scale = min(1.0, longest_px / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image
    is_done, packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not is_done:
        raise ValueError("the picture cannot be packed as a JPEG")
    return packed.tobytes()


def small_rgb(image: NDArray[np.uint8], longest_px: int) -> tuple[int, int, bytes]:
    """Return width, height and pixels of a BGR picture in RGB, shrunk to what a screen shows."""
    height, width = image.shape[:2]
    scale = min(1.0, longest_px / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return (*size, cv2.cvtColor(small, cv2.COLOR_BGR2RGB).tobytes())
