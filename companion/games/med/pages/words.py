"""Cards of the card game on one line."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several
from companion.games.med.names import card_label
from companion.games.med.rules.cards import ALLIES, AXIS, ELEMENTS, Camp, Card, CardNo
from companion.pages.frame import SIDE_SHAPES
from companion.pages.page import Mark
from companion.pages.speak import speak
from companion.pages.symbols import unit_symbol

__all__ = ["CAMPS", "camp_mark", "card_facts", "card_symbol", "card_name", "elements_say", "word"]

CAMPS = (ALLIES, AXIS)
"""The sides that cards are played for."""


def word(kind: str, id_: str) -> str:
    """Return what an id of the card game is called."""
    return speak(Name(kind, id_), game="med")


def card_name(number: CardNo, cards: Mapping[CardNo, Card]) -> str:
    """Return a card's number with its name or effect, where it is known."""
    card = cards.get(number)
    return number if card is None else speak(card_label(card), game="med")


def camp_mark(camp: Camp) -> Mark | None:
    """Return how a side in an engagement is marked; None for no side."""
    emblem = SIDE_SHAPES.get(camp)
    return Mark(emblem, camp, Name("camp", camp)) if emblem else None


def card_symbol(state: GameState, card: Card) -> str:
    """Return the symbol of a card: of a Force card what it is strongest as, of any other its kind."""
    if card.kind == "operation":
        return unit_symbol(state, card.operation or "card")
    if card.kind != "force":
        return unit_symbol(state, card.kind)
    known = [99 if isinstance(value, str) else value for value in card.values]
    return unit_symbol(state, ELEMENTS[known.index(max(known))] if any(known) else card.kind)


def elements_say(elements: tuple[str, ...]) -> Value:
    """Return what an engagement is fought as."""
    if len(elements) == 3:
        return Say("Combined")
    if len(elements) == 2:
        return Say("{one} + {other}", one=Name("element", elements[0]), other=Name("element", elements[1]))
    return Name("element", elements[0]) if elements else Typed("")


def card_facts(card: Card, *, is_short: bool = False) -> Value:
    """Return a card's facts on one line: kind, values, years, points, target; short of what lies on the table anyway."""
    is_known = card.kind == "operation" and card.operation
    kind = Name("operation", card.operation) if is_known else Name("kind", card.kind)
    parts: list[Value] = [] if is_short else [kind]
    if card.kind in ("force", "bonus"):
        parts += [
            Say("{element} {value}", element=Name("element", element), value=Typed(str(value)))
            for element, value in zip(ELEMENTS, card.values, strict=True)
            if value != 0
        ] or [Say("no value")]
    if card.years:
        parts.append(Typed(" ".join(f"'{year % 100}" for year in card.years)))
    if card.victory_points:
        parts.append(Say("{n} VP", n=card.victory_points))
    if card.victim and not is_short:
        parts.append(Say("target {card}", card=Typed(card.victim)))
    return several(parts, "dots")
