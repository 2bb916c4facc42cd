"""What the program itself tells the table: about files, sticks, damage, PINs, in the language at hand."""

from __future__ import annotations

from companion.core.text import Say, Typed, Value
from companion.pages.speak import speak

__all__ = ["in_words", "told", "without_file"]


def in_words(told: Say | Typed) -> str:
    """Return a notice's text or hint; it begins with a capital, unless it begins with the name of a file."""
    text = speak(told)
    is_name = isinstance(told, Typed) or told.template.startswith("{")
    return text if is_name else text[:1].upper() + text[1:]


def told(fault: Exception) -> Say | Typed:
    """Return what an error says: its sentence where it has one, its text otherwise."""
    said = getattr(fault, "say", None)
    return said if isinstance(said, Say) else Typed(str(fault))


def without_file(fault: Say) -> Say:
    """Return why a saved game cannot be opened without its path or name: that stands above it already."""
    return fault.put(**{name: _this(name, value) for name, value in fault.values.items()})


def _this(name: str, value: Value) -> Value:
    if name == "file" and isinstance(value, Typed):
        return Say("this file")
    return without_file(value) if isinstance(value, Say) else value
