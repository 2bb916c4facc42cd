"""One photo in all the forms that cameras and programs make of it: the same dice are read as from the plain one."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.fuzzed import packed, turned_by_exif
from vision.load import decode_photo
from vision.reader import read
from vision.types import Reading, Readings

_PHOTOS = Path(__file__).parent / "photos"
_PLAIN = _PHOTOS / "own_14.jpg"


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    return decode_photo(_PLAIN.read_bytes())


@pytest.fixture(scope="module")
def plain(image: np.ndarray) -> Readings:
    readings = read(image)
    sure = [d for d in readings.dice if d.is_sure]
    assert len(sure) > 10, "an easy photo: what a form changes is not lost in doubt"
    return readings


def _same(plain: Readings, got: Readings) -> list[tuple[Reading, Reading]]:
    """Pair the dice by place, and check that what was sure in the plain photo is read alike."""
    assert (got.width, got.height) == (plain.width, plain.height)
    assert len(got.dice) == len(plain.dice)
    pairs = []
    for die in plain.dice:
        other = min(got.dice, key=lambda d: np.hypot(d.x - die.x, d.y - die.y))
        assert np.hypot(other.x - die.x, other.y - die.y) < 0.15 * die.radius
        pairs.append((die, other))
    assert len({id(other) for _, other in pairs}) == len(pairs)
    assert [d.kind for d, _ in pairs] == [o.kind for _, o in pairs]
    assert [d.value for d, _ in pairs if d.is_sure] == [o.value for d, o in pairs if d.is_sure]
    return pairs


@pytest.mark.parametrize(
    "form", ["png", "16-bit png", "16-bit tiff", "alpha", "see-through alpha", "bmp", "webp"]
)
def test_forms_that_lose_nothing_are_read_exactly_alike(
    form: str, image: np.ndarray, plain: Readings
) -> None:
    deep = image.astype(np.uint16) * 257
    data = {
        "png": lambda: packed(".png", image),
        "16-bit png": lambda: packed(".png", deep),
        "16-bit tiff": lambda: packed(".tiff", deep),
        "alpha": lambda: packed(".png", np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])),
        "see-through alpha": lambda: packed(".png", np.dstack([image, np.zeros(image.shape[:2], np.uint8)])),
        "bmp": lambda: packed(".bmp", image),
        "webp": lambda: packed(".webp", image, cv2.IMWRITE_WEBP_QUALITY, 101),
    }[form]()
    assert read(decode_photo(data)) == plain


@pytest.mark.parametrize(
    ("orientation", "before"),
    [
        (2, lambda a: a[:, ::-1]), (3, lambda a: np.rot90(a, 2)), (4, lambda a: a[::-1]),
        (5, lambda a: a.transpose(1, 0, 2)), (6, lambda a: np.rot90(a, 1)),
        (7, lambda a: np.rot90(a, 2).transpose(1, 0, 2)), (8, lambda a: np.rot90(a, -1)),
    ],
)  # fmt: skip
def test_what_exif_turns_back_is_read_alike(
    orientation: int, before: object, image: np.ndarray, plain: Readings
) -> None:
    stored = np.ascontiguousarray(before(image))  # type: ignore[operator]
    got = read(
        decode_photo(turned_by_exif(packed(".jpg", stored, cv2.IMWRITE_JPEG_QUALITY, 98), orientation))
    )
    assert [d.colour for d, _ in _same(plain, got)] == [o.colour for _, o in _same(plain, got)]


@pytest.mark.parametrize("form", ["progressive", "restarts", "animation", "cmyk"])
def test_other_forms_in_colour_are_read_alike(form: str, image: np.ndarray, plain: Readings) -> None:
    if form == "animation":
        film = cv2.Animation()
        opaque = np.full(image.shape[:2], 255, np.uint8)
        film.frames = [np.dstack([f, opaque]) for f in (image, np.zeros_like(image))]
        film.durations = np.array([100, 100])
        ok, buffer = cv2.imencodeanimation(".webp", film)
        assert ok
        data = buffer.tobytes()
    elif form == "cmyk":  # own_14.jpg, packed with Pillow
        data = (_PHOTOS / "cmyk_own_14.jpg").read_bytes()
    else:
        param = {"progressive": cv2.IMWRITE_JPEG_PROGRESSIVE, "restarts": cv2.IMWRITE_JPEG_RST_INTERVAL}[form]
        data = packed(".jpg", image, cv2.IMWRITE_JPEG_QUALITY, 98, param, 1)
    pairs = _same(plain, read(decode_photo(data)))
    assert [d.colour for d, _ in pairs] == [o.colour for _, o in pairs]


@pytest.mark.parametrize("ending", [".png", ".jpg"])
def test_a_photo_without_colour_shows_the_same_values(
    ending: str, image: np.ndarray, plain: Readings
) -> None:
    got = read(decode_photo(packed(ending, cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))))
    _same(plain, got)
    assert {d.colour for d in got.dice} <= {"white", "gray", "black"}
