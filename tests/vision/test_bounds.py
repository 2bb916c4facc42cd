"""What the largest allowed pictures cost: memory and processor time, under limits that the kernel keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.fuzzed import packed
from vision import load

_OWN = Path(__file__).parent / "photos" / "own_09.jpg"
_MOST_MB = 600
"""Address space beyond that of a reader that has read one small photo; 150 to 230 MB of it are used at a time."""
_MOST_CPU_S = 30
"""Processor time to unpack and to read; about one second of an x86 core is used."""
_LONG = pytest.mark.long


def _largest(dtype: type[np.generic], channels: int) -> np.ndarray:
    """A photo of as many pixels as are unpacked, 16 bits deep or with alpha where asked for."""
    width = 5888
    height = load.MOST_PIXELS // width
    image = cv2.resize(cv2.imread(str(_OWN)), (width, height), interpolation=cv2.INTER_LINEAR)
    if channels == 4:
        image = np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])
    return image.astype(dtype) * (257 if dtype is np.uint16 else 1)


def _most_claimed() -> bytes:
    """A baseline JPEG of 400 megapixels: one row of a photo's squares, again and again between restart marks."""
    side, square = 20_000, 16
    row = cv2.resize(cv2.imread(str(_OWN))[300:316], (side, square))
    strip = packed(
        ".jpg", row, cv2.IMWRITE_JPEG_QUALITY, 60, cv2.IMWRITE_JPEG_RST_INTERVAL, side // square,
    )  # fmt: skip
    start = strip.index(b"\xff\xda")
    start += 2 + int.from_bytes(strip[start + 2 : start + 4], "big")
    head, part = bytearray(strip[:start]), strip[start:-2]
    sof = head.index(b"\xff\xc0")
    head[sof + 5 : sof + 9] = side.to_bytes(2, "big") * 2
    rows = side // square
    return bytes(head) + b"".join(
        part + (bytes((0xFF, 0xD0 + i % 8)) if i < rows - 1 else b"\xff\xd9") for i in range(rows)
    )


def _worst(name: str) -> bytes:
    match name:
        case "400-megapixel JPEG":
            return _most_claimed()
        case "400-megapixel gray JPEG":  # the same gray all over: looks cut short, and is unpacked twice
            flat = bytearray(packed(".jpg", np.full((16, 16), 128, np.uint8)))
            start = flat.index(b"\xff\xda")
            start += 2 + int.from_bytes(flat[start + 2 : start + 4], "big")
            sof = flat.index(b"\xff\xc0")
            flat[sof + 5 : sof + 9] = (20_000).to_bytes(2, "big") * 2
            return bytes(flat[:start]) + b"\x28\xa2\x8a" * (2500 * 2500 // 4) + b"\xff\xd9"
        case "progressive JPEG":
            return packed(".jpg", _largest(np.uint8, 3), cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
        case "16-bit PNG with alpha":
            return packed(".png", _largest(np.uint16, 4), cv2.IMWRITE_PNG_COMPRESSION, 1)
        case "16-bit TIFF":
            return packed(".tiff", _largest(np.uint16, 3))
        case "WebP with alpha":
            return packed(".webp", _largest(np.uint8, 4), cv2.IMWRITE_WEBP_QUALITY, 60)
        case _:
            raise AssertionError(name)


_CHILD = """
import json, resource, sys, time
import cv2
from vision.load import load_photo
from vision.reader import read

def memory(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return int(line.split()[1]) // 1024

read(load_photo(sys.argv[2]))  # libraries, nets and threads are there now
before = memory("VmSize:"), memory("VmHWM:")
resource.setrlimit(resource.RLIMIT_AS, ((before[0] + int(sys.argv[3])) << 20,) * 2)
used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
resource.setrlimit(resource.RLIMIT_CPU, (int(used) + int(sys.argv[4]),) * 2)
image = load_photo(sys.argv[1])
unpacked = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
readings = read(image)
print(json.dumps({
    "pixels": image.shape[0] * image.shape[1], "dice": len(readings.dice), "mb": memory("VmHWM:") - before[1],
    "unpack_s": round(unpacked - used, 2), "read_s": round(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - unpacked, 2),
}))
"""


@pytest.mark.parametrize(
    "name",
    [
        "400-megapixel JPEG",
        "progressive JPEG",
        *(
            pytest.param(name, marks=_LONG)
            for name in ("400-megapixel gray JPEG", "16-bit PNG with alpha", "16-bit TIFF", "WebP with alpha")
        ),
    ],
)
def test_the_worst_allowed_pictures_stay_within_bounds(name: str, tmp_path: Path) -> None:
    photo = tmp_path / "worst"
    photo.write_bytes(_worst(name))
    assert photo.stat().st_size <= load.MOST_BYTES, photo.stat().st_size
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(photo), str(_OWN), str(_MOST_MB), str(_MOST_CPU_S)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    cost = json.loads(done.stdout)
    assert load.MOST_PIXELS * 0.9 < cost["pixels"] <= load.MOST_PIXELS
    assert cost["mb"] < 350


@pytest.mark.long
def test_the_limits_are_kept(tmp_path: Path) -> None:
    photo = tmp_path / "worst"
    photo.write_bytes(_worst("progressive JPEG"))
    for megabytes, seconds, words in ((60, _MOST_CPU_S, "cannot be unpacked"), (_MOST_MB, 0, "")):
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(photo), str(_OWN), str(megabytes), str(seconds)],
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode != 0
        assert words in done.stderr
