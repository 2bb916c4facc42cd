"""Printed values: figures that the rules text leaves to the pieces in the box, as a plain entry form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.core.text import Say
from companion.pages.game_view import PrintedRow
from companion.pages.i18n import _
from companion.pages.labels import humanise
from companion.pages.modules import game_view
from companion.pages.speak import sentence

__all__ = ["PrintedView", "entry_command", "entry_fault", "parse_value", "printed_view", "value_fault"]


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
