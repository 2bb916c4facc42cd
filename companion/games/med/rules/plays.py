"""Decisions about cards that are laid, discarded or taken out: from the Operation to the last face-down card.

Source: Naval card game, Declaring the Operation; Convoy; Battle; Supply, Storm & Special Cards; Victim of Destiny.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from companion.core.events import Event, SegmentAppended
from companion.core.ids import Side
from companion.core.options import says
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, Typed, sentences, side
from companion.core.text import card as named
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import ELEMENTS, NO_CAMP, NO_CARD, Card, CardNo, is_number
from companion.games.med.rules.effects import ADMIRALS, RAIDS
from companion.games.med.rules.engagement import (
    Discarded,
    Engagement,
    Options,
    Play,
    Removed,
    admiral_of,
    dropping,
    not_entered,
    on_the_table,
    play_faults,
)
from companion.games.med.rules.flow import engagement_steps, game_of, round_of, seated_from
from companion.games.med.rules.outcome import SIDES, destinies
from companion.games.med.rules.slice import (
    again_done,
    intelligence,
    known_cards,
    pile_faults,
    seen_by,
    slice_of,
    still_hidden,
)
from companion.games.med.rules.storms import NOT_FOUGHT, laid_storms, not_there

__all__ = [
    "discard",
    "drop_invalid",
    "faults_of",
    "not_in_hand",
    "play",
    "second_missing",
    "seen_before",
    "turn_over",
    "would_drop",
]


def turn_over(state: GameState, command: cm.TurnOver) -> Decision:
    """Turn over an Operation and append the engagement's steps."""
    own, step = slice_of(state), state.step
    if step.act != "operation":
        return Rejected("not_now", Say("An Operation is turned over at the start of an engagement."))
    if own.engagement is not None and own.engagement.number == step.stage and own.game == game_of(step):
        lies = named(own.engagement.operation)
        return Rejected("already_open", Say("An Operation is already face up: {card}.", card=lies))
    card = known_cards(state).get(command.operation)
    if card is None:
        return Rejected("unknown_card", not_entered(command.operation))
    if card.kind != "operation":
        return Rejected("not_an_operation", Say("{card} is not an Operation.", card=named(command.operation)))
    for number in (command.operation, *filter(None, (command.put_away,))):
        if number in own.seen:
            return Rejected("seen_before", seen_before(number))
    options = own.options
    elements = command.elements
    if options.is_battle(card):
        elements = (options.historicity and card.historic) or ELEMENTS
    elif len(elements) not in (1, 3) or len(set(elements)) != len(elements):
        return Rejected(
            Code.BAD_VALUE, Say("A convoy is fought as air, surface or sub, or as all three combined.")
        )
    if command.put_away and not options.advanced:
        return Rejected(Code.BAD_VALUE, Say("Two Operations are drawn only under the advanced rules."))
    if command.put_away == command.operation:
        return Rejected(Code.BAD_VALUE, Say("The Operation that you put away must be a different one."))
    fault = _second_fault(options, command.put_away)
    if fault is not None:
        return fault
    first = own.players.index(step.owners[0])
    engagement = Engagement(step.stage, command.operation, elements, seated_from(own.players, first))
    opened = cm.EngagementOpened(engagement, command.put_away)
    return Accepted((opened, SegmentAppended(engagement_steps(own.game, engagement, card, options))))


def _second_fault(options: Options, put_away: CardNo) -> Rejected | None:
    """Refuse an Operation under the advanced rules without the other one drawn, which does not come up again.

    Source: Naval card game, Advanced Rules
    """
    if not options.advanced:
        return None
    if not put_away:
        return Rejected("second_missing", second_missing())
    if not is_number(put_away) or put_away[0] != "O":
        return Rejected("not_an_operation", Say("{card} is not an Operation.", card=named(put_away)))
    return None


def second_missing() -> Say:
    """Say that two Operations are drawn, and both are named."""
    return Say("Enter the other Operation drawn; it does not come up again.")


def seen_before(number: CardNo) -> Say:
    """Say that an Operation came up already."""
    return Say("{card} has already come up in this game.", card=named(number))


def play(state: GameState, command: cm.PlayHand) -> Decision:
    """Lay a player's cards; face down, what is invalid drops out instead of being refused."""
    own, step = slice_of(state), state.step
    engagement, number = own.engagement, round_of(step)
    if engagement is not None and step.act == "reveal":
        if command.player not in still_hidden(engagement):
            return Rejected("already_played", Say("Only cards that lie face down are entered at the reveal."))
        player, number, again = command.player, 2, False
    elif engagement is None or not number:
        return Rejected("not_now", Say("Nobody plays in this step."))
    else:
        player, again = step.owners[0], step.act == "play_again"
    done = again_done(engagement, player, number) if again else engagement.has_acted(player, number)
    if done:
        return Rejected("already_played", _has_played(player))
    if command.side not in SIDES:
        return Rejected(
            Code.UNKNOWN_SIDE, Say("This game has no such side: {side}.", side=Typed(command.side))
        )
    cards = known_cards(state)
    admiral = admiral_of(command.cards, cards)
    laid = Play(
        player,
        number,
        command.side,
        command.cards,
        command.bonus_on,
        command.admiral,
        command.bomb_alley_on,
        again,
        admiral if command.admiral else NO_CARD,
    )
    is_hidden = step.act in ("reveal", "play_hidden")
    faults = faults_of(state, laid)
    if faults and not (is_hidden and all(n in cards for n in laid.cards) and not not_in_hand(state, laid)):
        unknown = [n for n in laid.cards if n not in cards]
        code = "unknown_card" if len(unknown) == len(faults) else "illegal_play"
        return Rejected(code, sentences(faults))
    gone = dropping(seen_by(state, engagement, player), laid, cards, own.options) if faults else ()
    if gone and command.admiral and laid.admiral_card in gone:
        laid = msgspec.structs.replace(laid, admiral="", admiral_card=NO_CARD)
    raid = next((c for c in laid.cards if c not in gone and cards[c].effect in RAIDS), NO_CARD)
    lasts = own.options.players == 2 or not own.options.is_battle(cards[engagement.operation])
    only_round = 0 if lasts or not raid else number
    events: list[Event] = [
        cm.PlayMade(laid, RAIDS[cards[raid].effect] if raid else NO_CAMP, only_round, raid),
    ]
    if gone:
        events.append(cm.EffectUsed("invalid", player, removed=_invalid(player, gone)))
    if not own.options.is_battle(cards[engagement.operation]):
        events.extend(_struck(engagement, laid, cards))
    events.extend(laid_storms(state, engagement, laid, gone))
    return Accepted(tuple(events))


def _struck(engagement: Engagement, laid: Play, cards: Mapping[CardNo, Card]) -> tuple[Event, ...]:
    """In a convoy a Destiny card destroys its victim the moment it is laid."""
    there = msgspec.structs.replace(engagement, plays=(*engagement.plays, laid))
    victims = destinies(there, cards, laid.cards)
    return (cm.EffectUsed("destiny", laid.player, removed=victims),) if victims else ()


def faults_of(state: GameState, laid: Play) -> tuple[Say, ...]:
    """List why a play is not allowed under the table's rulings; empty when it is. An engagement is open."""
    own = slice_of(state)
    if own.engagement is None:
        return (NOT_FOUGHT,)
    alone = not says(state, "storm_alone", "no")
    seen = seen_by(state, own.engagement, laid.player)
    found = play_faults(seen, laid, known_cards(state), own.options, storm_alone=alone)
    return (*found, *pile_faults(own, laid))


def not_in_hand(state: GameState, laid: Play) -> tuple[Say, ...]:
    """List why cards of a play cannot come from its player's hand, as far as he may know: refused face down too.

    Only what lies open is looked at, so that the answer is the same whatever else lies face down.
    """
    own = slice_of(state)
    seen = seen_by(state, own.engagement, laid.player) if own.engagement is not None else None
    there = {number for play in seen.plays for number in play.cards} if seen is not None else set()
    return (*(on_the_table(n) for n in laid.cards if n in there), *pile_faults(own, laid))


def would_drop(state: GameState, laid: Play) -> tuple[CardNo, ...]:
    """Return which cards of a face-down play drop out as invalid when it is turned over. Every card is known."""
    own = slice_of(state)
    if own.engagement is None:
        return ()
    return dropping(seen_by(state, own.engagement, laid.player), laid, known_cards(state), own.options)


def _has_played(player: Side) -> Say:
    return Say("{player} has already played this round. Undo to change it.", player=side(player))


_AT_THE_REVEAL = Say("At the reveal, enter the face-down card or say that it was a bluff.")


def discard(state: GameState, command: cm.DiscardHand) -> Decision:
    """Let a player discard, sit out, decline his second play, or show a bluff."""
    own, step = slice_of(state), state.step
    engagement, number = own.engagement, round_of(step)
    if engagement is not None and step.act == "reveal":
        if command.what != "bluff" or command.player not in still_hidden(engagement):
            return Rejected("not_now", _AT_THE_REVEAL)
        return Accepted((cm.HandDiscarded(Discarded(command.player, 2, "bluff")),))
    if engagement is None or not number:
        return Rejected("not_now", Say("Nobody plays in this step."))
    player = step.owners[0]
    if step.act == "play_again":
        if again_done(engagement, player, number):
            return Rejected("already_played", _has_played(player))
        card = intelligence(state, engagement, player, number)
        return Accepted(
            (cm.EffectUsed("intelligence", player, removed=(Removed(card, "declined", player, of=player),)),)
        )
    if engagement.has_acted(player, number):
        return Rejected("already_played", _has_played(player))
    if command.what == "bluff":
        return Rejected("not_now", _AT_THE_REVEAL)
    battle = own.options.is_battle(known_cards(state)[engagement.operation])
    if engagement.is_held(number) and command.what != "out":
        battle = False  # a raid lets a player discard who has no card of its side
    if battle and (command.what != "out" or number != 1):
        if number == 1:
            why = Say(
                "In a battle every player plays. With no valid card, a player discards all and sits out."
            )
        else:
            why = Say("In a battle every player plays. Any card may be laid face down.")
        return Rejected("must_play", why)
    if not battle and command.what == "out":
        return Rejected(Code.BAD_VALUE, Say("A player sits out in battles only."))
    return Accepted((cm.HandDiscarded(Discarded(player, number, command.what)),))


def drop_invalid(state: GameState, command: cm.DropInvalid) -> Decision:
    """Take a card out that was noticed to be invalid, with what cannot lie there without it."""
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or own.decided is not None:
        return Rejected("not_now", NOT_FOUGHT)
    seen, cards = seen_by(state, engagement), known_cards(state)
    whose = [of for of in seen.holders(command.card) if command.of in (None, of)]
    if not whose:
        return Rejected("not_in_play", not_there(named(command.card)))
    events = []
    for laid in seen.plays:
        if laid.player in whose and command.card in laid.cards:
            gone = (command.card, *_needing(engagement, laid, command.card, cards))
            events.append(cm.EffectUsed("invalid", laid.player, removed=_invalid(laid.player, gone)))
    return Accepted(tuple(events))


def _invalid(of: Side, gone: Iterable[CardNo]) -> tuple[Removed, ...]:
    return tuple(Removed(number, "invalid", of=of) for number in gone)


def _needing(engagement: Engagement, laid: Play, card: CardNo, cards: Mapping[CardNo, Card]) -> list[CardNo]:
    """Return what falls with an invalid Force card: its Bonuses, and the Admiral who has none left."""
    if cards[card].kind != "force":
        return []
    lying = [n for n in laid.cards if n != card and not engagement.is_removed(n, laid.player)]
    forces = [n for n in laid.cards if cards[n].kind == "force"]
    falls = [
        n for n in lying if cards[n].kind == "bonus" and (laid.bonus_on.get(n) == card or forces == [card])
    ]
    if not any(cards[n].kind == "force" for n in lying):
        falls += [n for n in lying if cards[n].effect in ADMIRALS]
    return falls
