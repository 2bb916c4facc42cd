"""Every legal payment of many hits by many units at once, in arrays.

What one hit may take is asked of `companion.games.sfw.rules.battle_payments.Payments`, which puts hits together one by
one as well; both ways find the same payments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from companion.games.sfw.odds.states import Ints, distinct
from companion.games.sfw.rules.battle_payments import SLOT_BITS, Payments
from companion.odds.arrays import np

__all__ = ["Offers", "legal_payments", "runs"]

_MOST_NUMBERED = 2**62
"""Largest number that a question or a payment of it may get."""

_MOST_BUNDLES = 1_000_000
"""Most ways to have units that are told apart."""


class Offers(NamedTuple):
    """Payments to choose from: for each question a run of `lengths` rows of `vectors`, beginning at `starts`."""

    vectors: Ints
    starts: Ints
    lengths: Ints


class _Layer(NamedTuple):
    """Different questions of the same number of hits."""

    room: Ints
    """Units of each slot, shape (questions, slots)."""
    last: Ints
    """The strongest class that hits."""
    fewer: Ints
    """The question of the layer below that has one hit of that class less."""
    asked: Ints
    """Which questions were asked from outside."""
    place: Ints
    """Their places among these."""


def runs(starts: Ints, lengths: Ints) -> Ints:
    """Return the places of runs of rows, one run after the other."""
    begin = np.cumsum(lengths) - lengths
    places: Ints = np.arange(int(lengths.sum())) + np.repeat(starts - begin, lengths)
    return places


def legal_payments(payments: Payments, rooms: Ints, hits: Ints) -> Offers | None:
    """Return the legal payments of different questions; None where their numbers would be too large.

    Args:
        payments: Prices, with `is_joint`.
        rooms: Units of each slot, no more than the hits could ever take, shape (questions, slots).
        hits: Hits of each class, shape (questions, classes).
    """
    radices = rooms.max(axis=0) + 1
    worths = int((hits @ np.array(payments.capacity)).max()) + 1
    size = worths * float(np.prod(radices.astype(np.float64)))
    if (
        size > _MOST_BUNDLES * worths
        or len(rooms) * size * float(np.prod(hits.max(axis=0) + 1.0)) > _MOST_NUMBERED
    ):
        return None
    strides = np.cumprod([worths, *radices[:-1]], dtype=np.int64)
    bundles = [_Bundles(payments, n, radices - 1, strides) for n in range(hits.shape[1])]
    span = int(strides[-1] * radices[-1])
    # A payment is its units with what it is worth in the lowest place.
    codes, starts, lengths = (np.array([n], dtype=np.int64) for n in (0, 0, 1))
    found, first, many = [], np.zeros(len(rooms), dtype=np.int64), np.zeros(len(rooms), dtype=np.int64)
    at = 0
    for layer in _layers(payments, rooms, hits):
        if layer.fewer.size:
            owner = np.repeat(np.arange(len(layer.room)), lengths[layer.fewer])
            before = codes[runs(starts[layer.fewer], lengths[layer.fewer])]
            left = layer.room[owner] - before[:, None] // strides % radices
            keys = np.concatenate(
                [
                    bundles[n].added(owner * span + before, left, layer.last[owner] == n)
                    for n in set(layer.last.tolist())
                ]
            )
            keys.sort()
            # Of payments of the same units the dearest.
            keys = keys[np.append(np.diff(keys // worths) > 0, True)]
            owner, codes = np.divmod(keys, span)
            lengths = np.bincount(owner, minlength=len(layer.room))
            starts = np.cumsum(lengths) - lengths
        worth = codes % worths
        is_best = worth == np.repeat(np.maximum.reduceat(worth, starts), lengths)
        best = np.add.reduceat(is_best.astype(np.int64), starts)
        first[layer.asked] = at + (np.cumsum(best) - best)[layer.place]
        many[layer.asked] = best[layer.place]
        found.append(codes[is_best])
        at += len(found[-1])
    return Offers(np.concatenate(found)[:, None] // strides % radices, first, many)


def _layers(payments: Payments, rooms: Ints, hits: Ints) -> Iterator[_Layer]:
    """Yield the questions by their number of hits, rising, and all that they lead down to."""
    slots = rooms.shape[1]
    demand = np.array(payments.demand, dtype=np.int64)
    total = hits.sum(axis=1)
    every = np.concatenate([rooms, hits], axis=1)
    values = np.cumprod([1, *(every.max(axis=0)[:-1] + 1)], dtype=np.int64)
    below = every[:0]
    layers: list[_Layer] = []
    above = np.zeros(0, dtype=np.int64)
    for count in range(int(total.max()), -1, -1):
        asked = np.flatnonzero(total == count)
        rows = np.concatenate([every[asked], below])
        _, first, place = distinct(rows @ values)
        rows = rows[first]
        if layers:
            layers[-1] = layers[-1]._replace(fewer=place[len(asked) :])
        room, own = rows[:, :slots], rows[:, slots:]
        last = own.shape[1] - 1 - (own[:, ::-1] > 0).argmax(axis=1)
        layers.append(_Layer(room, last, above, asked, place[: len(asked)]))
        # Weakest hits first: what is left over for a stronger hit is never worth more to a weaker one.
        fewer = own.copy()
        fewer[np.arange(len(own)), last] -= 1
        below = np.concatenate([np.minimum(room, fewer @ demand.T), fewer], axis=1)
    yield from reversed(layers)


class _Bundles:
    """What one hit of a class may take, laid out for quick gathering."""

    def __init__(self, payments: Payments, index: int, most: Ints, strides: Ints) -> None:
        self._payments, self._index, self._strides = payments, index, strides
        demand = np.array([demand[index] for demand in payments.demand], dtype=np.int64)
        self._most = np.minimum(demand, most)
        self._values = np.cumprod([1, *(self._most[:-1] + 1)], dtype=np.int64)
        self._known = np.full(int(self._values[-1] * (self._most[-1] + 1)), -1, dtype=np.int64)
        self._rows: list[Ints] = []

    def added(self, keys: Ints, left: Ints, some: Ints) -> Ints:
        """Return some payments with each bundle that this hit may take of what they leave."""
        needed = np.minimum(left[some], self._most)
        codes = needed @ self._values
        new = codes[self._known[codes] < 0]
        for code in set(new.tolist()):
            self._known[code] = len(self._rows)
            self._rows.append(self._bundle(code))
        lengths = np.array([len(row) for row in self._rows], dtype=np.int64)
        row = self._known[codes]
        taken = np.concatenate(self._rows)[runs((np.cumsum(lengths) - lengths)[row], lengths[row])]
        found: Ints = np.repeat(keys[some], lengths[row]) + taken
        return found

    def _bundle(self, code: int) -> Ints:
        left = (code // self._values % (self._most + 1)).tolist()
        packed = sum(n << SLOT_BITS * slot for slot, n in enumerate(left))
        payments = self._payments
        rows = [
            (taken >> payments.worth_at, *payments.vector(taken))
            for taken in payments.bundles_for(self._index, packed)
        ]
        table = np.array(rows, dtype=np.int64)
        found: Ints = table[:, 0] + table[:, 1:] @ self._strides
        return found
