"""The dice of a North Africa combat: which hits they give, and what is left of pieces after them.

Distributions of hits and losses are worked out once and kept by number (`companion.odds.aana_tables`). Who rolls
what, and who pays for a hit, is asked of `companion.games.aana`; nothing of the rules is kept here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import comb
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from companion.games.aana.casualties import Cargo, Hits, LossPolicy, Payer, cargo_after_hits
from companion.games.aana.combat import ATTACKER, DEFENDER, Arena, Counts, Role, hit_chance, volleys
from companion.odds.aana_tables import Chances, Column, Floats, Grid, Ints, Numbers, distinct

__all__ = ["Dice", "Fire", "Left", "Losses", "binomial"]

_NO_HITS: Final = Hits()
_ONE_HIT: Final = Hits(any=1)


class Fire(NamedTuple):
    """A distribution of hits: their numbers and chances."""

    hits: Ints
    p: Floats


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
        self._rows: dict[tuple[int, float], Floats] = {}
        self._more: dict[Hits, Ints] = {}
        self._thrown: dict[tuple[_Roll, ...], int] = {}
        self._fires: list[Fire] = []
        self._parts: dict[Any, tuple[tuple[int, _Roll], ...]] = {}
        # Artillery helps infantry: these kinds fire together, every other kind for itself.
        self._helping: frozenset[int] = frozenset()
        if arena.rules.domain == "land":
            self._helping = frozenset(
                arena.having(ATTACKER, "supports") + arena.having(ATTACKER, "supported")
            )

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
        """Return the number of one side's distribution of hits; `chances` takes it.

        Args:
            start: Destroyers at the start of the round, at sea; empty = those of `own`.
            only: Kinds that fire, None = all.
            without: Kinds that have fired already.
            bonus: The defensive bonus holds this round.
        """
        firing = own
        if only is not None or without:
            firing = tuple(
                0 if i in without or (only is not None and i not in only) else n for i, n in enumerate(own)
            )
        rolls = self._rolls(role, firing, min(round_no, 2), start, bonus=bonus)
        known = self._thrown.get(rolls)
        if known is None:
            known = self._thrown[rolls] = len(self._fires)
            self._fires.append(self._throw(rolls))
        return known

    def chances(self, fires: Ints) -> tuple[Ints, Chances]:
        """Return all hits that can happen, and their chances for each of some distributions by number."""
        some, row = distinct(fires)
        spreads = [self._fires[number] for number in some.tolist()]
        hits, _ = distinct(np.concatenate([spread.hits for spread in spreads]))
        rows = np.zeros((len(spreads), len(hits)))
        for i, spread in enumerate(spreads):
            rows[i, hits.searchsorted(spread.hits)] = spread.p
        return hits, Chances(rows, row)

    def _rolls(
        self, role: Role, firing: Counts, round_no: int, start: Counts, *, bonus: bool
    ) -> tuple[_Roll, ...]:
        """Return what is rolled, in the order of the first kinds that roll for each aim."""
        together = self._helping if role == ATTACKER else frozenset()
        helped = tuple(n if i in together else 0 for i, n in enumerate(firing)) if together else ()
        parts = list(self._part(role, helped, round_no, start, bonus=bonus)) if any(helped) else []
        for i, n in enumerate(firing):
            if n and i not in together:
                key = (role, i, n, round_no, start, bonus)
                known = self._parts.get(key)
                if known is None:
                    alone = (*(0,) * i, n, *(0,) * (len(firing) - i - 1))
                    known = self._parts[key] = self._part(role, alone, round_no, start, bonus=bonus)
                parts.extend(known)
        if together:
            parts.sort(key=_first_kind)
        found: dict[tuple[str, str, float], int] = {}
        for _, (aim, reach, chance, dice) in parts:
            found[aim, reach, chance] = found.get((aim, reach, chance), 0) + dice
        return tuple([_Roll(*name, dice) for name, dice in found.items()])

    def _part(
        self, role: Role, firing: Counts, round_no: int, start: Counts, *, bonus: bool
    ) -> tuple[tuple[int, _Roll], ...]:
        """Return what some kinds roll, each roll with its first kind."""
        key = (role, firing, round_no, start, bonus)
        known = self._parts.get(key)
        if known is None:
            shots = volleys(self.arena, role, firing, round_no=round_no, escort=start or None, bonus=bonus)
            known = self._parts[key] = tuple(
                (shot.kinds[0], _Roll(shot.aim, shot.reach, float(hit_chance(shot)), shot.dice))
                for shot in shots
            )
        return known

    def _throw(self, rolls: tuple[_Roll, ...]) -> Fire:
        plain: Floats = np.ones(1)
        classes: dict[tuple[str, str], Floats] = {}
        for aim, reach, chance, dice in rolls:
            row, name = self._row(dice, chance), (aim, reach)
            if name == ("", "any"):
                plain = np.convolve(plain, row) if len(plain) > 1 else row
            else:
                classes[name] = np.convolve(classes[name], row) if name in classes else row
        joint: dict[Hits, float] = {_NO_HITS: 1.0}
        for (aim, reach), row in classes.items():
            joint = {
                _with(hits, aim, reach, n): p * q
                for hits, p in joint.items()
                for n, q in enumerate(row.tolist())
            }
        numbers = np.concatenate([self._with_plain(hits, len(plain)) for hits in joint])
        return Fire(numbers, np.outer(list(joint.values()), plain).ravel())

    def _row(self, dice: int, chance: float) -> Floats:
        """Return the chances of 0, 1, 2 ... hits of some dice."""
        known = self._rows.get((dice, chance))
        if known is None:
            known = self._rows[dice, chance] = np.array(binomial(dice, chance))
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


class _Roll(NamedTuple):
    """Dice of one fire that hit alike and on the same things."""

    aim: str
    reach: str
    chance: float
    dice: int


def _first_kind(part: tuple[int, _Roll]) -> int:
    return part[0]


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
        self._any = Column(lambda hit: hits.values[hit].any)
        self._one_more = Column(self._pay_one)
        self._paid = Grid(self._pay)
        self._forced: dict[tuple[str, str], Column] = {}
        self._apart: dict[tuple[int, int, int], int] = {}

    def after(self, left: Ints, hits: Ints) -> Ints:
        """Return what is left of some pieces after some hits; shape (pieces, hits).

        Hits that may fall on anything are paid one by one after the others. That comes to the same: one more of them
        raises all limits of what can be paid by one, so that greedily whoever is next of those left pays for it.
        """
        firsts, at = distinct(self._first.of(hits))
        more = self._any.of(hits)
        most = np.zeros(len(firsts), dtype=np.int64)
        np.maximum.at(most, at, more)
        by_most = (-most).argsort(kind="stable")
        paid = self._paid.of(left[:, None], firsts[by_most][None, :])
        # After so many hits that may fall on anything; only those columns for which there are as many.
        levels = [paid]
        for level in range(1, int(most.max(initial=0)) + 1):
            paid = self._one_more.of(paid[:, : np.count_nonzero(most >= level)])
            levels.append(paid)
        ends = np.cumsum([0] + [level.shape[1] for level in levels])
        place = np.empty_like(by_most)
        place[by_most] = np.arange(len(by_most))
        found: Ints = np.concatenate(levels, axis=1)[:, ends[more] + place[at]]
        return found

    def _pay(self, left: int, hit: int) -> int:
        """Force aimed hits on their targets one by one, then pay those that have none with the others."""
        hits = self._hits.values[hit]
        spare = {"any": 0, "no_air": hits.no_air, "no_sub": hits.no_sub}
        for aim, reach, n in hits.aimed:
            forced = self._forced.get((aim, reach))
            if forced is None:
                one = Hits(aimed=((aim, reach, 1),))
                forced = self._forced[aim, reach] = Column(partial(self._force, hits=one))
            for done in range(n):
                after = forced.at(left)
                if after < 0:
                    spare[reach] += n - done
                    break
                left = after
        if spare["no_air"] or spare["no_sub"]:
            left = self._pay_apart(left, spare["no_air"], spare["no_sub"])
        for _ in range(spare["any"]):
            left = self._one_more.at(left)
        return left

    def _force(self, left: int, hits: Hits) -> int:
        """Return what one aimed hit leaves, -1 where it has no target."""
        own, before, reachable = self.left.values[left]
        if not self._payer.named(own, hits, reachable):
            return -1
        after, unpaid, sunk = self._payer.pay(own, hits, transports=reachable)
        return self.left.of(Left(after, before + unpaid, reachable - sunk))

    def _pay_apart(self, left: int, no_air: int, no_sub: int) -> int:
        known = self._apart.get((left, no_air, no_sub))
        if known is None:
            own, before, reachable = self.left.values[left]
            after, unpaid, _ = self._payer.pay(own, Hits(no_air=no_air, no_sub=no_sub))
            known = self.left.of(Left(after, before + unpaid, reachable))
            self._apart[left, no_air, no_sub] = known
        return known

    def _pay_one(self, left: int) -> int:
        own, before, reachable = self.left.values[left]
        after, unpaid, _ = self._payer.pay(own, _ONE_HIT)
        return self.left.of(Left(after, before + unpaid, reachable))


def binomial(dice: int, chance: Fraction | float) -> list[float]:
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
