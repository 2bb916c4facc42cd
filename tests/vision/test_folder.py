"""Photos count as arrived when they are whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np

from vision.folder import CompletePhotos


def _write(path: Path, level: int) -> Path:
    cv2.imwrite(str(path), np.full((64, 80, 3), level, np.uint8))
    return path


def test_a_photo_whose_end_does_not_tell_is_complete_when_it_stays_as_it_is(tmp_path: Path) -> None:
    photos = CompletePhotos(tmp_path, looks=3)
    photo = tmp_path / "x.tif"
    whole = _write(photo, 70).read_bytes()
    photo.write_bytes(whole[:50])
    assert [list(photos.look()) for _ in range(2)] == [[], []]
    photo.write_bytes(whole)
    assert [list(photos.look()) for _ in range(3)] == [[], [], ["x.tif"]]
    (tmp_path / "more.jpg").mkdir()
    (tmp_path / "empty.png").write_bytes(b"")
    assert [list(photos.look()) for _ in range(4)] == [["x.tif"]] * 4


def test_folders_and_cameras_are_looked_at_without_opencv() -> None:
    code = "import sys, vision.folder, vision.v4l2, vision.errors; sys.exit('cv2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
