"""The naval card game as the app offers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core.text import N_
from companion.games.med.rules.new_game import MedFamily
from companion.games.med.rules.secrets import SECRETS
from companion.pages.box import follow_cameras, look_for_cameras
from companion.pages.game_view import GameView
from companion.pages.modules import GameModule, OwnPages
from companion.pages.page import PageMaker, ScreenEntry
from companion.pages.words import GameWords

if TYPE_CHECKING:
    from companion.core.rules import GameRules
    from companion.pages.film.telling import GameFilm
    from companion.pages.report_parts import Section

__all__ = ["GAMES"]


def _rules() -> GameRules:
    from companion.games.med.rules.game_rules import RULES

    return RULES


def _words() -> GameWords:
    from companion.games.med.words import WORDS

    return WORDS


def _sections() -> tuple[Section, ...]:
    from companion.games.med.pages.report import SECTIONS

    return SECTIONS


def _film() -> GameFilm:
    from companion.games.med.pages.film import CardGameFilm

    return CardGameFilm()


def _views() -> tuple[GameView, ...]:
    from companion.games.med.pages.score import CardGameView

    return (CardGameView(),)


def _engagement() -> PageMaker:
    from companion.games.med.pages.engagement import med_page

    return med_page


def _own() -> OwnPages:
    from companion.games.med.pages.own import OWN

    return OWN


def _score() -> PageMaker:
    from companion.games.med.pages.ranking import ranking_page

    return ranking_page


def _piles() -> PageMaker:
    from companion.games.med.pages.piles import piles_page

    return piles_page


GAMES = (
    GameModule(
        key="med",
        title=N_("Naval card game"),
        symbol="card",
        rank=5,
        rules=_rules,
        family=MedFamily(),
        words=_words,
        secrets=SECRETS,
        views=_views,
        screens=(
            ScreenEntry(
                key="med",
                title=N_("Engagement"),
                icon="battle",
                make=_engagement,
                rail=3,
                rail_word=N_("Fight"),
                follow=follow_cameras,
                look=look_for_cameras,
            ),
            ScreenEntry(key="med_score", title=N_("Score"), icon="trophy", make=_score, rail=4),
            ScreenEntry(key="med_piles", title=N_("Piles"), icon="sealed", make=_piles, rail=5),
        ),
        sections=_sections,
        film=_film,
        own=_own,
    ),
)
