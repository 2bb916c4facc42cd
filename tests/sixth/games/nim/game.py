"""The game as the app offers it."""

from __future__ import annotations

from companion.games.nim.pages import pile_page
from companion.games.nim.rules import NimFamily, NimRules
from companion.games.nim.words import WORDS

from companion.core.secrecy import Secrets
from companion.pages.modules import GameModule
from companion.pages.page import ScreenEntry

GAMES = (
    GameModule(
        key="nim",
        rank=9,
        rules=NimRules,
        family=NimFamily(),
        words=lambda: WORDS,
        secrets=Secrets(none_because="The pile lies open."),
        views=tuple,
        screens=(ScreenEntry(key="nim_pile", title="Pile", icon="battle", make=lambda: pile_page, rail=3),),
    ),
)
