"""Decisions about Storm cards: laid with a play or at another moment, and what their dice do.

Source: Naval card game, Sirocco; Explosion; Bomb Alley; Rules for 2 Players; Explanation of Significant Cards S01-S07.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Side
from companion.core.options import says
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Name, Range, Say, sentences, several, side
from companion.core.text import card as named
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import NO_CAMP, NO_CARD, Card, CardNo
from companion.games.med.rules.effects import (
    AT_END_OF_PLAY,
    EFFECTS,
    EXPLOSION_AT_HOME,
    SIROCCO_PASSES,
    WITH_A_PLAY,
)
from companion.games.med.rules.engagement import (
    ONLY_WITH_OTHERS,
    WHOSE_AIR_DOUBLES,
    Barred,
    Engagement,
    Play,
    Removed,
    not_entered,
    not_this_round,
    on_the_table,
)
from companion.games.med.rules.flow import PLAYS, round_of
from companion.games.med.rules.slice import (
    known_cards,
    laid_twice,
    lies_hidden,
    may_play_again,
    pile_faults,
    prefix,
    round_at,
    seen_by,
    slice_of,
)

__all__ = [
    "NOT_FOUGHT",
    "dice_fault",
    "explosion_targets",
    "laid_storms",
    "lay_storm",
    "not_there",
    "use_effect",
]

_SIROCCO = Name("effect", "sirocco")
_FACE_DOWN = Say("Carry this card out once the others are turned over.")
NOT_FOUGHT = Say("No engagement is being fought.")


def not_there(what: Name) -> Say:
    """Say that a card does not lie on the table."""
    return Say("{card} is not on the table.", card=what)


def laid_storms(
    state: GameState, engagement: Engagement, laid: Play, gone: tuple[CardNo, ...] = ()
) -> tuple[Event, ...]:
    """Return what Storm cards do by themselves when they are laid: Shallows clears submarines, Fog leaves no trace.

    Args:
        gone: Cards of the play that drop out as invalid.

    Source: Naval card game, Rules for 2 Players; S02; S07; table ruling "shallows_reach"
    """
    cards, is_whole = known_cards(state), not says(state, "shallows_reach", "round")
    events: list[Event] = []
    for number in laid.cards:
        if number in gone:
            continue
        if cards[number].effect == "fog":
            events.append(cm.EffectUsed("fog", laid.player, card=number))
        if cards[number].effect == "shallows":
            cleared = tuple(
                Removed(other, "shallows", laid.player, number, play.player)
                for play in (*engagement.plays, laid)
                for other in play.cards
                if (is_whole or play.round == laid.round)
                and cards[other].frame == "sub"
                and other not in gone
                and not engagement.is_removed(other, play.player)
            )
            events.append(
                cm.EffectUsed("shallows", laid.player, removed=cleared, sub_ban_round=laid.round, card=number)
            )
    return tuple(events)


def lay_storm(state: GameState, command: cm.LayStorm) -> Decision:
    """Lay a Storm card apart from a play: Fog at any time, most others until the dice of the engagement roll."""
    own = slice_of(state)
    cards = known_cards(state)
    card = cards.get(command.card)
    if card is None:
        return Rejected("unknown_card", not_entered(command.card))
    if card.kind != "storm" or card.effect in WITH_A_PLAY:
        return Rejected(
            "not_now", Say("{card} is played only together with other cards.", card=named(command.card))
        )
    if command.player not in own.players:
        return Rejected(Code.BAD_VALUE, Say("The player who plays the card is not at this table."))
    engagement = own.engagement
    is_open = engagement is not None and own.decided is None and state.step.phase == "engagement"
    if engagement is None or not is_open:
        if card.effect == "fog" and state.step.stage:
            return Accepted((cm.EffectUsed("fog", command.player, card=command.card),))
        return Rejected("not_now", NOT_FOUGHT)
    engagement = seen_by(state, engagement)
    if any(command.card in play.cards for play in engagement.plays):
        return Rejected("already_played", on_the_table(command.card))
    if engagement.rolls:
        return Rejected("not_now", Say("The dice have been rolled. Undo them before you play another card."))
    battle = own.options.is_battle(cards[engagement.operation])
    number = round_at(state, engagement)
    effect = EFFECTS[card.effect]
    if effect.id in AT_END_OF_PLAY and command.player not in state.step.owners:
        return Rejected(
            "not_now",
            Say("{card} is played at the end of its player's own turn.", card=named(command.card)),
        )
    if effect.id in AT_END_OF_PLAY and not _may_be_alone(state, engagement, command.player, number):
        return Rejected("illegal_play", ONLY_WITH_OTHERS)
    if battle and number not in effect.rounds:
        return Rejected("illegal_play", not_this_round(effect.id, number))
    fault = _target_fault(engagement, cards, effect.id, command.target)
    if fault is not None:
        return Rejected(Code.BAD_VALUE, fault)
    laid = Play(
        command.player,
        number,
        NO_CAMP,
        (command.card,),
        bomb_alley_on=command.target if effect.id == "bomb_alley" else NO_CARD,
        apart=True,
    )
    faults = pile_faults(own, laid)
    if faults:
        return Rejected("illegal_play", sentences(faults))
    events: list[Event] = [cm.PlayMade(laid), *laid_storms(state, engagement, laid)]
    if effect.id == "lost":
        events.append(_lost(engagement, command.player, command.card, command.target))
    return Accepted(tuple(events))


def _may_be_alone(state: GameState, engagement: Engagement, player: Side, number: int) -> bool:
    """Say whether a player who laid nothing in a round, since he discarded, may end his play with a Storm card."""
    has_laid = any(not play.apart for play in engagement.played_by(player, number))
    return has_laid or not says(state, "storm_alone", "no")


def _target_fault(
    engagement: Engagement, cards: Mapping[CardNo, Card], effect: str, target: CardNo
) -> Say | None:
    lies = bool(engagement.holders(target))
    if effect == "lost" and not (lies and cards[target].kind == "bonus"):
        return Say("Choose a Bonus that is on the table.")
    if effect == "bomb_alley" and not (lies and cards[target].kind == "force"):
        return WHOSE_AIR_DOUBLES
    return laid_twice(engagement, target) if effect in ("lost", "bomb_alley") else None


def _lost(engagement: Engagement, by: Side, card: CardNo, target: CardNo) -> cm.EffectUsed:
    (of,) = engagement.holders(target)
    return cm.EffectUsed("lost", by, removed=(Removed(target, "lost", by, card, of),), card=card)


def use_effect(state: GameState, command: cm.UseEffect) -> Decision:
    """Carry out a Storm card that lies there: a Sirocco's or an Explosion's dice, the Bonus that is lost."""
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or own.decided is not None:
        return Rejected("not_now", NOT_FOUGHT)
    cards = known_cards(state)
    holder, card = _holder(state, engagement, cards, command.effect)
    if holder is None:
        return Rejected("not_in_play", not_there(Name("effect", command.effect)))
    if command.effect in engagement.used and engagement.sirocco is None:
        return Rejected(
            "already_used", Say("{card} has already been used.", card=Name("effect", command.effect))
        )
    match command.effect:
        case "sirocco":
            return _sirocco(state, engagement, command, holder, card)
        case "explosion" if any(lies_hidden(state, play) for play in engagement.plays):
            return Rejected("not_now", _FACE_DOWN)
        case "explosion":
            return _explosion(state, engagement, command, holder, card)
        case "lost":
            seen = seen_by(state, engagement)
            fault = _target_fault(seen, cards, "lost", command.card)
            if fault is not None:
                return Rejected(Code.BAD_VALUE, fault)
            return Accepted((_lost(seen, holder, card, command.card),))


def _holder(
    state: GameState, engagement: Engagement, cards: Mapping[CardNo, Card], effect: str
) -> tuple[Side | None, CardNo]:
    """Return who carries an effect out, and the card; a Sirocco only at the end of its player's own play."""
    for play in reversed(engagement.plays):
        for number in play.cards:
            if cards[number].effect == effect and not engagement.is_removed(number, play.player):
                if effect == "sirocco" and engagement.sirocco is not None:
                    return engagement.sirocco, number
                if effect == "sirocco" and play.player not in state.step.owners:
                    return None, NO_CARD
                return play.player, number
    if effect == "sirocco" and engagement.sirocco is not None:
        return engagement.sirocco, NO_CARD
    return None, NO_CARD


def dice_fault(dice: tuple[int, ...], count: int) -> Rejected | None:
    """Refuse dice that are not so many d6."""
    if len(dice) != count:
        fault = Say.counted(
            "Enter exactly {n} die, not {have}.", "Enter exactly {n} dice, not {have}.", count, have=len(dice)
        )
        return Rejected("bad_dice", fault)
    if any(not 1 <= value <= 6 for value in dice):
        shown = several(dice, "comma")
        return Rejected(
            "bad_dice", Say("A die shows {range}. Entered: {dice}.", range=Range(1, 6), dice=shown)
        )
    return None


def _sirocco(
    state: GameState, engagement: Engagement, command: cm.UseEffect, holder: Side, number: CardNo
) -> Decision:
    round_ = round_of(state.step)
    if not round_ or holder not in state.step.owners:
        return Rejected("not_now", Say("{card} is used at the end of its player's own turn.", card=_SIROCCO))
    if command.put_away:
        if engagement.sirocco is None:
            return Rejected(
                Code.BAD_VALUE,
                Say("{card} may be discarded unused only if it was passed on.", card=_SIROCCO),
            )
        return Accepted((cm.EffectUsed("sirocco", holder, card=number),))
    fault = dice_fault(command.dice, 1)
    if fault is not None:
        return fault
    if command.dice[0] >= SIROCCO_PASSES:
        passed = _next_to_play(state, engagement, holder)
        used = cm.EffectUsed(
            "sirocco", holder, command.dice, sirocco=passed, card=number, origin=command.origin
        )
        return Accepted((used,))
    if command.player not in engagement.order:
        return Rejected(Code.BAD_VALUE, Say("Choose the player whose part is cancelled."))
    whole = says(state, "sirocco_reach", "engagement")
    gone = tuple(
        Removed(card, "sirocco", holder, number, play.player)
        for play in engagement.plays
        for card in play.cards
        if play.player == command.player
        and (whole or play.round == round_)
        and card != number
        and not engagement.is_removed(card, play.player)
    )
    barred = Barred(command.player, 0 if whole else round_)
    return Accepted(
        (
            cm.EffectUsed(
                "sirocco", holder, command.dice, gone, barred=barred, card=number, origin=command.origin
            ),
        )
    )


def _next_to_play(state: GameState, engagement: Engagement, holder: Side) -> Side | None:
    """Return who gets a passed Sirocco: the next to the left with a play before him, in a later round too."""
    start = prefix(slice_of(state), engagement)
    for step in state.itinerary.steps[state.index + 1 :]:
        if step.act not in PLAYS or not step.id.startswith(start) or not step.owners:
            continue
        player = step.owners[0]
        if player != holder and _takes_place(state, engagement, step, player):
            return player
    return None


def _takes_place(state: GameState, engagement: Engagement, step: Step, player: Side) -> bool:
    number = round_of(step)
    if engagement.is_barred(player, number) or engagement.sat_out(player):
        return False
    return step.act != "play_again" or may_play_again(state, engagement, player, number)


def explosion_targets(
    state: GameState, engagement: Engagement, total: int
) -> tuple[Side | None, tuple[CardNo, ...]]:
    """Return whom an Explosion of `total` hits and which of his cards it may destroy.

    Below 7 the right-hand neighbour's Force cards, above 7 the left-hand one's, at 7 any of its player's own but
    Special and Storm cards, which are never destroyed. Where an engagement has two rounds, only cards of the
    Explosion's own round.

    Source: Naval card game, Supply, Storm & Special Cards; Explosion; S03
    """
    own, cards = slice_of(state), known_cards(state)
    mine = next(
        (p for p in reversed(engagement.plays) if any(cards[n].effect == "explosion" for n in p.cards)), None
    )
    if mine is None:
        return None, ()
    # Play goes clockwise to the left; the right-hand neighbour sits one seat before.
    is_own = total == EXPLOSION_AT_HOME
    away = 0 if is_own else -1 if total < EXPLOSION_AT_HOME else 1
    target = own.players[(own.players.index(mine.player) + away) % len(own.players)]
    two_rounds = own.options.rounds(cards[engagement.operation]) == 2
    return target, tuple(
        n
        for play in engagement.plays
        if play.player == target and (not two_rounds or play.round == mine.round)
        for n in play.cards
        if not engagement.is_removed(n, target)
        and (cards[n].kind == "force" or (is_own and cards[n].kind in ("bonus", "supply")))
    )


def _explosion(
    state: GameState,
    engagement: Engagement,
    command: cm.UseEffect,
    holder: Side,
    number: CardNo,
) -> Decision:
    cards = known_cards(state)
    fault = dice_fault(command.dice, 2)
    if fault is not None:
        return fault
    total = sum(command.dice)
    target, able = explosion_targets(state, engagement, total)
    if not able and not command.card:
        return Accepted(
            (cm.EffectUsed("explosion", holder, command.dice, card=number, origin=command.origin),)
        )
    if command.card not in able:
        if target is None:
            return Rejected("not_in_play", not_there(Name("effect", "explosion")))
        why = Say(
            "{total} hits {player}. Choose the card that is destroyed.", total=total, player=side(target)
        )
        return Rejected(Code.BAD_VALUE, why)
    laid = next(play for play in engagement.plays if command.card in play.cards and play.player == target)
    hit = [command.card]
    if cards[command.card].kind == "force":
        forces = [n for n in laid.cards if cards[n].kind == "force"]
        hit += [
            other
            for other in laid.cards
            if cards[other].kind in ("bonus", "supply")
            and not engagement.is_removed(other, laid.player)
            and (laid.bonus_on.get(other) == command.card or forces == [command.card])
        ]
    gone = tuple(Removed(n, "explosion", holder, number, laid.player) for n in hit)
    return Accepted(
        (cm.EffectUsed("explosion", holder, command.dice, gone, card=number, origin=command.origin),)
    )
