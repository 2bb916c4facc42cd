"""The smallest force that reaches a wanted chance in a North Africa combat, within what is at hand."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from companion.games.aana.odds.goals import Combat, goal_value
from companion.games.aana.rules.combat import ATTACKER, Role
from companion.games.aana.rules.fight import kind_key
from companion.odds.smallest import cheapest_part

__all__ = ["Force", "smallest_force"]


class Force(msgspec.Struct, frozen=True):
    """The smallest force found for a wanted chance."""

    units: dict[str, int]
    """Pieces by kind."""
    cost: int | None
    """Reinforcement points; None: a piece of unknown cost counted 1 in the search."""
    value: float
    is_smallest: bool
    """No smaller one would do; else not all of them could be tried."""


def smallest_force(
    combat: Combat, role: Role, goal: str, wanted: float, *, check: Callable[[], None] = lambda: None
) -> Force | None:
    """Return the cheapest part of a side's pieces that reaches a chance, 0 to 1, on its plan; None where none does.

    Of the same cost, that with fewer pieces first. Supply is as in the combat, its declaration paid. `check` is
    called before each try; what it raises ends the search.

    Raises:
        TooLargeError: A force is too large to be worked exactly.
    """
    rows = combat.arena.rows(role)

    def tried(counts: tuple[int, ...]) -> float:
        one = replace(combat, attackers=counts) if role == ATTACKER else replace(combat, defenders=counts)
        return goal_value(one, one.odds(tells_ends=False), role, goal)

    prices = [1 if row.cost is None else row.cost for row in rows]
    found = cheapest_part(combat.start(role), prices, tried, wanted, check=check)
    if found is None:
        return None
    units = {kind_key(kind): n for kind, n in zip(combat.arena.kinds(role), found.counts, strict=True) if n}
    is_known = all(row.cost is not None for n, row in zip(found.counts, rows, strict=True) if n)
    return Force(units, found.cost if is_known else None, found.value, found.is_proved)
