"""One simultaneous fire between numbered states of both sides of a North Africa combat, as products of matrices."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from companion.games.aana.odds.tables import Floats, Ints, distinct
from companion.odds.arrays import NDArray, np

__all__ = ["SPECK", "Chances", "Kernel"]

SPECK: Final = 1e-17
"""States less likely than this are dropped; all of them together stay below 1e-12."""

_NEAR: Final = 24_000
"""Size of a table that stays near the processor while it is worked on."""
_TOLD_ROWS: Final = 4
"""So many rows of each place are added one by one."""
_MOST_AT_ONCE: Final = 100_000
"""Largest part of the table of moves that is copied at once."""
_MOST_LEADS: Final = 100_000
"""Largest table of where hits lead, one row a hit; beyond, most of it is empty, and looking up is quicker."""


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

    def alone(self, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
        """Return for pairs by their places the chances of `new_a` and of `new_d` after the fire; they are independent."""
        return (
            _spread(self._by_d.rows[self._by_d.row[columns]], self._into_a[rows], len(self.new_a)),
            _spread(self._by_a.rows[self._by_a.row[rows]], self._into_d[columns], len(self.new_d)),
        )

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
        weights = other.by.rows[other.by.row]
        rows, ways = one.by.rows, one.by.row
        count, self._hits = one.into.shape
        self._places = one.places, other.places
        self._states = states = len(other.into)
        # All is worked in steps of so many states, so that it stays near the processor. Those that many hits tell apart
        # come first, since hits beyond the last that matters to a step count as one.
        order, told = np.arange(count), np.full(count, self._hits)
        if count > _at_once(self._hits, states, other.places):
            told = _told_apart(one.into)
            order = (-told).argsort(kind="stable")
        bounds = [0]
        while bounds[-1] < count:
            some = max(int(told[order[bounds[-1]]]), self._hits // 2)
            bounds.append(min(count, bounds[-1] + _at_once(some, states, other.places)))
        self._steps = [
            _Step.of(order[start:end], one.into, int(told[order[start]]), ways, weights)
            for start, end in pairwise(bounds)
        ]
        # The weights by hits first, and for every one of the states, so that all is one long product.
        self._by_hits = weights.T[:, None, :].repeat(max(len(part.at) for part in self._steps), axis=1)
        most = max(len(part.at) * part.told for part in self._steps)
        # What is weighed is done with before that which is spread is sorted.
        self._weighed = np.empty(most * max(states, other.places))
        self._spread = np.empty((most, other.places))
        self._sorted = self._weighed[: most * other.places].reshape(most, other.places)
        # By step where each state fires in its own way: one large table would leave holes in the memory.
        self._is_own = len(rows) == count
        parts = [rows[part.ways] for part in self._steps] if self._is_own else [rows]
        self._moves = _moves(parts, other)

    def of(self, p: Floats) -> Floats:
        """Return the joint distribution after the fire; shape (new states of the one side, of the other)."""
        is_whole = len(self._steps) == 1
        found: Floats = np.empty((0, 0)) if is_whole else np.zeros(self._places)
        for n, part in enumerate(self._steps):
            some = p if is_whole else p[part.at]
            if not is_whole and np.add.reduce(some, axis=None) <= SPECK:
                continue
            count, told = len(some), part.told
            size = count * told
            weighed = self._weighed[: size * self._states].reshape(told, count, self._states)
            if told == self._hits:
                np.multiply(self._by_hits[:, :count], some, out=weighed)
            else:
                np.multiply(self._by_hits[: told - 1, :count], some, out=weighed[:-1])
                np.multiply(part.weights[:, -1], some, out=weighed[-1])
            moves = self._moves[n] if self._is_own else self._moves[0][part.ways]
            spread, gathered = self._spread[:size], self._sorted[:size]
            np.matmul(weighed.transpose(1, 0, 2), moves, out=spread.reshape(count, told, -1))
            # No place is out of range; "clip" saves numpy a copy.
            spread.take(part.by_arrival, axis=0, out=gathered, mode="clip")
            arrived = part.added(gathered)
            if is_whole:
                # Every place is where somebody arrives.
                found = np.empty(self._places)
                found[part.places] = arrived
            else:
                found[part.places] += arrived
        return found

    def back(self, value: Floats) -> Floats:
        """Return what pairs are worth before the fire, shape (states of the one side, of the other)."""
        found = np.empty((sum(len(part.at) for part in self._steps), self._states))
        for n, part in enumerate(self._steps):
            moves = self._moves[n] if self._is_own else self._moves[0][part.ways]
            # Where the other side's fire brings each of the one, then where this one's brings the other.
            after = np.matmul(part.weights, value[part.into])
            found[part.at] = np.einsum("osp,osp->os", after, moves)
        return found


class _Step(NamedTuple):
    """Some states that are worked at once, and where hits bring them."""

    at: Ints
    """The states."""
    told: int
    """Hits that are told apart: that many, the last of which stands for all from there on."""
    weights: Floats
    """The other side's chances of these hits, shape (states of the other, hits)."""
    ways: Ints
    """The way in which each fires."""
    into: Ints
    """Where hits bring each."""
    by_arrival: Ints
    """States with hits, by the place where that brings them: one for each place, a second for each place that has one ..."""
    counts: tuple[int, ...]
    """How many places have one, two ... of them, as far as these are told apart."""
    starts: Ints
    """... then all others; where those of each place begin."""
    places: Ints
    """The places, those to which most are brought first."""

    def added(self, gathered: Floats) -> Floats:
        """Return the sums by place of rows in the order of `by_arrival`; they may take the place of the first rows."""
        at = sum(self.counts)
        rest: Floats = (
            np.add.reduceat(gathered[at:], self.starts, axis=0) if self.starts.size else gathered[:0]
        )
        if not self.counts:
            return rest
        # Sums of two or three rows are quicker row by row than place by place.
        found, at = gathered[: self.counts[0]], self.counts[0]
        for count in self.counts[1:]:
            found[:count] += gathered[at : at + count]
            at += count
        found[: len(rest)] += rest
        return found

    @classmethod
    def of(cls, at: Ints, into: Ints, told: int, ways: Ints, weights: Floats) -> _Step:
        """Take some states, all places by state and hits, how many hits to tell apart, all ways and all weights."""
        into = into[at, :told] if len(at) < len(into) else into[:, :told]
        if told < weights.shape[1]:
            rest = np.add.reduce(weights[:, told - 1 :], axis=1, keepdims=True)
            weights = np.concatenate((weights[:, : told - 1], rest), axis=1)
        arrivals = into.ravel()
        order, lengths = arrivals.argsort(kind="stable"), np.bincount(arrivals)
        places = (-lengths).argsort(kind="stable")[: np.count_nonzero(lengths)]
        starts, lengths = (lengths.cumsum() - lengths)[places], lengths[places]
        told_rows = _TOLD_ROWS if len(arrivals) < _TOLD_ROWS * len(places) else 0
        counts = [int(np.count_nonzero(lengths > n)) for n in range(told_rows)]
        more = lengths[lengths > told_rows] - told_rows
        begins = more.cumsum() - more
        others = (starts[: len(more)] + told_rows - begins).repeat(more) + np.arange(np.add.reduce(more))
        at_rows = [starts[:count] + n for n, count in enumerate(counts)]
        by_arrival = order[np.concatenate((*at_rows, others))]
        return cls(at, told, weights, ways[at], into, by_arrival, tuple(counts), begins, places)


def _spread(chances: Floats, into: Ints, places: int) -> Floats:
    """Return the chances of places, a row for each row of chances and of the places where these lead."""
    count = len(into)
    codes = np.arange(0, count * places, places)[:, None] + into
    found: Floats = np.bincount(codes.ravel(), chances.ravel(), count * places).astype(np.float64, copy=False)
    return found.reshape(count, places)


def _told_apart(into: Ints) -> Ints:
    """Return for each state how many of the hits, in their order, have to be told apart: all after these lead to one place."""
    differs = into != into[:, -1:]
    backwards: Ints = differs[:, ::-1].argmax(axis=1)
    return np.where(backwards > 0, into.shape[1] - backwards + 1, 1)


def _at_once(hits: int, states: int, places: int) -> int:
    """Return how many states to work at once, by the hits on them and the states and places of the other side."""
    return max(1, min(_NEAR // (max(hits, 1) * max(states, places)), _MOST_AT_ONCE // (states * places)))


def _moves(parts: list[Floats], other: _Side) -> list[Floats]:
    """Return for some ways to fire, by parts, where each brings the other side's states; shape (ways, states, places) a part."""
    states, places = len(other.into), other.places
    into = (np.arange(0, states * places, places)[:, None] + other.into).T
    if len(into) * states * places > _MOST_LEADS:
        return [_looked_up(rows, into, places) for rows in parts]
    leads = np.zeros((len(into), states * places))
    leads[np.arange(len(into))[:, None], into] = 1
    return [(rows @ leads).reshape(len(rows), states, places) for rows in parts]


def _looked_up(rows: Floats, into: Ints, places: int) -> Floats:
    """Return moves where a table of where each hit leads would be too large, way by way."""
    states = into.shape[1]
    found = np.empty((len(rows), states * places))
    for way, row in zip(found, rows, strict=True):
        hits = row.nonzero()[0]
        way[:] = np.bincount(into[hits].ravel(), row[hits].repeat(states), states * places)
    return found.reshape(len(rows), states, places)
