"""The Units screen: every figure of every unit with its status, and what the table may enter from its box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.commands import EnterPrintedValue
from companion.core.state import GameState
from companion.core.text import Name
from companion.games.sfw.pages.battle_words import COLOURS, FIGURES, figure_name, name_of, targets_text
from companion.games.sfw.pages.ledger_view import KINDS
from companion.games.sfw.rules.battle_state import edition_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import (
    ICONS,
    TYPES,
    Fire,
    UnitSpec,
    UnitTable,
    number_figures,
    unit_table,
)
from companion.games.sfw.words_headings import ABILITIES
from companion.pages.i18n import N_, _
from companion.pages.speak import speak

__all__ = [
    "ABILITIES",
    "FigureCell",
    "UnitCard",
    "enter_figure",
    "icons_of",
    "open_icons",
    "unit_cards",
    "with_icon",
]

_STATUS: dict[str, str] = {
    "stated": "",
    "inferred": N_("inferred, check your tile"),
    "unknown": N_("not in the rules: enter it"),
    "printed": N_("from your box"),
    "card": N_("from its card"),
}


@dataclass(frozen=True, slots=True)
class FigureCell:
    """One figure of a unit."""

    figure: str
    label: str
    text: str
    """An en dash while it is unknown."""
    status: str
    status_text: str
    reason: str
    key: str
    """Printed value key under which the table may enter it."""


@dataclass(frozen=True, slots=True)
class UnitCard:
    """One unit."""

    unit: str
    name: str
    short: str
    type: str
    nation: str
    fire: tuple[str, ...]
    """Firepower lines such as ``5 x Gray @9 vs Land / Sea, attack``."""
    figures: tuple[FigureCell, ...]
    abilities: tuple[tuple[str, str], ...]
    """Ability and its status in words; empty where it is stated."""
    movement_steps: str
    battle_steps: str
    is_complete: bool


def unit_cards(state: GameState, kind: str = "") -> tuple[UnitCard, ...]:
    """Return every unit of the running game, of one type where it is given, in the order of the aid."""
    table = unit_table_of(state)
    return tuple(
        _card(state, table, spec)
        for type_ in TYPES
        if kind in ("", type_)
        for spec in table.units.values()
        if spec.type == type_
    )


def icons_of(state: GameState) -> tuple[str, ...]:
    """Return the abilities printed as icons that this edition knows: what a list from the box may name."""
    edition = edition_of(state)
    known = {"retreat": edition.has_retreat, "disengage": edition.has_disengage}
    return tuple(icon for icon in ICONS if known.get(icon, True))


def open_icons(state: GameState, unit: str) -> tuple[str, ...]:
    """Return the icons that a unit's aid may show beside those that the rules text states."""
    base = unit_table(state.frozen_setup.tables["units"]).units.get(unit)
    stated = () if base is None else tuple(a for a in base.abilities if base.status_of(a).status == "stated")
    return tuple(icon for icon in icons_of(state) if icon not in stated)


def with_icon(state: GameState, unit: str, icon: str) -> EnterPrintedValue:
    """Return the command that adds an icon to a unit's list, or takes it off."""
    spec = unit_table_of(state).units[unit]
    icons = [name for name in icons_of(state) if spec.has(name) != (name == icon)]
    return EnterPrintedValue(f"{unit}.abilities", icons)


def enter_figure(unit: str, figure: str, value: Any) -> EnterPrintedValue:
    """Return the command that enters a figure from the table's box; None takes it back."""
    return EnterPrintedValue(f"{unit}.{figure}", value)


def _card(state: GameState, table: UnitTable, spec: UnitSpec) -> UnitCard:
    open_fire = [
        _cell(spec, figure, _fire_figure(table, spec, figure))
        for figure in ("level", *number_figures(table, spec), "targets")
        if spec.fire and spec.status_of(figure.partition(".")[0]).status != "stated"
    ]
    # What a battle cannot do without stands first.
    figures = [
        *sorted(open_fire, key=lambda cell: cell.status != "unknown"),
        _cell(spec, "armour", _(COLOURS.get(table.level_name(spec.armour), table.level_name(spec.armour)))),
        _cell(spec, "move", _number(spec.move)),
        _cell(spec, "cost", _number(spec.cost)),
    ]
    if spec.range != 0:
        figures.append(_cell(spec, "range", _number(spec.range)))
    if spec.anti_air != 0:
        figures.append(_cell(spec, "anti_air", _number(spec.anti_air)))
    if "abilities" in spec.status:
        icons = [_(ABILITIES[name]) for name in spec.abilities if name in icons_of(state)]
        figures.append(_cell(spec, "abilities", ", ".join(icons) or "–"))
    abilities = [
        (speak(Name("ability", ability), state), _(_STATUS[spec.status_of(ability).status]))
        for ability in spec.abilities
    ]
    return UnitCard(
        spec.id,
        name_of(state, spec.id),
        spec.short,
        _(KINDS[spec.type]),
        spec.nation,
        tuple(_fire(table, line) for line in spec.fire),
        tuple(figures),
        tuple(abilities),
        ", ".join(map(str, spec.movement_steps)),
        ", ".join(map(str, spec.battle_steps)),
        not any(figure in FIGURES and figure != "abilities" for figure in spec.unknown()),
    )


def _cell(spec: UnitSpec, figure: str, text: str) -> FigureCell:
    status = spec.status_of(figure.partition(".")[0])
    return FigureCell(
        figure,
        figure_name(figure),
        text,
        status.status,
        _(_STATUS[status.status]),
        _(status.reason),
        f"{spec.id}.{figure}",
    )


def _number(value: int | None) -> str:
    return "–" if value is None else str(value)


def _fire_figure(table: UnitTable, spec: UnitSpec, figure: str) -> str:
    found = []
    figure, _dot, colour = figure.partition(".")
    for line in spec.fire:
        if colour and line.level != table.level_of(colour):
            continue
        value = getattr(line, figure)
        if value is None:
            found.append("–")
        elif figure == "level":
            found.append(_(COLOURS.get(table.level_name(value), table.level_name(value))))
        elif figure == "targets":
            found.append(_targets(value))
        else:
            found.append(str(value))
    return ", ".join(dict.fromkeys(found))


def _targets(targets: tuple[str, ...] | None) -> str:
    return "?" if targets is None else targets_text(targets)


def _fire(table: UnitTable, line: Fire) -> str:
    colour = "?" if line.level is None else _(COLOURS.get(table.level_name(line.level), "?"))
    dice = f"{line.dice} x " if line.dice > 1 else ""
    number = "?" if line.number is None else str(line.number)
    text = _("{dice}{colour} @{number} vs {targets}").format(
        dice=dice, colour=colour, number=number, targets=_targets(line.targets)
    )
    role = {"attack": _("attack"), "defence": _("defence")}.get(line.role, "")
    return f"{text}, {role}" if role else text
