"""The Units screen of North Africa: the pieces of a colour, and every figure of one with where it comes from."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several, unit
from companion.games.aana.pages.tell import fan_made
from companion.games.aana.rules.figures import COLOURS, FIGURES, Row
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.pieces import piece_key
from companion.pages import page as pg
from companion.pages.parts import back_button
from companion.pages.symbols import unit_symbol

__all__ = ["units_page"]

_NAMES = {"cost": Say("Cost"), "attack": Say("Attack"), "defence": Say("Defence"), "move": Say("Move")}
_DASH = Typed("–")


def units_page(sight: pg.Sight) -> pg.Shown:
    """Return the pieces of a colour, or the figures of one: what is looked at is ``uk`` or ``uk.infantry``."""
    state, acts = sight.state, pg.Acts()
    colour, _dot, piece = sight.entered(COLOURS[0]).partition(".")
    rows = [row for row in figures(state).rows() if row.power == colour]
    row = next((row for row in rows if row.unit == piece), None)
    if row is not None:
        return pg.Shown(_figures(state, acts, row), acts)
    tabs = tuple(pg.Item(one, Name("colour", one), act=acts.put(f"tab.{one}", _show(one))) for one in COLOURS)
    page = pg.Page(
        f"units.{colour}",
        Say("Units"),
        Say("Cost on the right"),
        "muted",
        tabs=tabs,
        tab=colour,
        blocks=(
            pg.Rows(
                "units", tuple(_row(state, acts, row) for row in rows), title=fan_made(state), is_wide=False
            ),
        ),
        main=back_button(acts),
    )
    return pg.Shown(page, acts)


def _show(what: str) -> pg.Draft[str]:
    return pg.Draft(lambda _what: what, "")


def _shown(row: Row, figure: str) -> Value:
    value: int | None = getattr(row, figure)
    return _DASH if value is None else value


def _row(state: GameState, acts: pg.Acts, row: Row) -> pg.Item:
    told = Say(
        "Attack {attack}, defence {defence}, move {move}",
        attack=_shown(row, "attack"),
        defence=_shown(row, "defence"),
        move=_shown(row, "move"),
    )
    return pg.Item(
        row.unit,
        unit(row.unit),
        told,
        _shown(row, "cost"),
        symbol=unit_symbol(state, row.unit),
        act=acts.put(row.unit, _show(piece_key(row.power, row.unit))),
    )


def _figures(state: GameState, acts: pg.Acts, row: Row) -> pg.Page:
    """Return every figure of a piece with its status, and what it can do."""
    told: list[pg.Item] = []
    if row.traits:
        traits = several((Name("trait", trait) for trait in sorted(row.traits)), "comma")
        check = Say("characteristics inferred, check your chart") if row.is_inferred("traits") else None
        told.append(pg.Item("traits", traits, check))
    rows = (
        *(pg.Item(one, _NAMES[one], _source(state, row, one), _shown(row, one)) for one in FIGURES),
        pg.Item("limit", Say("In the box"), value=row.limit),
    )
    blocks = (*((pg.Rows("told", tuple(told)),) if told else ()), pg.Rows("figures", rows, is_wide=False))
    return pg.Page(
        f"unit.{row.power}.{row.unit}",
        unit(row.unit),
        Name("colour", row.power),
        "muted",
        blocks=blocks,
        main=pg.Button(Say("All units"), acts.put("all", _show(row.power))),
    )


def _source(state: GameState, row: Row, figure: str) -> Say | None:
    """Say where a figure comes from that the rules do not give."""
    match row.status.get(figure):
        case "unknown":
            return Say("printed on your chart")
        case "printed":
            return fan_made(state) or Say("entered by the table")
        case _:
            return None
