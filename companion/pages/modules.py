"""What a game offers to the app as one value, and where the shared pages find the one of an open game.

A game's folder has ``game.py`` with `GAMES`, one `GameModule` a key. The registry of the games finds the folders and hands
them in here; nothing shared names a game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from companion.core.commands import Command
from companion.core.ids import Side
from companion.core.judgement import Need
from companion.core.rules import GameRules
from companion.core.scenario import Family
from companion.core.secrecy import Secrets
from companion.core.state import GameState
from companion.core.text import Say
from companion.pages.game_view import GameView, GameViews
from companion.pages.page import Ask, ScreenEntry
from companion.pages.words import GameWords

if TYPE_CHECKING:
    from companion.pages.film.telling import GameFilm
    from companion.pages.report_parts import Section

__all__ = [
    "BattleFiles",
    "Entry",
    "GameModule",
    "OwnPages",
    "game_view",
    "modules",
    "provide",
    "secrets_of",
    "words_of",
]

_NO_WORDS = GameWords()


def _no_film() -> GameFilm:
    from companion.pages.film.telling import GameFilm

    return GameFilm()


class BattleTold(Protocol):
    """What is told of a battle file."""

    @property
    def data(self) -> dict[str, Any]:
        """Plain data; a `Name` or `Say` in it stands for its words."""
        ...

    @property
    def lines(self) -> tuple[Say, ...]:
        """The same as lines to read."""
        ...


class BattleFiles(Protocol):
    """What a game offers to ``companion odds`` and ``companion battle``."""

    keys: str
    """Every key of its battle file, for the help of the command line."""

    def read(self, data: Mapping[str, Any], name: str) -> Any:
        """Return a battle that was checked whole. BattleFileError with every fault."""
        ...

    def answer(self, battle: Any, *, seed: int, top: int) -> BattleTold:
        """Return the odds of a battle; `seed` for one too large to be exact, `top` outcomes as lines."""
        ...

    def coach(self, battle: Any, question: Any) -> BattleTold:
        """Return what is best for a side and a goal (a `Question`). BattleFileError for a battle that is too large."""
        ...

    def play(self, battle: Any) -> BattleTold:
        """Return who rolls what, or the battle played through with the dice given. BattleFileError for wrong dice."""
        ...


Entry = Callable[[GameState, Need], Ask | None]
"""Makes the question for a value that decides something; None where a plain number will do."""


def _nothing(_state: GameState, _side: Side, _command: Command) -> bool:
    return False


def _owns(state: GameState, side: Side, _screen: str) -> bool:
    return side in state.step.owners


class OwnPages(msgspec.Struct, frozen=True, kw_only=True):
    """What a side sees and does on its own phone."""

    screens: tuple[ScreenEntry, ...] = ()
    """Pages of the box, made for that side, and those that only its phone has; in the order of its menu."""
    may: Callable[[GameState, Side, Command], bool] = _nothing
    """Say whether a command is the side's to send: its own act, its own nation's units, its own secrets."""
    kept: Mapping[str, type] = {}
    """Screens whose draft is its owner's note, and its kind: kept beside the game, so that it outlives the program."""
    can_act: Callable[[GameState, Side, str], bool] = _owns
    """Say whether the side can do anything on a screen now; else it only looks."""


class GameModule(msgspec.Struct, frozen=True, kw_only=True):
    """One game as the app offers it: all that the registry, the shell and the renderers see of it.

    What takes time to import is a function, called when it is first needed.
    """

    key: str
    """Its key in saved games, scenarios and on the command line, such as ``sfw96``."""
    title: str = ""
    """English source text of what it is called, its edition included."""
    symbol: str = ""
    """The symbol of a unit or token that stands for it in lists, such as ``battleship``."""
    rank: int
    """Its place in the list of New game; lowest first."""
    rules: Callable[[], GameRules]
    """Build the rules; they hold no state."""
    family: Family
    """What the scenario loader asks."""
    words: Callable[[], GameWords]
    """Return its words, the edition's own rows included."""
    secrets: Secrets
    """What it hides, from whom, and what opens it; a game that hides nothing says why."""
    views: Callable[[], tuple[GameView, ...]]
    """Return what it adds to the shared screens; of scores, plot and ending the first that has some holds."""
    screens: tuple[ScreenEntry, ...] = ()
    """Its own screens that are pages."""
    taster: tuple[str, str] = ("", "")
    """Key and English title of a short scenario to begin with at once; none: it has none."""
    sections: Callable[[], tuple[Section, ...]] = tuple
    """Return what it adds to the report."""
    film: Callable[[], GameFilm] = _no_film
    """Return what it tells of its evenings, for the film, the story and the luck."""
    entry: Callable[[], Entry] | None = None
    """Return what asks for a value that a rule needs, in the shape that suits it; None: a plain number."""
    own: Callable[[], OwnPages] | None = None
    """Return what a side's own phone shows and may send; None: its clock alone."""
    odds: Callable[[], BattleFiles] | None = None
    """Return what reads and works its battle files on the command line; None: a game without dice odds."""


_modules: Callable[[], Mapping[str, GameModule]] = dict


def provide(find: Callable[[], Mapping[str, GameModule]]) -> None:
    """Say where the games are; called once, by their registry."""
    global _modules  # noqa: PLW0603 - one set of games for the program
    _modules = find
    words_of.cache_clear()
    game_view.cache_clear()


def modules() -> Mapping[str, GameModule]:
    """Return every game by key, in the order of New game."""
    return _modules()


@cache
def words_of(game: str) -> GameWords:
    """Return the words of a game; those of none where there is no such game."""
    found = modules().get(game)
    return found.words() if found is not None else _NO_WORDS


_OPEN = Secrets(none_because="There is no such game.")


def secrets_of(game: str) -> Secrets:
    """Return what a game hides; nothing where there is no such game."""
    found = modules().get(game)
    return found.secrets if found is not None else _OPEN


@cache
def game_view(game: str) -> GameView:
    """Return what a game adds to the shared screens; the base answers where there is no such game."""
    found = modules().get(game)
    return GameViews(found.views() if found is not None else ())
