"""Convert plain data to typed values and name every fault at once.

msgspec stops at the first fault; a person who edits a file wants them all. Where a conversion fails, the type's
description is walked beside the data and each leaf that does not fit becomes a `Fault` with its key.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import isfinite
from typing import Any

import msgspec
from msgspec import inspect as mi

from companion.core.scenario import NOTHING, Fault, GameData
from companion.core.text import Say, Typed, Value, several

__all__ = [
    "STAND_IN",
    "convert",
    "each_once",
    "expected",
    "join",
    "one_of",
    "repaired",
    "shown",
    "wrong_names",
]

STAND_IN = "\ufffd"
"""Text put where a text does not fit, so that what follows from it alone can be told apart."""

_SHOWN = 60
_LARGEST = 2**53
"""Whole numbers beyond this do not survive a file that others read."""
_WORD = re.compile(r"(?!(?:true|false|nan|inf)\Z)[^\W\d](?:[\w .,:/-]*[\w.])?")


def convert(data: Any, type_: Any, file: str, key: str = "") -> tuple[Any, tuple[Fault, ...]]:
    """Return the converted value and no faults, or None and every fault found; `key` is where the data stand.

    Keys that a type does not know are faults everywhere, whatever the type itself says about them.
    """
    faults: list[Fault] = []
    _walk(data, _info(type_), key, file, faults)
    if not faults:
        try:
            return msgspec.convert(data, type_), ()
        except msgspec.ValidationError as error:
            faults.append(Fault(file, key, Typed(str(error)), shown(data)))
    return None, tuple(faults)


def each_once(file: str, key: str, ids: Iterable[str]) -> Iterator[Fault]:
    """Yield a fault for every id that stands in a list more than once."""
    for id_, count in Counter(ids).items():
        if count > 1:
            got = Say("{id} {count} times", id=shown(id_), count=count)
            yield Fault(file, key, Say("each id once"), got)


def wrong_names(data: GameData) -> Iterator[Fault]:
    """Yield a fault for every scenario that does not bear the name of its file."""
    for stem, row in data.scenarios.items():
        if row.scenario != stem:
            wanted = Say("the name of the file, {name}", name=Typed(stem))
            yield Fault(data.file(stem), "scenario", wanted, Typed(row.scenario))


_info = cache(mi.type_info)


def one_of(known: Iterable[str | Value], got: object = None) -> Say:
    """Return what a value should have been: one of some, and the name nearest to `got` where one is near.

    Example:
        >>> str(one_of(("allies", "axis")))
        'allies or axis'
        >>> str(one_of(("north", "south", "west"), "wets"))
        'one of north, south, west (nearest: west)'
    """
    items = list(known)
    names = several((Typed(item) if isinstance(item, str) else item for item in items), "comma")
    words = [item for item in items if isinstance(item, str)]
    close = difflib.get_close_matches(str(got), words, n=1) if got is not None else []
    if close and len(items) > 1:
        return Say("one of {names} (nearest: {name})", names=names, name=Typed(close[0]))
    match names.items:
        case ():
            return NOTHING
        case (only,):
            return Say("{value}", value=only)
        case (first, last):
            return Say("{first} or {last}", first=first, last=last)
        case _:
            return Say("one of {names}", names=names)


def repaired(data: Any, type_: Any) -> Any | None:
    """Return broken data with a stand-in wherever something does not fit, or None where that does not help.

    Only for looking further: faults that show between tables are found in the same pass as those of single values.
    """
    info = _info(type_)
    mended = _mend(data, info)
    try:
        msgspec.convert(mended, type_)
    except msgspec.ValidationError:
        return None
    return mended


def _mend(data: Any, info: mi.Type) -> Any:
    match info:
        case mi.StructType() if isinstance(data, dict):
            fields = {field.encode_name: field for field in info.fields}
            kept = {name: _mend(value, fields[name].type) for name, value in data.items() if name in fields}
            lacking = {n: _stand_in(f.type) for n, f in fields.items() if f.required and n not in data}
            return {**kept, **lacking}
        case mi.DictType() if isinstance(data, dict):
            return {name: _mend(value, info.value_type) for name, value in data.items()}
        case mi.ListType() | mi.VarTupleType() if isinstance(data, list | tuple) and len(data) >= (
            info.min_length or 0
        ):
            return [_mend(item, info.item_type) for item in data]
        case mi.TupleType() if isinstance(data, list | tuple) and len(data) == len(info.item_types):
            return [_mend(item, of) for item, of in zip(data, info.item_types, strict=True)]
        case mi.UnionType():
            fitting = [option for option in info.types if _is_alike(data, option)]
            if len(fitting) == 1:
                return _mend(data, fitting[0])
    return data if _error(data, info) is None else _stand_in(info)


def _stand_in(info: mi.Type) -> Any:
    """Return the plainest value of a type."""
    match info:
        case mi.LiteralType():
            return info.values[0]
        case mi.EnumType():
            return next(iter(info.cls)).value
        case mi.IntType() | mi.FloatType():
            return info.ge if info.ge is not None else info.gt + 1 if info.gt is not None else 0
        case mi.StrType():
            return STAND_IN
        case mi.BoolType():
            return False
        case mi.UnionType():
            is_optional = any(isinstance(option, mi.NoneType) for option in info.types)
            return None if is_optional else _stand_in(info.types[0])
        case mi.DictType():
            return {}
        case mi.ListType() | mi.VarTupleType():
            return [_stand_in(info.item_type)] * (info.min_length or 0)
        case mi.TupleType():
            return [_stand_in(item) for item in info.item_types]
        case mi.StructType():
            return {field.encode_name: _stand_in(field.type) for field in info.fields if field.required}
        case _:
            return None


def shown(value: Any) -> Say | Typed:
    """Return a value as a person would write it in the file, cut where it is long.

    Example:
        >>> [str(Say("{v}", v=shown(value))) for value in ("axis", "22", "", True, [1, "a b"], {"x": 1})]
        ['axis', "'22'", "''", 'true', '[1, a b]', 'a table (x)']
    """
    if value is None:
        return NOTHING
    if isinstance(value, Mapping):
        names = Typed(_cut(", ".join(map(str, value))))
        return Say("a table ({names})", names=names) if value else Say("an empty table")
    return Typed(_cut(_written(value)))


def _written(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value if _WORD.fullmatch(value) else repr(value)
        case list() | tuple():
            return f"[{', '.join(map(_written, value))}]"
        case Mapping():
            return f"{{{', '.join(map(str, value))}}}"
        case _:
            return str(value)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _walk(data: Any, info: mi.Type, key: str, file: str, faults: list[Fault]) -> None:
    """Add a fault for every leaf below `key` that does not fit."""
    before = len(faults)
    match info:
        case mi.StructType() if isinstance(data, dict):
            _walk_struct(data, info, key, file, faults)
        case mi.DictType() if isinstance(data, dict):
            for name, value in data.items():
                _walk(name, info.key_type, join(key, name), file, faults)
                _walk(value, info.value_type, join(key, name), file, faults)
        case mi.ListType() | mi.VarTupleType() if isinstance(data, list | tuple):
            for i, item in enumerate(data):
                _walk(item, info.item_type, f"{key}[{i}]", file, faults)
        case mi.TupleType() if isinstance(data, list | tuple) and len(data) == len(info.item_types):
            for i, (item, item_info) in enumerate(zip(data, info.item_types, strict=True)):
                _walk(item, item_info, f"{key}[{i}]", file, faults)
        case mi.UnionType():
            fitting = [option for option in info.types if _is_alike(data, option)]
            if len(fitting) == 1:
                _walk(data, fitting[0], key, file, faults)
    if len(faults) == before:
        error = _error(data, info)
        if error is not None:
            faults.append(Fault(file, key, error, shown(data)))


def _walk_struct(data: dict[str, Any], info: mi.StructType, key: str, file: str, faults: list[Fault]) -> None:
    fields = {field.encode_name: field for field in info.fields}
    for name in data:
        if name not in fields:
            faults.append(Fault(file, join(key, name), one_of(fields, name), Typed(str(name))))
    for name, field in fields.items():
        if name in data:
            _walk(data[name], field.type, join(key, name), file, faults)
        elif field.required:
            faults.append(Fault(file, join(key, name), expected(field.type)))


def _is_alike(data: Any, info: mi.Type) -> bool:
    """Say whether data has the outer form of a type, so that its faults are worth naming one by one."""
    match info:
        case mi.StructType() | mi.DictType():
            return isinstance(data, dict)
        case mi.ListType() | mi.VarTupleType() | mi.TupleType():
            return isinstance(data, list | tuple)
        case _:
            return False


def _error(data: Any, info: mi.Type) -> Value | None:
    """Return what a value should have been, or None when it fits as far as can be told here."""
    match info:
        case mi.StructType() if isinstance(data, dict):
            if any(name not in {f.encode_name for f in info.fields} for name in data):
                return None  # its own fault already
            try:
                msgspec.convert(data, info.cls)
            except msgspec.ValidationError as error:
                return Typed(str(error).split(" - at ")[0])
            return None
        case mi.LiteralType():
            fits = isinstance(data, str | int) and not isinstance(data, bool) and data in info.values
        case mi.EnumType():
            fits = data in [item.value for item in info.cls]
        case mi.IntType():
            fits = isinstance(data, int) and not isinstance(data, bool) and abs(data) <= _LARGEST
            fits = fits and _is_within(data, info)
        case mi.FloatType():
            fits = isinstance(data, int | float) and not isinstance(data, bool)
            fits = fits and isfinite(data) and _is_within(data, info)
        case mi.StrType():
            fits = isinstance(data, str) and len(data) >= (info.min_length or 0)
        case mi.BoolType():
            fits = isinstance(data, bool)
        case mi.NoneType():
            fits = data is None
        case mi.UnionType():
            fits = any(_error(data, option) is None for option in info.types)
        case mi.DictType():
            fits = isinstance(data, dict)
        case mi.ListType() | mi.VarTupleType():
            fits = isinstance(data, list | tuple) and len(data) >= (info.min_length or 0)
        case mi.TupleType():
            fits = isinstance(data, list | tuple) and len(data) == len(info.item_types)
        case mi.StructType():
            fits = False
        case _:
            return None
    return None if fits else expected(info)


def _is_within(value: float, info: mi.IntType | mi.FloatType) -> bool:
    return not (
        (info.ge is not None and value < info.ge)
        or (info.gt is not None and value <= info.gt)
        or (info.le is not None and value > info.le)
        or (info.lt is not None and value >= info.lt)
    )


def expected(info: mi.Type) -> Say:
    """Return a type in a person's words."""
    match info:
        case mi.LiteralType():
            return one_of(map(str, info.values))
        case mi.EnumType():
            return one_of(str(item.value) for item in info.cls)
        case mi.IntType():
            return _whole(info)
        case mi.FloatType():
            return _number(info)
        case mi.StrType():
            return Say("a string that is not empty") if info.min_length else Say("a string")
        case mi.BoolType():
            return Say("true or false")
        case mi.NoneType():
            return NOTHING
        case mi.UnionType():
            return one_of(expected(option) for option in info.types if not isinstance(option, mi.NoneType))
        case mi.TupleType():
            kinds = several(map(expected, info.item_types), "comma")
            return Say("a list of {count}: {kinds}", count=len(kinds.items), kinds=kinds)
        case mi.ListType() | mi.VarTupleType():
            return Say("a list in which each entry is {kind}", kind=expected(info.item_type))
        case mi.DictType() | mi.StructType():
            return Say("a table")
        case _:
            return Say("a value")


def _whole(info: mi.IntType) -> Say:
    low = info.ge if info.ge is not None else None if info.gt is None else info.gt + 1
    high = info.le if info.le is not None else None if info.lt is None else info.lt - 1
    if low is not None and high is not None:
        return Say("a whole number from {low} to {high}", low=low, high=high)
    if low is not None:
        return Say("a whole number of {low} or more", low=low)
    if high is not None:
        return Say("a whole number of {high} or less", high=high)
    return Say("a whole number")


def _number(info: mi.FloatType) -> Say:
    if info.ge is not None and info.le is not None:
        return Say("a number from {low} to {high}", low=info.ge, high=info.le)
    if info.gt is not None and info.le is not None:
        return Say("a number above {low} and up to {high}", low=info.gt, high=info.le)
    if info.ge is not None:
        return Say("a number of {low} or more", low=info.ge)
    return Say("a number")


def join(key: str, name: object) -> str:
    """Return the key of a value below another."""
    return f"{key}.{name}" if key else str(name)
