"""What a data folder offers: the values between data files, a game's package and the shell.

The shell reads files and knows no game; a game package knows its files' meaning and reads none. They meet in a
`Family`: the game names its tables, checks them against each other and freezes a `Setup`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from companion.core.setup import Setup
from companion.core.text import Name, Say, Typed, Value

__all__ = [
    "NOTHING",
    "OPTIONS",
    "DataError",
    "Family",
    "Fault",
    "GameData",
    "ScenarioInfo",
]

OPTIONS = "options"
"""Stands for a file where an option of a new game is at fault."""

NOTHING = Say("nothing")
"""What is there in place of a value that is missing."""


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong in a data file or in the options of a new game.

    Example:
        >>> fault = Fault("sfw96/italy.toml", "stages[1].first_side", Say("a side"), Typed("Axis"))
        >>> str(fault)
        'sfw96/italy.toml: stages[1].first_side: expected a side, got Axis'
        >>> str(fault.say)
        'sfw96/italy.toml, stages[1].first_side: expected a side, got Axis.'
    """

    file: str
    """File as the user knows it, such as ``sfw96/italy.toml``, or `OPTIONS`."""
    key: str
    """Where in it, such as ``stages[1].first_side``; empty: the file as a whole."""
    expected: Value
    got: Value = NOTHING
    line: int = 0
    """Line of the file, where that is known."""

    @property
    def say(self) -> Say:
        """Return the fault as one sentence."""
        file, key, line = Typed(self.file), Typed(self.key), self.line
        expected, got = self.expected, self.got
        if self.file == OPTIONS:
            option = Name("option", self.key)
            return Say("{option}: expected {expected}, got {got}.", option=option, expected=expected, got=got)
        if self.key and line:
            return Say(
                "{file}, {key} (line {line}): expected {expected}, got {got}.",
                file=file,
                key=key,
                line=line,
                expected=expected,
                got=got,
            )
        if self.key:
            return Say(
                "{file}, {key}: expected {expected}, got {got}.",
                file=file,
                key=key,
                expected=expected,
                got=got,
            )
        if line:
            return Say(
                "{file}, line {line}: expected {expected}, got {got}.",
                file=file,
                line=line,
                expected=expected,
                got=got,
            )
        return Say("{file}: expected {expected}, got {got}.", file=file, expected=expected, got=got)

    def __str__(self) -> str:
        """Return the fault as one line of English, for the command line and logs."""
        where = [self.file, *([f"line {self.line}"] if self.line else []), *([self.key] if self.key else [])]
        return f"{': '.join(where)}: expected {_plain(self.expected)}, got {_plain(self.got)}"


def _plain(value: Value) -> str:
    return str(Say("{value}", value=value))


class DataError(ValueError):
    """Broken data or options; the text lists every fault, one a line, and what to do next."""

    def __init__(self, faults: Iterable[Fault], hint: Say | None = None) -> None:
        """Keep the faults; `hint` says what to do next."""
        self.faults = tuple(faults)
        self.hint = hint
        super().__init__("\n".join(map(str, (*self.faults, *((hint,) if hint is not None else ())))))


class ScenarioInfo(msgspec.Struct, frozen=True):
    """A scenario that can be started, as New game lists it."""

    game: str
    scenario: str
    title: str
    game_title: str
    players: tuple[int, int]
    """Fewest and most players."""
    minutes: tuple[int, int] | None
    """Playing time as the box states it; None when it states none."""
    stages: int
    options: Mapping[str, tuple[Any, ...]]
    """Option name to the values it may take, the default first."""
    summary: str = ""
    option_names: Mapping[str, str] = {}
    """The game's own name for an option, where it has one."""
    names_players: bool = False
    """Its sides are the players themselves, by name."""
    controls: tuple[Any, ...] = ()
    """Time controls that it can be played with (`companion.core.presets.ControlPreset`)."""


class GameData(msgspec.Struct, frozen=True):
    """A game's data files, read and converted; what could not be converted is missing."""

    game: str
    raw: dict[str, dict[str, Any]]
    """File stem to its parsed content."""
    tables: dict[str, Any]
    """Stem of a shared file to its converted value."""
    scenarios: dict[str, Any]
    """Stem of a scenario file to its converted value."""
    digests: dict[str, str]
    """Stem of every file that is there to the SHA-256 of its bytes; empty where it could not be read."""

    def file(self, stem: str) -> str:
        """Return a file's name as faults give it."""
        return f"{self.game}/{stem}.toml"


class Family(Protocol):
    """What a game package offers to the loader. Pure: no file is read here."""

    game: str
    tables: Mapping[str, type[Any]]
    """Stem of every shared file to the type it converts to; every other file is a scenario.

    A family may name in a collection `spare` those without which its scenarios can be played: a faulty one is then
    absent from the data that it gets.
    """
    scenario: type[Any]
    """The type of a scenario file."""

    def check(self, data: GameData) -> Iterable[Fault]:
        """Check converted files against each other; files that could not be converted are absent."""
        ...

    def order(self, data: GameData) -> Iterable[str]:
        """Return scenarios in the order in which New game lists them; others follow. Shared files are sound here."""
        ...

    def info(self, data: GameData, scenario: str) -> ScenarioInfo:
        """Describe a scenario for New game."""
        ...

    def make_setup(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game; DataError with every fault of the options. The loader adds the data's hash."""
        ...
