"""Commands and events of the card game."""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.commands import Command
from companion.core.dice import DiceOrigin
from companion.core.events import Event
from companion.core.ids import Side, StepId
from companion.games.med.rules.cards import NO_CAMP, NO_CARD, Camp, CardNo, Element
from companion.games.med.rules.engagement import Barred, Discarded, Engagement, Play, Removed

__all__ = [
    "COMMANDS",
    "EVENTS",
    "DiceRolled",
    "EffectUsed",
    "EngagementDecided",
    "EngagementOpened",
    "HandDiscarded",
    "CountPoints",
    "LayStorm",
    "NoteOperation",
    "OperationNoted",
    "PlayMade",
    "PointsCounted",
    "PlayHand",
    "DiscardHand",
    "DropInvalid",
    "RollDice",
    "SeriesContinued",
    "TakeTrick",
    "Trophy",
    "TurnOver",
    "UseEffect",
]


class TurnOver(Command, frozen=True, tag=True):
    """Turn over an Operation; in a convoy the first player names what is fought."""

    step: StepId
    operation: CardNo
    elements: tuple[Element, ...] = ()
    """What is fought; ignored for battles, which are combined or historic."""
    put_away: CardNo = NO_CARD
    """Advanced rules: the other Operation drawn, discarded."""


class PlayHand(Command, frozen=True, tag=True):
    """Lay down a card or several."""

    step: StepId
    side: Camp
    cards: tuple[CardNo, ...]
    bonus_on: dict[CardNo, CardNo] = {}
    admiral: Literal["", "combined", "two"] = ""
    bomb_alley_on: CardNo = NO_CARD
    player: Side | None = None
    """At the reveal: whose face-down cards these are; elsewhere the step says it."""


class DiscardHand(Command, frozen=True, tag=True):
    """Play nothing that counts: discard one card or all."""

    step: StepId
    what: Literal["one", "all", "out", "bluff"]
    """``bluff``: what lay face down counts for nothing and need not be entered."""
    player: Side | None = None
    """At the reveal: whose face-down cards these are; elsewhere the step says it."""


class DropInvalid(Command, frozen=True, tag=True):
    """A card was noticed to be invalid after it was played: it drops out."""

    card: CardNo
    of: Side | None = None
    """Whose, where two laid it; None: whoever's."""


class LayStorm(Command, frozen=True, tag=True):
    """Lay a Storm card at another moment than with one's own play."""

    step: StepId
    player: Side
    card: CardNo
    target: CardNo = NO_CARD
    """Lost: the Bonus. Bomb alley: the Force card."""


class UseEffect(Command, frozen=True, tag=True):
    """Carry out a Storm card after it was played."""

    step: StepId
    effect: Literal["sirocco", "explosion", "lost"]
    dice: tuple[int, ...] = ()
    """Sirocco: one die. Explosion: two."""
    player: Side | None = None
    """Sirocco at 1-3: whose part is cancelled."""
    card: CardNo = NO_CARD
    """Lost: the Bonus. Explosion: the Force card that is hit, where the player has several."""
    put_away: bool = False
    """Sirocco passed on and discarded unused."""
    origin: DiceOrigin = DiceOrigin()


class RollDice(Command, frozen=True, tag=True):
    """Record the dice of one ``?`` value, after all cards are down."""

    step: StepId
    card: CardNo
    element: Element
    dice: tuple[int, ...]
    origin: DiceOrigin = DiceOrigin()


class TakeTrick(Command, frozen=True, tag=True):
    """Decide the engagement and put every card where it belongs."""

    step: StepId
    picks: dict[Side, CardNo] = {}
    """Player of a winning Supply card to the surface card that he takes back into his hand."""
    shares: dict[Side, tuple[CardNo, ...]] = {}
    """Advanced rules: player to the cards that he is given."""


class NoteOperation(Command, frozen=True, tag=True):
    """Kept by totals: say how the Operation at hand ended."""

    step: StepId
    result: Literal["won", "tie", "nobody"]
    player: Side | None = None
    """Who takes it, where it is won; under the advanced rules who keeps the Operation's card."""
    freighter: Literal["", "none", "half", "full"] = ""
    """Its load line, where the table wants to be told the size of hands; empty: not said."""


class CountPoints(Command, frozen=True, tag=True):
    """Kept by totals: say everybody's points of the game that is over."""

    step: StepId
    points: dict[Side, int]


class Trophy(msgspec.Struct, frozen=True):
    """A card in a player's pile."""

    card: CardNo
    engagement: int
    how: Literal["trick", "spoil", "destiny", "explosion"]


class EngagementOpened(Event, frozen=True, tag=True):
    """An Operation was turned over (or is fought again after a draw)."""

    engagement: Engagement
    put_away: CardNo = NO_CARD
    """Advanced rules: the other Operation drawn; it does not come up again in this game."""


class PlayMade(Event, frozen=True, tag=True):
    """Cards were laid down."""

    play: Play
    only_side: Camp = NO_CAMP
    """Side to which a raid holds the players after it."""
    only_round: int = 0
    """Round in which it does; 0: to the end of the engagement."""
    only_card: CardNo = NO_CARD
    """The raid's card: when it is cancelled, so is what it does."""


class HandDiscarded(Event, frozen=True, tag=True):
    """A player did not play."""

    discarded: Discarded


class EffectUsed(Event, frozen=True, tag=True):
    """A card did its work, or cards dropped out; `effect` may also be invalid, intelligence or destiny."""

    effect: str
    by: Side
    dice: tuple[int, ...] = ()
    removed: tuple[Removed, ...] = ()
    sirocco: Side | None = None
    """Who must use a passed Sirocco next."""
    barred: Barred | None = None
    sub_ban_round: int = 0
    card: CardNo = NO_CARD
    """The Storm card itself."""
    origin: DiceOrigin = DiceOrigin()


class DiceRolled(Event, frozen=True, tag=True):
    """A ``?`` has its value."""

    key: str
    dice: tuple[int, ...]
    origin: DiceOrigin = DiceOrigin()


class EngagementDecided(Event, frozen=True, tag=True):
    """The engagement is over, or drawn and to be fought again."""

    kind: Literal["won", "tie", "nobody"]
    side: Camp = NO_CAMP
    player: Side | None = None
    card: CardNo = NO_CARD
    totals: dict[Camp, int] = {}
    trophies: dict[Side, tuple[Trophy, ...]] = {}
    """Player to the cards that go to his pile."""
    picked: dict[Side, CardNo] = {}
    replay: Engagement | None = None
    """After a draw: the same Operation again."""
    reason: str = ""


class OperationNoted(Event, frozen=True, tag=True):
    """Kept by totals: how an Operation ended; a later one of the same step replaces it."""

    step: StepId
    number: int
    result: Literal["won", "tie", "nobody"]
    player: Side | None = None
    freighter: Literal["", "none", "half", "full"] = ""


class PointsCounted(Event, frozen=True, tag=True):
    """Kept by totals: everybody's points of the game that is over."""

    points: dict[Side, int]


class SeriesContinued(Event, frozen=True, tag=True):
    """A game of the series is over; its points were added and the next one begins."""

    points: dict[Side, int]
    tricks: dict[Side, int]


COMMANDS: tuple[type[Command], ...] = (
    CountPoints,
    DiscardHand,
    DropInvalid,
    LayStorm,
    NoteOperation,
    PlayHand,
    RollDice,
    TakeTrick,
    TurnOver,
    UseEffect,
)

EVENTS: tuple[type[Event], ...] = (
    DiceRolled,
    EffectUsed,
    EngagementDecided,
    EngagementOpened,
    HandDiscarded,
    OperationNoted,
    PlayMade,
    PointsCounted,
    SeriesContinued,
)
