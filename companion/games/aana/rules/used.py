"""Tables of what pieces have used of their move: place to piece to the spaces of each of its kind.

Source: rulebook, Phase 3 and Phase 5 (a unit moves once in a turn, as far as it may).
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.ids import SiteId
from companion.games.aana.rules.pieces import Piece

__all__ = ["common_used", "with_used", "without_used"]


def common_used(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Return what both hold, each value as often as both hold it."""
    left, found = list(one), []
    for value in other:
        if value in left:
            left.remove(value)
            found.append(value)
    return tuple(found)


def with_used(
    table: Mapping[SiteId, Mapping[Piece, tuple[int, ...]]],
    place: SiteId,
    piece: Piece,
    more: tuple[int, ...],
) -> dict[SiteId, dict[Piece, tuple[int, ...]]]:
    """Return the table with more pieces of a kind in a place."""
    found = {key: dict(row) for key, row in table.items()}
    row = found.setdefault(place, {})
    row[piece] = tuple(sorted((*row.get(piece, ()), *more), reverse=True))
    return found


def without_used(
    table: Mapping[SiteId, Mapping[Piece, tuple[int, ...]]],
    place: SiteId,
    piece: Piece,
    gone: tuple[int, ...],
) -> dict[SiteId, dict[Piece, tuple[int, ...]]]:
    """Return the table without some pieces of a kind in a place."""
    found = {key: dict(row) for key, row in table.items()}
    left = list(found.get(place, {}).get(piece, ()))
    for value in gone:
        if value in left:
            left.remove(value)
    if left:
        found[place][piece] = tuple(left)
    elif place in found:
        found[place].pop(piece, None)
    return found
