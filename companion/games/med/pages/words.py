"""Words of the card game: cards, refusals, labels of the log. Registers the labels of the game's commands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from companion.core.state import GameState
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import Card
from companion.games.med.rules.slice import known_cards
from companion.pages.details import add_templates
from companion.pages.i18n import N_, _
from companion.pages.labels import PRINTED, label_command, side_name

__all__ = [
    "DISCARD_WORDS",
    "EFFECT_WORDS",
    "ELEMENT_WORDS",
    "FREIGHTER_WORDS",
    "HOW_WORDS",
    "KIND_WORDS",
    "NATION_WORDS",
    "OPERATION_WORDS",
    "REASON_WORDS",
    "TEMPLATES",
    "WHY_WORDS",
    "card_facts",
    "card_name",
    "elements_text",
    "side_word",
]

ELEMENT_WORDS: dict[str, str] = {
    "air": N_("Air"),
    "surface": N_("Surface"),
    "sub": N_("Sub"),
    "all": N_("All three"),
}
KIND_WORDS: dict[str, str] = {
    "force": N_("Force"),
    "bonus": N_("Bonus"),
    "supply": N_("Supply"),
    "storm": N_("Storm"),
    "special": N_("Special"),
    "operation": N_("Operation"),
}
EFFECT_WORDS: dict[str, str] = {
    "medway": N_("Medway"),
    "remo": N_("Remo & Romolo"),
    "la_spezia": N_("Raid on La Spezia"),
    "romanian_fuel": N_("Romanian Fuel"),
    "ultra": N_("Ultra"),
    "b_dienst": N_("B-Dienst"),
    "cunningham": N_("Admiral Cunningham"),
    "iachino": N_("Admiral Iachino"),
    "sirocco": N_("Sirocco"),
    "fog": N_("Fog"),
    "explosion": N_("Explosion"),
    "lost": N_("Lost"),
    "night_action": N_("Night action"),
    "bomb_alley": N_("Bomb alley"),
    "shallows": N_("Shallows"),
}
NATION_WORDS: dict[str, str] = {
    "germany": N_("Germany"),
    "italy": N_("Italy"),
    "romania": N_("Romania"),
}
FREIGHTER_WORDS: dict[str, str] = {"none": N_("Empty"), "half": N_("Half"), "full": N_("Full")}
REASON_WORDS: dict[str, str] = {
    "higher_total": N_("higher total"),
    "intelligence": N_("equal totals, the side of the Intelligence card loses"),
    "no_value": N_("no card of value: nobody wins, the Operation is discarded"),
    "equal_totals": N_("equal totals: the Operation is fought again"),
}
OPERATION_WORDS: dict[str, str] = {"convoy": N_("Convoy"), "battle": N_("Battle")}
WHY_WORDS: dict[str, str] = {
    "invalid": N_("invalid"),
    "sirocco": N_("Sirocco"),
    "explosion": N_("Explosion"),
    "lost": N_("Lost"),
    "shallows": N_("Shallows"),
    "declined": N_("not used"),
    "destiny": N_("victim of Destiny"),
}
"""Why a card no longer counts."""
DISCARD_WORDS: dict[str, str] = {
    "one": N_("discarded one card"),
    "all": N_("discarded all cards"),
    "out": N_("sits out"),
    "bluff": N_("a bluff, nothing counts"),
}
"""What a player did who laid nothing that counts."""
HOW_WORDS: dict[str, str] = {
    "trick": N_("Operation"),
    "spoil": N_("under the Operation"),
    "destiny": N_("victim of Destiny"),
    "explosion": N_("Explosion"),
}
"""How a card came into a pile."""

TEMPLATES: tuple[str, ...] = (
    N_("{a} has not been entered yet"),
    N_("no card"),
    N_("a card is named twice"),
    N_("{a} lies on the table already"),
    N_("{a} is an Operation"),
    N_("{a} may not be played in {b}"),
    N_("{a} Force cards, at most {b}"),
    N_("no Admiral lies with it"),
    N_("an Admiral needs a Force card"),
    N_("the side was taken already: {a}"),
    N_("{a} is a card of the {b}; taken were: {c}"),
    N_("only cards of one side may be played now: {a}"),
    N_("{a}: name the Force card that it supports"),
    N_("{a} needs a Force card"),
    N_("{a} goes on a Force card of this side only: {b}"),
    N_("{a} and {b} are of different sides"),
    N_("{a} goes on a card of its own nation only"),
    N_("{a} is of type {b}, {c} of type {d}"),
    N_("{a} is not of the side that was taken"),
    N_("{a} needs this type or a combined engagement: {b}"),
    N_("{a} may not be played in round {b} of a battle"),
    N_("{a} belongs to a battle"),
    N_("only one of the two: {a}, {b}"),
    N_("{a} is played in place of a Force card"),
    N_("{a} goes alone or with a surface card"),
    N_("a Force card, or a card that may be played alone, is needed"),
    N_("Shallows: no submarine cards for the rest of this round"),
    N_("Sirocco: this player may not play"),
    N_("no Bomb alley lies with it"),
    N_("Bomb alley: name the Force card whose Air value it doubles"),
    N_("{a} lies under the Operation"),
    N_("{a} was destroyed and is out of the game"),
    N_("turn over an Operation first"),
    N_("play or discard first"),
    N_("the Sirocco must be used or discarded first"),
    N_("the Sirocco must be used: roll its die"),
    N_("the engagement has not been decided"),
    N_("a convoy is fought as air, surface, sub or all three combined"),
    N_("only the advanced rules draw two Operations"),
    N_("name a Bonus that lies on the table"),
    N_("name the player whose part is cancelled"),
    N_("a card is picked up twice"),
    N_("an Operation is turned over at the start of an engagement"),
    N_("nobody plays in this step"),
    N_("no engagement is being fought"),
    N_("dice are rolled after all cards are down"),
    N_("an engagement is decided when all have played"),
    N_("a Sirocco is used at the end of its player's play"),
    N_("name the Force card whose Air value Bomb alley doubles"),
    N_("the Operation put away is another one"),
    N_("the dice are rolled: undo them before another card is laid"),
    N_("this Storm card is laid at the end of its player's own play"),
    N_("this card is laid with a play"),
    N_("enter the face-down cards first"),
    N_("at the reveal a face-down card is entered or was a bluff"),
    N_("sitting out belongs to battles"),
    N_("only a passed Sirocco is discarded unused"),
    N_("the {a} hits {b}: name the card that is destroyed"),
    N_("who lays it does not sit at this table"),
    N_("only who has a Supply card of the winning side takes a ship back"),
    N_("{a} is no surface card of the winning side in this engagement"),
    N_("card number: expected A, X, S or O and two digits, got {a}"),
    N_("card {a}: its own number says {b}"),
    N_("card {a}: kind: expected one of {b}, got {c}"),
    N_("card {a}: values: expected 0 to 6, ? or ??, got {b}"),
    N_("card {a}: years: expected 1940 to 1943, got {b}"),
    N_("card {a}: years: expected one year, got {b}"),
    N_("card {a}: victory points: expected {b} to {c}, got {d}"),
    N_("card {a}: {b}: expected at most {c} letters, got {d}"),
    N_("card {a}: operation: expected convoy or battle, got nothing"),
)
"""Every refusal of the rules that has no words by its code; see `companion.pages.details`."""

add_templates(TEMPLATES, {"surface": ELEMENT_WORDS["surface"], "sub": ELEMENT_WORDS["sub"]} | KIND_WORDS)


def side_word(side: str) -> str:
    """Return the name of a side in an engagement."""
    return {"allies": _("Allies"), "axis": _("Axis")}.get(side, side)


def card_name(number: str, cards: Mapping[str, Card]) -> str:
    """Return a card's number with its name or effect, where it is known."""
    card = cards.get(number)
    if card is None:
        return number
    name = card.name or (_(EFFECT_WORDS[card.effect]) if card.effect in EFFECT_WORDS else "")
    return f"{number} {name}" if name else number


def elements_text(elements: tuple[str, ...]) -> str:
    """Return what an engagement is fought as."""
    if len(elements) == 3:
        return _("Combined")
    return " + ".join(_(ELEMENT_WORDS[element]) for element in elements)


def card_facts(card: Card) -> str:
    """Return a card's facts on one line: kind, values, years, points."""
    parts = [_(KIND_WORDS[card.kind])]
    if card.kind == "operation":
        parts = [_(OPERATION_WORDS[card.operation])] if card.operation else parts
    if card.kind in ("force", "bonus"):
        words = zip((_("Air"), _("Surface"), _("Sub")), card.values, strict=True)
        parts.append(" ".join(f"{word} {value}" for word, value in words if value != 0) or _("no value"))
    if card.years:
        parts.append(" ".join(f"'{year % 100}" for year in card.years))
    if card.victory_points:
        parts.append(_("{n} VP").format(n=card.victory_points))
    if card.victim:
        parts.append(_("target {card}").format(card=card.victim))
    return " · ".join(parts)


@label_command(cm.TurnOver)
def _turn_over(command: cm.TurnOver, state: GameState) -> str:
    return _("Operation {card}").format(card=card_name(command.operation, known_cards(state)))


def _whose(command: cm.PlayHand | cm.DiscardHand, state: GameState) -> str:
    """Return the name of who played, from the command or the step at which it was aimed."""
    player = command.player
    if player is None and command.step in state.itinerary:
        owners = state.itinerary.steps[state.itinerary.index(command.step)].owners
        player = owners[0] if owners else None
    return side_name(state.frozen_setup, player) if player is not None else _("Table")


@label_command(cm.PlayHand)
def _play(command: cm.PlayHand, state: GameState) -> str:
    cards = known_cards(state)
    return f"{_whose(command, state)}: {', '.join(card_name(n, cards) for n in command.cards)}"


@label_command(cm.LayStorm)
def _storm(command: cm.LayStorm, state: GameState) -> str:
    name = side_name(state.frozen_setup, command.player)
    return f"{name}: {card_name(command.card, known_cards(state))}"


@label_command(cm.DiscardHand)
def _discard(command: cm.DiscardHand, state: GameState) -> str:
    return f"{_whose(command, state)}: {_(DISCARD_WORDS[command.what])}"


@label_command(cm.DropInvalid)
def _drop(command: cm.DropInvalid, _state: GameState) -> str:
    return _("Invalid: {card}").format(card=command.card)


@label_command(cm.UseEffect)
def _effect(command: cm.UseEffect, _state: GameState) -> str:
    dice = " ".join(map(str, command.dice))
    return f"{_(EFFECT_WORDS[command.effect])}: {dice}" if dice else _(EFFECT_WORDS[command.effect])


@label_command(cm.RollDice)
def _roll(command: cm.RollDice, _state: GameState) -> str:
    return _("Dice of {card}: {values}").format(card=command.card, values=" ".join(map(str, command.dice)))


@label_command(cm.TakeTrick)
def _take(command: cm.TakeTrick, _state: GameState) -> str:
    number = re.search(r"\.e(\d+)\.", command.step)
    return _("Engagement {n} decided").format(n=number.group(1) if number else "")


def _printed(key: str, state: GameState) -> str:
    return card_name(key.removeprefix("card."), known_cards(state))


PRINTED["med"] = _printed
