"""The words of the first edition where they differ from v0.96's, for the screens that both share."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.state import GameState
from companion.pages.i18n import N_, _

__all__ = ["WORDS", "term"]

WORDS: Mapping[str, Mapping[str, str]] = {
    "sfw1": {
        "rolls in combined fire on 7A": N_("rolls in concentrated fire on step 7"),
        "too few units for combined fire are left": N_("too few units for concentrated fire are left"),
        "Entry under fire: {space}": N_("Push through: {space}"),
    }
}
"""Game to its own words by the English text of v0.96."""


def term(state: GameState, text: str) -> str:
    """Return a text in the words of the running game's edition, translated."""
    own = WORDS.get(state.frozen_setup.game, {})
    return _(own.get(text, text))
