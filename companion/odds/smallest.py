"""The cheapest part of a force that reaches a wanted chance: found quickly, then proved where it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Final, NamedTuple

__all__ = ["Smallest", "cheapest_part"]

Counts = tuple[int, ...]
_MOST_WORK: Final = 60_000
_EACH: Final = 100
"""Work that is done, a force of n units counting n * n and this: a few seconds."""
_MOST_FORCES: Final = 200_000
"""Forces that are put in order; of more none is proved to be the cheapest."""


class Smallest(NamedTuple):
    """A part of a force that reaches a chance."""

    counts: Counts
    cost: int
    value: float
    is_proved: bool
    """Every cheaper part, and every one of the same cost with fewer units, was tried: none of them would do."""


def cheapest_part(
    most: Sequence[int],
    costs: Sequence[int],
    value: Callable[[Counts], float | None],
    wanted: float,
    *,
    check: Callable[[], None] = lambda: None,
) -> Smallest | None:
    """Return the cheapest part found that reaches a chance, of the same cost that with fewer units; None: not even the whole.

    More units need not be better (they may need supply), so that nothing is left out of the proof.

    Args:
        most: Units of each kind that are at hand.
        costs: What a unit of each kind costs.
        value: What a part comes to, a chance of 0 to 1; None where there is no such battle.
        wanted: The chance to reach, 0 to 1.
        check: Called before each try; what it raises ends the search.
    """
    known: dict[Counts, float] = {}
    work = 0

    def reaches(counts: Counts) -> bool:
        nonlocal work
        if counts not in known:
            check()
            work += sum(counts) ** 2 + _EACH
            found = value(counts) if any(counts) else None
            known[counts] = -1.0 if found is None else found
        return known[counts] >= wanted

    def key(counts: Counts) -> tuple[int, int, Counts]:
        return (sum(n * cost for n, cost in zip(counts, costs, strict=True)), sum(counts), counts)

    whole = tuple(most)
    if not reaches(whole):
        return None
    kinds = sorted(range(len(whole)), key=lambda i: costs[i])
    best = min((_without_needless(whole, order, reaches) for order in (kinds, kinds[::-1])), key=key)
    is_proved = prod(n + 1 for n in whole) <= _MOST_FORCES
    if is_proved:
        cheaper = [counts for counts in product(*(range(n + 1) for n in whole)) if key(counts) < key(best)]
        # The dearest first: they are the likeliest to reach it.
        for counts in sorted(cheaper, key=key, reverse=True):
            if work > _MOST_WORK:
                is_proved = False
                break
            if reaches(counts):
                best = counts
    return Smallest(best, key(best)[0], known[best], is_proved)


def _without_needless(whole: Counts, order: Iterable[int], reaches: Callable[[Counts], bool]) -> Counts:
    """Return the force with as few as will do of each kind in turn, as if more were never worse."""
    best = whole
    for i in order:
        low, high = 0, best[i]
        while low < high:
            middle = (low + high) // 2
            if reaches((*best[:i], middle, *best[i + 1 :])):
                high = middle
            else:
                low = middle + 1
        best = (*best[:i], high, *best[i + 1 :])
    return best
