"""The Soft Underbelly as the app offers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core.text import N_
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.secrets import SECRETS
from companion.pages.game_view import GameView
from companion.pages.modules import Entry, GameModule, OwnPages
from companion.pages.page import PageMaker, ScreenEntry
from companion.pages.words import GameWords

if TYPE_CHECKING:
    from companion.core.rules import GameRules
    from companion.pages.film.telling import GameFilm
    from companion.pages.report_parts import Section

__all__ = ["GAMES"]


def _rules() -> GameRules:
    from companion.games.tsu.rules.game_rules import RULES

    return RULES


def _words() -> GameWords:
    from companion.games.tsu.words import WORDS

    return WORDS


def _sections() -> tuple[Section, ...]:
    from companion.games.tsu.pages.report import SECTIONS

    return SECTIONS


def _film() -> GameFilm:
    from companion.games.tsu.pages.film import SoftUnderbellyFilm

    return SoftUnderbellyFilm()


def _views() -> tuple[GameView, ...]:
    from companion.games.tsu.pages.words import SoftUnderbellyView

    return (SoftUnderbellyView(),)


def _attack() -> PageMaker:
    from companion.games.tsu.pages.attack import attack_page

    return attack_page


def _stars() -> PageMaker:
    from companion.games.tsu.pages.stars import stars_page

    return stars_page


def _calendar() -> PageMaker:
    from companion.games.tsu.pages.calendar import calendar_page

    return calendar_page


def _own() -> OwnPages:
    from companion.games.tsu.pages.own import OWN

    return OWN


def _score() -> PageMaker:
    from companion.games.tsu.pages.score import score_page

    return score_page


def _entry() -> Entry:
    from companion.games.tsu.pages.stars import entry

    return entry


def _units() -> PageMaker:
    from companion.games.tsu.pages.units import units_page

    return units_page


GAMES = (
    GameModule(
        key="tsu",
        title=N_("The Soft Underbelly"),
        symbol="parachute",
        rank=4,
        rules=_rules,
        family=TsuFamily(),
        words=_words,
        secrets=SECRETS,
        views=_views,
        sections=_sections,
        entry=_entry,
        film=_film,
        own=_own,
        screens=(
            ScreenEntry(key="tsu_attack", title=N_("Attack"), icon="battle", make=_attack, rail=3),
            ScreenEntry(key="tsu_stars", title=N_("Stars"), icon="resupply", make=_stars, rail=4),
            ScreenEntry(key="tsu_calendar", title=N_("Calendar"), icon="control", make=_calendar, rail=5),
            ScreenEntry(key="tsu_score", title=N_("Score"), icon="trophy", make=_score),
            ScreenEntry(key="tsu_units", title=N_("Units"), icon="units", make=_units),
        ),
    ),
)
