"""Laws of the arithmetic that odds share: luck, tables of numbers, ends summed up, what the coach may say."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.text import Say
from companion.games.aana.odds import tables
from companion.games.sfw.odds import states
from companion.games.sfw.odds.answer import _by_end
from companion.odds.coaching import CHANCES, coach_fault, worth_say
from companion.odds.distributions import Part
from companion.odds.luck import at_least, luckier_than, of_binomial, of_dice, of_table, total
from tests.games.sfw_editions import NEWER, Evening

numbers = st.lists(st.integers(0, 9), min_size=1, max_size=12).map(
    lambda some: np.array(some, dtype=np.int64)
)


# -- luck ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(5))
@pytest.mark.parametrize("chance", [0.0, 0.25, 1.0])
def test_hits_of_like_dice_are_binomial(count: int, chance: float) -> None:
    expected = [comb(count, n) * chance**n * (1 - chance) ** (count - n) for n in range(count + 1)]
    assert of_binomial(count, chance) == pytest.approx(expected)
    assert of_dice(Part(count, 10, 0, 0, False), 12) == pytest.approx(of_binomial(count, 0.25))


def test_an_extra_shot_brings_further_hits() -> None:
    once = of_dice(Part(1, 12, 0, 0, True, False), 12)
    assert once[:3] == pytest.approx([11 / 12, 11 / 144, 1 / 144])
    chained = of_dice(Part(1, 12, 0, 0, True), 12)
    assert chained[:4] == pytest.approx([11 / 12, 11 / 144, 11 / 1728, 11 / 20736])
    assert len(of_dice(Part(3, 12, 0, 0, True), 12)) == 3 + 1 + 12
    assert sum(chained) == pytest.approx(1)


def test_tables_and_sums_of_counts() -> None:
    assert list(of_table({0: 0.5, 2: 0.5})) == [0.5, 0, 0.5]
    assert list(of_table({})) == [0.0]
    with pytest.raises(ValueError, match="got -1"):
        of_table({1: 0.5, -1: 0.5})
    assert list(total([])) == [1.0]
    assert total([of_binomial(1, 0.5), of_binomial(2, 0.5)]) == pytest.approx(of_binomial(3, 0.5))


@settings(max_examples=40)
@given(st.integers(0, 5), st.integers(-2, 8))
def test_luck_is_what_is_less_and_half_of_what_is_equal(count: int, actual: int) -> None:
    shares = of_binomial(count, 0.3)
    less = sum(float(share) for n, share in enumerate(shares) if n < actual)
    equal = float(shares[actual]) if 0 <= actual <= count else 0.0
    assert luckier_than(shares, actual, more_is_lucky=True) == pytest.approx(less + equal / 2)
    assert luckier_than(shares, actual, more_is_lucky=False) == pytest.approx(1 - less - equal / 2)
    assert at_least(shares, actual) == pytest.approx(1 - less)


# -- numbers and tables ------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(numbers, numbers)
def test_numbers_are_joined_left_out_and_told_apart(one: Any, other: Any) -> None:
    assert list(tables.joined(one, other)) == sorted({*one, *other})
    assert list(tables.without(one, other)) == sorted({*one} - {*other})
    found, places = tables.distinct(one)
    assert (list(found), list(found[places])) == (sorted({*one}), list(one))
    for told, at in (states.ranked(one), states._counted(one), states.distinct(one)[::2]):
        assert (list(told), list(told[at])) == (sorted({*one}), list(one))
    assert list(states.distinct(one)[1]) == [list(one).index(n) for n in sorted({*one})]
    for count in (int(one.max()) + 1, int(one.max()) + 3):
        assert [list(some) for some in states.groups(one, count)] == [
            [i for i, n in enumerate(one) if n == group] for group in range(count)
        ]


def test_many_small_numbers_are_told_apart_like_few() -> None:
    many = np.arange(5_000, dtype=np.int64) * 7 % 13
    for some in (many, many - 3, many * 10**9):
        found, first, places = states.distinct(some)
        assert list(found) == sorted({*some.tolist()})
        assert [some.tolist().index(n) for n in found.tolist()] == list(first)
        assert (found[places] == some).all()
        told, at = states.ranked(some)
        assert (list(told), list(at)) == (list(found), list(places))


@settings(max_examples=20)
@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8))
def test_rows_are_told_apart(rows: list[list[int]]) -> None:
    found, places = states.distinct_rows(np.array(rows, dtype=np.int64))
    assert sorted(map(tuple, found.tolist())) == sorted({tuple(row) for row in rows})
    assert [found[place].tolist() for place in places] == rows


def test_a_table_works_each_entry_out_once_and_grows() -> None:
    asked: Counter[Any] = Counter()

    def square(n: int) -> int:
        asked[n] += 1
        return n * n

    def sums(n: int, m: int) -> int:
        asked[n, m] += 1
        return n + 2 * m

    column, grid = tables.Column(square), tables.Grid(sums)
    nothing: list[int] = []
    for some in (nothing, [0, 63], nothing, [64, 3], [64, 128, 0], [1, 1000]):
        assert column.of(np.array(some, dtype=np.int64)).tolist() == [n * n for n in some]
        for other in ([0, 3], [200, 4]):
            one, two = np.array(some, dtype=np.int64)[:, None], np.array(other)
            assert grid.of(one, two).tolist() == [[n + 2 * m for m in other] for n in some]
    assert set(asked.values()) == {1}
    asked.clear()
    memo = tables.Memo(square)
    assert [memo[n] for n in (3, 500, 3)] == [9, 250000, 9]
    assert asked == {3: 1, 500: 1}
    assert column.nbytes > 0
    assert grid.nbytes > 0


def test_values_are_numbered_as_they_are_met() -> None:
    known = tables.Numbers[str]()
    assert [known.of(value) for value in ("b", "a", "b", "c")] == [0, 1, 0, 2]
    assert known.values == ["b", "a", "c"]


@settings(max_examples=20)
@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=5), st.lists(st.integers(0, 2), min_size=1, max_size=5)
)
def test_chances_are_summed_up_by_end(one: list[int], other: list[int]) -> None:
    ends = [[sorted(set(some)).index(n) for n in some] for some in (one, other)]
    p = np.arange(1.0, len(one) * len(other) + 1).reshape(len(one), len(other))
    sides = [_End(np.array(end), max(end) + 1) for end in ends]
    found = _by_end(p, *sides)  # type: ignore[arg-type]
    for i, j in product(range(max(ends[0]) + 1), range(max(ends[1]) + 1)):
        total_ = sum(
            p[r, c]
            for r, c in product(range(len(one)), range(len(other)))
            if (ends[0][r], ends[1][c]) == (i, j)
        )
        assert found[i, j] == pytest.approx(total_)


class _End:
    """An end as `_by_end` reads it: which end each state comes to, and how many ends there are."""

    def __init__(self, end: Any, count: int) -> None:
        self.end, self.ends = end, range(count)


# -- the coach ---------------------------------------------------------------------------------------------------


def test_the_coach_speaks_only_where_nothing_forbids_it() -> None:
    state = Evening(NEWER).state
    for tournament, locked, is_on in product((False, True), repeat=3):
        config = replace(state.clocks.config, tournament=tournament)
        asked = replace(
            state,
            clocks=replace(state.clocks, config=config),
            setup=replace(state.frozen_setup, coach_locked=locked),
        )
        fault = coach_fault(asked, is_on=is_on)
        first = [
            code for code, so in (("tournament", tournament), ("locked", locked), ("off", not is_on)) if so
        ]
        assert ("" if fault is None else fault.code) == (f"coach_{first[0]}" if first else "")


def test_a_chance_is_never_rounded_to_certainty() -> None:
    goal = next(iter(CHANCES))

    def told(value: float) -> str:
        return str(Say("{v}", v=worth_say(goal, value)))

    shown = [told(v) for v in (0.0, 0.0005, 0.001, 0.5, 0.999, 0.9995, 1.0)]
    assert [text[0] in "<>" for text in shown] == [False, True, False, False, False, True, False]
    assert shown[1][0] == "<"
    assert shown[5][0] == ">"
    assert worth_say("exchange", 1.2345) == 1.23
    assert str(worth_say("exchange", -0.001)) == "0.0"
