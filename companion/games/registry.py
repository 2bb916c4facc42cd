"""Every game that the app knows: one folder a family, found by its ``game.py``; no list to keep.

A folder beside these, or one that `companion.games.__path__` was extended with, is a game as soon as it has a ``game.py``
with `GAMES`, one `GameModule` a key. What a game is made of is imported inside functions there, when it is first asked for:
the first picture waits for the list of all games, and everything of all games takes five times as long to load (measured:
1.6 s of a processor against 0.25 s).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from companion import games
from companion.core.rules import GameRules
from companion.pages.modules import GameModule, provide

__all__ = ["find", "games_by_key", "rules_for"]


def find() -> Iterator[GameModule]:
    """Yield every game of every folder that has a ``game.py``."""
    for folder in pkgutil.iter_modules(games.__path__, f"{games.__name__}."):
        if folder.ispkg and importlib.util.find_spec(f"{folder.name}.game") is not None:
            yield from importlib.import_module(f"{folder.name}.game").GAMES


@cache
def games_by_key() -> Mapping[str, GameModule]:
    """Return the games by key, in the order in which New game lists them."""
    return {game.key: game for game in sorted(find(), key=lambda game: game.rank)}


def rules_for(game: str) -> GameRules:
    """Return the rules of a game; KeyError that names the known games when there is no such game."""
    found = games_by_key().get(game)
    if found is None:
        raise KeyError(f"game {game!r} is unknown; expected one of {', '.join(games_by_key())}")
    rules = found.rules()
    rules.version = _digest(found.rules.__module__.rpartition(".")[0])
    return rules


@cache
def _digest(family: str) -> str:
    """Return eight digits of everything that decides in a game: the source of the core and of the family's rules.

    A figure kept by hand would be forgotten; data of a scenario need none, since a game carries its own.
    """
    found = hashlib.sha256()
    for file in (*_sources("companion.core"), *_sources(f"{family}.rules")):
        found.update(f"{file.name}\0".encode() + file.read_bytes())
    return found.hexdigest()[:8]


def _sources(name: str) -> tuple[Path, ...]:
    """Return the source files of a module, or of a folder's modules by name; rules of a small game are one file."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(name)
    origin = Path(spec.origin)
    return tuple(sorted(origin.parent.glob("*.py"))) if spec.submodule_search_locations else (origin,)


provide(games_by_key)
