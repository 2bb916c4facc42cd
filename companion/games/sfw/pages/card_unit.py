"""The unit on a card, as the table enters it by taps: what the card says differently from its base unit.

A draft is the card as `companion.games.sfw.rules.units.with_card` takes it; each row shows one figure as it would be and
offers other values, each a new draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from companion.core.state import GameState
from companion.games.sfw.pages.battle_words import COLOURS, TARGET_SETS, figure_name, targets_text
from companion.games.sfw.pages.units import ABILITIES, icons_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import Fire, UnitError, UnitSpec, UnitTable, with_card
from companion.pages.i18n import N_, _
from companion.pages.speak import speak

__all__ = ["Card", "CardRow", "card_fault", "card_rows", "new_card"]

Card = Mapping[str, Any]
"""A card's unit: id, name, base and nation, and what differs."""

_MOST = {"move": 9, "cost": 20, "range": 4, "anti_air": 4}
_SPLIT: dict[str, str] = {
    "level": N_("colour"),
    "number": N_("number"),
    "dice": N_("dice"),
    "targets": N_("targets"),
}


@dataclass(frozen=True, slots=True)
class CardRow:
    """One figure of the card's unit and the drafts with other values."""

    text: str
    options: tuple[tuple[str, Card], ...]


def new_card(name: str, base: str, nation: str) -> Card:
    """Return a card that changes nothing yet."""
    unit = "card_" + "".join(c if c.isalnum() else "_" for c in name.lower())
    return {"id": unit, "name": name, "base": base, "nation": nation}


def card_fault(state: GameState, card: Card) -> str:
    """Say what keeps a card from being played; empty when nothing does."""
    try:
        with_card(unit_table_of(state), card)
    except UnitError as error:
        return speak(error.say(), state)
    return ""


def card_rows(state: GameState, card: Card) -> tuple[CardRow, ...]:
    """Return every figure that a card may change, as it stands in the draft."""
    table = unit_table_of(state)
    base = table.units[card["base"]]
    return (
        _steps(card, "add_battle_steps", _("Battle steps too"), set(range(1, 7)) - {*base.battle_steps}),
        _steps(
            card, "add_movement_steps", _("Movement steps too"), set(range(1, 6)) - {*base.movement_steps}
        ),
        *_fire_rows(table, card, base),
        _armour(table, card, base),
        *(_number(card, base, figure) for figure in ("cost", "move", "range", "anti_air")),
        _abilities(card, base, icons_of(state)),
    )


def _steps(card: Card, key: str, title: str, others: Iterable[int]) -> CardRow:
    now = tuple(card.get(key, ()))
    shown = ", ".join(map(str, now)) or _("none")
    options = tuple(
        (
            f"– {step}" if step in now else f"+ {step}",
            {**card, key: sorted({*now} ^ {step})},
        )
        for step in sorted(others)
    )
    return CardRow(f"{title}: {shown}", options)


def _armour(table: UnitTable, card: Card, base: UnitSpec) -> CardRow:
    now = str(card.get("armour") or table.level_name(base.armour))
    options = tuple((_(COLOURS.get(level, level)), {**card, "armour": level}) for level in table.levels)
    return CardRow(f"{figure_name('armour')}: {_(COLOURS.get(now, now))}", options)


def _number(card: Card, base: UnitSpec, figure: str) -> CardRow:
    now = card.get(figure, getattr(base, figure))
    options = tuple((str(n), {**card, figure: n}) for n in range(_MOST[figure] + 1))
    return CardRow(f"{figure_name(figure)}: {'–' if now is None else now}", options)


def _abilities(card: Card, base: UnitSpec, icons: tuple[str, ...]) -> CardRow:
    now = tuple(card.get("abilities", base.abilities))
    offered = dict.fromkeys((*icons, *ABILITIES))
    options = tuple(
        (
            f"– {_(ABILITIES[key])}" if key in now else f"+ {_(ABILITIES[key])}",
            {**card, "abilities": [a for a in now if a != key] if key in now else [*now, key]},
        )
        for key in offered
    )
    shown = ", ".join(_(ABILITIES[key]) for key in now) or _("none")
    return CardRow(f"{_('Abilities')}: {shown}", options)


def _fire_rows(table: UnitTable, card: Card, base: UnitSpec) -> tuple[CardRow, ...]:
    lines = list(card["fire"]) if "fire" in card else [_line(table, line) for line in base.fire]
    rows: list[CardRow] = []
    for index, line in enumerate(lines):
        for key, title in _SPLIT.items():
            options = tuple(
                (text, {**card, "fire": [*lines[:index], {**line, key: value}, *lines[index + 1 :]]})
                for text, value in _values(table, key)
            )
            text = _("Shot {n}, {what}: {value}").format(
                n=index + 1, what=_(title), value=_shown(key, line.get(key))
            )
            rows.append(CardRow(text, options))
    more = {"level": table.levels[0], "number": 9, "targets": ["land"], "dice": 1}
    options = (
        (_("Add a shot"), {**card, "fire": [*lines, lines[-1] if lines else more]}),
        *(
            (_("Without shot {n}").format(n=n + 1), {**card, "fire": [*lines[:n], *lines[n + 1 :]]})
            for n in range(len(lines))
        ),
    )
    return (*rows, CardRow(_("Shots: {n}").format(n=len(lines)), options))


def _line(table: UnitTable, line: Fire) -> dict[str, Any]:
    found = {key: value for key, value in msgspec.to_builtins(line).items() if value is not None}
    if line.level is not None:
        found["level"] = table.level_name(line.level)
    return {"dice": line.dice, **found}


def _values(table: UnitTable, key: str) -> list[tuple[str, Any]]:
    if key == "level":
        return [(_(COLOURS.get(level, level)), level) for level in table.levels]
    if key == "number":
        return [(str(n), n) for n in range(2, 13)]
    if key == "dice":
        return [(str(n), n) for n in range(1, 7)]
    return [(targets_text(kinds), list(kinds)) for kinds in TARGET_SETS]


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "–"
    if key == "level":
        return _(COLOURS.get(value, value))
    if key == "targets":
        return targets_text(value)
    return str(value)
