"""What a game adds to the shared screens: scores, plots, tabs, printed values.

A game subclasses `GameView` and names it in its `game.py`; several views of one game add up. The base answers for every game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from companion.core.commands import Command
from companion.core.ids import Side, StepId
from companion.core.state import GameState
from companion.core.text import Say

if TYPE_CHECKING:
    from companion.pages.page import Act, Split, Words

__all__ = ["Figure", "GameView", "GameViews", "OpenBattle", "PrintedRow", "Score", "Series", "Standing"]


class Score(msgspec.Struct, frozen=True):
    """One side's victory points as the Table shows them."""

    side: str
    text: str
    """Points as text; an en dash while they are unknown."""
    goal: str = ""
    """What ends the game, such as ``of 30``; empty when nothing does."""


class Figure(msgspec.Struct, frozen=True):
    """What a side has at an instant, to judge a game that time has ended."""

    side: Side
    amount: float | None
    """None: not known."""
    lines: tuple[str, ...] = ()
    """What it is made of, and what is missing for it."""
    is_points: bool = True
    """False where it is only 1 for the side that would have won."""


class Series(msgspec.Struct, frozen=True):
    """One line of a plot over the stages: points are (x, y)."""

    side: str
    name: str
    points: tuple[tuple[float, float], ...]


class PrintedRow(msgspec.Struct, frozen=True):
    """One figure that the table may enter from its own box."""

    key: str
    label: str
    value: Any = None
    """None while it is not entered."""
    group: str = ""
    hint: str = ""
    is_whole: bool = True
    """False where halves and quarters occur."""
    of: str = ""
    """The unit or place that it is one of several figures of: they stand on one line; empty: it stands alone."""
    figure: str = ""
    """What it is on that line, in as few words as can be."""
    is_entered_here: bool = True
    """False where it is only shown, and entered on a screen of its own."""


class Standing(msgspec.Struct, frozen=True):
    """How the game stands: everybody's share on one bar, and in words who would win and who lacks how much."""

    split: Split
    now: Words
    """Who would win if the game ended now, or what hides it."""
    far: Words | None = None
    """How far each side is from winning; none where nothing is counted."""


class OpenBattle(msgspec.Struct, frozen=True):
    """A battle that waits or is being fought, as the Table shows it."""

    key: str
    title: str
    """Where it is."""
    note: str
    """Who stands against whom, or what it waits for."""
    screen: str
    """Where it is fought."""
    draft: object = None
    """What that screen is entered with, so that it shows this battle."""
    is_running: bool = False
    """Its dice are being rolled."""


class OwnCheck(msgspec.Struct, frozen=True):
    """A line of the checklist that the game adds to the step at hand."""

    id: str
    text: str
    is_done: bool
    command: Command
    """What ticks it."""


class GameView:
    """Answers that fit any game; override what the game knows."""

    score_screen = ""
    """Key of the screen that shows how the game stands; empty: none."""

    def scores(self, state: GameState) -> tuple[Score, ...]:  # noqa: ARG002
        """Return the victory points per side; empty where the game has none."""
        return ()

    def figures(self, state: GameState) -> tuple[Figure, ...]:  # noqa: ARG002
        """Return what each side has by which a game can be judged that time has ended; empty: a director judges it."""
        return ()

    def standing(self, state: GameState) -> Standing | None:  # noqa: ARG002
        """Return how the game stands; None where nothing is scored, or not yet."""
        return None

    def score_series(self, state: GameState) -> tuple[Series, ...]:  # noqa: ARG002
        """Return the victory points over the stages, for the VP line."""
        return ()

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:  # noqa: ARG002
        """Return the figures that the table may enter."""
        return ()

    def dice_colours(self, state: GameState) -> tuple[str, ...]:  # noqa: ARG002
        """Return the colours that a die of this game can be said to have; empty: the usual ones."""
        return ()

    def ending(self, state: GameState) -> str:  # noqa: ARG002
        """Return in one sentence why the game ended; empty: the shared words do."""
        return ""

    def active_kinds(self, state: GameState) -> tuple[str, ...]:
        """Return the kinds of `active_units`, one for each name, for their symbols."""
        return state.step.active_units

    def active_units(self, state: GameState) -> tuple[str, ...] | None:  # noqa: ARG002
        """Return the names of the units that are active in the current act; None: those that its step names."""
        return None

    def last_stage(self, state: GameState) -> int:  # noqa: ARG002
        """Return the number of the last stage where the sequence of play grows as it goes; 0: what it holds."""
        return 0

    def battles(self, state: GameState) -> tuple[OpenBattle, ...]:  # noqa: ARG002
        """Return the battles that wait or are being fought, the running one first."""
        return ()

    def new_battle(self, state: GameState) -> tuple[str, Act | None, Say] | None:  # noqa: ARG002
        """Return the screen on which a battle is declared now, what it asks at once, and the game's words for it; or None."""
        return None

    def own_checks(self, state: GameState) -> tuple[OwnCheck, ...]:  # noqa: ARG002
        """Return what the act at hand has to be told besides its own checklist."""
        return ()

    def half_entered(self, state: GameState, draft: object) -> Say | None:  # noqa: ARG002
        """Return what of a screen's draft would be left out, should the act at hand end now; None: nothing."""
        return None

    def ends_too(self, state: GameState) -> tuple[StepId, Say] | None:  # noqa: ARG002
        """Return the step that ends with the one at hand, since nothing happens in it, and what the button says then."""
        return None

    def follows(self, state: GameState) -> Say | None:  # noqa: ARG002
        """Return what comes after the last step so far where play appends more; None: nothing does."""
        return None

    def screen_for(self, state: GameState) -> str:  # noqa: ARG002
        """Return the key of the screen that the current act leads to; empty: the table."""
        return ""


class GameViews(GameView):
    """Several views of one game as one; of scores, plot and ending the first that has some holds."""

    def __init__(self, views: tuple[GameView, ...] = ()) -> None:
        """Take the views in the order in which they are asked."""
        self._views = views
        self.score_screen = next((view.score_screen for view in views if view.score_screen), "")

    def scores(self, state: GameState) -> tuple[Score, ...]:
        return next((found for view in self._views if (found := view.scores(state))), ())

    def figures(self, state: GameState) -> tuple[Figure, ...]:
        return next((found for view in self._views if (found := view.figures(state))), ())

    def standing(self, state: GameState) -> Standing | None:
        return next((found for view in self._views if (found := view.standing(state)) is not None), None)

    def score_series(self, state: GameState) -> tuple[Series, ...]:
        return next((found for view in self._views if (found := view.score_series(state))), ())

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        return tuple(row for view in self._views for row in view.printed(state))

    def dice_colours(self, state: GameState) -> tuple[str, ...]:
        return next((found for view in self._views if (found := view.dice_colours(state))), ())

    def ending(self, state: GameState) -> str:
        return next((found for view in self._views if (found := view.ending(state))), "")

    def active_kinds(self, state: GameState) -> tuple[str, ...]:
        told = (view.active_kinds(state) for view in self._views if view.active_units(state) is not None)
        return next(told, state.step.active_units)

    def active_units(self, state: GameState) -> tuple[str, ...] | None:
        told = (view.active_units(state) for view in self._views)
        return next((found for found in told if found is not None), None)

    def last_stage(self, state: GameState) -> int:
        return next((found for view in self._views if (found := view.last_stage(state))), 0)

    def new_battle(self, state: GameState) -> tuple[str, Act | None, Say] | None:
        return next((found for view in self._views if (found := view.new_battle(state)) is not None), None)

    def battles(self, state: GameState) -> tuple[OpenBattle, ...]:
        return tuple(one for view in self._views for one in view.battles(state))

    def own_checks(self, state: GameState) -> tuple[OwnCheck, ...]:
        return tuple(check for view in self._views for check in view.own_checks(state))

    def half_entered(self, state: GameState, draft: object) -> Say | None:
        return next((found for view in self._views if (found := view.half_entered(state, draft))), None)

    def ends_too(self, state: GameState) -> tuple[StepId, Say] | None:
        return next((found for view in self._views if (found := view.ends_too(state))), None)

    def follows(self, state: GameState) -> Say | None:
        return next((found for view in self._views if (found := view.follows(state))), None)

    def screen_for(self, state: GameState) -> str:
        return next((found for view in self._views if (found := view.screen_for(state))), "")
