"""Exact odds of a Song for War battle: dynamic programming over its steps.

The state of a battle is the joint distribution over the counts of both sides. Given the counts, the losses of one
side hang only on the other side's dice, so a step is two families of transition matrices. Who rolls, what a hit
kills and which casualties a policy takes are asked of `companion.games.sfw`; nothing of the rules is kept here.

Floats: every probability is a sum of products of at most a few dozen factors, total error below 1e-12.
"""

from __future__ import annotations

import numpy as np

from companion.games.sfw.odds.answer import Odds, summarise
from companion.games.sfw.odds.fire import Transitions, is_possible, transitions
from companion.games.sfw.odds.states import SideStates, TooLargeError, distinct
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.rules.battle_losses import CHEAPEST, LossTable, Policy
from companion.games.sfw.rules.battle_play import retreating, unloaded
from companion.games.sfw.rules.battle_rolls import steps
from companion.odds.distributions import Array

__all__ = ["MAX_CELLS", "TooLargeError", "exact_odds"]

MAX_CELLS = 4_000_000
"""Largest joint table of counts that is worked exactly; beyond it a simulation is offered."""

_MAX_PRODUCTS = 3e10
"""Most multiplications for one step: a few seconds."""


def exact_odds(
    fight: Fight,
    policies: dict[str, Policy] | None = None,
    *,
    position: int = 0,
    attacking: Counts | None = None,
    defending: Counts | None = None,
    retreats: bool = True,
    max_cells: int = MAX_CELLS,
) -> Odds:
    """Return the exact odds of a fight, from its start or from any step of it.

    Args:
        fight: A fight without missing figures (`battle_rolls.missing`); dice that cannot be told are not rolled.
        policies: Loss policy by side; `CHEAPEST` where none is given.
        position: Index into `steps(fight)` of the next step; at and after 7B cargo that unloads is in `attacking`.
        attacking: The attackers' counts now; None: as they started.
        defending: The defenders' counts now.
        retreats: The units that the battle names do retreat; False: they stand.
        max_cells: Largest joint table worked.

    Raises:
        TooLargeError: The joint table grew beyond `max_cells`.
    """
    chosen = policies or {}
    work = _Work(fight, chosen, max_cells, retreats=retreats)
    return work.run(position, attacking or fight.start(ATTACKING), defending or fight.start(DEFENDING))


class _Work:
    """One run over the steps of a fight."""

    def __init__(
        self, fight: Fight, policies: dict[str, Policy], max_cells: int, *, retreats: bool = True
    ) -> None:
        self.fight = fight
        self.retreats = retreats and bool(fight.battle.retreat)
        self.max_cells = max_cells
        self.tables = {
            side: LossTable(fight, side, policies.get(side, CHEAPEST)) for side in (ATTACKING, DEFENDING)
        }
        self.states = {side: SideStates(fight, side) for side in (ATTACKING, DEFENDING)}
        self.p: Array = np.ones((1, 1))

    def run(self, position: int, attacking: Counts, defending: Counts) -> Odds:
        self.states[ATTACKING].set_counts([attacking])
        self.states[DEFENDING].set_counts([defending])
        order = steps(self.fight)
        for step in order[position:]:
            if step == "7B":
                self._unload()
            if step == "retreat" and self.retreats:
                self._retreat()
            self._step(step)
        return self._answer(ashore="7B" in order)

    def _unload(self) -> None:
        states = self.states[ATTACKING]
        if any(kind.role == "landing" for kind in states.kinds):
            rows = [unloaded(self.fight, tuple(row)) for row in states.counts.tolist()]
            states.set_counts(rows)

    def _retreat(self) -> None:
        """Set the retreating units apart wherever attackers are left in the space."""
        attackers = self.states[ATTACKING].counts.tolist()
        pressed = np.array([self.fight.in_space(ATTACKING, tuple(row)) > 0 for row in attackers])
        states = self.states[DEFENDING]
        stay = states.codes
        rows = [retreating(self.fight, tuple(row)) for row in states.counts.tolist()]
        states.set_counts(rows)
        codes, _, index = distinct(np.concatenate([stay, states.codes]))
        joint = np.zeros((len(pressed), len(codes)))
        for row in range(len(pressed)):
            half = index[len(stay) :] if pressed[row] else index[: len(stay)]
            joint[row] = np.bincount(half, weights=self.p[row], minlength=len(codes))
        states.set_codes(codes)
        self.p = joint

    def _step(self, step: str) -> None:
        """Roll one step of both sides and take the casualties."""
        if not is_possible(self.fight, step):
            return
        attackers, on_defenders = transitions(
            self.fight, step, ATTACKING, self.states, self.tables[DEFENDING]
        )
        defenders, on_attackers = transitions(
            self.fight, step, DEFENDING, self.states, self.tables[ATTACKING]
        )
        if on_attackers is None and on_defenders is None:
            return
        on_attackers = on_attackers or Transitions(self.states[ATTACKING].codes, ())
        on_defenders = on_defenders or Transitions(self.states[DEFENDING].codes, ())
        cells = len(on_attackers.codes) * len(on_defenders.codes)
        work = float(cells) * len(self.states[ATTACKING].codes) * len(defenders)
        if cells > self.max_cells or work > _MAX_PRODUCTS:
            raise TooLargeError(
                f"step {step}: {cells} pairs of strengths, at most {self.max_cells} are worked exactly"
            )
        joint = np.zeros((len(on_attackers.codes), len(on_defenders.codes)))
        if not len(on_defenders.matrices):
            for number, columns in enumerate(defenders):
                joint[:, columns] = on_attackers.matrices[number].T @ self.p[:, columns]
        else:
            for number, columns in enumerate(defenders):
                before = self.p[:, columns]
                part = np.empty((before.shape[0], joint.shape[1]))
                for other, rows in enumerate(attackers):
                    part[rows] = before[rows] @ on_defenders.matrices[other][columns]
                joint += on_attackers.matrices[number].T @ part if len(on_attackers.matrices) else part
        self.states[ATTACKING].set_codes(on_attackers.codes)
        self.states[DEFENDING].set_codes(on_defenders.codes)
        self.p = joint

    def _answer(self, *, ashore: bool) -> Odds:
        return summarise(
            self.fight,
            self.states[ATTACKING].counts,
            self.states[DEFENDING].counts,
            self.p,
            ashore=ashore,
        )
