"""Write a picture as a PNG file, without any picture library."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["png_bytes", "write_png"]


def png_bytes(pixels: NDArray[np.uint8], effort: int = 6) -> bytes:
    """Return uint8 pixels of shape (height, width, 3), or 4 with alpha, as the bytes of a PNG file, packed with an effort of 0 to 9."""
    height, width, channels = pixels.shape
    raw = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(raw, effort))
        + chunk(b"IEND", b"")
    )


def write_png(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write uint8 pixels of shape (height, width, 3), row 0 on top."""
    path.write_bytes(png_bytes(pixels))
