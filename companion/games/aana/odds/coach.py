"""Advice for a side of a North Africa combat: the best there is for a goal, simple rules, and what more pieces would do.

Orders of loss are tried one by one; when to press under each is worked by `companion.games.aana.odds.stopping`. What a
goal comes to is asked of `companion.games.aana.odds.goals`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from companion.games.aana.odds.goals import Combat, goal_value
from companion.games.aana.odds.play import TooLargeError
from companion.games.aana.odds.stopping import Stopping
from companion.games.aana.rules.casualties import LossPolicy, loss_order
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role

__all__ = ["Advice", "Tried", "advise", "all_advice", "first_advice", "more_advice", "reinforced"]

_TOLD: Final = 6
"""Rounds after which ceasing or retreating is tried as a rule."""
_EQUAL: Final = 1e-9
_MORE: Final = 2
"""Pieces that are added to see what more of them would change."""


class Tried(msgspec.Struct, frozen=True):
    """A simple rule, and what the goal comes to by it."""

    kind: str
    """``last``: a unit is lost last; ``rounds``: cease after so many; ``retreat``: retreat from a round on;
    ``more``: so many more of a unit."""
    unit: str
    rounds: int
    """Rounds, or pieces."""
    value: float


class Advice(msgspec.Struct, frozen=True):
    """What is best for a side and a goal."""

    role: Role
    goal: str
    usual: float
    """As the battle file has it."""
    best: float | None
    """Attacker: the most that is found with the best times to cease under each order of loss tried; None: too large."""
    best_last: str
    """The unit that is lost last in it; empty: the losses of the file."""
    keeps_throughout: bool
    """The last unit that may move in was kept in all rounds or in none, though the ruling lets it hang on the round."""
    lines: tuple[Tried, ...]
    """Simple rules that are better than what the file has, the best first."""
    waits: tuple[str, ...] = ()
    """Orders of loss not tried yet, by the unit that is lost last; empty: the file's own."""

    @property
    def least(self) -> float:
        """What is certain to be reached, in the unit of `goal_value`: the best of all that was worked out."""
        return max(
            self.usual, *(line.value for line in self.lines), self.usual if self.best is None else self.best
        )


def first_advice(combat: Combat, role: Role, goal: str) -> Advice:
    """Return what a goal comes to as the battle file has it, every order of loss still waiting to be tried.

    Raises:
        TooLargeError: Not even the odds can be worked exactly.
        UnknownCostError: The goal needs a cost that nobody has entered.
    """
    usual = goal_value(combat, combat.odds(tells_ends=False), role, goal)
    hangs = role == ATTACKER and combat.attack.may_give_up(combat.arena, combat.pools)
    return Advice(role, goal, usual, None, "", hangs, (), tuple(_orders(combat, role)))


def more_advice(combat: Combat, advice: Advice, check: Callable[[], None] = lambda: None) -> Advice:
    """Return advice with one more order of loss tried, the file's own with every rule for ceasing or retreating.

    `check` is called between pieces of work; what it raises ends it. Errors as for `first_advice`.
    """
    role, goal = advice.role, advice.goal
    last, *waits = advice.waits
    one = _with_losses(combat, role, _orders(combat, role)[last])
    ways = [("last", last, 0, one)] if last else _timed(one, role)
    tried = []
    shared = one.work()
    best, best_last = advice.best, advice.best_last
    try:
        for kind, named, rounds, way in ways:
            check()
            # The file's own order of loss has been worked before, and is kept.
            odds = way.odds(shared if last else None, tells_ends=False)
            tried.append(Tried(kind, named, rounds, goal_value(way, odds, role, goal)))
        shared.leave()
        for keep in dict.fromkeys((combat.attack.keep, "never")) if role == ATTACKER else ():
            check()
            try:
                stopping = Stopping(replace(one, attack=replace(one.attack, keep=keep)), goal, shared)
            except TooLargeError:
                continue
            if best is None or stopping.value > best + _EQUAL:
                best, best_last = stopping.value, last
    finally:
        shared.end()
    better = (line for line in (*advice.lines, *tried) if line.value > advice.usual + _EQUAL)
    lines = tuple(sorted(better, key=lambda line: -line.value))
    if best is not None and not waits:
        # In the last round of a limit losses may hang on whether the territory is taken in it.
        best = max(best, advice.usual, *(line.value for line in lines))
    return Advice(role, goal, advice.usual, best, best_last, advice.keeps_throughout, lines, tuple(waits))


def all_advice(combat: Combat, advice: Advice, check: Callable[[], None] = lambda: None) -> Advice:
    """Return advice with every order of loss tried; `check` and errors as for `more_advice`."""
    while advice.waits:
        advice = more_advice(combat, advice, check)
    return advice


def advise(combat: Combat, role: Role, goal: str) -> Advice:
    """Return what is best for a side; errors as for `first_advice`."""
    return all_advice(combat, first_advice(combat, role, goal))


def _timed(combat: Combat, role: Role) -> list[tuple[str, str, int, Combat]]:
    """Return the rules for ceasing or retreating after each of some rounds, as a line names them, with their combats."""
    rounds = range(combat.from_round, combat.from_round + _TOLD)
    if role == ATTACKER and not combat.arena.rules.must_press:
        return [("rounds", "", n, replace(combat, attack=replace(combat.attack, rounds=n))) for n in rounds]
    if role == DEFENDER and combat.arena.rules.can_retreat:
        return [
            ("retreat", "", n, replace(combat, defence=replace(combat.defence, retreat_round=n)))
            for n in rounds
        ]
    return []


def reinforced(
    combat: Combat, role: Role, goal: str, check: Callable[[], None] = lambda: None
) -> tuple[Tried, ...]:
    """Return what two more pieces of each kind would change from the beginning, the best first; `check` as for `more_advice`.

    Raises:
        TooLargeError, UnknownCostError: As `advise`.
    """
    found: dict[str, Tried] = {}
    start = combat.start(role)
    for i, (row, n) in enumerate(zip(combat.arena.rows(role), start, strict=True)):
        if n and row.unit not in found:
            check()
            counts = (*start[:i], n + _MORE, *start[i + 1 :])
            more = (
                replace(combat, attackers=counts) if role == ATTACKER else replace(combat, defenders=counts)
            )
            value = goal_value(more, more.odds(tells_ends=False), role, goal)
            found[row.unit] = Tried("more", row.unit, _MORE, value)
    return tuple(sorted(found.values(), key=lambda one: -one.value))


def _orders(combat: Combat, role: Role) -> dict[str, LossPolicy]:
    """Return ways of taking losses by the unit that is lost last, each order of kinds once; first that of the file."""
    now = combat.attack.losses if role == ATTACKER else combat.defence.losses
    rows = [row for row, n in zip(combat.arena.rows(role), combat.start(role), strict=True) if n]
    units = list(dict.fromkeys(row.unit for row in sorted(rows, key=lambda row: row.cost or 0)))
    if len(units) < 2:
        return {"": now}
    ways, known = {"": now}, {loss_order(combat.arena, role, now)}
    for last in units:
        way = replace(now, order=tuple(one for one in units if one != last))
        order = loss_order(combat.arena, role, way)
        if order not in known:
            ways[last] = way
            known.add(order)
    return ways


def _with_losses(combat: Combat, role: Role, policy: LossPolicy) -> Combat:
    if role == ATTACKER:
        return replace(combat, attack=replace(combat.attack, losses=policy))
    return replace(combat, defence=replace(combat.defence, losses=policy))
