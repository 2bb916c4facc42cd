"""Keys of pieces, such as ``uk.battleship.damaged``: how they are read, and how sentences name and count them.

Knows no state and no figures.

Source: rulebook, Component Limits.
"""

from __future__ import annotations

from typing import NewType, TypeGuard

from companion.core.ids import Nation
from companion.core.text import Count, Name, Say, nation, unit

__all__ = ["Piece", "counted", "is_piece", "piece", "piece_key", "split"]

Piece = NewType("Piece", str)
"""A power's pieces of one unit, such as ``uk.tank``, ``uk.battleship.damaged`` or ``uk.supply``."""


def piece_key(power: Nation, unit: str, *, damaged: bool = False) -> Piece:
    """Return the key of a power's pieces of one unit."""
    return Piece(f"{power}.{unit}.damaged" if damaged else f"{power}.{unit}")


def split(piece: Piece) -> tuple[Nation, str, bool]:
    """Return (power, unit, damaged) of a piece key such as ``uk.battleship.damaged``."""
    power, unit_, *rest = piece.split(".")
    return Nation(power), unit_, bool(rest)


def is_piece(text: str) -> TypeGuard[Piece]:
    """Say whether a text has the form of a piece key; power and unit are not checked."""
    return text.count(".") in (1, 2)


def piece(id_: Piece) -> Name:
    """Name a piece of a power by its key."""
    return Name("piece", id_)


def counted(id_: Piece, n: int) -> Say:
    """Return so many pieces of a power: ``2 Tanks (Germany)``."""
    power, kind, damaged = split(id_)
    units, owner = Count(n, unit(kind)), nation(power)
    if damaged:
        return Say("{unit}, damaged ({power})", unit=units, power=owner)
    return Say("{unit} ({power})", unit=units, power=owner)
