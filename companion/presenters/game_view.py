"""What a game adds to the shared screens: scores, plots, tabs. One `GameView` a game key, registered here.

The base class answers for every game; a game's presenter module subclasses it and calls `register`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.history import Entry
from companion.core.state import GameState

__all__ = ["GameView", "Score", "Series", "game_view", "register"]


@dataclass(frozen=True, slots=True)
class Score:
    """One side's victory points as the Table shows them."""

    side: str
    text: str
    """Points as text; an en dash while they are unknown."""
    goal: str = ""
    """What ends the game, such as ``of 30``; empty when nothing does."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot over the stages: points are (x, y)."""

    side: str
    name: str
    points: tuple[tuple[float, float], ...]


class GameView:
    """Answers that fit any game; override what the game knows."""

    tabs: tuple[str, ...] = ()
    """Keys of the screens that this game offers beside the shared ones, in the order of the rail."""

    def scores(self, state: GameState) -> tuple[Score, ...]:  # noqa: ARG002
        """Return the victory points per side; empty where the game has none."""
        return ()

    def score_series(self, entries: Sequence[Entry], state: GameState) -> tuple[Series, ...]:  # noqa: ARG002
        """Return the victory points over the stages, for the VP line."""
        return ()

    def ending(self, state: GameState) -> str:  # noqa: ARG002
        """Return in one sentence why the game ended; empty: the shared words do."""
        return ""


_VIEWS: dict[str, GameView] = {}
_BASE = GameView()


def register(game: str, view: GameView) -> None:
    """Offer a game's own view; ValueError when the game has one already."""
    if game in _VIEWS:
        raise ValueError(f"{game} has a view already")
    _VIEWS[game] = view


def game_view(game: str) -> GameView:
    """Return a game's view, or the base view."""
    return _VIEWS.get(game, _BASE)
