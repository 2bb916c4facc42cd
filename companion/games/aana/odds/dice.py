"""The dice of a North Africa combat: which hits they give, by state of the side that fires.

What is rolled is worked out once and kept by number (`companion.games.aana.odds.tables`); distributions are worked out for
many states at a time. Who rolls what is asked of `companion.games.aana`; nothing of the rules is kept here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import Final, NamedTuple

from companion.core.ids import Nation
from companion.games.aana.odds.kernel import Chances
from companion.games.aana.odds.losses import ANY, HitNumbers, Left, Losses
from companion.games.aana.odds.tables import Floats, Ints, Numbers, distinct
from companion.games.aana.rules.casualties import Cargo, Hits, LossPolicy, Payer, cargo_after_hits
from companion.games.aana.rules.combat import (
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Role,
    Volley,
    hit_chance,
    shot_of,
)
from companion.odds.arrays import np

__all__ = ["Dice", "binomial"]

_Name = tuple[str, str]
"""Aim and reach of dice."""
_UNAIMED: Final[tuple[_Name, ...]] = (("", "no_air"), ("", "no_sub"), ("", "any"))


class _Firing(NamedTuple):
    """What decides beside the pieces that fire what they roll."""

    role: Role
    round_no: int
    """1, or 2 for all later rounds."""
    start: Counts
    """Destroyers at the start of the round, at sea; empty = those that fire."""
    bonus: bool
    """The defensive bonus holds."""


class Dice:
    """Hits that dice give, and what is left of pieces after them, for one combat and its loss policies."""

    def __init__(
        self,
        arena: Arena,
        *,
        attacker: LossPolicy,
        unspared: LossPolicy | None = None,
        defender: LossPolicy,
        costs: Mapping[tuple[Nation, str], int],
        cargo: Cargo,
    ) -> None:
        """Keep what never changes in the combat.

        Args:
            unspared: How the attacker loses where nobody is spared for moving in; None: that is never asked.
            cargo: What the defender's transports start with.
        """
        self.arena = arena
        self._hits = HitNumbers()
        self._classes_of = {
            role: tuple(row.hit_class for row in arena.rows(role)) for role in (ATTACKER, DEFENDER)
        }
        # Hits that no piece can take matter as far as there are transports for them.
        self._most_unpaid = {ATTACKER: 0, DEFENDER: cargo.transports}
        self._left: dict[Role, Numbers[Left]] = {ATTACKER: Numbers(), DEFENDER: Numbers()}
        self._losses: dict[tuple[Role, LossPolicy, LossPolicy], Losses] = {}
        self.costs = costs
        self._lose_by(attacker, unspared, defender)
        self._aims = self.losses[DEFENDER].payer.aims_at_transports
        self._batteries: dict[_Firing, _Battery] = {}
        self._shots: Numbers[Volley] = Numbers()
        """Classes of dice, which hit alike and on the same things: volleys with neither pieces nor dice."""
        self._orders: Numbers[tuple[_Name, ...]] = Numbers()
        self._rolled: Numbers[Counts] = Numbers()
        """What is rolled: the order in which aims are resolved, by number, then dice by class; no others beyond these."""
        self._tables: dict[float, Floats] = {}
        self._known: dict[bytes, tuple[Ints, Floats]] = {}
        self._spreads: list[tuple[Ints, Ints, Floats]] = []
        self._numbers: dict[tuple[object, ...], Ints] = {}

    def under(self, *, attacker: LossPolicy, unspared: LossPolicy | None, defender: LossPolicy) -> Dice:
        """Return the same dice where losses are chosen in other ways; who aims at what must be as it was."""
        found = copy(self)
        found._lose_by(attacker, unspared, defender)
        return found

    def _lose_by(self, attacker: LossPolicy, unspared: LossPolicy | None, defender: LossPolicy) -> None:
        self._aiming = {ATTACKER: defender, DEFENDER: attacker}
        self.losses: Mapping[Role, Losses] = {
            ATTACKER: self._losses_by(ATTACKER, attacker),
            DEFENDER: self._losses_by(DEFENDER, defender),
        }
        self.unspared = None if unspared is None else self._losses_by(ATTACKER, unspared)

    def _losses_by(self, role: Role, policy: LossPolicy) -> Losses:
        key = (role, policy, self._aiming[role])
        known = self._losses.get(key)
        if known is None:
            known = self._losses[key] = Losses(
                partial(Payer, self.arena, role, policy=policy, firing=self._aiming[role]),
                self._hits,
                classes=self._classes_of[role],
                most_unpaid=self._most_unpaid[role],
                left=self._left[role],
            )
        return known

    def payable(self, policy: LossPolicy) -> Losses:
        """Return what hits leave of the attacker by a policy that spares a unit which can be paid for."""
        return self._losses_by(ATTACKER, policy)

    @property
    def tables(self) -> tuple[Losses, ...]:
        """What is known of losses under every policy."""
        return tuple(self._losses.values())

    # What is rolled

    def fires(
        self, role: Role, firing: Sequence[tuple[Counts, Counts]], round_no: int, *, bonus: bool = False
    ) -> list[int]:
        """Return the numbers of what some states of one side roll; `chances` takes them.

        Args:
            firing: For each state the pieces that fire, and the destroyers at the start of the round, at sea; without
                these those that fire.
            bonus: The defensive bonus holds this round.
        """
        found = [0] * len(firing)
        by_start: dict[Counts, list[int]] = {}
        for place, (_, start) in enumerate(firing):
            by_start.setdefault(start, []).append(place)
        for start, places in by_start.items():
            when = _Firing(role, 1 if round_no == 1 else 2, start, bonus)
            battery = self._batteries.get(when)
            if battery is None:
                battery = self._batteries[when] = _Battery(self.arena, self._shots, self._orders, when)
            rolls = battery.rolls([firing[place][0] for place in places])
            for place, roll in zip(places, rolls, strict=True):
                found[place] = self._rolled.of(roll)
        return found

    # What it hits

    def chances(self, fires: Ints) -> tuple[Ints, Chances]:
        """Return all hits that can happen, by number (see `ANY`), and their chances for each of some fires by number."""
        some, row = distinct(fires)
        key = some.tobytes()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._part(some)
        hits, rows = known
        return hits, Chances(rows, row)

    def _part(self, some: Ints) -> tuple[Ints, Floats]:
        """Return the hits of some fires, and their chances, out of those of more fires where they are known."""
        for fires, hits, rows in reversed(self._spreads):
            at = fires.searchsorted(some)
            if at[-1] < len(fires) and (fires[at] == some).all():
                part = rows[at]
                can = np.logical_or.reduce(part)
                return hits[can], part[:, can]
        hits, rows = self._spread([self._rolled.values[n] for n in some.tolist()])
        self._spreads.append((some, hits, rows))
        return hits, rows

    def _spread(self, rolled: list[Counts]) -> tuple[Ints, Floats]:
        """Return the hits of some fires, and their chances, shape (fires, hits)."""
        wide = max(map(len, rolled))
        thrown = np.array([roll + (0,) * (wide - len(roll)) for roll in rolled], dtype=np.int64)
        # Fires whose aimed hits fall in the same order are worked together.
        aims, at = distinct(thrown[:, 0])
        names = [self._orders.values[n] for n in aims.tolist()]
        orders: list[tuple[_Name, ...]] = []
        for some in sorted(names, key=len, reverse=True):
            if not any(_is_within(some, order) for order in orders):
                orders.append(some)
        if len(orders) == 1:
            return self._spread_alike((*orders[0], *_UNAIMED), thrown[:, 1:])
        of = np.array(
            [next(n for n, order in enumerate(orders) if _is_within(some, order)) for some in names]
        )
        places = [(of[at] == n).nonzero()[0] for n in range(len(orders))]
        parts = [
            self._spread_alike((*order, *_UNAIMED), thrown[those, 1:])
            for order, those in zip(orders, places, strict=True)
        ]
        hits, _ = distinct(np.concatenate([numbers for numbers, _ in parts]))
        rows = np.zeros((len(rolled), len(hits)))
        for those, (numbers, p) in zip(places, parts, strict=True):
            rows[those[:, None], hits.searchsorted(numbers)] = p
        return hits, rows

    def _spread_alike(self, names: tuple[_Name, ...], thrown: Ints) -> tuple[Ints, Floats]:
        """Multiply the distributions of the classes, all fires at a time."""
        count = len(thrown)
        rows: dict[_Name, Floats] = {}
        for of in np.logical_or.reduce(thrown, axis=0).nonzero()[0].tolist():
            shot, dice = self._shots.values[of], thrown[:, of]
            name = shot.aim, shot.reach
            given = self._binomials(float(hit_chance(shot)), dice.item(dice.argmax()))[dice]
            rows[name] = _sums(rows[name], given) if name in rows else given
        joint, lengths = np.ones((count, 1)), []
        for name in names:
            row = rows.get(name)
            lengths.append(1 if row is None else row.shape[1])
            if row is not None:
                joint = (joint[:, :, None] * row[:, None, :]).reshape(count, -1)
        can = np.logical_or.reduce(joint, axis=0)
        return self._numbered(names, tuple(lengths))[can], joint[:, can]

    def _binomials(self, chance: float, most: int) -> Floats:
        """Return the chances of hits of 0 to `most` dice that hit with a chance, shape (dice, hits)."""
        known = self._tables.get(chance)
        if known is None or len(known) <= most:
            known = self._tables[chance] = _up_to(most, chance)
        return known[: most + 1, : most + 1]

    def _numbered(self, names: tuple[_Name, ...], lengths: tuple[int, ...]) -> Ints:
        """Return the numbers of 0, 1, 2 ... hits of each name, in all combinations."""
        *others, plain = lengths
        known = self._numbers.get((names, *others))
        if known is None:
            some = []
            for *counts, no_air, no_sub in product(*map(range, others)):
                aimed = [(*name, n) for name, n in zip(names, counts, strict=False) if n]
                some.append(self._hits.of(Hits(0, no_air, no_sub, tuple(aimed))))
            known = self._numbers[names, *others] = ANY * np.array(some, dtype=np.int64)[:, None]
        numbers: Ints = (known + np.arange(plain)).ravel()
        return numbers

    # Transports

    def reachable(self, cargo: Cargo) -> int:
        """Return the transports that the attacker's plan aims at."""
        return cargo.transports if self._aims else 0

    def cargo_left(self, cargo: Cargo, left: Left) -> Cargo:
        """Return the defender's transports after the hits aimed at them and those that none of the pieces could take."""
        lost = self.reachable(cargo) - left.reachable
        if left.unpaid and (self.arena.rules.spill or not any(left.own)):
            lost += left.unpaid
        return cargo_after_hits(cargo, lost, self.costs) if lost and cargo.count else cargo


class _Battery:
    """What the pieces of one side roll, one die each, in fires that are alike but for the pieces that fire."""

    def __init__(
        self, arena: Arena, shots: Numbers[Volley], orders: Numbers[tuple[_Name, ...]], when: _Firing
    ) -> None:
        self._arena, self._shots, self._orders, self._when = arena, shots, orders, when
        kinds = range(len(arena.kinds(when.role)))
        rolled = [self._class_of(i) for i in kinds]
        # Artillery helps infantry, one each.
        guns = (
            arena.having(ATTACKER, "supports")
            if when.role == ATTACKER and arena.rules.domain == "land"
            else ()
        )
        helped = [(i, self._class_of(i, is_helped=True)) for i in (arena.supported if guns else ())]
        wide = len(shots.values)
        dice = np.zeros((len(rolled), wide), dtype=np.int64)
        for i, of in enumerate(rolled):
            if of >= 0:
                dice[i, of] = 1
        self._dice, self._guns, self._helped = dice, list(guns), []
        for i, of in helped:
            more = -dice[i]
            more[of] += 1
            self._helped.append((i, more))
        aimed = [(i, shots.values[of]) for i, of in enumerate(rolled) if of >= 0 and shots.values[of].aim]
        self._aims: list[tuple[int, _Name]] = [(i, (shot.aim, shot.reach)) for i, shot in aimed]
        # Pieces fire in the order of their kinds: what is aimed at first may hang on who is there.
        runs = [name for n, (_, name) in enumerate(self._aims) if not n or self._aims[n - 1][1] != name]
        self._order = orders.of(tuple(runs)) if len(runs) == len(set(runs)) else None
        self._known: dict[tuple[bool, ...], int] = {}

    def rolls(self, firing: Sequence[Counts]) -> list[Counts]:
        """Return for some pieces at what they aim, by number, then their dice by class."""
        pieces = np.array(firing, dtype=np.int64).reshape(len(firing), -1)
        rolled = np.zeros((len(firing), self._dice.shape[1] + 1), dtype=np.int64)
        dice = rolled[:, 1:]
        np.matmul(pieces, self._dice, out=dice)
        if self._helped:
            guns = np.add.reduce(pieces[:, self._guns], axis=1)
            for i, more in self._helped:
                pairs = np.minimum(guns, pieces[:, i])
                guns -= pairs
                dice += pairs[:, None] * more
        if self._order is None:
            aiming = pieces[:, [i for i, _ in self._aims]] > 0
            rolled[:, 0] = [self._ordered(tuple(some)) for some in aiming.tolist()]
        else:
            rolled[:, 0] = self._order
        return list(map(tuple, rolled.tolist()))

    def _ordered(self, aiming: tuple[bool, ...]) -> int:
        known = self._known.get(aiming)
        if known is None:
            names = [name for (_, name), is_there in zip(self._aims, aiming, strict=True) if is_there]
            known = self._known[aiming] = self._orders.of(tuple(dict.fromkeys(names)))
        return known

    def _class_of(self, kind: int, *, is_helped: bool = False) -> int:
        """Return the number of the class of a kind's dice, -1 where they cannot hit."""
        role, round_no, start, bonus = self._when
        shot = shot_of(self._arena, role, kind, round_no, start, is_helped=is_helped, bonus=bonus)
        return -1 if shot is None else self._shots.of(shot)


def _is_within(some: tuple[_Name, ...], order: tuple[_Name, ...]) -> bool:
    """Say whether names come in the same order among others."""
    left = iter(order)
    return all(name in left for name in some)


def _sums(one: Floats, other: Floats) -> Floats:
    """Return the distributions of sums of two rows of distributions, shape (rows, sums)."""
    count, wide, more = len(one), one.shape[1], other.shape[1]
    # Each row of products stands one place to the right of the one above when a place is taken from each.
    slanted = np.zeros((count, more, wide + more))
    np.multiply(one[:, None, :], other[:, :, None], out=slanted[:, :, :wide])
    wide += more - 1
    found: Floats = np.add.reduce(
        slanted.reshape(count, -1)[:, : more * wide].reshape(count, more, wide), axis=1
    )
    return found


def binomial(dice: int, chance: Fraction | float) -> list[float]:
    """Return the chances of 0 to `dice` hits, each 0 to 1, of dice that hit with a chance of 0 to 1 each."""
    p = float(chance)
    return [comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(dice + 1)]


def _up_to(most: int, chance: float) -> Floats:
    """Return the chances of hits of 0 to `most` dice, shape (dice, hits), each row by that of one die less."""
    rows = [[1.0] + [0.0] * most]
    for _die in range(most):
        one_less = rows[-1]
        rows.append([(1 - chance) * p + chance * q for p, q in zip(one_less, [0.0, *one_less], strict=False)])
    return np.array(rows)
