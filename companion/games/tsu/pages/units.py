"""The Units screen of The Soft Underbelly: every figure with where it comes from."""

from __future__ import annotations

from companion.core.change import Change
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import reorganized_text, stars_text, unit_word
from companion.games.tsu.rules.state import is_reorganized, slice_of
from companion.games.tsu.rules.units import UnitRow
from companion.pages.i18n import _

__all__ = ["units_page"]


def units_page(change: Change) -> Page:
    """Return all kinds of units, then the Forts."""
    state = change.state
    own = slice_of(state)
    rows = [
        Row(unit.id, unit_word(unit.id), _figures(unit))
        for unit in own.tables.units.values()
        if unit.id != "fort"
    ]
    if is_reorganized(own, state.step.stage):
        text = reorganized_text(own.tables)
        rows.insert(2, Row("weak", text, _("The army is reorganized"), tone="danger"))
    for fort in state.frozen_setup.tables["game"]["forts"]:
        value = state.printed.get(f"fort.{fort['id']}.value")
        status = (fort.get("status", {}).get("value") or ("",))[0]
        sub = _("defence {n}, never replaced").format(n="–" if value is None else value)
        if value is None:
            sub = f"{sub}; {_('printed on the counter: enter it under Printed values')}"
        elif status == "inferred":
            sub = f"{sub}; {_('inferred from the example turn')}"
        rows.append(Row(fort["id"], _("Fort {name}").format(name=_(fort["name"])), sub))
    return Page(
        _("Units"),
        _("Combat value and cost in stars"),
        rows=tuple(rows),
        main_text=_("Back to the table"),
        columns=2,
        key="units",
    )


def _figures(unit: UnitRow) -> str:
    value = _("combat {n}").format(n="–" if unit.value is None else unit.value)
    if unit.value_against_fort is not None:
        value = f"{value} ({_('{n} where a Fort stands').format(n=unit.value_against_fort)})"
    if unit.value_landing is not None:
        value = f"{value} ({_('{n} when landing').format(n=unit.value_landing)})"
    return f"{value}, {_('no cost is listed') if unit.cost is None else stars_text(unit.cost)}"
