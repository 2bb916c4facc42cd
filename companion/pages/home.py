"""The Home screen: the game to resume, and the shelf of saved games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.pages.desk import SavedGame
from companion.pages.i18n import _
from companion.pages.notices import without_file
from companion.pages.speak import humanise, sentence, speak
from companion.pages.steps import places
from companion.pages.times import countdown, wall, wall_brief

__all__ = ["HomeView", "SavedRow", "home_view"]


@dataclass(frozen=True, slots=True)
class SavedRow:
    """One saved game on one row."""

    path: Path
    title: str
    where: str
    when: str
    clocks: str = ""
    fault: str = ""
    """Why it cannot be opened, and what can be done; empty when it can."""
    is_over: bool = False
    brief: str = ""
    """Where it stands, on a short line: without the act."""
    saved: str = ""
    """When it was saved, on a short line: day and hour, by which two games of one scenario are told apart."""


@dataclass(frozen=True, slots=True)
class HomeView:
    """The Home screen."""

    resume: SavedRow | None = None
    """The newest game that can go on."""
    others: tuple[SavedRow, ...] = ()


_BRIEF = 3
"""So many places of where a game stands are shown on a short line: all but the act."""


def _where(game: SavedGame) -> list[str]:
    """Return where a game stands, from the outside inward, read from its step's id, without opening it."""
    if game.fault:
        return [_("Cannot be opened · Why?")]
    if game.is_over:
        return [_("Game over")]
    return [speak(one, game=game.game) for one in places(game.game, game.step)]


def _fault(game: SavedGame) -> str:
    """Return why a game cannot be opened and what can be done, without its name; empty when it can."""
    if game.fault is None:
        return ""
    why = sentence(without_file(game.fault))
    return f"{why.rstrip('.')}.\n{_('A copy on a stick or in the bin loses nothing.')}"


def _row(game: SavedGame, now_wall_ms: int) -> SavedRow:
    clocks = [
        f"{_(humanise(side))} {countdown(left)}"
        for side, left in game.remaining_ms.items()
        if left is not None
    ]
    where = _where(game)
    return SavedRow(
        game.path,
        _(game.title) if game.scenario else game.title,  # without a scenario it is the file's own name
        " · ".join(where),
        wall(game.saved_wall_ms, now_wall_ms),
        "   ".join(clocks),
        _fault(game),
        game.is_over,
        " · ".join(where[:_BRIEF]),
        wall_brief(game.saved_wall_ms, now_wall_ms),
    )


def home_view(games: Sequence[SavedGame], now_wall_ms: int) -> HomeView:
    """Return the Home screen for saved games, newest first."""
    rows = [_row(game, now_wall_ms) for game in games]
    resume = next((row for row in rows if not row.is_over and not row.fault), None)
    return HomeView(resume, tuple(row for row in rows if row is not resume))
