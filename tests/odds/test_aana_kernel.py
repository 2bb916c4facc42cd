"""Products of matrices against the sum over all hits of both sides, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from companion.games.aana.odds.kernel import Chances, Kernel
from companion.games.aana.odds.tables import Floats, Ints

RANDOM = np.random.default_rng(12)


def chances(states: int, rows: int, hits: int) -> Chances:
    found = RANDOM.random((rows, hits)) * (RANDOM.random((rows, hits)) < 0.7)
    found[:, 0] += 0.1
    return Chances(found / found.sum(axis=1)[:, None], RANDOM.integers(0, rows, states))


def summed(p: Floats, by_a: Chances, to_d: Ints, by_d: Chances, to_a: Ints) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for (a, d), chance in np.ndenumerate(p):
        for h, q in enumerate(by_a.rows[by_a.row[a]]):
            for k, r in enumerate(by_d.rows[by_d.row[d]]):
                pair = int(to_a[a, k]), int(to_d[d, h])
                found[pair] = found.get(pair, 0.0) + float(chance * q * r)
    return {pair: p for pair, p in found.items() if p}


def told(kernel: Kernel, p: Floats) -> dict[tuple[int, int], float]:
    after = kernel.apply(p)
    return {
        (int(kernel.new_a[i]), int(kernel.new_d[j])): float(q) for (i, j), q in np.ndenumerate(after) if q
    }


@pytest.mark.parametrize(
    ("a", "ways_a", "d", "ways_d"), [(7, 6, 5, 2), (9, 2, 4, 4), (3, 1, 8, 8), (1, 1, 6, 3), (6, 6, 1, 1)]
)
def test_a_fire_is_the_sum_over_all_hits(a: int, ways_a: int, d: int, ways_d: int) -> None:
    by_a, by_d = chances(a, ways_a, 4), chances(d, ways_d, 3)
    to_d, to_a = RANDOM.integers(20, 26, (d, 4)), RANDOM.integers(3, 12, (a, 3))
    kernel = Kernel(by_a, to_d, by_d, to_a)
    for _ in range(2):
        p = RANDOM.random((a, d))
        assert told(kernel, p) == pytest.approx(summed(p, by_a, to_d, by_d, to_a), abs=1e-14)
    rows, columns = np.arange(0, a, 2), np.arange(d)[d // 2 :]
    part = kernel.some(rows, columns)
    left = np.zeros((a, d))
    left[rows[:, None], columns] = p[rows[:, None], columns]
    assert told(part, p[rows[:, None], columns]) == pytest.approx(
        summed(left, by_a, to_d, by_d, to_a), abs=1e-14
    )
    # One pair alone: what becomes of either side hangs on nothing but the dice of the other.
    alone_a, alone_d = kernel.alone(np.array([a - 1, 0]), np.array([0, d - 1]))
    for n, pair in enumerate(((a - 1, 0), (0, d - 1))):
        one = np.zeros((a, d))
        one[pair] = 1.0
        assert kernel.apply(one) == pytest.approx(np.outer(alone_a[n], alone_d[n]), abs=1e-14)
