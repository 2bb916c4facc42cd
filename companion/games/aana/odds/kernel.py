"""One simultaneous fire between numbered states of both sides of a North Africa combat, as products of matrices."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.games.aana.odds.tables import Floats, Ints, distinct

__all__ = ["SPECK", "Chances", "Kernel"]

SPECK: Final = 1e-17
"""States less likely than this are dropped; all of them together stay below 1e-12."""

_NEAR: Final = 24_000
"""Size of a table that stays near the processor while it is worked on."""
_MOST_AT_ONCE: Final = 100_000
"""Largest part of the table of moves that is copied at once."""
_FEW_HITS: Final = 15
"""For so many hits it is quicker to multiply than to look up, way by way, where each leads."""


class Chances(NamedTuple):
    """Chances of hits by state; states that fire alike share a row."""

    rows: Floats
    """Chances, shape (rows, hits)."""
    row: Ints
    """The row of each state."""

    def some(self, places: Ints) -> tuple[Chances, NDArray[np.bool_]]:
        """Return the chances of some of the states, and which hits these can make; the others are left out."""
        kept, row = distinct(self.row[places])
        rows = self.rows[kept]
        can: NDArray[np.bool_] = np.logical_or.reduce(rows, axis=0)
        return Chances(rows[:, can], row), can


class Kernel:
    """One simultaneous fire between states of the attacker and states of the defender.

    The losses of one side hang on the other side's state only by the chances of its hits, so the joint distribution
    is one product of matrices for each state of one side: the side for which that is less work.
    """

    def __init__(self, by_a: Chances, to_d: Ints, by_d: Chances, to_a: Ints) -> None:
        """Take the fires and what they do; the products wait until they are used.

        Args:
            by_a: Chances of the hits of the attacking states.
            to_d: Where each defending state goes, shape (defending states, hits of the attackers).
            by_d: Chances of the hits of the defending states.
            to_a: Where each attacking state goes, shape (attacking states, hits of the defenders).
        """
        self._by_a, self._by_d = by_a, by_d
        self._to_a, self._to_d = to_a, to_d
        self.new_a, self._into_a = distinct(to_a)
        self.new_d, self._into_d = distinct(to_d)
        self._swapped = to_d.shape[1] * len(self.new_a) < to_a.shape[1] * len(self.new_d)
        self._product: _Product | None = None

    @property
    def cells(self) -> int:
        """Size of the largest table that `apply` may need."""
        new = self.new_a if self._swapped else self.new_d
        return len(self._to_a) * len(self._to_d) * len(new)

    def some(self, rows: Ints, columns: Ints) -> Kernel:
        """Return the same fire between some of the attacking and defending states, by their places."""
        by_a, of_a = self._by_a.some(rows)
        by_d, of_d = self._by_d.some(columns)
        return Kernel(by_a, self._to_d[columns][:, of_a], by_d, self._to_a[rows][:, of_d])

    def back(self, value: Floats) -> Floats:
        """Return what each pair of states is worth before the fire; `value` has shape (`new_a`, `new_d`)."""
        product = self._products()
        return product.back(value.T).T if self._swapped else product.back(value)

    def apply(self, p: Floats) -> Floats:
        """Return the joint distribution over `new_a` and `new_d`; `p` has shape (attacking, defending states)."""
        product = self._products()
        return product.of(p.T).T if self._swapped else product.of(p)

    def _products(self) -> _Product:
        if self._product is None:
            a = _Side(self._by_a, self._into_a, len(self.new_a))
            d = _Side(self._by_d, self._into_d, len(self.new_d))
            self._product = _Product(d, a) if self._swapped else _Product(a, d)
        return self._product


class _Side(NamedTuple):
    by: Chances
    """Chances of the hits that its states make."""
    into: Ints
    """For each state and hit on it the place where that brings it."""
    places: int


class _Product:
    """The product of a fire between states of one side and of the other.

    For each state of the one side: the other side's chances to hit it, times where its own fire brings them. Tables
    between the steps are kept from call to call: memory that is new each time would cost more than the sums.
    """

    def __init__(self, one: _Side, other: _Side) -> None:
        self._weights = other.by.rows[other.by.row]
        count, hits = one.into.shape
        rows, ways = one.by.rows, one.by.row
        self._is_straight = len(ways) == len(rows) and bool((ways == np.arange(len(ways))).all())
        self._places = one.places, other.places
        # All is worked in steps of so many states, so that it stays near the processor.
        states = len(other.into)
        most = min(_NEAR // (hits * max(states, other.places)), _MOST_AT_ONCE // (states * other.places))
        step = min(count, max(1, most))
        # By hits first, and the weights for every one of the states, so that all is one long product.
        self._by_hits = self._weights.T[:, None, :].repeat(step, axis=1)
        self._weighed = np.empty((hits, step, states))
        self._spread = np.empty((step, hits, other.places))
        self._sorted = np.empty((step * hits, other.places))
        self._steps = [
            _Step.of(start, ways[start : start + step], one.into[start : start + step])
            for start in range(0, count, step)
        ]
        # By step where each state fires in its own way: one large table would leave holes in the memory.
        size = step if self._is_straight else len(rows)
        self._moves = [_moves(rows[start : start + size], other) for start in range(0, len(rows), size)]

    def of(self, p: Floats) -> Floats:
        """Return the joint distribution after the fire; shape (new states of the one side, of the other)."""
        found = np.zeros(self._places)
        for n, part in enumerate(self._steps):
            some = p[part.start : part.end]
            count = len(some)
            if len(self._steps) > 1 and some.sum() <= SPECK:
                continue
            weighed = np.multiply(self._by_hits[:, :count], some, out=self._weighed[:, :count])
            moves = self._moves[n] if self._is_straight else self._moves[0][part.ways]
            spread = np.matmul(weighed.transpose(1, 0, 2), moves, out=self._spread[:count])
            # No place is out of range; "clip" saves numpy a copy.
            gathered = self._sorted[: len(part.by_arrival)]
            np.take(spread.reshape(-1, spread.shape[2]), part.by_arrival, axis=0, out=gathered, mode="clip")
            found[part.places] += np.add.reduceat(gathered, part.starts, axis=0)
        return found

    def back(self, value: Floats) -> Floats:
        """Return what pairs are worth before the fire, shape (states of the one side, of the other)."""
        found = np.empty((self._steps[-1].end, len(self._weights)))
        for n, part in enumerate(self._steps):
            moves = self._moves[n] if self._is_straight else self._moves[0][part.ways]
            # Where the other side's fire brings each of the one, then where this one's brings the other.
            after = np.matmul(self._weights, value[part.into])
            found[part.start : part.end] = np.einsum("osp,osp->os", after, moves)
        return found


class _Step(NamedTuple):
    """Some states that are worked at once, and where hits bring them."""

    start: int
    end: int
    ways: Ints
    """The way in which each fires."""
    into: Ints
    """Where hits bring each."""
    by_arrival: Ints
    """States with hits, by the place where that brings them."""
    starts: Ints
    """Where those of each place begin."""
    places: Ints

    @classmethod
    def of(cls, start: int, ways: Ints, into: Ints) -> _Step:
        """Take the first of the states, and their places by hits; shape (states, hits)."""
        arrivals = into.ravel()
        order = arrivals.argsort(kind="stable")
        places = distinct(arrivals)[0]
        return cls(start, start + len(into), ways, into, order, arrivals[order].searchsorted(places), places)


def _moves(rows: Floats, other: _Side) -> Floats:
    """Return where each way to fire brings the other side's states; shape (ways, states, places)."""
    states, places = len(other.into), other.places
    into = (np.arange(0, states * places, places)[:, None] + other.into).T
    if len(rows) > 1 and len(into) <= _FEW_HITS:
        leads = np.zeros((len(into), states * places))
        np.put_along_axis(leads, into, 1.0, axis=1)
        return (rows @ leads).reshape(len(rows), states, places)
    found = np.empty((len(rows), states * places))
    for way, row in zip(found, rows, strict=True):
        hits = row.nonzero()[0]
        way[:] = np.bincount(into[hits].ravel(), row[hits].repeat(states), states * places)
    return found.reshape(len(rows), states, places)
