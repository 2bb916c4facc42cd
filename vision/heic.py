"""HEIC, as an iPhone takes its photos: told by the first bytes, unpacked by pillow-heif in a process of its own.

libheif is large, and a photo may come from anybody: a file that crashes it or lets it run for ever ends that process, not the
program. The library is an extra (``heic``); without it a photo is refused with what to change on the phone.
"""

from __future__ import annotations

__all__ = ["decode_heic", "is_avif", "is_heic"]

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say, Typed
from vision.errors import PhotoError
from vision.heic_child import NO_LIBRARY, TOO_LARGE

_HEIC = (
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"mif2", b"msf1", b"miaf",
)  # fmt: skip
_CHILD = Path(__file__).with_name("heic_child.py")
_LONGEST_S = 60
_SIZE = re.compile(rb"(\d{1,6}) (\d{1,6})\Z")


def is_avif(data: bytes) -> bool:
    """Say whether a file holds its picture as AVIF does, by its first bytes."""
    return data[4:8] == b"ftyp" and (
        data[8:12] in (b"avif", b"avis") or b"avif" in data[16 : int.from_bytes(data[:4], "big")]
    )


def is_heic(data: bytes) -> bool:
    """Say whether a file holds its picture as HEIC does, by its first bytes."""
    return data[4:8] == b"ftyp" and data[8:12] in _HEIC and not is_avif(data)


def decode_heic(data: bytes, name: str, most_pixels: int) -> NDArray[np.uint8]:
    """Unpack a HEIC photo, turned as it says itself.

    Returns:
        (h, w, 3) uint8, BGR, at most `most_pixels`; larger ones of up to twice that are halved.

    Raises:
        PhotoError: No library, damaged, too large, or the process was ended. The text names the file and what to do.
    """
    if find_spec("pillow_heif") is None:
        raise _not_here(name)
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_CHILD), str(most_pixels)],
            input=data,
            capture_output=True,
            timeout=_LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _damaged(name) from error
    head, _, pixels = done.stdout.partition(b"\n")
    if done.returncode == NO_LIBRARY:
        raise _not_here(name)
    size = _SIZE.match(head)
    if done.returncode not in (0, TOO_LARGE) or size is None:
        raise _damaged(name)
    width, height = int(size[1]), int(size[2])
    if done.returncode == TOO_LARGE:
        raise PhotoError(
            Say(
                "{name}: {width} x {height} is {size} megapixels; at most {most} as {kind}. "
                "Set the camera to a smaller photo or to baseline JPEG",
                name=Typed(name),
                width=width,
                height=height,
                size=round(width * height / 1e6),
                most=round(2 * most_pixels / 1e6),
                kind=Typed("HEIC"),
            )
        )
    if len(pixels) != width * height * 3:
        raise _damaged(name)
    return np.ascontiguousarray(np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[..., ::-1])


def _damaged(name: str) -> PhotoError:
    return PhotoError(
        Say("{name}: the HEIC photo is damaged and cannot be decoded; copy the photo again", name=Typed(name))
    )


def _not_here(name: str) -> PhotoError:
    return PhotoError(
        Say(
            "{name}: HEIC photos cannot be read here; on an iPhone choose Settings, Camera, Formats, Most "
            "Compatible",
            name=Typed(name),
        )
    )
