"""Which hits the hits of battle step 7A may be combined into.

Source: rulebook v0.96, Combined Fire.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from companion.games.sfw.rules.battle_losses import Hit, merge_hits
from companion.games.sfw.rules.battle_rolls import Aim

__all__ = ["combinations", "each_combination"]


def combinations(hits: tuple[Hit, ...], levels: int) -> tuple[tuple[Hit, ...], ...]:
    """Return every way to combine the hits of battle step 7A, as `each_combination` finds them."""
    return tuple(each_combination(hits, levels))


def each_combination(hits: tuple[Hit, ...], levels: int) -> Iterator[tuple[Hit, ...]]:
    """Yield every way to combine the hits of battle step 7A, the hits as they are first.

    Two hits of a level make one of the next, in any order and as often as wanted; a hit made of two may be
    aimed only where both could. Precise hits stay as they are. Hits are merged in each answer.
    """
    start = merge_hits(hits)
    found, pending = {start}, [start]
    yield start
    while pending:
        current = pending.pop()
        for n, first in enumerate(current):
            for second in current[n:]:
                if first.precise or second.precise or first.level != second.level or first.level >= levels:
                    continue
                if first is second and first.count < 2:
                    continue
                aim = _both(first.aim, second.aim)
                if aim is None:
                    continue
                used = [msgspec.structs.replace(hit, count=hit.count - 1) for hit in (first, second)]
                if first is second:
                    used = [msgspec.structs.replace(first, count=first.count - 2)]
                others = [hit for hit in current if hit is not first and hit is not second]
                made = merge_hits((*others, *used, Hit(first.level + 1, aim)))
                if made not in found:
                    found.add(made)
                    pending.append(made)
                    yield made


def _both(first: Aim, second: Aim) -> Aim | None:
    if first == second:
        return first
    types = tuple(kind for kind in first.types if kind in second.types)
    if not types or first.place != second.place or first.role != second.role:
        return None
    if first.landed_from != second.landed_from:
        return None
    sonar, air = first.sonar and second.sonar, first.air or second.air
    return Aim(types, sonar, first.place, air, first.role, first.landed_from)
