"""Bonus rolls outside battles by taps: entry under fire in its order, and a full disengage."""

from __future__ import annotations

from companion.games.sfw.pages.battle import BattleView, battle_view
from companion.games.sfw.rules.battle import ATTACKING
from tests.ui.test_battle import Table


def view_of(table: Table) -> BattleView:
    assert table.desk.change is not None
    assert table.desk.change.rejected is None, table.desk.change.rejected
    return battle_view(table.desk.change.state, "A")


def misses(table: Table) -> list[str]:
    """Roll ones until the bonus rolls are over; return their steps in order."""
    seen: list[str] = []
    while (view := view_of(table)).phase == "roll":
        line = table.screen.current(view)
        assert line is not None
        if view.step not in seen:
            seen.append(view.step)
        table.dice(*([1] * line.dice))
    assert view.phase == "over"
    return seen


def space(table: Table, *taps: str) -> None:
    table.tap("Space")
    for tap in taps:
        table.tap(tap)


def test_an_entry_under_fire_rolls_line_bridge_mine_and_push_through_in_order() -> None:
    table = Table()
    table.tap("Entry under fire")
    table.tap("Algiers")
    table.tile("T", 0, 3)
    table.tap("Axis")
    table.tile("I", 0, 2)
    space(table, "Push through: no")
    space(table, "Mines: 0", "1", "Done")
    space(table, "Over a bridge: no")
    space(table, "Defensive lines: 0", "2", "Done")
    space(table, "Lines roll here, White against land: 4", "1")
    table.tap("Space")
    assert table.ui.has("Lines roll here, White against land: 1")
    assert not table.ui.has("Airfield"), "no battle: nobody rolls anti-air"
    assert table.ui.faults() == []
    table.tap("Cancel")
    table.tap("Begin battle")
    assert [line.dice for line in view_of(table).lines] == [1, 2]
    assert misses(table) == ["Defensive line", "Bridge", "Mine", "Push through"]


def test_a_full_disengage_draws_the_fire_of_enemy_land_units_only() -> None:
    table = Table()
    table.tap("Full disengage")
    table.tap("Algiers")
    # Those who stay and roll are the attackers of this one roll.
    table.tile("I", 0, 2)
    table.tile("LB", 0)
    table.tap("Allies")
    table.tile("T", 0)
    table.tile("I", 0)
    table.tap("Begin battle")
    lines = view_of(table).lines
    assert [(line.side, line.units) for line in lines] == [(ATTACKING, "2 Infantry")]
    table.dice(12, 1)
    assert view_of(table).phase == "over"
    assert table.ui.has("1 Tank")
    assert not table.ui.has("1 Tank, 1 Infantry"), "the hit took the infantry that left"
