"""Song for War as the app offers it: edition 0.96 and the first edition."""

from __future__ import annotations

from companion.core.text import N_
from companion.games.sfw.rules.game_rules import sfw1_rules, sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.pages.game_view import GameView
from companion.pages.modules import BattleFiles, GameModule
from companion.pages.page import PageMaker, ScreenEntry
from companion.pages.words import GameWords

__all__ = ["GAMES"]


def _words() -> GameWords:
    from companion.games.sfw.words import WORDS

    return WORDS


def _words_1() -> GameWords:
    from companion.games.sfw.words import WORDS_1

    return WORDS_1


def _odds() -> BattleFiles:
    from companion.games.sfw.odds.report import BATTLE_FILES

    return BATTLE_FILES


def _views() -> tuple[GameView, ...]:
    from companion.games.sfw.pages import desert, ledger_report, order  # noqa: F401 - they add sections and lines of the log
    from companion.games.sfw.pages.battle_view import BattleGameView
    from companion.games.sfw.pages.ledger_view import LedgerView

    return (LedgerView(), BattleGameView())


def _order() -> PageMaker:
    from companion.games.sfw.pages.order import order_page

    return order_page


def _units() -> PageMaker:
    from companion.games.sfw.pages.units import units_page

    return units_page


def _desert() -> PageMaker:
    from companion.games.sfw.pages.desert import desert_page

    return desert_page


def _battle() -> PageMaker:
    from companion.games.sfw.pages.battle import battle_page

    return battle_page


_SCREENS = (
    ScreenEntry(key="battle", title=N_("Battle"), icon="battle", make=_battle, rail=3),
    ScreenEntry(key="units", title=N_("Units"), icon="units", make=_units),
    ScreenEntry(key="order", title=N_("Order of play"), icon="swap", make=_order),
)

GAMES = (
    GameModule(
        key="sfw96",
        rank=1,
        rules=sfw96_rules,
        family=SfwFamily("sfw96"),
        words=_words,
        views=_views,
        odds=_odds,
        screens=_SCREENS,
    ),
    GameModule(
        key="sfw1",
        rank=2,
        rules=sfw1_rules,
        family=SfwFamily("sfw1"),
        words=_words_1,
        views=_views,
        odds=_odds,
        screens=(*_SCREENS, ScreenEntry(key="desert", title=N_("Desert"), icon="table", make=_desert)),
    ),
)
