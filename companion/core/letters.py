"""Which signs of typed names can be shown: those that the fonts of the screens have, and no line breaks.

A name with any other sign would stand on every screen as boxes, so it is refused where it is typed.
"""

from __future__ import annotations

__all__ = ["SHOWN", "can_show"]

SHOWN: tuple[tuple[int, int], ...] = (
    (0x20, 0x7E),
    (0xA0, 0x17F),  # Latin with accents
    (0x384, 0x38A),
    (0x38E, 0x3A1),
    (0x3A3, 0x3CE),  # Greek
    (0x400, 0x482),
    (0x48A, 0x513),  # Cyrillic
    (0x1EA0, 0x1EF9),  # Vietnamese
    (0x2013, 0x2014),
    (0x2018, 0x201E),
    (0x20AC, 0x20AC),
)
"""First and last code points of what the text fonts of the screens have."""


def can_show(text: str) -> bool:
    """Return whether every sign of a text is in the fonts.

    >>> can_show("Jürgen Groß"), can_show("李雷"), can_show("A\\nB")
    (True, False, False)
    """
    return all(any(first <= ord(sign) <= last for first, last in SHOWN) for sign in text)
