"""What is told of the odds of a Song for War battle: chances, expected losses, every unit's survival, all outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from companion.games.sfw.odds.states import Ints, distinct_rows, ranked
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.rules.battle_fire import unpriced
from companion.games.sfw.rules.battle_play import survivors
from companion.odds.arrays import NDArray, np
from companion.odds.distributions import Array

__all__ = ["Odds", "Outcome", "SideEnd", "Survival", "summarise"]


class Outcome(msgspec.Struct, frozen=True):
    """One way in which the battle can end: units left by side, and its chance."""

    attacking: dict[str, int]
    defending: dict[str, int]
    p: float


class Survival(msgspec.Struct, frozen=True):
    """How the units of one kind fare."""

    side: str
    nation: str
    unit: str
    count: int
    expected: float
    """Units left on average."""
    each: float
    """Chance of a single unit to survive."""
    none_left: float
    """Chance that all are lost."""


@dataclass(frozen=True)
class Odds:
    """What is to be expected of a battle."""

    method: str
    """``exact`` or ``simulation``."""
    p_defender_cleared: float
    """No defending unit is left in the battle space."""
    p_attacker_cleared: float
    p_capture: float
    """No control-capable defender is left in the space, and an attacking one is; at sea any unit counts."""
    p_hold: float
    """A control-capable defender is left in the space; at sea any defender."""
    expected_loss: dict[str, float]
    """Cost lost on average, by side."""
    survival: tuple[Survival, ...]
    loss_distribution: dict[str, dict[int, float]]
    """Chance of each total cost lost, by side."""
    ends: dict[str, list[dict[str, int]]]
    """Different ends of each side: units left by id, supporters not counted."""
    joint: Array
    """Chance of each pair of `ends`, shape (attacking, defending); empty where nobody asked for it."""
    runs: int = 0
    """Runs of a simulation; 0 when exact."""
    error: float = 0.0
    """Standard error of the probabilities of a simulation, at its worst."""
    seed: int | None = None
    costs_missing: tuple[str, ...] = ()
    """Costs that nobody has entered: losses are weighed by armour level there, not by cost."""

    def p_through(self, movers: str) -> float:
        """Return the chance, 0 to 1, that some units of a side that only moves under fire are left."""
        return 1 - (self.p_attacker_cleared if movers == ATTACKING else self.p_defender_cleared)

    @property
    def p_neither(self) -> float:
        """Chance, 0 to 1, that no control-capable unit is left in the space, which its holder then keeps."""
        return max(0.0, 1 - self.p_capture - self.p_hold)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every end that can happen, likeliest first."""
        flat = self.joint.ravel()
        width = self.joint.shape[1]
        attacking, defending = self.ends[ATTACKING], self.ends[DEFENDING]
        order = np.argsort(-flat, kind="stable")[: np.count_nonzero(flat)].tolist()
        chances = flat.tolist()
        return tuple(Outcome(attacking[n // width], defending[n % width], chances[n]) for n in order)


def summarise(
    fight: Fight,
    attacking: Ints | Sequence[Counts],
    defending: Ints | Sequence[Counts],
    p: Array,
    *,
    ashore: bool,
    tells_ends: bool = True,
) -> Odds:
    """Gather the ends of a fight into what people ask for.

    Args:
        fight: The fight.
        attacking: The attackers' counts at the end, one row for each row of `p`.
        defending: The defenders' counts, one for each column.
        p: Joint chances, shape (attacking, defending), sum 1.
        ashore: Battle step 7B is past.
        tells_ends: Tell the chance of each pair of ends too, which takes as much memory again as `p`.
    """
    margins = {ATTACKING: np.add.reduce(p, axis=1), DEFENDING: np.add.reduce(p)}
    sides = {
        side: SideEnd(fight, side, np.array(rows, dtype=np.int64).reshape(len(rows), -1), ashore=ashore)
        for side, rows in ((ATTACKING, attacking), (DEFENDING, defending))
    }
    losses = {side: sides[side].losses(margins[side]) for side in sides}
    first, second = sides[ATTACKING], sides[DEFENDING]
    return Odds(
        method="exact",
        p_defender_cleared=float(margins[DEFENDING][second.is_cleared()].sum()),
        p_attacker_cleared=float(margins[ATTACKING][first.is_cleared()].sum()),
        p_capture=float(first.is_holding() @ p @ ~second.is_holding()),
        p_hold=float(margins[DEFENDING][second.is_holding()].sum()),
        expected_loss={
            side: float(sum(cost * chance for cost, chance in losses[side].items())) for side in sides
        },
        survival=tuple(entry for side in sides for entry in sides[side].survival(margins[side])),
        loss_distribution=losses,
        ends={side: sides[side].ends for side in sides},
        joint=_by_end(p, first, second) if tells_ends else np.zeros((0, 0)),
        costs_missing=unpriced(fight),
    )


class SideEnd:
    """What the counts of one side at the end come to."""

    def __init__(self, fight: Fight, side: str, counts: Ints, *, ashore: bool) -> None:
        self.fight = fight
        self.side = side
        self.counts = counts
        self.kinds = fight.kinds(side)
        self.start = survivors(fight, side, fight.start(side), ashore=False, supporters=False)
        self.units = list(self.start)
        self.left = self._left(ashore=ashore)
        """Units left, shape (states, different units)."""
        named = {unit for _, unit in self.units}
        order = [unit for unit in fight.table.units if unit in named]
        of = np.array([[int(key[1] == unit) for unit in order] for key in self.units], dtype=np.int64)
        rows, self.end = distinct_rows(self.left @ of.reshape(len(self.units), len(order)))
        self.ends = [
            {unit: count for unit, count in zip(order, row, strict=True) if count} for row in rows.tolist()
        ]
        """Different ends by unit id alone, in the order of the unit table."""

    def _left(self, *, ashore: bool) -> Ints:
        """Return the units left: a fixed number and so many for each unit of a kind, cargo counted."""
        size = len(self.kinds)
        fixed = self._survivors((0,) * size, ashore=ashore)
        each = [
            self._survivors(tuple(int(n == index) for n in range(size)), ashore=ashore)
            for index in range(size)
        ]
        rows = np.array(each, dtype=np.int64).reshape(size, len(self.units)) - np.array(fixed, dtype=np.int64)
        left: Ints = self.counts @ rows + np.array(fixed, dtype=np.int64)
        return left

    def _survivors(self, counts: Counts, *, ashore: bool) -> list[int]:
        found = survivors(self.fight, self.side, counts, ashore=ashore, supporters=False)
        return [found.get(key, 0) for key in self.units]

    def is_cleared(self) -> NDArray[np.bool_]:
        """Say of each state whether no unit is left in the battle space."""
        there = [kind.index for kind in self.kinds if kind.is_there]
        empty: NDArray[np.bool_] = np.add.reduce(self.counts[:, there], axis=1) == 0
        return empty

    def is_holding(self) -> NDArray[np.bool_]:
        """Say of each state whether a control-capable unit is left in the battle space; at sea, whether any unit is."""
        if self.fight.battle.terrain == "sea":
            return ~self.is_cleared()
        holders = [kind.index for kind in self.kinds if kind.holds]
        held: NDArray[np.bool_] = np.add.reduce(self.counts[:, holders], axis=1) > 0
        return held

    @cached_property
    def weights(self) -> Ints:
        """What each different unit weighs: its cost, or its armour level where nobody has entered that."""
        return np.array([self.fight.table.units[unit].weight for _, unit in self.units], dtype=np.int64)

    @cached_property
    def worth(self) -> int:
        """What all units at the start weigh, in the unit of `weights`."""
        return int(self.weights @ np.array(list(self.start.values()), dtype=np.int64))

    def costs_lost(self) -> Ints:
        """Return of each state the cost lost."""
        lost: Ints = self.worth - self.left @ self.weights
        return lost

    def losses(self, chances: Array) -> dict[int, float]:
        """Return the chance, 0 to 1, of each total cost lost; `chances` has one for each state, 0 to 1 too."""
        costs, index = ranked(self.costs_lost())
        return dict(zip(costs.tolist(), np.bincount(index, chances, len(costs)).tolist(), strict=True))

    def survival(self, chances: Array) -> list[Survival]:
        """Return how the units of each kind fare."""
        expected = (chances @ self.left).tolist()
        gone = (chances @ (self.left == 0)).tolist()
        return [
            Survival(self.side, nation, unit, count, mean, mean / count, none)
            for ((nation, unit), count), mean, none in zip(self.start.items(), expected, gone, strict=True)
        ]


def _by_end(p: Array, *sides: SideEnd) -> Array:
    """Return chances, one axis for the states of each side, summed up by end; a table may be large, so copied once."""
    orders = [side.end.argsort(kind="stable") for side in sides]
    found: Array = p[np.ix_(*orders)]
    for axis, (side, order) in enumerate(zip(sides, orders, strict=True)):
        if len(order) > len(side.ends):
            starts = np.searchsorted(side.end[order], np.arange(len(side.ends)))
            found = np.add.reduceat(found, starts, axis=axis)
    return found
