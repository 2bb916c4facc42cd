"""The words of a panel's parts. What a panel says is a `Say`: whoever shows it puts it into a language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from companion.core.text import Say, Several, several
from hardware.ports import Part

__all__ = ["PART_TITLES", "titles"]

PART_TITLES: Mapping[Part, Say] = MappingProxyType(
    {
        Part.BUTTON_LEFT: Say("The left button"),
        Part.BUTTON_RIGHT: Say("The right button"),
        Part.BUTTON_PAUSE: Say("The pause button"),
        Part.BUTTON_ARBITER: Say("The arbiter's key"),
        Part.LAMP_LEFT: Say("The left lamp"),
        Part.LAMP_RIGHT: Say("The right lamp"),
        Part.LAMP_ARBITER: Say("The arbiter's lamp"),
        Part.DISPLAY_LEFT: Say("The left display"),
        Part.DISPLAY_RIGHT: Say("The right display"),
        Part.BUZZER: Say("The buzzer"),
        Part.TRAY_LIGHT: Say("The tray light"),
    }
)
"""Each part as it begins a sentence."""


def titles(parts: Iterable[Part]) -> Several:
    """Return several parts, always in the same order.

    Example:
        >>> str(Say("Not there: {parts}.", parts=titles({Part.BUZZER, Part.LAMP_LEFT})))
        'Not there: The left lamp, The buzzer.'
    """
    return several((title for part, title in PART_TITLES.items() if part in set(parts)), "comma")
