"""Cards of the card game on one line."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.text import Name
from companion.games.med.names import card_label
from companion.games.med.rules.cards import ELEMENTS, Card
from companion.pages.i18n import _
from companion.pages.page import Mark
from companion.pages.speak import speak

__all__ = ["camp_mark", "card_facts", "card_name", "elements_text", "options", "side_word", "word"]


def word(kind: str, id_: str) -> str:
    """Return what an id of the card game is called."""
    return speak(Name(kind, id_), game="med")


def options(kind: str, *ids: str) -> tuple[tuple[str, str], ...]:
    """Return ids with what they are called, to choose from."""
    return tuple((id_, word(kind, id_)) for id_ in ids)


def side_word(side: str) -> str:
    """Return the name of a side in an engagement."""
    return word("camp", side)


def card_name(number: str, cards: Mapping[str, Card]) -> str:
    """Return a card's number with its name or effect, where it is known."""
    card = cards.get(number)
    return number if card is None else speak(card_label(card), game="med")


def camp_mark(camp: str) -> Mark | None:
    """Return how a side in an engagement is marked; None for no side."""
    emblem = {"allies": "circle", "axis": "square"}.get(camp)
    return Mark(emblem, camp, Name("camp", camp)) if emblem else None


def elements_text(elements: tuple[str, ...]) -> str:
    """Return what an engagement is fought as."""
    if len(elements) == 3:
        return _("Combined")
    return " + ".join(word("element", element) for element in elements)


def card_facts(card: Card) -> str:
    """Return a card's facts on one line: kind, values, years, points."""
    parts = [word("kind", card.kind)]
    if card.kind == "operation":
        parts = [word("operation", card.operation)] if card.operation else parts
    if card.kind in ("force", "bonus"):
        words = zip((word("element", e) for e in ELEMENTS), card.values, strict=True)
        parts.append(" ".join(f"{name} {value}" for name, value in words if value != 0) or _("no value"))
    if card.years:
        parts.append(" ".join(f"'{year % 100}" for year in card.years))
    if card.victory_points:
        parts.append(_("{n} VP").format(n=card.victory_points))
    if card.victim:
        parts.append(_("target {card}").format(card=card.victim))
    return " · ".join(parts)
