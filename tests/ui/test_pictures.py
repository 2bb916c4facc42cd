"""Kept pictures: each screen at three sizes, by night, in English.

Pictures are kept at half size. Two drivers draw edges a little differently, so a picture passes when the mean
difference is below 1.5 of 255 and at most 1 % of its pixels differ by more than 40. After a wanted change:
``COMPANION_UPDATE_PICTURES=1 pytest tests/ui/test_pictures.py``, and look at what changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.testing import harness
from companion.testing.scenes import SCENES, open_scene

KEPT = Path(__file__).parents[1] / "golden" / "ui"
UPDATES = bool(os.environ.get("COMPANION_UPDATE_PICTURES"))
MOST_MEAN, MOST_SHARE, MUCH = 1.5, 0.01, 40


def _pictures() -> Iterator[Any]:
    """Yield scene and size: by default one size a scene, in turn; the long run takes all three."""
    for index, key in enumerate(key for key in sorted(SCENES) if SCENES[key].is_screen):
        for turn, size in enumerate(harness.SIZES):
            is_default = (index + turn) % len(harness.SIZES) == 0
            marks = () if is_default or UPDATES else (pytest.mark.long,)
            yield pytest.param(key, size, marks=marks, id=f"{key}-{size[0]}x{size[1]}")


@pytest.mark.parametrize(("key", "size"), tuple(_pictures()))
def test_screen_looks_as_kept(key: str, size: tuple[int, int], tmp_path: Path) -> None:
    now = open_scene(key, size=size).pixels()[:, :, ::-1]
    now = cv2.resize(now, (size[0] // 2, size[1] // 2), interpolation=cv2.INTER_AREA)
    path = KEPT / f"{key}-{size[0]}x{size[1]}.png"
    if UPDATES:
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), now, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        return
    kept = cv2.imread(str(path))
    assert kept is not None, f"{path.name} is not kept yet; see this file's first lines"
    apart = np.abs(now.astype(np.int16) - kept.astype(np.int16)).max(axis=2)
    mean, share = float(apart.mean()), float((apart > MUCH).mean())
    if mean >= MOST_MEAN or share > MOST_SHARE:
        cv2.imwrite(str(tmp_path / path.name), now)
    assert mean < MOST_MEAN, f"{path.name}: mean difference {mean:.2f}; the new picture is in {tmp_path}"
    assert share <= MOST_SHARE, f"{path.name}: {share:.1%} of the pixels differ; see {tmp_path}"
