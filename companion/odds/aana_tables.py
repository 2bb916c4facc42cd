"""Dice, losses and numbered states behind the odds of North Africa: everything that is worked out once and kept.

Values (pieces of a side, hits, states) get small numbers, so that a round is arithmetic on arrays. What fire does
is asked of `companion.games.aana`; nothing of the rules is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.games.aana.casualties import Cargo, Hits, LossPolicy, Payer, cargo_after_hits
from companion.games.aana.combat import ATTACKER, DEFENDER, Arena, Counts, Role, Volley, hit_chance, volleys

__all__ = [
    "Column",
    "Dice",
    "Fire",
    "Floats",
    "Ints",
    "Grid",
    "Kernel",
    "Left",
    "Numbers",
    "binomial",
    "chances",
    "distinct",
    "joined",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T")


class Fire(NamedTuple):
    """A distribution of hits: their numbers and chances."""

    hits: Ints
    p: Floats


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
        """Take the function that works an entry out."""
        self._make = make
        self._known: dict[int, int] = {}

    def of(self, numbers: Ints) -> Ints:
        """Return the entries; shape as asked, one dimension."""
        known = self._known
        asked = numbers.tolist()
        for number in asked:
            if number not in known:
                known[number] = self._make(number)
        return np.array([known[number] for number in asked], dtype=np.int64)


class Grid:
    """Whole numbers for combinations of whole numbers, worked out once for each combination that is met."""

    def __init__(self, make: Callable[..., int]) -> None:
        """Take the function that works an entry out, one argument an array of `of`."""
        self._make = make
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, *asked: Ints) -> Ints:
        """Return the entry of every combination; the arrays are broadcast against each other."""
        some, key = distinct(asked[0])
        for part in asked[1:]:
            more, at = distinct(part)
            some, key = distinct(key * len(more) + at)
        example = np.zeros(len(some), dtype=np.int64)
        example[key.ravel()] = np.arange(key.size)
        where = np.unravel_index(example, key.shape)
        columns = [np.broadcast_to(part, key.shape)[where].tolist() for part in asked]
        entries = [self._entry(combination) for combination in zip(*columns, strict=True)]
        found: Ints = np.array(entries, dtype=np.int64)[key]
        return found

    def _entry(self, combination: tuple[int, ...]) -> int:
        known = self._known.get(combination)
        if known is None:
            known = self._known[combination] = self._make(*combination)
        return known


class Dice:
    """Hits that dice give, and what is left of pieces after them, for one combat and its loss policies."""

    def __init__(
        self,
        arena: Arena,
        *,
        attacker: LossPolicy,
        defender: LossPolicy,
        costs: Mapping[tuple[str, str], int],
    ) -> None:
        """Keep what never changes in the combat."""
        self.arena = arena
        self.hits = Numbers[Hits]()
        self.none = self.hits.of(Hits())
        struck = Payer(arena, DEFENDER, policy=defender, firing=attacker)
        self.losses: Mapping[Role, Losses] = {
            ATTACKER: Losses(Payer(arena, ATTACKER, policy=attacker, firing=defender), self.hits),
            DEFENDER: Losses(struck, self.hits),
        }
        self._aims = struck.aims_at_transports
        self.costs = costs
        self._rows: dict[tuple[int, int, int, bool], Floats] = {}
        self._more: dict[Hits, Ints] = {}
        self._thrown: dict[tuple[Volley, ...], Fire] = {}
        self._fire: dict[Any, Fire] = {}

    def fire(
        self,
        role: Role,
        own: Counts,
        round_no: int,
        start: Counts,
        *,
        only: tuple[int, ...] | None = None,
        without: tuple[int, ...] = (),
        bonus: bool = False,
    ) -> Fire:
        """Return the hits of one side's fire.

        Args:
            start: Destroyers at the start of the round, at sea; empty = those of `own`.
            only: Kinds that fire, None = all.
            without: Kinds that have fired already.
            bonus: The defensive bonus holds this round.
        """
        key = (role, own, min(round_no, 2), start, only, without, bonus)
        known = self._fire.get(key)
        if known is None:
            shots: tuple[Volley, ...] = ()
            if only != ():
                shots = volleys(
                    self.arena,
                    role,
                    own,
                    round_no=round_no,
                    only=only,
                    without=without,
                    escort=start or None,
                    bonus=bonus,
                )
            known = self._fire[key] = self._throw(shots)
        return known

    def _throw(self, shots: tuple[Volley, ...]) -> Fire:
        known = self._thrown.get(shots)
        if known is not None:
            return known
        plain: Floats = np.ones(1)
        classes: dict[tuple[str, str], Floats] = {}
        for volley in shots:
            row, name = self._row(volley), (volley.aim, volley.reach)
            if name == ("", "any"):
                plain = np.convolve(plain, row)
            else:
                classes[name] = np.convolve(classes[name], row) if name in classes else row
        joint: dict[Hits, float] = {Hits(): 1.0}
        for (aim, reach), row in classes.items():
            joint = {
                _with(hits, aim, reach, n): p * q
                for hits, p in joint.items()
                for n, q in enumerate(row.tolist())
            }
        numbers = np.concatenate([self._with_plain(hits, len(plain)) for hits in joint])
        found = self._thrown[shots] = Fire(numbers, np.outer(list(joint.values()), plain).ravel())
        return found

    def _row(self, volley: Volley) -> Floats:
        """Return the chances of 0, 1, 2 ... hits of a volley."""
        key = (volley.dice, volley.need, volley.reroll_from, volley.reroll_once)
        known = self._rows.get(key)
        if known is None:
            known = self._rows[key] = np.array(binomial(volley.dice, hit_chance(volley)))
        return known

    def _with_plain(self, hits: Hits, count: int) -> Ints:
        """Return the numbers of some hits with 0 to `count` - 1 plain ones besides."""
        known = self._more.get(hits, np.zeros(0, dtype=np.int64))
        if len(known) < count:
            more = [self.hits.of(_with(hits, "", "any", n)) for n in range(2 * count)]
            known = self._more[hits] = np.array(more, dtype=np.int64)
        return known[:count]

    def reachable(self, cargo: Cargo) -> int:
        """Return the transports that the attacker's plan aims at."""
        return cargo.transports if self._aims else 0

    def cargo_left(self, cargo: Cargo, left: Left) -> Cargo:
        """Return the defender's transports after the hits aimed at them and those that none of the pieces could take."""
        lost = self.reachable(cargo) - left.reachable
        if left.unpaid and (self.arena.rules.spill or not any(left.own)):
            lost += left.unpaid
        return cargo_after_hits(cargo, lost, self.costs) if lost and cargo.count else cargo


class Left(NamedTuple):
    """What hits leave of the pieces of a side."""

    own: Counts
    unpaid: int = 0
    """Hits that none of the pieces could take."""
    reachable: int = 0
    """Transports that may still be aimed at; 0 where nobody would."""


class Losses:
    """What hits leave of one side: pieces, with the hits that none of them could take."""

    def __init__(self, payer: Payer, hits: Numbers[Hits]) -> None:
        """Take who pays, and the hits by number."""
        self._payer = payer
        self._hits = hits
        self.left = Numbers[Left]()
        self._first = Column(lambda hit: hits.of(msgspec.structs.replace(hits.values[hit], any=0)))
        self._one_more = Column(self._pay_one)
        self._paid = Grid(self._pay)

    def after(self, left: Ints, hits: Ints) -> Ints:
        """Return what is left of some pieces after some hits; shape (pieces, hits).

        Hits that may fall on anything are paid one by one after the others. That comes to the same: one more of them
        raises all limits of what can be paid by one, so that greedily whoever is next of those left pays for it.
        """
        firsts, at = distinct(self._first.of(hits))
        paid = self._paid.of(left[:, None], firsts[None, :])
        chains = [[column] for column in paid.T]
        columns = []
        for hit, place in zip(hits.tolist(), at.tolist(), strict=True):
            chain = chains[place]
            more = self._hits.values[hit].any
            while len(chain) <= more:
                chain.append(self._one_more.of(chain[-1]))
            columns.append(chain[more])
        return np.stack(columns, axis=1)

    def _pay(self, left: int, hit: int) -> int:
        own, before, reachable = self.left.values[left]
        after, unpaid, sunk = self._payer.pay(own, self._hits.values[hit], transports=reachable)
        return self.left.of(Left(after, before + unpaid, reachable - sunk))

    def _pay_one(self, left: int) -> int:
        own, before, reachable = self.left.values[left]
        after, unpaid, _ = self._payer.pay(own, Hits(any=1))
        return self.left.of(Left(after, before + unpaid, reachable))


class Kernel:
    """One simultaneous fire between states of the attacker and states of the defender.

    The losses of one side hang on the other side's state only by the chances of its hits, so the joint distribution
    is one product of matrices for each attacking state.
    """

    def __init__(self, by_a: Floats, to_d: Ints, by_d: Floats, to_a: Ints) -> None:
        """Prepare the products.

        Args:
            by_a: Chances of the hits of each attacking state, shape (attacking states, hits).
            to_d: Where each defending state goes, shape (defending states, hits of the attackers).
            by_d: Chances of the hits of each defending state, shape (defending states, hits).
            to_a: Where each attacking state goes, shape (attacking states, hits of the defenders).
        """
        self._by_d = by_d
        self.new_a, into_a = distinct(to_a)
        self.new_d, into_d = distinct(to_d)
        count_a, (count_d, kinds) = len(to_a), to_d.shape
        wide = len(self.new_d)
        # Transitions of the defenders under the fire of each attacking state.
        rows = np.arange(count_d, dtype=np.int64)[:, None] * wide + into_d.reshape(count_d, kinds)
        moves: Floats = np.zeros((count_a, count_d * wide))
        for i in range(count_a):
            used = np.nonzero(by_a[i])[0]
            weights = np.broadcast_to(by_a[i, used], (count_d, len(used)))
            moves[i] = np.bincount(rows[:, used].ravel(), weights.ravel(), minlength=count_d * wide)
        self._moves = moves.reshape(count_a, count_d, wide)
        self._order = np.argsort(into_a.ravel(), kind="stable")
        self._starts = np.searchsorted(into_a.ravel()[self._order], np.arange(len(self.new_a)))

    def apply(self, p: Floats) -> Floats:
        """Return the joint distribution over `new_a` and `new_d`; `p` has shape (attacking, defending states)."""
        weighed = self._by_d.T[None, :, :] * p[:, None, :]
        after = np.matmul(weighed, self._moves).reshape(-1, len(self.new_d))
        found: Floats = np.add.reduceat(after[self._order], self._starts, axis=0)
        return found


def distinct(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the numbers that occur, sorted, and for each of `numbers` its place among them; none is below 0.

    Numbers are small here, so that this is quicker than to sort.
    """
    met = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
    met[numbers] = True
    return np.flatnonzero(met), (np.cumsum(met) - 1)[numbers]


def chances(fire: list[Fire]) -> tuple[Ints, Floats]:
    """Return all hits that can happen and, for each distribution, a row of their chances."""
    hits, _ = distinct(np.concatenate([spread.hits for spread in fire]))
    rows = np.zeros((len(fire), len(hits)))
    for i, spread in enumerate(fire):
        rows[i, np.searchsorted(hits, spread.hits)] = spread.p
    return hits, rows


def joined(blocks: Iterable[tuple[Ints, Ints, Floats]]) -> tuple[Ints, Ints, Floats]:
    """Add up joint distributions over (numbers of attacking, of defending states)."""
    parts = [block for block in blocks if block[2].size]
    if len(parts) == 1:
        return parts[0]
    all_a, _ = distinct(np.concatenate([a for a, _, _ in parts]))
    all_d, _ = distinct(np.concatenate([d for _, d, _ in parts]))
    found = np.zeros((len(all_a), len(all_d)))
    for a, d, p in parts:
        found[np.ix_(np.searchsorted(all_a, a), np.searchsorted(all_d, d))] += p
    return all_a, all_d, found


def binomial(dice: int, chance: Fraction) -> list[float]:
    """Return the chances of 0 to `dice` hits."""
    p = float(chance)
    return [comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(dice + 1)]


def _with(hits: Hits, aim: str, reach: str, n: int) -> Hits:
    if not n:
        return hits
    if aim:
        return msgspec.structs.replace(hits, aimed=(*hits.aimed, (aim, reach, n)))
    return Hits(
        hits.any + (n if reach == "any" else 0),
        hits.no_air + (n if reach == "no_air" else 0),
        hits.no_sub + (n if reach == "no_sub" else 0),
        hits.aimed,
    )
