"""Colours are named from the net's logits; what was expected is favoured, never forced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.colour import name_colours
from vision.types import COLOURS


def _net(**logits: float) -> Any:
    row = np.array([logits.get(c, -4.0) for c in COLOURS])
    return lambda blob: np.repeat(row[None], len(blob), 0)


def test_expected_colours_are_favoured_not_forced(poses: Any) -> None:
    scene = np.zeros(12, np.float32)
    free = name_colours([poses.pose()], scene, _net(white=1.0, yellow=1.5))
    asked = name_colours([poses.pose()], scene, _net(white=1.0, yellow=1.5), expected=("white", "black"))
    strange = name_colours([poses.pose()], scene, _net(white=-3.0, yellow=6.0), expected=("white", "black"))
    assert COLOURS[int(np.argmax(free))] == "yellow"
    assert COLOURS[int(np.argmax(asked))] == "white"
    assert COLOURS[int(np.argmax(strange))] == "yellow"
    assert free.sum() == pytest.approx(1)


def test_the_net_gets_look_and_scene_of_every_die(poses: Any) -> None:
    seen: list[np.ndarray] = []

    def net(blob: np.ndarray) -> np.ndarray:
        seen.append(blob)
        return np.zeros((len(blob), len(COLOURS)), np.float32)

    scene = np.arange(12, dtype=np.float32)
    assert name_colours([poses.pose(), poses.pose()], scene, net).shape == (2, len(COLOURS))
    assert np.array_equal(seen[0][:, -12:], np.stack([scene, scene]))
    assert name_colours([], scene, net).shape == (0, len(COLOURS))
