"""The frozen game: everything a game will ever need, embedded in its first entry.

The data folder only supplies defaults for new games; a corrected file never rewrites an old evening.
"""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.clock import ClockConfig
from companion.core.flow import CheckItem, Step
from companion.core.ids import Nation, Side

__all__ = ["NationInfo", "RulingInfo", "Setup", "SideInfo"]


class NationInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A nation or power as this game names and colours it."""

    id: Nation
    name: str
    side: Side
    colour: str = ""
    """The colour of its pieces in the box, as a word; the theme decides the shade on screen."""
    emblem: str = ""
    """Shape or letter that tells it apart without colour: star, ring, diamond, triangle or a letter."""


class SideInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A side, or a player where the game has no sides."""

    id: Side
    name: str
    emblem: str = ""
    seats: tuple[str, ...] = ()
    """Names of the players who sit on this side."""


class RulingInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open point of the rulebook with the ways to settle it."""

    id: str
    text: str
    choices: tuple[str, ...]
    default: str
    source: str = ""
    choice_texts: dict[str, str] = {}


class Setup(msgspec.Struct, frozen=True, omit_defaults=True):
    """One game as it was started."""

    game: str
    """Key of the rules: ``sfw96``, ``sfw1``, ``aana``, ``tsu`` or ``med``."""
    scenario: str
    title: str
    sides: tuple[SideInfo, ...]
    nations: tuple[NationInfo, ...]
    steps: tuple[Step, ...]
    clock: ClockConfig = ClockConfig()
    checks: dict[str, CheckItem] = {}
    rulings: dict[str, str] = {}
    """Ruling id to the value chosen at the start."""
    ruling_infos: tuple[RulingInfo, ...] = ()
    printed: dict[str, Any] = {}
    """Printed values known at the start, key to value."""
    options: dict[str, Any] = {}
    """What was chosen in New game: players, commander game, acting together ..."""
    tables: dict[str, Any] = {}
    """The game's own data, resolved; its rules convert it to their types."""
    data_sha256: str = ""
    """Hash of the data files that the game was made from."""
    app_version: str = ""
    arbiter_hash: str = ""
    """Which arbiter's PIN this game has, as the box names it; empty when there is none. Games of before hold a hash."""
    coach_locked: bool = False
    """The arbiter has forbidden advice in this game."""
    game_id: str = ""
    """Tells this game from every other; sealed notes are bound to it. Empty in games of before."""
    what_if: str = ""
    """Name of the saved game that this one was copied from, to go on otherwise from an earlier act; it keeps that game's id."""
