"""The Units screen: every figure of every unit with its status, and what the table may enter from its box."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.commands import EnterPrintedValue
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several, unit
from companion.games.sfw.pages.tell import DASH, or_dash, targets_say
from companion.games.sfw.rules.battle_state import edition_of
from companion.games.sfw.rules.named import colour, figure_of
from companion.games.sfw.rules.named import figure as figure_name
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import ICONS, Fire, UnitSpec, UnitTable, number_figures, unit_table
from companion.games.sfw.words_battle import FIGURES, TARGET_SETS
from companion.pages.needs import WHERE_PRINTED
from companion.pages.page import (
    Acts,
    Ask,
    Button,
    Draft,
    Field,
    Form,
    Go,
    Item,
    Page,
    Rows,
    Send,
    Shown,
    Sight,
    asked,
)
from companion.pages.parts import apart, back_button
from companion.pages.symbols import unit_symbol

__all__ = ["UnitsDraft", "ask_figure", "enter_button", "enter_say", "figures_of", "icons_of", "units_page"]


class UnitsDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    tab: str = "land"
    unit: str = ""
    """Whose figures are shown; empty: the list."""


def units_page(sight: Sight) -> Shown:
    """Return a list of units by type, or the figures of one."""
    state, acts = sight.state, Acts()
    draft, table = sight.entered(UnitsDraft()), unit_table_of(state)
    spec = table.units.get(draft.unit)
    tab = draft.tab if spec is None else spec.type
    if spec is not None:
        page = Page(
            f"unit.{spec.id}",
            unit(spec.id),
            _fire(table, spec),
            "muted",
            blocks=(
                Rows("told", _told(spec)),
                Rows("figures", tuple(_row(state, acts, spec, one) for one in figures_of(state, spec)),
                     is_wide=False),
            ),
            main=Button(Say("All units"), acts.put("all", _show(UnitsDraft(tab)))),
        )  # fmt: skip
        return Shown(page, acts)
    tabs = tuple(
        Item(kind, Name("kind", kind), act=acts.put(f"tab.{kind}", _show(UnitsDraft(kind))))
        for kind in ("land", "sea", "air")
    )
    rows = tuple(
        Item(
            one.id,
            Say("{unit}  (figures missing)", unit=unit(one.id)) if _is_open(one) else unit(one.id),
            _fire(table, one),
            symbol=unit_symbol(state, one.id),
            act=acts.put(one.id, _show(UnitsDraft(tab, one.id))),
        )
        for one in table.units.values()
        if one.type == tab
    )
    page = Page(tab, Say("Units"), tabs=tabs, tab=tab, blocks=(Rows("units", rows, is_wide=False),),
                main=back_button(acts))  # fmt: skip
    return Shown(page, acts)


def _show(draft: UnitsDraft) -> Draft[UnitsDraft]:
    return Draft(lambda _draft: draft, UnitsDraft())


def _is_open(spec: UnitSpec) -> bool:
    return any(figure in FIGURES and figure != "abilities" for figure in spec.unknown())


def _told(spec: UnitSpec) -> tuple[Item, ...]:
    """Return what is only read: on which steps it moves and rolls, what it can do."""
    steps = Say(
        "Movement steps {m}, battle steps {b}",
        m=several(spec.movement_steps, "comma") if spec.movement_steps else DASH,
        b=several(spec.battle_steps, "comma") if spec.battle_steps else DASH,
    )
    abilities = []
    for one in spec.abilities:
        status, name = spec.status_of(one).status, Name("ability", one)
        noted = Say("{what} ({note})", what=name, note=Name("figure_status", status))
        abilities.append(name if status == "stated" else noted)
    return (Item("steps", steps, several(abilities, "comma") if abilities else None),)


def figures_of(state: GameState, spec: UnitSpec) -> tuple[str, ...]:
    """Return the figures of a unit that have a row of their own; what a battle cannot do without stands first."""
    table = unit_table_of(state)
    fire = [
        figure
        for figure in ("level", *number_figures(table, spec), "targets")
        if spec.fire and _status(spec, figure) != "stated"
    ]
    return (
        *sorted(fire, key=lambda figure: _status(spec, figure) != "unknown"),
        *("armour", "move", "cost"),
        *(("range",) if spec.range != 0 else ()),
        *(("anti_air",) if spec.anti_air != 0 else ()),
        *(("abilities",) if "abilities" in spec.status else ()),
    )


def _status(spec: UnitSpec, figure: str) -> str:
    return spec.status_of(figure.partition(".")[0]).status


def _row(state: GameState, acts: Acts, spec: UnitSpec, figure: str) -> Item:
    status = _status(spec, figure)
    return Item(
        figure,
        figure_name(figure),
        None if status == "stated" else Name("figure_status", status),
        _value(state, spec, figure),
        act=None if status == "stated" else acts.put(figure, ask_figure(state, spec.id, figure)),
    )


def _value(state: GameState, spec: UnitSpec, figure: str) -> Value:
    table, (name, _dot, of) = unit_table_of(state), figure.partition(".")
    if name == "armour":
        return colour(table.level_name(spec.armour))
    if name == "abilities":
        icons = [Name("ability", one) for one in spec.abilities if one in icons_of(state)]
        return several(icons, "comma") if icons else DASH
    if name not in ("level", "number", "targets"):
        return or_dash(getattr(spec, name))
    lines = [line for line in spec.fire if not of or line.level == table.level_of(of)]
    values = dict.fromkeys(_fire_value(table, line, name) for line in lines)
    return next(iter(values)) if len(values) == 1 else several(values, "comma")


def _fire_value(table: UnitTable, line: Fire, name: str) -> Value:
    value = getattr(line, name)
    if value is None:
        return DASH
    if name == "level":
        return colour(table.level_name(value))
    return targets_say(value) if name == "targets" else or_dash(value)


def _fire(table: UnitTable, spec: UnitSpec) -> Value:
    shots = [_shot(table, line) for line in spec.fire]
    return Say("no firepower") if not shots else shots[0] if len(shots) == 1 else apart(shots)


def _shot(table: UnitTable, line: Fire) -> Value:
    unknown = Typed("?")
    shot = Say(
        "{colour} @{number} vs {targets}",
        colour=unknown if line.level is None else colour(table.level_name(line.level)),
        number=unknown if line.number is None else line.number,
        targets=unknown if line.targets is None else targets_say(line.targets),
    )
    if line.dice > 1:
        shot = Say("{n} x {shot}", n=line.dice, shot=shot)
    if line.role == "both":
        return shot
    return Say("{shot} ({role})", shot=shot, role=Say("attack") if line.role == "attack" else Say("defence"))


# What the table enters from its box


def icons_of(state: GameState) -> tuple[str, ...]:
    """Return the abilities printed as icons that this edition knows: what a list from the box may name."""
    edition = edition_of(state)
    known = {"retreat": edition.has_retreat, "disengage": edition.has_disengage}
    return tuple(icon for icon in ICONS if known.get(icon, True))


def ask_figure(state: GameState, unit_id: str, figure: str) -> Ask:
    """Ask for a figure of a unit that only the table's own box tells: a number, a colour, targets, icons."""
    title = Say("{unit}: {figure}", unit=unit(unit_id), figure=figure_name(figure))

    def enter(value: Any) -> Send:
        return Send(EnterPrintedValue(f"{unit_id}.{figure}", value))

    if figure in ("level", "armour"):
        levels = tuple(Item(one, colour(one)) for one in unit_table_of(state).levels)
        return asked(figure, title, levels, enter)
    if figure == "targets":
        sets = tuple(Item(str(n), targets_say(kinds)) for n, kinds in enumerate(TARGET_SETS))
        return asked(figure, title, sets, lambda n: enter(list(TARGET_SETS[int(n)])))
    if figure == "abilities":
        return _ask_icon(state, unit_id, title, enter)
    return Ask(
        Form(figure, title, (Field("n", title, "number", WHERE_PRINTED, most=2),)),
        lambda given: enter(int(given["n"])),
    )


def enter_button(state: GameState, acts: Acts, key: str) -> Button:
    """Return the button that asks for a printed value of a unit, by its key."""
    id_, _dot, figure = key.partition(".")
    is_row = figure in figures_of(state, unit_table_of(state).units[id_])
    enter = ask_figure(state, id_, figure) if is_row else Go("units", UnitsDraft(unit=id_))
    return Button(enter_say(key), acts.put("figure", enter))


def enter_say(key: str) -> Say:
    """Return what the button says that asks for a printed value of a unit: the hit number of the Tank."""
    id_, _dot, rest = key.partition(".")
    kind, _dot, of = rest.partition(".")
    match kind:
        case "number":
            ask = Say("Enter the hit number of the {unit}", unit=unit(id_))
        case "level":
            ask = Say("Enter the firepower colour of the {unit}", unit=unit(id_))
        case "targets":
            ask = Say("Enter the targets of the {unit}", unit=unit(id_))
        case "armour":
            ask = Say("Enter the armour of the {unit}", unit=unit(id_))
        case _:
            return Say("Enter from your copy: {figure}", figure=figure_of(key))
    return Say("{ask} ({colour})", ask=ask, colour=colour(of)) if of else ask


def _ask_icon(state: GameState, unit_id: str, title: Value, enter: Any) -> Ask:
    """Ask which icon is added to a unit's list, or taken off, beside those that the rules text states."""
    base = unit_table(state.frozen_setup.tables["units"]).units.get(unit_id)
    stated = () if base is None else tuple(a for a in base.abilities if base.status_of(a).status == "stated")
    spec, icons = unit_table_of(state).units[unit_id], icons_of(state)
    options = tuple(
        Item(one, Say("– {what}", what=name) if spec.has(one) else Say("+ {what}", what=name))
        for one in icons
        if one not in stated
        for name in (Name("ability", one),)
    )
    return asked("abilities", title, options,
                 lambda icon: enter([one for one in icons if spec.has(one) != (one == icon)]))  # fmt: skip
