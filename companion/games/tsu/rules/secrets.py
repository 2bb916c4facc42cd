"""The Soft Underbelly hides nothing."""

from __future__ import annotations

from companion.core.secrecy import Secrets

__all__ = ["SECRETS"]

SECRETS = Secrets(
    none_because="Units, stars, supply, convoys and dice lie open to both sides; the Axis player completes his turn before "
    "the Allied player begins, and nothing is chosen at the same time.",
)
"""What the game hides: nothing. Source: rulebook, Sequence of Play; Stacking; Combat."""
