"""Sea mines zone by zone, the Strait of Messina, and zones that are closed to some."""

from __future__ import annotations

import pytest

from companion.core.ids import StepId
from companion.games.aana.rules.battle_messages import AttackGroup, RollMines
from companion.games.aana.rules.board import POOL, RESERVE_ZONE
from companion.games.aana.rules.ledger_messages import CountSpace, MoveUnits, SetMines
from companion.games.aana.rules.mines import crossing, mines_fault
from companion.games.aana.rules.movement import free_moves
from companion.games.aana.rules.reinforce_messages import SUPPLY_ONE, Deploy
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table


def fan(step: str, **options: object) -> Table:
    table = Table(values="unofficial", **options)
    table.jump(step)
    return table


def move(table: Table, origin: str, to: str, units: dict[str, int], spaces: int = 0) -> MakeMove:
    return MakeMove(StepId(table.step), origin, to, units, spaces)


def roll(
    table: Table, zone: str, owner: str, values: tuple[int, ...], hit: dict[str, int] | None = None
) -> RollMines:
    return RollMines(table.step, zone, owner, len(values), values, None, hit or {})


def test_only_ships_that_came_in_are_hit_and_go_on_afterwards() -> None:
    table = fan("r2.uk.noncombat.move")
    table.ok(SetMines("sz.30", "italy", 2))
    table.ok(CountSpace("sz.31", {"uk.destroyer": 2, "uk.battleship": 1}))
    table.ok(CountSpace("sz.30", {"uk.submarine": 1}))
    table.jump("r2.uk.noncombat.move")
    table.end()
    table.jump("r2.uk.noncombat.move")
    table.no(
        roll(table, "sz.30", "italy", (9, 9)),
        "nobody_entered",
        "Sea zone 30: no ship or transport entered during this phase.",
    )
    table.ok(move(table, "sz.31", "sz.30", {"uk.destroyer": 2, "uk.battleship": 1}))
    assert crossing(table.state, "sz.30", "italy") == {"uk.destroyer": 2, "uk.battleship": 1}
    assert free_moves(table.state, "sz.30", "uk.destroyer") == (3, 3), "they stopped for the mines only"
    table.no(
        roll(table, "sz.30", "italy", (1, 2), {"uk.submarine": 1}),
        "not_there",
        "None of these entered: Submarine (United Kingdom).",
    )
    table.no(
        roll(table, "sz.30", "italy", (1, 2), {"uk.destroyer": 1}),
        "bad_losses",
        "2 hits to assign; you chose 1 on ships and 0 bays of transports.",
    )
    table.no(
        roll(table, "sz.30", "italy", (1, 9), {"uk.destroyer": 2}),
        "bad_losses",
        "1 hit to assign; you chose 2 on ships and 0 bays of transports.",
    )
    table.ok(roll(table, "sz.30", "italy", (1,), {"uk.battleship": 1}))
    assert table.ledger.units["sz.30"] == {"uk.submarine": 1, "uk.destroyer": 2, "uk.battleship.damaged": 1}
    # All mines of a zone are decided upon before any goes off: the second one had its chance.
    table.no(roll(table, "sz.30", "italy", (1,), {"uk.destroyer": 1}), "decided", "Sea zone 30")
    table.ok(move(table, "sz.30", "sz.28", {"uk.destroyer": 1}))
    table.no(
        move(table, "sz.28", "sz.25", {"uk.destroyer": 1}),
        "too_far",
        "1 Destroyer (United Kingdom) cannot move 1 space. Pieces there: 1; none can move more than 0.",
    )
    # Another ship comes in later: it faces the mine that is left.
    table.ok(CountSpace("sz.32", {"uk.submarine": 1}))
    table.ok(move(table, "sz.32", "sz.30", {"uk.submarine": 1}))
    assert mines_fault(table.state, "sz.30", "italy") is None
    table.jump("r2.uk.deploy.place")
    table.no(roll(table, "sz.30", "italy", (1,)), "nobody_entered", "Sea zone 30")


def test_a_damaged_battleship_that_is_hit_again_sinks() -> None:
    table = fan("r2.uk.combat_move.move")
    table.ok(SetMines("sz.30", "italy", 2))
    table.ok(SetMines("sz.30", "germany", 1))
    table.ok(move(table, "sz.31", "sz.30", {"uk.battleship": 1}))
    table.ok(roll(table, "sz.30", "italy", (1, 2), {"uk.battleship": 1, "uk.battleship.damaged": 1}))
    assert "sz.30" not in table.ledger.units
    table.no(roll(table, "sz.30", "germany", (1,)), "nobody_entered")


def test_mines_of_both_powers_are_decided_apart() -> None:
    table = fan("r2.uk.combat_move.move")
    for power in ("italy", "germany"):
        table.ok(SetMines("sz.30", power, 1))
    table.ok(move(table, "sz.31", "sz.30", {"uk.battleship": 1}))
    table.ok(roll(table, "sz.30", "italy", (1,), {"uk.battleship": 1}))
    table.ok(roll(table, "sz.30", "germany", (3,), {"uk.battleship.damaged": 1}))
    assert "sz.30" not in table.ledger.units


def test_ships_stop_in_the_first_mined_zone_on_every_way() -> None:
    table = fan("r2.uk.noncombat.move")
    for zone in ("sz.29", "sz.30", "sz.32"):
        table.ok(SetMines(zone, "italy", 1))
    table.no(
        move(table, "sz.31", "sz.28", {"uk.destroyer": 1}),
        "mined",
        "Every way to Sea zone 28 leads through enemy mines. Stop in the first zone that has them.",
    )
    table.ok(SetMines("sz.29", "italy", 0))
    table.ok(move(table, "sz.31", "sz.28", {"uk.destroyer": 1}))


def test_a_combat_move_may_stop_for_mines_and_go_on_to_attack() -> None:
    table = fan("r2.uk.combat_move.move")
    table.ok(SetMines("sz.30", "italy", 1))
    table.ok(CountSpace("sz.28", {"italy.destroyer": 1}))
    table.no(move(table, "sz.31", "sz.29", {"uk.destroyer": 1}), "no_attack", "something to attack")
    table.ok(move(table, "sz.31", "sz.30", {"uk.destroyer": 1}))
    table.ok(roll(table, "sz.30", "italy", (8,)))
    table.ok(move(table, "sz.30", "sz.28", {"uk.destroyer": 1}))
    assert table.count("sz.28", "uk.destroyer") == 1


def test_reinforcements_on_transports_pay_two_bays_a_hit() -> None:
    table = fan("r1.italy.noncombat.move")
    table.ok(SetMines("convoy.tripoli", "uk", 2))
    table.ok(CountSpace("convoy.tripoli", {"italy.tank": 1}))
    table.ok(CountSpace("italy", {}, 7))
    table.jump("r1.italy.deploy.place")
    table.ok(MoveUnits(POOL, RESERVE_ZONE, {"italy.infantry": 3}))
    table.ok(Deploy(table.step, "italy", "infantry", 3, "convoy.tripoli"))
    table.ok(Deploy(table.step, "italy", SUPPLY_ONE, 7, "convoy.tripoli", "italy"))
    came = crossing(table.state, "convoy.tripoli", "uk")
    assert came == {"italy.infantry": 3, "italy.supply": 7}, "the tank was there before"
    hit = {"italy.infantry": 1}
    table.no(roll(table, "convoy.tripoli", "uk", (1, 9), hit), "bad_losses", "1 bays of transports")
    few = {"italy.infantry": 1, "italy.supply": 3}
    table.no(
        roll(table, "convoy.tripoli", "uk", (1, 9), few),
        "bad_losses",
        "Supply is lost in fives, fewer only when that is all there is.",
    )
    table.ok(roll(table, "convoy.tripoli", "uk", (1, 9), {"italy.infantry": 1, "italy.supply": 5}))
    assert table.count("convoy.tripoli", "italy.infantry") == 2
    assert table.ledger.supply["convoy.tripoli@italy"] == 2


@pytest.mark.parametrize("known", [True, False])
def test_allied_ships_do_not_pass_the_strait_of_messina(known: bool) -> None:
    table = Table(values="unofficial") if known else Table()
    table.ok(CountSpace("sz.11", {"uk.destroyer": 1, "italy.destroyer": 1, "uk.fighter": 1}))
    table.jump("r2.uk.noncombat.move")
    table.ok(CountSpace("sz.11", {"uk.destroyer": 1, "uk.fighter": 1}))
    table.no(move(table, "sz.11", "sz.16", {"uk.destroyer": 1}, 1), "closed_zone", "Strait of Messina")
    table.ok(move(table, "sz.11", "sz.16", {"uk.destroyer": 1}, 0 if known else 2))
    if known:
        assert table.state.game["movement"].late["sz.16"]["uk.destroyer"] == (2,), "round Sicily"


def test_axis_ships_pass_it() -> None:
    table = fan("r2.italy.noncombat.move")
    table.ok(CountSpace("sz.11", {"italy.destroyer": 1}))
    table.ok(move(table, "sz.11", "sz.16", {"italy.destroyer": 1}))
    assert table.state.game["movement"].late["sz.16"]["italy.destroyer"] == (1,)


def test_the_canal_is_entered_from_the_indian_ocean_and_the_atlantic_by_its_power() -> None:
    table = fan("r2.uk.noncombat.move")
    table.no(move(table, "sz.31", "convoy.suez", {"uk.destroyer": 1}, 1), "closed_zone", "Indian Ocean")
    axis = fan("r2.germany.noncombat.move")
    axis.ok(CountSpace("sz.1", {"germany.submarine": 1}))
    axis.no(
        move(axis, "sz.1", "convoy.atlantic", {"germany.submarine": 1}, 1),
        "closed_zone",
        "Only these may enter Atlantic Ocean convoy: United Kingdom.",
    )


def test_a_border_is_decided_once() -> None:
    table = Table(values="unofficial")
    table.tell("mersa_matruh", supply=2, germany_tank=2)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("cairo", AttackGroup("mersa_matruh", {"germany.tank": 2}))
    once = RollMines(table.step, "cairo", "mersa_matruh", 1, (9, 9, 9), attack)
    table.ok(once)
    table.no(once, "decided", "this border")
