"""The Soft Underbelly as the app offers it."""

from __future__ import annotations

from companion.games.tsu.rules.game_rules import RULES
from companion.games.tsu.rules.new_game import TsuFamily
from companion.pages.game_view import GameView
from companion.pages.modules import GameModule
from companion.pages.words import GameWords

__all__ = ["GAMES"]


def _words() -> GameWords:
    from companion.games.tsu.words import WORDS

    return WORDS


def _views() -> tuple[GameView, ...]:
    from companion.games.tsu.pages import report  # noqa: F401 - it adds sections
    from companion.games.tsu.pages.words import SoftUnderbellyView

    return (SoftUnderbellyView(),)


GAMES = (GameModule(key="tsu", rank=4, rules=lambda: RULES, family=TsuFamily(), words=_words, views=_views),)
