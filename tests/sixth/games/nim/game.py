"""The game as the app offers it."""

from __future__ import annotations

from companion.games.nim.pages import pile_page
from companion.games.nim.rules import SECRETS, NimFamily, NimRules
from companion.games.nim.words import WORDS

from companion.pages.modules import GameModule
from companion.pages.page import ScreenEntry

GAMES = (
    GameModule(
        key="nim",
        rank=9,
        rules=NimRules,
        family=NimFamily(),
        words=lambda: WORDS,
        secrets=SECRETS,
        views=tuple,
        screens=(ScreenEntry(key="nim_pile", title="Pile", icon="battle", make=lambda: pile_page, rail=3),),
    ),
)
