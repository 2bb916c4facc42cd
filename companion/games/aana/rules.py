"""The rules of Axis & Allies: North Africa, composed from their parts."""

from __future__ import annotations

from companion.games.aana.battle import BattlePart
from companion.games.aana.ledger import LedgerPart
from companion.games.aana.reinforce import ReinforcePart
from companion.games.aana.travel import MovementPart
from companion.games.aana.victory import VictoryPart
from companion.games.parts import ComposedRules, Part

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
