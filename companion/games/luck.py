"""Luck that games with dice share: hits and losses with their place among all that might have been."""

from __future__ import annotations

from companion.core.state import GameState
from companion.odds import luck
from companion.odds.distributions import Array
from companion.pages.film.luck import Scope, luck_row
from companion.pages.film.telling import LuckRow

__all__ = ["Hits", "hits_row", "losses_row"]


class Hits:
    """Hits of some dice: how many there were, and what might have been."""

    def __init__(self) -> None:
        """Begin with no dice."""
        self.spreads: list[Array] = []
        self.dice = self.hits = 0

    def add(self, shares: Array, dice: int, hits: int) -> None:
        """Count dice that were thrown together; `shares`: entry n is the chance of exactly n hits."""
        self.spreads.append(shares)
        self.dice += dice
        self.hits += hits


def hits_row(state: GameState, scope: Scope, hits: Hits) -> LuckRow:
    """Return hits with their place among all that the same dice might have shown."""
    shares = luck.total(hits.spreads)
    rank = luck.luckier_than(shares, hits.hits, more_is_lucky=True)
    return luck_row(state, "hits", scope, shares.tolist(), hits.hits, luckier_than=rank, dice=hits.dice)


def losses_row(
    state: GameState, scope: Scope, shares: Array, actual: int, *, is_exact: bool = True
) -> LuckRow:
    """Return losses with their place among all that might have come of the same battles."""
    rank = luck.luckier_than(shares, actual, more_is_lucky=False)
    return luck_row(state, "losses", scope, shares.tolist(), actual, luckier_than=rank, is_exact=is_exact)
