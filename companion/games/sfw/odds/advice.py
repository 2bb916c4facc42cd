"""What the coach says of a Song for War battle: the usual losses, the best ones, simple rules in between, and more units."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from companion.games.sfw.odds.coach import BestPlay, Goal, goal_value
from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.odds.states import TooLargeError
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight, Group, other_side
from companion.games.sfw.rules.battle_losses import CHEAPEST, KEEP_CONTROL, Hit, Policy
from companion.games.sfw.rules.battle_setup import bombing_dice, set_up
from companion.odds.smallest import cheapest_part

__all__ = [
    "Advice",
    "Force",
    "Line",
    "Reinforced",
    "advise",
    "losses_now",
    "reinforced",
    "smallest_force",
    "unhurt_value",
]

_MORE = 2
"""Units that are added to see what more of them would change."""


class Line(msgspec.Struct, frozen=True):
    """A simple rule for losses, and what the goal comes to by it."""

    policy: Policy
    last: str
    """The unit that is lost last; empty: ``keep_control``."""
    value: float


class LossesNow(msgspec.Struct, frozen=True):
    """The best losses for hits that have fallen, and what the goal comes to after them."""

    losses: Counts
    """By kind."""
    value: float


class Reinforced(msgspec.Struct, frozen=True):
    """What the goal would come to with more units of one kind, or with other dice of theirs spent on bombing."""

    unit: str
    count: int
    """Units that are added."""
    value: float
    bombing: int | None = None
    """Dice of each of the unit spent on bombing; None: it is about units that are added."""


class Advice(msgspec.Struct, frozen=True):
    """What is best for a side and a goal."""

    side: str
    goal: Goal
    usual: float
    """With the cheapest losses."""
    best: float | None
    """With the best losses at every step; None where there are too many choices to know it."""
    lines: tuple[Line, ...]
    """Simple rules that are better than the usual losses, the best first."""
    most: float | None = None
    """What the best losses cannot exceed, where they are not known; None: that is not known either."""
    stays: float | None = None
    """With the best losses if nobody retreats; None where nobody may, or the side does not decide it."""

    @property
    def least(self) -> float:
        """What is certain to be reached, in the unit of `goal_value`: the best of all that was worked out."""
        known = (
            self.usual,
            *(line.value for line in self.lines),
            *([] if self.best is None else [self.best]),
        )
        return max(known)


def advise(
    fight: Fight,
    side: str,
    goal: Goal,
    *,
    enemy: Policy = CHEAPEST,
    position: int = 0,
    strength: Mapping[str, Counts] | None = None,
    retreats: bool = True,
    check: Callable[[], None] = lambda: None,
    is_first: bool = False,
) -> Advice:
    """Return what is best for a side, by exact odds; arguments as for `BestPlay`.

    `check` is called between pieces of work; what it raises ends it. `is_first`: with the cheapest losses alone.

    Raises:
        TooLargeError: Not even the usual losses can be worked exactly.
    """
    foe, now = other_side(side), strength or {}

    def value(policy: Policy) -> float:
        odds = exact_odds(
            fight,
            {side: policy, foe: enemy},
            position=position,
            attacking=now.get(ATTACKING),
            defending=now.get(DEFENDING),
            retreats=retreats and side == ATTACKING,
            tells_ends=False,
        )
        return goal_value(odds, fight, side, goal)

    def best(retreats: bool) -> float | None:
        try:
            return BestPlay(
                fight, side, goal, enemy=enemy, position=position, strength=strength, retreats=retreats
            ).value
        except TooLargeError:
            return None

    usual = value(CHEAPEST)
    if is_first:
        return Advice(side, goal, usual, None, ())
    found, lines = best(retreats), []
    most = (
        None
        if found is not None
        else unhurt_value(fight, side, goal, enemy=enemy, position=position, strength=now)
    )
    for policy, last in _rules(fight, side, now.get(side)):
        check()
        lines.append(Line(policy, last, value(policy)))
    if most is not None:
        # The bound may be reached, and sums of floats are not equal to the last digit.
        most = max(most, usual, *[line.value for line in lines])
    better = sorted((line for line in lines if line.value > usual + _EQUAL), key=lambda line: -line.value)
    decides = side == DEFENDING and retreats and bool(fight.battle.retreat)
    return Advice(side, goal, usual, found, tuple(better), most, best(False) if decides else None)


def unhurt_value(
    fight: Fight, side: str, goal: Goal, *, enemy: Policy, position: int, strength: Mapping[str, Counts]
) -> float | None:
    """Return the chance, 0 to 1, of a goal if the enemy never rolls a die: no choice of losses comes to more.

    None for a goal by cost, and where it says nothing: whoever is never hit holds the space.
    """
    if goal not in ("space", "clear") or (goal == "space" and side == DEFENDING):
        return None
    foe = other_side(side)
    kinds = tuple(replace(kind, unit=replace(kind.unit, fire=(), anti_air=0)) for kind in fight.kinds(foe))
    battle = replace(fight.battle, airfield="" if fight.battle.airfield == foe else fight.battle.airfield)
    if side == ATTACKING:  # what is built up there is the defenders'
        battle = replace(battle, mines=0, lines=0, sea_walls=0, line_dice=(), wall_facing=())
    calm = replace(fight, battle=battle, **{foe: kinds})
    odds = exact_odds(
        calm,
        {side: CHEAPEST, foe: enemy},
        position=position,
        attacking=strength.get(ATTACKING),
        defending=strength.get(DEFENDING),
        retreats=side == ATTACKING,
        tells_ends=False,
    )
    return goal_value(odds, calm, side, goal)


def losses_now(
    fight: Fight,
    side: str,
    goal: Goal,
    hits: tuple[Hit, ...],
    enemy_hits: tuple[Hit, ...],
    *,
    enemy_taken: Counts | None = None,
    position: int,
    strength: Mapping[str, Counts],
    enemy: Policy = CHEAPEST,
    retreats: bool = True,
) -> LossesNow:
    """Return the best losses of a side for hits of the step at hand, combined ones aside; the enemy pays by its policy.

    Args:
        hits: Merged hits on the side.
        enemy_hits: Merged hits on the enemy.
        enemy_taken: What it has already lost to them, by kind; None where it pays by its policy.
        position: Index of the step.
        strength: Both sides' counts before the losses.

    Raises:
        TooLargeError: There are too many strengths or choices.
    """
    play = BestPlay(fight, side, goal, enemy=enemy, position=position, strength=strength, retreats=retreats)
    foe = other_side(side)
    if enemy_taken is None:
        enemy_after = play.tables[foe].after(strength[foe], enemy_hits)
    else:
        enemy_after = tuple(n - lost for n, lost in zip(strength[foe], enemy_taken, strict=True))
    left, value = play.losses(position, strength[side], hits, enemy_after)
    return LossesNow(tuple(n - m for n, m in zip(strength[side], left, strict=True)), value)


_EQUAL = 1e-9


def _rules(fight: Fight, side: str, now: Counts | None) -> list[tuple[Policy, str]]:
    """Return the simple rules that there are for losses: each kind of unit last of all, and one that can hold the space."""
    counts = now or fight.start(side)
    there = [kind for kind, count in zip(fight.kinds(side), counts, strict=True) if count and kind.is_active]
    units = list(dict.fromkeys(kind.unit.id for kind in sorted(there, key=lambda kind: kind.cost)))
    if len(units) < 2:
        return []
    found = [(Policy("order", tuple(one for one in units if one != last)), last) for last in units]
    return [*found, (KEEP_CONTROL, "")] if any(kind.holds for kind in there) else found


def reinforced(
    fight: Fight,
    side: str,
    goal: Goal,
    *,
    enemy: Policy = CHEAPEST,
    check: Callable[[], None] = lambda: None,
) -> tuple[Reinforced, ...]:
    """Return what other dice on bombing and two more units of each kind would change, the best of these first.

    From the beginning, with the cheapest losses.
    """
    found: dict[str, Reinforced] = {}
    groups = _groups(fight, side)
    for n, group in enumerate(groups):
        check()
        if group.unit in found or group.cargo:
            continue
        made = _made(fight, side, (*groups[:n], replace(group, count=group.count + _MORE), *groups[n + 1 :]))
        if made is not None:
            try:
                value = _usual(made, side, goal, enemy)
            except TooLargeError:
                continue
            found[group.unit] = Reinforced(group.unit, _MORE, value)
    bombers = (
        [] if side != ATTACKING else [one for one in groups if bombing_dice(fight.table.units[one.unit])]
    )
    bombed = (_bombed(fight, group, goal, enemy, check) for group in bombers)
    return (*(one for some in bombed for one in some), *sorted(found.values(), key=lambda one: -one.value))


def _bombed(
    fight: Fight, group: Group, goal: Goal, enemy: Policy, check: Callable[[], None]
) -> list[Reinforced]:
    """Return what each number of dice that may be spent on bombing leaves of the goal."""
    found, groups = [], fight.battle.attacking
    for dice in range(bombing_dice(fight.table.units[group.unit]) + 1):
        check()
        made = _made(
            fight, ATTACKING, tuple(replace(one, bombing=dice) if one is group else one for one in groups)
        )
        if made is not None:
            try:
                found.append(Reinforced(group.unit, 0, _usual(made, ATTACKING, goal, enemy), dice))
            except TooLargeError:
                continue
    return found


def _usual(fight: Fight, side: str, goal: Goal, enemy: Policy) -> float:
    odds = exact_odds(
        fight, {side: CHEAPEST, other_side(side): enemy}, retreats=side == ATTACKING, tells_ends=False
    )
    return goal_value(odds, fight, side, goal)


def _groups(fight: Fight, side: str) -> tuple[Group, ...]:
    return fight.battle.attacking if side == ATTACKING else fight.battle.defending


def _made(fight: Fight, side: str, groups: tuple[Group, ...]) -> Fight | None:
    battle = (
        replace(fight.battle, attacking=groups)
        if side == ATTACKING
        else replace(fight.battle, defending=groups)
    )
    made = set_up(battle, fight.edition, fight.table)
    return made if isinstance(made, Fight) else None


class Force(msgspec.Struct, frozen=True):
    """The smallest force found for a wanted chance."""

    units: tuple[Group, ...]
    cost: int
    value: float
    is_smallest: bool
    """No smaller one would do; else not all of them could be tried."""


def smallest_force(
    fight: Fight,
    side: str,
    goal: Goal,
    wanted: float,
    *,
    enemy: Policy = CHEAPEST,
    check: Callable[[], None] = lambda: None,
) -> Force | None:
    """Return the cheapest part of a side's units that reaches a chance, with the cheapest losses; None where none does.

    Units that are given with cargo take it along. Forces of the same cost: that with fewer units first.

    Args:
        goal: ``space`` or ``clear``.
        wanted: The chance, 0 to 1.

    Raises:
        TooLargeError: A force is too large to be worked exactly.
    """
    groups = _groups(fight, side)
    costs = [next(kind.cost for kind in fight.kinds(side) if kind.group == group) for group in groups]

    def some(counts: Counts) -> tuple[Group, ...]:
        return tuple(replace(group, count=n) for group, n in zip(groups, counts, strict=True) if n)

    def tried(counts: Counts) -> float | None:
        made = _made(fight, side, some(counts))
        return None if made is None else _usual(made, side, goal, enemy)

    found = cheapest_part([group.count for group in groups], costs, tried, wanted, check=check)
    if found is None:
        return None
    return Force(some(found.counts), found.cost, found.value, found.is_proved)
