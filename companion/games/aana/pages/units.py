"""The Units screen of North Africa: every figure of its pieces with where it comes from."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several, unit
from companion.games.aana.pages.tell import fan_made
from companion.games.aana.rules.figures import COLOURS, FIGURES, Row
from companion.games.aana.rules.ledger import figures
from companion.pages.page import Acts, Draft, Item, Page, Rows, Shown, Sight
from companion.pages.parts import apart, back_button
from companion.pages.symbols import unit_symbol

__all__ = ["units_page"]


def units_page(sight: Sight) -> Shown:
    """Return every piece of one colour: its figures, its characteristics, and what of it is not stated in the rules."""
    state, acts = sight.state, Acts()
    colour = sight.entered(COLOURS[0])
    rows = tuple(_row(state, row) for row in figures(state).rows() if row.power == colour)
    tabs = tuple(Item(one, Name("colour", one), act=acts.put(f"tab.{one}", _show(one))) for one in COLOURS)
    page = Page(
        f"units.{colour}",
        Say("Units"),
        Say("Cost · attack · defence · move · in the box"),
        "muted",
        tabs=tabs,
        tab=colour,
        blocks=(Rows("units", rows, title=fan_made(state)),),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _show(colour: str) -> Draft[str]:
    return Draft(lambda _colour: colour, "")


def _row(state: GameState, row: Row) -> Item:
    shown = [getattr(row, figure) for figure in FIGURES]
    c, a, d, m = (Typed("–") if value is None else value for value in shown)
    notes: list[Value] = []
    if row.traits:
        notes.append(several((Name("trait", trait) for trait in sorted(row.traits)), "comma"))
    if any(row.status.get(figure) == "unknown" for figure in FIGURES):
        notes.append(Say("–: printed on your chart"))
    if any(row.status.get(figure) == "printed" for figure in FIGURES) and fan_made(state) is None:
        notes.append(Say("entered by the table"))
    if row.is_inferred("traits"):
        notes.append(Say("characteristics inferred, check your chart"))
    value = Say(
        "{cost} · {attack} · {defence} · {move} · {n}", cost=c, attack=a, defence=d, move=m, n=row.limit
    )
    return Item(
        row.unit, unit(row.unit), apart(notes) if notes else None, value, symbol=unit_symbol(state, row.unit)
    )
