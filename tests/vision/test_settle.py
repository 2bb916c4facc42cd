"""A new roll is read once, whatever it shows; nothing else is a roll."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.settle import FrameState, Moment, Settings, small_gray, start, watch

IS_LONG = "COMPANION_LONG" in os.environ


def _table(dice: list[tuple[int, int]], seed: int, noise: float = 1.0, light: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    image = np.full((240, 320, 3), 60, np.float32)
    for x, y in dice:
        image[y - 14 : y + 14, x - 14 : x + 14] = 220
        image[y - 4 : y + 4, x - 4 : x + 4] = 20
    image = image * light + rng.normal(0, noise, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def _play(frames: list[np.ndarray], state: FrameState | None = None) -> tuple[list[Moment], FrameState]:
    state = state or start()
    said = []
    for frame in frames:
        state, moment = watch(state, small_gray(frame))
        said.append(moment)
    return said, state


_A, _B = [(80, 80), (200, 150)], [(120, 60), (240, 180)]


def _rolling(n: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [_table([tuple(rng.integers(40, 200, 2)) for _ in range(2)], seed + i) for i in range(n)]  # type: ignore[misc]


def test_dice_that_lie_there_at_the_start_are_read_once() -> None:
    said, _ = _play([_table(_A, i) for i in range(30)])
    assert said.count(Moment.SETTLED) == 1
    assert said[0] is Moment.LEARNING
    assert said[-1] is Moment.STILL


def test_a_roll_is_read_once_after_it_came_to_rest() -> None:
    frames = [_table(_A, i) for i in range(20)] + _rolling(12, 50) + [_table(_B, 100 + i) for i in range(30)]
    said, _ = _play(frames)
    first, second = (i for i, m in enumerate(said) if m is Moment.SETTLED)
    assert first < 20
    assert 32 + Settings().still_frames - 1 <= second <= 32 + Settings().still_frames + 1
    assert all(m is Moment.MOVING for m in said[21:32])


def test_the_same_values_rolled_again_are_a_new_roll() -> None:
    # the pictures of both rolls hold the same dice, a little aside
    again = [(x + 9, y - 5) for x, y in _A]
    frames = [_table(_A, i) for i in range(20)] + _rolling(8, 7) + [_table(again, 200 + i) for i in range(20)]
    said, _ = _play(frames)
    assert said.count(Moment.SETTLED) == 2


def test_a_passing_hand_is_no_roll() -> None:
    frames = [_table(_A, i) for i in range(20)]
    for i in range(8):
        hand = _table(_A, 300 + i)
        hand[:, 40 * i : 40 * i + 60] = 150
        frames.append(hand)
    said, _ = _play(frames + [_table(_A, 400 + i) for i in range(20)])
    assert said.count(Moment.SETTLED) == 1
    assert said[-1] is Moment.STILL


def test_a_lamp_that_dims_slowly_is_no_movement() -> None:
    said, _ = _play([_table(_A, i, light=1 - 0.004 * i) for i in range(60)])
    assert said.count(Moment.SETTLED) == 1
    assert Moment.MOVING not in said


def test_a_die_that_spins_on_the_spot_is_not_read_yet() -> None:
    def spinning(i: int) -> np.ndarray:
        image = _table(_A, i)
        image[66:94, 66:94] = np.roll(image[66:94, 66:94], 6 * i, axis=i % 2)
        image[70:90:2, 70:90] = (40 * i) % 256
        return image

    said, _ = _play([spinning(i) for i in range(40)])
    assert Moment.SETTLED not in said[5:]


@settings(max_examples=200 if IS_LONG else 8)
@given(st.floats(0.0, 4.0), st.integers(0, 10_000))
def test_noise_alone_never_makes_a_second_roll(noise: float, seed: int) -> None:
    said, _ = _play([_table(_A, seed + i, noise) for i in range(40)])
    assert said.count(Moment.SETTLED) <= 1


@settings(max_examples=200 if IS_LONG else 6)
@given(
    st.lists(st.tuples(st.integers(30, 290), st.integers(30, 210)), min_size=1, max_size=4),
    st.integers(0, 9999),
)
def test_every_roll_settles_exactly_once(dice: list[tuple[int, int]], seed: int) -> None:
    frames = (
        [_table(_A, seed + i) for i in range(15)]
        + _rolling(6, seed)
        + [_table(dice, seed + 77 + i) for i in range(20)]
    )
    said, state = _play(frames)
    assert said[21:].count(Moment.SETTLED) == (1 if dice != _A else 0)
    assert not state.moved


def test_a_camera_that_changes_its_size_starts_anew() -> None:
    _, state = _play([_table(_A, i) for i in range(12)])
    state, moment = watch(state, np.zeros((60, 80), np.float32))
    assert moment is Moment.LEARNING
    assert state.read is None


@pytest.mark.parametrize("shape", [(240, 320, 3), (240, 320)])
def test_small_gray_takes_colour_and_gray(shape: tuple[int, ...]) -> None:
    assert small_gray(np.zeros(shape, np.uint8)).shape == (120, 160)
