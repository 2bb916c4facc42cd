"""Aircraft that attack a territory are in the air: they take no room, close no way out and own no mines."""

from __future__ import annotations

from companion.games.aana.rules.battle_end import advance_room
from companion.games.aana.rules.battle_messages import AttackGroup, Conclude, LeaveCombat, RollMines
from companion.games.aana.rules.combat_close import refuges
from companion.games.aana.rules.ledger_messages import SetMines
from companion.games.aana.rules.mines import mine_side
from companion.games.aana.rules.movement import in_the_air, is_hostile
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table


def test_eight_move_in_below_two_bombers() -> None:
    table = Table(values="unofficial")
    table.tell("bir_hacheim", supply=0, uk_infantry=1)
    table.tell("mersa_brega", supply=9, germany_infantry=8, germany_bomber=2)
    table.jump("r2.germany.combat_move.move")
    table.ok(MakeMove(table.step, "mersa_brega", "bir_hacheim", {"germany.bomber": 2}))
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "bir_hacheim",
        AttackGroup("mersa_brega", {"germany.infantry": 8}),
        AttackGroup("bir_hacheim", {"germany.bomber": 2}),
    )
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=False)
    table.roll(*[(1,) * dice for dice, _need in table.needs()])
    table.lose()
    assert table.fight.result == "attacker"
    assert advance_room(table.state, table.fight, "germany") == 8
    table.ok(Conclude(table.step))
    assert table.count("bir_hacheim", "germany.infantry") == 8
    assert in_the_air(table.state, "bir_hacheim") == {"germany.bomber": 2}, "until they have landed"


def test_nine_aircraft_attack_and_land_units_follow_below_them() -> None:
    table = Table(values="unofficial")
    table.tell("bir_hacheim", supply=0, uk_aaa=1)
    table.tell("mersa_brega", supply=9, germany_infantry=1, germany_fighter=4, germany_bomber=5)
    table.tell("benghazi", supply=0, germany_infantry=7)
    table.jump("r2.germany.combat_move.move")
    planes = {"germany.fighter": 4, "germany.bomber": 5}
    table.ok(MakeMove(table.step, "mersa_brega", "bir_hacheim", planes))
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "bir_hacheim",
        AttackGroup("mersa_brega", {"germany.infantry": 1}),
        AttackGroup("bir_hacheim", planes),
    )
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.roll(*[(10,) * dice for dice, _need in table.needs()])
    table.ok(Conclude(table.step))
    table.jump("r2.germany.noncombat.move")
    table.ok(MakeMove(table.step, "benghazi", "bir_hacheim", {"germany.infantry": 7}))
    assert table.count("bir_hacheim", "germany.infantry") == 8


def test_an_attack_by_air_alone_closes_no_way_out() -> None:
    table = Table(values="unofficial")
    table.tell("bir_hacheim", supply=2, uk_infantry=2)
    table.tell("siwa", supply=0, uk_infantry=1, germany_bomber=1)
    table.tell("mersa_brega", supply=5, germany_infantry=3)
    table.jump("r2.germany.combat_move.move")
    assert not is_hostile(table.state, "siwa", "allies")
    assert is_hostile(table.state, "siwa", "axis")
    table.jump("r2.germany.combat_move.declare")
    table.attack("siwa", AttackGroup("siwa", {"germany.bomber": 1}))
    attack = table.attack("bir_hacheim", AttackGroup("mersa_brega", {"germany.infantry": 3}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=False)
    table.roll(*[(10,) * dice for dice, _need in table.needs()])
    assert "siwa" in refuges(table.state, "bir_hacheim")
    table.ok(LeaveCombat(table.step, {"siwa": {"uk.infantry": 2}}))
    assert table.count("siwa", "uk.infantry") == 3


def test_mines_below_an_attacking_plane_go_off_for_the_defender() -> None:
    table = Table(values="unofficial")
    table.tell("siwa", supply=0, uk_infantry=1)
    table.tell("bir_hacheim", supply=4, germany_infantry=3, germany_fighter=3)
    table.ok(SetMines("siwa", "bir_hacheim", 1))
    table.jump("r2.germany.combat_move.move")
    table.ok(MakeMove(table.step, "bir_hacheim", "siwa", {"germany.fighter": 3}))
    assert "siwa" not in table.ledger.control
    assert mine_side(table.state, "siwa") == "allies"
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "siwa",
        AttackGroup("bir_hacheim", {"germany.infantry": 3}),
        AttackGroup("siwa", {"germany.fighter": 3}),
    )
    mines = RollMines(
        table.step, "siwa", "bir_hacheim", 1, (1, 9, 9), attack=attack, hit={"germany.infantry": 1}
    )
    table.ok(mines)
    assert not table.ledger.mines.get("siwa>bir_hacheim")


def test_aircraft_that_never_left_the_ground_stand_in_their_territory() -> None:
    table = Table(values="unofficial")
    table.tell("jalo", supply=0, germany_fighter=2)
    table.jump("r2.germany.combat_move.move")
    assert in_the_air(table.state, "jalo") == {}
    assert mine_side(table.state, "jalo") == "axis"
    assert is_hostile(table.state, "jalo", "allies")
