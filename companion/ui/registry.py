"""All screens by key, in the order of the rail. What a screen needs is imported when it is first shown.

A screen is a page: an entry of its game in ``game.py``, or of `companion.pages.screens` where every game has it. The list
here is of the screens that are made by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from companion.pages.i18n import N_
from companion.pages.modules import modules
from companion.pages.page import ScreenEntry
from companion.pages.screens import SHARED

if TYPE_CHECKING:
    pass

__all__ = ["SCREENS", "AnyScreen", "ScreenSpec", "for_game", "offer", "screens", "spec"]


class ScreenSpec(msgspec.Struct, frozen=True):
    """One screen that is made by hand."""

    key: str
    title: str
    """English source text of its name."""
    icon: str
    module: str
    cls: str
    needs_game: bool = True
    rail: int = 0
    """Rank on the rail, lowest first; 0: only under More."""
    games: tuple[str, ...] = ()
    """Keys of the games that have it; empty: every game."""
    rail_word: str = ""
    """English source text of a shorter word for the rail; empty: the title is short enough."""


AnyScreen = ScreenSpec | ScreenEntry

_SCREENS = "companion.ui.screens."

_LEDGER = ("sfw96", "sfw1")
"""Games whose ledger has screens."""

SCREENS: tuple[ScreenSpec, ...] = (
    ScreenSpec("table", N_("Table"), "table", _SCREENS + "table", "TableScreen", rail=1),
    ScreenSpec("clocks", N_("Clocks"), "clocks", _SCREENS + "clocks", "ClocksScreen"),
    ScreenSpec("dice", N_("Dice"), "dice", _SCREENS + "dice", "DiceScreen", needs_game=False),
    ScreenSpec(
        "dice_sets", N_("Dice sets"), "dice", _SCREENS + "dice_sets", "DiceSetsScreen", needs_game=False
    ),
)


_offered: dict[str, ScreenEntry] = {}


def offer(entry: ScreenEntry) -> None:
    """Add a screen that only this program has, such as a director's window; one of its key makes place."""
    _offered[entry.key] = entry


def screens() -> tuple[AnyScreen, ...]:
    """Return every screen there is: made by hand, shared pages, this program's own, the pages of all games."""
    found: list[AnyScreen] = [*SCREENS, *SHARED, *_offered.values()]
    for module in modules().values():
        found += [one for one in module.screens if all(one.key != other.key for other in found)]
    return tuple(found)


def spec(key: str) -> AnyScreen:
    """Return a screen's entry; KeyError when there is none."""
    for one in screens():
        if one.key == key:
            return one
    raise KeyError(f"screen {key!r} is unknown; expected one of {', '.join(s.key for s in screens())}")


def for_game(game: str) -> tuple[AnyScreen, ...]:
    """Return the screens that an open game of this key offers, rail first, then the rest."""
    module = modules().get(game)
    own: tuple[AnyScreen, ...] = module.screens if module is not None else ()
    made: list[AnyScreen] = [one for one in SCREENS if not one.games or game in one.games]
    fitting = [one for one in (*made, *own, *SHARED) if one.needs_game]
    return tuple(sorted(fitting, key=lambda one: one.rail or 50))
