"""The unit on a card, as the table enters it by taps: what the card says differently from its base unit.

A draft is the card as `companion.games.sfw.rules.units.with_card` takes it; each row shows one figure as it would be and
offers other values, each a new draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from companion.core.ids import Nation
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several
from companion.games.sfw.pages.tell import DASH, or_dash, targets_say
from companion.games.sfw.pages.units import icons_of
from companion.games.sfw.rules.named import colour
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import MOST_FIGURE, Fire, UnitError, UnitSpec, UnitTable, with_card
from companion.games.sfw.words_battle import ABILITIES, TARGET_SETS
from companion.pages.page import Act, Ask, Item, asked

__all__ = ["Card", "CardRow", "ask_card", "card_fault", "card_rows", "new_card"]

Card = Mapping[str, Any]
"""A card's unit: id, name, base and nation, and what differs."""

CardRow = tuple[Value, tuple[tuple[Value, Card], ...]]
"""One figure of the card's unit as it stands, and the drafts with other values."""

_NUMBERS = ("cost", "move", "range", "anti_air")
_SHOT = ("level", "number", "dice", "targets")


def new_card(name: str, base: str, nation: Nation) -> Card:
    """Return a card that changes nothing yet."""
    # Nations draw cards of the same name: each has its own unit.
    unit = f"card_{nation}_" + "".join(c if c.isalnum() else "_" for c in name.lower())
    return {"id": unit, "name": name, "base": base, "nation": nation}


def ask_card(state: GameState, card: Card, play: Callable[[Card], Act]) -> Ask:
    """Show a card's unit as it stands; each figure can be changed until the card is played."""
    rows, fault = card_rows(state, card), card_fault(state, card)

    def change(n: int) -> Ask:
        what, options = rows[n]
        items = tuple(Item(str(i), text) for i, (text, _card) in enumerate(options))
        return asked(f"card.{n}", what, items, lambda i: ask_card(state, options[int(i)][1], play),
                     is_wide=False)  # fmt: skip

    def chosen(key: str) -> Act:
        if key != "play":
            return change(int(key))
        return play(card) if fault is None else ask_card(state, card, play)

    first = Item("play", Say("Play the card as is") if fault is None else fault)
    items = (first, *(Item(str(n), what) for n, (what, _options) in enumerate(rows)))
    return asked("card", Typed(str(card["name"])), items, chosen, is_wide=False)


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
    battle, movement = set(range(1, 7)) - {*base.battle_steps}, set(range(1, 6)) - {*base.movement_steps}
    now = str(card.get("armour") or table.level_name(base.armour))
    return (
        _steps(card, "add_battle_steps", Say("Battle steps too"), battle),
        _steps(card, "add_movement_steps", Say("Movement steps too"), movement),
        *_fire_rows(table, card, base),
        _row(Name("figure", "armour"), colour(now),
             ((colour(level), {**card, "armour": level}) for level in table.levels)),
        *(
            _row(Name("figure", figure), or_dash(card.get(figure, getattr(base, figure))),
                 ((n, {**card, figure: n}) for n in range(MOST_FIGURE[figure] + 1)))
            for figure in _NUMBERS
        ),
        _abilities(card, base, icons_of(state)),
    )  # fmt: skip


def _row(what: Value, now: Value, options: Iterable[tuple[Value, Card]]) -> CardRow:
    return Say("{what}: {value}", what=what, value=now), tuple(options)


def _turned(what: Value, is_on: bool) -> Say:
    return Say("– {what}", what=what) if is_on else Say("+ {what}", what=what)


def _steps(card: Card, key: str, title: Value, others: Iterable[int]) -> CardRow:
    now = tuple(card.get(key, ()))
    options = ((_turned(one, one in now), {**card, key: sorted({*now} ^ {one})}) for one in sorted(others))
    return _row(title, several(now, "comma") if now else Say("none"), options)


def _abilities(card: Card, base: UnitSpec, icons: tuple[str, ...]) -> CardRow:
    now = tuple(card.get("abilities", base.abilities))
    options = (
        (
            _turned(Name("ability", key), key in now),
            {**card, "abilities": [a for a in now if a != key] if key in now else [*now, key]},
        )
        for key in dict.fromkeys((*icons, *ABILITIES))
    )
    shown = several((Name("ability", key) for key in now), "comma") if now else Say("none")
    return _row(Say("Abilities"), shown, options)


def _fire_rows(table: UnitTable, card: Card, base: UnitSpec) -> tuple[CardRow, ...]:
    lines = list(card["fire"]) if "fire" in card else [_line(table, line) for line in base.fire]
    rows: list[CardRow] = []
    for n, line in enumerate(lines):
        for key in _SHOT:
            what = Say("Shot {n}, {what}", n=n + 1, what=Name("shot", key))
            options = (
                (_shown(key, value), {**card, "fire": [*lines[:n], {**line, key: value}, *lines[n + 1 :]]})
                for value in _values(table, key)
            )
            rows.append(_row(what, _shown(key, line.get(key)), options))
    more = {"level": table.levels[0], "number": 9, "targets": ["land"], "dice": 1}
    added = (Say("Add a shot"), {**card, "fire": [*lines, lines[-1] if lines else more]})
    without = (
        (Say("Remove shot {n}", n=n + 1), {**card, "fire": [*lines[:n], *lines[n + 1 :]]})
        for n in range(len(lines))
    )
    return (*rows, _row(Say("Shots"), len(lines), (added, *without)))


def _line(table: UnitTable, line: Fire) -> dict[str, Any]:
    found = {key: value for key, value in msgspec.to_builtins(line).items() if value is not None}
    if line.level is not None:
        found["level"] = table.level_name(line.level)
    return {"dice": line.dice, **found}


def _values(table: UnitTable, key: str) -> Iterable[Any]:
    if key == "targets":
        return [list(kinds) for kinds in TARGET_SETS]
    return {"level": table.levels, "number": range(1, 13), "dice": range(1, 7)}[key]


def _shown(key: str, value: Any) -> Value:
    if value is None:
        return DASH
    if key == "level":
        return colour(value)
    return targets_say(value) if key == "targets" else or_dash(value)
