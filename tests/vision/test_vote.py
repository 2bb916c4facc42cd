"""Several frames of one roll: each die gets the value that they hold for likeliest, and no more certainty than they have."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from companion.core.text import Say
from vision.errors import CameraError
from vision.frames import ScriptedFrames
from vision.live import LiveTable
from vision.types import Flag, Reading, Readings
from vision.vote import vote


def _die(value: int | None, sure: float, x: float = 100.0, **more: object) -> Reading:
    die = Reading("d12", "white", value, sure, x, 50.0, 20.0, guess=value or 3, value_confidence=sure)
    return replace(die, **more)  # type: ignore[arg-type]


def _frame(*dice: Reading) -> Readings:
    return Readings(640, 480, dice)


def test_two_frames_outvote_a_third_and_their_doubt_stays() -> None:
    (die,) = vote([_frame(_die(6, 0.6)), _frame(_die(9, 0.8)), _frame(_die(9, 0.7))]).dice
    assert (die.value, die.guess) == (9, 9)
    assert die.value_confidence == pytest.approx(0.5)
    assert not die.is_sure


def test_frames_that_agree_state_their_mean() -> None:
    for seed in range(100):
        chance = random.Random(seed)
        sure = [chance.random() for _frame in range(chance.randint(1, 4))]
        (die,) = vote([_frame(_die(7, one)) for one in sure]).dice
        assert die.value == 7
        assert die.value_confidence == pytest.approx(sum(sure) / len(sure))


def test_a_die_without_a_value_in_most_frames_has_none() -> None:
    leaning = _die(None, 0.3, flags=(Flag.COCKED,))
    (die,) = vote([_frame(_die(7, 0.95)), _frame(leaning), _frame(leaning)]).dice
    assert (die.value, die.flags) == (None, (Flag.COCKED,))
    (die,) = vote([_frame(leaning), _frame(_die(7, 0.95)), _frame(_die(7, 0.95))]).dice
    assert die.value == 7
    assert not die.is_sure, "one frame of three saw it lean"


def test_a_die_that_another_frame_does_not_show_keeps_what_was_read() -> None:
    shown = _frame(_die(7, 0.8), _die(5, 0.7, x=300.0))
    apart = _frame(_die(2, 0.99, x=200.0), _die(5, 0.9, x=302.0), _die(5, 0.99, x=301.0, kind="d10"))
    one, two = vote([shown, apart]).dice
    assert (one.value, one.value_confidence) == (7, 0.8)
    assert (two.value, two.value_confidence, two.x) == (5, pytest.approx(0.8), 300.0)


def _picture(seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 1, (240, 320, 3))
    image = np.full((240, 320, 3), 70.0)
    image[100:130, 60:90] = 220
    return np.clip(image + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("answers", "read", "value"),
    [([(7, 0.95)], 1, 7), ([(7, 0.6), (7, 0.6), (7, 0.6)], 3, 7), ([(6, 0.5), (9, 0.85), (9, 0.85)], 3, 9)],
)
def test_a_live_tray_is_looked_at_again_only_while_a_die_is_in_doubt(
    answers: list[tuple[int, float]], read: int, value: int
) -> None:
    asked = iter(answers)
    count = 0

    def reader(_image: np.ndarray) -> Readings:
        nonlocal count
        count += 1
        return _frame(_die(*next(asked)))

    table = LiveTable(ScriptedFrames([_picture(seed) for seed in range(40)]), reader)
    (news,) = [n for n in (table.step() for _frame in range(30)) if n.readings is not None]
    assert (count, news.readings.dice[0].value) == (read, value)  # type: ignore[union-attr]


def test_a_camera_that_fails_while_a_die_is_looked_at_again_leaves_what_was_read() -> None:
    class Failing(ScriptedFrames):
        def preview(self) -> np.ndarray | None:
            if "still" in self.calls:
                raise CameraError(Say("gone"))
            return super().preview()

    table = LiveTable(Failing([_picture(seed) for seed in range(40)]), lambda _image: _frame(_die(7, 0.6)))
    (news,) = [n for n in (table.step() for _frame in range(15)) if n.readings is not None]
    assert news.readings is not None
    assert (news.readings.dice[0].value, news.problem) == (7, None)
