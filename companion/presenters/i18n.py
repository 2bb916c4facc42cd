"""Words in the table's language: gettext catalogues that travel inside the package.

English is the source text, so English needs no catalogue. `N_` marks a text that is stored now and translated
where it is shown. The language is one for the whole program; presenters translate when they build a view model.
"""

from __future__ import annotations

import gettext
from importlib import resources

__all__ = ["LANGUAGES", "N_", "_", "language", "ngettext", "pgettext", "use_language"]

LANGUAGES: dict[str, str] = {"en": "English", "de": "Deutsch"}
"""Language code to the language's name in itself."""

_DOMAIN = "companion"
_current: gettext.NullTranslations = gettext.NullTranslations()
_code = "en"


def use_language(code: str) -> None:
    """Speak this language from now on; ValueError for a language without a catalogue."""
    global _current, _code  # noqa: PLW0603 - one language for the program, as gettext itself has it
    if code not in LANGUAGES:
        raise ValueError(f"language {code!r} is unknown; expected one of {', '.join(LANGUAGES)}")
    if code == "en":
        _current = gettext.NullTranslations()
    else:
        catalogue = resources.files("companion") / "locale" / code / "LC_MESSAGES" / f"{_DOMAIN}.mo"
        with catalogue.open("rb") as file:
            _current = gettext.GNUTranslations(file)
    _code = code


def language() -> str:
    """Return the code of the language spoken now."""
    return _code


def _(text: str) -> str:
    """Return a text in the current language; the text itself where the catalogue has none."""
    return _current.gettext(text) if text else ""


def pgettext(context: str, text: str) -> str:
    """Return a text whose translation depends on where it stands."""
    return _current.pgettext(context, text)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text that fits a count."""
    return _current.ngettext(one, many, count)


def N_(text: str) -> str:  # noqa: N802 - gettext's own name
    """Mark a text for the catalogue and return it unchanged."""
    return text
