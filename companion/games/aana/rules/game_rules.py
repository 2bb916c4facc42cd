"""The rules of Axis & Allies: North Africa, composed from their parts.

Source: rulebook, Order of Play.
"""

from __future__ import annotations

from companion.core.parts import ComposedRules, Part
from companion.games.aana.rules.battle import BattlePart
from companion.games.aana.rules.ledger_part import LedgerPart
from companion.games.aana.rules.reinforce import ReinforcePart
from companion.games.aana.rules.travel import MovementPart
from companion.games.aana.rules.victory import VictoryPart

__all__ = ["AANA_PARTS", "aana_rules"]

AANA_PARTS: tuple[type[Part], ...] = (
    LedgerPart,
    ReinforcePart,
    BattlePart,
    MovementPart,
    VictoryPart,
)
"""Parts in the order in which they are asked; a later part sees what earlier ones did."""


def aana_rules() -> ComposedRules:
    """Build the rules; they hold no state."""
    return ComposedRules("aana", tuple(part() for part in AANA_PARTS))
