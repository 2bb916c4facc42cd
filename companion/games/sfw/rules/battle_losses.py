"""What hits kill: legal casualties, and who is lost under a named policy.

Every hit of a battle step is paid by the side that was hit: with units that the hit may be aimed at, none heavier
than the hit, worth at most its capacity. All hits of a step are paid together, and as much of them as can be:
a payment is legal when no other assignment of units to hits pays more. Under the table ruling "joint_hits" they
are paid hit by hit in any order instead, each taking as much as fits; one that finds nothing lapses. Where there
is less to take than a hit could, it takes what there is. Which legal payment is taken is the owner's choice, or a
policy's.
Source: rulebook v0.96, Removing Casualties, Combined Fire; table ruling "what one hit removes".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import prod
from operator import le

import msgspec

from companion.core.text import Count, Say, unit
from companion.games.sfw.rules.battle import Counts, Fight, Kind
from companion.games.sfw.rules.battle_payments import Payments, Vector, dot, payments_of
from companion.games.sfw.rules.battle_rolls import Aim, armour_against, can_hit, has_cover

__all__ = [
    "CHEAPEST",
    "KEEP_CONTROL",
    "Hit",
    "LossTable",
    "Payer",
    "Policy",
    "merge_hits",
]


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """Like hits: their level and aim. A precise hit is paid as the shooter wants."""

    level: int
    aim: Aim
    count: int = 1
    precise: bool = False


class Policy(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a side chooses its casualties.

    ``cheapest``: least total cost, then fewest control-capable units, then the units given first.
    ``order``: the table's own order of loss, first named is lost first; units not named go last.
    ``keep_control``: cheapest, but one control-capable unit stays as long as the rules let it.
    """

    name: str = "cheapest"
    order: tuple[str, ...] = ()


_CONTROL_SCALE = 10_000
"""Puts cost above the number of control-capable units in one sum; a side never has so many of them."""

_FEW_PAYMENTS = 200
"""Units of all slots, multiplied, of which all payments are told at once."""

CHEAPEST = Policy()
KEEP_CONTROL = Policy("keep_control")


def merge_hits(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return the same hits with like ones counted together, weakest first; empty ones dropped."""
    found: dict[tuple[int, Aim, bool], int] = {}
    for hit in hits:
        key = (hit.level, hit.aim, hit.precise)
        found[key] = found.get(key, 0) + hit.count
    merged = [Hit(level, aim, count, precise) for (level, aim, precise), count in found.items() if count]
    return tuple(sorted(merged, key=lambda hit: (hit.level, hit.precise)))


class Payer(msgspec.Struct):
    """The payments of one list of hit classes for one side: which kinds stand in which slot."""

    slots: tuple[tuple[int, ...], ...]
    payments: Payments

    def there(self, counts: Counts) -> Vector:
        """Return how many units each slot has."""
        return tuple([sum([counts[index] for index in slot]) for slot in self.slots])

    def best(self, counts: Counts, numbers: Vector) -> tuple[tuple[Vector, ...], int]:
        """Return every legal payment of so many hits, by slot, and what it is worth."""
        return self.payments.best(self.there(counts), numbers)


class LossTable:
    """Casualties of one side of one fight. Remembers what it has worked out; asks nothing but the fight."""

    def __init__(self, fight: Fight, side: str, policy: Policy = CHEAPEST) -> None:
        """Prepare for a side under a policy."""
        self.fight = fight
        self.side = side
        self.policy = policy
        self.kinds = fight.kinds(side)
        self.covers = tuple(kind for kind in self.kinds if kind.unit.has("coverage"))
        self._payers: dict[tuple[tuple[tuple[int, Aim], ...], tuple[bool, ...]], Payer] = {}
        self._orders: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._prices: dict[tuple[tuple[int, ...], Counts], list[int]] = {}
        self._lost: dict[tuple[Counts, tuple[Hit, ...]], Counts] = {}
        self._costs = tuple(kind.cost for kind in self.kinds)
        self._controls = tuple(int(kind.unit.control) for kind in self.kinds)
        self.weights = tuple(
            cost * _CONTROL_SCALE + control for cost, control in zip(self._costs, self._controls, strict=True)
        )
        """What the cheapest policy sums up of each kind's unit: its cost, and just below that control."""
        self.ranks = tuple(self._rank(kind) for kind in self.kinds)
        """Where each kind stands in the table's own order of loss; all 0 under another policy."""

    def after(self, counts: Counts, hits: tuple[Hit, ...]) -> Counts:
        """Return a side's counts after it has paid the merged hits of a step by its policy."""
        key = (counts, hits)
        known = self._lost.get(key)
        if known is None:
            known = self._pay(counts, hits)
            self._lost[key] = known
        return known

    def proposal(self, counts: Counts, hits: tuple[Hit, ...]) -> Counts:
        """Return the losses, by kind, that the policy would choose."""
        after = self.after(counts, hits)
        return tuple(before - left for before, left in zip(counts, after, strict=True))

    def fault(self, counts: Counts, hits: tuple[Hit, ...], losses: Counts) -> Say | None:
        """Say why chosen losses do not pay the hits; None when they do.

        The hits must be all precise (the shooter chooses) or none of them.
        """
        for kind, loss, count in zip(self.kinds, losses, counts, strict=True):
            if not 0 <= loss <= count:
                there = Count(count, unit(kind.unit.id))
                return Say("You cannot lose {loss}; only {units} left.", loss=loss, units=there)
        payer = self.payer(_classes(hits), counts)
        for kind in self.kinds:
            if losses[kind.index] and all(kind.index not in slot for slot in payer.slots):
                return Say("These hits cannot remove this unit: {unit}.", unit=unit(kind.unit.id))
        numbers = tuple(hit.count for hit in hits)
        vectors, _ = payer.best(counts, numbers)
        vector = tuple(sum(losses[index] for index in slot) for slot in payer.slots)
        if vector in vectors:
            return None
        if any(all(map(le, vector, other)) for other in vectors):
            return Say("The hits remove more units. Choose as many casualties as they can remove.")
        return Say("These casualties do not match the hits.")

    def legal(self, counts: Counts, hits: tuple[Hit, ...]) -> Iterator[Counts]:
        """Yield every legal choice of losses, by kind."""
        payer = self.payer(_classes(hits), counts)
        numbers = tuple(hit.count for hit in hits)
        for vector in payer.best(counts, numbers)[0]:
            yield from self._spread(payer, counts, vector, 0, [0] * len(self.kinds))

    def is_forced(self, counts: Counts, hits: tuple[Hit, ...]) -> bool:
        """Say whether there is only one legal choice."""
        choices = self.legal(counts, hits)
        next(choices, None)
        return next(choices, None) is None

    def hangs_on_order(self, counts: Counts, hits: tuple[Hit, ...]) -> bool:
        """Say whether paying the hits together and hit by hit allow different losses."""
        if sum(hit.count for hit in hits) < 2 or any(hit.precise for hit in hits):
            return False
        edition = self.fight.edition
        other = msgspec.structs.replace(edition, joint_hits=not edition.joint_hits)
        table = LossTable(msgspec.structs.replace(self.fight, edition=other), self.side)
        numbers = tuple(hit.count for hit in hits)
        found = (one.payer(_classes(hits), counts).best(counts, numbers)[0] for one in (self, table))
        together, in_turn = map(set, found)
        return together != in_turn

    def _spread(
        self, payer: Payer, counts: Counts, vector: Vector, slot: int, losses: list[int]
    ) -> Iterator[Counts]:
        if slot == len(vector):
            yield tuple(losses)
            return
        for part in _parts(vector[slot], [counts[index] for index in payer.slots[slot]]):
            chosen = list(losses)
            for index, taken in zip(payer.slots[slot], part, strict=True):
                chosen[index] = taken
            yield from self._spread(payer, counts, vector, slot + 1, chosen)

    def _pay(self, counts: Counts, hits: tuple[Hit, ...]) -> Counts:
        for hit in sorted((hit for hit in hits if hit.precise), key=lambda hit: -hit.level):
            payer = self.payer(((hit.level, hit.aim),), counts)
            for _ in range(hit.count):
                after = self._shooters_choice(payer, counts)
                if after == counts:
                    break
                counts = after
        plain = tuple(hit for hit in hits if not hit.precise)
        if not plain:
            return counts
        payer = self.payer(_classes(plain), counts)
        return self.owners_choices(payer, counts, (tuple(hit.count for hit in plain),))[0]

    def owners_choices(self, payer: Payer, counts: Counts, numbers: Sequence[Vector]) -> list[Counts]:
        """Return a side's counts after it has paid so many hits of each of the payer's classes.

        One answer for each of `numbers`, each from the same counts.
        """
        there = payer.there(counts)
        payments = payer.payments
        most = payments.most(there)
        # Of few units that many hits fall on every payment is told at once.
        is_pooled = payments.is_pooled and len(numbers) > 1 and prod(there) <= _FEW_PAYMENTS
        pool = payments.pool(there) if is_pooled else {}
        worths = [*pool]
        known: dict[Vector, Counts] = {}
        found = []
        for given in numbers:
            number = tuple(map(min, given, most))
            after = known.get(number)
            if after is None:
                vectors: Sequence[Vector]
                if is_pooled:
                    worth = worths[bisect_right(worths, number[0] * payments.capacity[0]) - 1]
                    vectors = pool[worth]
                else:
                    vectors, worth = payments.best(there, number)
                if len(vectors) == 1:
                    after = self._take(payer, counts, vectors[0])
                else:
                    after = self._choose(payer, counts, vectors)
                if self.policy.name == "keep_control":
                    after = self._keep_one(payer, counts, number, after, worth)
                known[number] = after
            found.append(after)
        return found

    def _choose(self, payer: Payer, counts: Counts, vectors: Sequence[Vector]) -> Counts:
        """Return what the policy leaves, among several payments by slot."""
        if self.policy.name == "order":
            options = [self._take(payer, counts, vector) for vector in vectors]
            return min(options, key=lambda after: self._key(counts, after))
        rows = [self.prices_of(slot, counts) for slot in payer.slots]
        sums = [sum([row[taken] for row, taken in zip(rows, vector, strict=True)]) for vector in vectors]
        least = min(sums)
        equal = [vector for vector, value in zip(vectors, sums, strict=True) if value == least]
        # Of equal ones that which leaves least of the units given first: they are lost first.
        if all(len(slot) == 1 for slot in payer.slots):
            return self._take(payer, counts, max(equal))
        return min([self._take(payer, counts, vector) for vector in equal])

    def prices_of(self, slot: tuple[int, ...], counts: Counts) -> list[int]:
        """Return what 0, 1, 2 ... units of a slot cost in the policy's order, control-capable ones just above."""
        there = tuple([counts[index] for index in slot])
        known = self._prices.get((slot, there))
        if known is None:
            known = [0]
            for index in self.order_of(slot):
                for _ in range(counts[index]):
                    known.append(known[-1] + self.weights[index])
            self._prices[(slot, there)] = known
        return known

    def _keep_one(self, payer: Payer, counts: Counts, numbers: Vector, after: Counts, worth: int) -> Counts:
        if any(after[kind.index] for kind in self.kinds if kind.holds):
            return after
        found: Counts | None = None
        if not payer.payments.is_joint:
            # A hit that spares a unit could have taken it: only what is legal with all of them may be left.
            options = [self._take(payer, counts, vector) for vector in payer.best(counts, numbers)[0]]
            holding = [left for left in options if any(left[kind.index] for kind in self.kinds if kind.holds)]
            return min(holding, key=lambda left: self._key(counts, left), default=after)
        for kind in self.kinds:
            if not kind.holds or not counts[kind.index]:
                continue
            spared = tuple(count - (kind.index == n) for n, count in enumerate(counts))
            vectors, paid = payer.best(spared, numbers)
            if paid < worth:
                continue
            left = self._choose(payer, spared, vectors)
            left = tuple(count + (kind.index == n) for n, count in enumerate(left))
            if found is None or self._key(counts, left) < self._key(counts, found):
                found = left
        return found or after

    def _shooters_choice(self, payer: Payer, counts: Counts) -> Counts:
        """Return the counts after one precise hit: the shooter takes what costs most."""
        chosen, key = counts, (0, 0)
        for vector in payer.best(counts, (1,))[0]:
            left = list(counts)
            for slot, taken in zip(payer.slots, vector, strict=True):
                for index in sorted(slot, key=lambda n: (-self._costs[n], -self._controls[n], n)):
                    part = min(taken, left[index])
                    left[index] -= part
                    taken -= part
            lost = [before - now for before, now in zip(counts, left, strict=True)]
            value = (dot(lost, self._costs), dot(lost, self._controls))
            if value > key:
                chosen, key = tuple(left), value
        return chosen

    def _take(self, payer: Payer, counts: Counts, vector: Vector) -> Counts:
        left = list(counts)
        for slot, taken in zip(payer.slots, vector, strict=True):
            if not taken:
                continue
            for index in self.order_of(slot):
                part = left[index]
                if part >= taken:
                    left[index] = part - taken
                    break
                left[index] = 0
                taken -= part
        return tuple(left)

    def order_of(self, slot: tuple[int, ...]) -> tuple[int, ...]:
        """Return the kinds of a slot in the order in which the policy gives them up."""
        known = self._orders.get(slot)
        if known is None:
            known = tuple(sorted(slot, key=lambda n: (self.ranks[n], self._costs[n], self._controls[n], n)))
            self._orders[slot] = known
        return known

    def _rank(self, kind: Kind) -> int:
        if self.policy.name != "order":
            return 0
        order = self.policy.order
        for name in (f"{kind.nation} {kind.unit.id}", kind.unit.id):
            if name in order:
                return order.index(name)
        return len(order)

    def _key(self, counts: Counts, after: Counts) -> tuple[object, ...]:
        lost = [before - left for before, left in zip(counts, after, strict=True)]
        plain = (dot(lost, self._costs), dot(lost, self._controls), tuple(-loss for loss in lost))
        if self.policy.name != "order":
            return plain
        dear = [0] * (len(self.policy.order) + 1)
        for loss, rank in zip(lost, self.ranks, strict=True):
            dear[-1 - rank] += loss
        return (tuple(dear), *plain)

    def minds_cover(self, aims: Sequence[Aim]) -> bool:
        """Say whether it makes a difference to hits of these aims that a carrier is covered."""
        return bool(self.covers) and (self.fight.edition.coverage == "all" or any(aim.air for aim in aims))

    def payer(self, classes: tuple[tuple[int, Aim], ...], counts: Counts) -> Payer:
        """Return the payments for hits of these levels and aims, weakest first, cover considered as it is now."""
        covers = self.covers if self.minds_cover([aim for _, aim in classes]) else ()
        covered = tuple([has_cover(self.fight, kind, counts) for kind in covers])
        known = self._payers.get((classes, covered))
        if known is not None:
            return known
        edition = self.fight.edition
        grouped: dict[Vector, list[int]] = {}
        for kind in self.kinds:
            prices = tuple(
                edition.price_of(level, armour_against(self.fight, kind, aim, counts))
                if can_hit(kind, aim)
                else 0
                for level, aim in classes
            )
            if any(prices):
                grouped.setdefault(prices, []).append(kind.index)
        capacity = tuple(edition.capacity[level - 1] for level, _ in classes)
        payments = payments_of(
            tuple(grouped),
            capacity,
            one_colour=edition.one_colour,
            short_pays=edition.short_hit_pays,
            listed_first=edition.listed_first,
            is_joint=edition.joint_hits,
        )
        payer = Payer(tuple(tuple(indexes) for indexes in grouped.values()), payments)
        self._payers[(classes, covered)] = payer
        return payer


def _classes(hits: tuple[Hit, ...]) -> tuple[tuple[int, Aim], ...]:
    return tuple((hit.level, hit.aim) for hit in hits)


def _parts(total: int, limits: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way to take a total from several kinds within their counts."""
    if not limits:
        if total == 0:
            yield ()
        return
    for taken in range(min(total, limits[0]), -1, -1):
        for rest in _parts(total - taken, limits[1:]):
            yield (taken, *rest)
