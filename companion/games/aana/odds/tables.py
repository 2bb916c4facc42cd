"""Numbered values, and tables over their numbers.

Values (pieces of a side, hits, states) get small numbers, so that a round of a North Africa combat is arithmetic on
arrays. Nothing here knows the rules: what an entry is comes from the function that a table is given.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from companion.odds.arrays import Floats, Ints, np

__all__ = [
    "Batch",
    "Column",
    "Floats",
    "Grid",
    "Ints",
    "Memo",
    "Numbers",
    "distinct",
    "joined",
    "ordered",
    "without",
]

T = TypeVar("T", bound=Hashable)
_UNKNOWN: Final = -2
"""What a table holds where nothing was asked yet; below every entry."""
_LEAST: Final = 64
"""Entries of the smallest table."""
_LARGE: Final = 500
"""Entries from which a table grows by less at a time."""


def _blank(entries: int) -> Ints:
    return np.full(entries, _UNKNOWN, dtype=np.int64)


class _Index(dict[T, int]):
    """Numbers by value; a value that is not known yet gets the next one."""

    def __init__(self, values: list[T]) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, value: T) -> int:
        number = self[value] = len(self._values)
        self._values.append(value)
        return number


class Memo(dict[int, int]):
    """What is known of single numbers, one looked up at a time: worked out when it is first asked for."""

    def __init__(self, make: Callable[[int], int]) -> None:
        """Take the function that works an entry out."""
        super().__init__()
        self._make = make

    def __missing__(self, number: int) -> int:
        """Work an entry out and keep it."""
        found = self[number] = self._make(number)
        return found


class Numbers(Generic[T]):
    """Values numbered in the order in which they are met."""

    def __init__(self) -> None:
        """Start without values."""
        self.values: list[T] = []
        self.of: Callable[[T], int] = _Index(self.values).__getitem__
        """Return a value's number."""


class Column:
    """What is known of each numbered value, as whole numbers that are worked out when they are first asked for."""

    def __init__(self, make: Callable[[int], int]) -> None:
        """Take the function that works an entry out; entries are not below -1."""
        self._make = make
        self._known = _blank(_LEAST)

    @property
    def nbytes(self) -> int:
        """Memory of the entries, in bytes."""
        return self._known.nbytes

    def _made(self, numbers: list[int]) -> list[int]:
        make = self._make
        return [make(number) for number in numbers]

    def of(self, numbers: Ints) -> Ints:
        """Return the entries; shape as asked. Numbers are not below 0, which is not checked."""
        try:
            found: Ints = self._known[numbers]
        except IndexError:
            more: Ints = np.full(2 * _top(numbers), _UNKNOWN, dtype=np.int64)
            more[: len(self._known)] = self._known
            self._known = more
            found = more[numbers]
        if _has_unknown(found):
            known = self._known
            unknown = list(set(numbers[found == _UNKNOWN].tolist()))
            known[unknown] = self._made(unknown)
            found = known[numbers]
        return found


class Batch(Column):
    """A column whose entries are worked out many at a time."""

    def __init__(self, make_all: Callable[[list[int]], list[int]]) -> None:
        """Take the function that works out the entries of numbers, each of which it is given once."""
        self._make_all = make_all
        self._known = _blank(_LEAST)

    def _made(self, numbers: list[int]) -> list[int]:
        return self._make_all(numbers)


class Grid:
    """Whole numbers for pairs of whole numbers, worked out once for each pair that is met."""

    def __init__(self, make: Callable[[int, int], int]) -> None:
        """Take the function that works an entry out; entries are not below 0."""
        self._make = make
        self._known: Ints = _blank(0).reshape(0, 0)

    @property
    def nbytes(self) -> int:
        """Memory of the entries, in bytes."""
        return self._known.nbytes

    def of(self, one: Ints, other: Ints) -> Ints:
        """Return the entry of every pair; the arrays are broadcast against each other.

        Numbers are not below 0, which is not checked.
        """
        try:
            found: Ints = self._known[one, other]
        except IndexError:
            self._grow(_top(one) - 1, _top(other) - 1)
            found = self._known[one, other]
        if _has_unknown(found):
            known, make = self._known, self._make
            wide = known.shape[1]
            where = (found == _UNKNOWN).nonzero()
            for code in set((one * wide + other)[where].tolist()):
                pair = divmod(code, wide)
                known[pair] = make(*pair)
            found = known[one, other]
        return found

    def _grow(self, high: int, wide: int) -> None:
        rows, columns = self._known.shape
        shape = (_grown(rows, high), _grown(max(columns, _LEAST), wide))
        more: Ints = np.full(shape, _UNKNOWN, dtype=np.int64)
        more[:rows, :columns] = self._known
        self._known = more


def _grown(size: int, number: int) -> int:
    """Return a size that has room for a number: twice as much for small tables, a quarter more for large ones."""
    return size if number < size else number + 1 + (number if number < _LARGE else number // 4)


# The place of the least or largest number is found several times quicker than the number itself.


def _has_unknown(entries: Ints) -> bool:
    return entries.size > 0 and entries.item(entries.argmin()) == _UNKNOWN


def _top(numbers: Ints) -> int:
    """Return the number above all of some numbers."""
    return numbers.item(numbers.argmax()) + 1 if numbers.size else 0


def distinct(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the numbers that occur, sorted, and for each of `numbers` its place among them; none is below 0.

    Numbers are small here, so that this is quicker than to sort.
    """
    met = np.zeros(_top(numbers), dtype=bool)
    met[numbers] = True
    return met.nonzero()[0], (met.cumsum() - 1)[numbers]


def ordered(numbers: Ints) -> tuple[Ints, Ints]:
    """Return as `distinct` does, for numbers that may be large or below 0; there is at least one."""
    order = numbers.argsort(kind="stable")
    some = numbers[order]
    is_new = np.ones(len(some), dtype=bool)
    np.not_equal(some[1:], some[:-1], out=is_new[1:])
    at = np.empty_like(order)
    at[order] = is_new.cumsum() - 1
    return some[is_new], at


def joined(one: Ints, other: Ints) -> Ints:
    """Return the numbers that occur in either, sorted."""
    met = np.zeros(max(_top(one), _top(other)), dtype=bool)
    met[one] = met[other] = True
    return met.nonzero()[0]


def without(one: Ints, other: Ints) -> Ints:
    """Return those numbers of the one that are not among the other, sorted."""
    met = np.zeros(max(_top(one), _top(other)), dtype=bool)
    met[one] = True
    met[other] = False
    return met.nonzero()[0]
