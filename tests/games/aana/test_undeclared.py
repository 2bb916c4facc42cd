"""Who must attack and does not is asked about before the declarations end."""

from __future__ import annotations

from companion.core.commands import EndAct
from companion.games.aana.rules.battle_messages import AttackGroup
from companion.games.aana.rules.declare import undeclared
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table


def test_bombers_over_the_enemy_must_attack_or_the_table_confirms() -> None:
    table = Table(values="unofficial")
    table.tell("el_agheila", supply=0, germany_infantry=1)
    table.tell("benghazi", supply=5, uk_infantry=2, uk_bomber=2)
    table.jump("r2.uk.combat_move.move")
    table.ok(MakeMove(table.step, "benghazi", "el_agheila", {"uk.bomber": 2}))
    table.end()
    assert undeclared(table.state) == ("el_agheila",)
    table.no(
        EndAct(table.step, table.now), "still_open", "Units in El Agheila must attack. Declare their attacks."
    )
    table.attack("el_agheila", AttackGroup("el_agheila", {"uk.bomber": 1}))
    table.no(EndAct(table.step, table.now), "still_open", "El Agheila")
    table.end(confirmed=True)
    assert table.step == "r2.uk.combat.resolve"


def test_land_units_that_moved_must_attack_and_those_that_stood_may() -> None:
    table = Table(values="unofficial")
    table.tell("benghazi", supply=5, uk_infantry=2)
    table.tell("mersa_brega", supply=5, germany_infantry=2)
    table.tell("el_agheila", supply=5, germany_tank=2)
    table.jump("r2.germany.combat_move.move")
    table.ok(MakeMove(table.step, "el_agheila", "mersa_brega", {"germany.tank": 1}))
    table.end()
    table.no(
        EndAct(table.step, table.now),
        "still_open",
        "Units in Mersa Brega must attack. Declare their attacks.",
    )
    table.attack("benghazi", AttackGroup("mersa_brega", {"germany.tank": 1}))
    assert undeclared(table.state) == ()
    table.end()


def test_a_blitz_of_two_spaces_owes_no_attack() -> None:
    table = Table(values="unofficial")
    table.tell("benghazi", supply=1)
    table.tell("bir_hacheim", supply=1)
    table.tell("mersa_brega", supply=2, germany_tank=1)
    table.tell("tobruk", supply=1, uk_infantry=1)
    table.jump("r2.germany.combat_move.move")
    table.ok(MakeMove(table.step, "mersa_brega", "bir_hacheim", {"germany.tank": 1}, via="benghazi"))
    table.end()
    assert undeclared(table.state) == ()
    table.end()
