"""Distributions of hits against plain enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.odds.distributions import Part, combine, convolve, dice, die, power


def enumerated(number: int, count: int, length: int, *, special: bool) -> dict[tuple[int, int], Fraction]:
    found: dict[tuple[int, int], Fraction] = {}
    for values in product(range(1, 13), repeat=count):
        tops = sum(value == 12 for value in values) if special else 0
        plain = sum(value >= number for value in values) - tops
        key = (min(plain, length - 1), min(tops, length - 1))
        found[key] = found.get(key, Fraction(0)) + Fraction(1, 12**count)
    return found


@settings(max_examples=40)
@given(number=st.integers(1, 12), count=st.integers(0, 3), length=st.integers(1, 4), special=st.booleans())
def test_like_dice(number: int, count: int, length: int, *, special: bool) -> None:
    lengths = (length, length) if special else (length,)
    found = dice(Part(count, number, 0, 1 if special else 0), 12, lengths)
    assert found.sum() == pytest.approx(1, abs=1e-14)
    for (plain, tops), chance in enumerated(number, count, length, special=special).items():
        index = (plain, tops) if special else (plain,)
        assert found[index] == pytest.approx(float(chance), abs=1e-14)


@pytest.mark.parametrize("number", [6, 9, 12])
def test_extra_shots_are_summed_to_the_end(number: int) -> None:
    """k hits: k-1 or k twelves first, then a plain hit or a miss; the last entry holds the rest."""
    miss, plain, top = Fraction(number - 1, 12), Fraction(12 - number, 12), Fraction(1, 12)
    found = die(number, 12, (4,), 0, 0, extra_shot=True)
    for k in range(3):
        chance = top**k * miss + (top ** (k - 1) * plain if k else 0)
        assert found[k] == pytest.approx(float(chance), abs=1e-15)
    assert found.sum() == pytest.approx(1, abs=1e-15)
    both = die(number, 12, (3, 3), 0, 1, extra_shot=True)
    assert both.sum() == pytest.approx(1, abs=1e-15)
    assert both[1, 0] == pytest.approx(float(plain))
    assert both[1, 1] == pytest.approx(float(top * plain))


def test_power_is_repeated_convolution() -> None:
    one = die(9, 12, (5,), 0, 0, extra_shot=False)
    many = power(one, 3)
    assert np.allclose(many, convolve(convolve(one, one), one), atol=1e-15)
    assert power(one, 0)[0] == 1


def test_parts_on_shared_and_own_axes() -> None:
    parts = (Part(2, 9, 0, 0), Part(1, 8, 1, 1), Part(1, 8, 0, 1))
    joint = combine(parts, 12, (3, 3))
    assert joint.shape == (3, 3)
    assert joint.sum() == pytest.approx(1, abs=1e-14)
    slow = np.zeros((3, 3))
    for values in product(range(1, 13), repeat=4):
        first = (values[0] >= 9) + (values[1] >= 9) + (8 <= values[3] < 12)
        second = (values[2] >= 8) + (values[3] == 12)
        slow[min(first, 2), min(second, 2)] += 12**-4
    assert np.allclose(joint, slow, atol=1e-12)
