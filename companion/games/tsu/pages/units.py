"""The Units screen of The Soft Underbelly: every figure with where it comes from."""

from __future__ import annotations

from companion.core.text import Say, Typed, Value, unit
from companion.games.tsu.pages.tell import reorganized_say, stars_say
from companion.games.tsu.rules.state import is_reorganized, slice_of
from companion.games.tsu.rules.units import UnitRow
from companion.pages.page import Acts, Item, Page, Rows, Shown, Sight
from companion.pages.parts import apart, back_button
from companion.pages.symbols import unit_symbol

__all__ = ["units_page"]


def units_page(sight: Sight) -> Shown:
    """Return all kinds of units, then the Forts."""
    state, acts = sight.state, Acts()
    own = slice_of(state)
    rows = [
        Item(one.id, unit(one.id), _figures(one), symbol=unit_symbol(state, one.id))
        for one in own.tables.units.values()
        if one.id != "fort"
    ]
    if is_reorganized(own, state.step.stage):
        values = reorganized_say(own.tables)
        rows.insert(2, Item("weak", values, Say("The army is reorganized"), state="danger"))
    for fort in state.frozen_setup.tables["game"]["forts"]:
        value = state.printed.get(f"fort.{fort['id']}.value")
        status = (fort.get("status", {}).get("value") or ("",))[0]
        shown = int(value) if isinstance(value, int | float) else Typed("–")
        sub: Value = Say("defence {n}, never replaced", n=shown)
        if value is None:
            why = Say("printed on the counter: enter it under Printed values")
            sub = apart((sub, why))
        elif status == "inferred":
            sub = apart((sub, Say("inferred from the example turn")))
        rows.append(
            Item(
                fort["id"], Say("Fort {name}", name=Say(fort["name"])), sub, symbol=unit_symbol(state, "fort")
            )
        )
    page = Page(
        "units",
        Say("Units"),
        Say("Combat value and cost in stars"),
        blocks=(Rows("units", tuple(rows), is_wide=False),),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _figures(one: UnitRow) -> Value:
    value = Say("combat {n}", n=Typed("–") if one.value is None else one.value)
    if one.value_against_fort is not None:
        note = Say("{n} with a Fort", n=one.value_against_fort)
        value = Say("{what} ({note})", what=value, note=note)
    if one.value_landing is not None:
        value = Say("{what} ({note})", what=value, note=Say("{n} when landing", n=one.value_landing))
    cost = Say("no cost listed") if one.cost is None else stars_say(one.cost)
    return Say("{value}, {cost}", value=value, cost=cost)
