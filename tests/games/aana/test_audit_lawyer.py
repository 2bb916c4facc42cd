"""Odd situations, tried as somebody would who has read the rulebook alone."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import EndAct, EnterPrintedValue, SetRuling
from companion.core.rules import Rejected
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Conclude,
    DeclareAttack,
    LeaveCombat,
    OpenCombat,
)
from companion.games.aana.rules.conditions import CONTENT, MARKER
from companion.games.aana.rules.declare import undeclared
from companion.games.aana.rules.ledger_messages import CorrectSupply, CountSpace, MoveUnits, SetMines
from companion.games.aana.rules.movement import free_moves
from companion.games.aana.rules.reinforce_messages import (
    AdvanceConvoys,
    Deploy,
    LayLandMine,
    LaySeaMine,
    LoseUndeployed,
    Requisition,
    SkipMalta,
)
from companion.games.aana.rules.victory import SetControl
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table


def fan(step: str, scenario: str = "rommel", **options: Any) -> Table:
    table = Table(scenario, values="unofficial", **options)
    table.jump(step)
    return table


def needs(answer: Rejected | None) -> list[tuple[str, str]]:
    assert answer is not None
    return [(need.kind, need.id) for need in answer.needs]


# Phase 3


def test_a_second_declaration_on_a_space_joins_the_first_and_pays_for_both_by_fives() -> None:
    table = fan("r2.germany.combat_move.declare")
    table.tell("benghazi", supply=3, uk_infantry=2)
    table.tell("mersa_brega", supply=5, germany_infantry=6)
    table.tell("bir_hacheim", supply=5, germany_tank=1)
    table.attack("benghazi", AttackGroup("mersa_brega", {"germany.infantry": 4}))
    assert table.ledger.supply["mersa_brega"] == 4
    table.attack("benghazi", AttackGroup("mersa_brega", {"germany.infantry": 1}))
    assert table.ledger.supply["mersa_brega"] == 4, "five units cost one token"
    table.attack("benghazi", AttackGroup("mersa_brega", {"germany.infantry": 1}))
    assert table.ledger.supply["mersa_brega"] == 3
    table.attack("benghazi", AttackGroup("bir_hacheim", {"germany.tank": 1}))
    (attack,) = table.state.game["battle"].attacks
    assert [(group.origin, sum(group.units.values())) for group in attack.groups] == [
        ("mersa_brega", 6),
        ("bir_hacheim", 1),
    ]
    assert attack.paid == 3


def test_trucks_and_guns_never_move_in_phase_3() -> None:
    table = fan("r2.uk.combat_move.move")
    table.tell("cairo", supply=1, uk_truck=1, uk_aaa=1, uk_infantry=1)
    for piece in ("uk.truck", "uk.aaa", "uk.infantry"):
        table.no(MakeMove(table.step, "cairo", "mersa_matruh", {piece: 1}), "too_far")


def test_aircraft_and_ships_stay_out_of_the_desert_and_off_the_land() -> None:
    table = fan("r2.uk.combat_move.move")
    table.tell("jalo", supply=1, uk_fighter=1)
    table.tell("desert_i", italy_scout_car=1)
    table.tell("sz.31", uk_destroyer=1)
    table.no(MakeMove(table.step, "jalo", "desert_i", {"uk.fighter": 1}), "sahara")
    table.no(MakeMove(table.step, "sz.31", "cairo", {"uk.destroyer": 1}), "wrong_place", "stays at sea")


def test_a_tank_blitzes_no_territory_with_an_emblem_nor_one_that_nobody_told() -> None:
    table = Table(printed={"unit.germany.tank.move": 2})
    table.jump("r2.germany.combat_move.move")
    table.tell("sicily", supply=0, germany_tank=1)
    table.no(MakeMove(table.step, "sicily", "malta", {"germany.tank": 1}, 1, via="malta"), "wrong_place")
    table.tell("el_agheila", supply=1, germany_tank=1)
    table.ok(SetControl("benghazi", "uk"))
    blitz = MakeMove(table.step, "el_agheila", "benghazi", {"germany.tank": 1}, 1, via="benghazi")
    assert needs(table.send(blitz)) == [(CONTENT, "benghazi")]
    table.ok(CountSpace("benghazi", {}))
    table.ok(blitz)
    assert table.ledger.control["benghazi"] == "germany"


def test_ships_in_a_hostile_zone_attack_or_leave_it() -> None:
    table = fan("r2.uk.combat_move.move")
    table.tell("sz.31", uk_destroyer=2, italy_destroyer=1)
    table.tell("sz.30")
    table.ok(MakeMove(table.step, "sz.31", "sz.30", {"uk.destroyer": 1}))
    table.end()
    assert undeclared(table.state) == ("sz.31",), "who left owes nothing, who stayed attacks"


def test_a_ship_passes_submarines_and_transports_and_stops_before_warships() -> None:
    table = fan("r2.uk.noncombat.move")
    table.tell("sz.31", uk_destroyer=1)
    table.tell("sz.30", italy_submarine=1)
    table.tell("sz.28")
    table.ok(MakeMove(table.step, "sz.31", "sz.28", {"uk.destroyer": 1}))


def test_a_fighter_may_not_fly_out_of_reach_of_a_landing() -> None:
    table = fan("r2.germany.combat_move.move")
    table.tell("tripoli", supply=1, germany_fighter=1)
    table.tell("tobruk", supply=1, uk_infantry=1)
    refused = table.send(MakeMove(table.step, "tripoli", "tobruk", {"germany.fighter": 1}))
    assert refused is not None
    assert refused.code in ("no_landing", "too_far")


def test_a_landing_force_of_round_7_does_nothing_else() -> None:
    table = fan("r7.uk.combat_move.move", "torch")
    table.no(
        MakeMove(table.step, "algiers", "constantine", {"uk.infantry": 1}), "wrong_place", "landing force"
    )


def test_vichy_french_are_no_part_of_an_attack_by_germany() -> None:
    table = fan("r9.germany.combat_move.declare", "torch")
    table.tell("algiers", supply=3, vichy_infantry=1)
    table.tell("constantine", supply=1, us_infantry=1)
    table.no(
        DeclareAttack(table.step, "constantine", (AttackGroup("algiers", {"vichy.infantry": 1}),)),
        "cannot_attack",
        "Vichy French units never attack.",
    )


def test_supply_of_a_neutral_territory_next_to_it_pays_and_that_of_the_enemy_does_not() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("mersa_brega", supply=0, uk_infantry=1)
    table.tell("el_agheila", supply=3, germany_infantry=1)
    table.tell("jalo", supply=2)
    attack = DeclareAttack(
        table.step, "el_agheila", (AttackGroup("mersa_brega", {"uk.infantry": 1}, "el_agheila"),)
    )
    table.no(attack, "enemy_supply")
    table.ok(
        DeclareAttack(table.step, "el_agheila", (AttackGroup("mersa_brega", {"uk.infantry": 1}, "jalo"),))
    )
    assert table.ledger.supply["jalo"] == 1


def test_supply_of_a_territory_whose_holder_nobody_told_is_asked_about() -> None:
    table = Table()
    table.jump("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=0, uk_infantry=1)
    table.tell("siwa", supply=0, germany_infantry=1)
    table.ok(CorrectSupply("tobruk", 2))
    attack = DeclareAttack(table.step, "siwa", (AttackGroup("mersa_matruh", {"uk.infantry": 1}, "tobruk"),))
    assert needs(table.send(attack)) == [(MARKER, "tobruk")]
    table.ok(SetControl("tobruk", "uk"))
    table.ok(attack)


# Phase 4


def fought(**options: Any) -> Table:
    """UK infantry in Siwa, without supply, is attacked where nobody told who holds Tobruk."""
    table = Table(
        printed={
            "unit.germany.infantry.attack": 2,
            "unit.germany.infantry.defence": 3,
        },
        **options,
    )
    table.jump("r2.germany.combat_move.declare")
    table.tell("siwa", supply=0, uk_infantry=2)
    table.tell("mersa_matruh", supply=4, germany_infantry=1)
    attack = table.attack("siwa", AttackGroup("mersa_matruh", {"germany.infantry": 1}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=False)
    table.roll((9,))
    return table


def test_a_retreat_to_a_territory_whose_holder_nobody_told_asks_for_it() -> None:
    table = fought()
    leave = LeaveCombat(table.step, {"tobruk": {"uk.infantry": 2}})
    assert needs(table.send(leave)) == [(MARKER, "tobruk")]
    table.ok(SetControl("tobruk", "italy"))
    table.no(leave, "no_retreat")
    other = fought()
    other.ok(SetControl("tobruk", None))
    other.ok(LeaveCombat(other.step, {"tobruk": {"uk.infantry": 2}}))
    assert other.count("tobruk", "uk.infantry") == 2


def test_who_defends_a_space_that_nobody_told_is_asked_when_the_combat_begins() -> None:
    table = Table()
    table.jump("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=5, uk_infantry=1)
    table.ok(SetControl("tobruk", "italy"))
    attack = table.attack("tobruk", AttackGroup("mersa_matruh", {"uk.infantry": 1}))
    table.jump("r2.uk.combat.resolve")
    assert needs(table.send(OpenCombat(table.step, attack))) == [(CONTENT, "tobruk")]


def test_trucks_never_defend_and_ships_never_on_land() -> None:
    table = fan("r2.germany.combat_move.declare")
    table.tell("benghazi", supply=3, uk_infantry=1)
    table.tell("mersa_brega", supply=5, germany_tank=1)
    attack = table.attack("benghazi", AttackGroup("mersa_brega", {"germany.tank": 1}))
    table.jump("r2.germany.combat.resolve")
    table.no(OpenCombat(table.step, attack, {"uk.truck": 1}), "unknown_piece", "Truck")
    table.no(OpenCombat(table.step, attack, {"uk.destroyer": 1}), "cannot_attack", "stays at sea")


def test_scout_cars_destroy_the_supply_of_a_neutral_territory_and_stay_where_they_were() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.tell("siwa", supply=2)
    table.tell("mersa_matruh", supply=3, uk_scout_car=2)
    attack = table.attack("siwa", AttackGroup("mersa_matruh", {"uk.scout_car": 2}))
    table.jump("r2.uk.combat.resolve")
    table.open(attack)
    assert (table.fight.stage, table.fight.result) == ("over", "attacker")
    table.ok(Conclude(table.step, raids=1))
    assert table.ledger.supply["siwa"] == 1
    assert table.count("mersa_matruh", "uk.scout_car") == 2
    table.jump("r2.uk.noncombat.move")
    assert free_moves(table.state, "mersa_matruh", "uk.scout_car") == (3, 3), "four, less one for the attack"


def test_aircraft_without_a_landing_are_lost_when_phase_5_ends() -> None:
    table = fan("r2.germany.noncombat.move")
    table.tell("benghazi", supply=1, germany_fighter=1)
    table.no(EndAct(table.step, table.now), "still_open", "Aircraft must land or are lost: Benghazi.")
    table.end(confirmed=True)
    assert table.count("benghazi", "germany.fighter") == 0


# Phases 1, 2 and 6


def test_a_convoy_to_a_port_whose_holder_nobody_told_waits_for_it() -> None:
    table = Table()
    table.tell("convoy.benghazi", italy_infantry=1)
    table.jump("r2.italy.convoys.advance")
    advance = AdvanceConvoys(table.step)
    assert needs(table.send(advance)) == [(MARKER, "benghazi")]
    table.ok(SetControl("benghazi", "italy"))
    table.ok(advance)
    assert table.count("benghazi", "italy.infantry") == 1


def test_reinforcements_are_not_lost_for_want_of_a_marker() -> None:
    table = Table("torch")
    table.jump("r8.us.deploy.place")
    table.ok(MoveUnits("pool", "reinforcements", {"us.infantry": 1}))
    table.no(LoseUndeployed(table.step), "nothing_to_lose")
    deploy = Deploy(table.step, "us", "infantry", 1, "convoy.oran")
    assert needs(table.send(deploy)) == [(MARKER, "oran")]
    table.ok(SetControl("oran", "us"))
    table.ok(deploy)
    for port in ("casablanca", "oran", "algiers"):
        table.ok(SetControl(port, "vichy"))
    table.ok(MoveUnits("pool", "reinforcements", {"us.infantry": 1}))
    table.ok(LoseUndeployed(table.step))


def test_free_french_are_raised_where_an_ally_is_known_to_hold_oran() -> None:
    table = Table("torch", printed={"base.us": 20, "unit.france.infantry.cost": 3})
    table.jump("r8.us.requisition.buy")
    raise_ = Requisition(table.step, "free_french", "infantry", 1)
    assert needs(table.send(raise_)) == [(MARKER, "oran")]
    table.ok(SetControl("oran", "vichy"))
    table.no(raise_, "no_requisition", "An Allied power must control Oran first.")
    table.ok(SetControl("oran", "us"))
    assert table.send(raise_) is None


def test_mines_are_laid_where_it_is_known_who_is_there() -> None:
    table = Table(printed={"base.uk": 20})
    table.jump("r2.uk.requisition.buy")
    table.ok(SkipMalta(table.step))
    sea = LaySeaMine(table.step, "sz.14")
    assert needs(table.send(sea)) == [(CONTENT, "sz.14")]
    table.ok(CountSpace("sz.14", {"italy.destroyer": 1}))
    table.no(sea, "enemy_there")
    table.ok(CountSpace("sz.14", {}))
    table.ok(sea)
    land = LayLandMine(table.step, "tobruk", "mersa_matruh")
    assert needs(table.send(land)) == [(MARKER, "tobruk"), (CONTENT, "tobruk")]
    table.ok(SetControl("tobruk", "uk"))
    table.ok(land)


@pytest.mark.parametrize(
    ("values", "toward", "touches"),
    [
        ("unofficial", "mersa_matruh", True),
        ("unofficial", "tripoli", False),
        ("unofficial", "malta", False),
        ("rulebook", "tripoli", True),
        ("rulebook", "crete", False),
    ],
)
def test_a_land_mine_faces_a_territory_that_touches_as_far_as_borders_are_known(
    values: str, toward: str, touches: bool
) -> None:
    table = Table(values=values, printed={"base.uk": 20} if values == "rulebook" else {})
    table.jump("r2.uk.requisition.buy")
    table.ok(SkipMalta(table.step))
    table.tell("cairo", supply=1, uk_infantry=1)
    laid = LayLandMine(table.step, "cairo", toward)
    if touches:
        table.ok(laid)
    else:
        table.no(laid, "not_adjacent", "do not touch")


def test_a_power_without_a_turn_buys_nothing_and_us_aircraft_wait_for_round_8() -> None:
    table = fan("r7.us.requisition.buy", "torch")
    table.no(Requisition(table.step, "us", "fighter", 1), "no_requisition", "No US aircraft in round 7.")
    table.no(Requisition(table.step, "uk", "infantry", 1), "not_your_turn")
    table.no(Requisition(table.step, "uk", "sherman", 1), "not_your_turn")


def test_only_guns_go_to_malta_by_convoy() -> None:
    table = fan("r2.uk.deploy.place")
    table.ok(MoveUnits("pool", "reinforcements", {"uk.infantry": 1, "uk.aaa": 1}))
    table.no(Deploy(table.step, "uk", "infantry", 1, "convoy.malta"), "wrong_place")
    table.ok(Deploy(table.step, "uk", "aaa", 1, "convoy.malta"))


def test_mines_go_off_in_enemy_turns_alone() -> None:
    table = fan("r2.uk.combat_move.declare")
    table.ok(SetMines("cairo", "mersa_matruh", 1))
    from companion.games.aana.rules.battle_messages import RollMines

    table.no(RollMines(table.step, "cairo", "mersa_matruh", 1, (9, 9, 9)), "own_mines")


# Rulings and old games


def test_a_ruling_changed_in_the_middle_holds_from_then_on_and_is_in_the_journal() -> None:
    table = fan("r2.italy.combat_move.move")
    table.tell("sz.14", italy_submarine=1, uk_destroyer=1)
    table.tell("sz.21")
    move = MakeMove(table.step, "sz.14", "sz.21", {"italy.submarine": 1})
    table.ok(SetRuling("aana.hunted_sub", "stays"))
    table.no(move, "hunted")
    table.ok(SetRuling("aana.hunted_sub", "leaves"))
    table.ok(move)
    told = [entry.command for entry in table.line.entries if isinstance(entry.command, SetRuling)]
    assert [command.value for command in told] == ["stays", "leaves"]


def test_no_correction_puts_ships_on_land_or_a_marker_of_the_free_french() -> None:
    """Sea Zones: warships never enter territories. The Free French are the United States' and have no markers of their own."""
    table = Table()
    table.jump("r2.uk.noncombat.move")
    table.no(CountSpace("tobruk", {"uk.destroyer": 1}, 0), "bad_value", "Ships are never on land")
    table.ok(CountSpace("sz.31", {"uk.destroyer": 1}))
    table.no(MoveUnits("sz.31", "cairo", {"uk.destroyer": 1}), "bad_value", "Ships are never on land")
    table.no(SetControl("oran", "free_french"), "bad_value")
    table.ok(SetControl("oran", "us"))


@pytest.mark.parametrize(
    ("key", "value"),
    [("space." + "a" * 25, "A"), ("space.zz", "   "), ("limit.tobruk", 9999), ("rp.tobruk", 10**6)],
)
def test_figures_and_names_that_no_board_shows_are_refused(key: str, value: object) -> None:
    table = Table()
    assert table.send(EnterPrintedValue(key, value)) is not None


@pytest.mark.parametrize("count", [{"units": {"germany.infantry": 10**15}}, {"units": {}, "supply": 10**15}])
def test_no_space_holds_more_than_a_box(count: dict[str, Any]) -> None:
    assert Table(values="unofficial").send(CountSpace("benghazi", **count)) is not None


def test_nobody_has_flown_fewer_spaces_than_none() -> None:
    table = Table(values="unofficial")
    table.tell("tripoli", germany_fighter=1)
    table.jump("r2.germany.combat_move.declare")
    made = DeclareAttack(table.step, "benghazi", (AttackGroup("tripoli", {"germany.fighter": 1}, spaces=-1),))
    refused = table.send(made)
    assert refused is not None
    assert "0 or more, not -1" in str(refused.detail)
