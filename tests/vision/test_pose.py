"""The pose step: labels go back to the photo's directions, however the crop was turned."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.pose import POSE_PX, find_poses, look_again
from vision.types import Found

F32 = NDArray[np.float32]


def _spot_net(blob: F32) -> tuple[F32, F32, F32]:
    """Answer what a perfect net would of a die whose top face is a bright spot with a gray tail to its right."""
    out = np.zeros((len(blob), 51), np.float32)
    out[:, 0], out[:, 4] = 4.0, -3.0
    axis = (np.arange(POSE_PX) + 0.5) / (POSE_PX / 2) - 1
    for i, picture in enumerate(blob.mean(axis=1)):
        bright, gray = picture > 0.8, (picture > 0.3) & (picture < 0.7)
        spot = np.array([axis[np.nonzero(bright)[1]].mean(), axis[np.nonzero(bright)[0]].mean()])
        tail = np.array([axis[np.nonzero(gray)[1]].mean(), axis[np.nonzero(gray)[0]].mean()]) - spot
        angle = float(np.arctan2(tail[1], tail[0]))
        out[i, 5:7] = spot
        wide, c, s = 0.5, np.cos(angle), np.sin(angle)
        tall = 0.3
        out[i, 7:10] = wide * c * c + tall * s * s, (wide - tall) * c * s, wide * s * s + tall * c * c
        out[i, 10:12] = c, s
        phase = 5 * (angle - np.pi / 2)
        out[i, 12:14] = np.cos(phase), np.sin(phase)
    return out, np.zeros((len(blob), 4), np.float32), np.ascontiguousarray(blob[:, :, ::4, ::4])


def _light_net(middle: F32) -> F32:
    """Say that a die lies on another the more surely, the more light there is."""
    said = np.zeros((len(middle), 4), np.float32)
    said[:, 0] = 10 * middle.mean(axis=(1, 2, 3)) - 1
    return said


def _other_net(middle: F32) -> F32:
    """Say that a die is of another kind the more surely, the more light there is."""
    said = np.zeros((len(middle), 5), np.float32)
    said[:, 4] = 100 * middle.mean(axis=(1, 2, 3)) - 4
    return said


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, -1.2, 3.0])
def test_a_look_from_several_sides_says_what_one_look_says(angle: float) -> None:
    photo = np.zeros((200, 200, 3), np.uint8)
    yy, xx = np.mgrid[0:200, 0:200]
    photo[(xx - 112) ** 2 + (yy - 93) ** 2 < 36] = 255
    tail = 112 + 18 * np.cos(angle), 93 + 18 * np.sin(angle)
    photo[(xx - tail[0]) ** 2 + (yy - tail[1]) ** 2 < 25] = 128
    one = find_poses(photo, [Found(100, 100, 40, 0.9)], _spot_net, _light_net, _other_net)
    four = look_again(photo, one, _spot_net, _other_net, quarters=(0, 1, 2, 3))
    for a, b in zip(one, four, strict=True):
        assert a.top == pytest.approx((112, 93), abs=1.0)
        assert b.top == pytest.approx(a.top, abs=1.0)
        assert b.ellipse == pytest.approx(a.ellipse, abs=1.5)
        assert np.cos(b.turn - a.turn) > 0.995
        assert np.cos(b.turn - angle) > 0.99
        assert np.cos(b.phase - a.phase) > 0.9
        assert b.die == pytest.approx(a.die)
        assert b.cocked == pytest.approx(a.cocked)
        assert b.stacked == a.stacked


def test_what_is_said_of_lying_on_others_goes_by_the_die_and_stays() -> None:
    photo = np.zeros((200, 400, 3), np.uint8)
    for x, half in ((100, 5), (300, 20)):
        photo[100 - half : 100 + half, x - half : x + half] = 255
        photo[95:105, x + 25 : x + 35] = 128
    places = [Found(100, 100, 40, 0.9), Found(300, 100, 40, 0.9)]
    two = find_poses(photo, places, _spot_net, _light_net, _other_net)
    assert two[0].stacked < 0.5 < two[1].stacked < 1
    again = look_again(photo, two[::-1], _spot_net, _other_net)
    assert [p.stacked for p in again] == [two[1].stacked, two[0].stacked]


def test_the_kind_net_tells_dice_of_other_kinds_and_goes_by_the_die() -> None:
    photo = np.zeros((200, 400, 3), np.uint8)
    for x, half in ((100, 5), (300, 20)):
        photo[100 - half : 100 + half, x - half : x + half] = 255
        photo[95:105, x + 25 : x + 35] = 128
    places = [Found(100, 100, 40, 0.9), Found(300, 100, 40, 0.9)]
    two = find_poses(photo, places, _spot_net, _light_net, _other_net)
    assert [p.is_other for p in two] == [False, True]
    assert all(sum(p.named) == pytest.approx(1) for p in two)
    assert [p.kinds for p in two] == [two[0].kinds] * 2, "which of the three, the pose net says alone"
    again = look_again(photo, two[::-1], _spot_net, lambda middle: np.zeros((len(middle), 5), np.float32))
    assert all(sum(p.named) == pytest.approx(1) for p in again)
    assert again[0].named[4] == pytest.approx((two[1].named[4] + 2 * 0.2) / 3), "all looks count alike"


def test_nothing_found_is_nothing_to_look_at() -> None:
    photo = np.zeros((20, 20, 3), np.uint8)
    assert find_poses(photo, (), _spot_net, _light_net, _other_net) == ()
    assert look_again(photo, (), _spot_net, _other_net) == ()
