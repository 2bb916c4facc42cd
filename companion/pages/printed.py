"""Printed values: figures that the rules text leaves to the pieces in the box, entered on a pad that moves on by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from companion.pages.numbers import quarters
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Block,
    Button,
    Draft,
    Field,
    Form,
    Head,
    Item,
    OnBox,
    Pad,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    State,
    asked,
)
from companion.pages.parts import as_words, back_button
from companion.pages.speak import sentence

__all__ = [
    "PrintedDraft",
    "PrintedView",
    "entry_command",
    "entry_fault",
    "figure",
    "parse_value",
    "printed_page",
    "printed_view",
    "shown_figure",
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
    at: str = ""
    """The key of the figure that the pad enters; empty: the first that is open."""


_MOST_TABS = 4
_WHOLE: tuple[float, ...] = (*range(1, 13), 0)
_QUARTERS: tuple[float, ...] = (0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10)
"""What one tap enters: hit numbers and small amounts; quarters, as tiles have them. Anything else is typed."""


def printed_page(sight: Sight) -> Shown:
    """Return the figures of a group beside a pad: one tap enters a figure and moves on to the next that is open."""
    assert sight.change is not None, "a screen that needs a game is shown with one"
    acts, view = Acts(), printed_view(sight.change)
    names = {key: Typed(text) for key, text in view.groups}
    draft = sight.entered(PrintedDraft())
    group = draft.group if draft.group in names else next(iter(names), "")
    rows = tuple(row for row in view.rows if row.group == group)
    at = _at(rows, draft.at)
    tabs, pick = _groups(acts, names, group)
    items = tuple(
        Item(
            row.key,
            as_words(row.label),
            value=_value(row),
            state="chosen" if row == at else "plain",
            act=acts.put(f"at.{row.key}", _show(group, row.key)),
            may_shorten=True,
        )
        for row in rows
    )
    page = Page(
        f"printed.{group}",
        Say("Printed values"),
        as_words(view.entered),
        "muted",
        tabs=tabs,
        tab=group,
        tools=(*pick, _stick(acts)),
        blocks=_sheet(sight, acts, items, rows, at),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _groups(
    acts: Acts, names: Mapping[str, Typed], group: str
) -> tuple[tuple[Item, ...], tuple[Button, ...]]:
    """Return the groups as tabs, or as one question where they are many."""
    if len(names) > _MOST_TABS:
        options = tuple(Item(key, name) for key, name in names.items())
        pick = acts.put("pick", asked("group", Say("Printed values"), options, _show))
        return (), (Button(names[group], pick, "down"),)
    if len(names) < 2:
        return (), ()
    return tuple(Item(key, name, act=acts.put(f"tab.{key}", _show(key))) for key, name in names.items()), ()


def _stick(acts: Acts) -> Button:
    """Return the question whether to carry the values to another box or take those of another one."""
    options = (Item("printed_to_stick", Say("To a stick")), Item("printed_from_stick", Say("From a stick")))
    return Button(Say("Stick"), acts.put("stick", asked("stick", Say("Printed values"), options, OnBox)))


def _at(rows: Sequence[PrintedRow], wanted: str) -> PrintedRow | None:
    """Return the figure at hand: the one that was tapped, else the first that is open, else the first."""
    opened = (row for row in rows if row.value is None)
    return next((row for row in rows if row.key == wanted), None) or next(opened, rows[0] if rows else None)


def _sheet(
    sight: Sight, acts: Acts, items: tuple[Item, ...], rows: Sequence[PrintedRow], at: PrintedRow | None
) -> tuple[Block, ...]:
    listed = Rows("printed", items, empty=Say("This game needs no printed values"), is_wide=False)
    if at is None:
        return (listed,)
    following = _after(rows, at)

    def key(value: float) -> Item:
        act = _entered(sight, at, figure(value), following)
        is_now = at.value == value
        state: State = "chosen" if is_now else "plain"
        return Item(figure(value), Typed(shown_figure(value)), state=state, act=acts.put(f"key.{value}", act))

    keys = tuple(map(key, _WHOLE if at.is_whole else _QUARTERS))
    others = (
        Item("other", Say("Other"), act=acts.put("other", _ask(sight, at, following))),
        Item("skip", Say("Next"), symbol="next", act=acts.put("skip", _show(at.group, following))),
    )
    head = Head("at", as_words(at.label), as_words(at.hint) if at.hint else None, value=_value(at))
    pad = Side("pad", head, (Pad("figures", (*keys, *others), columns=4),))
    return (Sides("sheet", (Side("rows", None, (listed,)), pad)),)


def _after(rows: Sequence[PrintedRow], at: PrintedRow) -> str:
    """Return the key of the figure that follows: the next open one, or simply the next where none is open."""
    here = rows.index(at)
    round_ = (*rows[here + 1 :], *rows[:here])
    opened = (row.key for row in round_ if row.value is None)
    return next(opened, round_[0].key if round_ else at.key)


def figure(value: float) -> str:
    """Return a figure as the pad types it, such as ``0.75``."""
    return f"{value:g}"


def shown_figure(value: float) -> str:
    """Return a figure as pieces print it, such as ``1¾``."""
    return quarters(round(value * 4)) if value % 1 else figure(value)


def _show(group: str, at: str = "") -> Act:
    return Draft(lambda _draft: PrintedDraft(group, at), PrintedDraft())


def _value(row: PrintedRow) -> Value:
    if row.value is None:
        return Typed("–")
    if isinstance(row.value, bool) or not isinstance(row.value, int | float):
        return Typed(str(row.value))
    return Typed(shown_figure(row.value)) if row.value % 1 else row.value


def _entered(sight: Sight, row: PrintedRow, typed: str, following: str) -> Act:
    """Return the entry of a figure, which moves on to the next; or why it cannot be taken."""
    if sight.change is not None and sight.rules is not None:
        fault = entry_fault(sight.change, sight.rules, row.key, typed)
        if fault is not None:
            return Refuse(as_words(fault))
    return Send(entry_command(row.key, typed), then=_show(row.group, following))


def _ask(sight: Sight, row: PrintedRow, following: str) -> Ask:
    hint = as_words(row.hint) if row.hint else Say("Leave it empty to remove the value.")
    field = Field(
        "value", as_words(row.label), "number", hint, has_fraction=not row.is_whole, may_be_empty=True
    )
    return Ask(
        Form("printed", field.title, (field,)),
        lambda answers: _entered(sight, row, answers["value"], following),
    )
