"""Symbols of units and tokens: what an `Item` carries so that its picture is drawn, always beside its name."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Name, unit
from companion.pages.modules import words_of
from companion.pages.page import Words

__all__ = ["UNIT", "in_full", "unit_short", "unit_symbol"]

UNIT = "unit."
"""Begins the symbol of a unit or token. Where there is no picture of the rest, its first letters are drawn."""


def unit_symbol(state: GameState, kind: str) -> str:
    """Return the symbol of a kind of unit or token in the open game, for `Item.symbol`, a banner or a button."""
    setup = state.setup
    words = words_of(setup.game if setup is not None else "")
    own = words.symbol(kind, state) if words.symbol is not None and setup is not None else None
    return f"{UNIT}{own if own is not None else words.symbols.get(kind, kind)}"


def unit_short(state: GameState, kind: str) -> Name:
    """Return the name of a kind of unit where room is short, such as below its symbol on a tile."""
    setup = state.setup
    word = None if setup is None else words_of(setup.game).word("unit_short", kind)
    return unit(kind) if word is None else Name("unit_short", kind)


def in_full(words: Words) -> Words:
    """Return the full name of what is named shortly, for where there is room; anything else as it is."""
    is_short = isinstance(words, Name) and words.kind == "unit_short"
    return unit(words.id) if isinstance(words, Name) and is_short else words
