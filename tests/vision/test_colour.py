"""Colours are named from the net's logits; what was expected is favoured, never forced."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.colour import body_lab, company, expect, look_logits, name_colours, pool_alike, settle_grays
from vision.types import COLOURS


def _net(**logits: float) -> Any:
    row = np.array([logits.get(c, -4.0) for c in COLOURS])
    return lambda blob: np.repeat(row[None], len(blob), 0)


def test_expected_colours_are_favoured_not_forced(poses: Any) -> None:
    scene = np.zeros(12, np.float32)
    free = name_colours(look_logits([poses.pose()], scene, _net(white=1.0, yellow=1.5)))
    asked = name_colours(
        expect(look_logits([poses.pose()], scene, _net(white=1.0, yellow=1.5)), ("white", "black"))
    )
    strange = name_colours(
        expect(look_logits([poses.pose()], scene, _net(white=-3.0, yellow=6.0)), ("white", "black"))
    )
    assert np.array_equal(expect(free, ()), free)
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
    assert look_logits([poses.pose(), poses.pose()], scene, net).shape == (2, len(COLOURS))
    assert np.array_equal(seen[0][:, -12:], np.stack([scene, scene]))
    assert name_colours(look_logits([], scene, net)).shape == (0, len(COLOURS))


def test_dice_that_look_alike_share_their_votes() -> None:
    logits = np.full((5, len(COLOURS)), -5.0)
    white, gray, black = (COLOURS.index(c) for c in ("white", "gray", "black"))
    logits[:3, white] = 2.0
    logits[3, gray], logits[3, white] = 1.0, 0.5  # one of the white set, in a shadow
    logits[4, black] = 3.0
    lab = np.array([[90.0, 0, 0], [89, 1, 0], [91, 0, 1], [86, 0, 0], [20, 0, 0]])
    best = np.argmax(pool_alike(logits, lab), axis=1)
    assert best.tolist() == [white, white, white, white, black]


def test_body_lab_measures_the_body_not_the_ink(poses: Any) -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    image[:] = (200, 60, 30)
    image[90:110, 95:105] = 255
    lab = body_lab(image, [poses.pose(100, 100, 40), poses.pose(-500, 900, 40)])
    want = cv2.cvtColor(np.full((1, 1, 3), (200, 60, 30), np.uint8), cv2.COLOR_BGR2LAB)[0, 0].astype(float)
    assert lab[0] == pytest.approx([want[0] * 100 / 255, want[1] - 128, want[2] - 128], abs=1)
    assert np.isfinite(lab).all()


def _gray_logits(*names: tuple[str, float]) -> np.ndarray:
    logits = np.full((len(names), len(COLOURS)), -5.0)
    for row, (name, height) in zip(logits, names, strict=True):
        row[COLOURS.index(name)] = height
        for other in ("white", "gray", "black"):
            if other != name:
                row[COLOURS.index(other)] = 0.0
    return logits


def test_grays_are_put_in_order_by_their_lightness() -> None:
    # a black die whose top mirrors the lamp was named gray, a white one in a shadow too
    logits = _gray_logits(
        ("black", 3.0),
        ("gray", 0.6),
        ("gray", 3.0),
        ("gray", 3.0),
        ("gray", 0.6),
        ("white", 3.0),
        ("white", 3.0),
    )
    light = np.array([12.0, 14, 45, 47, 81, 85, 88])
    best = [COLOURS[i] for i in np.argmax(settle_grays(logits, light), axis=1)]
    assert best == ["black", "black", "gray", "gray", "white", "white", "white"]
    turned = np.argsort([3, 0, 6, 2, 5, 1, 4])
    again = [COLOURS[i] for i in np.argmax(settle_grays(logits[turned], light[turned]), axis=1)]
    assert again == [best[i] for i in turned]


def test_no_order_is_forced_on_dice_of_one_set() -> None:
    light = np.array([70.0, 71, 72, 73])
    for name in ("white", "gray", "black"):
        best = np.argmax(settle_grays(_gray_logits(*[(name, 1.0)] * 4), light), axis=1)
        assert {COLOURS[i] for i in best} == {name}
    assert settle_grays(np.zeros((0, len(COLOURS))), np.zeros(0)).shape == (0, len(COLOURS))


@given(st.integers(1, 12), st.integers(0, 10_000))
def test_never_is_a_white_darker_than_a_gray(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits = np.full((count, len(COLOURS)), -6.0)
    logits[:, :3] = rng.normal(0, 2, (count, 3))
    light = rng.uniform(5, 95, count)
    rank = {"black": 0, "gray": 1, "white": 2}
    names = [COLOURS[i] for i in np.argmax(settle_grays(logits, light), axis=1)]
    ranks = [rank[names[i]] for i in np.argsort(light, kind="stable")]
    assert ranks == sorted(ranks)


def test_other_dice_of_a_photo_speak_for_a_colour_or_against_it() -> None:
    white, gray, red = (COLOURS.index(c) for c in ("white", "gray", "red"))
    logits = np.full((4, len(COLOURS)), -8.0)
    logits[0, white] = logits[1, white] = logits[3, red] = 8.0
    logits[2, gray], logits[2, white] = 4.0, 4.0
    lab = np.array([[90.0, 0, 0], [70.0, 0, 0], [66.0, 0, 0], [40.0, 60, 40]])
    said = company(logits, lab, [white, white, gray, red])
    assert said[:, 0] == pytest.approx([1.0, 1.0, 0.5, 1.0], abs=1e-3)
    assert said[:, 1].tolist() == [1.0, 1.0, 1.0, 0.0]
    assert said[:, 2].tolist() == [24.0, 4.0, 4.0, 0.0]
    assert company(logits[:1], lab[:1], [white])[0].tolist() == pytest.approx([1.0, 1.0, 25.0], abs=1e-3)
    assert company(np.zeros((0, 10)), np.zeros((0, 3)), []).shape == (0, 3)
