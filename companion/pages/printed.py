"""Printed values: figures that the rules text leaves to the pieces in the box, as a plain entry form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import msgspec

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value
from companion.pages.game_view import PrintedRow
from companion.pages.i18n import _
from companion.pages.labels import humanise
from companion.pages.modules import game_view
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    Button,
    Draft,
    Field,
    Form,
    Item,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Sight,
    asked,
)
from companion.pages.parts import as_words, back_button
from companion.pages.speak import sentence

__all__ = [
    "PrintedDraft",
    "PrintedView",
    "entry_command",
    "entry_fault",
    "parse_value",
    "printed_page",
    "printed_view",
    "value_fault",
]


@dataclass(frozen=True, slots=True)
class PrintedView:
    """The entry form."""

    rows: tuple[PrintedRow, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    entered: str = ""


def printed_view(change: Change) -> PrintedView:
    """Return the form for the open game: what its rules ask for, then what was entered besides."""
    state = change.state
    rows = list(game_view(state.frozen_setup.game).printed(state))
    known = {row.key for row in rows}
    for key, value in state.printed.items():
        if key not in known and isinstance(value, int | float):
            rows.append(PrintedRow(key, humanise(key.replace(".", " ")), value))
    groups = tuple(dict.fromkeys((row.group, _(row.group) if row.group else _("Values")) for row in rows))
    done = sum(row.value is not None for row in rows)
    return PrintedView(tuple(rows), groups, _("{n} of {m} entered").format(n=done, m=len(rows)))


def parse_value(text: str) -> int | float | None:
    """Return a typed figure: a whole number, or a decimal fraction as the pad types it; None when empty or unfit."""
    text = text.strip().replace(",", ".")
    if not text:
        return None
    try:
        exact = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    return int(exact) if exact.denominator == 1 else float(exact)


def entry_fault(change: Change, rules: GameRules, key: str, text: str) -> str | None:
    """Return what is wrong with a typed value; None when it can be taken. Empty text takes the value back."""
    if not text.strip():
        return None
    value = parse_value(text)
    if value is None:
        return _("Enter a number")
    return value_fault(rules, change.state, key, value)


def value_fault(rules: GameRules, state: GameState, key: str, value: object) -> str | None:
    """Return what is wrong with a printed value, in words; None when it can be taken."""
    fault = rules.printed_fault(state, key, value)
    return sentence(fault, state) if isinstance(fault, Say) else fault


def entry_command(key: str, text: str) -> cm.Command:
    """Return the entry of a value, or its taking back where the text is empty."""
    return cm.EnterPrintedValue(key, parse_value(text))


class PrintedDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    group: str = ""


_MOST_TABS = 4


def printed_page(sight: Sight) -> Shown:
    """Return the form, one group at a time; a tap on a figure asks for it."""
    assert sight.change is not None, "a screen that needs a game is shown with one"
    acts, view = Acts(), printed_view(sight.change)
    names = {key: Typed(text) for key, text in view.groups}
    wanted = sight.entered(PrintedDraft()).group
    group = wanted if wanted in names else next(iter(names), "")
    is_many = len(names) > _MOST_TABS
    tabs: tuple[Item, ...] = ()
    tools: tuple[Button, ...] = ()
    if is_many:
        options = tuple(Item(key, name) for key, name in names.items())
        pick = acts.put("pick", asked("group", Say("Printed values"), options, _show))
        tools = (Button(names[group], pick, "down"),)
    elif len(names) > 1:
        tabs = tuple(Item(key, name, act=acts.put(f"tab.{key}", _show(key))) for key, name in names.items())
    rows = tuple(
        Item(
            row.key,
            as_words(row.label),
            value=_value(row),
            act=acts.put(f"enter.{row.key}", _ask(sight, row)),
        )
        for row in view.rows
        if row.group == group
    )
    page = Page(
        f"printed.{group}",
        Say("Printed values"),
        as_words(view.entered),
        "muted",
        tabs=tabs,
        tab=group,
        tools=tools,
        blocks=(Rows("printed", rows, empty=Say("This game needs no printed values"), is_wide=False),),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _show(group: str) -> Act:
    return Draft(lambda _draft: PrintedDraft(group), PrintedDraft())


def _value(row: PrintedRow) -> Value:
    if row.value is None:
        return Typed("–")
    return row.value if isinstance(row.value, int | float) else Typed(str(row.value))


def _ask(sight: Sight, row: PrintedRow) -> Ask:
    def answered(answers: Answers) -> Act:
        typed = answers["value"]
        if sight.change is not None and sight.rules is not None:
            fault = entry_fault(sight.change, sight.rules, row.key, typed)
            if fault is not None:
                return Refuse(as_words(fault))
        return Send(entry_command(row.key, typed))

    hint = as_words(row.hint) if row.hint else Say("Leave it empty to remove the value.")
    field = Field(
        "value", as_words(row.label), "number", hint, has_fraction=not row.is_whole, may_be_empty=True
    )
    return Ask(Form("printed", field.title, (field,)), answered)
