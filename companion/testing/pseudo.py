"""A language that nobody speaks: every marked text comes out longer, accented and in brackets, its gaps as they were.

Whatever a screen shows without brackets was never marked for the catalogue; whatever is cut is too tight for the next
language. `spoken` makes the box speak it, `unmarked` finds what was not marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from companion.pages import i18n
from companion.pages.i18n import Language

__all__ = ["KEPT_CONTEXTS", "Pseudo", "pseudo", "spoken", "unmarked"]

KEPT_CONTEXTS = frozenset({"the rows of a keyboard"})
"""Contexts whose texts are no words."""

_ACCENTED = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž",
)
_GAP = re.compile(r"(\{[^{}]*\})")
_PLAIN = re.compile(r"[A-Za-z]{2,}")
_JOINT = re.compile(r"(?<=»),? (?:and|or) (?=(?:\d+ )?«)")
"""How the ground language joins the last two of a list."""
_PART = 0.3
"""How much longer a text becomes, its brackets counted."""
_FILL = "ö"


def pseudo(text: str) -> str:
    """Return a marked text as this language has it.

    Example:
        >>> pseudo("{n} left of {m:02d}")
        '«{n} ļéƒţ öƒ {m:02d}»'
    """
    parts = _GAP.split(text)
    if not any(map(str.isalpha, "".join(parts[::2]))):
        return text
    owed = -2.0  # the brackets
    said: list[str] = []
    for index, part in enumerate(parts):
        for word in (part,) if index % 2 else re.split(r"(\s+)", part):
            if index % 2 or not any(map(str.isalpha, word)):
                said.append(word)
                continue
            owed += len(word) * _PART
            said.append(word.translate(_ACCENTED) + _FILL * max(0, round(owed)))
            owed -= max(0, round(owed))
    return f"«{''.join(said)}»"


class Pseudo(Language):
    """The language as a value; it writes numbers and lists as its ground language does."""

    def text(self, text: str) -> str:
        """Return a text."""
        return pseudo(text) if text else ""

    def in_context(self, context: str, text: str) -> str:
        """Return a text whose translation depends on where it stands."""
        return text if context in KEPT_CONTEXTS else pseudo(text)

    def counted(self, one: str, many: str, count: int) -> str:
        """Return the form of a text that fits a count."""
        return pseudo(one if count == 1 else many)


@contextmanager
def spoken() -> Iterator[None]:
    """Let the box speak nothing but this language, whichever is chosen."""
    before, said = i18n.language_of, i18n.language()
    made = Pseudo("en")
    try:
        i18n.language_of = lambda _code: made  # type: ignore[assignment]
        i18n.use_language("en")
        yield
    finally:
        i18n.language_of = before
        i18n.use_language(said)


def unmarked(shown: str) -> tuple[str, ...]:
    """Return the words of a shown text that went through no catalogue.

    Example:
        >>> unmarked("«Ñö ţåñķ·» of Rommel: 3 x")
        ('of', 'Rommel')
    """
    return tuple(_PLAIN.findall(_JOINT.sub(", ", shown)))
