"""National Support: tokens, cards in hand, played and discarded, and the units that cards bring.

The cards themselves are in the box: the table names the card that it plays, its cost and its kind, and the app
keeps count. Upgrades and unique units carry their card's figures; from then on every unit table of the game
(battles, movement steps, resupply) knows them.

Source: rulebook v0.96, Phase 3: National Support.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command, EntryKind
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import ARBITER, Millis, Nation, StepId
from companion.core.newest import Newest
from companion.core.parts import ForeignKeyError, Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed
from companion.core.text import nation as nation_of
from companion.games.sfw.rules.ledger import nation_side, nations_of, not_in_game, turn_of
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.units import (
    UnitError,
    UnitTable,
    as_ruled,
    unit_table,
    with_card,
    with_printed,
)
from companion.games.sfw.rules.upgrades import card_fault, is_upgraded

__all__ = [
    "CardDiscarded",
    "CardPlay",
    "CardPlayed",
    "CorrectSupport",
    "DiscardCard",
    "Hand",
    "KnownCard",
    "PlayCard",
    "SupportCode",
    "SupportCorrected",
    "SupportDealt",
    "SupportPart",
    "SupportState",
    "acting_nations",
    "active_units_of",
    "card_key",
    "fielding",
    "known_cards",
    "lasting",
    "unit_table_of",
    "units_with_cards",
    "why_not_play",
]

CardKind = Literal["strategy", "upgrade", "unique", "event"]


class SupportCode(StrEnum):
    """Why a card cannot be played."""

    NOT_NOW = "not_now"
    NO_SUPPORT = "no_support"
    """The scenario, or the commander game, has no National Support."""
    NOT_YOUR_ACT = "not_your_act"
    NO_CARD = "no_card"
    NO_TOKENS = "no_tokens"
    REMOVED = "removed"
    """The scenario takes this card out of the deck."""
    PLAYED = "played"
    UPGRADED = "upgraded"
    BAD_CARD = "bad_card"


class CardPlay(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card as it was played."""

    stage: int
    step: StepId
    nation: Nation
    name: str
    kind: CardKind
    cost: int
    is_lasting: bool
    """False: discarded at once, by its symbol."""
    note: str = ""
    unit: dict[str, Any] = {}
    """The card's figures where it brings a unit (`units.with_card`)."""


class Hand(msgspec.Struct, frozen=True):
    """What a nation holds."""

    tokens: int = 0
    cards: int = 0
    drawn: int = 0
    discarded: int = 0


class SupportState(msgspec.Struct, frozen=True):
    """The part's slice."""

    hands: dict[str, Hand] = {}
    plays: tuple[CardPlay, ...] = ()
    dealt: frozenset[str] = frozenset()
    """``stage.nation`` that have had their tokens and cards."""


# Commands and events


class PlayCard(Command, frozen=True, tag=True):
    """Play a card from a nation's hand."""

    nation: Nation
    name: str
    card_kind: CardKind
    cost: int
    is_lasting: bool = True
    note: str = ""
    unit: dict[str, Any] = msgspec.field(default_factory=dict)
    """For an upgrade or a unique unit: the figures on its card, id, name and base at least."""


class DiscardCard(Command, frozen=True, tag=True):
    """Lay down a lasting card whose effect is over, or throw one away from the hand."""

    nation: Nation
    name: str = ""
    """A played card; empty: one from the hand."""


class CorrectSupport(Command, frozen=True, tag=True):
    """Set what a nation holds by hand; the arbiter's under tournament time."""

    kind: ClassVar[EntryKind] = "sticky"
    nation: Nation
    tokens: int
    cards: int


class SupportDealt(Event, frozen=True, tag=True):
    """A nation got its tokens and drew its cards."""

    nation: Nation
    stage: int
    tokens: int
    cards: int


class CardPlayed(Event, frozen=True, tag=True):
    """A card was played and paid."""

    play: CardPlay


class CardDiscarded(Event, frozen=True, tag=True):
    """A card was laid down."""

    nation: Nation
    name: str


class SupportCorrected(Event, frozen=True, tag=True):
    """A hand was set."""

    nation: Nation
    tokens: int
    cards: int


# Cards that the box remembers


class KnownCard(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A card as it was played before; stored as the printed value ``card.NATION.NAME``."""

    name: str
    kind: CardKind
    cost: int
    is_lasting: bool = False
    unit: dict[str, Any] = {}

    def played_by(self, nation: Nation) -> PlayCard:
        """Return what plays it."""
        return PlayCard(nation, self.name, self.kind, self.cost, self.is_lasting, unit=self.unit)


_LONGEST_NAME, _MOST_TOKENS, _LARGEST_UNIT = 60, 99, 4_000
"""Letters of a card's name, tokens that it may cost, and signs of its unit as it is stored."""


def card_key(nation: str, name: str) -> str:
    """Return the key under which a nation's card is remembered."""
    return f"card.{nation}." + "".join(c if c.isalnum() else "_" for c in name.strip().casefold())


def known_cards(state: GameState, nation: Nation) -> tuple[KnownCard, ...]:
    """Return the cards of a nation that are known by name, from earlier games too, in alphabetical order."""
    found = {
        play.name.casefold(): KnownCard(play.name, play.kind, play.cost, play.is_lasting, play.unit)
        for play in state.game["support"].plays
        if play.nation == nation
    }
    for key, value in state.printed.items():
        card = _card_of(value) if key.startswith(f"card.{nation}.") else None
        if card is not None:
            found[card.name.casefold()] = card
    return tuple(found[name] for name in sorted(found))


def _card_of(value: object) -> KnownCard | None:
    try:
        return msgspec.convert(value, KnownCard)
    except msgspec.ValidationError:
        return None


def _card_fault(setup: Setup, key: str, value: object) -> Say | None:
    """Say what is wrong with a card to be remembered; None when nothing is."""
    _group, nation, rest = (*key.split(".", 2), "", "")[:3]
    if nation not in {info.id for info in setup.nations} and not nation.isidentifier():
        return not_in_game(nation)
    card = _card_of(value)
    is_sound = card is not None and (
        0 < len(card.name.strip()) <= _LONGEST_NAME
        and 0 <= card.cost <= _MOST_TOKENS
        and key == card_key(nation, card.name)
        and bool(rest)
        and len(repr(card.unit)) <= _LARGEST_UNIT
    )
    return None if is_sound else Say("A card is stored with its name, kind and cost.")


# Questions


def lasting(own: SupportState, nation: str = "") -> tuple[CardPlay, ...]:
    """Return the cards that are in force, of one nation or of all."""
    return tuple(play for play in own.plays if play.is_lasting and nation in ("", play.nation))


def units_with_cards(table: UnitTable, plays: tuple[CardPlay, ...]) -> UnitTable:
    """Return a unit table with the units of played cards: upgrades take the place of their nation's units."""
    for play in plays:
        if play.unit:
            table = with_card(table, play.unit, is_upgrade=play.kind == "upgrade")
    return table


_BASES: Newest[UnitTable] = Newest(4)
_TABLES: Newest[UnitTable] = Newest(4)


def unit_table_of(state: GameState) -> UnitTable:
    """Return the unit table of a running game: printed values filled in, units of played cards added."""
    setup, plays = state.frozen_setup, state.game["support"].plays

    def make() -> UnitTable:
        base = as_ruled(_BASES.of(setup, make=lambda: unit_table(setup.tables["units"])), state.rulings)
        # A card copies what is entered of its base; what is entered of the card's own unit comes after it.
        return with_printed(units_with_cards(with_printed(base, state.printed), plays), state.printed)

    return _TABLES.of(setup, state.rulings, state.printed, plays, make=make)


def active_units_of(state: GameState, step: Step) -> tuple[str, ...]:
    """Return the units active in a step: what its acting nations have, those of played cards included.

    A unit that all of them have upgraded is none of theirs any more; its upgrades stand at its end.
    """
    if step.movement_step is None:
        return step.active_units
    table, nations = unit_table_of(state), acting_nations(state, step)
    extra = tuple(
        spec.id
        for spec in table.units.values()
        if spec.base and step.movement_step in spec.movement_steps and spec.nation in ("", *nations)
    )
    return (*(unit for unit in step.active_units if fielding(table, nations, unit)), *extra)


def acting_nations(state: GameState, step: Step) -> tuple[str, ...]:
    """Return the nations of the sides that act in a step."""
    return tuple(info.id for info in state.frozen_setup.nations if info.side in step.owners)


def fielding(table: UnitTable, nations: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """Return those of some nations that have a unit; all of them where the table does not know it."""
    return nations if unit not in table.units else tuple(n for n in nations if table.fields(n, unit))


class SupportPart(Part):
    """Tokens, hands and cards of the National Support Phase."""

    name = "support"
    commands: tuple[type[Command], ...] = (PlayCard, DiscardCard, CorrectSupport)
    events: tuple[type[Event], ...] = (SupportDealt, CardPlayed, CardDiscarded, SupportCorrected)

    def initial(self, setup: Setup) -> SupportState:
        """Return empty hands."""
        return SupportState(hands={info.id: Hand() for info in setup.nations})

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of this part's commands."""
        match command:
            case PlayCard():
                return _play(state, command)
            case DiscardCard():
                return _discard(state, command)
            case CorrectSupport():
                return _correct(state, command, ctx)
        return super().decide(state, command, ctx)

    def evolve(self, own: Any, event: Event, state: GameState) -> SupportState:  # noqa: ARG002
        """Apply an event of this part."""
        return _evolve(own, event)

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Check a card that is remembered for later games; ForeignKeyError for another key."""
        if not key.startswith("card."):
            raise ForeignKeyError(key)
        return _card_fault(state.frozen_setup, key, value)

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Deal tokens and cards when a side's first National Support step begins."""
        if step.phase != "national_support" or not tables(state).has_support:
            return ()
        own: SupportState = state.game[self.name]
        setup = state.frozen_setup
        sides = step.owners or tuple(info.id for info in setup.sides)
        return tuple(
            _dealt(state, own, nation, step.stage)
            for side in sides
            for nation in nations_of(setup, side)
            if f"{step.stage}.{nation}" not in own.dealt
        )


def _dealt(state: GameState, own: SupportState, nation: Nation, stage: int) -> SupportDealt:
    table = tables(state)
    limits, deck = table.limits, table.decks.get(nation)
    cards = limits.support_cards_each
    if deck is not None:
        cards = min(cards, max(0, deck - own.hands[nation].drawn))
    return SupportDealt(nation, stage, limits.support_tokens_each, cards)


def why_not_play(state: GameState, command: PlayCard) -> Rejected | None:
    """Say why a card cannot be played now; None when it can."""
    decision = _play(state, command)
    return decision if isinstance(decision, Rejected) else None


def _play(state: GameState, command: PlayCard) -> Decision:
    own: SupportState = state.game["support"]
    setup, table = state.frozen_setup, tables(state)
    hand = own.hands.get(command.nation)
    name = command.name.strip()
    if hand is None:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not name or command.cost < 0:
        return Rejected(Code.BAD_VALUE, Say("Enter the card's name and a cost of 0 or more."))
    if not table.has_support:
        return Rejected(SupportCode.NO_SUPPORT, Say("This game has no National Support."))
    if state.step.phase != "national_support":
        return Rejected(SupportCode.NOT_NOW, Say("Cards are played in the National Support Phase."))
    side = nation_side(setup, command.nation)
    if state.step.owners and side not in state.step.owners:
        return Rejected(SupportCode.NOT_YOUR_ACT, turn_of(state.step))
    least, most = table.limits.card_least, table.limits.card_most
    if command.cost < least or (most is not None and command.cost > most):
        return Rejected(
            SupportCode.BAD_CARD,
            Say("A card costs at least {least} tokens, not {cost}.", least=least, cost=command.cost)
            if most is None
            else Say(
                "A card costs {least} to {most} tokens, not {cost}.",
                least=least,
                most=most,
                cost=command.cost,
            ),
        )
    removed = {card.casefold() for card in table.removed_cards.get(command.nation, ())}
    if name.casefold() in removed:
        return Rejected(
            SupportCode.REMOVED, Say("This scenario takes {card} out of the deck.", card=Typed(name))
        )
    if hand.cards < 1:
        return _no_card(command.nation)
    if hand.tokens < command.cost:
        return Rejected(
            SupportCode.NO_TOKENS,
            Say.counted(
                "{nation} has {n} token; the card costs {cost}.",
                "{nation} has {n} tokens; the card costs {cost}.",
                hand.tokens,
                nation=nation_of(command.nation),
                cost=command.cost,
            ),
        )
    if any(
        play.nation == command.nation and play.name.casefold() == name.casefold() for play in lasting(own)
    ):
        return Rejected(SupportCode.PLAYED, Say("{card} is already in force.", card=Typed(name)))
    fault = _unit_fault(state, command)
    if fault is not None:
        return fault
    play = CardPlay(
        state.step.stage,
        state.step.id,
        command.nation,
        name,
        command.card_kind,
        command.cost,
        command.is_lasting or bool(command.unit),
        command.note.strip(),
        command.unit,
    )
    return Accepted((CardPlayed(play),))


def _no_card(nation: Nation) -> Rejected:
    return Rejected(SupportCode.NO_CARD, Say("{nation} has no card in hand.", nation=nation_of(nation)))


def _unit_fault(state: GameState, command: PlayCard) -> Rejected | None:
    if command.card_kind not in ("upgrade", "unique"):
        return (
            Rejected(SupportCode.BAD_CARD, Say("Only upgrades and unique units bring a unit."))
            if command.unit
            else None
        )
    if not command.unit:
        return Rejected(
            SupportCode.BAD_CARD, Say("Enter the unit of the card, at least its name and its base unit.")
        )
    if command.unit.get("nation") != command.nation:
        return Rejected(
            SupportCode.BAD_CARD,
            Say("The unit of the card belongs to {nation}.", nation=nation_of(command.nation)),
        )
    table = unit_table_of(state)
    fault = card_fault(table, command.unit)
    if fault is not None:
        return Rejected(SupportCode.BAD_CARD, fault)
    if command.card_kind == "upgrade":
        again = is_upgraded(table, command.nation, str(command.unit.get("base")))
        if again is not None:
            return Rejected(SupportCode.UPGRADED, again)
    try:
        with_card(table, command.unit)
    except UnitError as error:
        return Rejected(
            SupportCode.BAD_CARD, Say("The unit of the card does not fit: {fault}", fault=Typed(str(error)))
        )
    return None


def _discard(state: GameState, command: DiscardCard) -> Decision:
    own: SupportState = state.game["support"]
    hand = own.hands.get(command.nation)
    if hand is None:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not command.name:
        if hand.cards < 1:
            return _no_card(command.nation)
        return Accepted((CardDiscarded(command.nation, ""),))
    in_force = next((play for play in lasting(own, command.nation) if play.name == command.name), None)
    if in_force is None:
        return Rejected(SupportCode.NO_CARD, Say("{card} is not in force.", card=Typed(command.name)))
    if in_force.unit:
        return Rejected(
            SupportCode.PLAYED, Say("{card} stays for the rest of the game.", card=Typed(command.name))
        )
    return Accepted((CardDiscarded(command.nation, command.name),))


def _correct(state: GameState, command: CorrectSupport, ctx: Context) -> Decision:
    if command.nation not in state.game["support"].hands:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if min(command.tokens, command.cards) < 0:
        return Rejected(Code.BAD_VALUE, Say("The number of tokens and cards cannot be below 0."))
    if state.clocks.config.tournament and ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    return Accepted((SupportCorrected(command.nation, command.tokens, command.cards),))


def _evolve(own: SupportState, event: Event) -> SupportState:
    match event:
        case SupportDealt():
            hand = own.hands[event.nation]
            hand = replace(
                hand,
                tokens=hand.tokens + event.tokens,
                cards=hand.cards + event.cards,
                drawn=hand.drawn + event.cards,
            )
            dealt = own.dealt | {f"{event.stage}.{event.nation}"}
            return replace(own, hands={**own.hands, event.nation: hand}, dealt=dealt)
        case CardPlayed():
            play, hand = event.play, own.hands[event.play.nation]
            hand = replace(
                hand,
                tokens=max(0, hand.tokens - play.cost),
                cards=max(0, hand.cards - 1),
                discarded=hand.discarded + (not play.is_lasting),
            )
            return replace(own, hands={**own.hands, play.nation: hand}, plays=(*own.plays, play))
        case CardDiscarded():
            hand = own.hands[event.nation]
            in_hand = 1 if not event.name else 0
            hand = replace(hand, cards=max(0, hand.cards - in_hand), discarded=hand.discarded + 1)
            plays = tuple(
                replace(play, is_lasting=False)
                if event.name and play.nation == event.nation and play.name == event.name
                else play
                for play in own.plays
            )
            return replace(own, hands={**own.hands, event.nation: hand}, plays=plays)
        case SupportCorrected():
            hand = replace(own.hands[event.nation], tokens=event.tokens, cards=event.cards)
            return replace(own, hands={**own.hands, event.nation: hand})
    return own
