"""Where a result lies among all that might have been: sums of independent counts, and the rank of one result.

Shares are arrays of one axis: entry n is the chance of exactly n, dtype float64, sum 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.odds.arrays import np
from companion.odds.distributions import Array, Part, dice

__all__ = ["at_least", "luckier_than", "of_binomial", "of_dice", "of_table", "total"]

_BEYOND = 12
"""Hits of extra shots beyond one for each die that are told apart: more have a chance below 1 in 10^12."""


def of_dice(part: Part, faces: int) -> Array:
    """Return the shares of all hits of like dice, those of the highest face and of extra shots among them."""
    length = part.dice + 1 + (_BEYOND if part.extra_shot else 0)
    return dice(Part(part.dice, part.number, 0, 0, part.extra_shot, part.is_chained), faces, (length,))


def of_binomial(count: int, chance: float) -> Array:
    """Return the shares, 0 to 1, of 0, 1, 2 … hits of so many dice that hit with a chance of 0 to 1 each."""
    one = np.array([1.0 - chance, chance])
    return total([one] * count)


def of_table(chances: Mapping[int, float]) -> Array:
    """Return chances by amount, each 0 to 1, as shares at these indices. ValueError for an amount below 0."""
    if any(amount < 0 for amount in chances):
        raise ValueError(f"expected amounts of 0 or more, got {min(chances)}")
    found = np.zeros(max(chances, default=0) + 1)
    for amount, share in chances.items():
        found[amount] += share
    return found


def total(spreads: Iterable[Array]) -> Array:
    """Return the shares of the sum of independent counts; of none at all it is certainly 0."""
    found = np.ones(1)
    for one in spreads:
        found = np.convolve(found, one)
    return found


def at_least(shares: Array, amount: int) -> float:
    """Return the chance, 0 to 1, of so much or more; an amount is an index of the shares."""
    return min(1.0, float(shares[max(0, amount) :].sum())) if amount > 0 else 1.0


def luckier_than(shares: Array, actual: int, *, more_is_lucky: bool) -> float:
    """Return which share of what might have been is less lucky than the result, half of the equal ones included: 0 to 1.

    Example:
        >>> luckier_than(of_binomial(2, 0.5), 2, more_is_lucky=True)
        0.875
    """
    equal = float(shares[actual]) if 0 <= actual < len(shares) else 0.0
    below = float(shares[: max(0, actual)].sum())
    less = below if more_is_lucky else float(shares.sum()) - below - equal
    return min(1.0, max(0.0, less + equal / 2))
