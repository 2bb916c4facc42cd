"""What a game tells of its evening: who holds what, the points, the dice of an act, its battles and their luck.

A game subclasses `GameFilm` and names it in its `game.py`. The base answers for a game that has nothing of its own to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.core.history import Entry
from companion.core.state import GameState
from companion.core.text import Say, Value
from companion.pages.page import Die

if TYPE_CHECKING:
    from companion.pages.plots import Distribution
    from companion.pages.report_parts import ReportSource

__all__ = ["Costly", "Fought", "GameFilm", "Held", "LuckRow", "Luck", "Lost", "Throw", "Told", "die_face"]


@dataclass(frozen=True, slots=True)
class Held:
    """Who holds one thing that counts: a site, a star, a territory, an Operation."""

    key: str
    what: Value
    side: str
    """Side that it counts for; empty: nobody's."""
    holder: Value | None = None
    """The holder's own name where it is not the side's."""


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that one side threw together."""

    side: str
    who: Value | None
    """Whose dice these are, or what they are for."""
    dice: tuple[Die, ...]
    hits: int | None = None
    """None: these dice hit nothing; they decide something else."""
    expected: float = 0.0
    """Hits to be expected of these dice."""
    at_least: float = 1.0
    """Chance of so many hits or more with these dice."""


def die_face(die: Die) -> str:
    """Return what a die shows; of one of which only that it hit was told, a sign for that."""
    return str(die.value) if die.value else "✓" if die.state == "hit" else "–"


@dataclass(frozen=True, slots=True)
class Told:
    """What a game tells of one act."""

    battle: str = ""
    """Key of the battle that the act belongs to; empty: none."""
    throws: tuple[Throw, ...] = ()
    more: Value | None = None
    """What the log does not say of the act, such as what was lost; None: nothing."""


@dataclass(frozen=True, slots=True)
class Lost:
    """What one side lost in a battle."""

    side: str
    units: Value | None
    """In words; None: nothing."""
    count: int
    """Units; damaged ones are not counted."""
    kinds: tuple[tuple[str, int], ...] = ()
    """How many of which kind, where kinds of units are lost."""


@dataclass(frozen=True, slots=True)
class Fought:
    """A battle, combat, attack or engagement of the evening."""

    key: str
    title: Value
    """Such as ``Battle A, Tunis``."""
    side: str
    """Who attacked; empty where nobody did."""
    before: Value | None = None
    """The odds before it as a sentence; None where there are none."""
    chance: float | None = None
    """Chance of what the attacker fought for, from the battle's beginning."""
    result: Value | None = None
    """What came of it; None while it is fought."""
    won: bool | None = None
    """Whether the attacker got what he fought for; None where that is open."""
    lost: tuple[Lost, ...] = ()


@dataclass(frozen=True, slots=True)
class LuckRow:
    """Where a result lies in the exact distribution of what might have been."""

    key: str
    group: str
    """``hits`` (more is lucky) or ``losses`` (fewer is lucky)."""
    who: Value
    side: str
    scope: str
    """``evening``, ``nation`` or ``battle``."""
    what: Value | None
    """The battle, of a row of one battle."""
    dice: int
    expected: float
    actual: int
    luckier_than: float
    """Share of such evenings, or battles, that are less lucky, half of the equal ones included: 0 to 1."""
    spread: Distribution
    """The whole distribution, with the result marked."""
    is_exact: bool = True
    """False: some of it comes of virtual battles."""
    shares: tuple[float, ...] = ()
    """Entry n is the chance of exactly n; kept for the sum over several evenings."""


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of an evening."""

    rows: tuple[LuckRow, ...] = ()
    notes: tuple[Value, ...] = ()
    """What the figures mean, or why there are none."""


@dataclass(frozen=True, slots=True)
class Costly:
    """A decision that cost something, against the best that there was."""

    seq: int
    """Entry of the decision."""
    battle: Value
    side: str
    chosen: Value
    better: Value
    chances: Value
    """The chance of what was fought for with the one and with the other."""


class GameFilm:
    """Answers that fit any game; override what the game knows. All of it is pure."""

    points_title: Say | None = None
    """What the points of the score chart are; None: the game has none."""
    is_score = True
    """Whether the points say who is ahead; False: they are counted for the chart alone."""
    held_title: Say = Say("Who holds what")
    title: Say | None = None
    """What the story calls the game; None: what the scenario is called."""
    judges_decisions = False
    """Whether it can say which decisions cost most."""
    decisions_head: Say = Say("Chance of the space")
    """What decisions are judged by."""
    no_better: Say = Say("No decision on losses or retreat could have been better.")

    def points(self, state: GameState) -> Mapping[str, float]:  # noqa: ARG002
        """Return the points of each side as far as everybody knows them; a side that is missing is not known."""
        return {}

    def held(self, state: GameState) -> tuple[Held, ...]:  # noqa: ARG002
        """Return everything that somebody can hold, in the order of the board."""
        return ()

    def told(self, entry: Entry, before: GameState, after: GameState) -> Told:  # noqa: ARG002
        """Return what an act was about, from the states around it."""
        return Told()

    def battles(self, source: ReportSource, around: Callable[[int], GameState]) -> tuple[Fought, ...]:  # noqa: ARG002
        """Return every battle of the evening, in order.

        Args:
            around: Returns the state before an entry that counts, by its number.
        """
        return ()

    def costly(self, source: ReportSource) -> tuple[Costly, ...] | Say:  # noqa: ARG002
        """Return the decisions that cost most, dearest first; a sentence where they are not told. Slow."""
        return ()

    def battles_say(self, count: int) -> Say:
        """Return how many battles there were, as one sentence."""
        return Say.counted("{n} battle was fought.", "{n} battles were fought.", count)

    def won_say(self, count: int) -> Say:
        """Return in how many of them the attacker got what he fought for, as one sentence."""
        return Say("Spaces taken: {n}.", n=count)

    def luck(self, source: ReportSource, *, is_brief: bool = False) -> Luck:  # noqa: ARG002
        """Return where the results of the evening lie among all that might have been. Slow.

        Args:
            is_brief: Hits of the whole evening alone, which is quick.
        """
        return Luck()
