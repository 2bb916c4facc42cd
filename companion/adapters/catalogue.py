"""The games of this version with their data: what the shell asks when it starts, opens or replays a game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from companion.core.rules import GameRules
from companion.core.scenario import Fault, ScenarioInfo
from companion.core.setup import Setup
from companion.games.registry import games_by_key, rules_for
from companion.session.scenario_loader import Loaded, load_game, make_setup, offers

__all__ = ["GameCatalogue"]


class GameCatalogue:
    """The installed games over the installed data, with a user's data folder laid over them.

    Data files are read once, when a game is first asked for.
    """

    def __init__(self, data_folder: Path | None = None) -> None:
        """Take the folder whose files replace or add to the installed ones."""
        self._data_folder = data_folder
        self._load = cache(self._load_game)
        self._rules = cache(rules_for)

    def rules_of(self, game: str) -> GameRules:
        """Return the rules of a game; KeyError when this version does not have it."""
        return self._rules(game)

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return every scenario that can be started, games in the order of New game."""
        return tuple(
            info for game in games_by_key().values() for info in offers(game.family, self._load(game.key))
        )

    def faults(self) -> tuple[Fault, ...]:
        """Return what is wrong in the data files of all games."""
        found = (fault for key in games_by_key() for fault in self._load(key).faults)
        return tuple(dict.fromkeys(found))

    def make_setup(self, game: str, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game; ValueError with every fault of the data or the options."""
        if game not in games_by_key():
            raise ValueError(f"game {game!r} is unknown; expected one of {', '.join(games_by_key())}")
        return make_setup(games_by_key()[game].family, self._load(game), scenario, options)

    def _load_game(self, game: str) -> Loaded:
        return load_game(games_by_key()[game].family, self._data_folder)
