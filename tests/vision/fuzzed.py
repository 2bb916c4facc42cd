"""Photo files with bytes changed, cut off and put in, for the tests of everything that takes files."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import cv2
import numpy as np

__all__ = ["fuzzed", "packed", "turned_by_exif"]


def packed(ending: str, image: np.ndarray, *params: int) -> bytes:
    """Pack a picture as a file of a kind."""
    ok, data = cv2.imencode(ending, image, list(params))
    assert ok
    return data.tobytes()


def turned_by_exif(jpeg: bytes, orientation: int) -> bytes:
    """Put an orientation into a JPEG."""
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = b"MM\x00*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0)
    body = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def fuzzed(image: np.ndarray, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield the ending and the bytes of so many files of all kinds, each damaged in one way."""
    rng = np.random.default_rng(seed)
    whole = [(e, packed(e, image)) for e in (".jpg", ".png", ".webp", ".bmp", ".tiff", ".gif")]
    whole += [
        (".jpg", packed(".jpg", image, cv2.IMWRITE_JPEG_PROGRESSIVE, 1)),
        (".jpg", packed(".jpg", image, cv2.IMWRITE_JPEG_RST_INTERVAL, 4)),
        (".jpg", turned_by_exif(packed(".jpg", image), 6)),
        (".png", packed(".png", image.astype(np.uint16) * 257)),
    ]
    for i in range(count):
        ending, data = whole[i % len(whole)][0], bytearray(whole[i % len(whole)][1])
        what = rng.random()
        if what < 0.25:
            data = data[: int(rng.integers(0, len(data)))]
        elif what < 0.8:
            for _ in range(int(rng.integers(1, 20))):
                place = int(rng.integers(0, min(len(data), 400) if rng.random() < 0.6 else len(data)))
                data[place] = int(rng.integers(0, 256))
        else:
            place = int(rng.integers(0, len(data)))
            data[place:place] = rng.integers(0, 256, int(rng.integers(1, 300))).astype(np.uint8).tobytes()
        yield ending, bytes(data)
