"""The fire of one side on one battle step: what it does to the other side, as matrices over the strengths.

Who rolls and at what is asked of `companion.games.sfw`; what the hits kill is worked in `companion.games.sfw.odds.losses`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from companion.games.sfw.odds.losses import HitClass, Losses
from companion.games.sfw.odds.states import Ints, SideStates, TooLargeError, distinct_rows, groups, ranked
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight, other_side
from companion.games.sfw.rules.battle_fire import rolls
from companion.games.sfw.rules.battle_losses import LossTable
from companion.games.sfw.rules.battle_play import step_rolls
from companion.games.sfw.rules.battle_rolls import Volley
from companion.odds.arrays import NDArray, np
from companion.odds.distributions import Array, Part, combine

__all__ = ["Blow", "Family", "Transitions", "aimed", "is_possible", "transitions"]

_MAX_MATRICES = 6_000_000
"""Most entries of the transition matrices of one side on one step: 48 MB."""

_NEGLIGIBLE = 1e-15
"""Chance that may be left out of one step's hits; the whole answer stays within 1e-12."""

_ENDLESS = 64
"""Hits that combined fire may put to use; only an extra shot can bring more, and hardly ever does."""


class Blow(msgspec.Struct):
    """What fire does to states that it may aim at alike.

    A state is what can be lost and the rest, which the fire leaves alone; only the former goes through a matrix.
    """

    members: Ints
    """Rows of the states."""
    rest: Ints
    """Which rest each of them has."""
    part: Ints
    """Which part that can be lost."""
    matrices: Array
    """Chances, shape (profiles of fire, parts before, parts after)."""
    places: Ints
    """Where each rest with each part after stands among all states after, an array (rests, parts after)."""


class Transitions(msgspec.Struct):
    """What fire does to a side: its numbers after, and how its states come there."""

    codes: Ints
    blows: tuple[Blow, ...]


def is_possible(fight: Fight, step: str, states: Mapping[str, SideStates]) -> bool:
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
    return (step == "1" and bool(battle.airfield)) or any(
        any(states[side].contributing(step)) for side in (ATTACKING, DEFENDING)
    )


class Family(msgspec.Struct):
    """All vectors of hits that one side may throw at enemies of one signature."""

    members: Ints
    """States of the other side with this signature."""
    classes: tuple[HitClass, ...]
    numbers: Ints
    """The vectors, an array (vectors, classes)."""
    p: list[Array | None]
    """Chance of each vector, by profile; None where a profile has no roll."""


def transitions(
    fight: Fight, step: str, side: str, states: Mapping[str, SideStates], table: LossTable
) -> tuple[list[Ints], Transitions | None]:
    """Return a side's states grouped by what they roll on a step, and what that does to the other side.

    Args:
        fight: The fight.
        step: One of its steps.
        side: The side that fires.
        states: Both sides' states before the step.
        table: Casualties of the other side.

    Returns:
        The rows of each profile of fire, and the transitions; None when nobody rolls.

    Raises:
        TooLargeError: The step has too many results to be worked.
    """
    fire = _Fire(fight, step, side, states)
    return fire.rows, fire.transitions(table)


def aimed(
    fight: Fight, step: str, side: str, states: Mapping[str, SideStates]
) -> tuple[list[Ints], list[Family]]:
    """Return a side's states grouped by what they roll on a step, and the hits that may fall on the other side."""
    fire = _Fire(fight, step, side, states)
    return fire.rows, fire.families()


class _Fire:
    """One side's fire on one step at every state of the other side."""

    def __init__(self, fight: Fight, step: str, side: str, states: Mapping[str, SideStates]) -> None:
        self.fight = fight
        self.step = step
        self.side = side
        self.enemy = states[other_side(side)]
        # These steps ask who is there at all, not only who rolls.
        self.is_gated = step in ("7A", "7B", "7C", "retreat")
        own = states[side]
        self._fires = own.contributing(step)
        columns = np.array(self._fires, dtype=bool)
        self.shooters = [kind for kind, fires in zip(own.kinds, self._fires, strict=True) if fires]
        """Kinds that may fire; nobody where tokens do."""
        others = np.minimum(own.counts, 1) if self.is_gated else 0
        profiles, inverse = distinct_rows(np.where(columns, own.counts, others))
        self.own: list[Counts] = [tuple(row) for row in profiles.tolist()]
        self.rows = groups(inverse, len(profiles))
        """The side's states by what they roll."""

    def transitions(self, table: LossTable) -> Transitions | None:
        """Return what the fire does to the other side; None when nobody rolls."""
        families = self.families()
        if all(p is None for family in families for p in family.p):
            return None
        losses = Losses(self.enemy, table, self.step)
        codes = self.enemy.codes
        found: list[tuple[Blow, Ints]] = []
        for family in families:
            members = family.members
            if all(p is None for p in family.p):
                # Nothing can be lost: each state is a rest of its own.
                still = np.zeros(len(members), dtype=np.int64)
                matrices = np.ones((len(self.own), 1, 1))
                rests = np.arange(len(members))
                found.append((Blow(members, rests, still, matrices, rests), codes[members][:, None]))
                continue
            parts, part, falls = losses.falls(members, family.classes, family.numbers)
            kept, rest = ranked(codes[members] - parts[part])
            after, matrices = self._matrices(family, parts, falls)
            found.append((Blow(members, rest, part, matrices, rest), kept[:, None] + after))
        every, places = ranked(np.concatenate([numbers.ravel() for _, numbers in found]))
        at = 0
        for blow, numbers in found:
            blow.places = places[at : at + numbers.size].reshape(numbers.shape)
            at += numbers.size
        return Transitions(every, tuple(blow for blow, _ in found))

    def _matrices(self, family: Family, parts: Ints, falls: Ints) -> tuple[Ints, Array]:
        """Return the parts after, and the chances to come to them, shape (profiles, parts before, parts after)."""
        after = (parts[:, None] - falls).ravel()
        same = len(after)
        if any(p is None for p in family.p):
            after = np.concatenate([after, parts])
        every, place = ranked(after)
        width = len(every)
        if width * len(parts) * len(self.own) > _MAX_MATRICES:
            raise TooLargeError(
                f"step {self.step}: {width * len(parts) * len(self.own)} transitions to be kept"
            )
        cells = np.arange(0, width * len(parts), width)[:, None] + place[:same].reshape(falls.shape)
        cells = cells.ravel()
        weights = np.empty(falls.shape)
        matrices = np.zeros((len(self.own), len(parts), width))
        for matrix, chances in zip(matrices, family.p, strict=True):
            if chances is None:
                matrix[np.arange(len(parts)), place[same:]] = 1.0
            else:
                weights[:] = chances
                matrix[:] = np.bincount(cells, weights.ravel(), matrix.size).reshape(matrix.shape)
        return every, matrices

    def families(self) -> list[Family]:
        """Return the hits that may be thrown, apart for states of the enemy that are aimed at differently."""
        signatures, numbers = self._signatures()
        members = groups(numbers, len(signatures))
        return [self._family(there, rows) for there, rows in zip(signatures, members, strict=True)]

    def _signatures(self) -> tuple[list[Counts], Ints]:
        """Return who is there on the other side as far as aims tell units apart, and each state's number."""
        types = self._types()
        has_sonar = any(shooter.unit.has("sonar") for shooter in self.shooters)
        classes: dict[tuple[object, ...], list[int]] = {}
        for kind in self.enemy.kinds:
            is_hidden = kind.unit.has("submerged")
            if types is not None and (kind.unit.type not in types or (is_hidden and not has_sonar)):
                continue
            alike = (kind.place, kind.role, kind.unit.type, is_hidden)
            key: tuple[object, ...] = (kind.index,) if self.is_gated else alike
            classes.setdefault(key, []).append(kind.index)
        there = np.zeros(self.enemy.counts.shape, dtype=np.int64)
        seen = sorted(index for members in classes.values() for index in members)
        there[:, seen] = self.enemy.counts[:, seen] > 0
        for members in classes.values():
            if len(members) > 1:
                there[:, members] = np.maximum.reduce(there[:, members], axis=1)[:, None]
        rows, inverse = distinct_rows(there)
        return [tuple(row) for row in rows.tolist()], inverse

    def _types(self) -> set[str] | None:
        """Return the types of unit of which it can make a difference to this fire that one is there; None: all."""
        if self.is_gated or not self.shooters:
            return None
        types = {"air"} if self.step in ("1", "push") else set()
        types.update(
            target
            for shooter in self.shooters
            for line in shooter.unit.fire
            for target in line.targets or shooter.unit.targets_at_least
        )
        return types

    def _family(self, there: Counts, members: Ints) -> Family:
        told = [[(*one, self._classes(one[0])) for one in row] for row in self._thrown(there)]
        classes = tuple(sorted({cls for row in told for _, _, both in row for cls in both}, key=_rank))
        axis = {cls: n for n, cls in enumerate(classes)}
        thrown = [
            [(v, dice, axis[plain], axis[special]) for v, dice, (plain, special) in row] for row in told
        ]
        most = [self._most(members, cls) for cls in classes]
        limits = [0] * len(classes)
        for row in thrown:
            sums = [0] * len(classes)
            for volley, dice, *both in row:
                for n in set(both):
                    sums[n] += most[n] if volley.extra_shot else dice
            limits = list(map(max, limits, sums))
        shape = tuple([1 + n for n in map(min, limits, most)])
        spreads: list[Array | None] = []
        for row in thrown:
            parts = tuple(
                [
                    Part(dice, volley.number, plain, special, volley.extra_shot, volley.is_chained)
                    for volley, dice, plain, special in row
                ]
            )
            spreads.append(combine(parts, 12, shape).ravel() if parts else None)
        rolled = [p for p in spreads if p is not None]
        if not rolled:
            return Family(members, classes, np.zeros((0, len(classes)), dtype=np.int64), spreads)
        numbers = _vectors(shape)
        highest = rolled[0] if len(rolled) == 1 else np.maximum.reduce(rolled)
        if highest.item(highest.argmin()) <= _NEGLIGIBLE:
            likely = _likely(highest)
            numbers, spreads = numbers[likely], [None if p is None else p[likely] for p in spreads]
        return Family(members, classes, numbers, spreads)

    def _thrown(self, there: Counts) -> list[list[tuple[Volley, int]]]:
        """Return every profile's volleys against who is there, with the number of dice."""
        if self.is_gated:
            return [[(v, v.dice) for v in self._volleys(own, there)] for own in self.own]
        found = self._volleys(tuple(map(int, self._fires)), there)
        return [
            [(v, v.dice * (own[v.kind] if v.kind >= 0 else 1)) for v in found if v.kind < 0 or own[v.kind]]
            for own in self.own
        ]

    def _volleys(self, own: Counts, there: Counts) -> tuple[Volley, ...]:
        if not self.is_gated:
            return rolls(self.fight, self.step, self.side, own, there).volleys
        attacking, defending = (own, there) if self.side == ATTACKING else (there, own)
        both = step_rolls(self.fight, self.step, attacking, defending)
        return both[0 if self.side == ATTACKING else 1].volleys

    def _classes(self, volley: Volley) -> tuple[HitClass, HitClass]:
        """Return the classes of a volley's ordinary hits and of its twelves."""
        plain = (volley.level, volley.aim, False)
        if not (volley.level_up or volley.precise):
            return plain, plain
        level = min(len(self.fight.edition.capacity), volley.level + 1) if volley.level_up else volley.level
        return plain, (level, volley.aim, volley.precise)

    def _most(self, members: Ints, cls: HitClass) -> int:
        """Return how many units hits of a class could remove at most: more hits change nothing."""
        if self.step == "7A":
            return _ENDLESS
        level, aim, _ = cls
        kinds, exposed = self.enemy.kinds, self.enemy.exposed(aim)
        indexes = [k.index for k, may in zip(kinds, exposed, strict=True) if may and k.unit.armour <= level]
        if not indexes:
            return 0
        totals = np.add.reduce(self.enemy.counts[members][:, indexes], axis=1)
        return int(totals[totals.argmax()])


@lru_cache(maxsize=256)
def _vectors(shape: tuple[int, ...]) -> Ints:
    """Return all vectors of hits of a shape, an array (vectors, classes)."""
    found = np.indices(shape, dtype=np.int64).reshape(len(shape), -1).T
    found.setflags(write=False)
    return found


def _likely(chances: Array) -> NDArray[np.bool_]:
    """Return which results to keep: the least likely ones that together come to next to nothing are left out."""
    order = np.argsort(chances)
    kept = np.ones(len(chances), dtype=bool)
    kept[order[np.cumsum(chances[order]) <= _NEGLIGIBLE]] = False
    return kept


def _rank(cls: HitClass) -> tuple[object, ...]:
    level, aim, precise = cls
    return (level, precise, aim.place, aim.types, aim.sonar, aim.air, aim.role)
