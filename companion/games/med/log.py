"""Lines of the log of the card game: what each of its commands did, so that it can stand behind "Undo"."""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.ids import StepId
from companion.core.state import GameState
from companion.core.text import Name, Say, Several, Value, card, several, side
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import CardNo
from companion.pages.words import LogLines

__all__ = ["LOG"]


def _turn_over(command: cm.TurnOver, _state: GameState) -> Say:
    return Say("Operation {card}", card=card(command.operation))


def _who(command: cm.PlayHand | cm.DiscardHand, state: GameState) -> Name:
    """Name who played, from the command or the step at which it was aimed."""
    if command.player is not None:
        return side(command.player)
    itinerary = state.itinerary
    owners = itinerary.steps[itinerary.index(command.step)].owners if command.step in itinerary else ()
    return side(owners[0] if owners else "table")


def _cards(numbers: Iterable[CardNo]) -> Several:
    return several(map(card, numbers), "comma")


def _play(command: cm.PlayHand, state: GameState) -> Say:
    """Say what was laid; what is covered has no side, and of its cards only those that lie face up."""
    if not command.side:
        if command.cards:
            return Say(
                "{player}: face down, with {cards}", player=_who(command, state), cards=_cards(command.cards)
            )
        return Say("{player}: face down", player=_who(command, state))
    return Say("{player}: {cards}", player=_who(command, state), cards=_cards(command.cards))


def _storm(command: cm.LayStorm, _state: GameState) -> Say:
    return Say("{player}: {cards}", player=side(command.player), cards=card(command.card))


def _discard(command: cm.DiscardHand, state: GameState) -> Say:
    return Say("{player}: {what}", player=_who(command, state), what=Name("discard", command.what))


def _drop(command: cm.DropInvalid, _state: GameState) -> Say:
    out: Value = card(command.card)
    if command.of is not None:
        out = Say("{card}, {player}", card=out, player=side(command.of))
    return Say("Invalid: {card}", card=out)


def _effect(command: cm.UseEffect, _state: GameState) -> Say:
    effect = Name("effect", command.effect)
    if not command.dice:
        return Say("{card} carried out", card=effect)
    return Say("{card}: rolled {dice}", card=effect, dice=several(command.dice, "comma"))


def _roll(command: cm.RollDice, _state: GameState) -> Say:
    return Say("Dice of {card}: {values}", card=card(command.card), values=several(command.dice, "comma"))


def _take(command: cm.TakeTrick, state: GameState) -> Say:
    return Say("Engagement {n} decided", n=_stage_of(command.step, state))


def _stage_of(step: StepId, state: GameState) -> int:
    itinerary = state.itinerary
    return itinerary.steps[itinerary.index(step)].stage if step in itinerary else state.step.stage


def _noted(command: cm.NoteOperation, state: GameState) -> Say:
    number = _stage_of(command.step, state)
    if command.player is None:
        return Say("Engagement {n}: {what}", n=number, what=Name("result", command.result))
    return Say("Engagement {n}: {player} wins it", n=number, player=side(command.player))


def _counted(command: cm.CountPoints, _state: GameState) -> Say:
    points = (Say("{player} {points}", player=side(one), points=n) for one, n in command.points.items())
    return Say("Points: {points}", points=several(points, "comma"))


LOG: LogLines = {
    cm.TurnOver: _turn_over,
    cm.PlayHand: _play,
    cm.LayStorm: _storm,
    cm.DiscardHand: _discard,
    cm.DropInvalid: _drop,
    cm.UseEffect: _effect,
    cm.RollDice: _roll,
    cm.TakeTrick: _take,
    cm.NoteOperation: _noted,
    cm.CountPoints: _counted,
}
