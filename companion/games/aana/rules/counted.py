"""What a table may count by hand in one space.

Source: rulebook, Component Limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Range, Say, Typed
from companion.core.text import unit as named
from companion.games.aana.rules.figures import SIDE_OF, no_piece
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.pieces import Piece, is_piece, split
from companion.games.aana.rules.pieces import piece as piece_name

__all__ = ["COUNTED", "pieces_fault", "supply_fault"]

COUNTED: Final = Range(0, 200)
"""Of one kind in one space: more than any box holds."""


def pieces_fault(state: GameState, units: Mapping[Piece, int]) -> Rejected | None:
    """Say what is wrong with pieces that a table counts by hand: unknown ones, or as many as no box holds.

    Source: rulebook, Component Limits.
    """
    book = figures(state)
    for piece, n in units.items():
        if not is_piece(piece):
            return Rejected(Code.BAD_VALUE, Say("{piece} is not a piece.", piece=Typed(piece)))
        power, unit, damaged = split(piece)
        if power not in SIDE_OF or not book.has(power, unit):
            return Rejected("unknown_piece", no_piece(power, unit))
        if damaged and "two_hits" not in book.row(power, unit).traits:
            return Rejected(Code.BAD_VALUE, Say("{unit} cannot be damaged.", unit=named(unit)))
        if not 0 <= n <= COUNTED.last:
            return Rejected(
                Code.BAD_VALUE,
                Say("{piece}: enter {numbers}, not {n}.", piece=piece_name(piece), numbers=COUNTED, n=n),
            )
    return None


def supply_fault(n: int) -> Rejected:
    """Refuse a count of supply tokens below none or beyond any box.

    Source: rulebook, Component Limits.
    """
    return Rejected(Code.BAD_VALUE, Say("Enter {numbers} supply, not {n}.", numbers=COUNTED, n=n))
