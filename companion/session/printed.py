"""Printed values of the table's own boxes: entered once, used for every later game, carried to other boxes.

One JSON file a game in the data folder. Values are taken as they are; whether one fits is the rules' matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.core.collecting import convert, shown
from companion.core.commands import EnterPrintedValue
from companion.core.history import Entry
from companion.core.scenario import Fault
from companion.core.text import Say, Typed
from companion.session.bounds import bounded_bytes
from companion.session.errors import FileValueError
from companion.session.files import copy_verified, write_whole
from companion.session.settings import json_object, read_json_object, set_aside

__all__ = ["PrintedValues"]

_FORMAT = "table-companion-printed-values"
_VERSION = 1
_MOST_BYTES = 4 << 20
_THEN = Say("Its printed values are ignored.")


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    version: int
    game: str
    values: dict[str, Any]


class PrintedValues:
    """The remembered printed values of every game."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when the first value is remembered."""
        self._folder = folder
        self._warning: Say | None = None

    def of(self, game: str) -> dict[str, Any]:
        """Return the remembered values of a game."""
        path = self._path(game)
        found, warning = read_json_object(path, _THEN)
        if not found:
            self._warning = warning or self._warning
            return {}
        document = _document(found, path.name, game)
        if isinstance(document, tuple):
            self._warning = set_aside(path, document, _THEN)
            return {}
        return document.values

    def take_warning(self) -> Say | None:
        """Return what happened to a damaged file that was met last, and forget it; None when none was."""
        warning, self._warning = self._warning, None
        return warning

    def remember(self, game: str, entries: tuple[Entry, ...]) -> None:
        """Remember what was entered in a game; None takes a value back. OSError when the place takes no file."""
        entered = {
            entry.command.key: entry.command.value
            for entry in entries
            if isinstance(entry.command, EnterPrintedValue)
        }
        if entered:
            merged = {**self.of(game), **entered}
            self._write(game, {key: value for key, value in merged.items() if value is not None})

    def export(self, game: str, to: Path) -> Path:
        """Copy the values of a game into a folder or under a name, read back. CopyError when it fails."""
        if not self._path(game).exists():
            self._write(game, {})
        target = to / self._path(game).name if to.is_dir() else to
        copy_verified(self._path(game), target)
        return target

    def import_file(self, path: Path) -> tuple[str, int]:
        """Take the values of another box; theirs win. Returns the game and how many.

        FileValueError when it is no such file.
        """
        document = _read(path)
        self.take(document.game, document.values)
        return document.game, len(document.values)

    def take(self, game: str, values: Mapping[str, Any]) -> None:
        """Take values of another box; theirs win. OSError when the place takes no file."""
        self._write(game, {**self.of(game), **values})

    def _path(self, game: str) -> Path:
        return self._folder / f"{game}.json"

    def _write(self, game: str, values: dict[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        document = _Document(_FORMAT, _VERSION, game, dict(sorted(values.items())))
        write_whole(self._path(game), msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def _read(path: Path) -> _Document:
    found = json_object(bounded_bytes(path, _MOST_BYTES), path.name)
    document = (found,) if isinstance(found, Fault) else _document(found, path.name)
    if isinstance(document, tuple):
        first = document[0]
        version = found.get("version") if isinstance(found, dict) else None
        newer = isinstance(version, int) and version > _VERSION
        raise FileValueError(
            path,
            line=first.line,
            key=first.key,
            expected=Say("{value}", value=first.expected),
            got=Say("{value}", value=first.got),
            hint=Say("update Table Companion") if newer else None,
        )
    return document


def _document(found: dict[str, Any], file: str, game: str = "") -> _Document | tuple[Fault, ...]:
    """Return what a file of printed values says, or everything that is wrong with it; of any game, or of one."""
    value, faults = convert(found, _Document, file)
    if faults:
        return faults
    document: _Document = value
    wrong: list[Fault] = []
    if document.format != _FORMAT:
        wrong.append(Fault(file, "format", Typed(_FORMAT), shown(document.format)))
    if document.version > _VERSION:
        wrong.append(Fault(file, "version", Say("{most} or less", most=_VERSION), document.version))
    elif document.version < 1:
        wrong.append(Fault(file, "version", Say("{least} or more", least=1), document.version))
    if not document.game.isidentifier():
        wrong.append(Fault(file, "game", Say("the key of a game"), shown(document.game)))
    elif game and document.game != game:
        wrong.append(Fault(file, "game", Typed(game), shown(document.game)))
    return tuple(wrong) or document
