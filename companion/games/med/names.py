"""Names of what stands in a game of cards itself: a card that the table has entered."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed
from companion.games.med.rules.cards import Card, CardNo, number_of
from companion.games.med.rules.slice import known_cards

__all__ = ["card_label", "named"]


def card_label(card: Card) -> Say:
    """Return a card by its number with its name, or with what it does."""
    number = Typed(card.number)
    if card.name:
        return Say("{number} {name}", number=number, name=Typed(card.name))
    if card.effect:
        return Say("{number} {name}", number=number, name=Name("effect", card.effect))
    return Say("{number}", number=number)


def named(name: Name, state: GameState | None) -> Say | None:
    """Name a card, or the card that a printed value's key means; None where it is not entered."""
    number = CardNo(name.id) if name.kind == "card" else number_of(name.id) if name.kind == "key" else None
    card = known_cards(state).get(number) if number is not None and state is not None else None
    if card is not None:
        return card_label(card)
    return Say("{number}", number=Typed(number)) if number else None
