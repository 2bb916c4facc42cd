"""Names of players: those that they gave themselves, and those that this box keeps, so that one tap enters them again.

What is kept lies in its settings and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.setup import Setup, SideInfo
from companion.pages.i18n import _
from companion.pages.labels import PLAYERS

__all__ = ["SETTING", "kept_names", "names_of", "seat_text", "seated", "with_names"]

SETTING = "player_names"
_MOST = 40
"""Names that are kept: those used last."""
_BRANCHES = ("Air", "Sea", "Land")
"""Commands of the commander game; a new game names a seat after side and command where the table gave no name."""


def kept_names(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that this box keeps, used last first."""
    found = settings.get(SETTING, ())
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list | tuple) else ()


def names_of(setup: Setup) -> tuple[str, ...]:
    """Return the names that players gave themselves in a game; those that the game gives are none."""
    return tuple(dict.fromkeys(name for info in setup.sides for name in seated(setup, info)))


def seated(setup: Setup, info: SideInfo) -> tuple[str, ...]:
    """Return the names that a side's players gave themselves; where nobody plays nations, a side bears its player's."""
    side = (info.name,) if setup.nations else ()
    given = {"", *side, *PLAYERS, *(f"{info.name} {branch}" for branch in _BRANCHES)}
    return tuple(name for seat in info.seats if (name := _parts(setup, seat)[0]) not in given)


def seat_text(setup: Setup, seat: str) -> str:
    """Return a seat in the language at hand, with the nations that it plays where the game stores them with it."""
    name, plays = _parts(setup, seat)
    shown = name if name in names_of(setup) else _(name)
    return f"{shown}: {', '.join(map(_, plays))}" if plays else shown


def _parts(setup: Setup, seat: str) -> tuple[str, tuple[str, ...]]:
    """Take a seat as a game stores it apart: a name, and in North Africa the nations behind a colon."""
    name, _colon, rest = seat.rpartition(": ")
    plays = tuple(rest.split(", "))
    return (name, plays) if name and {*plays} <= {one.name for one in setup.nations} else (seat, ())


def with_names(kept: tuple[str, ...], setup: Setup) -> tuple[str, ...]:
    """Return the names to keep once a game was started, its own first."""
    return tuple(dict.fromkeys((*names_of(setup), *kept)))[:_MOST]
