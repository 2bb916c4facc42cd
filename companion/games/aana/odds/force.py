"""The smallest force that reaches a wanted chance in a North Africa combat, within what is at hand."""

from __future__ import annotations

from heapq import nsmallest
from itertools import product
from typing import Final

import msgspec
from msgspec.structs import replace

from companion.games.aana.odds.coach import Combat, goal_value
from companion.games.aana.rules.combat import ATTACKER, Role
from companion.games.aana.rules.fight import kind_key

__all__ = ["Force", "smallest_force"]

_MOST_TRIES: Final = 300
"""Forces that are tried: a few seconds."""


class Force(msgspec.Struct, frozen=True):
    """The smallest force found for a wanted chance."""

    units: dict[str, int]
    """Pieces by kind."""
    cost: int | None
    """Reinforcement points; None: a piece of unknown cost counted 1 in the search."""
    value: float
    is_smallest: bool
    """No smaller one would do; else not all of them could be tried."""


def smallest_force(combat: Combat, role: Role, goal: str, wanted: float) -> Force | None:
    """Return the cheapest part of a side's pieces that reaches a chance on its plan; None where none does.

    Of the same cost, that with fewer pieces first. Supply is as in the combat, its declaration paid.

    Raises:
        TooLargeError: A force is too large to be worked exactly.
    """
    start, rows = combat.start(role), combat.arena.rows(role)
    prices = [1 if row.cost is None else row.cost for row in rows]

    def tried(counts: tuple[int, ...]) -> float:
        one = replace(combat, attackers=counts) if role == ATTACKER else replace(combat, defenders=counts)
        return goal_value(one, one.odds(), role, goal)

    def cost(counts: tuple[int, ...]) -> int:
        return sum(n * price for n, price in zip(counts, prices, strict=True))

    def force(counts: tuple[int, ...], value: float, *, is_smallest: bool) -> Force:
        units = {kind_key(kind): n for kind, n in zip(combat.arena.kinds(role), counts, strict=True) if n}
        known = all(row.cost is not None for n, row in zip(counts, rows, strict=True) if n)
        return Force(units, cost(counts) if known else None, value, is_smallest)

    whole = tried(start)
    if whole < wanted:
        return None
    every = product(*(range(n + 1) for n in start))
    cheap = nsmallest(_MOST_TRIES + 1, every, key=lambda counts: (cost(counts), sum(counts), counts))
    for counts in cheap[:_MOST_TRIES]:
        if any(counts) and (value := tried(counts)) >= wanted:
            return force(counts, value, is_smallest=True)
    return None if len(cheap) <= _MOST_TRIES else force(start, whole, is_smallest=False)
