"""What a panel says in words: English sentences that remember how they were made, so that they can be translated.

A `Said` is its English text and can be used as such. Whoever shows it in another language takes `template` and `values`
and fills in the translation; this room knows no languages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hardware.ports import Part

__all__ = ["PART_TITLES", "Said", "Value", "say", "translated"]

Value = str | Part | tuple[Part, ...]
"""What stands in a gap of a sentence: a name or number, a part, or several parts."""


class Said(str):
    """An English sentence with the template and the values that it was made of."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Value]


def title(text: str) -> str:
    """Mark a text for the translators."""
    return text


PART_TITLES: Mapping[Part, str] = MappingProxyType(
    {
        Part.BUTTON_LEFT: title("The left button"),
        Part.BUTTON_RIGHT: title("The right button"),
        Part.BUTTON_PAUSE: title("The pause button"),
        Part.BUTTON_ARBITER: title("The arbiter key"),
        Part.LAMP_LEFT: title("The left lamp"),
        Part.LAMP_RIGHT: title("The right lamp"),
        Part.LAMP_ARBITER: title("The arbiter lamp"),
        Part.DISPLAY_LEFT: title("The left display"),
        Part.DISPLAY_RIGHT: title("The right display"),
        Part.BUZZER: title("The buzzer"),
        Part.TRAY_LIGHT: title("The tray light"),
    }
)
"""Each part as it begins a sentence."""


def say(template: str, **values: Value) -> Said:
    """Make a sentence; each name in braces of the template is a value.

    Example:
        >>> say("{part} works again.", part=Part.BUZZER)
        'The buzzer works again.'
    """
    said = Said(_fill(template, values, str))
    said.template = template
    said.values = MappingProxyType(dict(values))
    return said


def translated(said: str, translate: Callable[[str], str]) -> str:
    """Return a sentence in the language of `translate`, which turns an English text; a plain text stays as it is."""
    if not isinstance(said, Said):
        return said
    return _fill(translate(said.template), said.values, translate)


def _fill(template: str, values: Mapping[str, Value], translate: Callable[[str], str]) -> str:
    words = {}
    for name, value in values.items():
        if isinstance(value, tuple):
            words[name] = ", ".join(sorted(translate(PART_TITLES[part]) for part in value))
        else:
            words[name] = translate(PART_TITLES[value]) if isinstance(value, Part) else value
    return template.format(**words)
