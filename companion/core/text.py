"""Words as values: a sentence is a template, marked for the catalogue, and the typed values that stand in it.

A rule, a device or a reader of files never writes a finished sentence. It returns a `Say`, and whoever shows it puts in
the words of the language and of the game at hand. So no sentence is ever taken apart again, and nothing here knows a
language: templates are the English source text, and `str()` of a `Say` is for logs and error texts alone.

Marking: the first argument of `Say`, and the first two of `Say.counted` and `Noun`, are collected for the catalogues, so they
must be plain string literals. `N_` marks a text that is only stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

import msgspec

__all__ = [
    "Count",
    "Duration",
    "N_",
    "Name",
    "Noun",
    "Range",
    "Say",
    "Several",
    "Share",
    "Signed",
    "Typed",
    "Value",
    "area",
    "card",
    "key",
    "nation",
    "sentences",
    "several",
    "side",
    "site",
    "step",
    "unit",
]


def N_(text: str) -> str:  # noqa: N802 - gettext's own name
    """Mark a text for the catalogue and return it unchanged."""
    return text


class Name(msgspec.Struct, frozen=True):
    """The name of a thing, looked up where it is shown: in the words of the game, or in the game itself.

    Two games may use one id with different words, so an id is never a word.
    """

    kind: str
    """What it is: ``unit``, ``nation``, ``side``, ``site``, ``area``, ``card``, ``step``, ``phase``, ``act``, ``key`` ..."""
    id: str


class Count(msgspec.Struct, frozen=True):
    """So many of a thing, with its plural: ``3 tanks``."""

    n: int
    of: Name


class Typed(msgspec.Struct, frozen=True):
    """What a person typed or a file holds: shown as it is, never translated."""

    text: str

    def __str__(self) -> str:
        return self.text


class Duration(msgspec.Struct, frozen=True):
    """A span of time in whole milliseconds: ``45 s``, ``12 min``, ``2 h 05 min``.

    As `clock` it is exact to the second, ``3:20``; as `signed` it is a correction, ``+0:30``.
    """

    ms: int
    style: Literal["words", "clock", "signed"] = "words"


class Signed(msgspec.Struct, frozen=True):
    """A number that always shows its sign: ``+2``."""

    n: int | Fraction


class Share(msgspec.Struct, frozen=True):
    """A share of 1, shown in percent."""

    of_one: float
    digits: int = 0


class Range(msgspec.Struct, frozen=True):
    """From the first to the last, both included: ``1-5``."""

    first: int
    last: int


Style = Literal["and", "or", "comma", "dots", "plus", "sentences", "lines"]
"""How a list is written."""

JOINTS: Mapping[str, str] = {"comma": ", ", "dots": " · ", "plus": " + ", "sentences": " ", "lines": "\n"}
"""What stands between the items of a list that every language writes alike."""


class Several(msgspec.Struct, frozen=True):
    """A list of values: ``A, B and C``, ``A, B or C``, ``A, B, C``, ``A · B``, ``A + B``, or sentences one after another."""

    items: tuple[Value, ...]
    style: Style = "and"


class Noun(msgspec.Struct, frozen=True):
    """The word of a thing that is counted: one and many, both marked for the catalogue."""

    one: str
    many: str


class Say:
    """One sentence or label: a template with named gaps, and a typed value for each.

    Equal templates with equal values are equal, so a page that has not changed compares equal. A bare `str` is no value:
    it would be an id, an English word or something typed, and nobody could tell which.

    Raises:
        TypeError: A value is a bare string or of no type that can be shown.

    Example:
        >>> str(Say("Only {have} in the box; you need {need}.", have=3, need=4))
        'Only 3 in the box; you need 4.'
        >>> str(Say.counted("{n} die", "{n} dice", 2))
        '2 dice'
        >>> Say("No {what}.", what=unit("tank")) == Say("No {what}.", what=unit("tank"))
        True
    """

    __slots__ = ("_hash", "many", "template", "values")

    template: str
    many: str
    """The template for more than one; empty where nothing is counted. `values["n"]` is the number then."""
    values: Mapping[str, Value]

    def __init__(self, template: str, /, **values: Value) -> None:
        self._fill(template, "", values)

    @classmethod
    def counted(cls, one: str, many: str, n: int, /, **values: Value) -> Say:
        """Return a sentence whose form depends on a number, which stands in it as ``{n}`` (or is not shown)."""
        made = cls.__new__(cls)
        made._fill(one, many, {"n": n, **values})
        return made

    def put(self, **values: Value) -> Say:
        """Return the same sentence with other values in some of its gaps."""
        return _rebuilt(self.template, self.many, {**self.values, **values})

    def _fill(self, template: str, many: str, values: Mapping[str, Value]) -> None:
        for name, value in values.items():
            if not isinstance(value, _SHOWN) or isinstance(value, bool):
                raise TypeError(f"Say({template!r}): {name}: expected a typed value, got {value!r}")
        put = object.__setattr__
        put(self, "template", template)
        put(self, "many", many)
        put(self, "values", MappingProxyType(dict(values)))
        put(self, "_hash", 0)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Say is frozen; {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Say)
            and self.template == other.template
            and self.many == other.many
            and self.values == other.values
        )

    def __hash__(self) -> int:
        if not self._hash:
            object.__setattr__(self, "_hash", hash((self.template, tuple(self.values.items()))) or 1)
        return self._hash

    _hash: int

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (self.template, self.many, dict(self.values)))

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.values.items())
        return f"Say({self.template!r}{f', {self.many!r}' if self.many else ''}{given})"

    def __str__(self) -> str:
        """Return the sentence in English with bare ids, for logs and error texts; a screen never shows this."""
        template = self.many if self.many and self.values["n"] != 1 else self.template
        return (
            template.format(**{name: _plain(value) for name, value in self.values.items()})
            if self.values
            else template
        )


Value = int | float | Fraction | Name | Count | Typed | Duration | Signed | Share | Range | Say | Several
"""What may stand in a gap of a sentence."""

_SHOWN = (int, float, Fraction, Name, Count, Typed, Duration, Signed, Share, Range, Say, Several)


def _rebuilt(template: str, many: str, values: Mapping[str, Value]) -> Say:
    made = Say.__new__(Say)
    made._fill(template, many, values)
    return made


def _plain(value: Value) -> str:
    match value:
        case Name():
            return value.id
        case Count():
            return f"{value.n} {value.of.id}"
        case Typed():
            return value.text
        case Duration():
            return f"{value.ms} ms"
        case Signed():
            return f"{'+' if value.n >= 0 else ''}{value.n}"
        case Share():
            return f"{value.of_one * 100:.{value.digits}f} %"
        case Range():
            return f"{value.first}-{value.last}"
        case Several():
            return JOINTS.get(value.style, ", ").join(map(_plain, value.items))
        case _:
            return str(value)


def several(items: Iterable[Value], style: Style = "and") -> Several:
    """Return a list of values."""
    return Several(tuple(items), style)


def sentences(says: Iterable[Say]) -> Say:
    """Return several sentences as one, such as every fault of one command."""
    each = tuple(says)
    return each[0] if len(each) == 1 else Say("{sentences}", sentences=Several(each, "sentences"))


def unit(id_: str) -> Name:
    """Name a kind of unit or piece."""
    return Name("unit", id_)


def nation(id_: str) -> Name:
    """Name a nation or power."""
    return Name("nation", id_)


def side(id_: str) -> Name:
    """Name a side, or a player where the game has no sides."""
    return Name("side", id_)


def site(id_: str) -> Name:
    """Name an objective, airfield, territory or other place that the game's data list."""
    return Name("site", id_)


def area(id_: str) -> Name:
    """Name an area or sea zone."""
    return Name("area", id_)


def card(id_: str) -> Name:
    """Name a card by its number; for a viewer who may not see it, its name is hidden where it is shown."""
    return Name("card", id_)


def step(id_: str) -> Name:
    """Name a step of the sequence of play."""
    return Name("step", id_)


def key(id_: str) -> Name:
    """Name a printed value by its key."""
    return Name("key", id_)
