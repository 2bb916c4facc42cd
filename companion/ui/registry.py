"""All screens by key, in the order of the rail. A screen's module is imported when it is first shown.

To add one: write ``screens/<key>.py`` with a `Screen` subclass and ``screens/<key>.kv``, a presenter, and a line here.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from companion.pages.i18n import N_

__all__ = ["SCREENS", "ScreenSpec", "load", "spec"]


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """One screen."""

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


_SCREENS = "companion.ui.screens."

_LEDGER = ("sfw96", "sfw1")
"""Games whose ledger has screens."""

SCREENS: tuple[ScreenSpec, ...] = (
    ScreenSpec("table", N_("Table"), "table", _SCREENS + "table", "TableScreen", rail=1),
    ScreenSpec("clocks", N_("Clocks"), "clocks", _SCREENS + "clocks", "ClocksScreen", rail=2),
    ScreenSpec("battle", N_("Battle"), "battle", _SCREENS + "battle", "BattleScreen", rail=3, games=_LEDGER),
    ScreenSpec("desert", N_("Desert"), "table", _SCREENS + "desert", "DesertScreen", games=("sfw1",)),
    ScreenSpec("dice", N_("Dice"), "dice", _SCREENS + "dice", "DiceScreen", needs_game=False),
    ScreenSpec(
        "dice_sets", N_("Dice sets"), "dice", _SCREENS + "dice_sets", "DiceSetsScreen", needs_game=False
    ),
    ScreenSpec("units", N_("Units"), "units", _SCREENS + "units", "UnitsScreen", games=_LEDGER),
    ScreenSpec(
        "control", N_("Control"), "control", _SCREENS + "control", "ControlScreen", rail=4, games=_LEDGER
    ),
    ScreenSpec(
        "resupply", N_("Resupply"), "resupply", _SCREENS + "resupply", "ResupplyScreen", rail=5, games=_LEDGER
    ),
    ScreenSpec("support", N_("Support"), "support", _SCREENS + "support", "SupportScreen", games=_LEDGER),
    ScreenSpec("sealed", N_("Sealed"), "sealed", _SCREENS + "sealed", "SealedScreen", games=_LEDGER),
    ScreenSpec(
        "aana_combat",
        N_("Combat"),
        "battle",
        _SCREENS + "aana_combat",
        "AanaCombatScreen",
        rail=3,
        games=("aana",),
    ),
    ScreenSpec(
        "aana_board",
        N_("Board"),
        "control",
        _SCREENS + "aana_board",
        "AanaBoardScreen",
        rail=4,
        games=("aana",),
    ),
    ScreenSpec(
        "aana_reinforce",
        N_("Reinforce"),
        "resupply",
        _SCREENS + "aana_reinforce",
        "AanaReinforceScreen",
        rail=5,
        games=("aana",),
    ),
    ScreenSpec(
        "med",
        N_("Engagement"),
        "battle",
        _SCREENS + "med",
        "MedScreen",
        rail=3,
        games=("med",),
        rail_word=N_("Fight"),
    ),
    ScreenSpec(
        "med_piles", N_("Piles"), "trophy", _SCREENS + "med_piles", "MedPilesScreen", rail=4, games=("med",)
    ),
    ScreenSpec(
        "aana_units", N_("Units"), "units", _SCREENS + "aana_units", "AanaUnitsScreen", games=("aana",)
    ),
    ScreenSpec(
        "tsu_attack",
        N_("Attack"),
        "battle",
        _SCREENS + "tsu_attack",
        "TsuAttackScreen",
        rail=3,
        games=("tsu",),
    ),
    ScreenSpec(
        "tsu_stars", N_("Stars"), "resupply", _SCREENS + "tsu_stars", "TsuStarsScreen", rail=4, games=("tsu",)
    ),
    ScreenSpec(
        "tsu_calendar",
        N_("Calendar"),
        "control",
        _SCREENS + "tsu_calendar",
        "TsuCalendarScreen",
        rail=5,
        games=("tsu",),
    ),
    ScreenSpec("tsu_units", N_("Units"), "units", _SCREENS + "tsu_units", "TsuUnitsScreen", games=("tsu",)),
    ScreenSpec("log", N_("Log"), "log", _SCREENS + "log", "LogScreen", rail=8),
    ScreenSpec("order", N_("Order of play"), "swap", _SCREENS + "order", "OrderScreen", games=_LEDGER),
    ScreenSpec("charts", N_("Charts"), "chart", _SCREENS + "charts", "ChartsScreen"),
    ScreenSpec("printed", N_("Printed values"), "edit", _SCREENS + "printed", "PrintedScreen"),
    ScreenSpec(
        "hardware", N_("Hardware"), "hardware", _SCREENS + "hardware", "HardwareScreen", needs_game=False
    ),
    ScreenSpec("more", N_("More"), "more", _SCREENS + "more", "MoreScreen", rail=99),
    ScreenSpec("home", N_("Home"), "home", _SCREENS + "home", "HomeScreen", needs_game=False),
    ScreenSpec("new_game", N_("New game"), "plus", _SCREENS + "new_game", "NewGameScreen", needs_game=False),
    ScreenSpec(
        "settings", N_("Settings"), "settings", _SCREENS + "settings", "SettingsScreen", needs_game=False
    ),
)

EXAMPLE = ScreenSpec("example", N_("Example"), "info", _SCREENS + "example", "ExampleScreen")
"""The screen to copy; shown by no menu."""


def spec(key: str) -> ScreenSpec:
    """Return a screen's entry; KeyError when there is none."""
    for one in (*SCREENS, EXAMPLE):
        if one.key == key:
            return one
    raise KeyError(f"screen {key!r} is unknown; expected one of {', '.join(s.key for s in SCREENS)}")


def load(key: str) -> Any:
    """Return a screen's class."""
    one = spec(key)
    return getattr(importlib.import_module(one.module), one.cls)


def for_game(game: str) -> tuple[ScreenSpec, ...]:
    """Return the screens that an open game of this key offers, rail first, then the rest."""
    fitting = [s for s in SCREENS if s.needs_game and (not s.games or game in s.games)]
    return tuple(sorted(fitting, key=lambda s: s.rail or 50))
