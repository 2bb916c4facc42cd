"""Every game that the app knows: its key, its rules and how its data are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from companion.core.rules import GameRules
from companion.core.scenario import Family
from companion.games.aana.new_game import AanaFamily
from companion.games.aana.rules import aana_rules
from companion.games.med.new_game import MedFamily
from companion.games.med.rules import RULES as MED_RULES
from companion.games.sfw.new_game import SfwFamily
from companion.games.sfw.rules import sfw1_rules, sfw96_rules
from companion.games.tsu.new_game import TsuFamily
from companion.games.tsu.rules import RULES as TSU_RULES

__all__ = ["GAMES", "Game", "rules_for"]


class Game(msgspec.Struct, frozen=True):
    """One game as the app offers it."""

    key: str
    rules: Callable[[], GameRules]
    """Build the rules; they hold no state."""
    family: Family
    """What the scenario loader asks."""


GAMES: Mapping[str, Game] = {
    game.key: game
    for game in (
        Game("sfw96", sfw96_rules, SfwFamily("sfw96")),
        Game("sfw1", sfw1_rules, SfwFamily("sfw1")),
        Game("aana", aana_rules, AanaFamily()),
        Game("tsu", lambda: TSU_RULES, TsuFamily()),
        Game("med", lambda: MED_RULES, MedFamily()),
    )
}
"""Games by key, in the order in which New game lists them."""


def rules_for(game: str) -> GameRules:
    """Return the rules of a game; KeyError that names the known games when there is no such game."""
    if game not in GAMES:
        raise KeyError(f"game {game!r} is unknown; expected one of {', '.join(GAMES)}")
    return GAMES[game].rules()
