"""Scenes of the naval card game: four players in the third engagement of a series, with made-up cards."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from companion.core.commands import Command, EnterPrintedValue
from companion.core.setup import Setup
from companion.games.med.pages.draft import MedDraft
from companion.games.med.pages.piles import PilesDraft
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import ALLIES, AXIS, Card, CardNo, printed_key
from companion.games.med.rules.game_rules import RULES
from companion.games.med.rules.new_game import MedFamily
from companion.pages.table import main_command
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data
from companion.testing.scenes import scene

__all__ = ["evening", "setup"]

NAMES = ("Anna", "Ben", "Cleo", "David")

CARDS: tuple[Card, ...] = (
    Card(
        CardNo("O11"),
        "operation",
        "Vigorous",
        years=(1942,),
        victory_points=4,
        freighter="full",
        operation="convoy",
    ),
    Card(CardNo("O12"), "operation", years=(1941,), victory_points=2, freighter="half", operation="convoy"),
    Card(CardNo("O13"), "operation", years=(1942,), victory_points=5, freighter="half", operation="convoy"),
    Card(CardNo("A01"), "force", "Ark Royal", (5, 0, 0), (1940, 1941, 1942), 4, "air"),
    Card(CardNo("A02"), "force", "Nelson", (0, 5, 0), (1941, 1942), 3, "surface"),
    Card(CardNo("A03"), "force", "Upholder", (0, 0, "?"), (1941, 1942), 2, "sub"),
    Card(CardNo("A20"), "bonus", "Radar", (0, 2, 0), frame="surface"),
    Card(CardNo("X01"), "force", "Littorio", (0, 6, 0), (1940, 1941, 1942), 5, "surface", "italy"),
    Card(CardNo("X02"), "force", "U 81", (0, 0, 4), (1941, 1942), 3, "sub", "germany", victim="Ark Royal"),
    Card(CardNo("X03"), "force", "Gorizia", (0, "?", 0), (1940, 1941, 1942), 2, "surface", "italy"),
    Card(CardNo("X04"), "force", "Fliegerkorps X", (4, 1, 0), (1941, 1942), 3, "air", "germany"),
    Card(CardNo("X40"), "special", effect="iachino"),
    Card(CardNo("S01"), "storm", effect="sirocco"),
    Card(CardNo("S03"), "storm", effect="explosion"),
)
"""Made up for pictures and tests: the values of the real cards are not in the rulebook's text."""


@cache
def setup(**options: Any) -> Setup:
    """Return a new game from the installed data."""
    family = MedFamily()
    given = {"players": 4, "names": list(NAMES), "operations": 15, "series": "points", "clock": "count_up"}
    return family.make_setup(installed_data(family), "match", {**given, **options})


class Played:
    """A desk on which engagements are played by commands."""

    def __init__(self, **options: Any) -> None:
        self.desk = MemoryDesk(setup(**options), RULES)
        for card in CARDS:
            self.do(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
        self.next()

    @property
    def step(self) -> Any:
        """The id of the step at hand."""
        change = self.desk.change
        assert change is not None
        return change.state.step.id

    def do(self, command: Command) -> None:
        """Send a command that must be taken."""
        self.desk.advance(21_000)
        self.desk.send(command)
        change = self.desk.change
        assert change is not None
        assert change.rejected is None, change.rejected

    def next(self) -> None:
        """End the act."""
        change = self.desk.change
        assert change is not None
        self.do(main_command(change.state, self.desk.now_ms()))

    def turn_over(self, operation: str, *elements: Any) -> None:
        """Open an engagement."""
        self.do(cm.TurnOver(self.step, CardNo(operation), elements))
        self.next()

    def play(self, *cards: str, admiral: Any = "") -> None:
        """Play for whoever is to act, or discard a card without any."""
        if cards:
            side = {"A": ALLIES, "X": AXIS}[cards[0][0]]
            self.do(cm.PlayHand(self.step, side, tuple(map(CardNo, cards)), admiral=admiral))
        else:
            self.do(cm.DiscardHand(self.step, "one"))
        self.next()

    def decide(self) -> None:
        """Take the trick and fill the hands."""
        self.do(cm.TakeTrick(self.step))
        self.next()
        self.next()


def evening(**options: Any) -> Played:
    """Return a game with two engagements behind it."""
    played = Played(**options)
    played.turn_over("O11", "surface")
    for cards in (("A02", "A20"), ("X04",), (), ()):
        played.play(*cards)
    played.decide()
    played.turn_over("O12", "air", "surface", "sub")
    for cards in (("X01",), ("A03",), (), ()):
        played.play(*cards)
    played.do(cm.RollDice(played.step, CardNo("A03"), "sub", (4,)))
    played.decide()
    return played


def _third(*plays: tuple[str, ...]) -> MemoryDesk:
    played = evening()
    played.turn_over("O13", "sub")
    for cards in plays:
        played.play(*cards, admiral="combined" if "X40" in cards else "")
    return played.desk


def _type(laid: Laid, *numbers: str) -> None:
    for number in numbers:
        for key in number:
            laid.root.screen.press(f"key.{key}", None)


@scene("med-operation", "med", lambda: evening().desk)
def _operation(laid: Laid) -> None:
    _type(laid, "O13")


@scene("med-card", "med", lambda: _third(("A01",)))
def _card(laid: Laid) -> None:
    form = Card(CardNo("X09"), "force", "", (0, "?", 3), (1942,), 3, "sub", "germany")
    laid.root.go("med", draft=MedDraft(form=form, at=2))


@scene("med-play", "med", lambda: _third(("A01",)))
def _play(laid: Laid) -> None:
    _type(laid, "X02", "S01")


@scene("med-waits", "med", lambda: _third(("A01",), ("X03", "X40")))
def _waits(_laid: Laid) -> None:
    """Cleo is to play; the Admiral has made the engagement combined."""


def _storm_desk() -> MemoryDesk:
    played = evening()
    played.turn_over("O13", "sub")
    played.play("A01")
    played.do(cm.PlayHand(played.step, AXIS, (CardNo("X02"), CardNo("S01"))))
    return played.desk


@scene("med-storm", "med", _storm_desk)
def _storm(_laid: Laid) -> None:
    """A Sirocco lies there and must be used."""


@scene("med-dice", "med", lambda: _third(("A01",), ("X03", "X40"), ("A02",), ()))
def _dice(_laid: Laid) -> None:
    """One value is still to be rolled."""


def _trick_desk(**options: Any) -> Callable[[], MemoryDesk]:
    def lay() -> MemoryDesk:
        played = evening(**options)
        played.turn_over("O13", "air", "surface", "sub")
        for cards in (("A01",), ("X03",), ("A02", "A20"), ("X02",)):
            played.play(*cards)
        played.do(cm.RollDice(played.step, CardNo("X03"), "surface", (5,)))
        return played.desk

    return lay


scene("med-trick", "med", _trick_desk(operations=15))
scene("med-piles", "med_piles", lambda: evening().desk)
scene("med-score", "med_score", lambda: evening().desk)
scene("med-ranking", "med_score", lambda: evening(operations=2, series="single").desk)
scene("med-table", "table", lambda: _third(("A01",)))


@scene("med-pile", "med_piles", lambda: evening().desk, is_screen=False)
def _pile(laid: Laid) -> None:
    laid.root.go("med_piles", draft=PilesDraft("p1", is_shown=True))


@scene("med-which-storm", "med", lambda: _third(("A01",)), is_screen=False)
def _which_storm(laid: Laid) -> None:
    laid.root.screen.press("storm", None)


class Totals:
    """A desk of a game that is kept by totals, after some Operations."""

    def __init__(self, operations: int = 15) -> None:
        options = {"keep": "totals", "clock": "none", "operations": operations}
        self.desk = MemoryDesk(setup(**options), RULES)
        self.next()
        for player, line in (("p1", "full"), ("p3", "half")):
            self.note(player, line)
            self.next()
        self.note("p2", "none")

    def _do(self, command: Command) -> None:
        self.desk.advance(90_000)
        self.desk.send(command)

    def _step(self) -> Any:
        assert self.desk.change is not None
        return self.desk.change.state.step.id

    def note(self, player: Any, line: Any) -> None:
        """Say who takes the Operation at hand."""
        self._do(cm.NoteOperation(self._step(), "won", player, line))

    def next(self) -> None:
        """End the act."""
        assert self.desk.change is not None
        self._do(main_command(self.desk.change.state, self.desk.now_ms()))


def _counting() -> MemoryDesk:
    played = Totals(3)
    played.next()
    return played.desk


def _kept() -> MemoryDesk:
    played = Totals()
    played.desk.advance(1_000)
    return played.desk


scene("med-totals", "med", _kept)
scene("med-totals-count", "med", _counting)
