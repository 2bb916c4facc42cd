"""What a game may hold: its size, its nesting, the numbers and texts in it, asked of files and of play alike.

A file from elsewhere is asked before anything is kept; play is asked before an entry is stored, so that whatever is
played can be exported, opened and imported. Limits lie far above what play ever writes, and below what would hurt.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from companion.core.ids import MOST_MS
from companion.core.sound import Misfit
from companion.core.text import Say, Typed
from companion.session.errors import FileValueError
from companion.session.files import NotAFileError, explain, read_at_most
from companion.session.limits import MOST_DEPTH, is_deep_json

__all__ = [
    "MOST_ENTRIES",
    "MOST_FOLDED",
    "MOST_GAME",
    "MOST_LINE",
    "bounded_bytes",
    "bounded_json",
    "excess",
    "is_plain",
    "named_twice",
    "safe_stem",
]

MOST_ENTRIES = 50_000
"""Entries that a game may have; a long evening has a few thousand."""
MOST_GAME = 12 << 20
"""Bytes of all commands and events of a game as JSON: its file, which holds each twice, stays far below `MOST_FILE_BYTES`."""
MOST_FOLDED = 1_000_000
"""Entries that undos may fold again: seconds of work; an evening folds some thousands."""
MOST_LINE = 2 << 20
"""Bytes of one entry as a line of an exported game."""
_MOST_NUMBER = 100_000
"""The largest number of anything but time."""
_MOST_TEXT = 100_000
_MOST_NAME = 80
_MIB = 1 << 20
_TO_LOOK_AT = re.compile(rb'[0-9.](?:(?<=[0-9])(?<![0-9].)(?<!_ms":.)[0-9]{5}|[0-9]{12}|[eE])')
"""In JSON: numbers of six digits that are no times, of thirteen in any case, or with an exponent. It begins with what it looks for:
others take much longer."""


def bounded_bytes(path: Path, most: int) -> bytes:
    """Return the content of a file of at most so many bytes. FileValueError when it is larger or cannot be read."""
    try:
        data = read_at_most(path, most)
    except NotAFileError as fault:
        raise FileValueError(
            path, expected=Say("a file"), got=Say("something else"), hint=Say("choose another file")
        ) from fault
    except OSError as fault:
        text, hint = explain(fault)
        raise FileValueError(path, expected=Say("a readable file"), got=text, hint=hint) from fault
    if len(data) > most:
        raise FileValueError(
            path,
            expected=Say("at most {most} MB", most=most // _MIB),
            got=Say("a larger file"),
            hint=Say("choose another file"),
        )
    return data


def bounded_json(data: bytes, type_: Any = Any) -> Any:
    """Return what JSON holds; msgspec.ValidationError also where it nests too deeply to be read at all."""
    try:
        return msgspec.json.decode(data, type=type_)
    except RecursionError:
        raise msgspec.ValidationError(f"Expected at most {MOST_DEPTH} levels, got more") from None


def excess(value: Any, key: str = "") -> Misfit | None:
    """Return the first value in plain data that is out of bounds, with its place; None when all hold.

    Numbers below a key that ends in ``_ms``, and seeds, are times.
    """
    left: list[tuple[Any, str, int, int]] = [(value, key, 0, MOST_MS if _is_time(key) else _MOST_NUMBER)]
    while left:
        one, at, depth, most = left.pop()
        if isinstance(one, dict | list):
            if depth >= MOST_DEPTH:
                return Misfit(at[:_MOST_NAME], Say("at most {most} levels", most=MOST_DEPTH), Say("more"))
            inside = one.items() if isinstance(one, dict) else enumerate(one)
            for name, item in inside:
                within = f"{at}.{name}" if at else str(name)
                limit = MOST_MS if _is_time(str(name)) else most
                left.append((item, within, depth + 1, limit))
                if len(str(name)) > _MOST_NAME:
                    return Misfit(at[:_MOST_NAME], Say("shorter names of keys"), Say("more"))
        elif isinstance(one, str):
            if len(one) > _MOST_TEXT:
                return Misfit(at, Say("at most {most} letters", most=_MOST_TEXT), len(one))
        elif isinstance(one, int | float) and not -most <= one <= most:
            got = Typed(str(one)) if abs(one) < 1 << 64 else Say("a number beyond 64 bits")
            return Misfit(at, Say("a number of at most {most}", most=Typed(str(most))), got)
    return None


def is_plain(data: bytes) -> bool:
    """Whether JSON can be seen to be within all bounds without being taken apart: `excess` finds nothing in it then.

    False says nothing: a long text, say, or a large number, has to be looked at.
    """
    if len(data) > _MOST_TEXT or is_deep_json(data) or _TO_LOOK_AT.search(data) is not None:
        return False
    # What is longer than a key may be, or has a quotation mark inside, where it may go on.
    return b'\\"' not in data and max(map(len, data.split(b'"'))) <= _MOST_NAME


def named_twice(text: str | bytes) -> str:
    """Return the first key that an object of a JSON text has twice; empty when each has its own."""
    twice: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, value in pairs:
            if key in seen:
                twice.append(key)
            seen[key] = value
        return seen

    json.loads(text, object_pairs_hook=look)
    return twice[0] if twice else ""


def safe_stem(text: str) -> str:
    """Return a text as the beginning of a file's name: one that leads nowhere, is not hidden and is not too long.

    Example:
        >>> safe_stem("../../etc/x"), safe_stem("2026-11 italy"), safe_stem("...")
        ('etc_x', '2026-11 italy', 'game')
    """
    plain = re.sub(r"[^\w ,()+-]", "_", text.encode("utf-8", "replace").decode()).strip(" _")
    return plain[:_MOST_NAME].strip(" _") or "game"


def _is_time(key: str) -> bool:
    return key.endswith("_ms") or key == "seed"
