"""What may be attacked, from where, by whom, and who must: as the rulebook has it, and asked where nobody has told."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import EndAct
from companion.core.ids import SiteId
from companion.games.aana.pages.flown import ask_flown
from companion.games.aana.rules.battle_messages import AttackGroup, Conclude, DeclareAttack
from companion.games.aana.rules.conditions import CONTENT, MARKER
from companion.games.aana.rules.declare import undeclared
from companion.games.aana.rules.ledger_messages import CorrectSupply, CountSpace, MoveUnits
from companion.games.aana.rules.movement import free_moves
from companion.games.aana.rules.victory import SetControl
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table

FIGURES = {
    "unit.uk.fighter.move": 4,
    "unit.italy.infantry.move": 1,
    "unit.uk.scout_car.move": 4,
    "unit.uk.scout_car.attack": 2,
}


def fan(step: str, **options: Any) -> Table:
    table = Table(values="unofficial", **options)
    table.jump(step)
    return table


def own_board(step: str) -> Table:
    """A table that plays with the rulebook's values and counts borders itself."""
    table = Table(printed=FIGURES)
    table.jump(step)
    return table


def no(table: Table, code: str, space: str, origin: str, /, **units: int) -> None:
    pieces = {name.replace("__", "."): n for name, n in units.items()}
    table.no(DeclareAttack(table.step, space, (AttackGroup(origin, pieces),)), code)


# N22: places that land units may or may not attack


@pytest.mark.parametrize("make", [fan, own_board])
def test_no_land_unit_invades_what_bears_an_emblem_nor_attacks_across_the_sea(make: Any) -> None:
    italy = make("r2.italy.combat_move.declare")
    italy.tell("sicily", supply=5, italy_infantry=2)
    no(italy, "permanent", "malta", "sicily", italy__infantry=1)
    uk = make("r2.uk.combat_move.declare")
    uk.tell("malta", supply=5, uk_infantry=1)
    uk.tell("tripoli", supply=5, germany_tank=1)
    for island in ("sicily", "italy", "crete", "sardinia"):
        no(uk, "permanent", island, "malta", uk__infantry=1)
    no(uk, "wrong_place", "tripoli", "malta", uk__infantry=1)


def test_aircraft_attack_what_land_units_never_invade() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("malta", supply=5, uk_fighter=1)
    table.tell("sicily", supply=0, germany_fighter=1)
    table.attack("sicily", AttackGroup("malta", {"uk.fighter": 1}))


@pytest.mark.parametrize("make", [fan, own_board])
def test_a_neutral_territory_is_attacked_by_scout_cars_for_its_supply_and_free(make: Any) -> None:
    table = make("r2.uk.combat_move.declare")
    table.tell("siwa", supply=1)
    table.tell("mersa_matruh", supply=3, uk_infantry=1, uk_scout_car=2)
    no(table, "neutral", "siwa", "mersa_matruh", uk__infantry=1)
    table.attack("siwa", AttackGroup("mersa_matruh", {"uk.scout_car": 1}))
    assert table.ledger.supply["mersa_matruh"] == 3
    bare = make("r2.uk.combat_move.declare")
    bare.tell("siwa", supply=0)
    bare.tell("mersa_matruh", supply=3, uk_infantry=1, uk_scout_car=1)
    no(bare, "neutral", "siwa", "mersa_matruh", uk__infantry=1)
    no(bare, "neutral", "siwa", "mersa_matruh", uk__scout_car=1)


def test_nobody_attacks_friendly_ground_the_sahara_or_what_does_not_touch() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=1, uk_infantry=1)
    table.tell("cairo", supply=5, uk_infantry=1, uk_fighter=1)
    table.tell("benghazi", supply=1, germany_tank=1)
    table.tell("jalo", supply=5, uk_infantry=1)
    table.tell("desert_i", supply=1, italy_scout_car=1)
    no(table, "friendly", "mersa_matruh", "cairo", uk__infantry=1)
    no(table, "friendly", "mersa_matruh", "cairo", uk__fighter=1)
    no(table, "sahara", "desert_i", "jalo", uk__infantry=1)
    no(table, "not_adjacent", "benghazi", "cairo", uk__infantry=1)


def test_aircraft_and_ships_attack_no_further_away_than_they_may_go() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("sardinia", supply=0, germany_fighter=1)
    table.tell("cairo", supply=5, uk_fighter=1)
    table.tell("sz.31", uk_destroyer=1)
    table.tell("sz.10", italy_destroyer=1)
    table.tell("sz.30")
    no(table, "no_landing", "sardinia", "cairo", uk__fighter=1)
    refused = table.send(DeclareAttack(table.step, "sz.10", (AttackGroup("sz.31", {"uk.destroyer": 1}),)))
    assert refused is not None
    assert refused.code in ("too_far", "no_way")
    no(table, "nobody_there", "sz.30", "sz.31", uk__destroyer=1)


def test_where_nobody_is_free_no_count_of_none_is_told() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=5, uk_infantry=1, uk_scout_car=1)
    table.tell("tobruk", supply=1, germany_infantry=1)
    table.ok(SetControl(SiteId("tobruk"), "germany"))
    infantry = AttackGroup("mersa_matruh", {"uk.infantry": 1})
    table.attack("tobruk", infantry)
    again = DeclareAttack(table.step, "tobruk", (infantry,))
    table.no(again, "not_there", "Mersa Matruh: none of these can attack: Infantry (United Kingdom).")
    both = DeclareAttack(table.step, "tobruk", (AttackGroup("mersa_matruh", {"uk.scout_car": 2}),))
    table.no(both, "not_there", "Mersa Matruh: only 1 Scout Car (United Kingdom) can attack; you chose 2.")


# N25: what was flown into the attack is gone on the way home


def test_what_is_flown_into_an_attack_counts_against_the_flight_home() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=1, germany_infantry=1)
    table.tell("cairo", supply=5, uk_fighter=1)
    attack = table.attack("mersa_matruh", AttackGroup("cairo", {"uk.fighter": 1}))
    table.jump("r2.uk.combat.resolve")
    table.open(attack)
    table.orders(fight=False)
    table.roll((9,))
    from companion.games.aana.rules.battle_messages import LeaveCombat

    table.ok(LeaveCombat(table.step, nowhere=True))
    table.ok(Conclude(table.step))
    table.jump("r2.uk.noncombat.move")
    assert free_moves(table.state, "mersa_matruh", "uk.fighter") == (3,)
    table.ok(MakeMove(table.step, "mersa_matruh", "cairo", {"uk.fighter": 1}))


def test_where_borders_are_not_known_the_table_states_the_spaces_flown() -> None:
    table = own_board("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=1, germany_infantry=1)
    table.tell("cairo", supply=5, uk_fighter=2)
    no(table, "how_far", "mersa_matruh", "cairo", uk__fighter=1)
    declared = DeclareAttack(table.step, "mersa_matruh", (AttackGroup("cairo", {"uk.fighter": 1}),))
    (field,) = ask_flown(table.state, declared, ("cairo",)).form.fields
    assert [one.key for one in field.options] == ["1", "2", "3"], "of its four spaces one is left to land"
    table.attack("mersa_matruh", AttackGroup("cairo", {"uk.fighter": 1}, spaces=2))
    table.jump("r2.uk.noncombat.move")
    assert free_moves(table.state, "mersa_matruh", "uk.fighter") == (2,)
    one = Table(printed=FIGURES, **{"rulings.aana.direct_attack": "one"})
    one.jump("r2.uk.combat_move.declare")
    one.tell("mersa_matruh", supply=1, germany_infantry=1)
    one.tell("cairo", supply=5, uk_fighter=1)
    one.attack("mersa_matruh", AttackGroup("cairo", {"uk.fighter": 1}))
    one.jump("r2.uk.noncombat.move")
    assert free_moves(one.state, "mersa_matruh", "uk.fighter") == (3,)


# What nobody has told is asked for


def test_an_attack_on_a_space_that_nobody_told_asks_for_what_decides() -> None:
    table = own_board("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=5, uk_infantry=2, uk_scout_car=1)
    attack = DeclareAttack(table.step, "tobruk", (AttackGroup("mersa_matruh", {"uk.infantry": 1}),))
    refused = table.send(attack)
    assert refused is not None
    assert (refused.code, [(need.kind, need.id) for need in refused.needs]) == (
        "not_known",
        [(MARKER, "tobruk"), (CONTENT, "tobruk")],
    )
    table.ok(SetControl("tobruk", None, 0))
    refused = table.send(attack)
    assert refused is not None
    assert [(need.kind, need.id) for need in refused.needs] == [(CONTENT, "tobruk")]
    table.ok(CountSpace("tobruk", {"germany.tank": 1}))
    table.ok(attack)


def test_a_marker_of_the_enemy_alone_makes_an_attack_lawful() -> None:
    table = own_board("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=5, uk_infantry=1)
    table.ok(SetControl("tobruk", "italy", 0))
    table.attack("tobruk", AttackGroup("mersa_matruh", {"uk.infantry": 1}))
    held = own_board("r2.uk.combat_move.declare")
    held.tell("mersa_matruh", supply=5, uk_infantry=1)
    held.ok(SetControl("tobruk", "us", 0))
    no(held, "friendly", "tobruk", "mersa_matruh", uk__infantry=1)


def test_a_neutral_territory_whose_supply_is_not_known_is_asked_about() -> None:
    table = own_board("r2.uk.combat_move.declare")
    table.ok(CountSpace("siwa", {}))
    table.tell("mersa_matruh", supply=3, uk_scout_car=1)
    attack = DeclareAttack(table.step, "siwa", (AttackGroup("mersa_matruh", {"uk.scout_car": 1}),))
    refused = table.send(attack)
    assert refused is not None
    assert [(need.kind, need.id) for need in refused.needs] == [("supply", "siwa")]
    table.ok(CorrectSupply("siwa", 2))
    table.ok(attack)


def test_aircraft_land_where_the_marker_is_known_and_are_never_lost_for_want_of_it() -> None:
    table = Table(printed=FIGURES)
    table.ok(SetControl("cairo", "uk", 0))
    table.jump("r2.uk.noncombat.move")
    table.tell("cairo", supply=1, uk_fighter=1)
    move = MakeMove(table.step, "cairo", "tobruk", {"uk.fighter": 1}, 2)
    refused = table.send(move)
    assert refused is not None
    assert [(need.kind, need.id) for need in refused.needs] == [(MARKER, "tobruk")]
    table.ok(SetControl("tobruk", "uk", 0))
    table.ok(move)
    other = Table(printed=FIGURES)
    other.ok(SetControl("cairo", "uk", 0))
    other.jump("r2.uk.noncombat.move")
    other.tell("tobruk", supply=1, uk_fighter=1)
    refused = other.send(EndAct(other.step, other.now))
    assert refused is not None
    assert [(need.kind, need.id) for need in refused.needs] == [(MARKER, "tobruk")]
    other.ok(SetControl("tobruk", "germany", 0))
    other.no(EndAct(other.step, other.now), "still_open", "Aircraft must land or are lost: Tobruk.")


# N23: submarines and destroyers


def guarded(ship: str, step: str) -> Table:
    """Italian submarine in zone 14; every way to zone 23 leads through ships of the enemy."""
    table = fan(step)
    for zone in ("sz.16", "sz.19", "sz.20", "sz.21", "sz.22"):
        table.tell(zone, **{f"uk_{ship}": 1})
    table.tell("sz.14", italy_submarine=1)
    return table


def test_a_submarine_stops_where_an_enemy_destroyer_is() -> None:
    table = guarded("destroyer", "r2.italy.noncombat.move")
    far = MakeMove(table.step, "sz.14", "sz.23", {"italy.submarine": 1})
    table.no(far, "hunted", "enemy destroyers")
    table.ok(MakeMove(table.step, "sz.14", "sz.21", {"italy.submarine": 1}))
    assert free_moves(table.state, "sz.21", "italy.submarine") == (0,)
    free = guarded("battleship", "r2.italy.noncombat.move")
    free.ok(MakeMove(free.step, "sz.14", "sz.23", {"italy.submarine": 1}))


def test_a_submarine_that_begins_beside_a_destroyer_may_leave_and_owes_no_attack() -> None:
    table = fan("r2.italy.combat_move.move")
    table.tell("sz.14", italy_submarine=1, uk_destroyer=1)
    table.tell("sz.21")
    table.ok(MakeMove(table.step, "sz.14", "sz.21", {"italy.submarine": 1}))
    table.end()
    assert undeclared(table.state) == ()
    stays = fan("r2.italy.combat_move.move", **{"rulings.aana.hunted_sub": "stays"})
    stays.tell("sz.14", italy_submarine=1, uk_destroyer=1)
    stays.tell("sz.21")
    stays.no(MakeMove(stays.step, "sz.14", "sz.21", {"italy.submarine": 1}), "hunted")


# N24: who must attack


def hunt(**options: Any) -> Table:
    table = fan("r2.uk.combat_move.move", **options)
    table.tell("sz.14", italy_submarine=1, uk_submarine=1)
    table.tell("sz.21", uk_destroyer=1)
    table.ok(MakeMove(table.step, "sz.21", "sz.14", {"uk.destroyer": 1}))
    table.end()
    return table


def test_ships_that_moved_to_a_lone_submarine_must_attack_and_all_of_theirs_there_with_them() -> None:
    table = hunt()
    assert undeclared(table.state) == ("sz.14",)
    table.no(EndAct(table.step, table.now), "still_open", "Sea zone 14")
    table.attack("sz.14", AttackGroup("sz.14", {"uk.destroyer": 1}))
    assert undeclared(table.state) == ("sz.14",)
    table.attack("sz.14", AttackGroup("sz.14", {"uk.submarine": 1}))
    assert undeclared(table.state) == ()


def test_only_those_that_moved_must_attack_where_the_table_rules_so() -> None:
    table = hunt(**{"rulings.aana.join_hunt": "moved"})
    table.attack("sz.14", AttackGroup("sz.14", {"uk.destroyer": 1}))
    assert undeclared(table.state) == ()


def test_ships_that_stood_beside_a_submarine_or_transports_may_ignore_them() -> None:
    table = fan("r2.uk.combat_move.move")
    table.tell("sz.14", italy_submarine=1, uk_destroyer=1)
    table.end()
    assert undeclared(table.state) == ()


def test_a_blitzer_that_stopped_after_one_space_must_attack_or_go_on() -> None:
    table = fan("r2.germany.combat_move.move")
    table.tell("benghazi", supply=1)
    table.tell("mersa_brega", supply=2, germany_tank=1)
    table.ok(MakeMove(table.step, "mersa_brega", "benghazi", {"germany.tank": 1}, via="benghazi"))
    table.end()
    assert undeclared(table.state) == ("benghazi",)


# A territory is one side's


def test_no_count_by_hand_puts_land_units_of_both_sides_into_one_territory() -> None:
    table = fan("r2.uk.combat_move.move")
    both = {"uk.infantry": 1, "germany.infantry": 1}
    table.no(CountSpace("mersa_matruh", both), "bad_value")
    table.ok(CountSpace("mersa_matruh", {"uk.infantry": 1, "germany.fighter": 1}))  # a raid from the air
    table.ok(CountSpace("tobruk", {"germany.infantry": 1}))
    table.no(MoveUnits("mersa_matruh", "tobruk", {"uk.infantry": 1}), "bad_value")
    table.ok(CountSpace("tobruk", {}))
    table.ok(MoveUnits("mersa_matruh", "tobruk", {"uk.infantry": 1}))
    table.no(MoveUnits("mersa_matruh", "sz.31", {"uk.infantry": 1}), "bad_value")
    table.no(CountSpace("sz.31", {"uk.truck": 1}), "bad_value")
    table.ok(CountSpace("convoy.tripoli", {"italy.truck": 1, "italy.infantry": 2}))  # a convoy's cargo
    landed = Table(scenario="torch")
    landed.ok(CountSpace("oran", {"us.infantry": 2, "vichy.infantry": 1}))
