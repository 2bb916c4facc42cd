"""Convert plain data to typed values and name every fault at once.

msgspec stops at the first fault; a person who edits a file wants them all. Where a conversion fails, the type's
description is walked beside the data and each leaf that does not fit becomes a `Fault` with its key.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import inspect as mi

from companion.core.scenario import Fault

__all__ = ["STAND_IN", "convert", "one_of", "repaired", "shown"]

STAND_IN = "\ufffd"
"""Text put where a text does not fit, so that what follows from it alone can be told apart."""

_SHOWN = 60


def convert(data: Any, type_: Any, file: str, key: str = "") -> tuple[Any, tuple[Fault, ...]]:
    """Return the converted value and no faults, or None and every fault found; `key` is where the data stand."""
    try:
        return msgspec.convert(data, type_), ()
    except msgspec.ValidationError as error:
        faults: list[Fault] = []
        _walk(data, mi.type_info(type_), key, file, faults)
        if not faults:
            faults.append(Fault(file, key or "(whole file)", str(error), shown(data)))
        return None, tuple(faults)


def one_of(known: Iterable[str], got: object) -> str:
    """Return what an unknown name should have been: every known one, and the nearest where one is near."""
    names = list(known)
    close = difflib.get_close_matches(str(got), names, n=1)
    nearest = f" (nearest: {close[0]})" if close else ""
    return f"one of {', '.join(names)}{nearest}"


def repaired(data: Any, type_: Any) -> Any | None:
    """Return broken data with a stand-in wherever something does not fit, or None where that does not help.

    Only for looking further: faults that show between tables are found in the same pass as those of single values.
    """
    info = mi.type_info(type_)
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
        case mi.ListType() | mi.VarTupleType() if isinstance(data, list):
            return [_mend(item, info.item_type) for item in data]
        case mi.TupleType() if isinstance(data, list) and len(data) == len(info.item_types):
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
            return []
        case mi.TupleType():
            return [_stand_in(item) for item in info.item_types]
        case mi.StructType():
            return {field.encode_name: _stand_in(field.type) for field in info.fields if field.required}
        case _:
            return None


def shown(value: Any) -> str:
    """Return a value as a person would write it in the file, cut where it is long."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, dict):
        text = "a table (" + ", ".join(map(str, value)) + ")"
    elif isinstance(value, list):
        text = "[" + ", ".join(shown(item) for item in value) + "]"
    else:
        text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _walk(data: Any, info: mi.Type, key: str, file: str, faults: list[Fault]) -> None:
    """Add a fault for every leaf below `key` that does not fit."""
    before = len(faults)
    match info:
        case mi.StructType() if isinstance(data, dict):
            _walk_struct(data, info, key, file, faults)
        case mi.DictType() if isinstance(data, dict):
            for name, value in data.items():
                _walk(name, info.key_type, f"{_join(key, name)} (the key itself)", file, faults)
                _walk(value, info.value_type, _join(key, name), file, faults)
        case mi.ListType() | mi.VarTupleType() if isinstance(data, list):
            for i, item in enumerate(data):
                _walk(item, info.item_type, f"{key}[{i}]", file, faults)
        case mi.TupleType() if isinstance(data, list) and len(data) == len(info.item_types):
            for i, (item, item_info) in enumerate(zip(data, info.item_types, strict=True)):
                _walk(item, item_info, f"{key}[{i}]", file, faults)
        case mi.UnionType():
            fitting = [option for option in info.types if _is_alike(data, option)]
            if len(fitting) == 1:
                _walk(data, fitting[0], key, file, faults)
    if len(faults) == before:
        error = _error(data, info)
        if error is not None:
            faults.append(Fault(file, key or "(whole file)", error, shown(data)))


def _walk_struct(data: dict[str, Any], info: mi.StructType, key: str, file: str, faults: list[Fault]) -> None:
    fields = {field.encode_name: field for field in info.fields}
    for name in data:
        if name not in fields:
            faults.append(Fault(file, _join(key, name), one_of(fields, name), shown(str(name))))
    for name, field in fields.items():
        if name in data:
            _walk(data[name], field.type, _join(key, name), file, faults)
        elif field.required:
            faults.append(Fault(file, _join(key, name), expected(field.type), "nothing"))


def _is_alike(data: Any, info: mi.Type) -> bool:
    """Say whether data has the outer form of a type, so that its faults are worth naming one by one."""
    match info:
        case mi.StructType() | mi.DictType():
            return isinstance(data, dict)
        case mi.ListType() | mi.VarTupleType() | mi.TupleType():
            return isinstance(data, list)
        case _:
            return False


def _error(data: Any, info: mi.Type) -> str | None:
    """Return what a value should have been, or None when it fits as far as can be told here."""
    match info:
        case mi.StructType() if isinstance(data, dict):
            if any(name not in {f.encode_name for f in info.fields} for name in data):
                return None  # its own fault already
            try:
                msgspec.convert(data, info.cls)
            except msgspec.ValidationError as error:
                return str(error).split(" - at ")[0]
            return None
        case mi.LiteralType():
            return None if data in info.values else expected(info)
        case mi.EnumType():
            return None if data in [item.value for item in info.cls] else expected(info)
        case mi.IntType():
            fits = isinstance(data, int) and not isinstance(data, bool)
            return None if fits and _is_within(data, info) else expected(info)
        case mi.FloatType():
            fits = isinstance(data, int | float) and not isinstance(data, bool)
            return None if fits and _is_within(data, info) else expected(info)
        case mi.StrType():
            fits = isinstance(data, str) and len(data) >= (info.min_length or 0)
            return None if fits else expected(info)
        case mi.BoolType():
            return None if isinstance(data, bool) else expected(info)
        case mi.NoneType():
            return None if data is None else expected(info)
        case mi.UnionType():
            return None if any(_error(data, option) is None for option in info.types) else expected(info)
        case mi.DictType():
            return None if isinstance(data, dict) else expected(info)
        case mi.ListType() | mi.VarTupleType():
            return None if isinstance(data, list) else expected(info)
        case mi.TupleType():
            return None if isinstance(data, list) and len(data) == len(info.item_types) else expected(info)
        case mi.StructType():
            return expected(info)
        case _:
            return None


def _is_within(value: float, info: mi.IntType | mi.FloatType) -> bool:
    return not (
        (info.ge is not None and value < info.ge)
        or (info.gt is not None and value <= info.gt)
        or (info.le is not None and value > info.le)
        or (info.lt is not None and value >= info.lt)
    )


def expected(info: mi.Type) -> str:
    """Return a type in a person's words."""
    match info:
        case mi.LiteralType():
            return "one of " + ", ".join(repr(value) for value in info.values)
        case mi.EnumType():
            return "one of " + ", ".join(repr(item.value) for item in info.cls)
        case mi.IntType():
            return "a whole number" + _range(info)
        case mi.FloatType():
            return "a number" + _range(info)
        case mi.StrType():
            return "a text" + (" that is not empty" if info.min_length else "")
        case mi.BoolType():
            return "true or false"
        case mi.NoneType():
            return "nothing"
        case mi.UnionType():
            return " or ".join(
                expected(option) for option in info.types if not isinstance(option, mi.NoneType)
            )
        case mi.TupleType():
            return "a list of " + str(len(info.item_types)) + ": " + ", ".join(map(expected, info.item_types))
        case mi.ListType() | mi.VarTupleType():
            return "a list, each " + expected(info.item_type)
        case mi.DictType() | mi.StructType():
            return "a table"
        case _:
            return "a value"


def _range(info: mi.IntType | mi.FloatType) -> str:
    parts = [
        f"{words} {limit:g}"
        for words, limit in (
            ("at least", info.ge),
            ("above", info.gt),
            ("at most", info.le),
            ("below", info.lt),
        )
        if limit is not None
    ]
    return " " + " and ".join(parts) if parts else ""


def _join(key: str, name: Any) -> str:
    return f"{key}.{name}" if key else str(name)
