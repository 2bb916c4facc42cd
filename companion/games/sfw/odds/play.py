"""Exact odds of a Song for War battle: dynamic programming over its steps.

The state of a battle is the joint distribution over the counts of both sides. Given the counts, the losses of one
side hang only on the other side's dice, so a step is two families of transition matrices. Who rolls, what a hit
kills and which casualties a policy takes are asked of `companion.games.sfw`; nothing of the rules is kept here.

Floats: every probability is a sum of products of at most a few dozen factors, total error below 1e-12.
"""

from __future__ import annotations

from companion.games.sfw.odds.answer import Odds, summarise
from companion.games.sfw.odds.fire import Transitions, is_possible, transitions
from companion.games.sfw.odds.states import Ints, SideStates, TooLargeError, ranked
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.rules.battle_losses import CHEAPEST, LossTable, Policy
from companion.games.sfw.rules.battle_play import retreating, unloaded
from companion.games.sfw.rules.battle_rolls import steps
from companion.odds.arrays import np
from companion.odds.distributions import Array

__all__ = ["MAX_CELLS", "TooLargeError", "exact_odds"]

MAX_CELLS = 4_000_000
"""Largest joint table of counts that is worked exactly; beyond it a simulation is offered."""

_ROWS = 64
"""Rows that are put in order at once, so that no second table is needed."""

_MOST_AT_ONCE = 700_000
"""Chances held at once for defenders that fire alike: 6 MB."""

_NEAR = 200_000
"""Chances worked at once: 1.6 MB."""

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
    tells_ends: bool = True,
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
        tells_ends: Tell the chance of each pair of ends too; else `joint` stays empty, which saves memory.

    Raises:
        TooLargeError: The joint table grew beyond `max_cells`.
    """
    chosen = policies or {}
    work = _Work(fight, chosen, max_cells, retreats=retreats)
    work.run(position, attacking or fight.start(ATTACKING), defending or fight.start(DEFENDING))
    return work.answer(tells_ends=tells_ends)


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

    def run(self, position: int, attacking: Counts, defending: Counts) -> None:
        self.states[ATTACKING].set_counts([attacking])
        self.states[DEFENDING].set_counts([defending])
        order = steps(self.fight)
        for step in order[position:]:
            if step == "7B":
                self._unload()
            if step == "retreat" and self.retreats:
                self._retreat()
            self._step(step)

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
        codes, index = ranked(np.concatenate([stay, states.codes]))
        joint = np.zeros((len(pressed), len(codes)))
        for row in range(len(pressed)):
            half = index[len(stay) :] if pressed[row] else index[: len(stay)]
            joint[row] = np.bincount(half, weights=self.p[row], minlength=len(codes))
        states.set_codes(codes)
        self.p = joint

    def _step(self, step: str) -> None:
        """Roll one step of both sides and take the casualties."""
        if not is_possible(self.fight, step, self.states):
            return
        attackers, on_defenders = transitions(
            self.fight, step, ATTACKING, self.states, self.tables[DEFENDING]
        )
        defenders, on_attackers = transitions(
            self.fight, step, DEFENDING, self.states, self.tables[ATTACKING]
        )
        if on_attackers is None and on_defenders is None:
            return
        codes = {
            side: self.states[side].codes if found is None else found.codes
            for side, found in ((ATTACKING, on_attackers), (DEFENDING, on_defenders))
        }
        self._check_size(step, codes, on_attackers, len(defenders))
        joint = _Products(self.p, attackers, defenders, on_attackers, on_defenders).joint(
            len(codes[ATTACKING]), len(codes[DEFENDING])
        )
        rows, columns = (np.logical_or.reduce(joint, axis=axis) for axis in (1, 0))
        if np.count_nonzero(rows) < len(rows) or np.count_nonzero(columns) < len(columns):
            joint = joint[rows][:, columns]
        self.states[ATTACKING].set_codes(codes[ATTACKING][rows])
        self.states[DEFENDING].set_codes(codes[DEFENDING][columns])
        self.p = joint

    def _check_size(
        self, step: str, codes: dict[str, Ints], found: Transitions | None, profiles: int
    ) -> None:
        """Refuse a step whose table or whose products would take too long."""
        cells = len(codes[ATTACKING]) * len(codes[DEFENDING])
        blows = () if found is None else found.blows
        each = sum(blow.places.size * blow.matrices.shape[1] for blow in blows)
        if cells > self.max_cells or float(each) * len(codes[DEFENDING]) * profiles > _MAX_PRODUCTS:
            raise TooLargeError(
                f"step {step}: {cells} pairs of strengths, at most {self.max_cells} are worked exactly"
            )

    def answer(self, *, tells_ends: bool) -> Odds:
        return summarise(
            self.fight,
            self.states[ATTACKING].counts,
            self.states[DEFENDING].counts,
            self.p,
            ashore="7B" in steps(self.fight),
            tells_ends=tells_ends,
        )


class _Products:
    """The products of one step: both sides fire at once, each by what it has before the step.

    First the attackers' fire moves the columns, apart for defenders that fire alike; then the fire of all these
    moves the rows in one product. Columns stand blow by blow until the end, so that nothing is gathered twice.
    """

    def __init__(
        self,
        p: Array,
        attackers: list[Ints],
        defenders: list[Ints],
        on_attackers: Transitions | None,
        on_defenders: Transitions | None,
    ) -> None:
        """Take the chances before, rows and columns that fire alike, and what fire does to each side."""
        self._p, self._attackers, self._defenders = p, attackers, defenders
        self._on_attackers, self._on_defenders = on_attackers, on_defenders
        self._profile = np.zeros(p.shape[1], dtype=np.int64)
        for number, columns in enumerate(defenders):
            self._profile[columns] = number

    def joint(self, rows: int, columns: int) -> Array:
        """Return the chances after the step, shape (attackers after, defenders after)."""
        on = self._on_defenders
        if on is None:
            return self._moved_apart(rows)
        width = sum(blow.places.size for blow in on.blows)
        at_once = max(1, _MOST_AT_ONCE // (width * len(self._p)))
        total = np.zeros((rows, width))
        for first in range(0, len(self._defenders), at_once):
            numbers = range(first, min(first + at_once, len(self._defenders)))
            each = [self._columns(on, number) for number in numbers]
            moved = each[0][None] if len(each) == 1 else np.stack(each)
            if self._on_attackers is None:
                total += np.add.reduce(moved)
            else:
                self._add_rows(self._on_attackers, numbers, moved, total)
            del each, moved
        return _gathered(total, on, columns)

    def _moved_apart(self, rows: int) -> Array:
        """Return the chances where nobody fires at the defenders."""
        if self._on_attackers is None:
            return self._p
        total = np.zeros((rows, self._p.shape[1]))
        for number, columns in enumerate(self._defenders):
            part = np.zeros((rows, len(columns)))
            self._add_rows(self._on_attackers, range(number, number + 1), self._p[None, :, columns], part)
            total[:, columns] = part
        return total

    def _columns(self, on: Transitions, number: int) -> Array:
        """Return the chances after the attackers' fire at defenders of one profile; columns blow by blow."""
        found, p = [], self._p
        is_alone = len(self._defenders) == 1
        for blow in on.blows:
            some = blow.members if is_alone else None
            rest, part, parts = blow.rest, blow.part, np.arange(blow.matrices.shape[1])
            if some is None:
                here = (self._profile[blow.members] == number).nonzero()[0]
                if not len(here):
                    found.append(np.zeros((len(p), blow.places.size)))
                    continue
                some, rest = blow.members[here], rest[here]
                parts, part = ranked(part[here])
            before = np.zeros((len(p), len(blow.places), len(parts)))
            before[:, rest, part] = p[:, some]
            if len(self._attackers) == 1:
                after = before.reshape(-1, len(parts)) @ blow.matrices[0][parts]
            else:
                after = np.empty((len(p), *blow.places.shape))
                for fire, rows in enumerate(self._attackers):
                    some_after = before[rows].reshape(-1, len(parts)) @ blow.matrices[fire][parts]
                    after[rows] = some_after.reshape(len(rows), *blow.places.shape)
            found.append(after.reshape(len(p), -1))
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    @staticmethod
    def _add_rows(on: Transitions, numbers: range, moved: Array, total: Array) -> None:
        """Add the chances after the fire of defenders of some profiles; `moved` has shape (profiles, rows, columns)."""
        for blow in on.blows:
            parts, after = blow.matrices.shape[1:]
            matrix = blow.matrices[numbers.start : numbers.stop].transpose(2, 0, 1).reshape(after, -1)
            # So many columns at once that all stays near the processor.
            height = len(blow.places) * max(matrix.shape)
            for some in range(0, moved.shape[2], max(1, _NEAR // height)):
                columns = slice(some, some + max(1, _NEAR // height))
                wide = moved[:, :, columns]
                before = np.zeros((len(blow.places), len(numbers), parts, wide.shape[2]))
                for place in range(len(numbers)):
                    before[blow.rest, place, blow.part] = wide[place, blow.members]
                found = matrix @ before.reshape(len(before), -1, wide.shape[2])
                total[blow.places.ravel(), columns] += found.reshape(-1, wide.shape[2])


def _gathered(total: Array, on: Transitions, columns: int) -> Array:
    """Return the chances with columns in the order of the states after; `total` is not used again."""
    if len(on.blows) == 1:
        order = on.blows[0].places.ravel().argsort()
        for first in range(0, len(total), _ROWS):
            some = slice(first, first + _ROWS)
            total[some] = total[some, order]
        return total
    joint = np.zeros((len(total), columns))
    at = 0
    for blow in on.blows:
        places = blow.places.ravel()
        joint[:, places] += total[:, at : at + len(places)]
        at += len(places)
    return joint
