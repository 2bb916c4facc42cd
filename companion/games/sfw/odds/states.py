"""The strengths that the sides of a battle can have, as arrays; and finding equal rows in them.

A state of a side is one row of counts, one column for each kind of the fight, and its number: the counts as
digits of a number whose place values are `SideStates.strides`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import mul

from companion.games.sfw.rules.battle import Counts, Fight
from companion.games.sfw.rules.battle_fire import contributors
from companion.games.sfw.rules.battle_rolls import Aim, can_hit
from companion.odds.arrays import Ints, NDArray, np

__all__ = ["Ints", "SideStates", "TooLargeError", "distinct", "distinct_rows", "groups", "ranked"]


_FEW = 24
"""So many numbers or fewer are looked up one by one."""

_MANY, _SPARSE = 256, 8
"""More numbers than the one, below the other times as many, are counted rather than sorted."""

_MOST_NUMBERED = 9e18
"""Largest number that fits into 64 bits."""


class TooLargeError(ValueError):
    """The battle has too many states to be worked exactly."""


class SideStates:
    """The counts that a side can have, as an array (states, kinds) with a number for each row."""

    def __init__(self, fight: Fight, side: str) -> None:
        """Prepare for a side of a fight; TooLargeError when its strengths cannot be numbered."""
        self.side = side
        self.kinds = fight.kinds(side)
        self._fight = fight
        self._exposed: dict[Aim, tuple[bool, ...]] = {}
        self._contributing: dict[str, tuple[bool, ...]] = {}
        start = fight.start(side)
        most = [
            start[kind.source] * kind.per if kind.source >= 0 else start[kind.index] for kind in self.kinds
        ]
        radices = [value + 1 for value in most]
        strides = [*accumulate(radices, mul, initial=1)]
        if strides.pop() > _MOST_NUMBERED:
            raise TooLargeError("more unit counts than can be numbered")
        self.radices = np.array(radices, dtype=np.int64)
        self.strides = np.array(strides, dtype=np.int64)
        self.counts: Ints = np.zeros((0, len(most)), dtype=np.int64)
        self.codes: Ints = np.zeros(0, dtype=np.int64)

    def exposed(self, aim: Aim) -> tuple[bool, ...]:
        """Say of each kind whether hits with an aim may be paid with it, armour aside."""
        known = self._exposed.get(aim)
        if known is None:
            known = self._exposed[aim] = tuple([can_hit(kind, aim) for kind in self.kinds])
        return known

    def contributing(self, step: str) -> tuple[bool, ...]:
        """Say of each kind whether its count can change what the side rolls on a step."""
        known = self._contributing.get(step)
        if known is None:
            known = self._contributing[step] = contributors(self._fight, step, self.side)
        return known

    def set_counts(self, counts: Sequence[Counts]) -> None:
        """Take new rows."""
        self.counts = np.array(counts, dtype=np.int64).reshape(len(counts), len(self.kinds))
        self.codes = self.counts @ self.strides

    def set_codes(self, codes: Ints) -> None:
        """Take new rows by number."""
        self.codes = codes
        self.counts = codes[:, None] // self.strides % self.radices


def distinct(numbers: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different numbers, rising, where each is first found, and for every number which of them it is.

    As `numpy.unique`, which loads a large part of the library at its first call and does more than is needed.
    """
    if len(numbers) <= _FEW:
        return _looked_up(numbers)
    if _is_dense(numbers):
        found, inverse = _counted(numbers)
        first = np.empty(len(found), dtype=np.int64)
        first[inverse[::-1]] = np.arange(len(numbers) - 1, -1, -1)
        return found, first, inverse
    order, some, is_new, inverse = _sorted(numbers)
    return some[is_new], order[is_new], inverse


def ranked(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the different numbers, rising, and for every number which of them it is."""
    if len(numbers) == 1:
        return numbers, _first()
    if len(numbers) <= _FEW:
        given = numbers.tolist()
        place = {number: n for n, number in enumerate(sorted(set(given)))}
        return _ints(place), _ints(map(place.__getitem__, given))
    if _is_dense(numbers):
        return _counted(numbers)
    _, some, is_new, inverse = _sorted(numbers)
    return some[is_new], inverse


def _is_dense(numbers: Ints) -> bool:
    return (
        len(numbers) > _MANY
        and numbers.item(numbers.argmin()) >= 0
        and numbers.item(numbers.argmax()) < _SPARSE * len(numbers)
    )


def _sorted(numbers: Ints) -> tuple[Ints, Ints, NDArray[np.bool_], Ints]:
    """Return the order of numbers, the numbers in it, which of these are new, and of every number which new one it is."""
    order = numbers.argsort(kind="stable")
    some = numbers[order]
    is_new = np.empty(len(some), dtype=bool)
    is_new[:1] = True
    np.not_equal(some[1:], some[:-1], out=is_new[1:])
    inverse = np.empty(len(some), dtype=np.int64)
    inverse[order] = is_new.cumsum() - 1
    return order, some, is_new, inverse


@cache
def _first() -> Ints:
    """Return the one place 0; shared, so nobody may write to it."""
    first: Ints = np.zeros(1, dtype=np.int64)
    first.setflags(write=False)
    return first


def _looked_up(numbers: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the same for a few numbers, quicker than with arrays."""
    if len(numbers) == 1:
        return numbers, _first(), _first()
    given = numbers.tolist()
    place = {number: n for n, number in enumerate(sorted(set(given)))}
    return _ints(place), _ints(map(given.index, place)), _ints(map(place.__getitem__, given))


def _ints(some: Iterable[int]) -> Ints:
    return np.array([*some], dtype=np.int64)


def _counted(numbers: Ints) -> tuple[Ints, Ints]:
    """Return what `ranked` does for numbers that are not below 0 and small, without sorting."""
    met = np.zeros(numbers.item(numbers.argmax()) + 1, dtype=bool)
    met[numbers] = True
    return met.nonzero()[0], (met.cumsum() - 1)[numbers]


def distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """Return the different rows of counts and for every row which of them it is."""
    if len(rows) == 1 or not rows.shape[1]:
        return rows[:1], np.zeros(len(rows), dtype=np.int64)
    if len(rows) <= _FEW:
        given = rows.tolist()
        place = {row: n for n, row in enumerate(sorted({tuple(row[::-1]) for row in given}))}
        return np.array([row[::-1] for row in place]), _ints([place[tuple(row[::-1])] for row in given])
    _, first, inverse = distinct(rows @ place_values(rows))
    return rows[first], inverse


def place_values(rows: Ints) -> Ints:
    """Return place values by which rows of counts become different numbers."""
    values = np.empty(rows.shape[1], dtype=np.int64)
    values[0] = 1
    np.cumprod(np.maximum.reduce(rows)[:-1] + 1, out=values[1:])
    return values


def groups(numbers: Ints, count: int) -> list[Ints]:
    """Return where each of the numbers 0 to `count` - 1 is found."""
    if count == 1:
        return [np.arange(len(numbers))]
    order = numbers.argsort(kind="stable")
    cuts = [0, *numbers[order].searchsorted(np.arange(1, count)).tolist(), len(numbers)]
    return [order[start:end] for start, end in pairwise(cuts)]
