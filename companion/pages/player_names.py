"""Names of players that this box keeps, so that one tap enters them again; they lie in its settings and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.setup import Setup
from companion.pages.labels import PLAYERS

__all__ = ["SETTING", "kept_names", "names_of", "with_names"]

SETTING = "player_names"
_MOST = 40
"""Names that are kept: those used last."""


def kept_names(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that this box keeps, used last first."""
    found = settings.get(SETTING, ())
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list | tuple) else ()


def names_of(setup: Setup) -> tuple[str, ...]:
    """Return the names that players gave themselves in a game; those that the game gives are none."""
    seats = (name for info in setup.sides for name in info.seats)
    return tuple(dict.fromkeys(name for name in seats if name and name not in PLAYERS and ":" not in name))


def with_names(kept: tuple[str, ...], setup: Setup) -> tuple[str, ...]:
    """Return the names to keep once a game was started, its own first."""
    return tuple(dict.fromkeys((*names_of(setup), *kept)))[:_MOST]
