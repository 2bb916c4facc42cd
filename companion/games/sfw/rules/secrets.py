"""What Song for War hides, from whom, and what opens it; both editions hide fleets, 0.96 hides units of Italy too."""

from __future__ import annotations

from companion.core.secrecy import Secret, Secrets
from companion.games.sfw.rules import seal_messages as se

__all__ = ["SECRETS", "SECRETS_1"]

_FLEET = Secret(
    key="fleet",
    text="Where a Hidden Fleet is and what it holds is known to its side until it is revealed, by choice or because the "
    "rules force it (Hidden Fleets).",
    kept="sealed",
    held_in=(se.SealSecret, se.SecretSealed),
    opened_by=(se.SecretRevealed,),
)
_UNITS = Secret(
    key="units",
    text="Where hidden German units stand and what they are is known to their side until they are revealed (Revealing "
    "Hidden German Units: Italy Scenario).",
    kept="sealed",
    held_in=(se.SealSecret, se.SecretSealed),
    opened_by=(se.SecretRevealed,),
)
_CARDS = Secret(
    key="cards",
    text="National Support cards in hand are known to their nation; the app counts them and is told a card's name when "
    "it is played (National Support).",
    kept="outside",
)
_DRAFT = Secret(
    key="draft",
    text="Purchases, losses and a note being entered are seen on the screen where they are entered and nowhere else until "
    "they are sent; a note stands on a page of its own that is dropped when it is left.",
    kept="outside",
)

SECRETS = Secrets(held=(_FLEET, _UNITS, _CARDS, _DRAFT))
"""What edition 0.96 hides. Source: rulebook v0.96, Hidden Fleets; National Support."""

SECRETS_1 = Secrets(held=(_FLEET, _CARDS, _DRAFT))
"""What the first edition hides. Source: rulebook of the first edition, Hidden Fleets; National Support."""
