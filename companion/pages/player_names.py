"""Names of players: those that they gave themselves, and those that this box keeps, so that one tap enters them again.

What is kept lies in its settings and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from companion.core.setup import Setup, SideInfo
from companion.pages.i18n import _, labelled
from companion.pages.labels import PLAYERS

__all__ = ["SETTING", "Seat", "kept_names", "names_of", "seated", "seats_of", "with_names"]

SETTING = "player_names"
_MOST = 40
"""Names that are kept: those used last."""


class Seat(NamedTuple):
    """Who sits in a seat."""

    name: str
    nations: tuple[str, ...]
    """Names of the nations that it plays, where the game tells them with the name."""
    is_own: bool
    """The players gave the name themselves."""

    def __str__(self) -> str:
        """Say the seat in the language at hand."""
        shown = self.name if self.is_own else _(self.name)
        return labelled(shown, ", ".join(map(_, self.nations))) if self.nations else shown


def kept_names(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that this box keeps, used last first."""
    found = settings.get(SETTING, ())
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list | tuple) else ()


def names_of(setup: Setup) -> tuple[str, ...]:
    """Return the names that players gave themselves in a game; those that the game gives are none."""
    return tuple(dict.fromkeys(name for info in setup.sides for name in seated(setup, info)))


def seated(setup: Setup, info: SideInfo) -> tuple[str, ...]:
    """Return the names that a side's players gave themselves."""
    return tuple(seat.name for seat in seats_of(setup, info) if seat.is_own)


def seats_of(setup: Setup, info: SideInfo) -> tuple[Seat, ...]:
    """Return the seats of a side.

    A game that deals out nations or commands keeps the rows it dealt with its options. A seat that nobody named bears its
    number, or what it was dealt behind its side's name.
    """
    rows = [row for row in _dealt(setup) if row.side == info.id]
    if len(rows) != len(info.seats):
        rows = [_Dealt(seat, info.id) for seat in info.seats]
    label: dict[str, str] = {one.id: one.name for one in setup.nations}
    seats = []
    for told, row in zip(info.seats, rows, strict=True):
        name, plays = row.player, row.plays
        nations = tuple(label.get(one, one) for one in plays) if told != name else ()
        given = ("", *PLAYERS, f"{info.name} {' '.join(plays)}")
        seats.append(Seat(name, nations, name.casefold() not in map(str.casefold, given)))
    return tuple(seats)


class _Dealt(msgspec.Struct, frozen=True):
    """A row that a game keeps of a seat."""

    player: str
    side: str
    plays: tuple[str, ...] = ()


def _dealt(setup: Setup) -> tuple[_Dealt, ...]:
    """Return the rows of a game; none where what stands there is something else, as in a file from elsewhere it may be."""
    try:
        return msgspec.convert(setup.options.get("seats", ()), tuple[_Dealt, ...])
    except msgspec.ValidationError:
        return ()


def with_names(kept: tuple[str, ...], setup: Setup) -> tuple[str, ...]:
    """Return the names to keep once a game was started, its own first."""
    return tuple(dict.fromkeys((*names_of(setup), *kept)))[:_MOST]
