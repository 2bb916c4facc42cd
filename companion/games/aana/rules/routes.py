"""Which spaces touch, and how far it is, where the set-up knows it.

The board's picture is not in the rules text. Borders come only with the set of unofficial values; without them the
table counts spaces itself, and every function here says that it does not know.
Source: rulebook, Spaces on the Game Board; Air Units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.games.aana.rules.tables import RoutesTable

__all__ = ["Routes", "routes"]


class Routes:
    """Borders and distances. Immutable."""

    def __init__(self, table: RoutesTable) -> None:
        """Index the borders in both directions."""
        found: dict[SiteId, set[SiteId]] = {}
        for space, others in table.borders.items():
            for other in others:
                found.setdefault(space, set()).add(other)
                found.setdefault(other, set()).add(space)
        self._neighbours = {space: tuple(sorted(others)) for space, others in found.items()}
        self.sahara = frozenset(table.sahara)

    def knows(self, space: SiteId) -> bool:
        """Say whether the borders of a space are known."""
        return space in self._neighbours

    def neighbours(self, space: SiteId) -> tuple[SiteId, ...]:
        """Return the spaces that touch one; empty when its borders are not known."""
        return self._neighbours.get(space, ())

    def distances(
        self, origin: SiteId, may_pass: Callable[[SiteId], bool], may_cross: Callable[[SiteId, SiteId], bool]
    ) -> Mapping[SiteId, int]:
        """Return how many spaces a piece enters on its way to every space that it can reach.

        Args:
            may_pass: Whether a space may be moved through.
            may_cross: Whether a piece may go from a space straight into one that touches it.
        """
        found = {origin: 0}
        front = [origin]
        while front:
            following: list[SiteId] = []
            for space in front:
                if space != origin and not may_pass(space):
                    continue
                for other in self.neighbours(space):
                    if other not in found and may_cross(space, other):
                        found[other] = found[space] + 1
                        following.append(other)
            front = following
        return found


def routes(state: GameState) -> Routes | None:
    """Return the borders of a game, None where it has none."""
    table = state.frozen_setup.tables.get("routes")
    return None if table is None else _cached(msgspec.json.encode(table, order="deterministic"))


@lru_cache(maxsize=8)
def _cached(encoded: bytes) -> Routes:
    table: Any = msgspec.json.decode(encoded, type=RoutesTable)
    return Routes(table)
