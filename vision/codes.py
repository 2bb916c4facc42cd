"""QR codes: a text as a grid of dark and light, and the texts of the codes in a photo.

segno writes them. zxing-cpp reads them where it is installed (extra ``hall``): it finds codes that are turned, small or blurred;
without it OpenCV's two readers do.
"""

from __future__ import annotations

__all__ = ["code_modules", "code_png", "read_qr", "read_qrs"]

import io
from importlib.util import find_spec
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say
from vision.errors import PhotoError

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
    dark: NDArray[np.bool_] = np.array(_made(text).matrix, np.uint8) == 1
    return dark


def code_png(text: str, module_px: int = 8) -> bytes:
    """Return a text as a QR code in a PNG file, with its light edge. ValueError where no QR code holds it."""
    file = io.BytesIO()
    _made(text).save(file, kind="png", scale=module_px, border=4)
    return file.getvalue()


def _made(text: str) -> Any:
    import segno

    for level in ("m", "l"):
        try:
            return segno.make(text, error=level, micro=False, boost_error=False)
        except segno.DataOverflowError:
            continue
    raise ValueError(f"no QR code holds a text of {len(text)} signs")


def read_qr(image: NDArray[np.uint8]) -> str:
    """Return the text of the one QR code in a photo, (h, w, 3) uint8 BGR; the first where there are several.

    Raises:
        PhotoError: There is none that can be read.
    """
    return read_qrs(image)[0]


def read_qrs(image: NDArray[np.uint8]) -> tuple[str, ...]:
    """Return the texts of all QR codes that can be read in a photo, (h, w, 3) uint8 BGR; OpenCV finds one at most.

    Raises:
        PhotoError: There is none that can be read.
    """
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    even = cv2.createCLAHE(2.0, (8, 8)).apply(grey)
    is_better = find_spec("zxingcpp") is not None
    read = _read_all if is_better else _read_one
    for picture, side in (*((grey, side) for side in _SIDES_PX), (even, _SIDES_PX[0])):
        texts = read(_sized(picture, side))
        if texts:
            return texts
    if is_better:
        raise PhotoError(
            Say(
                "There is no QR code in the photo that can be read; take it from closer by, straight and sharp"
            )
        )
    raise PhotoError(
        Say(
            "There is no QR code in the photo that can be read; take it from closer by, straight and sharp. "
            "With the extra “hall” installed, more photos can be read"
        )
    )


def _read_all(grey: NDArray[np.uint8]) -> tuple[str, ...]:
    import zxingcpp

    found = zxingcpp.read_barcodes(grey, formats=zxingcpp.BarcodeFormat.QRCode)
    return tuple(dict.fromkeys(one.text for one in found if one.valid and one.text))


def _read_one(grey: NDArray[np.uint8]) -> tuple[str, ...]:
    for reader in (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco()):
        try:
            text = reader.detectAndDecode(grey)[0]
        except (cv2.error, UnicodeDecodeError):
            continue
        if text:
            return (str(text),)
    return ()


def _sized(grey: NDArray[np.uint8], side_px: int) -> NDArray[np.uint8]:
    scale = min(_MOST_ENLARGED, side_px / max(grey.shape))
    if scale == 1:
        return grey
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=how), np.uint8)
