"""A table that plays the card game through the real core, with made-up cards."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.codec import Codec
from companion.core.commands import Command, EndAct, EnterPrintedValue, StartGame
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE, Actor
from companion.core.rules import Context, Rejected
from companion.core.state import GameState
from companion.games.med.cards import Card, printed_key
from companion.games.med.commands import DiscardHand, PlayHand, RollDice, TakeTrick, TurnOver
from companion.games.med.new_game import MedFamily
from companion.games.med.rules import RULES, MedSlice, slice_of
from companion.session.scenario_loader import load_game, make_setup

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


class Table:
    """Sends commands as the shell does: decide, store, apply; every value goes through its JSON form."""

    def __init__(self, *cards: Card, **options: Any) -> None:
        self.codec = Codec(RULES)
        self.timeline = Timeline(RULES)
        self.now_ms = 1_000
        self.do(StartGame(make_setup(MedFamily(), LOADED, "match", {"players": 3, **options}), self.now_ms))
        for card in cards:
            self.enter(card)
        self.next()

    @property
    def state(self) -> GameState:
        return self.timeline.state

    @property
    def own(self) -> MedSlice:
        return slice_of(self.state)

    def enter(self, card: Card) -> None:
        self.do(EnterPrintedValue(printed_key(card.number), msgspec.json.decode(msgspec.json.encode(card))))

    def do(self, command: Command, actor: Actor = TABLE) -> None:
        rejected = self.attempt(command, actor)
        assert rejected is None, rejected

    def attempt(self, command: Command, actor: Actor = TABLE) -> Rejected | None:
        self.now_ms += 1_000
        handled = self.timeline.handle(command, Context(actor))
        for draft in handled.drafts:
            stored = self.codec.decode_events(self.codec.encode_events(draft.events))
            self.timeline.append(
                Entry(self.timeline.next_seq, draft.command, stored, actor, "test", self.now_ms)
            )
        assert self.state == handled.state
        return handled.rejected

    def next(self) -> None:
        self.do(EndAct(self.state.step.id, self.now_ms))

    def turn_over(self, operation: str, *elements: Any) -> None:
        self.do(TurnOver(self.state.step.id, operation, elements))
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

    def to(self, act: str) -> None:
        """Go on to the next step with this act."""
        while self.state.step.act != act:
            self.next()

    def decide(self, **more: Any) -> None:
        self.to("resolve")
        self.do(TakeTrick(self.state.step.id, **more))
        self.next()
        self.next()
