"""Axis & Allies: North Africa as the app offers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core.text import N_
from companion.games.aana.rules.new_game import AanaFamily
from companion.games.aana.rules.secrets import SECRETS
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
    from companion.games.aana.rules.game_rules import aana_rules

    return aana_rules()


def _words() -> GameWords:
    from companion.games.aana.words import WORDS

    return WORDS


def _odds() -> BattleFiles:
    from companion.games.aana.odds.battle_files import BATTLE_FILES

    return BATTLE_FILES


def _sections() -> tuple[Section, ...]:
    from companion.games.aana.pages.report import SECTIONS

    return SECTIONS


def _film() -> GameFilm:
    from companion.games.aana.pages.film import NorthAfricaFilm

    return NorthAfricaFilm()


def _views() -> tuple[GameView, ...]:
    from companion.games.aana.pages.words import NorthAfricaView

    return (NorthAfricaView(),)


def _board() -> PageMaker:
    from companion.games.aana.pages.board import board_page

    return board_page


def _score() -> PageMaker:
    from companion.games.aana.pages.score import score_page

    return score_page


def _entry() -> Entry:
    from companion.games.aana.pages.entries import entry

    return entry


def _setup() -> PageMaker:
    from companion.games.aana.pages.setup import setup_page

    return setup_page


def _combat() -> PageMaker:
    from companion.games.aana.pages.combat import combat_page

    return combat_page


def _reinforce() -> PageMaker:
    from companion.games.aana.pages.reinforce import reinforce_page

    return reinforce_page


def _own() -> OwnPages:
    from companion.games.aana.pages.own import OWN

    return OWN


def _units() -> PageMaker:
    from companion.games.aana.pages.units import units_page

    return units_page


GAMES = (
    GameModule(
        key="aana",
        title=N_("Axis & Allies: North Africa"),
        symbol="tank",
        rank=3,
        rules=_rules,
        family=AanaFamily(),
        words=_words,
        secrets=SECRETS,
        views=_views,
        sections=_sections,
        film=_film,
        own=_own,
        odds=_odds,
        entry=_entry,
        screens=(
            ScreenEntry(
                key="aana_combat",
                title=N_("Combat"),
                icon="battle",
                make=_combat,
                rail=3,
                follow=follow_cameras,
                look=look_for_cameras,
            ),
            ScreenEntry(key="aana_board", title=N_("Board"), icon="control", make=_board, rail=4),
            ScreenEntry(
                key="aana_reinforce", title=N_("Reinforce"), icon="resupply", make=_reinforce, rail=5
            ),
            ScreenEntry(key="aana_score", title=N_("Score"), icon="trophy", make=_score),
            ScreenEntry(key="aana_setup", title=N_("Set-up"), icon="control", make=_setup),
            ScreenEntry(key="aana_units", title=N_("Units"), icon="units", make=_units),
        ),
    ),
)
