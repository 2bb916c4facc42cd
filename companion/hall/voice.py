"""How the hall's pages speak: words are values, and whoever shows a page says in which language they become text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape

from companion.core.text import Say

__all__ = ["Voice", "line_of", "shown", "speaking", "told"]

Voice = Callable[[Say], str]
_voice: ContextVar[Voice] = ContextVar("voice", default=str)


@contextmanager
def speaking(voice: Voice) -> Iterator[None]:
    """Have words told by a voice; English until one is given."""
    token = _voice.set(voice)
    try:
        yield
    finally:
        _voice.reset(token)


def told(words: Say | str) -> str:
    """Return words as text in the language of the page; a bare text is what a person typed."""
    return words if isinstance(words, str) else _voice.get()(words)


def shown(words: Say | str) -> str:
    """Return words as HTML."""
    return escape(told(words))


def line_of(words: Say | str) -> str:
    """Return what came of an act as a line of its own: a capital in front and a stop behind."""
    text = told(words)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
