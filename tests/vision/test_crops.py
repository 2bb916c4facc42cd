"""Squares and faces cut out of a photo."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.crops import SCENE_VALUES, Levels, face_patch, percentiles, scene_statistics, square_crop


@pytest.mark.parametrize("reach", [20.0, 60.0, 300.0])
def test_the_middle_of_a_crop_is_the_place_asked_for(reach: float) -> None:
    image = np.zeros((1000, 1400, 3), np.uint8)
    cv2.circle(image, (700, 500), round(reach * 0.25), (255, 255, 255), -1)
    crop = square_crop(image, 700, 500, reach, 64)
    ys, xs = np.nonzero(crop[..., 0] > 128)
    assert crop.shape == (64, 64, 3)
    assert abs(xs.mean() - 31.5) < 1
    assert abs(ys.mean() - 31.5) < 1
    assert np.sqrt(len(xs) / np.pi) == pytest.approx(8, abs=0.8)


@settings(max_examples=60)
@given(st.floats(-500, 900), st.floats(-500, 900), st.floats(0.5, 900), st.sampled_from([16, 64, 112]))
def test_any_place_and_size_gives_a_crop(x: float, y: float, reach: float, size: int) -> None:
    image = np.full((300, 400, 3), 77, np.uint8)
    crop = square_crop(image, x, y, reach, size)
    assert crop.shape == (size, size, 3)
    assert (crop == 77).all(), "outside, the border goes on"


def test_a_slanted_face_comes_out_square() -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    right, down = np.array([30.0, 12.0]), np.array([-8.0, 20.0])
    middle = np.array([90.0, 110.0])
    corners = [middle - right - down, middle + right - down, middle + right + down, middle - right + down]
    cv2.fillPoly(image, [np.array(corners).round().astype(np.int32)], (255, 255, 255))
    patch = face_patch(image, (90.0, 110.0), np.column_stack([right, down]), 50, 1.25)
    inner = patch[8:42, 8:42, 0]
    assert inner.mean() > 245
    assert patch[0:3].mean() < 10


def test_scene_statistics_tell_light_and_dice() -> None:
    image = np.full((90, 120, 3), 100, np.uint8)
    image[20:40, 20:40] = 240
    image[20:40, 60:80] = 20
    got = scene_statistics(image, np.array([[30, 30, 10], [70, 30, 10]]))
    assert got.shape == (SCENE_VALUES,)
    assert got[1] == pytest.approx(100 / 255, abs=0.02)
    assert got[-3] == pytest.approx(20 / 255, abs=0.05)
    assert got[-1] == pytest.approx(240 / 255, abs=0.05)
    assert np.isfinite(scene_statistics(image, np.zeros((0, 3)))).all()
    assert np.isfinite(scene_statistics(image, np.array([[-50.0, -50.0, 3.0]]))).all()


def test_levels_halve_a_photo_only_as_far_as_asked() -> None:
    image = np.random.default_rng(3).integers(0, 256, (301, 402, 3)).astype(np.uint8)
    levels = Levels(image)
    same, one = levels.near(0.7)
    assert same is image
    assert one == 1
    half, two = levels.near(0.5)
    assert (half.shape, two) == ((150, 201, 3), 2)
    assert half[10, 20].tolist() == pytest.approx(image[20:22, 40:42].mean(axis=(0, 1)).tolist(), abs=1)
    smallest, divisor = levels.near(0.001)
    assert min(smallest.shape[:2]) >= 32
    assert divisor == 8


def test_crops_from_levels_show_the_same_place() -> None:
    image = np.zeros((900, 1200, 3), np.uint8)
    yy, xx = np.mgrid[0:900, 0:1200]
    image[(xx - 700) ** 2 + (yy - 400) ** 2 < 90**2] = (40, 200, 120)
    for reach in (40.0, 130.0, 300.0):
        plain = square_crop(image, 690.0, 410.0, reach, 64)
        quick = square_crop(Levels(image), 690.0, 410.0, reach, 64)
        assert np.abs(plain.astype(int) - quick).mean() < 2


def test_statistics_from_levels_are_nearly_the_same() -> None:
    image = cv2.GaussianBlur(
        np.random.default_rng(4).integers(0, 256, (900, 1200, 3)).astype(np.uint8), (0, 0), 9
    )
    dice = np.array([[300.0, 300.0, 60.0], [800.0, 500.0, 60.0]])
    assert np.allclose(scene_statistics(image, dice), scene_statistics(Levels(image), dice), atol=0.02)


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_percentiles_are_those_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).integers(0, 256, (count, 5, 3)).astype(np.uint8)
    shares = (0.0, 0.05, 0.5, 0.95, 1.0)
    assert np.allclose(percentiles(values, shares), np.percentile(values, [100 * s for s in shares], axis=0))
