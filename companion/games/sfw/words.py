"""The words of Song for War: what its ids are called, in one table."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.text import N_, Noun
from companion.games.sfw.help import HELP
from companion.games.sfw.log_battle import BATTLE_LOG, BATTLE_LOG_AFTER, BATTLE_LOG_ENTRY
from companion.games.sfw.log_ledger import LEDGER_LOG
from companion.games.sfw.names import SYMBOLS, name_of, symbol_of
from companion.games.sfw.words_battle import BATTLE_NAMES, FIRST_EDITION
from companion.games.sfw.words_headings import FIRST_HEADINGS, HEADINGS
from companion.games.sfw.words_ledger import FIRST_LEDGER, LEDGER_NAMES
from companion.games.sfw.words_undo import UNDONE
from companion.pages.words import GameWords, merged

__all__ = ["WORDS", "WORDS_1"]

_OF_BEFORE = (
    N_("Follow the set-up sheet of the scenario; no new mines or defensive lines are placed in this game."),
)
"""Lines that the scenarios said before: games that were begun with them still say them, in every language."""

WORDS = GameWords(
    help=HELP,
    stage=N_("Stage"),
    stages=Noun("{n} stage", "{n} stages"),
    names={**merged(merged(BATTLE_NAMES, LEDGER_NAMES), HEADINGS), "undone": UNDONE},
    name=name_of,
    symbols=SYMBOLS,
    symbol=symbol_of,
    log={**LEDGER_LOG, **BATTLE_LOG},
    log_entry={**BATTLE_LOG_ENTRY},
    log_after={**BATTLE_LOG_AFTER},
)

WORDS_1 = replace(
    WORDS,
    names=merged(merged(merged(WORDS.names, FIRST_LEDGER), FIRST_EDITION), FIRST_HEADINGS),
)
"""The words of the first edition."""
