"""The rules of both editions of Song for War as lists of parts.

Source: rulebook v0.96 and first edition, Order of Play.
"""

from __future__ import annotations

from companion.core.parts import ComposedRules, Part
from companion.games.sfw.rules.battle_part import BattlePart
from companion.games.sfw.rules.control import ControlPart
from companion.games.sfw.rules.desert import DesertPart
from companion.games.sfw.rules.flow import FlowPart
from companion.games.sfw.rules.resupply import ResupplyPart
from companion.games.sfw.rules.seals import SealsPart
from companion.games.sfw.rules.supply import SupplyPart
from companion.games.sfw.rules.support import SupportPart
from companion.games.sfw.rules.tokens import TokensPart
from companion.games.sfw.rules.victory import VictoryPart

__all__ = ["SFW1_PARTS", "SFW96_PARTS", "sfw1_rules", "sfw96_rules"]

SFW96_PARTS: tuple[type[Part], ...] = (
    FlowPart,
    BattlePart,
    ControlPart,
    SupportPart,
    TokensPart,
    SupplyPart,
    SealsPart,
    ResupplyPart,
    VictoryPart,
)
"""Parts in the order in which they are asked; a later part sees what earlier ones did."""


SFW1_PARTS: tuple[type[Part], ...] = (
    FlowPart,
    BattlePart,
    DesertPart,
    ControlPart,
    SupportPart,
    TokensPart,
    SealsPart,
    ResupplyPart,
    VictoryPart,
)
"""The first edition has no supply lines, but desert rolls."""


def sfw1_rules() -> ComposedRules:
    """Return the rules of a game of the first edition."""
    return ComposedRules("sfw1", tuple(part() for part in SFW1_PARTS))


def sfw96_rules() -> ComposedRules:
    """Return the rules of a game of v0.96."""
    return ComposedRules("sfw96", tuple(part() for part in SFW96_PARTS))
