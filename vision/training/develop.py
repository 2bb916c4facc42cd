"""From light to photograph: exposure, white balance, blur, noise, tone, sharpening, JPEG."""

from __future__ import annotations

__all__ = ["develop", "linear_light"]

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.looks import F32, Rng, Studio

_TO_LINEAR = (np.arange(256, dtype=np.float32) / 255) ** np.float32(2.2)
_TO_TONE = (np.arange(4096, dtype=np.float32) / 4095) ** np.float32(1 / 2.2)
_TO_TONE_FLAT = np.sqrt(np.arange(4096, dtype=np.float32) / 4095)


def linear_light(picture: NDArray[np.uint8]) -> F32:
    """Return a picture's 8-bit tones as light, 0 to 1."""
    return np.asarray(cv2.LUT(picture, _TO_LINEAR), np.float32)


def develop(
    rng: Rng, studio: Studio, linear: F32, die_px: float, light: str, *, is_harsh: bool = True
) -> NDArray[np.uint8]:
    """Camera: exposure, white balance, blur, noise, tone, sharpening, JPEG; some are harsh ones if allowed.

    Args:
        linear: Linear light, shape (h, w, 3), 1 being white.
        die_px: How wide a die is in it.

    Raises:
        RuntimeError: The picture could not be packed as JPEG.
    """
    h, w = linear.shape[:2]
    exposure = rng.uniform(0.75, 1.35) * (0.55 if light == "dim" else 1.0)
    if rng.random() < 0.75:  # most cameras set the exposure by what they see
        exposure = float(np.clip(rng.uniform(0.14, 0.36) / (float(linear[::8, ::8].mean()) + 0.02), 0.4, 1.7))
    if light == "dim" and rng.random() < 0.6:
        exposure *= rng.uniform(0.35, 0.8)
    balance = (1 + rng.normal(0, 0.07, 3)) * exposure
    yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
    r2 = ((xx / w - 0.5) ** 2 + (yy / h - 0.5) ** 2) * 2
    out = linear * balance.astype(np.float32) * (1 - rng.uniform(0, 0.3) * r2)[..., None]
    blur = rng.random()
    if blur < 0.22:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.006, 0.022) * die_px * 2))
    elif blur < 0.29:
        length = max(3, int(rng.uniform(0.02, 0.1) * die_px * 2))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        c = (length - 1) / 2
        cv2.line(
            kernel,
            (round(c - c * np.cos(angle)), round(c - c * np.sin(angle))),
            (round(c + c * np.cos(angle)), round(c + c * np.sin(angle))),
            1.0,
            1,
        )
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    else:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.35, 0.8)))
    out = np.clip(out, 0, 4)
    shoulder = rng.uniform(0.85, 1.0)
    over = out > shoulder
    out[over] = shoulder + (1 - shoulder) * (1 - np.exp(-(out[over] - shoulder) / (1.001 - shoulder)))
    table = _TO_TONE_FLAT if rng.random() < 0.2 else _TO_TONE
    tone = table[np.minimum(out * 4095 + 0.5, 4095).astype(np.int16)]
    grain = rng.uniform(0.002, 0.012) if rng.random() < 0.8 else rng.uniform(0.012, 0.04)
    if light == "dim":
        grain *= 1.6
    oy, ox = rng.integers(0, 1300 - h), rng.integers(0, 1300 - w)
    tone = tone + studio.grain[oy : oy + h, ox : ox + w] * (
        np.float32(1.4 * grain) - np.float32(0.8 * grain) * tone
    )
    style = rng.random()
    if style < 0.3:
        mean = tone.mean(axis=2, keepdims=True)
        tone = mean + (tone - mean) * np.float32(rng.uniform(0.8, 1.5))
    if style < 0.15:
        tone = np.float32(0.5) + (tone - np.float32(0.5)) * np.float32(rng.uniform(1.0, 1.5))
    if rng.random() < 0.07 and is_harsh:
        # a cheap camera with its contrast and colours turned all the way up
        mean = tone.mean(axis=2, keepdims=True)
        tone = mean + (tone - mean) * np.float32(rng.uniform(1.5, 2.6))
        tone = np.float32(0.45) + (tone - np.float32(rng.uniform(0.3, 0.5))) * np.float32(
            rng.uniform(1.5, 2.5)
        )
    image = np.clip(tone * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.45:
        soft = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.8, 1.6)))
        amount = rng.uniform(0.2, 0.9)
        image = cv2.addWeighted(image, 1 + amount, soft, -amount, 0)
    ok, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(58, 94))])
    if not ok:
        raise RuntimeError("the picture could not be packed as JPEG")
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
