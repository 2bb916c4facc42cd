"""The rules of Song for War v0.96 as a list of parts."""

from __future__ import annotations

from companion.games.parts import ComposedRules, Part
from companion.games.sfw.flow import FlowPart

__all__ = ["SFW96_PARTS", "sfw96_rules"]

SFW96_PARTS: tuple[type[Part], ...] = (FlowPart,)
"""Parts in the order in which they are asked; a later part sees what earlier ones did."""


def sfw96_rules() -> ComposedRules:
    """Return the rules of a game of v0.96."""
    return ComposedRules("sfw96", tuple(part() for part in SFW96_PARTS))
