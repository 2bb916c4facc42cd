"""Luck of the North Africa combat under way, as one line of text."""

from __future__ import annotations

from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.fight_dice import expected_hits
from companion.pages.i18n import _
from companion.pages.numbers import figure

__all__ = ["luck_text"]


def luck_text(fight: Fight) -> str:
    """Return hits against expectation so far, by side."""
    parts = []
    for role, word in (("attacker", _("Attack")), ("defender", _("Defence"))):
        shots = [shot for shot in fight.shots if shot.role == role]
        if shots:
            hits = sum(shot.hits for shot in shots)
            mean = float(expected_hits(shots))
            parts.append(
                _("{side}: hits {hits}, expected {mean}").format(side=word, hits=hits, mean=figure(mean))
            )
    return " · ".join(parts)
