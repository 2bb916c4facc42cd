"""The dice of a North Africa combat: which hits they give, by state of the side that fires.

What is rolled is worked out once and kept by number (`companion.games.aana.odds.tables`); distributions are worked out for
many states at a time. Who rolls what is asked of `companion.games.aana`; nothing of the rules is kept here.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from fractions import Fraction
from functools import partial
from math import comb
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from companion.games.aana.odds.kernel import Chances
from companion.games.aana.odds.losses import Left, Losses
from companion.games.aana.odds.tables import Floats, Ints, Numbers, distinct
from companion.games.aana.rules.casualties import Cargo, Hits, LossPolicy, Payer, cargo_after_hits
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Arena, Counts, Role, hit_chance, volleys

__all__ = ["Dice", "binomial"]

_Name = tuple[str, str]
"""Aim and reach of dice."""
_UNAIMED: Final[tuple[_Name, ...]] = (("", "no_air"), ("", "no_sub"), ("", "any"))


class _Class(NamedTuple):
    """Dice that hit alike and on the same things."""

    aim: str
    reach: str
    chance: float


class _Firing(NamedTuple):
    """What decides beside the pieces that fire what they roll."""

    role: Role
    round_no: int
    """1, or 2 for all later rounds."""
    start: Counts
    """Destroyers at the start of the round, at sea; empty = those that fire."""
    bonus: bool
    """The defensive bonus holds."""


_Roll = tuple[int, int, int]
"""Dice of one class that some pieces roll: the first of their kinds, the number of the class, dice."""


class Dice:
    """Hits that dice give, and what is left of pieces after them, for one combat and its loss policies."""

    def __init__(
        self,
        arena: Arena,
        *,
        attacker: LossPolicy,
        unspared: LossPolicy | None = None,
        defender: LossPolicy,
        costs: Mapping[tuple[str, str], int],
        cargo: Cargo,
    ) -> None:
        """Keep what never changes in the combat.

        Args:
            unspared: How the attacker loses where nobody is spared for moving in; None: that is never asked.
            cargo: What the defender's transports start with.
        """
        self.arena = arena
        self.hits: Numbers[Hits] = Numbers()
        self.none = self.hits.of(Hits())
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
        self._batteries: dict[tuple[Role, int, Counts, bool], _Battery] = {}
        self._classes: Numbers[_Class] = Numbers()
        self._rolled: Numbers[tuple[tuple[int, int], ...]] = Numbers()
        self._tables: dict[float, Floats] = {}
        self._aimed: dict[tuple[int, ...], tuple[_Name, ...]] = {}
        self._known: dict[bytes, tuple[Ints, Floats]] = {}
        self._spreads: list[tuple[Ints, Ints, Floats]] = []
        self._numbers: dict[tuple[_Name, ...], Ints] = {}

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
                self.hits,
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
    ) -> int:
        """Return the number of what one side rolls; `chances` takes it.

        Args:
            start: Destroyers at the start of the round, at sea; empty = those of `own`.
            only: Kinds that fire, None = all.
            without: Kinds that have fired already.
            bonus: The defensive bonus holds this round.
        """
        firing = own
        if only is not None or without:
            firing = tuple(
                [0 if i in without or (only is not None and i not in only) else n for i, n in enumerate(own)]
            )
        when = (role, 1 if round_no == 1 else 2, start, bonus)
        battery = self._batteries.get(when)
        if battery is None:
            battery = self._batteries[when] = _Battery(self.arena, self._classes, _Firing(*when))
        known = battery.known.get(firing)
        if known is None:
            known = battery.known[firing] = self._rolled.of(battery.rolls(firing))
        return known

    # What it hits

    def chances(self, fires: Ints) -> tuple[Ints, Chances]:
        """Return all hits that can happen, and their chances for each of some fires by number."""
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
                can = part.any(axis=0)
                return hits[can], part[:, can]
        hits, rows = self._spread([self._rolled.values[n] for n in some.tolist()])
        self._spreads.append((some, hits, rows))
        return hits, rows

    def _spread(self, fires: list[tuple[tuple[int, int], ...]]) -> tuple[Ints, Floats]:
        """Return the hits of some fires, and their chances, shape (fires, hits)."""
        # Fires whose aimed hits fall in the same order are worked together.
        aims = [self._aims_of(rolls) for rolls in fires]
        orders: dict[tuple[_Name, ...], tuple[_Name, ...]] = {}
        for some in sorted(set(aims), key=len, reverse=True):
            orders[some] = next((order for order in orders.values() if _is_within(some, order)), some)
        alike: dict[tuple[_Name, ...], list[int]] = {}
        for i, some in enumerate(aims):
            alike.setdefault(orders[some], []).append(i)
        parts = [
            self._spread_alike((*order, *_UNAIMED), [fires[i] for i in those])
            for order, those in alike.items()
        ]
        if len(parts) == 1:
            return parts[0]
        hits, _ = distinct(np.concatenate([numbers for numbers, _ in parts]))
        rows = np.zeros((len(fires), len(hits)))
        for those, (numbers, p) in zip(alike.values(), parts, strict=True):
            rows[np.array(those)[:, None], hits.searchsorted(numbers)] = p
        return hits, rows

    def _aims_of(self, rolls: tuple[tuple[int, int], ...]) -> tuple[_Name, ...]:
        some = tuple([of for of, _ in rolls])
        known = self._aimed.get(some)
        if known is None:
            classes = self._classes.values
            known = self._aimed[some] = tuple(
                dict.fromkeys([classes[of][:2] for of in some if classes[of].aim])
            )
        return known

    def _spread_alike(
        self, names: tuple[_Name, ...], fires: list[tuple[tuple[int, int], ...]]
    ) -> tuple[Ints, Floats]:
        """Multiply the distributions of the classes, all fires at a time."""
        count = len(fires)
        dice: dict[int, list[int]] = {}
        for i, rolls in enumerate(fires):
            for of, n in rolls:
                if of not in dice:
                    dice[of] = [0] * count
                dice[of][i] = n
        rows: dict[_Name, Floats] = {}
        for of, thrown in dice.items():
            aim, reach, chance = self._classes.values[of]
            given = self._binomials(chance, max(thrown))[thrown]
            rows[aim, reach] = _sums(rows[aim, reach], given) if (aim, reach) in rows else given
        ones = np.ones((count, 1))
        joint, lengths = ones, []
        for name in names:
            row = rows.get(name, ones)
            lengths.append(row.shape[1])
            joint = (joint[:, :, None] * row[:, None, :]).reshape(count, -1)
        can = joint.any(axis=0)
        return self._numbered(names, tuple(lengths))[can], joint[:, can]

    def _binomials(self, chance: float, most: int) -> Floats:
        """Return the chances of hits of 0 to `most` dice that hit with a chance, shape (dice, hits)."""
        known = self._tables.get(chance)
        if known is None or len(known) <= most:
            known = self._tables[chance] = _up_to(most, chance)
        return known[: most + 1, : most + 1]

    def _numbered(self, names: tuple[_Name, ...], lengths: tuple[int, ...]) -> Ints:
        """Return the numbers of 0, 1, 2 ... hits of each name, in all combinations."""
        known = self._numbers.get(names)
        if known is None or any(n > m for n, m in zip(lengths, known.shape, strict=True)):
            before = known
            shape = lengths if before is None else tuple(map(max, lengths, before.shape))
            known = self._numbers[names] = np.full(shape, -1, dtype=np.int64)
            if before is not None:
                known[tuple(map(slice, before.shape))] = before
        part = known[tuple(map(slice, lengths))]
        for counts in np.argwhere(part < 0).tolist():
            no_air, no_sub, plain = counts[-len(_UNAIMED) :]
            aimed = [(aim, reach, n) for (aim, reach), n in zip(names, counts, strict=True) if aim and n]
            part[tuple(counts)] = self.hits.of(Hits(plain, no_air, no_sub, tuple(aimed)))
        return part.ravel()

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
    """What the pieces of one side roll, in fires that are alike but for the pieces that fire."""

    def __init__(self, arena: Arena, classes: Numbers[_Class], when: _Firing) -> None:
        self._arena, self._classes, self._when = arena, classes, when
        self.known: dict[Counts, int] = {}
        """Numbers of what pieces roll."""
        # Artillery helps infantry: these kinds fire together, every piece of another kind for itself.
        self._helping: tuple[int, ...] = ()
        if when.role == ATTACKER and arena.rules.domain == "land":
            helping = {*arena.having(ATTACKER, "supports"), *arena.having(ATTACKER, "supported")}
            self._helping = tuple(sorted(helping))
        kinds = range(len(arena.kinds(when.role)))
        self._others = tuple(i for i in kinds if i not in self._helping)
        self._alone: dict[int, tuple[_Roll, ...]] = {}
        self._together: dict[Counts, tuple[_Roll, ...]] = {}

    def rolls(self, firing: Counts) -> tuple[tuple[int, int], ...]:
        """Return classes with their dice, in the order of the first kinds that roll for each."""
        parts: list[_Roll] = []
        if self._helping:
            helping = tuple([firing[i] for i in self._helping])
            known = self._together.get(helping)
            if known is None:
                helped = tuple([n if i in self._helping else 0 for i, n in enumerate(firing)])
                known = self._together[helping] = self._asked(helped)
            parts += known
        alone = self._alone
        for i in self._others:
            n = firing[i]
            if n:
                if i not in alone:
                    alone[i] = self._asked((*(0,) * i, 1, *(0,) * (len(firing) - i - 1)))
                for first, of, dice in alone[i]:
                    parts.append((first, of, n * dice))
        if self._helping:
            parts.sort(key=_first_kind)
        found: dict[int, int] = {}
        for _, of, dice in parts:
            found[of] = found[of] + dice if of in found else dice
        return tuple(found.items())

    def _asked(self, firing: Counts) -> tuple[_Roll, ...]:
        when = self._when
        shots = volleys(
            self._arena,
            when.role,
            firing,
            round_no=when.round_no,
            escort=when.start or None,
            bonus=when.bonus,
        )
        return tuple(
            (
                shot.kinds[0],
                self._classes.of(_Class(shot.aim, shot.reach, float(hit_chance(shot)))),
                shot.dice,
            )
            for shot in shots
        )


def _is_within(some: tuple[_Name, ...], order: tuple[_Name, ...]) -> bool:
    """Say whether names come in the same order among others."""
    left = iter(order)
    return all(name in left for name in some)


_first_kind: Final = itemgetter(0)


def _sums(one: Floats, other: Floats) -> Floats:
    """Return the distributions of sums of two rows of distributions, shape (rows, sums)."""
    if other.shape[1] > one.shape[1]:
        one, other = other, one
    wide = one.shape[1]
    found = np.zeros((len(one), wide + other.shape[1] - 1))
    for n in range(other.shape[1]):
        found[:, n : n + wide] += one * other[:, n : n + 1]
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
