"""Advice about a photo: focus, light, glare, size; nothing when it is good."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from vision.checks import exposure, focus, photo_advice, sharpness, shine
from vision.types import Flag, Reading


def _grid() -> np.ndarray:
    image = np.full((480, 640, 3), 120, np.uint8)
    for i in range(0, 640, 16):
        cv2.line(image, (i, 0), (i, 480), (20, 20, 20), 2)
    return image


def test_focus_falls_with_blur_and_does_not_care_for_size() -> None:
    sharp = _grid()
    soft = cv2.GaussianBlur(sharp, (0, 0), 4)
    assert focus(soft) < 0.2 * focus(sharp)
    assert focus(np.zeros((2000, 3000, 3), np.uint8)) == 0


def test_sharpness_of_one_die(poses: Any) -> None:
    sharp = _grid()
    pose = poses.pose(320, 240, 48)
    assert sharpness(cv2.GaussianBlur(sharp, (0, 0), 5), pose) < 0.02 < sharpness(sharp, pose)
    assert sharpness(sharp, poses.pose(-500, -500, 10)) == 1.0


def test_shine_is_the_white_share_of_the_top_face(poses: Any) -> None:
    image = np.full((200, 200, 3), 100, np.uint8)
    pose = poses.pose(100, 100, 40)
    assert shine(image, pose, 20) == 0
    image[80:120, 80:120] = 255
    assert shine(image, pose, 20) == 1
    assert shine(image, poses.pose(-900, 0, 40), 20) == 0


def test_exposure_counts_black_and_white() -> None:
    image = np.zeros((72, 96, 3), np.uint8)
    image[:36] = 255
    dark, _, white = exposure(image)
    assert dark == pytest.approx(0.5, abs=0.02)
    assert white == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        (Flag.GLARE, "a lamp is reflected on the dice"),
        (Flag.TOO_SMALL, "bring the camera closer"),
        (Flag.CUT, "cut off at the edge of the photo"),
    ],
)
def test_flags_become_advice(flag: Flag, words: str) -> None:
    dice = [Reading("d12", "white", 3, 0.5, 10, 10, 5, flags=(flag,))]
    assert any(words in str(line) for line in photo_advice(np.full((90, 90, 3), 120, np.uint8), dice))


def said(image: np.ndarray, dice: list[Reading]) -> tuple[str, ...]:
    return tuple(str(note) for note in photo_advice(image, dice))


def test_dark_and_white_photos_are_told_and_good_ones_left_alone() -> None:
    sure = [Reading("d12", "white", 3, 0.99, 10, 10, 5)]
    good = np.full((90, 90, 3), 120, np.uint8)
    assert photo_advice(good, sure) == ()
    plain = replace(sure[0], flags=(Flag.CUT,))
    assert photo_advice(good, [plain]) == (), "what is missing at the edge hid nothing"
    assert said(np.zeros((90, 90, 3), np.uint8), []) == (
        "the photo is very dark: put more light on the tray",
    )
    assert said(np.full((90, 90, 3), 255, np.uint8), []) == (
        "the photo is overexposed: use less light or a shorter exposure",
    )
    soft = [Reading("d12", "white", 3, 0.4, 10, 10, 5, flags=(Flag.BLURRED,))] * 3
    assert said(good, soft) == ("the photo is blurry: let the camera focus again and hold it still",)
