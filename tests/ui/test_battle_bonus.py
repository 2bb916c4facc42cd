"""Bonus rolls outside battles by taps: entry under fire in its order, and a full disengage."""

from __future__ import annotations

from companion.games.sfw.pages.tell import counts_say
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, Group
from companion.games.sfw.rules.battle_state import battles_of
from tests.ui.test_battle import Table


def misses(table: Table) -> list[str]:
    """Roll ones until the bonus rolls are over; return their steps in order."""
    seen: list[str] = []
    while (view := table.view).phase == "roll":
        if view.step.id not in seen:
            seen.append(view.step.id)
        table.dice(*([1] * table.current().dice))
    assert view.phase == "over"
    return seen


def space(table: Table, *taps: str) -> None:
    table.tap("Details")
    table.tap("Space")
    for tap in taps:
        table.tap(tap)
    table.tap("Details")


def test_an_entry_under_fire_rolls_line_mine_and_push_through_in_order() -> None:
    table = Table()
    table.tap("Entry under fire")
    table.tap("Algiers")
    table.tile("tank", "us", 3)
    table.tile("infantry", "italy", 2)
    space(table, "Push through: no")
    space(table, "Mines: 0", "1", "Done")
    space(table, "Defensive lines: 0", "2", "Done")
    space(table, "Lines that roll here, White against land: 4", "1")
    table.tap("Details")
    table.tap("Space")
    assert table.ui.has("Lines that roll here, White against land: 1")
    assert not table.ui.has("Airfield"), "no battle: nobody rolls anti-air"
    assert not table.ui.has("Across a bridge"), "this board has none"
    assert table.ui.faults() == []
    table.tap("Cancel")
    table.tap(table.ui.root.screen.main_text)
    assert [line.dice for line in table.view.lines] == [1, 2]
    assert misses(table) == ["line", "mine", "push"]


def test_a_full_disengage_draws_the_fire_of_enemy_land_units_only() -> None:
    table = Table()
    table.tap("Full disengage")
    table.tap("Algiers")
    # Those who stay and roll are the attackers of this one roll.
    table.tile("infantry", "italy", 2)
    table.tap("Air")
    table.tile("light_bomber", "italy")
    table.tap("Land")
    table.tile("tank", "us")
    table.tile("infantry", "us")
    table.tap(table.ui.root.screen.main_text)
    lines = table.view.lines
    assert [(line.side, line.units) for line in lines] == [(ATTACKING, counts_say([("infantry", 2)]))]
    table.dice(12, 1)
    assert table.view.phase == "over"
    assert table.ui.has("1 of 2 lost")
    assert not table.ui.has("1 Tank, 1 Infantry"), "the hit took the infantry that left"


def test_a_full_disengage_from_where_both_sides_were_left_is_one_tap_and_knows_the_units() -> None:
    table = Table()
    table.declare_taranto()
    table.compose_taranto()
    table.tap(table.ui.root.screen.main_text)
    table.ui.desk.send(bc.BreakOff(table.battle.id))
    table.ui.settle()
    left = table.battle.battle
    table.tap("All battles")
    table.tap("Full disengage: Taranto")
    assert not table.ui.has("Where is the battle?")
    table.tap(table.ui.root.screen.main_text)
    leave = battles_of(table.desk.change.state).battles[-1].battle  # type: ignore[union-attr]
    assert leave.occasion == "disengage"
    assert table.ui.faults() == []

    def land(groups: tuple[Group, ...]) -> set[tuple[str, str]]:
        return {(group.nation, group.unit) for group in groups if not group.distance}

    # Who acts leaves: those who stay roll, as attackers of this one roll.
    assert land(leave.attacking) & land(left.defending)
    assert land(leave.defending) & land(left.attacking)
    assert not land(leave.attacking) & land(left.attacking)
