"""What units pay for hits together, as arithmetic over numbers: slots of units, classes of hits, prices.

Knows neither units nor battles; `battle_losses` says what a unit costs a hit, and which payments are legal.
Source: rulebook v0.96, Removing Casualties; table ruling "what one hit removes".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from operator import lshift, mul

__all__ = ["SLOT_BITS", "Payments", "Vector", "dot", "payments_of"]

Vector = tuple[int, ...]

_MOST_REMEMBERED = 60_000
"""Answers kept for one set of prices."""

_MOST_POOLS = 200
"""Pools kept for one set of prices."""

SLOT_BITS = 10
"""Bits of a payment's code for each slot: sums of payments are then sums of whole numbers."""
_MOST_IN_SLOT = (1 << SLOT_BITS) - 1


class Payments:
    """Which units hits of given classes take together, weakest class first; units grouped into slots.

    ``prices[slot][class]`` is what a unit of the slot uses up of one hit, 0 where the class cannot take it. The
    answers are remembered and shared by every battle with the same prices.
    """

    def __init__(
        self,
        prices: tuple[Vector, ...],
        capacity: Vector,
        *,
        one_colour: bool,
        short_pays: bool,
        listed_first: bool = False,
        is_joint: bool = True,
    ) -> None:
        """Prepare for classes of the given capacities."""
        self.is_joint = is_joint
        self._listed_first = listed_first
        self.prices = prices
        self.capacity = capacity
        self._one_colour = one_colour
        self._short_pays = short_pays
        sizes = {*capacity, *(price for row in prices for price in row if price)}
        self._is_even = (
            is_joint and short_pays and not one_colour and all(size & (size - 1) == 0 for size in sizes)
        )
        self.demand = tuple(
            tuple(most // price if price else 0 for most, price in zip(capacity, row, strict=True))
            for row in prices
        )
        """``demand[slot][class]``: units of the slot that one hit of the class could take at most."""
        self._wanted: dict[Vector, Vector] = {}
        self._shifts = tuple(range(0, SLOT_BITS * len(prices), SLOT_BITS))
        self.worth_at = SLOT_BITS * len(prices)
        self._units = (1 << self.worth_at) - 1
        self.is_pooled = (
            self._is_even
            and len(capacity) == 1
            and all(0 < price <= capacity[0] for row in prices for price in row)
        )
        """All hits pay like one that has room for all of them: what they can take together may be told by its worth."""
        self._pools: dict[Vector, dict[int, list[Vector]]] = {}
        # A payment is worth the same whichever hits pay it.
        self._is_flat = all(len({price for price in row if price}) == 1 for row in prices)
        self._paid: dict[tuple[Vector, Vector], dict[int, None]] = {}
        self._best: dict[tuple[Vector, Vector], tuple[tuple[int, ...], int]] = {}
        self._vectors: dict[tuple[int, ...], tuple[Vector, ...]] = {}
        self._bundles: tuple[dict[int, tuple[int, ...]], ...] = tuple({} for _ in capacity)
        self._by_class = tuple(tuple([row[n] for row in prices]) for n in range(len(capacity)))
        # A covered carrier is worth more to a later hit from the air: this one may leave it to that.
        self._may_leave = tuple(
            is_joint and any(row[n] and max(row[n:]) > row[n] for row in prices) for n in range(len(capacity))
        )

    def most(self, there: Vector) -> Vector:
        """Return how many hits of each class can matter against so many units of each slot."""
        return tuple(
            sum([count for count, row in zip(there, self.prices, strict=True) if row[n]])
            for n in range(len(self.capacity))
        )

    def plan(self, there: Vector) -> tuple[Vector, ...]:
        """Return how hits may be restated without a difference against so many units of each slot.

        Entry [c][d] says how many hits of class d one hit of class c comes to. Where two classes take the same
        units at the same prices, a hit with twice the room is as good as two hits, all prices and rooms being
        powers of two.
        """
        classes = range(len(self.capacity))
        rows = [row for count, row in zip(there, self.prices, strict=True) if count]
        plan = []
        for n in classes:
            target, factor = n, 1
            for other in range(n):
                alike = all(row[other] == row[n] for row in rows)
                if alike and self._is_even and self.capacity[n] % self.capacity[other] == 0:
                    target, factor = other, self.capacity[n] // self.capacity[other]
                    break
            plan.append(tuple([factor if other == target else 0 for other in classes]))
        return tuple(plan)

    def best(self, there: Vector, numbers: Vector) -> tuple[tuple[Vector, ...], int]:
        """Return every legal payment, by slot, and what it is worth."""
        codes, worth = self.best_codes(there, numbers)
        vectors = self._vectors.get(codes)
        if vectors is None:
            vectors = self._vectors[codes] = tuple(map(self.vector, codes))
        return vectors, worth

    def pool(self, there: Vector) -> dict[int, list[Vector]]:
        """Return all that so many units of each slot can lose by its worth, rising, where `is_pooled`.

        Prices and capacity are powers of two: whatever is worth no more than some hits can be paid by them.
        """
        known = self._pools.get(there)
        if known is None:
            if len(self._pools) > _MOST_POOLS:
                self._pools.clear()
            prices = [price for (price,) in self.prices]
            found: dict[int, list[Vector]] = {}
            for vector in product(*[range(count + 1) for count in there]):
                found.setdefault(sum(map(mul, vector, prices)), []).append(vector)
            known = self._pools[there] = dict(sorted(found.items()))
        return known

    def best_codes(self, there: Vector, numbers: Vector) -> tuple[tuple[int, ...], int]:
        """Return every legal payment as one number, `SLOT_BITS` bits a slot, first slot lowest, and what it is worth."""
        known = self._best.get((there, numbers))
        if known is None:
            room = self._room(there, numbers)
            known = self._best.get((room, numbers))
            if known is None:
                known = self._best[(room, numbers)] = self.codes_of(room, numbers)
            if len(self._best) > _MOST_REMEMBERED:
                self._best.clear()
                self._vectors.clear()
            self._best[(there, numbers)] = known
        return known

    def codes_of(self, room: Vector, numbers: Vector) -> tuple[tuple[int, ...], int]:
        """Return what `best_codes` does for a room without more than the hits could ever take; not remembered."""
        if len(self._paid) > _MOST_REMEMBERED:
            self._paid.clear()
            for bundles in self._bundles:
                bundles.clear()
        if not self.is_joint:
            return tuple(self._paid_in_turn(room, numbers)), 0
        paid = self._paid_with(room, numbers)
        # What a payment is worth stands above its units.
        least = max(paid) >> self.worth_at << self.worth_at
        return tuple([code - least for code in paid if code >= least]), least >> self.worth_at

    def _room(self, there: Vector, numbers: Vector) -> Vector:
        """Return what there is, cut down to what the hits could ever take: more makes no difference."""
        return tuple(map(min, there, self._wanted.get(numbers) or self._all_wanted(numbers)))

    def _all_wanted(self, numbers: Vector) -> Vector:
        wanted = tuple([sum(map(mul, numbers, demand)) for demand in self.demand])
        self._wanted[numbers] = wanted
        return wanted

    def _code(self, vector: Vector) -> int:
        return sum(map(lshift, vector, self._shifts))

    def vector(self, code: int) -> Vector:
        """Return the units of each slot that a payment's code stands for."""
        return tuple([code >> shift & _MOST_IN_SLOT for shift in self._shifts])

    def _paid_with(self, room: Vector, numbers: Vector) -> dict[int, None]:
        """Return what can be lost to the hits, as codes with what each can be worth."""
        key = (room, numbers)
        known = self._paid.get(key)
        if known is not None:
            return known
        last = len(numbers) - 1
        while last >= 0 and not numbers[last]:
            last -= 1
        found: dict[int, None] = {}
        if last < 0:
            found[0] = None
        else:
            # Weakest hits first: what is left over for a stronger hit is never worth more to a weaker one.
            fewer = (*numbers[:last], numbers[last] - 1, *numbers[last + 1 :])
            wanted = self._wanted.get(fewer) or self._all_wanted(fewer)
            bundles_of, units, everything = self._bundles[last], self._units, self._code(room)
            for code in self._paid_with(tuple(map(min, room, wanted)), fewer):
                left = everything - (code & units)
                bundles = bundles_of.get(left)
                if bundles is None:
                    bundles = self.bundles_for(last, left)
                for bundle in bundles:
                    found[code + bundle] = None
            if not self._is_flat:
                found = self._dearest(found)
        self._paid[key] = found
        return found

    def _dearest(self, codes: dict[int, None]) -> dict[int, None]:
        """Keep of each payment the most that it can be worth."""
        most: dict[int, int] = {}
        units = self._units
        for code in codes:
            if most.get(code & units, -1) < code:
                most[code & units] = code
        return dict.fromkeys(most.values())

    def _paid_in_turn(self, room: Vector, numbers: Vector) -> dict[int, None]:
        """Return what can be lost to the hits in any order, each taking as much as fits."""
        key = (room, numbers)
        known = self._paid.get(key)
        if known is not None:
            return known
        found: dict[int, None] = {} if any(numbers) else {0: None}
        for n, number in enumerate(numbers):
            if not number:
                continue
            fewer = tuple([other - (m == n) for m, other in enumerate(numbers)])
            everything = self._code(room)
            bundles = self._bundles[n].get(everything)
            if bundles is None:
                bundles = self.bundles_for(n, everything)
            for bundle in [bundle & self._units for bundle in bundles if bundle > self._units] or [0]:
                for code in self._paid_in_turn(self.vector(everything - bundle), fewer):
                    found[code + bundle] = None
        self._paid[key] = found
        return found

    def bundles_for(self, index: int, left: int) -> tuple[int, ...]:
        """Return what one hit of a class may take of what is left, as codes with its worth above: as much as fits."""
        needed = tuple(
            [min(n, demand[index]) for n, demand in zip(self.vector(left), self.demand, strict=True)]
        )
        code = self._code(needed)
        known = self._bundles[index].get(code)
        if known is None:
            known = tuple(
                [
                    self._code(bundle) + (value << self.worth_at)
                    for bundle, value in _bundles(
                        self._by_class[index],
                        self.capacity[index],
                        needed,
                        one_colour=self._one_colour,
                        short_pays=self._short_pays,
                        listed_first=self._listed_first,
                        may_leave=self._may_leave[index],
                    )
                ]
            )
            self._bundles[index][code] = known
        self._bundles[index][left] = known
        return known


payments_of = lru_cache(maxsize=256)(Payments)
"""The payments of some prices, worked out once."""


def _bundles(
    prices: Vector,
    capacity: int,
    left: Vector,
    *,
    one_colour: bool,
    short_pays: bool,
    listed_first: bool = False,
    may_leave: bool = False,
) -> Iterator[tuple[Vector, int]]:
    """Yield every bundle that fits the capacity and to which nothing more can be added, with its worth.

    `may_leave`: bundles to which more could be added too.
    `listed_first`: where units of one colour alone can use it up, only such bundles.
    """
    if listed_first:
        counts: dict[int, int] = {}
        for price, number in zip(prices, left, strict=True):
            counts[price] = counts.get(price, 0) + number
        one_colour = one_colour or any(price and price * n >= capacity for price, n in counts.items())
    for box in product(*[range(number + 1) for number in reversed(left)]):
        taken = box[::-1]
        value = sum(map(mul, taken, prices))
        if value > capacity:
            continue
        if value == capacity and not one_colour:
            yield taken, value
            continue
        colours = (
            {price for price, number in zip(prices, taken, strict=True) if number} if one_colour else set()
        )
        if len(colours) > 1:
            continue
        if not short_pays:
            if value in (0, capacity):
                yield taken, value
            continue
        if may_leave:
            yield taken, value
            continue
        rest = capacity - value
        more = [price for price, n, t in zip(prices, left, taken, strict=True) if 0 < price <= rest and n > t]
        if any(colours <= {price} for price in more) if one_colour else more:
            continue
        yield taken, value


def dot(left: list[int] | Vector, right: Vector) -> int:
    """Return the sum of the products of two rows, number by number."""
    return sum(a * b for a, b in zip(left, right, strict=True) if a)
