"""Names of players: those that they gave themselves, and those that this box keeps, so that one tap enters them again.

What is kept lies in its settings and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from companion.core.setup import Setup, SideInfo
from companion.pages.i18n import _
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
        return f"{shown}: {', '.join(map(_, self.nations))}" if self.nations else shown


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
    rows = [row for row in setup.options.get("seats", ()) if row["side"] == info.id]
    dealt = rows if len(rows) == len(info.seats) else [{"player": seat, "plays": ()} for seat in info.seats]
    label = {one.id: one.name for one in setup.nations}
    seats = []
    for told, row in zip(info.seats, dealt, strict=True):
        name, plays = row["player"], row["plays"]
        nations = tuple(label.get(one, one) for one in plays) if told != name else ()
        given = ("", *PLAYERS, f"{info.name} {' '.join(plays)}")
        seats.append(Seat(name, nations, name.casefold() not in map(str.casefold, given)))
    return tuple(seats)


def with_names(kept: tuple[str, ...], setup: Setup) -> tuple[str, ...]:
    """Return the names to keep once a game was started, its own first."""
    return tuple(dict.fromkeys((*names_of(setup), *kept)))[:_MOST]
