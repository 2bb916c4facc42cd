"""A table that plays the card game through the real core, with made-up cards."""

from __future__ import annotations

from typing import Any

from companion.core.commands import Command
from companion.core.ids import TABLE, Actor
from companion.core.rules import Rejected
from companion.games.med.rules.cards import Card, printed_key
from companion.games.med.rules.commands import DiscardHand, PlayHand, RollDice, TakeTrick, TurnOver
from companion.games.med.rules.game_rules import RULES
from companion.games.med.rules.new_game import MedFamily
from companion.games.med.rules.slice import MedSlice, slice_of
from companion.session.scenario_loader import load_game, make_setup
from tests.games.game_table import GameTable
from tests.games.said import assert_told

LOADED = load_game(MedFamily())


def force(number: str, *values: Any, **more: Any) -> Card:
    """A Force card; values default to 1, 2, 0."""
    return Card(
        number, "force", values=values or (1, 2, 0), victory_points=more.pop("victory_points", 2), **more
    )


def bonus(number: str, *values: Any, **more: Any) -> Card:
    return Card(number, "bonus", values=values or (0, 1, 0), **more)


def convoy(number: str = "O01", year: int = 1941, **more: Any) -> Card:
    return Card(
        number,
        "operation",
        years=(year,),
        victory_points=more.pop("victory_points", 3),
        operation="convoy",
        **more,
    )


def battle(number: str = "O02", year: int = 1941, **more: Any) -> Card:
    return Card(
        number,
        "operation",
        years=(year,),
        victory_points=more.pop("victory_points", 4),
        operation="battle",
        **more,
    )


class Table(GameTable):
    """A table of the card game at its first operation, with these cards known."""

    def __init__(self, *cards: Card, **options: Any) -> None:
        super().__init__(RULES, make_setup(MedFamily(), LOADED, "match", {"players": 3, **options}))
        for card in cards:
            self.enter(printed_key(card.number), card)
        self.next()

    def attempt(self, command: Command, actor: Actor = TABLE) -> Rejected | None:
        rejected = super().attempt(command, actor)
        if rejected is not None:
            assert_told(rejected, self.state)
        return rejected

    @property
    def own(self) -> MedSlice:
        return slice_of(self.state)

    def turn_over(self, operation: str, *elements: Any) -> None:
        step = self.state.step
        other = f"O{99 - step.stage}" if self.own.options.advanced else ""
        self.do(TurnOver(step.id, operation, elements, other))
        self.next()

    def play(self, side: str, *cards: str, **more: Any) -> None:
        """Play for whoever is to act and go on."""
        self.lay(side, *cards, **more)
        self.next()

    def lay(self, side: str, *cards: str, **more: Any) -> None:
        self.do(PlayHand(self.state.step.id, side, cards, **more))

    def refused(self, side: str, *cards: str, **more: Any) -> Rejected:
        rejected = self.attempt(PlayHand(self.state.step.id, side, cards, **more))
        assert rejected is not None
        return rejected

    def discard(self, what: Any = "one") -> None:
        self.do(DiscardHand(self.state.step.id, what))
        self.next()

    def roll(self, card: str, element: Any, *dice: int) -> None:
        self.do(RollDice(self.state.step.id, card, element, dice))

    def decide(self, **more: Any) -> None:
        self.to("trick")
        self.do(TakeTrick(self.state.step.id, **more))
        self.next()
        self.next()
