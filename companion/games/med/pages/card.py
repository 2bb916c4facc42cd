"""Entering a card of the card game from its print: a form of a few taps, and the card that comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from companion.core.commands import EnterPrintedValue
from companion.core.options import says
from companion.core.state import GameState
from companion.games.med.pages.words import options
from companion.games.med.rules.cards import (
    ELEMENTS,
    POINTS,
    VALUES,
    YEARS,
    Card,
    card_fault,
    plain,
    played_side,
    printed_key,
)
from companion.games.med.rules.effects import EFFECTS, STORM_NUMBERS
from companion.games.med.rules.slice import known_cards
from companion.pages.i18n import N_, _
from companion.pages.speak import speak

__all__ = [
    "OTHER",
    "CardForm",
    "FormRow",
    "form_for",
    "form_rows",
    "key_pressed",
    "known_storm",
    "name_choices",
    "remember",
    "typed",
]

LETTERS = "AXSO"
OTHER = "other"
"""Answer to `name_choices`: another name is typed."""


@dataclass(frozen=True, slots=True)
class CardForm:
    """A card that is being entered; what is not entered yet is None or empty."""

    number: str
    kind: str
    values: tuple[Any, ...] = (None, None, None)
    at: int = 0
    """Which of the three values the next key sets."""
    years: tuple[int, ...] = ()
    victory_points: int = 0
    frame: str = ""
    nation: str = ""
    victim: str = ""
    effect: str = ""
    alone: bool = False
    freighter: str = ""
    operation: str = ""
    historic: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class FormRow:
    """One line of the form: a choice, several ticks, the three values, or an entry that opens its own pad."""

    key: str
    label: str
    options: tuple[tuple[Any, str], ...] = ()
    chosen: tuple[Any, ...] = ()
    """Keys of the options that are chosen."""
    kind: str = "choice"
    """``choice``, ``ticks``, ``values``, ``keys`` or ``names``."""
    place: str = "side"
    """Where it stands: ``head`` beside the number, ``pad`` among the values, or ``side``."""
    subs: tuple[str, ...] = ()
    """What stands under each option; empty: nothing."""


def typed(number: str, key: str) -> str:
    """Return a card number after a key of the pad: a letter starts anew, two digits end it."""
    if key == "erase":
        return number[:-1]
    if key in LETTERS:
        return key
    return number + key if number and len(number) < 3 else number


def known_storm(number: str, state: GameState) -> Card | None:
    """Return a Storm card that the rulebook's list tells by its number, where the table plays by that list."""
    effect = STORM_NUMBERS.get(number)
    if effect is None or not says(state, "storm_numbers", "list_order"):
        return None
    return Card(number, "storm", effect=effect)


def form_for(number: str, card: Card | None = None) -> CardForm:
    """Return the form of a card, empty but for what its number says, or filled from a known card."""
    if card is None:
        kind = {"S": "storm", "O": "operation"}.get(number[0], "force")
        return CardForm(number, kind)
    return CardForm(
        number,
        card.kind,
        tuple(card.values),
        0,
        card.years,
        card.victory_points,
        card.frame,
        card.nation,
        card.victim,
        card.effect,
        card.alone,
        card.freighter,
        card.operation,
        card.historic,
        card.name,
    )


def form_rows(form: CardForm) -> tuple[FormRow, ...]:
    """Return the lines that a card of this kind needs, what is on every card first."""
    rows: list[FormRow] = []
    letter = form.number[0]
    if letter in "AX":
        kinds = options("kind", "force", "bonus", "supply", "special")
        rows.append(FormRow("kind", "", kinds, (form.kind,), place="head"))
    if form.kind in ("force", "bonus"):
        words = tuple(text for _element, text in options("element", *ELEMENTS))
        shown = tuple((at, "–" if value is None else str(value)) for at, value in enumerate(form.values))
        rows.append(FormRow("values", _("Values"), shown, (form.at,), "values", "pad", words))
        rows.append(
            FormRow("value", "", tuple((str(value), str(value)) for value in VALUES), (), "keys", "pad")
        )
    if form.kind == "force":
        rows.append(_years(form))
        rows.append(_points(form))
    if form.kind in ("force", "bonus"):
        frames = options("element", *ELEMENTS, "all")
        rows.append(FormRow("frame", _("Frame"), frames, (form.frame,)))
    if form.kind == "operation":
        kinds = options("operation", "convoy", "battle")
        rows.append(FormRow("operation", "", kinds, (form.operation,), place="head"))
        rows.append(_years(form))
        rows.append(_points(form))
        lines = options("freighter", "none", "half", "full")
        rows.append(FormRow("freighter", _("Load line"), lines, (form.freighter,)))
        if form.operation == "battle":
            elements = options("element", *ELEMENTS)
            rows.append(FormRow("historic", _("Printed type"), elements, form.historic, "ticks"))
    if form.kind in ("supply", "storm", "special"):
        side = played_side(form.number)
        found = options("effect", *(e.id for e in EFFECTS.values() if e.kind == form.kind and e.side == side))
        rows.append(FormRow("effect", _("Which"), found, (form.effect,)))
    if letter == "X" and form.kind in ("force", "bonus"):
        nations = options("nation", "germany", "italy", "romania")
        rows.append(FormRow("nation", _("Flag"), nations, (form.nation,)))
    if form.kind == "bonus":
        rows.append(FormRow("alone", _("Alone"), ((True, _("Yes")), (False, _("No"))), (form.alone,)))
    if form.kind in ("force", "bonus", "operation"):
        names = (("name", form.name or "–"), ("victim", form.victim or "–"))
        subs = (_("Name"), _("Target"))
        shown_names = names[: 1 if form.kind == "operation" else 2]
        rows.append(FormRow("names", "", shown_names, (), "names", subs=subs[: len(shown_names)]))
    return tuple(rows)


def name_choices(state: GameState, form: CardForm, field: str) -> tuple[tuple[str, str], ...]:
    """Return names that fit without typing: for a target those of known cards, for a name targets not found yet.

    Args:
        field: ``name`` or ``victim``.
    """
    cards = known_cards(state)
    names = {card.name.strip().casefold(): card.name for card in cards.values() if card.name}
    targets = {card.victim.strip().casefold(): card.victim for card in cards.values() if card.victim}
    if field == "victim":
        side = form.number[0]
        found = [c.name for c in cards.values() if c.name and c.number[0] != side and c.number != form.number]
    else:
        numbers = {number.casefold() for number in cards}
        found = [text for key, text in targets.items() if key not in names and key not in numbers]
    pairs = tuple((name, name) for name in sorted(set(found)))
    return (*pairs, ("", _("None")), (OTHER, _("Type a name")))


def _years(form: CardForm) -> FormRow:
    shown = tuple((year, f"'{year % 100}") for year in YEARS)
    kind = "choice" if form.kind == "operation" else "ticks"
    return FormRow("years", _("Years") if kind == "ticks" else _("Year"), shown, form.years, kind)


def _points(form: CardForm) -> FormRow:
    span = tuple((n, str(n)) for n in POINTS[form.kind])
    return FormRow("victory_points", _("VP"), span, (form.victory_points,), "choice")


def key_pressed(form: CardForm, field: str, value: Any) -> CardForm:
    """Return the form after a tap on an option of a line."""
    if field == "value":
        figure = int(value) if str(value).isdigit() else value
        values = tuple(figure if at == form.at else old for at, old in enumerate(form.values))
        return replace(form, values=values, at=min(2, form.at + 1))
    if field == "values":
        return replace(form, at=value)
    if field == "years" and form.kind != "operation":
        years = set(form.years) ^ {value}
        return replace(form, years=tuple(sorted(years)))
    if field == "years":
        return replace(form, years=(value,))
    if field == "historic":
        chosen = set(form.historic) ^ {value}
        return replace(form, historic=tuple(e for e in ELEMENTS if e in chosen))
    if field == "kind":
        only = {("supply", "A"): "medway", ("supply", "X"): "remo"}.get((value, form.number[0]), "")
        return replace(form, kind=value, effect=only)
    return replace(form, **{field: value})


_MISSING: dict[str, str] = {
    "values": N_("Enter the three values"),
    "years": N_("Tick the years"),
    "victory_points": N_("Choose the victory points"),
    "frame": N_("Choose the frame"),
    "operation": N_("Convoy or battle?"),
    "freighter": N_("Choose the load line"),
    "effect": N_("Say which card it is"),
}


def remember(form: CardForm) -> tuple[EnterPrintedValue | None, str]:
    """Return the command that remembers the card, or what is still missing."""
    needed = {
        "force": ("values", "years", "victory_points", "frame"),
        "bonus": ("values", "frame"),
        "operation": ("operation", "years", "victory_points", "freighter"),
    }.get(form.kind, ("effect",))
    for field in needed:
        value = getattr(form, field)
        if not value or (field == "values" and None in value):
            return None, _(_MISSING[field])
    fights = form.kind in ("force", "bonus")
    values: dict[str, Any] = {
        "number": form.number,
        "kind": form.kind,
        "name": form.name,
        "values": list(form.values) if fights else [0, 0, 0],
        "years": list(form.years) if form.kind in ("force", "operation") else [],
        "victory_points": form.victory_points if form.kind in ("force", "operation") else 0,
        "frame": form.frame if fights else "all",
        "nation": form.nation if fights else "",
        "victim": form.victim,
        "effect": "" if fights or form.kind == "operation" else form.effect,
        "alone": form.alone and form.kind == "bonus",
        "freighter": form.freighter if form.kind == "operation" else "none",
        "operation": form.operation if form.kind == "operation" else "",
        "historic": list(form.historic) if form.kind == "operation" else [],
    }
    fault = card_fault(form.number, values)
    if fault is not None:
        return None, speak(fault, game="med")
    return EnterPrintedValue(printed_key(form.number), plain(msgspec.convert(values, Card))), ""
