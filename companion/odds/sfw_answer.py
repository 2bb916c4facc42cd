"""What is told of the odds of a Song for War battle: chances, expected losses, every unit's survival, all outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np

from companion.games.sfw.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.battle_play import survivors
from companion.odds.distributions import Array

__all__ = ["Odds", "Outcome", "Survival", "summarise"]


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
    """No control-capable defender is left in the space, and an attacking one is."""
    p_hold: float
    """A control-capable defender is left in the space."""
    expected_loss: dict[str, float]
    """Cost lost on average, by side."""
    survival: tuple[Survival, ...]
    loss_distribution: dict[str, dict[int, float]]
    """Chance of each total cost lost, by side."""
    ends: dict[str, list[dict[str, int]]]
    """Different ends of each side: units left by id, supporters not counted."""
    joint: Array
    """Chance of each pair of `ends`, shape (attacking, defending)."""
    runs: int = 0
    """Runs of a simulation; 0 when exact."""
    error: float = 0.0
    """Standard error of the probabilities of a simulation, at its worst."""
    seed: int | None = None

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
    fight: Fight, attacking: Sequence[Counts], defending: Sequence[Counts], p: Array, *, ashore: bool
) -> Odds:
    """Gather the ends of a fight into what people ask for.

    Args:
        fight: The fight.
        attacking: The attackers' counts at the end, one row for each row of `p`.
        defending: The defenders' counts, one for each column.
        p: Joint chances, shape (attacking, defending), sum 1.
        ashore: Battle step 7B is past.
    """
    left = {
        side: [survivors(fight, side, counts, ashore=ashore, supporters=False) for counts in rows]
        for side, rows in ((ATTACKING, attacking), (DEFENDING, defending))
    }
    rows = {ATTACKING: attacking, DEFENDING: defending}
    margins = {ATTACKING: p.sum(axis=1), DEFENDING: p.sum(axis=0)}
    ends: dict[str, list[dict[str, int]]] = {}
    gather: dict[str, Array] = {}
    for side in rows:
        found: dict[tuple[tuple[str, int], ...], int] = {}
        numbers = [found.setdefault(_by_unit(fight, units), len(found)) for units in left[side]]
        ends[side] = [dict(key) for key in found]
        gather[side] = np.zeros((len(numbers), len(found)))
        gather[side][np.arange(len(numbers)), numbers] = 1.0
    cleared = {
        side: np.array([fight.in_space(side, counts) == 0 for counts in rows[side]], dtype=bool)
        for side in rows
    }
    holders = {side: [kind.index for kind in fight.kinds(side) if kind.holds] for side in rows}
    holding = {
        side: np.array([any(counts[n] for n in holders[side]) for counts in rows[side]], dtype=bool)
        for side in rows
    }
    losses = {side: _losses(fight, side, left[side], margins[side]) for side in rows}
    return Odds(
        method="exact",
        p_defender_cleared=float(margins[DEFENDING][cleared[DEFENDING]].sum()),
        p_attacker_cleared=float(margins[ATTACKING][cleared[ATTACKING]].sum()),
        p_capture=float(p[np.ix_(holding[ATTACKING], ~holding[DEFENDING])].sum()),
        p_hold=float(margins[DEFENDING][holding[DEFENDING]].sum()),
        expected_loss={
            side: float(sum(cost * chance for cost, chance in losses[side].items())) for side in rows
        },
        survival=tuple(entry for side in rows for entry in _survival(fight, side, left[side], margins[side])),
        loss_distribution=losses,
        ends=ends,
        joint=gather[ATTACKING].T @ p @ gather[DEFENDING],
    )


_Units = dict[tuple[str, str], int]
"""Units left by nation and id."""


def _by_unit(fight: Fight, units: _Units) -> tuple[tuple[str, int], ...]:
    """Return units left by id alone, in the order of the unit table."""
    found: dict[str, int] = {}
    for (_, unit), count in units.items():
        found[unit] = found.get(unit, 0) + count
    if len(found) > 1:
        return tuple([(unit, found[unit]) for unit in fight.table.units if unit in found])
    return tuple(found.items())


def _losses(fight: Fight, side: str, left: Sequence[_Units], chances: Array) -> dict[int, float]:
    costs = {unit: spec.weight for unit, spec in fight.table.units.items()}
    start = survivors(fight, side, fight.start(side), ashore=False, supporters=False)
    total = sum(costs[unit] * count for (_, unit), count in start.items())
    found: dict[int, float] = {}
    for units, chance in zip(left, chances.tolist(), strict=True):
        lost = total - sum([costs[unit] * count for (_, unit), count in units.items()])
        found[lost] = found.get(lost, 0.0) + chance
    return dict(sorted(found.items()))


def _survival(fight: Fight, side: str, left: Sequence[_Units], chances: Array) -> list[Survival]:
    start = survivors(fight, side, fight.start(side), ashore=False, supporters=False)
    found = []
    for (nation, unit), count in start.items():
        counts = np.array([units.get((nation, unit), 0) for units in left], dtype=np.int64)
        expected = float(counts @ chances)
        gone = float(chances[counts == 0].sum())
        found.append(Survival(side, nation, unit, count, expected, expected / count, gone))
    return found
