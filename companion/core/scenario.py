"""What a data folder offers: the values between data files, a game's package and the shell.

The shell reads files and knows no game; a game package knows its files' meaning and reads none. They meet in a
`Family`: the game names its tables, checks them against each other and freezes a `Setup`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from companion.core.setup import Setup

__all__ = ["DataError", "Family", "Fault", "GameData", "ScenarioInfo"]


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong in a data file or in the options of a new game."""

    file: str
    """File as the user knows it, such as ``sfw96/italy.toml``, or ``options``."""
    key: str
    """Where in it: ``stages[1].first_side``, or ``line 12, column 4`` where it is no TOML at all."""
    expected: str
    got: str

    def __str__(self) -> str:
        """Return the fault as one line."""
        return f"{self.file}: {self.key}: expected {self.expected}, got {self.got}"


class DataError(ValueError):
    """Broken data or options; the text lists every fault, one a line, and what to do next."""

    def __init__(self, faults: Iterable[Fault], hint: str = "") -> None:
        """Keep the faults; `hint` says what to do next."""
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults]
        super().__init__("\n".join([*lines, hint] if hint else lines))


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


class GameData(msgspec.Struct, frozen=True):
    """A game's data files, read and converted; what could not be converted is missing."""

    game: str
    raw: dict[str, dict[str, Any]]
    """File stem to its parsed content."""
    tables: dict[str, Any]
    """Stem of a shared file to its converted value (plain data where the family names no type)."""
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
    tables: Mapping[str, type[Any] | None]
    """Stem of every shared file to the type it converts to; None leaves it as plain data. Others are scenarios."""
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
