"""The cheapest part of a force that reaches a chance: the same as trying all of them, and quick where there are too many."""

from __future__ import annotations

import random
from itertools import product

import pytest

from companion.odds.smallest import cheapest_part


@pytest.mark.parametrize("seed", range(8))
def test_no_part_that_reaches_it_is_cheaper_though_more_units_may_be_worse(seed: int) -> None:
    chance = random.Random(seed)
    most = [chance.randint(0, 3) for _kind in range(4)]
    costs = [chance.randint(1, 4) for _kind in most]
    every = list(product(*(range(n + 1) for n in most)))
    worth = {counts: chance.random() for counts in every} | {tuple(most): 0.95}
    found = cheapest_part(most, costs, worth.__getitem__, 0.9)
    assert found is not None
    assert found.is_proved
    reaching = [counts for counts in every if any(counts) and worth[counts] >= 0.9]
    assert found.counts == min(
        reaching, key=lambda c: (sum(n * cost for n, cost in zip(c, costs, strict=True)), sum(c), c)
    )
    assert found.value == worth[found.counts]
    assert cheapest_part(most, costs, worth.__getitem__, 0.96) is None


def test_where_there_are_too_many_a_small_force_is_found_and_not_called_the_smallest() -> None:
    most, costs = [10] * 20, list(range(1, 21))
    tried = []

    def value(counts: tuple[int, ...]) -> float:
        tried.append(counts)
        return min(1.0, sum(n * cost for n, cost in zip(counts, costs, strict=True)) / 100)

    found = cheapest_part(most, costs, value, 0.5)
    assert found is not None
    assert not found.is_proved
    assert found.cost == 50
    assert len(tried) == len(set(tried)) < 200


def test_a_part_of_which_there_is_no_battle_never_reaches_anything() -> None:
    found = cheapest_part([3, 2], [1, 5], lambda counts: None if not counts[1] else 1.0, 0.5)
    assert found is not None
    assert found.counts == (0, 1)


def test_the_search_ends_when_nobody_wants_it() -> None:
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) > 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        cheapest_part([5, 5], [1, 2], lambda counts: float(sum(counts)), 1.0, check=check)
    assert len(calls) == 4
