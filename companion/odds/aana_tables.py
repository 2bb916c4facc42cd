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

__all__ = ["Dice", "Fire", "Floats", "Ints", "Kernel", "Lookup", "Numbers", "binomial", "chances", "joined"]

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


class Lookup:
    """A table of whole numbers (state, hits) or (state,) whose entries are worked out when they are first asked for."""

    def __init__(self, make: Callable[[int, int], int]) -> None:
        """Take the function that works an entry out; it never returns less than -1."""
        self._make = make
        self._known: Ints = np.full((8, 4), -2, dtype=np.int64)

    def rows(self, states: Ints, hits: Ints) -> Ints:
        """Return the entries, one row a state, one column a hit; shape (states, hits)."""
        self._grow(int(states.max(initial=0)) + 1, int(hits.max(initial=0)) + 1)
        found: Ints = self._known[states[:, None], hits[None, :]]
        for i, j in np.argwhere(found == -2).tolist():
            state, hit = int(states[i]), int(hits[j])
            if self._known[state, hit] == -2:
                self._known[state, hit] = self._make(state, hit)
            found[i, j] = self._known[state, hit]
        return found

    def column(self, states: Ints) -> Ints:
        """Return the entries of a table that hangs on the state alone; shape (states,)."""
        return self.rows(states, np.zeros(1, dtype=np.int64))[:, 0]

    def _grow(self, states: int, hits: int) -> None:
        have = self._known.shape
        if states > have[0] or hits > have[1]:
            size = (max(2 * states, have[0]), max(2 * hits, have[1]))
            wider = np.full(size, -2, dtype=np.int64)
            wider[: have[0], : have[1]] = self._known
            self._known = wider


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
        self._payers: Mapping[Role, Payer] = {
            ATTACKER: Payer(arena, ATTACKER, policy=attacker, firing=defender),
            DEFENDER: Payer(arena, DEFENDER, policy=defender, firing=attacker),
        }
        self.costs = costs
        self.hits = Numbers[Hits]()
        self.none = self.hits.of(Hits())
        self._thrown: dict[tuple[Volley, ...], Fire] = {}
        self._fire: dict[Any, Fire] = {}
        self._left: dict[Any, tuple[Counts, int]] = {}

    def fire(
        self,
        role: Role,
        own: Counts,
        round_no: int,
        start: Counts,
        *,
        only: tuple[int, ...] | None = None,
        without: tuple[int, ...] = (),
    ) -> Fire:
        """Return the hits of one side's fire.

        Args:
            start: Destroyers at the start of the round, at sea; empty = those of `own`.
            only: Kinds that fire, None = all.
            without: Kinds that have fired already.
        """
        key = (role, own, min(round_no, 2), start, only, without)
        known = self._fire.get(key)
        if known is None:
            shots: tuple[Volley, ...] = ()
            if only != ():
                shots = volleys(
                    self.arena, role, own, round_no=round_no, only=only, without=without, escort=start or None
                )
            known = self._fire[key] = self._throw(shots)
        return known

    def _throw(self, shots: tuple[Volley, ...]) -> Fire:
        known = self._thrown.get(shots)
        if known is not None:
            return known
        classes: dict[tuple[str, str], Floats] = {}
        for volley in shots:
            row = np.array(binomial(volley.dice, hit_chance(volley)))
            name = (volley.aim, volley.reach)
            classes[name] = np.convolve(classes[name], row) if name in classes else row
        joint: dict[Hits, float] = {Hits(): 1.0}
        for (aim, reach), row in classes.items():
            joint = {
                _with(hits, aim, reach, n): p * q
                for hits, p in joint.items()
                for n, q in enumerate(row.tolist())
            }
        numbers = np.array([self.hits.of(hits) for hits in joint], dtype=np.int64)
        found = self._thrown[shots] = Fire(numbers, np.array(list(joint.values())))
        return found

    def left(self, role: Role, own: Counts, hit: int) -> tuple[Counts, int]:
        """Return what a side has left after hits, and the hits that none of its pieces could take."""
        key = (role, own, hit)
        known = self._left.get(key)
        if known is None:
            known = self._left[key] = self._pay(role, own, self.hits.values[hit])
        return known

    def _pay(self, role: Role, own: Counts, hits: Hits) -> tuple[Counts, int]:
        """Pay hits; where all may fall on anything the last one is paid after the others, which are kept."""
        alike = not hits.no_air and not hits.no_sub and all(reach == "any" for _, reach, _ in hits.aimed)
        if alike and hits.any and hits.count > 1:
            fewer = Hits(any=hits.any - 1, aimed=hits.aimed)
            before, unpaid = self.left(role, own, self.hits.of(fewer))
            if unpaid:
                return before, unpaid + 1
            own, hits = before, Hits(any=1)
        return self._payers[role].pay(own, hits)

    def defenders_left(self, own: Counts, cargo: Cargo, hit: int) -> tuple[Counts, Cargo]:
        """Return the defenders and their transports after hits."""
        left, unpaid = self.left(DEFENDER, own, hit)
        if unpaid and cargo.count and (self.arena.rules.spill or not any(left)):
            cargo = cargo_after_hits(cargo, unpaid, self.costs)
        return left, cargo


class Kernel:
    """One simultaneous fire between states of the attacker and states of the defender.

    The losses of one side hang on the other side's state only by the chances of its hits, so the joint distribution
    is one product of matrices for each attacking state.
    """

    def __init__(self, fire_a: list[Fire], to_d: Ints, fire_d: list[Fire], to_a: Ints) -> None:
        """Prepare the products.

        Args:
            fire_a: Hits of each attacking state; `to_d` has one column for each of `chances(fire_a)`.
            to_d: Where each defending state goes, shape (defending states, hits).
            fire_d: Hits of each defending state.
            to_a: Where each attacking state goes, shape (attacking states, hits).
        """
        _, by_a = chances(fire_a)
        _, self._by_d = chances(fire_d)
        self.new_a, into_a = np.unique(to_a, return_inverse=True)
        self.new_d, into_d = np.unique(to_d, return_inverse=True)
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


def chances(fire: list[Fire]) -> tuple[Ints, Floats]:
    """Return all hits that can happen and, for each distribution, a row of their chances."""
    hits = np.unique(np.concatenate([spread.hits for spread in fire]))
    rows = np.zeros((len(fire), len(hits)))
    for i, spread in enumerate(fire):
        rows[i, np.searchsorted(hits, spread.hits)] = spread.p
    return hits, rows


def joined(blocks: Iterable[tuple[Ints, Ints, Floats]]) -> tuple[Ints, Ints, Floats]:
    """Add up joint distributions over (numbers of attacking, of defending states)."""
    parts = [block for block in blocks if block[2].size]
    if len(parts) == 1:
        return parts[0]
    all_a = np.unique(np.concatenate([a for a, _, _ in parts]))
    all_d = np.unique(np.concatenate([d for _, d, _ in parts]))
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
