"""Languages: gettext catalogues that travel inside the package, one folder each, found when the program starts.

English is the source text, so English needs no catalogue. `N_` marks a text that is stored now and translated
where it is shown. The box speaks one language; whoever shows something in another one takes a `Language` of its own.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

from companion.core.text import N_

if TYPE_CHECKING:
    from babel import Locale

__all__ = [
    "LANGUAGES",
    "Language",
    "N_",
    "_",
    "current",
    "labelled",
    "language",
    "language_of",
    "ngettext",
    "pgettext",
    "speaking",
    "use_language",
]

_DOMAIN = "companion"
_SOURCE = "en"
_REGION = {"en": "en_GB"}
"""Language to the region whose lists and numbers it uses, where the language alone would not do."""


_KEPT = frozenset(
    (
        "decimal_formats",
        "default_numbering_system",
        "languages",
        "list_patterns",
        "number_symbols",
        "numbering_systems",
    )
)
"""What is asked of a locale: how it writes lists and numbers, and what it calls itself."""
_DROPPED = (
    "all_currencies",
    "currency_fractions",
    "meta_zones",
    "territory_currencies",
    "territory_languages",
    "territory_zones",
    "windows_zone_mapping",
    "zone_aliases",
    "zone_territories",
)
"""Babel's tables over all locales that nobody asks here."""


@cache
def _locale(name: str) -> Locale:
    """Return how a language and region write things, and forget what else Babel knows of them: several MB of units and zones."""
    from babel import Locale, localedata
    from babel.core import get_global

    for table in _DROPPED:
        table_of_all: Any = get_global(table)  # type: ignore[arg-type]
        table_of_all.clear()
    parents: Mapping[str, str] = get_global("parent_exceptions")
    line = [name]
    while line[-1] != "root":
        line.append(parents.get(line[-1]) or line[-1].rpartition("_")[0] or "root")
    for one in reversed(line):  # each begins with what its parent has
        data = localedata.load(one)
        for key in data.keys() - _KEPT:
            data.pop(key, None)
    return Locale.parse(name)


class Language:
    """One language: its catalogue, and how it writes lists and numbers."""

    def __init__(self, code: str) -> None:
        """Load a catalogue; ValueError for a language without one."""
        self.code = code
        self._catalogue: gettext.NullTranslations = gettext.NullTranslations()
        if code != _SOURCE:
            if code not in LANGUAGES:
                raise ValueError(f"language {code!r} is unknown; expected one of {', '.join(LANGUAGES)}")
            found = resources.files("companion") / "locale" / code / "LC_MESSAGES" / f"{_DOMAIN}.mo"
            with found.open("rb") as file:
                self._catalogue = gettext.GNUTranslations(file)

    @cached_property
    def locale(self) -> Locale:
        """How the language writes lists, plurals and numbers."""
        return _locale(_REGION.get(self.code, self.code))

    @cached_property
    def decimal_sign(self) -> str:
        """The sign between whole and part of a number; the source language needs no locale data to know it."""
        return "." if self.code == _SOURCE else str(self.locale.number_symbols["latn"]["decimal"])

    def text(self, text: str) -> str:
        """Return a text in this language; the text itself where the catalogue has none."""
        if not text:
            return ""
        found = self._catalogue.gettext(text)
        # A word that somewhere is counted stands in the catalogue with its plural.
        return found if found != text else self._catalogue.ngettext(text, text, 1)

    def in_context(self, context: str, text: str) -> str:
        """Return a text whose translation depends on where it stands."""
        return self._catalogue.pgettext(context, text)

    def counted(self, one: str, many: str, count: int) -> str:
        """Return the form of a text that fits a count."""
        return self._catalogue.ngettext(one, many, count)


class _Languages(Mapping[str, str]):
    """Language code to the language's name in itself, English first; which there are is told by the folders."""

    def __init__(self) -> None:
        here = resources.files("companion") / "locale"
        found = [f.name for f in here.iterdir() if (f / "LC_MESSAGES" / f"{_DOMAIN}.mo").is_file()]
        self._codes = (_SOURCE, *sorted(found))

    def __getitem__(self, code: str) -> str:
        if code not in self._codes:
            raise KeyError(code)
        name = _locale(code).get_language_name(code) or code
        return name[:1].upper() + name[1:]

    def __contains__(self, code: object) -> bool:
        return code in self._codes

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)


LANGUAGES: Mapping[str, str] = _Languages()
"""Every language of this version: its code and its name in itself."""


@cache
def language_of(code: str) -> Language:
    """Return a language; ValueError for one without a catalogue."""
    return Language(code)


_current = Language(_SOURCE)
_viewer: ContextVar[Language | None] = ContextVar("viewer", default=None)


def use_language(code: str) -> None:
    """Speak this language from now on; ValueError for a language without a catalogue."""
    global _current  # noqa: PLW0603 - one language for the box, as gettext itself has it
    _current = language_of(code)


@contextmanager
def speaking(code: str) -> Iterator[Language]:
    """Speak another language than the box for a while, in this thread alone; ValueError for one without a catalogue."""
    found = language_of(code)
    before = _viewer.set(found)
    try:
        yield found
    finally:
        _viewer.reset(before)


def current() -> Language:
    """Return the language that is spoken now: the box's own, or a viewer's while his page is made."""
    return _viewer.get() or _current


def language() -> str:
    """Return the code of the language spoken now."""
    return current().code


def _(text: str) -> str:
    """Return a text in the current language; the text itself where the catalogue has none."""
    return current().text(text)


def pgettext(context: str, text: str) -> str:
    """Return a text whose translation depends on where it stands."""
    return current().in_context(context, text)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text that fits a count."""
    return current().counted(one, many, count)


def labelled(name: str, value: str) -> str:
    """Return a name and what belongs to it, joined as the language does.

    Example:
        >>> labelled("Axis", "12 points")
        'Axis: 12 points'
    """
    return _("{what}: {value}").format(what=name, value=value)
