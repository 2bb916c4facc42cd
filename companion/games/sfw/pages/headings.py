"""The words of the first edition where they differ from v0.96's, for the screens that both share."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.state import GameState
from companion.pages.i18n import N_, _

__all__ = ["WORDS", "term"]

WORDS: Mapping[str, Mapping[str, str]] = {
    "sfw1": {
        "7A  Combined fire": N_("7  Concentrated fire"),
        "7B  Unloading": N_("7  Unloading"),
        "7C  Landing defence": N_("7  Landing defence"),
        "Combined fire": N_("Concentrated fire"),
        "No combined fire": N_("No concentrated fire"),
        "combined fire": N_("concentrated fire"),
        "Targeted bombing": N_("Strategic bombing"),
        "Targeted bombing: {n} dice": N_("Strategic bombing: {n} dice"),
        "Entry under fire": N_("Push through"),
        "Entry or push through": N_("Push through"),
        "Contested, or enemies only": N_("Contested"),
    }
}
"""Game to its own words by the English text of v0.96."""


def term(state: GameState, text: str) -> str:
    """Return a text in the words of the running game's edition, translated."""
    own = WORDS.get(state.frozen_setup.game, {})
    return _(own.get(text, text))
