"""Rectified faces and the votes of several looks, with a net made of numpy."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from vision.crops import Levels
from vision.numerals import READ_PX, _faces_blob, face_map, look_at_face, normalise_face, read_faces


def _photo(turn: float) -> np.ndarray:
    """Draw a bar whose right end is marked, turned clockwise by ``turn``, around (100, 100)."""
    image = np.full((200, 200, 3), 60, np.uint8)
    c, s = np.cos(turn), np.sin(turn)
    a, b = (100 - 16 * c, 100 - 16 * s), (100 + 16 * c, 100 + 16 * s)
    cv2.line(image, (round(a[0]), round(a[1])), (round(b[0]), round(b[1])), (230, 230, 230), 5)
    cv2.circle(image, (round(b[0]), round(b[1])), 6, (230, 230, 230), -1)
    return image


def _net(blob: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the marked end; sure of a 7 when it lies to the right, unsure otherwise."""
    value = np.zeros((len(blob), 13), np.float32)
    up = np.zeros((len(blob), 2), np.float32)
    for i, x in enumerate(blob):
        bright = np.clip(x.mean(axis=0), 0, None) ** 2
        ys, xs = np.mgrid[0:READ_PX, 0:READ_PX] - (READ_PX - 1) / 2
        v = np.array([(bright * xs).sum(), (bright * ys).sum()])
        up[i] = v / (np.linalg.norm(v) + 1e-9)
        value[i, 7] = 2 + 6 * max(0.0, up[i, 0])
    return value, up, np.ones((len(blob), 4), np.float32)


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0, -2.5, 3.1])
def test_a_face_is_set_upright_by_the_second_look(turn: float, poses: Any) -> None:
    pose = poses.pose(100, 100, 40, turn=0.0, unit=22)
    vote = read_faces(_photo(turn), [pose], _net)[0]
    assert np.cos(vote.turn - turn) > 0.98
    assert int(np.argmax(vote.logp)) == 7
    assert vote.features


def test_faces_keep_their_place_whatever_the_size(poses: Any) -> None:
    image = _photo(0.0)
    pose = poses.pose(100, 100, 40, unit=22)
    small = look_at_face(Levels(image), pose, 0.0)
    big = cv2.resize(image, (800, 800), interpolation=cv2.INTER_CUBIC)
    pose_big = poses.pose(401.5, 401.5, 160, unit=88)
    large = look_at_face(Levels(big), pose_big, 0.0)
    assert np.abs(small.astype(int) - large).mean() < 6


def test_normalising_takes_light_and_contrast_out() -> None:
    rng = np.random.default_rng(1)
    patch = rng.integers(60, 120, (READ_PX, READ_PX, 3)).astype(np.uint8)
    a, b = normalise_face(patch), normalise_face((patch * 1.8).astype(np.uint8))
    assert np.abs(a - b).mean() < 0.1
    assert np.isfinite(normalise_face(np.zeros((READ_PX, READ_PX, 3), np.uint8))).all()


def test_many_faces_are_normalised_as_one_is() -> None:
    rng = np.random.default_rng(2)
    patches = [rng.integers(a, a + 90, (READ_PX, READ_PX, 3)).astype(np.uint8) for a in (0, 60, 160)]
    blob = _faces_blob(patches)
    assert blob.shape == (3, 3, READ_PX, READ_PX)
    for row, patch in zip(blob, patches, strict=True):
        assert np.allclose(row.transpose(1, 2, 0), normalise_face(patch), atol=1e-3)


def test_the_face_map_joins_ellipse_and_turn(poses: Any) -> None:
    pose = poses.pose(turn=np.pi / 2, unit=10)
    assert np.allclose(face_map(pose), [[0, -10], [10, 0]])
    assert np.allclose(face_map(pose, 0.0), [[10, 0], [0, 10]])
    assert read_faces(np.zeros((9, 9, 3), np.uint8), [], _net) == ()
