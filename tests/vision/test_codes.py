"""QR codes are written and read back, also from a photo: askew, blurred, noisy, small."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.codes import code_modules, code_png, read_qr
from vision.errors import PhotoError

TEXT = "TCPV1:" + "0123456789 $%*+-./:ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 4


def _photo(text: str, side_px: int, *, blur: float = 1.2, noise: float = 8) -> np.ndarray:
    light = np.where(np.pad(code_modules(text), 4), 20, 235).astype(np.uint8)
    px = np.kron(light, np.ones((8, 8), np.uint8))
    high, wide = px.shape
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    seen = np.array(
        [[400, 300], [400 + side_px, 325], [390 + side_px, 295 + side_px], [418, 312 + side_px]], np.float32
    )
    photo = np.full((1200, 1600), 90, np.uint8)
    warp = cv2.getPerspectiveTransform(corners, seen)
    photo = cv2.warpPerspective(px, warp, (1600, 1200), dst=photo, borderMode=cv2.BORDER_TRANSPARENT)
    photo = cv2.GaussianBlur(photo, (0, 0), blur)
    rough = np.random.default_rng(3).normal(0, noise, photo.shape)
    return cv2.cvtColor(np.clip(photo + rough, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


@pytest.mark.parametrize("side_px", [300, 450, 800])
def test_a_code_is_read_from_a_photo(side_px: int) -> None:
    assert read_qr(_photo(TEXT, side_px)) == TEXT


def test_a_png_file_holds_the_code() -> None:
    picture = cv2.imdecode(np.frombuffer(code_png(TEXT), np.uint8), cv2.IMREAD_COLOR)
    assert read_qr(picture) == TEXT


def test_a_photo_without_a_code_is_refused_in_one_line() -> None:
    with pytest.raises(PhotoError, match="no QR code in the photo"):
        read_qr(np.full((400, 600, 3), 128, np.uint8))


def test_a_blurred_code_is_refused_rather_than_guessed() -> None:
    with pytest.raises(PhotoError):
        read_qr(_photo(TEXT, 200, blur=6))


def test_too_much_for_any_code_is_said() -> None:
    with pytest.raises(ValueError, match="5000 signs"):
        code_modules("A" * 5_000)


@pytest.mark.parametrize("n", range(4))
def test_every_code_that_is_shown_can_be_read(n: int) -> None:
    signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
    rng = np.random.default_rng(n)
    text = "TCPV1:" + "".join(signs[i] for i in rng.integers(0, 45, 60 + 290 * n)).strip()
    assert read_qr(_photo(text, 900, blur=0.6, noise=4)) == text
