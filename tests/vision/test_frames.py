"""One contract for every source; cameras that are missing or stop are told in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.core.text import Say
from vision.errors import CameraError
from vision.frames import (
    FrameSource,
    PhotoFile,
    ScriptedFrames,
    UsbCamera,
    WatchedFolder,
)
from vision.v4l2 import Use


def _picture(level: int) -> np.ndarray:
    image = np.full((64, 80, 3), level, np.uint8)
    image[10:20, 10:30] = 255 - level
    return image


def _write(path: Path, level: int) -> Path:
    ok, data = cv2.imencode(path.suffix, _picture(level))
    assert ok
    path.write_bytes(data.tobytes())
    return path


def _folder_with_photo(tmp_path: Path) -> FrameSource:
    folder = tmp_path / "in"
    folder.mkdir()
    source = WatchedFolder(folder)
    source.open()
    _write(folder / "a.png", 90)
    return source


_MAKERS: dict[str, Callable[[Path], FrameSource]] = {
    "file": lambda p: PhotoFile(_write(p / "one.png", 90)),
    "folder": _folder_with_photo,
    "scripted": lambda _: ScriptedFrames([_picture(90)]),
    "scripted files": lambda p: ScriptedFrames([_write(p / "two.png", 90)]),
}


@pytest.mark.parametrize("name", _MAKERS)
def test_every_source_shows_takes_and_closes_twice(name: str, tmp_path: Path) -> None:
    source = _MAKERS[name](tmp_path)
    if name != "folder":
        source.open()
    shown = source.preview()
    assert shown is not None
    assert np.array_equal(shown, _picture(90))
    assert np.array_equal(source.still(), _picture(90))
    assert source.preview() is None
    source.close()
    source.close()
    assert source.name


def test_folder_gives_each_new_photo_once_and_skips_what_is_none(tmp_path: Path) -> None:
    _write(tmp_path / "old.png", 10)
    source = WatchedFolder(tmp_path, looks=2)
    source.open()
    assert source.preview() is None
    _write(tmp_path / "b.png", 40)
    (tmp_path / "c.jpg").write_bytes(b"not a photo")
    (tmp_path / "notes.txt").write_text("no photo")
    (tmp_path / "d.jpg").write_bytes(b"")
    got = [source.preview() for _ in range(5)]
    pictures = [g for g in got if g is not None]
    assert len(pictures) == 1
    assert np.array_equal(pictures[0], _picture(40))
    assert len(source.skipped) == 1
    assert "c.jpg: not a picture of a known type" in str(source.skipped[0])


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp", ".bmp"])
def test_folder_waits_until_a_photo_is_complete(tmp_path: Path, ending: str) -> None:
    source = WatchedFolder(tmp_path)
    source.open()
    photo = tmp_path / f"x{ending}"
    whole = _write(photo, 70).read_bytes()
    for quarters in (1, 2, 3):
        photo.write_bytes(whole[: len(whole) * quarters // 4])
        assert source.preview() is None
        assert source.preview() is None, "a copy that pauses"
    photo.write_bytes(whole)
    assert source.preview() is not None, "it ends as its kind ends"
    assert source.skipped == []


def test_a_folder_that_goes_away_is_told(tmp_path: Path) -> None:
    source = WatchedFolder(tmp_path / "gone")
    with pytest.raises(CameraError, match="gone cannot be read"):
        source.open()


def test_a_missing_usb_camera_is_one_clear_line() -> None:
    camera = UsbCamera("/dev/video-none")
    with pytest.raises(CameraError) as caught:
        camera.open()
    assert (
        str(caught.value)
        == "USB camera /dev/video-none: not plugged in; plug it in, or enter the dice by hand"
    )
    with pytest.raises(CameraError, match="not open"):
        camera.preview()
    camera.close()
    camera.close()


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("busy", "Logi: another program is using it; close that program, or enter the dice by hand"),
        (
            "denied",
            "Logi: this user may not use it; add the user to the group video, or enter the dice by hand",
        ),
        ("lost", "Logi: not plugged in; plug it in, or enter the dice by hand"),
    ],
)
def test_a_usb_camera_says_why_it_cannot_be_used(use: Use, line: str) -> None:
    with pytest.raises(CameraError) as caught:
        UsbCamera(name="Logi", ask=lambda _device: use).open()
    assert str(caught.value) == line


def test_something_that_is_no_camera_gives_no_picture(tmp_path: Path) -> None:
    camera = UsbCamera(str(_write(tmp_path / "video9.png", 3)))
    with pytest.raises(CameraError, match="is there, but gives no picture"):
        camera.open()


def test_the_scripted_camera_records_raises_and_asserts() -> None:
    camera = ScriptedFrames([_picture(1), CameraError(Say("USB camera: unplugged")), _picture(2)])
    with pytest.raises(CameraError, match="no picture yet"):
        camera.still()
    camera.open()
    assert camera.preview() is not None
    with pytest.raises(CameraError, match="unplugged"):
        camera.preview()
    with pytest.raises(AssertionError, match="1 of 3 frames were never asked for"):
        camera.assert_done()
    camera.preview()
    camera.assert_done()
    assert camera.calls == ["still", "open", "preview", "preview", "preview"]
