"""The drawing shows what was read and changes nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.overlay import draw, label_boxes
from vision.types import Flag, Reading, Readings


def test_every_die_is_drawn_on_a_copy() -> None:
    image = np.full((300, 400, 3), 90, np.uint8)
    before = image.copy()
    dice = (
        Reading("d12", "white", 7, 0.97, 80, 100, 40, outline=((60.0, 90.0), (100.0, 90.0), (80.0, 120.0))),
        Reading("d12", "gray", 6, 0.6, 200, 100, 40),
        Reading("d12", "black", None, 0.1, 320, 100, 40, flags=(Flag.COCKED,)),
    )
    out = draw(image, Readings(400, 300, dice, ("asked for 2 white, see 1 white",)))
    assert np.array_equal(image, before)
    assert out.shape == image.shape
    for die in dice:
        x, y = int(die.x), int(die.y)
        assert (out[y - 45 : y + 45, x - 45 : x + 45] != 90).any()
    green, amber = out[100, 120].astype(int), out[100, 240].astype(int)
    assert green[1] > green[2]
    assert amber[2] > amber[0]


def test_words_of_dice_that_touch_do_not_hide_one_another() -> None:
    places = [(300 + 84 * i, 300 + 84 * j) for i in range(3) for j in range(3)]
    dice = tuple(Reading("d12", "white", 12, 0.97, x, y, 40) for x, y in places)
    boxes = [box for _, _, _, box in label_boxes(Readings(1000, 900, dice), (1000, 900))]
    assert len(boxes) == 18
    shared = [
        max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
        for i, a in enumerate(boxes)
        for b in boxes[:i]
    ]
    assert max(shared) == 0
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= 1000
        assert 0 <= top < bottom <= 900


@settings(max_examples=40)
@given(st.floats(-50, 500), st.floats(-50, 400), st.floats(0.5, 900))
def test_dice_anywhere_can_be_drawn(x: float, y: float, radius: float) -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    out = draw(image, Readings(80, 60, (Reading("d6", None, 3, 0.5, x, y, radius),)))
    assert out.shape == image.shape
