"""The unit on a card, as the table enters it by taps: what the card says differently from its base unit.

A draft is the card as `companion.games.sfw.rules.units.with_card` takes it; each row shows one figure as it would be and
offers other values, each a new draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from companion.core.state import GameState
from companion.core.text import N_, Name, Say, Typed, Value, several
from companion.games.sfw.pages.battle_words import TARGET_SETS
from companion.games.sfw.pages.units import icons_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import Fire, UnitError, UnitSpec, UnitTable, with_card
from companion.games.sfw.words_headings import ABILITIES
from companion.pages.page import Act, Ask, Item, Refuse, asked

__all__ = ["Card", "CardRow", "ask_card", "card_fault", "card_rows", "new_card"]

Card = Mapping[str, Any]
"""A card's unit: id, name, base and nation, and what differs."""

_MOST = {"move": 9, "cost": 20, "range": 4, "anti_air": 4}
_SPLIT: dict[str, str] = {
    "level": N_("Shot {n}, colour: {value}"),
    "number": N_("Shot {n}, number: {value}"),
    "dice": N_("Shot {n}, dice: {value}"),
    "targets": N_("Shot {n}, targets: {value}"),
}
_NONE = Say("none")


class CardRow(NamedTuple):
    """One figure of the card's unit and the drafts with other values."""

    title: Say
    options: tuple[tuple[Value, Card], ...]


def ask_card(state: GameState, card: Card, play: Callable[[Card], Act]) -> Ask:
    """Show a card's unit as it stands; each figure can be changed until the card is played."""
    rows = card_rows(state, card)
    options = (
        Item("play", Say("Play the card as it stands")),
        *(Item(str(n), row.title) for n, row in enumerate(rows)),
    )

    def chosen(key: str) -> Act:
        if key != "play":
            row = rows[int(key)]
            values = tuple(Item(str(n), value) for n, (value, _card) in enumerate(row.options))
            return asked(
                "figure",
                row.title,
                values,
                lambda n: ask_card(state, row.options[int(n)][1], play),
                is_wide=False,
            )
        fault = card_fault(state, card)
        return play(card) if fault is None else Refuse(fault)

    return asked("card", Typed(card["name"]), options, chosen, is_wide=False)


def new_card(name: str, base: str, nation: str) -> Card:
    """Return a card that changes nothing yet."""
    unit = "card_" + "".join(c if c.isalnum() else "_" for c in name.lower())
    return {"id": unit, "name": name, "base": base, "nation": nation}


def card_fault(state: GameState, card: Card) -> Say | None:
    """Say what keeps a card from being played; None when nothing does."""
    try:
        with_card(unit_table_of(state), card)
    except UnitError as error:
        return error.say()
    return None


def card_rows(state: GameState, card: Card) -> tuple[CardRow, ...]:
    """Return every figure that a card may change, as it stands in the draft."""
    table = unit_table_of(state)
    base = table.units[card["base"]]
    return (
        _steps(
            card, "add_battle_steps", N_("Battle steps too: {steps}"), set(range(1, 7)) - {*base.battle_steps}
        ),
        _steps(
            card,
            "add_movement_steps",
            N_("Movement steps too: {steps}"),
            set(range(1, 6)) - {*base.movement_steps},
        ),
        *_fire_rows(table, card, base),
        _armour(table, card, base),
        *(_number(card, base, figure) for figure in ("cost", "move", "range", "anti_air")),
        _abilities(card, base, icons_of(state)),
    )


def _turned(value: Value, is_in: bool) -> Say:
    return Say("– {what}", what=value) if is_in else Say("+ {what}", what=value)


def _row(figure: str, value: Value, options: Iterable[tuple[Value, Card]]) -> CardRow:
    return CardRow(Say("{figure}: {value}", figure=Name("figure", figure), value=value), tuple(options))


def _steps(card: Card, key: str, title: str, others: Iterable[int]) -> CardRow:
    now = tuple(card.get(key, ()))
    options = (
        (_turned(step, step in now), {**card, key: sorted({*now} ^ {step})}) for step in sorted(others)
    )
    return CardRow(Say(title, steps=several(now, "comma") if now else _NONE), tuple(options))


def _armour(table: UnitTable, card: Card, base: UnitSpec) -> CardRow:
    now = str(card.get("armour") or table.level_name(base.armour))
    options = ((Name("colour", level), {**card, "armour": level}) for level in table.levels)
    return _row("armour", Name("colour", now), options)


def _number(card: Card, base: UnitSpec, figure: str) -> CardRow:
    now = card.get(figure, getattr(base, figure))
    options = ((n, {**card, figure: n}) for n in range(_MOST[figure] + 1))
    return _row(figure, Typed("–") if now is None else now, options)


def _abilities(card: Card, base: UnitSpec, icons: tuple[str, ...]) -> CardRow:
    now = tuple(card.get("abilities", base.abilities))
    options = (
        (
            _turned(Name("ability", key), key in now),
            {**card, "abilities": [a for a in now if a != key] if key in now else [*now, key]},
        )
        for key in dict.fromkeys((*icons, *ABILITIES))
    )
    shown = several((Name("ability", key) for key in now), "comma") if now else _NONE
    return CardRow(Say("Abilities: {abilities}", abilities=shown), tuple(options))


def _fire_rows(table: UnitTable, card: Card, base: UnitSpec) -> tuple[CardRow, ...]:
    lines = list(card["fire"]) if "fire" in card else [_line(table, line) for line in base.fire]
    rows: list[CardRow] = []
    for index, line in enumerate(lines):
        for key, title in _SPLIT.items():
            options = tuple(
                (
                    _shown(key, value),
                    {**card, "fire": [*lines[:index], {**line, key: value}, *lines[index + 1 :]]},
                )
                for value in _values(table, key)
            )
            rows.append(CardRow(Say(title, n=index + 1, value=_shown(key, line.get(key))), options))
    more = {"level": table.levels[0], "number": 9, "targets": ["land"], "dice": 1}
    changes = (
        (Say("Add a shot"), {**card, "fire": [*lines, lines[-1] if lines else more]}),
        *(
            (Say("Without shot {n}", n=n + 1), {**card, "fire": [*lines[:n], *lines[n + 1 :]]})
            for n in range(len(lines))
        ),
    )
    return (*rows, CardRow(Say("Shots: {n}", n=len(lines)), changes))


def _line(table: UnitTable, line: Fire) -> dict[str, Any]:
    found = {key: value for key, value in msgspec.to_builtins(line).items() if value is not None}
    if line.level is not None:
        found["level"] = table.level_name(line.level)
    return {"dice": line.dice, **found}


def _values(table: UnitTable, key: str) -> Sequence[Any]:
    if key == "targets":
        return [list(kinds) for kinds in TARGET_SETS]
    return {"level": table.levels, "number": range(2, 13), "dice": range(1, 7)}[key]


def _shown(key: str, value: Any) -> Value:
    if value is None:
        return Typed("–")
    if key == "level":
        return Name("colour", value)
    if key == "targets":
        return several((Name("kind", kind) for kind in value), "comma")
    return int(value)
