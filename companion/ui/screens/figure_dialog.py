"""Asking for a figure of a unit that only the table's own box tells: a number, a colour, targets, icons."""

from __future__ import annotations

from typing import Any

from companion.games.sfw.pages.battle_words import TARGET_SETS, die_colours, targets_text
from companion.games.sfw.pages.units import (
    ABILITIES,
    FigureCell,
    UnitCard,
    enter_figure,
    open_icons,
    with_icon,
)
from companion.pages.i18n import _
from companion.ui.dialogs import Choose, NumberEntry

__all__ = ["ask_figure"]


def ask_figure(screen: Any, card: UnitCard, cell: FigureCell) -> None:
    """Ask for one figure of a unit and enter it as a printed value."""
    title = f"{card.name}: {cell.label}"
    unit, figure = card.unit, cell.figure
    if figure in ("level", "armour"):
        options = list(die_colours(screen.root.desk.change.state).items())
        screen.root.ask(Choose(title, options, lambda value: screen.send(enter_figure(unit, figure, value))))
    elif figure == "targets":
        targets = [(kinds, targets_text(kinds)) for kinds in TARGET_SETS]
        screen.root.ask(
            Choose(title, targets, lambda value: screen.send(enter_figure(unit, figure, list(value))))
        )
    elif figure == "abilities":
        state = screen.root.desk.change.state
        has = {key for key, _note in card.abilities}
        icons = [(key, _(ABILITIES[key])) for key in open_icons(state, unit)]
        options = [(key, f"– {text}" if text in has else f"+ {text}") for key, text in icons]
        screen.root.ask(Choose(title, options, lambda icon: screen.send(with_icon(state, unit, icon))))
    else:
        screen.root.ask(
            NumberEntry(
                title,
                lambda text: screen.send(enter_figure(unit, figure, int(text or 0))),
                most=2,
            )
        )
