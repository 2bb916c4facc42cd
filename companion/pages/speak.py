"""Turn words as values into text: a `Say`, a name or a list, in one language and in the words of one game.

This is the only place where a template meets its values. Lists, plurals and numbers are written as the language writes them;
which word an id has is told by the game's own table, then by the game's frozen data, then by the words of the core.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import msgspec

from companion.core.ids import StepId
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import (
    JOINTS,
    N_,
    Count,
    Duration,
    Name,
    Noun,
    Range,
    Say,
    Several,
    Share,
    Signed,
    Typed,
    Value,
)
from companion.pages.i18n import Language, current
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED
from companion.pages.steps import step_say
from companion.pages.words import Word

__all__ = ["Voice", "humanise", "sentence", "speak"]

_LIST_STYLES = {"and": "standard", "or": "or"}


def humanise(name: str) -> str:
    """Return an id as a readable text."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


class Voice(msgspec.Struct, frozen=True):
    """Who speaks: a language, the game whose words are used, and its state where one is open."""

    language: Language
    game: str = ""
    state: GameState | None = None
    missing: Callable[[Name], str] | None = None
    """Asked for an id that nobody has a word for; None: it is shown readable, never hidden."""

    def say(self, value: Value) -> str:
        """Return a value as text.

        Example:
            >>> from companion.core.text import several, Typed
            >>> Voice(Language("en")).say(Say("Missing: {names}.", names=several((Typed("A"), Typed("B"), Typed("C")))))
            'Missing: A, B and C.'
        """
        match value:
            case Say():
                return self._sentence(value)
            case Name():
                return self.name(value)
            case Count():
                return self._count(value)
            case Typed():  # a file's name may hold bytes that are no text
                return value.text if value.text.isascii() else value.text.encode(errors="replace").decode()
            case Several():
                return self._list(value)
            case Duration():
                return self.duration(value)
            case Signed():
                return (
                    f"+{self.number(value.n)}" if value.n >= 0 else f"\N{MINUS SIGN}{self.number(-value.n)}"
                )
            case Share():
                return self._percent(value)
            case Range():
                return (
                    f"{value.first}\N{EN DASH}{value.last}" if value.first != value.last else str(value.first)
                )
            case int() | float() | Fraction():
                return self.number(value)

    def number(self, n: float | Fraction) -> str:
        """Return a number as the language writes it, with as many digits as it needs."""
        if isinstance(n, int) and -1000 < n < 1000:
            return str(n) if n >= 0 else f"\N{MINUS SIGN}{-n}"
        if (
            isinstance(n, int | float) and not abs(n) < 1 << 64
        ):  # in a file only, and more digits than are ever grouped
            return self.language.text(N_("a number beyond 64 bits"))
        from babel.numbers import format_decimal

        return format_decimal(float(n) if isinstance(n, Fraction) else n, locale=self.language.locale)

    def name(self, name: Name) -> str:
        """Return what a thing is called."""
        word = self._word(name)
        if word is not None:
            return word
        if self.missing is not None:
            return self.missing(name)
        if name.kind == "key":  # an id with parts, such as tank.number
            return ", ".join(map(humanise, name.id.split(".")))
        return humanise(name.id)

    def duration(self, span: Duration) -> str:
        """Return a span of time as ``45 s``, ``12 min`` or ``2 h 05 min``; no line ends inside it.

        As `clock` it is ``3:20``, as `signed` ``+0:30`` or ``-2:00``.
        """
        if span.style != "words":
            whole = abs(span.ms) // 1000
            sign = "" if span.style == "clock" else "+" if span.ms >= 0 else "\N{MINUS SIGN}"
            return f"{sign}{whole // 60}:{whole % 60:02d}"
        text, seconds = self.language.text, max(0, span.ms) // 1000
        if seconds < 60:
            told = text(N_("{n} s")).format(n=seconds)
        elif seconds < 3600:
            told = text(N_("{n} min")).format(n=seconds // 60)
        else:
            told = text(N_("{h} h {m:02d} min")).format(h=seconds // 3600, m=seconds // 60 % 60)
        return told.replace(" ", "\u00a0")

    def _sentence(self, say: Say) -> str:
        template = self._template(say)
        if not say.values:
            return template
        return template.format(**{name: self.say(value) for name, value in say.values.items()})

    def _template(self, say: Say) -> str:
        if not say.many:
            return self.language.text(say.template)
        n = say.values["n"]
        return self.language.counted(say.template, say.many, int(n) if isinstance(n, int) else 2)

    def begins_typed(self, value: Value) -> bool:
        """Say whether a value's text begins with what somebody typed or a file holds."""
        if not isinstance(value, Say):
            return isinstance(value, Typed)
        first = self._template(value).partition("}")[0]
        return first.startswith("{") and self.begins_typed(value.values[first[1:]])

    def _list(self, several: Several) -> str:
        items = [self.say(item) for item in several.items]
        if several.style in JOINTS:
            return JOINTS[several.style].join(items)
        if len(items) < 2:
            return "".join(items)
        from babel.lists import format_list

        return format_list(items, style=_LIST_STYLES[several.style], locale=self.language.locale)  # type: ignore[arg-type]

    def _percent(self, share: Share) -> str:
        from babel.numbers import format_decimal

        shown = format_decimal(
            round(share.of_one * 100, share.digits),
            format=f"0.{'0' * share.digits}".rstrip("."),
            locale=self.language.locale,
        )
        return f"{shown}\u00a0%"

    def _count(self, count: Count) -> str:
        word = self._row(count.of)
        if isinstance(word, Noun):
            noun = self.language.counted(word.one, word.many, count.n)
        else:
            noun = self.name(count.of)
        return self.language.text(N_("{n} {noun}")).format(n=self.number(count.n), noun=noun)

    def _row(self, name: Name) -> Word | None:
        words = words_of(self.game)
        found = words.word(name.kind, name.id)
        return found if found is not None else SHARED.word(name.kind, name.id)

    def _word(self, name: Name) -> str | None:
        if self.game:
            own = words_of(self.game)
            found = own.name(name, self.state) if own.name is not None else None
            if found is not None:
                return self.say(found)
        row = self._row(name)
        if row is not None:
            return (
                self.language.text(row)
                if isinstance(row, str)
                else self.language.counted(row.one, row.many, 1)
            )
        return (
            self._of_setup(name, self.state.setup)
            if self.state is not None and self.state.setup is not None
            else None
        )

    def _of_setup(self, name: Name, setup: Setup) -> str | None:
        text = self.language.text
        match name.kind:
            case "nation":
                return next((text(info.name) for info in setup.nations if info.id == name.id), None)
            case "side":
                return next((text(info.name) for info in setup.sides if info.id == name.id), None)
            case "ruling":
                return next((text(info.text) for info in setup.ruling_infos if info.id == name.id), None)
            case "step" if self.state is not None and name.id in self.state.itinerary:
                itinerary = self.state.itinerary
                return self.say(step_say(itinerary.steps[itinerary.index(StepId(name.id))]))
            case "check":
                if name.id not in setup.checks:
                    return None
                return text(setup.checks[name.id].text).replace("{scenario}", text(setup.title))
        return None


def speak(value: Value, state: GameState | None = None, *, game: str = "") -> str:
    """Return a value as text in the language that the box speaks, in the words of the open game or of the one named."""
    return _voice(state, game).say(value)


def sentence(value: Value, state: GameState | None = None, *, game: str = "") -> str:
    """Return a value as text that begins with a capital, but where something typed begins it: a file keeps its name."""
    voice = _voice(state, game)
    text = voice.say(value)
    return text if voice.begins_typed(value) else text[:1].upper() + text[1:]


def _voice(state: GameState | None, game: str) -> Voice:
    if not game and state is not None and state.setup is not None:
        game = state.setup.game
    return Voice(current(), game, state)
