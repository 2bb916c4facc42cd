"""What is told and decided of the ledger: its commands and events."""

from __future__ import annotations

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, SiteId
from companion.games.aana.rules.pieces import Piece

__all__ = [
    "ControlChanged",
    "CorrectSupply",
    "CountSpace",
    "MarkerForgotten",
    "MinesChanged",
    "MoveUnits",
    "SetMines",
    "SpaceCounted",
    "SupplyChanged",
    "SupplyCounted",
    "UnitsMoved",
]


class CountSpace(Command, frozen=True, tag=True):
    """Tell all that stands in a space; from then on it is checked."""

    space: SiteId
    units: dict[Piece, int]
    supply: int | None = None


class MoveUnits(Command, frozen=True, tag=True):
    """Move pieces from one space to another, from the box or into it. Distance is the table's matter."""

    origin: SiteId
    to: SiteId
    units: dict[Piece, int] = {}
    supply: int = 0
    confirmed: bool = False
    """The table has seen that a stacking limit is passed and goes on."""


class CorrectSupply(Command, frozen=True, tag=True):
    """Set the supply tokens of a space; `power` only in convoy zones, ``SPACE@landing`` for a landing force."""

    space: SiteId
    count: int
    power: Nation = Nation("")


class SetMines(Command, frozen=True, tag=True):
    """Set the mines of a border (icons) or of a sea zone (tokens of a power): a correction."""

    place: SiteId
    owner: str
    """The neighbouring territory for a border, the power for a zone."""
    count: int


class ControlChanged(Event, frozen=True, tag=True):
    """A territory came under a power, or under none."""

    territory: SiteId
    power: Nation | None
    before: Nation | None = None


class MarkerForgotten(Event, frozen=True, tag=True):
    """Whose marker a territory bears is not known any more."""

    territory: SiteId


class UnitsMoved(Event, frozen=True, tag=True):
    """Pieces went from one place to another; losses go to the box."""

    origin: SiteId
    to: SiteId
    units: dict[Piece, int]


class SupplyChanged(Event, frozen=True, tag=True):
    """Supply tokens of a place went up or down."""

    place: str
    delta: int


class SupplyCounted(Event, frozen=True, tag=True):
    """The table told how many tokens a place holds."""

    place: str
    count: int


class SpaceCounted(Event, frozen=True, tag=True):
    """The table told what stands in a space."""

    space: SiteId
    units: dict[Piece, int]
    supply: int | None = None


class MinesChanged(Event, frozen=True, tag=True):
    """Mines of a border or a zone went up or down."""

    place: SiteId
    owner: str
    delta: int
    detonated: bool = False
    """They went off: no more of them may for those who have come in."""
