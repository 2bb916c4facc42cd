"""Numbered values, tables over their numbers, and the product that one fire between numbered states is.

Values (pieces of a side, hits, states) get small numbers, so that a round of a North Africa combat is arithmetic on
arrays. Nothing here knows the rules: what an entry is comes from the function that a table is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chances", "Column", "Floats", "Grid", "Ints", "Kernel", "Numbers", "distinct"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T")
_UNKNOWN: Final = -2
"""What a table holds where nothing was asked yet; below every entry."""


class Numbers(Generic[T]):
    """Values numbered in the order in which they are met."""

    def __init__(self) -> None:
        """Start without values."""
        self.values: list[T] = []
        self._index: dict[T, int] = {}

    def of(self, value: T) -> int:
        """Return a value's number."""
        number = self._index.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class Column:
    """What is known of each numbered value, as whole numbers that are worked out when they are first asked for."""

    def __init__(self, make: Callable[[int], int]) -> None:
        """Take the function that works an entry out; entries are not below -1."""
        self._make = make
        self._known: Ints = np.full(64, _UNKNOWN, dtype=np.int64)

    def of(self, numbers: Ints) -> Ints:
        """Return the entries; shape as asked."""
        if not numbers.size:
            return numbers
        top = int(numbers.max())
        if top >= len(self._known):
            more: Ints = np.full(2 * top, _UNKNOWN, dtype=np.int64)
            more[: len(self._known)] = self._known
            self._known = more
        found: Ints = self._known[numbers]
        if found.min() == _UNKNOWN:
            known = self._known
            for number in numbers[found == _UNKNOWN].tolist():
                if known[number] == _UNKNOWN:
                    known[number] = self._make(number)
            found = known[numbers]
        return found

    def at(self, number: int) -> int:
        """Return one entry."""
        if number < len(self._known):
            found = int(self._known[number])
            if found != _UNKNOWN:
                return found
        return int(self.of(np.array([number], dtype=np.int64))[0])


class Grid:
    """Whole numbers for pairs of whole numbers, worked out once for each pair that is met."""

    def __init__(self, make: Callable[[int, int], int]) -> None:
        """Take the function that works an entry out; entries are not below 0."""
        self._make = make
        self._known = np.full((4, 64), _UNKNOWN, dtype=np.int32)

    def of(self, one: Ints, other: Ints) -> Ints:
        """Return the entry of every pair; the arrays are broadcast against each other."""
        high, wide = int(one.max(initial=0)), int(other.max(initial=0))
        rows, columns = self._known.shape
        if high >= rows or wide >= columns:
            shape = (rows if high < rows else 2 * high, columns if wide < columns else 2 * wide)
            more = np.full(shape, _UNKNOWN, dtype=np.int32)
            more[:rows, :columns] = self._known
            self._known = more
        known = self._known
        found = known[one, other]
        if found.min(initial=0) == _UNKNOWN:
            where = (found == _UNKNOWN).nonzero()
            asked = zip(
                np.broadcast_to(one, found.shape)[where].tolist(),
                np.broadcast_to(other, found.shape)[where].tolist(),
                strict=True,
            )
            for pair in set(asked):
                known[pair] = self._make(*pair)
            found = known[one, other]
        return found.astype(np.int64)


class Chances(NamedTuple):
    """Chances of hits by state; states that fire alike share a row."""

    rows: Floats
    """Chances, shape (rows, hits)."""
    row: Ints
    """The row of each state."""


class Kernel:
    """One simultaneous fire between states of the attacker and states of the defender.

    The losses of one side hang on the other side's state only by the chances of its hits, so the joint distribution
    is one product of matrices for each way in which attacking states fire.
    """

    def __init__(self, by_a: Chances, to_d: Ints, by_d: Chances, to_a: Ints) -> None:
        """Prepare the products.

        Args:
            by_a: Chances of the hits of the attacking states.
            to_d: Where each defending state goes, shape (defending states, hits of the attackers).
            by_d: Chances of the hits of the defending states.
            to_a: Where each attacking state goes, shape (attacking states, hits of the defenders).
        """
        self._by_a, self._by_d = by_a, by_d
        self._kinds_a = to_a.shape[1]
        self.new_a, self._into_a = distinct(to_a)
        self.new_d, self._into_d = distinct(to_d)
        self._moves: list[tuple[slice, Floats]] = []

    @property
    def cells(self) -> int:
        """Size of the largest table that `apply` may need."""
        return len(self._into_a) * len(self._into_d) * len(self.new_d)

    def _prepare(self) -> None:
        """Work out the transitions; left until they are used, as states are often only counted."""
        by_a, wide = self._by_a, len(self.new_d)
        count_d = len(self._into_d)
        self._weights = self._by_d.rows[self._by_d.row].T[None, :, :]
        # Attacking states that fire alike stand together: the defenders' transitions under their fire are the same.
        self._by_fire = by_a.row.argsort(kind="stable")
        ends = np.bincount(by_a.row, minlength=len(by_a.rows)).cumsum() * self._kinds_a
        into = (np.arange(0, count_d * wide, wide)[:, None] + self._into_d).T
        start = 0
        for row, end in zip(by_a.rows, ends.tolist(), strict=True):
            used = row.nonzero()[0]
            moves: Floats = np.bincount(into[used].ravel(), row[used].repeat(count_d), count_d * wide).astype(
                np.float64, copy=False
            )
            self._moves.append((slice(start, end), moves.reshape(count_d, wide)))
            start = end
        arrivals = self._into_a[self._by_fire].ravel()
        self._order = arrivals.argsort(kind="stable")
        self._starts = arrivals[self._order].searchsorted(np.arange(len(self.new_a)))

    def apply(self, p: Floats) -> Floats:
        """Return the joint distribution over `new_a` and `new_d`; `p` has shape (attacking, defending states)."""
        if not self._moves:
            self._prepare()
        weighed = (self._weights * p[self._by_fire][:, None, :]).reshape(-1, p.shape[1])
        after = np.empty((len(weighed), len(self.new_d)))
        for those, moves in self._moves:
            np.matmul(weighed[those], moves, out=after[those])
        found: Floats = np.add.reduceat(after[self._order], self._starts, axis=0)
        return found


def distinct(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the numbers that occur, sorted, and for each of `numbers` its place among them; none is below 0.

    Numbers are small here, so that this is quicker than to sort.
    """
    met = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
    met[numbers] = True
    return met.nonzero()[0], (met.cumsum() - 1)[numbers]
