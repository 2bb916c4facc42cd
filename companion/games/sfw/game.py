"""Song for War as the app offers it: edition 0.96 and the first edition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core.text import N_
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.secrets import SECRETS, SECRETS_1
from companion.pages.box import follow_cameras, look_for_cameras
from companion.pages.game_view import GameView
from companion.pages.modules import BattleFiles, Entry, GameModule, OwnPages
from companion.pages.page import PageMaker, ScreenEntry
from companion.pages.words import GameWords

if TYPE_CHECKING:
    from companion.core.rules import GameRules
    from companion.pages.film.telling import GameFilm
    from companion.pages.report_parts import Section

__all__ = ["GAMES"]


def _rules() -> GameRules:
    from companion.games.sfw.rules.game_rules import sfw96_rules

    return sfw96_rules()


def _rules_1() -> GameRules:
    from companion.games.sfw.rules.game_rules import sfw1_rules

    return sfw1_rules()


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
    from companion.games.sfw.pages.battle_view import BattleGameView
    from companion.games.sfw.pages.ledger_view import LedgerView

    return (LedgerView(), BattleGameView())


def _sections() -> tuple[Section, ...]:
    from companion.games.sfw.pages import battle_view, ledger_report

    return (*ledger_report.SECTIONS, *battle_view.SECTIONS)


def _sections_1() -> tuple[Section, ...]:
    from companion.games.sfw.pages import desert

    return (*_sections(), *desert.SECTIONS)


def _film() -> GameFilm:
    from companion.games.sfw.pages.film import SongForWarFilm

    return SongForWarFilm()


def _entry() -> Entry:
    from companion.games.sfw.pages.entries import entry

    return entry


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


def _control() -> PageMaker:
    from companion.games.sfw.pages.control import control_page

    return control_page


def _score() -> PageMaker:
    from companion.games.sfw.pages.score import score_page

    return score_page


def _resupply() -> PageMaker:
    from companion.games.sfw.pages.resupply import resupply_page

    return resupply_page


def _own() -> OwnPages:
    from companion.games.sfw.pages.own import OWN

    return OWN


def _sealed() -> PageMaker:
    from companion.games.sfw.pages.sealed import sealed_page

    return sealed_page


def _support() -> PageMaker:
    from companion.games.sfw.pages.support import support_page

    return support_page


_SCREENS = (
    ScreenEntry(
        key="battle",
        title=N_("Battle"),
        icon="battle",
        make=_battle,
        rail=3,
        follow=follow_cameras,
        look=look_for_cameras,
    ),
    ScreenEntry(key="score", title=N_("Score"), icon="trophy", make=_score, rail=4),
    ScreenEntry(key="control", title=N_("Control"), icon="control", make=_control),
    ScreenEntry(
        key="resupply", title=N_("Resupply"), icon="resupply", make=_resupply, rail=5, rail_word=N_("Supply")
    ),
    ScreenEntry(key="support", title=N_("Support"), icon="support", make=_support),
    ScreenEntry(key="units", title=N_("Units"), icon="units", make=_units),
    ScreenEntry(key="sealed", title=N_("Sealed"), icon="sealed", make=_sealed),
    ScreenEntry(key="order", title=N_("Order of play"), icon="swap", make=_order),
)

GAMES = (
    GameModule(
        key="sfw96",
        title=N_("Song for War"),
        symbol="battleship",
        taster=("tobruk41", N_("Tobruk 1941, half an hour")),
        rank=1,
        rules=_rules,
        family=SfwFamily("sfw96"),
        words=_words,
        secrets=SECRETS,
        views=_views,
        sections=_sections,
        film=_film,
        entry=_entry,
        odds=_odds,
        own=_own,
        screens=_SCREENS,
    ),
    GameModule(
        key="sfw1",
        title=N_("Song for War, first edition"),
        symbol="destroyer",
        rank=2,
        rules=_rules_1,
        family=SfwFamily("sfw1"),
        words=_words_1,
        secrets=SECRETS_1,
        views=_views,
        sections=_sections_1,
        film=_film,
        entry=_entry,
        odds=_odds,
        own=_own,
        screens=(
            *_SCREENS,
            ScreenEntry(
                key="desert",
                title=N_("Desert"),
                icon="table",
                make=_desert,
                follow=follow_cameras,
                look=look_for_cameras,
            ),
        ),
    ),
)
