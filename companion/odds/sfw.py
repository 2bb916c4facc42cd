"""Exact odds of a Song for War battle: dynamic programming over its steps.

The state of a battle is the joint distribution over the counts of both sides. Given the counts, the losses of one
side hang only on the other side's dice, so a step is two families of transition matrices. Who rolls, what a hit
kills and which casualties a policy takes are asked of `companion.games.sfw`; nothing of the rules is kept here.

Floats: every probability is a sum of products of at most a few dozen factors, total error below 1e-12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.games.sfw.battle import ATTACKING, DEFENDING, Counts, Fight, Kind, other_side
from companion.games.sfw.battle_fire import contributes
from companion.games.sfw.battle_losses import CHEAPEST, Hit, LossTable, Policy
from companion.games.sfw.battle_play import (
    best_combination,
    retreating,
    step_rolls,
    survivors,
    unloaded,
)
from companion.games.sfw.battle_rolls import Aim, Volley, can_hit, steps
from companion.odds.distributions import Array, Part, combine

__all__ = ["MAX_CELLS", "Odds", "Outcome", "Survival", "TooLargeError", "exact_odds", "summarise"]

MAX_CELLS = 4_000_000
"""Largest joint table of counts that is worked exactly; beyond it a simulation is offered."""

_MAX_PAYMENTS = 250_000
"""Most casualties of one side worked for one step: a few seconds."""

_MAX_MATRICES = 60_000_000
"""Most entries of the transition matrices of one side on one step: half a gigabyte."""

_MAX_PRODUCTS = 3e10
"""Most multiplications for one step: a few seconds."""

_Ints = NDArray[np.int64]
_Class = tuple[int, Aim, bool]


class TooLargeError(ValueError):
    """The battle has too many states to be worked exactly."""


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


class _SideStates:
    """The counts that a side can have, as an array (states, kinds) with a number for each row."""

    def __init__(self, fight: Fight, side: str) -> None:
        self.side = side
        self.kinds = fight.kinds(side)
        start = fight.start(side)
        most = [
            start[kind.source] * kind.per if kind.source >= 0 else start[kind.index] for kind in self.kinds
        ]
        self.strides = np.ones(len(most), dtype=np.int64)
        for n in range(1, len(most)):
            self.strides[n] = self.strides[n - 1] * (most[n - 1] + 1)
        if most and float(np.prod([float(value + 1) for value in most])) > 9e18:
            raise TooLargeError("more unit counts than can be numbered")
        self.counts: _Ints = np.zeros((0, len(most)), dtype=np.int64)
        self.codes: _Ints = np.zeros(0, dtype=np.int64)

    def set_counts(self, counts: Sequence[Counts]) -> None:
        """Take new rows."""
        self.counts = np.array(counts, dtype=np.int64).reshape(len(counts), len(self.kinds))
        self.codes = self.counts @ self.strides

    def set_codes(self, codes: _Ints) -> None:
        """Take new rows by number."""
        self.codes = codes
        rest = codes.copy()
        counts = np.zeros((len(codes), len(self.kinds)), dtype=np.int64)
        for n in range(len(self.kinds) - 1, -1, -1):
            counts[:, n], rest = np.divmod(rest, self.strides[n])
        self.counts = counts


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
        self.levels = len(fight.edition.capacity)
        self.states = {side: _SideStates(fight, side) for side in (ATTACKING, DEFENDING)}
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
        codes, index = np.unique(np.concatenate([stay, states.codes]), return_inverse=True)
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
        fire = {side: _Fire(self, step, side) for side in (ATTACKING, DEFENDING)}
        hurt = {side: fire[other_side(side)].transitions() for side in (ATTACKING, DEFENDING)}
        if hurt[ATTACKING] is None and hurt[DEFENDING] is None:
            return
        attackers, defenders = fire[ATTACKING].rows, fire[DEFENDING].rows
        on_attackers = hurt[ATTACKING] or _Transitions(self.states[ATTACKING].codes, ())
        on_defenders = hurt[DEFENDING] or _Transitions(self.states[DEFENDING].codes, ())
        cells = len(on_attackers.codes) * len(on_defenders.codes)
        work = float(cells) * len(self.states[ATTACKING].codes) * len(defenders)
        if cells > self.max_cells or work > _MAX_PRODUCTS:
            raise TooLargeError(
                f"step {step}: {cells} pairs of strengths, at most {self.max_cells} are worked exactly"
            )
        joint = np.zeros((len(on_attackers.codes), len(on_defenders.codes)))
        if not on_defenders.matrices:
            for number, columns in enumerate(defenders):
                joint[:, columns] = on_attackers.matrices[number].T @ self.p[:, columns]
        else:
            for number, columns in enumerate(defenders):
                before = self.p[:, columns]
                part = np.empty((before.shape[0], joint.shape[1]))
                for other, rows in enumerate(attackers):
                    part[rows] = before[rows] @ on_defenders.matrices[other][columns]
                joint += on_attackers.matrices[number].T @ part if on_attackers.matrices else part
        self.states[ATTACKING].set_codes(on_attackers.codes)
        self.states[DEFENDING].set_codes(on_defenders.codes)
        self.p = joint

    def _answer(self, *, ashore: bool) -> Odds:
        return summarise(
            self.fight,
            [tuple(row) for row in self.states[ATTACKING].counts.tolist()],
            [tuple(row) for row in self.states[DEFENDING].counts.tolist()],
            self.p,
            ashore=ashore,
        )


class _Transitions(msgspec.Struct):
    """What fire does to a side: its numbers after, and a matrix (states before, after) for each profile of fire.

    No matrices: nothing changes.
    """

    codes: _Ints
    matrices: Sequence[Array]


def is_possible(fight: Fight, step: str) -> bool:
    """Say whether a step can see a roll at all, whatever happens before."""
    battle = fight.battle
    lands = any(kind.role == "landing" for kind in fight.attacking)
    if step == "7A":
        return any(kind.group.combined for kind in fight.attacking + fight.defending)
    if step == "7B":
        return lands and battle.sea_walls > 0
    if step == "7C":
        return lands
    if step == "retreat":
        return bool(battle.retreat)
    if step in ("line", "mine"):
        return True
    sides = fight.attacking + fight.defending
    return (step == "1" and bool(battle.airfield)) or any(contributes(fight, step, kind) for kind in sides)


class _Family(msgspec.Struct):
    """All vectors of hits that one side may throw at enemies of one signature."""

    members: _Ints
    """States of the other side with this signature."""
    classes: tuple[_Class, ...]
    vectors: list[tuple[int, ...]]
    numbers: _Ints
    """The same vectors as an array (vectors, classes)."""
    p: list[Array | None]
    """Chance of each vector, by profile; None where a profile has no roll."""


class _Fire:
    """One side's fire on one step at every state of the other side."""

    def __init__(self, work: _Work, step: str, side: str) -> None:
        self.work = work
        self.step = step
        self.side = side
        self.enemy = work.states[other_side(side)]
        # These steps ask who is there at all, not only who rolls.
        gated = step in ("7A", "7B", "7C", "retreat")
        states = work.states[side]
        columns = np.array([contributes(work.fight, step, kind) for kind in states.kinds], dtype=bool)
        shown = np.where(columns, states.counts, np.minimum(states.counts, 1) if gated else 0)
        own, inverse = np.unique(shown, axis=0, return_inverse=True)
        self.own: list[Counts] = [tuple(row) for row in own.tolist()]
        self.rows = _grouped(inverse.reshape(-1), len(own))
        """The side's states by what they roll."""
        self._is_gated = gated

    def transitions(self) -> _Transitions | None:
        """Return what the fire does to the other side; None when nobody rolls."""
        families = [family for family in self._families() if any(p is not None for p in family.p)]
        if not families:
            return None
        losses = _Losses(self)
        self._check_size(families)
        after = [losses.codes_after(family) for family in families]
        hit = np.zeros(len(self.enemy.codes), dtype=bool)
        for family in families:
            hit[family.members] = True
        codes = np.unique(np.concatenate([self.enemy.codes, *(part.ravel() for part in after)]))
        width = len(codes)
        cells = width * len(self.enemy.codes) * len(self.own)
        if cells > _MAX_MATRICES:
            raise TooLargeError(f"step {self.step}: {cells} transitions to be kept")
        same = np.searchsorted(codes, self.enemy.codes)
        matrices = []
        places = [
            (np.arange(len(family.members))[:, None] * width + np.searchsorted(codes, part)).ravel()
            for family, part in zip(families, after, strict=True)
        ]
        used = np.zeros(width, dtype=bool)
        for profile in range(len(self.own)):
            matrix = np.zeros((len(self.enemy.codes), width))
            calm = ~hit
            for family, place in zip(families, places, strict=True):
                chances = family.p[profile]
                if chances is None:
                    calm[family.members] = True
                    continue
                weights = np.broadcast_to(chances, (len(family.members), len(chances))).ravel()
                matrix[family.members] = np.bincount(place, weights, len(family.members) * width).reshape(
                    -1, width
                )
            matrix[np.flatnonzero(calm), same[calm]] = 1.0
            used |= matrix.any(axis=0)
            matrices.append(matrix)
        if not used.all():
            matrices = [matrix[:, used] for matrix in matrices]
        return _Transitions(codes[used], matrices)

    def _check_size(self, families: list[_Family]) -> None:
        """Refuse a step whose casualties alone would take too long; parts that cannot be hit count too."""
        payments = sum(len(family.members) * len(family.vectors) for family in families)
        if payments > _MAX_PAYMENTS:
            raise TooLargeError(f"step {self.step}: casualties of {payments} results to be worked")

    def _families(self) -> list[_Family]:
        signatures, numbers = self._signatures()
        groups = _grouped(numbers, len(signatures))
        return [self._family(there, rows) for there, rows in zip(signatures, groups, strict=True)]

    def _signatures(self) -> tuple[list[Counts], _Ints]:
        """Return who is there on the other side as far as aims tell units apart, and each state's number."""
        classes: dict[tuple[object, ...], list[int]] = {}
        for kind in self.enemy.kinds:
            key = (kind.place, kind.role, kind.unit.type, kind.unit.has("submerged"))
            classes.setdefault(key, []).append(kind.index)
        there = np.zeros(self.enemy.counts.shape, dtype=np.int64)
        for members in classes.values():
            there[:, members] = (self.enemy.counts[:, members].sum(axis=1) > 0)[:, None]
        rows, inverse = np.unique(there, axis=0, return_inverse=True)
        return [tuple(row) for row in rows.tolist()], inverse.reshape(-1)

    def _family(self, there: Counts, members: _Ints) -> _Family:
        thrown = self._thrown(there)
        classes = tuple(
            sorted({cls for row in thrown for volley, _ in row for cls in self._classes(volley)}, key=_rank)
        )
        axis = {cls: n for n, cls in enumerate(classes)}
        most = [self._most(members, cls) for cls in classes]
        limits = [0] * len(classes)
        for row in thrown:
            sums = [0] * len(classes)
            for volley, dice in row:
                for cls in set(self._classes(volley)):
                    sums[axis[cls]] += most[axis[cls]] if volley.extra_shot else dice
            limits = [max(pair) for pair in zip(limits, sums, strict=True)]
        shape = tuple(1 + min(pair) for pair in zip(limits, most, strict=True))
        spreads: list[Array | None] = []
        for row in thrown:
            parts = tuple(
                Part(dice, volley.number, axis[plain], axis[special], volley.extra_shot)
                for volley, dice in row
                for plain, special in (self._classes(volley),)
            )
            spreads.append(combine(parts, 12, shape).ravel() if parts else None)
        rolled = [p for p in spreads if p is not None]
        if not rolled:
            return _Family(members, classes, [], np.zeros((0, len(classes)), dtype=np.int64), spreads)
        likely = _likely(np.max(rolled, axis=0))
        index = np.unravel_index(np.flatnonzero(likely), shape)
        numbers = np.stack(index, axis=1).astype(np.int64)
        vectors = [tuple(row) for row in numbers.tolist()]
        return _Family(
            members, classes, vectors, numbers, [None if p is None else p[likely] for p in spreads]
        )

    def _thrown(self, there: Counts) -> list[list[tuple[Volley, int]]]:
        """Return every profile's volleys against who is there, with the number of dice."""
        if self._is_gated:
            return [[(v, v.dice) for v in self._volleys(own, there)] for own in self.own]
        everybody = tuple(1 for _ in self.own[0])
        found = self._volleys(everybody, there)
        return [
            [(v, v.dice * (own[v.kind] if v.kind >= 0 else 1)) for v in found if v.kind < 0 or own[v.kind]]
            for own in self.own
        ]

    def _volleys(self, own: Counts, there: Counts) -> tuple[Volley, ...]:
        attacking, defending = (own, there) if self.side == ATTACKING else (there, own)
        both = step_rolls(self.work.fight, self.step, attacking, defending)
        return both[0 if self.side == ATTACKING else 1].volleys

    def _classes(self, volley: Volley) -> tuple[_Class, _Class]:
        """Return the classes of a volley's ordinary hits and of its twelves."""
        plain = (volley.level, volley.aim, False)
        if not (volley.level_up or volley.precise):
            return plain, plain
        level = min(self.work.levels, volley.level + 1) if volley.level_up else volley.level
        return plain, (level, volley.aim, volley.precise)

    def _most(self, members: _Ints, cls: _Class) -> int:
        """Return how many units hits of a class could remove at most: more hits change nothing."""
        if self.step == "7A":
            return _ENDLESS
        level, aim, _ = cls
        indexes = [k.index for k in self.enemy.kinds if can_hit(k, aim) and k.unit.armour <= level]
        return int(self.enemy.counts[members][:, indexes].sum(axis=1).max()) if indexes else 0


_NEGLIGIBLE = 1e-15
"""Chance that may be left out of one step's hits; the whole answer stays within 1e-12."""

_ENDLESS = 64
"""Hits that combined fire may put to use; only an extra shot can bring more, and hardly ever does."""


def _likely(chances: Array) -> NDArray[np.bool_]:
    """Return which results to keep: the least likely ones that together come to next to nothing are left out."""
    order = np.argsort(chances)
    kept = np.ones(len(chances), dtype=bool)
    kept[order[np.cumsum(chances[order]) <= _NEGLIGIBLE]] = False
    return kept


def _rank(cls: _Class) -> tuple[object, ...]:
    level, aim, precise = cls
    return (level, precise, aim.place, aim.types, aim.sonar, aim.air, aim.role)


def _grouped(numbers: _Ints, count: int) -> list[_Ints]:
    """Return the row numbers of each group."""
    order = np.argsort(numbers, kind="stable")
    cuts = np.searchsorted(numbers[order], np.arange(1, count))
    return np.split(order, cuts)


class _Losses:
    """Numbers of the states after each vector of hits, worked once for each part of a state that can be hit."""

    def __init__(self, fire: _Fire) -> None:
        self.fire = fire
        self.enemy = fire.enemy
        self.table = fire.work.tables[fire.enemy.side]
        self.strides = [int(stride) for stride in self.enemy.strides]

    def codes_after(self, family: _Family) -> _Ints:
        """Return an array (members, vectors) of state numbers."""
        exposed = np.array([self._is_exposed(kind, family.classes) for kind in self.enemy.kinds], dtype=bool)
        shown = np.where(exposed, self.enemy.counts[family.members], 0)
        parts, inverse = np.unique(shown, axis=0, return_inverse=True)
        drop = np.stack([self._drops(tuple(part), family) for part in parts.tolist()])
        return self.enemy.codes[family.members][:, None] - drop[inverse.reshape(-1)]

    def _is_exposed(self, kind: Kind, classes: tuple[_Class, ...]) -> bool:
        if kind.unit.standard == "fighter" or (kind.holds and self.table.policy.name == "keep_control"):
            return True
        return any(can_hit(kind, aim) for _, aim, _ in classes)

    def _drops(self, part: Counts, family: _Family) -> _Ints:
        """Return by how much a state's number falls, for every vector of hits."""
        code = sum(map(mul, part, self.strides))
        if self.fire.step == "7A" or any(precise for _, _, precise in family.classes):
            afters = [self._after(part, family.classes, vector) for vector in family.vectors]
            return np.array([code - sum(map(mul, after, self.strides)) for after in afters], dtype=np.int64)
        payer = self.table.payer(tuple((level, aim) for level, aim, _ in family.classes), part)
        plan, most = payer.payments.reduction(payer.there(part))
        # Many vectors come to the same: they are paid once.
        reduced = np.minimum(family.numbers @ np.array(plan, dtype=np.int64), most)
        strides = np.cumprod([1, *(n + 1 for n in most[:-1])], dtype=np.int64)
        _, first, inverse = np.unique(reduced @ strides, return_index=True, return_inverse=True)
        vectors = [tuple(row) for row in reduced[first].tolist()]
        afters = self.table.owners_choices(payer, part, vectors)
        drops = np.array([code - sum(map(mul, after, self.strides)) for after in afters], dtype=np.int64)
        return drops[inverse.reshape(-1)]

    def _after(self, part: Counts, classes: tuple[_Class, ...], vector: tuple[int, ...]) -> Counts:
        hits = tuple(
            Hit(level, aim, count, precise)
            for (level, aim, precise), count in zip(classes, vector, strict=True)
            if count
        )
        if self.fire.step == "7A":
            hits = best_combination(hits, part, self.table)
        return self.table.after(part, hits)


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
    costs = {unit: spec.cost for unit, spec in fight.table.units.items()}
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
