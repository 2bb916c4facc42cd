"""HEIC photos as phones take them: read where the library is, refused plainly where it is not, never the end of the program."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision import heic
from vision.errors import PhotoError
from vision.heic import decode_heic, is_avif, is_heic
from vision.load import MOST_PIXELS, decode_photo

pillow_heif: Any = pytest.importorskip("pillow_heif")

_DAMAGED = "hurt.heic: the HEIC photo is damaged and cannot be decoded; copy the photo again"


def _packed(image: np.ndarray, quality: int = 90) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    pillow_heif.from_pillow(Image.fromarray(np.ascontiguousarray(image[..., ::-1]))).save(
        out, quality=quality
    )
    return out.getvalue()


def _scene(width: int = 320, height: int = 200) -> np.ndarray:
    scene = np.full((height, width, 3), (40, 90, 30), np.uint8)
    cv2.rectangle(scene, (20, 20), (120, 120), (200, 60, 30), -1)
    cv2.circle(scene, (width - 60, 60), 30, (240, 240, 240), -1)
    return scene


def test_a_phones_photo_is_read_with_its_colours() -> None:
    scene = _scene()
    data = _packed(scene, 95)
    assert is_heic(data)
    read = decode_photo(data, "IMG_0001.HEIC")
    assert read.shape == scene.shape
    assert read.dtype == np.uint8
    assert read.flags.writeable
    assert np.abs(read.astype(int) - scene).mean() < 4


def test_a_photo_of_more_than_can_be_read_whole_is_halved_and_of_far_more_refused() -> None:
    data = _packed(_scene(400, 300))
    assert decode_heic(data, "a", 100_000).shape == (150, 200, 3)
    with pytest.raises(PhotoError, match=r"a: 400 x 300 is 0 megapixels; at most 0 as HEIC\. Set the camera"):
        decode_heic(data, "a", 50_000)
    with pytest.raises(PhotoError, match="30 x 30 pixels is too small"):
        decode_photo(_packed(_scene(30, 30)), "a")


def test_a_damaged_photo_is_refused_or_read_and_nothing_ends() -> None:
    data = _packed(_scene(), 80)
    chance = random.Random(7)
    refused: list[str] = []
    for at in range(16, len(data), max(1, len(data) // 6)):
        for damaged in (data[:at], data[: at - 8] + chance.randbytes(16) + data[at + 8 :]):
            try:
                assert decode_heic(damaged, "hurt.heic", MOST_PIXELS).ndim == 3
            except PhotoError as fault:
                refused.append(str(fault))
    assert len(refused) >= 6
    assert set(refused) == {_DAMAGED}


@pytest.mark.parametrize(
    "text", ["import os; os.abort()", "print('9 9')", "print('no size')", "while True: pass"]
)
def test_a_library_that_dies_or_never_ends_costs_the_photo_alone(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text(text)
    monkeypatch.setattr(heic, "_CHILD", child)
    monkeypatch.setattr(heic, "_LONGEST_S", 2)
    with pytest.raises(PhotoError) as told:
        decode_heic(_packed(_scene(64, 64)), "hurt.heic", MOST_PIXELS)
    assert str(told.value) == _DAMAGED


def test_without_the_library_it_says_what_to_change_on_the_phone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = _packed(_scene(64, 64))
    words = "on an iPhone choose Settings, Camera, Formats, Most Compatible"
    child = tmp_path / "child.py"
    child.write_text("import sys; sys.exit(5)")
    with monkeypatch.context() as patched:
        patched.setattr(heic, "_CHILD", child)
        with pytest.raises(PhotoError, match=words):
            decode_photo(data, "a")
    monkeypatch.setattr(heic, "find_spec", lambda _name: None)
    with pytest.raises(PhotoError, match=words):
        decode_photo(data, "a")


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "heic"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", "avif"),
        (b"\0\0\0\x18ftypavif\0\0\0\0avifmif1", "avif"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", ""),
        (b"\xff\xd8\xff\xe0", ""),
    ],
)
def test_the_kind_is_told_by_the_first_bytes(head: bytes, kind: str) -> None:
    data = head + bytes(200)
    assert (is_heic(data), is_avif(data)) == (kind == "heic", kind == "avif")
