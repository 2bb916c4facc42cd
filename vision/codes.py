"""QR codes: a text as a grid of dark and light, and the text of a code in a photo.

OpenCV writes and reads them. What is written is read back before it is shown, since some of its codes are read by one of its
two readers only.
"""

from __future__ import annotations

__all__ = ["code_modules", "code_png", "read_qr"]

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say
from vision.errors import PhotoError

_WRITER: Any = cv2
"""OpenCV's stubs leave its writer of codes out."""
_LEVELS = (
    _WRITER.QRCodeEncoder_CORRECT_LEVEL_M,
    _WRITER.QRCodeEncoder_CORRECT_LEVEL_L,
    _WRITER.QRCodeEncoder_CORRECT_LEVEL_Q,
)
_SIDES_PX = (1600, 1000, 700)
"""Longest sides that a photo is tried in."""
_MOST_ENLARGED = 4.0


def code_modules(text: str) -> NDArray[np.bool_]:
    """Return a text as the modules of a QR code, dark ones True, without the light edge around it.

    Args:
        text: Digits, capital letters and `` $%*+-./:``, as a code packs them best.

    Raises:
        ValueError: No QR code holds the text.
    """
    params = _WRITER.QRCodeEncoder_Params()
    params.mode = _WRITER.QRCodeEncoder_MODE_ALPHANUMERIC
    for level in _LEVELS:
        params.correction_level = level
        try:
            picture = _WRITER.QRCodeEncoder_create(params).encode(text)
        except cv2.error:
            continue
        dark = _trimmed(picture < 128)
        if _read(_enlarged(dark)) == text:
            return dark
    raise ValueError(f"no QR code holds a text of {len(text)} signs")


def code_png(text: str, module_px: int = 8) -> bytes:
    """Return a text as a QR code in a PNG file, with its light edge. ValueError where no QR code holds it."""
    light = np.where(np.pad(code_modules(text), 4), 0, 255).astype(np.uint8)
    return bytes(cv2.imencode(".png", np.kron(light, np.ones((module_px, module_px), np.uint8)))[1])


def read_qr(image: NDArray[np.uint8]) -> str:
    """Return the text of the one QR code in a photo, (h, w, 3) uint8 BGR.

    Raises:
        PhotoError: There is none that can be read.
    """
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    even = cv2.createCLAHE(2.0, (8, 8)).apply(grey)
    for picture, side in (*((grey, side) for side in _SIDES_PX), (even, _SIDES_PX[0])):
        text = _read(_sized(picture, side))
        if text:
            return text
    raise PhotoError(
        Say("There is no QR code in the photo that can be read; take it from closer by, straight and sharp")
    )


def _read(grey: NDArray[np.uint8]) -> str:
    for reader in (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco()):
        try:
            text = reader.detectAndDecode(grey)[0]
        except (cv2.error, UnicodeDecodeError):
            continue
        if text:
            return str(text)
    return ""


def _sized(grey: NDArray[np.uint8], side_px: int) -> NDArray[np.uint8]:
    scale = min(_MOST_ENLARGED, side_px / max(grey.shape))
    if scale == 1:
        return grey
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=how), np.uint8)


def _trimmed(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    return dark[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _enlarged(dark: NDArray[np.bool_]) -> NDArray[np.uint8]:
    light = np.where(np.pad(dark, 4), 0, 255).astype(np.uint8)
    return np.asarray(np.kron(light, np.ones((4, 4), np.uint8)), np.uint8)
