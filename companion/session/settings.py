"""Settings of this box: one small JSON file that is always whole."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.core.collecting import convert, one_of
from companion.core.plaintext import NoTextError, long_number, text_of
from companion.core.scenario import Fault
from companion.core.text import Say, Typed, Value, several
from companion.session.bounds import named_twice
from companion.session.files import aside_path, explain, read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES, is_deep_json

__all__ = ["DEFAULTS_HOLD", "Settings", "json_object", "read_json_object", "set_aside"]

DEFAULTS_HOLD = Say("The default settings are used.")
_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
"""Errors of the machine of the moment, which say nothing of the file."""


class Settings:
    """Named values that survive. A damaged file is set aside and the defaults hold again."""

    def __init__(
        self,
        path: Path,
        defaults: Mapping[str, Any] | None = None,
        kinds: Mapping[str, Any] | None = None,
        *,
        is_strict: bool = False,
    ) -> None:
        """Read the file; `warning` says what happened to a damaged one, and which values are of a wrong kind.

        Args:
            kinds: Setting to the type of its value, as far as it is known; a value of another one counts for nothing.
            is_strict: `kinds` has every setting there is; one of another name is named and counts for nothing.

        What counts for nothing stays in the file, to be corrected there.
        """
        self._path = path
        self._defaults = dict(defaults or {})
        found, self.warning = read_json_object(path)
        kinds = kinds or {}
        faults: list[Fault] = []
        self._wrong: dict[str, Any] = {}
        for name, value in found.items():
            if name in kinds:
                wrong = convert(value, kinds[name], path.name, name)[1]
            elif is_strict:
                wrong = (Fault(path.name, name, one_of(sorted(kinds), name), Typed(name)),)
            else:
                wrong = ()
            if wrong:
                faults += wrong
                self._wrong[name] = value
        self._values = {name: value for name, value in found.items() if name not in self._wrong}
        if faults:
            self.warning = Say(
                "{faults} {then}", faults=several((f.say for f in faults), "sentences"), then=DEFAULTS_HOLD
            )

    def all(self) -> dict[str, Any]:
        """Return every setting, defaults included."""
        return {**self._defaults, **self._values}

    def change(self, name: str, value: Any) -> None:
        """Store one setting; None brings the default back.

        OSError when the place takes no file: the value holds until the program ends.
        """
        values = {key: held for key, held in self._values.items() if key != name}
        if value is not None:
            values[name] = value
        self._values = values
        self._wrong.pop(name, None)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(
            self._path, msgspec.json.format(msgspec.json.encode(self._wrong | values), indent=2) + b"\n"
        )


def read_json_object(path: Path, then: Say = DEFAULTS_HOLD) -> tuple[dict[str, Any], Say | None]:
    """Return the object of a JSON file and no warning, or, of a damaged one, nothing and what happened to it.

    A missing file is an empty object. A damaged file, and what stands there and cannot be read, is renamed, never
    overwritten. `then` ends the warning: what holds in its stead.
    """
    try:
        data = read_at_most(path, MOST_SMALL_BYTES)
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        told = Say("{file} cannot be read: {why}.", file=Typed(path.name), why=explain(error)[0])
        if error.errno in _PASSING:
            return {}, Say("{faults} {then}", faults=told, then=then)
        return {}, _moved_aside(path, told, then)
    found = json_object(data, path.name)
    return ({}, set_aside(path, (found,), then)) if isinstance(found, Fault) else (found, None)


def json_object(data: bytes, file: str) -> dict[str, Any] | Fault:
    """Return the object that a JSON file holds, in whatever encoding, or what is wrong with it."""
    if len(data) > MOST_SMALL_BYTES:
        most = Say("at most {most} MB", most=MOST_SMALL_BYTES >> 20)
        return Fault(file, "", most, Say("a larger file"))
    try:
        text = text_of(data)
        if is_deep_json(text):  # each Python stops at another depth, if at all
            return _too_deep(file)
        found = msgspec.json.decode(text)
        twice = named_twice(text)
    except NoTextError as error:
        return Fault(file, "", error.expected, error.got, error.line)
    except (msgspec.MsgspecError, ValueError) as error:
        if (number := long_number(text)) is not None:
            return Fault(file, "", number.expected, number.got, number.line)
        return Fault(file, "", Say("JSON ({reason})", reason=Typed(str(error))), _shown(data))
    if not isinstance(found, dict):
        return Fault(file, "", Say("an object"), _shown(data))
    if twice:
        return Fault(file, twice, Say("each key once"), Say("the key twice"))
    return found


def _too_deep(file: str) -> Fault:
    return Fault(file, "", Say("an object nested only a few levels deep"), Say("lists nested too deeply"))


def _shown(data: bytes) -> Value:
    """Return the beginning of a file, to be known by."""
    text = " ".join(data[:200].decode("utf-8", "replace").split())
    return Typed(text[:40]) if text else Say("an empty file")


def set_aside(path: Path, found: Iterable[Fault], then: Say) -> Say:
    """Rename a file with faults so that it is not written over; return what happened in words."""
    return _moved_aside(path, several((fault.say for fault in found), "sentences"), then)


def _moved_aside(path: Path, faults: Value, then: Say) -> Say:
    kept = aside_path(path)
    try:
        path.replace(kept)
    except OSError:
        return Say("{faults} {then}", faults=faults, then=then)
    return Say("{faults} The file is kept as {kept}. {then}", faults=faults, kept=Typed(kept.name), then=then)
