"""The order of play in Song for War: who acts first in the stages ahead, and where both sides act at once.

The rulebook prints some stages' flags only on the board; the table reads them there and says so here. Acting together
is an agreement of the table, phase by phase. Source: rulebook sections Which Side Acts First, Acting at the Same Time.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import Say
from companion.games.sfw.rules.flow import SetFirstSide, SetTogether, open_stages, together_phases
from companion.pages.frame import mark
from companion.pages.i18n import _
from companion.pages.labels import phase_name, stage_name
from companion.pages.page import Acts, Item, Page, Rows, Send, Shown, Sight
from companion.pages.parts import as_words, back_button

__all__ = ["OrderRow", "order_command", "order_page", "order_rows"]


@dataclass(frozen=True, slots=True)
class OrderRow:
    """One choice: ``first.3`` or ``together.resupply``, its values as key and text."""

    key: str
    label: str
    values: tuple[tuple[str, str], ...]
    chosen: str
    hint: str = ""


def order_rows(change: Change) -> tuple[OrderRow, ...]:
    """Return what the table may still set, stages first."""
    state = change.state
    setup = state.frozen_setup
    sides = tuple((info.id, mark(setup, info.id).name) for info in setup.sides)
    rows = [
        OrderRow(
            f"first.{stage}",
            _("{stage}: who acts first").format(stage=stage_name(setup, stage)),
            tuple((str(key), text) for key, text in sides),
            str(side),
            _("Check the flags on your board"),
        )
        for stage, side in open_stages(state)
    ]
    if setup.options.get("players") == 1:
        return tuple(rows)
    hint = _("Not under tournament time") if state.clocks.config.tournament else ""
    for phase, is_together in together_phases(state):
        values = (("apart", _("One by one")), ("together", _("Both at once")))
        rows.append(
            OrderRow(
                f"together.{phase}", phase_name(phase), values, "together" if is_together else "apart", hint
            )
        )
    return tuple(rows)


def order_page(sight: Sight) -> Shown:
    """Return the choices as rows; a tap sets the other value, and is in the log."""
    acts = Acts()
    assert sight.change is not None, "a screen that needs a game is shown with one"
    rows = tuple(_item(sight.state, acts, row) for row in order_rows(sight.change))
    page = Page(
        "order",
        Say("Order of play"),
        Say("Tap a line to change it"),
        "muted",
        blocks=(Rows("order", rows, empty=Say("Nothing left to settle")),),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _item(state: GameState, acts: Acts, row: OrderRow) -> Item:
    names = dict(row.values)
    other = next(key for key in names if key != row.chosen)
    act = acts.put(row.key, Send(order_command(state, row.key, other)))
    sub = as_words(row.hint) if row.hint else None
    return Item(row.key, as_words(row.label), sub, as_words(names[row.chosen]), act=act)


def order_command(state: GameState, key: str, value: str) -> Command:
    """Return the command that sets a row to a value."""
    kind, _dot, what = key.partition(".")
    if kind == "first":
        return SetFirstSide(int(what), Side(value))
    now = dict(together_phases(state))
    now[what] = value == "together"
    return SetTogether(tuple(phase for phase, is_together in now.items() if is_together))
