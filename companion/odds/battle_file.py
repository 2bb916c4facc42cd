"""What every game's battle file shares: one JSON object, its faults, and what is told of it.

A key that is not known is a fault, so that a typing error never passes silently. Every fault is a sentence that names
the file, the key, what was expected and what came; whoever shows it puts in the words.
"""

from __future__ import annotations

import difflib
import json
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import msgspec

from companion.core.collecting import shown
from companion.core.scenario import Fault
from companion.core.text import Say, Several, Typed, Value

__all__ = [
    "MOST_LINES",
    "MOST_UNITS",
    "BattleAnswer",
    "BattleFileError",
    "decode",
    "known_as",
    "misfits",
    "ruling_faults",
    "wrong",
]

BAD_FILE = "bad_file"
TOO_LARGE = "too_large"
"""Code of a battle file that would take minutes to work: no board holds so much."""
MOST_LINES, MOST_UNITS = 80, 200
"""Lines of units, and units, of both sides together, their cargo included."""
_GROUPS = ("attacking", "defending", "cargo")
_MOST_LETTERS, _MOST_VALUES, _MOST_SIGNS = 4_000_000, 20_000, 4_300


class BattleFileError(ValueError):
    """A battle file that cannot be worked; `code` says what sort of fault, `faults` every fault."""

    def __init__(self, code: str, faults: Sequence[Say], missing_values: tuple[str, ...] = ()) -> None:
        """Keep the faults and, where figures are missing, their printed value keys."""
        super().__init__("\n".join(map(str, faults)))
        self.code = code
        self.faults = tuple(faults)
        self.missing = missing_values


class BattleAnswer(msgspec.Struct, frozen=True):
    """What is told of a battle file: as plain data, and as lines to read."""

    data: dict[str, Any]
    """Plain data; a `Name` or `Say` in it stands for its words."""
    lines: tuple[Say, ...]


def decode(text: str, name: str) -> dict[str, Any]:
    """Return what a battle file says, whatever its game.

    Raises:
        BattleFileError: ``bad_file`` when it is no JSON object in UTF-8.
    """
    file = Typed(name)
    if len(text) > _MOST_LETTERS:
        fault = Say("{file}: a battle file has {most} letters at most.", file=file, most=_MOST_LETTERS)
        raise BattleFileError(BAD_FILE, [fault])
    try:
        data = json.loads(
            text, object_pairs_hook=_once, parse_int=_figure, parse_float=_figure, parse_constant=_figure
        )
    except _DoubledError as error:
        fault = Say("{file}: {key} is given twice. Keep one of the two.", file=file, key=shown(error.key))
        raise BattleFileError(BAD_FILE, [fault]) from error
    except _NoFigureError as error:
        fault = Say(
            "{file}: {got} is no number of a battle. Write a whole number.", file=file, got=shown(error.text)
        )
        raise BattleFileError(BAD_FILE, [fault]) from error
    except json.JSONDecodeError as error:
        fault = Say(
            "{file}: line {line}, column {column}: not JSON: {fault}.",
            file=file,
            line=error.lineno,
            column=error.colno,
            fault=Typed(error.msg),
        )
        raise BattleFileError(BAD_FILE, [fault]) from error
    except RecursionError as error:
        fault = Say("{file}: nested too deeply. A battle file nests five levels at most.", file=file)
        raise BattleFileError(BAD_FILE, [fault]) from error
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        lone = Typed(ascii(error.object[error.start]))
        fault = Say("{file}: this is not text in UTF-8: the lone surrogate {letter}.", file=file, letter=lone)
        raise BattleFileError(BAD_FILE, [fault]) from error
    if not isinstance(data, dict):
        fault = Say("{file}: expected a JSON object, got {found}.", file=file, found=shown(data))
        raise BattleFileError(BAD_FILE, [fault])
    faults = _excess(data, file)
    if faults:
        raise BattleFileError(TOO_LARGE, faults)
    return data


class _DoubledError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class _NoFigureError(ValueError):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def _figure(text: str) -> int | float:
    """Return a number of a battle file: what is not finite, or longer than any figure, is none."""
    if len(text) <= _MOST_SIGNS and text.lstrip("-").isdigit():
        return int(text)
    if len(text) > _MOST_SIGNS or not math.isfinite(number := float(text)):
        raise _NoFigureError(text)
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys all differ: of two values of one key, nobody could tell which was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _value in pairs]
        raise _DoubledError(next(key for at, key in enumerate(names) if key in names[:at]))
    return found


def _excess(data: dict[str, Any], file: Typed) -> list[Say]:
    """Return what makes a battle too large to be worked: more lines of units, more units, more numbers than any board holds."""
    lines = units = 0
    left: list[Any] = [data[key] for key in _GROUPS if key in data]
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += one
        elif isinstance(one, dict):
            lines += 1
            count = one.get("count", 1)
            units += count if isinstance(count, int) and count > 0 else 0
            left += [one[key] for key in _GROUPS if key in one]
    faults = []
    if lines > MOST_LINES:
        faults.append(
            Say(
                "{file}: {n} lines of units are too many. A battle has {most} at most. Write units of one kind on one line.",
                file=file,
                n=lines,
                most=MOST_LINES,
            )
        )
    if units > MOST_UNITS:
        faults.append(
            Say(
                "{file}: {n} units are too many. A battle has {most} at most, cargo included.",
                file=file,
                n=units,
                most=MOST_UNITS,
            )
        )
    values = sum(1 for _value in _values(data))
    if not faults and values > _MOST_VALUES:
        faults.append(
            Say(
                "{file}: {n} values are too many. A battle file has {most} at most.",
                file=file,
                n=values,
                most=_MOST_VALUES,
            )
        )
    return faults


def _values(data: dict[str, Any]) -> Iterator[Any]:
    left: list[Any] = [data]
    while left:
        one = left.pop()
        yield one
        if isinstance(one, dict | list):
            left += one.values() if isinstance(one, dict) else one


def wrong(name: str, key: str, expected: Value, got: object) -> Say:
    """Say that a value of a file is not what it should be."""
    return Say(
        "{file}: {key}: expected {expected}, got {found}.",
        file=Typed(name),
        key=Typed(key),
        expected=expected,
        found=shown(got),
    )


def known_as(known: Iterable[str], got: object) -> Say:
    """Return what an unknown word should have been: every known one, and the nearest where one is near."""
    words = list(known)
    names = Several(tuple(map(Typed, words)), "comma")
    close = difflib.get_close_matches(got, words, n=1) if isinstance(got, str) else []
    if close:
        return Say("one of {names} (nearest: {name})", names=names, name=Typed(close[0]))
    return Say("one of {names}", names=names)


def ruling_faults(game: str, rulings: Mapping[str, str], name: str) -> list[Say]:
    """Return rulings and choices that a game does not know: a slip of the pen must not decide a battle."""
    text = resources.files(f"scenarios.{game}").joinpath("rulings.toml").read_text(encoding="utf-8")
    known = {ruling["id"]: ruling["choices"] for ruling in tomllib.loads(text)["rulings"]}
    faults = []
    for ruling, choice in rulings.items():
        if ruling not in known:
            faults.append(wrong(name, "rulings", known_as(known, ruling), ruling))
        elif choice not in known[ruling]:
            faults.append(wrong(name, f"rulings.{ruling}", known_as(known[ruling], choice), choice))
    return faults


def misfits(faults: Iterable[Fault]) -> list[Say]:
    """Return the faults of a conversion as sentences."""
    return [Say("{fault}", fault=Typed(str(fault))) for fault in faults]
