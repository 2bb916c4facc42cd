"""Axis & Allies: North Africa hides nothing."""

from __future__ import annotations

from companion.core.secrecy import Secrets

__all__ = ["SECRETS"]

SECRETS = Secrets(
    none_because="Units, purchases, money, mines and dice lie open to both sides, and nothing is chosen at the same time: "
    "each side declares and buys in its own turn.",
)
"""What the game hides: nothing. Source: rulebook, Order of Play; Reinforcements; Minefields."""
