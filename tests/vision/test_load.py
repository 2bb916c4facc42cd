"""Bad and odd files: each a clear error or the right picture, and never more than is allowed."""

from __future__ import annotations

import base64
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.plain_user import as_a_plain_user
from tests.vision.fuzzed import fuzzed, packed, turned_by_exif
from vision import load
from vision.errors import PhotoError
from vision.load import decode_photo, load_photo, sniff

# a 48x40 CMYK JPEG of one red (cyan 0, magenta 255, yellow 255, black 0), packed with Pillow
_CMYK_RED = Path(__file__).parent / "photos" / "cmyk_red.jpg"
_OWN = Path(__file__).parent / "photos" / "own_00.jpg"


def _scene(height: int = 96, width: int = 128) -> np.ndarray:
    image = np.full((height, width, 3), (40, 90, 30), np.uint8)
    cv2.circle(image, (width // 3, height // 4), height // 6, (230, 240, 240), -1)
    cv2.putText(image, "7", (width // 3 - 6, height // 4 + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 2)
    return image


def _png_claiming(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 100))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("ending", [".jpg", ".png", ".webp", ".bmp", ".tiff"])
def test_every_known_kind_gives_the_same_picture(ending: str) -> None:
    image = _scene()
    got = decode_photo(packed(ending, image))
    assert got.shape == image.shape
    assert got.dtype == np.uint8
    assert np.abs(got.astype(int) - image).mean() < 6


@pytest.mark.parametrize(
    ("orientation", "turn"),
    [
        (1, lambda a: a), (3, lambda a: np.rot90(a, 2)), (6, lambda a: np.rot90(a, -1)), (8, lambda a: np.rot90(a, 1)),
    ],
)  # fmt: skip
def test_exif_orientation_is_followed(orientation: int, turn: object) -> None:
    image = _scene()
    got = decode_photo(turned_by_exif(packed(".jpg", image, cv2.IMWRITE_JPEG_QUALITY, 95), orientation))
    want = turn(image)  # type: ignore[operator]
    assert got.shape == want.shape
    assert np.abs(got.astype(int) - want).mean() < 4


def test_grey_sixteen_bit_and_alpha_become_eight_bit_colour() -> None:
    image = _scene()
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    assert np.array_equal(decode_photo(packed(".png", gray))[..., 1], gray)
    deep = image.astype(np.uint16) * 257
    assert np.abs(decode_photo(packed(".png", deep)).astype(int) - image).max() <= 1
    assert np.abs(decode_photo(packed(".tiff", deep)).astype(int) - image).max() <= 1
    alpha = np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])
    assert np.array_equal(decode_photo(packed(".png", alpha)), image)


def test_cmyk_jpeg_is_red() -> None:
    got = load_photo(_CMYK_RED)
    b, g, r = got.reshape(-1, 3).mean(axis=0)
    assert r > 180
    assert b < 70
    assert g < 70


def test_first_picture_of_an_animation_counts() -> None:
    first, second = _scene(), np.zeros_like(_scene())
    animation = cv2.Animation()
    animation.frames = [np.dstack([f, np.full(f.shape[:2], 255, np.uint8)]) for f in (first, second)]
    animation.durations = np.array([100, 100])
    ok, data = cv2.imencodeanimation(".webp", animation)
    assert ok
    assert np.abs(decode_photo(data.tobytes()).astype(int) - first).mean() < 8


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (
            b"hello, this is text",
            "not a picture of a known type; save it as JPEG, PNG, HEIC, WebP, TIFF, BMP or GIF",
        ),
        *(
            (b"\x00\x00\x00\x18ftyp" + brand + bytes(4), "AVIF photos cannot be read here; set the phone's")
            for brand in (b"avis", b"avif")
        ),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00", "not a picture of a known type"),
        (packed(".jpg", _scene())[:900], "the JPEG is cut off"),
        (packed(".jpg", _scene())[:3], "the JPEG is cut off or damaged"),
        (packed(".png", _scene())[:-20], "the PNG is cut off or damaged"),
        (packed(".webp", _scene())[:-40], "the WebP is cut off"),
        (packed(".tiff", _scene())[:60], "the TIFF is"),
        (packed(".bmp", _scene())[:300], "the BMP"),
        (b"GIF89a\x80\x00\x80\x00", "the GIF is damaged"),
        (
            packed(".png", np.zeros((1, 1, 3), np.uint8)),
            "1 x 1 pixels is too small; at least 32 per side. Take a larger photo",
        ),
        (_png_claiming(12000, 8400), "12000 x 8400 is 101 megapixels; at most 26 as PNG"),
        (_png_claiming(2**31 - 1, 2**31 - 1), "megapixels; at most 26 as PNG"),
    ],
)
def test_what_cannot_be_read_says_so(data: bytes, words: str) -> None:
    with pytest.raises(PhotoError) as caught:
        decode_photo(data, "roll.jpg")
    assert "roll.jpg: " in str(caught.value)
    assert words in str(caught.value)


def test_a_jpeg_overwritten_in_its_middle_is_told_not_read_as_gray() -> None:
    whole = packed(".jpg", _scene(480, 640))
    rng = np.random.default_rng(5)
    start = whole.index(b"\xff\xda") + 40
    for length in (2000, len(whole) - start - 2):
        spoilt = (
            whole[:start] + rng.integers(0, 256, length).astype(np.uint8).tobytes() + whole[start + length :]
        )
        assert len(spoilt) == len(whole)
        with pytest.raises(PhotoError, match="damaged near byte"):
            decode_photo(spoilt, "roll.jpg")


@pytest.mark.parametrize(
    "params",
    [
        (cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
        (cv2.IMWRITE_JPEG_RST_INTERVAL, 3),
        (cv2.IMWRITE_JPEG_OPTIMIZE, 1),
    ],
)
def test_progressive_and_restarting_jpegs_are_whole(params: tuple[int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (480, 640, 3)).astype(np.uint8)
    for image in (_scene(480, 640), noise):
        whole = packed(".jpg", image, *params)
        assert (
            decode_photo(whole + b"\x00 and what a phone adds after it \xff\x01", "roll.jpg").shape
            == image.shape
        )


@pytest.mark.parametrize("what", ["pipe", "socket", "device"])
def test_what_is_no_file_is_refused_and_never_waited_for(what: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="load-") as top:  # a socket's path has to be short
        path = Path(top) / "roll.jpg"
        if what == "pipe":
            os.mkfifo(path)
        elif what == "socket":
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(str(path))
        else:
            path.symlink_to("/dev/zero")
        # in a process of its own: whoever waits for the other end of a pipe cannot be stopped from inside
        done = subprocess.run(
            [sys.executable, "-c", _TELL, str(path)], capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
        assert done.stdout == (
            f"{path}: this is a pipe, socket or device, not a photo file; save the photo as a file and name that file\n"
        )


_TELL = """
import sys
from vision.errors import PhotoError
from vision.load import load_photo
try:
    load_photo(sys.argv[1])
except PhotoError as fault:
    print(fault)
"""


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize(
    "params",
    [
        (),
        (cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
        (cv2.IMWRITE_JPEG_RST_INTERVAL, 4),
        (cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444),
    ],
)
def test_a_jpeg_that_ends_in_the_middle_is_told_though_it_has_an_end_mark(
    params: tuple[int, ...], share: float
) -> None:
    for image in (_scene(480, 640), cv2.imread(str(_OWN)), cv2.imread(str(_OWN), cv2.IMREAD_GRAYSCALE)):
        whole = packed(".jpg", image, *params)
        assert decode_photo(whole, "roll.jpg").shape[:2] == image.shape[:2]
        data = whole.rindex(b"\xff\xda")  # of a progressive one: its last scan
        short = whole[: data + 20 + int(share * (len(whole) - data - 20))].rstrip(b"\xff") + b"\xff\xd9"
        for turned in (1, 3, 6, 8):
            with pytest.raises(
                PhotoError, match=r"roll\.jpg: the JPEG ends in the middle.*\. Copy the photo again"
            ):
                decode_photo(turned_by_exif(short, turned), "roll.jpg")


def test_a_large_jpeg_that_ends_in_the_middle_is_told_when_unpacked_smaller() -> None:
    image = np.zeros((5200, 5200), np.uint8)
    cv2.circle(image, (2600, 2600), 2000, 255, -1)
    whole = packed(".jpg", image)
    assert decode_photo(whole).shape == (2600, 2600, 3)
    with pytest.raises(PhotoError, match="ends in the middle"):
        decode_photo(whole[: len(whole) * 2 // 3].rstrip(b"\xff") + b"\xff\xd9")


@pytest.mark.parametrize("tone", [64, 127, 128, 129, 200])
@pytest.mark.parametrize(
    "params", [(), (cv2.IMWRITE_JPEG_PROGRESSIVE, 1), (cv2.IMWRITE_JPEG_RST_INTERVAL, 4)]
)
def test_a_photo_of_a_flat_gray_table_is_whole(params: tuple[int, ...], tone: int) -> None:
    image = np.full((480, 640, 3), tone, np.uint8)
    image[40:200, 60:300] = _scene(160, 240)
    got = decode_photo(packed(".jpg", image, *params))
    assert (got[-1] == tone).all()
    assert decode_photo(packed(".jpg", np.full((300, 300, 3), tone, np.uint8), *params)).shape == (
        300,
        300,
        3,
    )


def test_a_jpeg_that_lost_a_piece_between_restarts_is_told() -> None:
    whole = packed(".jpg", cv2.imread(str(_OWN)), cv2.IMWRITE_JPEG_RST_INTERVAL, 8)
    begin = whole.index(b"\xff\xd2", len(whole) // 2)
    end = whole.index(b"\xff\xd5", begin)
    with pytest.raises(PhotoError, match="damaged near byte"):
        decode_photo(whole[:begin] + whole[end:], "roll.jpg")


def test_files_are_named_in_errors(tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match=r"nothing\.jpg: no such file; check the name and the folder"):
        load_photo(tmp_path / "nothing.jpg")
    with pytest.raises(
        PhotoError, match=r"\*\.jpg: no file matches this pattern; check the folder and the extension"
    ):
        load_photo(tmp_path / "*.jpg")
    with pytest.raises(PhotoError, match="this is a folder, not a photo file; name a photo inside it"):
        load_photo(tmp_path)
    big = tmp_path / "big.jpg"
    with big.open("wb") as file:
        file.truncate(load.MOST_BYTES + 1)
    with pytest.raises(PhotoError, match=r"64 MB is too large; at most 64 MB\. Save the photo as JPEG"):
        load_photo(big)


def test_a_fifty_megapixel_jpeg_is_unpacked_smaller() -> None:
    image = np.zeros((6000, 8400), np.uint8)
    cv2.circle(image, (4200, 3000), 1500, 255, -1)
    data = packed(".jpg", image)
    assert sniff(data).width == 8400
    got = decode_photo(data)
    assert got.shape == (3000, 4200, 3)
    assert got[1500, 2100].min() > 240


def test_a_locked_file_is_told() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="load-") as top:  # everybody may look into it
        Path(top).chmod(0o755)
        locked = Path(top) / "locked.jpg"
        locked.write_bytes(b"x")
        locked.chmod(0)
        assert (
            "locked.jpg: cannot be opened (Permission denied); check the file and its permissions"
            in told_of(locked)
        )
        locked.chmod(0o644)
        told = told_of(locked)
        assert "locked.jpg" in told
        assert "cannot be opened" not in told, "the same user may read it once it has the right"


def told_of(photo: Path) -> str:
    """Return what loading says of a file to a user without rights."""
    imports = (
        "from pathlib import Path\nfrom vision.errors import PhotoError\nfrom vision.load import load_photo"
    )
    return as_a_plain_user(imports, _LOAD, str(photo))


_LOAD = """
try:
    load_photo(Path(sys.argv[1]))
    print("taken")
except PhotoError as fault:
    print(fault)
"""


def _fuzz(count: int, seed: int) -> tuple[int, int, float]:
    errors = pictures = 0
    slowest = 0.0
    for _, data in fuzzed(_scene(120, 160), count, seed):
        begin = time.perf_counter()
        try:
            got = decode_photo(data, "fuzz")
        except PhotoError:
            errors += 1
        else:
            pictures += 1
            assert got.ndim == 3
            assert got.shape[0] * got.shape[1] <= load.MOST_PIXELS
        slowest = max(slowest, time.perf_counter() - begin)
    return errors, pictures, slowest


def test_fuzzed_files_end_in_an_error_or_a_picture() -> None:
    errors, pictures, _ = _fuzz(210, 5)
    assert errors > 40
    assert pictures > 20


@pytest.mark.long
def test_two_thousand_fuzzed_files() -> None:
    errors, pictures, slowest = _fuzz(2000, 6)
    assert errors + pictures == 2000
    assert slowest < 5.0


def test_cmyk_fixture_is_a_cmyk_jpeg() -> None:
    data = _CMYK_RED.read_bytes()
    sof = data.index(b"\xff\xc0")
    assert data[sof + 9] == 4, "four colour parts"
    assert base64.b64encode(data[:2]) == b"/9g="
