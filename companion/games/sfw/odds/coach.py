"""The best way to lose units in a Song for War battle, and whether to retreat, for one side and one goal.

A battle is a decision process over the same rules as play: on every step both sides' dice fall, the enemy takes its
losses by its policy, and then the side may take any legal ones. From the last step back to the first, a pair of
strengths is worth what the best legal losses keep of it on average. Who rolls, what a hit may take and which losses
are legal is asked of `companion.games.sfw.rules`; nothing of the rules is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from companion.games.sfw.odds.answer import Odds, SideEnd
from companion.games.sfw.odds.fire import Family, Transitions, aimed, is_possible, transitions
from companion.games.sfw.odds.losses import HitClass, Losses
from companion.games.sfw.odds.states import Ints, SideStates, TooLargeError, ranked
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Counts, Fight, other_side
from companion.games.sfw.rules.battle_losses import CHEAPEST, Hit, LossTable, Policy
from companion.games.sfw.rules.battle_play import best_combination, retreating, unloaded
from companion.games.sfw.rules.battle_rolls import steps
from companion.odds.arrays import np
from companion.odds.distributions import Array

__all__ = ["GOALS", "BestPlay", "Goal", "goal_value"]

Goal = Literal["space", "clear", "keep", "exchange"]
GOALS: tuple[Goal, ...] = ("space", "clear", "keep", "exchange")
"""``space``: attackers take it, defenders do not let them; ``clear``: no enemy is left in it; ``keep``: cost of one's
own units left; ``exchange``: cost that the enemy loses less one's own."""

_MOST_OPTIONS = 60_000
"""Choices of losses on one step: half a second."""
_MOST_ASKED = 8_000
"""Strengths times results of one step whose losses are asked for: half a second."""
_MOST_STRENGTHS = 40_000
"""Strengths that the side may have left at the end."""
_MOST_AT_ONCE = 500_000
"""Values compared at once: 4 MB."""
_MOST_VALUES = 4_000_000
"""Pairs of strengths on one step, times the ways in which the enemy fires: 32 MB."""


def goal_value(odds: Odds, fight: Fight, side: str, goal: Goal) -> float:
    """Return what odds are worth for a side's goal: a chance, 0 to 1, or a cost on average, below 0 too under ``exchange``."""
    enemy = other_side(side)
    if goal == "space":
        return odds.p_capture if side == ATTACKING else 1 - odds.p_capture
    if goal == "clear":
        return odds.p_defender_cleared if side == ATTACKING else odds.p_attacker_cleared
    if goal == "exchange":
        return odds.expected_loss[enemy] - odds.expected_loss[side]
    start = np.array([fight.start(side)], dtype=np.int64)
    return SideEnd(fight, side, start, ashore=False).worth - odds.expected_loss[side]


@dataclass
class _Layer:
    """One moment of the battle. Values are arrays (own strengths, enemy strengths), both by rising number."""

    number: int
    """Index of the step."""
    name: Literal["move", "retreat", "fire"]
    own: Ints
    """Numbers of the strengths before it."""
    enemy: Ints
    before: Callable[[Array], Array]
    """Makes values before it of those after it."""
    own_after: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    enemy_after: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    after: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Values after it."""

    def value_after(self, own: int, enemy: int) -> float:
        """Return what a pair of strengths after it, given by number, is worth."""
        return float(self.after[self.own_after.searchsorted(own), self.enemy_after.searchsorted(enemy)])


class BestPlay:
    """The best decisions of one side for a goal, and what it comes to with them (`value`)."""

    def __init__(
        self,
        fight: Fight,
        side: str,
        goal: Goal,
        *,
        enemy: Policy = CHEAPEST,
        position: int = 0,
        strength: Mapping[str, Counts] | None = None,
        retreats: bool = True,
    ) -> None:
        """Work all decisions.

        Args:
            fight: A fight without missing figures.
            side: The side that decides.
            goal: What it wants most of.
            enemy: How the enemy chooses casualties.
            position: Index into `steps(fight)` of the next step.
            strength: Both sides' counts now; None: as they started.
            retreats: The units that the battle names may retreat: as the defenders decide if they are the side, at once
                if they are the enemy. False: they stand.

        Raises:
            TooLargeError: There are too many strengths or choices.
        """
        self.fight, self.side, self.goal = fight, side, goal
        foe = other_side(side)
        self._foe = foe
        self.tables = {side: LossTable(fight, side), foe: LossTable(fight, foe, enemy)}
        self._states = {each: SideStates(fight, each) for each in SIDES}
        self._retreats = retreats and bool(fight.battle.retreat)
        self._layers: list[_Layer] = []
        for each in SIDES:
            self._states[each].set_counts([(strength or {}).get(each) or fight.start(each)])
        if float(np.prod(self._states[side].radices.astype(np.float64))) > _MOST_STRENGTHS:
            raise TooLargeError(f"more than {_MOST_STRENGTHS} strengths of the side that decides")
        for number, step in enumerate(steps(fight)):
            if number >= position:
                self._forward(number, step)
        value = self._end()
        for layer in reversed(self._layers):
            layer.after = value
            value = layer.before(value)
        self.value = float(value[0, 0])

    # Forward: which strengths there can be

    def _forward(self, number: int, step: str) -> None:
        fight = self.fight
        if step == "7B" and any(kind.role == "landing" for kind in fight.attacking):
            states = self._states[ATTACKING]
            own, enemy = self._codes()
            states.set_counts([unloaded(fight, tuple(row)) for row in states.counts.tolist()])
            codes, at = ranked(states.codes)
            states.set_codes(codes)
            is_own = self.side == ATTACKING
            self._add(number, "move", own, enemy, lambda v: v[at] if is_own else v[:, at])
        if step == "retreat" and self._retreats:
            self._retreat(number)
        if is_possible(fight, step, self._states):
            self._fire(number, step)

    def _codes(self) -> tuple[Ints, Ints]:
        return self._states[self.side].codes, self._states[self._foe].codes

    def _add(
        self,
        number: int,
        name: Literal["move", "retreat", "fire"],
        own: Ints,
        enemy: Ints,
        before: Callable[[Array], Array],
    ) -> None:
        own_after, enemy_after = self._codes()
        if len(own_after) * len(enemy_after) > _MOST_VALUES:
            raise TooLargeError(f"{len(own_after)} x {len(enemy_after)} strengths to be valued")
        self._layers.append(_Layer(number, name, own, enemy, before, own_after, enemy_after))

    def _retreat(self, number: int) -> None:
        """Set the units apart that may retreat, wherever attackers are left in the space."""
        attackers = self._states[ATTACKING].counts.tolist()
        pressed = np.array([self.fight.in_space(ATTACKING, tuple(row)) > 0 for row in attackers])
        own, enemy = self._codes()
        states = self._states[DEFENDING]
        stay = states.codes
        states.set_counts([retreating(self.fight, tuple(row)) for row in states.counts.tolist()])
        codes, at = ranked(np.concatenate([stay, states.codes]))
        states.set_codes(codes)
        stays, goes = at[: len(stay)], at[len(stay) :]

        def own_choice(value: Array) -> Array:
            better = np.maximum(value[stays], value[goes])
            return np.where(pressed[None, :], better, value[stays])

        def enemys(value: Array) -> Array:
            return np.where(pressed[:, None], value[:, goes], value[:, stays])

        self._add(number, "retreat", own, enemy, own_choice if self.side == DEFENDING else enemys)

    def _fire(self, number: int, step: str) -> None:
        fight, side, foe, states = self.fight, self.side, self._foe, self._states
        rows, on_enemy = transitions(fight, step, side, states, self.tables[foe])
        columns, families = aimed(fight, step, foe, states)
        if on_enemy is None and all(p is None for family in families for p in family.p):
            return
        own, enemy = self._codes()
        losses = Losses(states[side], self.tables[side], step)
        choices = [self._choices(step, losses, family, own) for family in families]
        after, places = ranked(np.concatenate([choice.codes for choice in choices]))
        states[side].set_codes(after)
        if on_enemy is not None:
            states[foe].set_codes(on_enemy.codes)
        if len(own) * len(states[foe].codes) * len(columns) > _MOST_VALUES:
            raise TooLargeError(f"step {step}: {len(own)} x {len(states[foe].codes)} strengths to be valued")
        at = 0
        for choice in choices:
            choice.places = places[at : at + len(choice.codes)]
            at += len(choice.codes)

        def before(value: Array) -> Array:
            return _met(_kept(value, choices, len(own), len(columns)), rows, columns, on_enemy)

        self._add(number, "fire", own, enemy, before)

    def _choices(self, step: str, losses: Losses, family: Family, own: Ints) -> _Choices:
        """Return what may be left of each state of a family after each vector of hits."""
        strides = self._states[self.side].strides
        if all(p is None for p in family.p):
            return _Choices(
                family, own[family.members], np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
            )
        parts, part = losses.parts(family.members, family.classes)
        if len(parts) * len(family.numbers) > _MOST_ASKED:
            raise TooLargeError(f"step {step}: {len(parts)} strengths x {len(family.numbers)} results")
        found: list[Ints] = []
        count = 0
        for row in map(tuple, parts.tolist()):
            for vector in family.numbers.tolist():
                lefts = options(self.tables[self.side], step, row, _hits(family.classes, vector))
                count += len(lefts)
                if count > _MOST_OPTIONS:
                    raise TooLargeError(f"step {step}: too many choices of losses")
                found.append(np.array(lefts, dtype=np.int64) @ strides)
        per_vector = np.array([len(codes) for codes in found], dtype=np.int64).reshape(len(parts), -1)
        by_part = [
            np.concatenate(found[n : n + per_vector.shape[1]])
            for n in range(0, len(found), per_vector.shape[1])
        ]
        rests = own[family.members] - (parts @ strides)[part]
        lengths = per_vector[part].ravel()
        if lengths.sum() > 8 * _MOST_OPTIONS:
            raise TooLargeError(f"step {step}: too many choices of losses")
        codes = [rest + by_part[n] for rest, n in zip(rests.tolist(), part.tolist(), strict=True)]
        every = np.concatenate([*codes, own[family.members]])
        return _Choices(family, every, np.cumsum(lengths) - lengths, lengths)

    # The end

    def _end(self) -> Array:
        ashore = "7B" in steps(self.fight)
        ends = {side: SideEnd(self.fight, side, self._states[side].counts, ashore=ashore) for side in SIDES}
        own, enemy = ends[self.side], ends[self._foe]
        shape = len(own.counts), len(enemy.counts)
        if self.goal == "keep":
            return np.broadcast_to((own.worth - own.costs_lost())[:, None], shape).astype(np.float64)
        if self.goal == "exchange":
            return (enemy.costs_lost()[None, :] - own.costs_lost()[:, None]).astype(np.float64)
        if self.goal == "clear":
            return np.broadcast_to(enemy.is_cleared()[None, :], shape).astype(np.float64)
        taken = np.outer(ends[ATTACKING].is_holding(), ~ends[DEFENDING].is_holding())
        return (taken if self.side == ATTACKING else ~taken.T).astype(np.float64)

    # The decisions

    def losses(
        self, number: int, counts: Counts, hits: tuple[Hit, ...], enemy_after: Counts
    ) -> tuple[Counts, float]:
        """Return what the best losses of a step leave, and what the goal comes to then, in the unit of `goal_value`.

        Args:
            number: Index of the step.
            counts: The side's counts before its losses.
            hits: The merged hits on it, as thrown.
            enemy_after: The enemy's counts after its losses of this step.
        """
        step = steps(self.fight)[number]
        layer = next(layer for layer in self._layers if layer.number == number and layer.name == "fire")
        own, foe = self._states[self.side].strides, self._states[self._foe].strides
        lefts = options(self.tables[self.side], step, counts, hits)
        enemy = int(np.array(enemy_after) @ foe)
        values = [layer.value_after(int(np.array(left) @ own), enemy) for left in lefts]
        best = max(range(len(values)), key=values.__getitem__)
        return lefts[best], values[best]

    def should_retreat(self, attacking: Counts, defending: Counts) -> tuple[bool, dict[bool, float]] | None:
        """Say whether the units that the battle names should retreat, with the values of going and staying.

        Values are in the unit of `goal_value`. None where that is not the side's to decide.
        """
        layer = next((layer for layer in self._layers if layer.name == "retreat"), None)
        if layer is None or self.side != DEFENDING or not self.fight.in_space(ATTACKING, attacking):
            return None
        own, foe = self._states[DEFENDING].strides, self._states[ATTACKING].strides
        enemy = int(np.array(attacking) @ foe)
        values = {
            goes: layer.value_after(int(np.array(counts) @ own), enemy)
            for goes, counts in ((True, retreating(self.fight, defending)), (False, defending))
        }
        return values[True] > values[False], values


@dataclass
class _Choices:
    """What may be left of the states of a family: for each member and each vector of hits a run of `codes`.

    Last come the members as they are.
    """

    family: Family
    codes: Ints
    starts: Ints
    lengths: Ints
    places: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Where each of the codes stands among all strengths after the step."""


def options(table: LossTable, step: str, counts: Counts, hits: tuple[Hit, ...]) -> list[Counts]:
    """Return everything that may be left of a side after the hits of a step; the shooter's part is not a choice.

    Hits are combined as the shooter would against the table's policy; precise ones take what costs most.
    """
    if step == "7A":
        hits = best_combination(hits, counts, table)
    precise = tuple(hit for hit in hits if hit.precise)
    plain = tuple(hit for hit in hits if not hit.precise)
    if precise:
        counts = table.after(counts, precise)
    if not plain:
        return [counts]
    return [
        tuple([n - lost for n, lost in zip(counts, losses, strict=True)])
        for losses in table.legal(counts, plain)
    ]


def _hits(classes: tuple[HitClass, ...], numbers: list[int]) -> tuple[Hit, ...]:
    return tuple(
        [
            Hit(level, aim, count, precise)
            for (level, aim, precise), count in zip(classes, numbers, strict=True)
            if count
        ]
    )


def _kept(value: Array, choices: list[_Choices], states: int, ways: int) -> Array:
    """Return the values before the enemy's hits, shape (ways in which the enemy fires, own states, enemy after)."""
    width = value.shape[1]
    found = np.empty((ways, states, width))
    for choice in choices:
        family, members = choice.family, choice.family.members
        calm = value[choice.places[len(choice.places) - len(members) :]]
        vectors = len(choice.lengths) // max(1, len(members))
        block = max(1, _MOST_AT_ONCE // max(1, vectors * width))
        for first in range(0, len(members), block):
            some = slice(first, min(first + block, len(members)))
            runs = slice(some.start * vectors, some.stop * vectors)
            best = _best(value, choice, runs).reshape(some.stop - some.start, vectors, width)
            for way, chances in enumerate(family.p):
                found[way, members[some]] = (
                    calm[some] if chances is None else np.tensordot(best, chances, axes=(1, 0))
                )
    return found


def _best(value: Array, choice: _Choices, runs: slice) -> Array:
    """Return what the best choice of each run of choices is worth."""
    starts, lengths = choice.starts[runs], choice.lengths[runs]
    found = np.empty((len(lengths), value.shape[1]))
    each = max(1, _MOST_AT_ONCE // (value.shape[1] * int(lengths.max(initial=1))))
    for first in range(0, len(found), each):
        some = starts[first : first + each]
        end = int(some[-1] + lengths[first + len(some) - 1])
        rows = value[choice.places[some[0] : end]]
        found[first : first + len(some)] = np.maximum.reduceat(rows, some - some[0], axis=0)
    return found


def _met(kept: Array, rows: list[Ints], columns: list[Ints], on_enemy: Transitions | None) -> Array:
    """Return the values before the side's own fire, shape (own states, enemy states)."""
    found = np.zeros((kept.shape[1], sum(map(len, columns))))
    way = np.empty(found.shape[1], dtype=np.int64)
    for number, some in enumerate(columns):
        way[some] = number
    if on_enemy is None:
        for number, some in enumerate(columns):
            found[:, some] = kept[number][:, some]
        return found
    for blow in on_enemy.blows:
        for number in range(len(columns)):
            here = (way[blow.members] == number).nonzero()[0]
            if not len(here):
                continue
            after = kept[number][:, blow.places]
            for fire, some in enumerate(rows):
                worth = after[some] @ blow.matrices[fire].T
                found[some[:, None], blow.members[here]] = worth[:, blow.rest[here], blow.part[here]]
    return found
