"""Acts of combat beyond the examples: raids, aims, pressing, joining, submarines, two-hit ships, captures, convoys."""

from __future__ import annotations

from companion.core.commands import EndAct, Undo
from companion.core.rules import Code
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Cease,
    Conclude,
    DeclareAttack,
    GiveOrders,
    JoinAttack,
    LeaveCombat,
    OpenCombat,
    Press,
    RollFire,
    RollMines,
    TakeLosses,
)
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.ledger import board
from companion.games.aana.rules.ledger_messages import CorrectSupply, MoveUnits
from tests.games.aana.aana_table import Table


def fan(scenario: str = "rommel", **options: object) -> Table:
    return Table(scenario, values="unofficial", **options)


def attacked(
    attackers: dict[str, int], defenders: dict[str, int], *, supply: int = 3, have: int = 5, **options: object
) -> Table:
    """Begin an attack of Germany from Mersa Brega on Benghazi."""
    table = fan(**options)
    table.tell("benghazi", supply=supply, **{k.replace(".", "_"): n for k, n in defenders.items()})
    table.tell("mersa_brega", supply=have, **{k.replace(".", "_"): n for k, n in attackers.items()})
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("mersa_brega", dict(attackers)))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    return table


def test_artillery_raises_as_many_infantry_as_there_are_guns() -> None:
    table = attacked({"germany.infantry": 3, "germany.artillery": 2}, {"uk.infantry": 2})
    table.orders()
    assert sorted(table.needs()) == [(1, 2), (4, 3)]


def test_raids_destroy_supply_before_the_first_dice_only() -> None:
    table = attacked({"germany.scout_car": 1, "germany.bomber": 1}, {"uk.infantry": 1}, supply=3)
    table.no(GiveOrders(table.step, raids=3), "bad_value", "2 tokens may be destroyed; you chose 3.")
    table.orders()
    assert table.ledger.supply["benghazi"] == 0  # one for the defence, one each for scout car and bomber
    spared = attacked({"germany.scout_car": 1}, {"uk.infantry": 1}, supply=3)
    spared.orders(raids=0)
    assert spared.ledger.supply["benghazi"] == 2


def test_scout_cars_leave_after_the_first_round_and_an_attack_of_them_alone_ceases() -> None:
    table = attacked({"germany.scout_car": 2}, {"uk.infantry": 2}, supply=5)
    assert table.ledger.supply["mersa_brega"] == 5
    table.orders()
    table.roll((9, 9))
    table.roll((9, 9))
    assert (table.fight.stage, table.fight.result) == ("over", "ceased")
    table.ok(Conclude(table.step))
    assert table.count("mersa_brega", "germany.scout_car") == 2


def test_aimed_hits_must_fall_on_their_target_unless_the_firer_waives_them() -> None:
    table = attacked({"germany.anti_tank": 2, "germany.infantry": 1}, {"uk.infantry": 2, "uk.matilda": 1})
    table.orders()
    aims = [len(v) for v in table.needs()]
    assert aims
    rolls = [(1, 1) if dice == 2 else (9,) for dice, _need in table.needs()]
    table.roll(*rolls)
    table.no(
        TakeLosses(table.step, {"uk.infantry": 2}),
        "bad_losses",
        "1 aimed hit must fall on this: tanks. You assigned 0.",
    )
    table.lose({"uk.matilda": 1, "uk.infantry": 1})
    other = attacked({"germany.anti_tank": 2}, {"uk.infantry": 2, "uk.matilda": 1})
    other.orders()
    other.roll((1, 1), forced=(0,))
    other.lose({"uk.infantry": 2})
    assert other.count("benghazi", "uk.matilda") == 1


def test_dice_are_checked_against_what_is_rolled() -> None:
    table = attacked({"germany.tank": 2}, {"uk.infantry": 2})
    table.no(
        RollFire(table.step, (VolleyRoll((1, 2)),)), "wrong_stage", "The combat is waiting for this: Orders."
    )
    table.orders()
    table.no(RollFire(table.step, ()), "wrong_dice", "Roll 1 volley; you entered 0.")
    table.no(
        RollFire(table.step, (VolleyRoll((1,)),)),
        "wrong_dice",
        "Roll 2 dice that hit on 5 or less; you entered 1.",
    )
    table.no(RollFire(table.step, (VolleyRoll((1, 11)),)), "wrong_dice", "not 11")
    table.no(RollFire(table.step, (VolleyRoll((1, 2), 1),)), "wrong_dice", "You aimed 1 hit; possible: 0.")


def test_pressing_pays_for_those_who_go_on_by_fives() -> None:
    table = attacked({"germany.infantry": 6}, {"uk.infantry": 3}, have=3)
    assert table.ledger.supply["mersa_brega"] == 1
    table.orders()
    table.roll((9,) * 6)
    table.roll((9,) * 3)
    table.no(Press(table.step), "no_supply", "Mersa Brega has 1 supply; you need 2.")
    table.no(
        Press(table.step, {"germany.infantry@mersa_brega": 6}),
        "bad_value",
        "At least one unit must press on. To break off, cease the attack.",
    )
    table.ok(Press(table.step, {"germany.infantry@mersa_brega": 1}))
    assert table.ledger.supply["mersa_brega"] == 0
    table.orders()
    assert table.needs() == [(5, 2)]
    table.roll((9,) * 5)
    table.roll((9,) * 3)
    table.no(Press(table.step), "no_supply", "has 0 supply; you need 1.")
    table.ok(Cease(table.step))
    table.ok(Conclude(table.step))
    assert table.ledger.control["benghazi"] == "uk"
    assert table.count("benghazi", "uk.infantry") == 3


def test_a_captured_port_opens_its_convoy_route_and_closes_the_enemys() -> None:
    table = attacked({"germany.tank": 3}, {"uk.infantry": 1})
    own = board(table.state)
    assert not own.is_convoy_open("convoy.benghazi", table.ledger.control)
    table.orders()
    table.roll((1, 9, 9))
    table.lose()
    table.roll((9,))
    table.ok(Conclude(table.step))
    assert table.ledger.control["benghazi"] == "germany"
    assert own.is_convoy_open("convoy.benghazi", table.ledger.control)
    assert table.count("benghazi", "germany.tank") == 3
    assert table.ledger.supply["benghazi"] == 2  # what the defence left is the captor's now


def test_reinforcing_an_attack_is_an_optional_rule_without_aim_and_scouts() -> None:
    plain = attacked({"germany.tank": 1}, {"uk.infantry": 2})
    plain.orders()
    plain.roll((9,))
    plain.roll((9, 9))
    group = AttackGroup("tripoli", {"germany.anti_tank": 1})
    plain.no(JoinAttack(plain.step, group), "optional_rule", "optional rule")
    table = fan(reinforce_attacks=True)
    table.tell("benghazi", supply=3, uk_infantry=2, uk_matilda=1)
    table.tell("mersa_brega", supply=5, germany_tank=1, germany_anti_tank=1, germany_scout_car=1)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("mersa_brega", {"germany.tank": 1}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders()
    table.roll((9,))
    table.roll(*[(9,) * dice for dice, _need in table.needs()])
    scouts = AttackGroup("mersa_brega", {"germany.scout_car": 1})
    table.no(JoinAttack(table.step, scouts), "cannot_attack", "Scout Car")
    table.no(
        JoinAttack(table.step, AttackGroup("mersa_brega", {"germany.tank": 1})),
        "not_there",
        "None of these can join: Tank (Germany).",
    )
    table.ok(JoinAttack(table.step, AttackGroup("mersa_brega", {"germany.anti_tank": 1})))
    table.ok(Press(table.step))
    table.orders()
    from companion.games.aana.rules.fight_dice import expected_volleys
    from companion.games.aana.rules.ledger import figures

    assert {volley.aim for volley in expected_volleys(figures(table.state), table.fight)} == {""}


def test_aaa_alone_is_swept_away_and_planes_capture_nothing() -> None:
    table = fan()
    table.tell("benghazi", supply=3, uk_aaa=1)
    table.tell("el_agheila", supply=3, germany_fighter=2)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("el_agheila", {"germany.fighter": 2}))
    assert table.ledger.supply["el_agheila"] == 3
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    assert table.needs() == [(2, 2)]
    table.roll((2, 3))
    table.lose()
    assert (table.fight.stage, table.fight.result) == ("over", "attacker")
    table.ok(Conclude(table.step))
    assert table.count("benghazi", "uk.aaa") == 0
    assert table.count("benghazi", "germany.fighter") == 1, "it flies home in phase 5"
    assert table.ledger.control["benghazi"] == "uk"


def sea(**options: object) -> Table:
    table = fan(**options)
    table.tell("sz.16", uk_battleship=1, uk_submarine=1, italy_submarine=2, italy_destroyer=1)
    table.jump("r2.italy.combat_move.declare")
    attack = table.attack("sz.16", AttackGroup("sz.16", {"italy.submarine": 2, "italy.destroyer": 1}))
    table.jump("r2.italy.combat.resolve")
    table.open(attack)
    return table


def test_a_battleship_is_marked_first_and_enters_damaged() -> None:
    table = sea()
    table.orders()
    table.roll((1, 9))
    table.lose({"uk.battleship": 1})
    assert table.ledger.units["sz.16"].get("uk.battleship.damaged") == 1
    assert "uk.battleship" not in table.ledger.units["sz.16"]
    damaged = fan()
    damaged.ok(MoveUnits("sz.31", "pool", {"uk.battleship": 1}))
    damaged.tell("sz.16", italy_submarine=1, italy_destroyer=1)
    from companion.games.aana.rules.ledger_messages import CountSpace

    damaged.ok(CountSpace("sz.16", {"uk.battleship.damaged": 1, "italy.submarine": 1}))
    damaged.jump("r2.italy.combat_move.declare")
    attack = damaged.attack("sz.16", AttackGroup("sz.16", {"italy.submarine": 1}))
    damaged.jump("r2.italy.combat.resolve")
    damaged.open(attack)
    damaged.orders()
    damaged.roll((1,))
    damaged.lose()
    assert (damaged.fight.stage, damaged.fight.result) == ("over", "attacker")
    assert damaged.ledger.units["sz.16"] == {"italy.submarine": 1}


def test_submarines_that_submerge_take_no_further_part() -> None:
    table = sea()
    table.orders(submerge_attack=2)
    assert sum(table.fight.a_out) == 2
    # The destroyer attacks alone; the defending submarine faces it and fires with the rest.
    assert table.fight.stage == "attack"
    assert table.needs() == [(1, 4)]


def test_a_combat_that_is_being_fought_holds_the_phase_back() -> None:
    table = sea()
    table.no(EndAct(table.step, table.now), Code.STILL_OPEN, "Sea zone 16 is not over.")


def test_as_many_submarines_submerge_as_are_told_to_whosever_they_are() -> None:
    table = fan()
    table.tell("sz.16", uk_battleship=1, italy_submarine=1, germany_submarine=1)
    table.jump("r2.uk.combat_move.declare")
    attack = table.attack("sz.16", AttackGroup("sz.16", {"uk.battleship": 1}))
    table.jump("r2.uk.combat.resolve")
    table.open(attack)
    fight = table.orders(submerge_defence=1)
    assert (sum(fight.d), sum(fight.d_out)) == (1, 1)


def test_submarines_facing_a_destroyer_fire_with_the_rest() -> None:
    table = fan()
    table.tell("sz.16", uk_destroyer=1, italy_submarine=1)
    table.jump("r2.italy.combat_move.declare")
    attack = table.attack("sz.16", AttackGroup("sz.16", {"italy.submarine": 1}))
    table.jump("r2.italy.combat.resolve")
    table.open(attack)
    assert table.fight.stage == "attack"
    table.roll((9,))
    table.roll((9,))
    assert table.fight.stage == "press"
    table.ok(Press(table.step))


def test_convoy_hits_are_checked_bay_by_bay() -> None:
    table = fan()
    table.tell("convoy.tripoli", italy_infantry=3, uk_submarine=1)
    table.ok(CorrectSupply("convoy.tripoli", 7, "germany"))
    table.jump("r3.uk.combat_move.declare")
    attack = table.attack("convoy.tripoli", AttackGroup("convoy.tripoli", {"uk.submarine": 1}))
    table.jump("r3.uk.combat.resolve")
    table.open(attack)
    table.orders()
    table.roll((1,))
    table.no(
        TakeLosses(table.step, cargo={"italy.infantry": 1}),
        "bad_losses",
        "2 bays must be lost: two for each hit.",
    )
    table.no(TakeLosses(table.step, cargo={"italy.infantry": 9}), "bad_value", "more reinforcements")
    table.lose(cargo={"italy.infantry": 1, "germany.supply": 5})
    assert table.ledger.supply["convoy.tripoli@germany"] == 2
    table.no(
        LeaveCombat(table.step, escape={"italy.infantry": 2, "germany.supply": 2}),
        "bad_escape",
        "One transport escapes, with 2 bays at most.",
    )
    table.ok(LeaveCombat(table.step, escape={"italy.infantry": 2}))
    assert table.fight.cargo.tokens == 2


def test_land_mines_turn_units_back_and_cancel_an_attack() -> None:
    table = fan()
    table.tell("mersa_matruh", supply=2, germany_tank=2)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("cairo", AttackGroup("mersa_matruh", {"germany.tank": 2}))
    step, dice = table.step, (1, 2, 9)
    table.no(RollMines(step, "cairo", "siwa", 1, dice, attack), "no_mines", "0 mines there")
    table.no(RollMines(step, "cairo", "mersa_matruh", 1, (1, 2), attack), "wrong_dice", "3 ten-sided dice")
    table.no(
        RollMines(step, "cairo", "mersa_matruh", 1, dice, attack, {"germany.tank": 3}),
        "bad_losses",
        "2 hits to assign; you assigned 3.",
    )
    table.no(
        RollMines(step, "cairo", "mersa_matruh", 1, dice, attack, {"germany.tank": 1}),
        "bad_losses",
        "2 units must turn back; you chose 1.",
    )
    table.ok(RollMines(step, "cairo", "mersa_matruh", 1, dice, attack, {"germany.tank": 2}))
    assert table.ledger.mines["cairo>mersa_matruh"] == 2
    assert table.state.game["battle"].attacks[0].result == "mined"
    assert table.count("mersa_matruh", "germany.tank") == 2
    table.no(Undo(table.now), "confirm_undo")
    table.ok(Undo(table.now, confirmed=True))
    assert table.ledger.mines["cairo>mersa_matruh"] == 3


def test_sea_mines_sink_ships_and_damage_battleships() -> None:
    table = fan()
    table.jump("r2.uk.noncombat.move")
    table.ok(MoveUnits("sz.31", "sz.10", {"uk.battleship": 1, "uk.destroyer": 1}))
    table.no(RollMines(table.step, "sz.3", "uk", 1, (1,)), "own_mines", "enemy turns")
    table.ok(RollMines(table.step, "sz.10", "italy", 1, (3,), None, {"uk.battleship": 1}))
    assert table.ledger.units["sz.10"] == {"uk.battleship.damaged": 1, "uk.destroyer": 1}
    assert "sz.10@italy" not in table.ledger.mines


def test_attacks_that_are_no_attacks() -> None:
    table = fan()
    table.tell("cairo", supply=9, uk_infantry=2, uk_aaa=1, uk_truck=1, uk_fighter=1)
    table.jump("r2.uk.combat_move.move")
    group = AttackGroup("cairo", {"uk.infantry": 1})
    table.no(
        DeclareAttack(table.step, "siwa", (group,)),
        "wrong_phase",
        "Finish all combat moves before you declare attacks.",
    )
    table.jump("r2.uk.combat_move.declare")
    step = table.step
    table.no(
        DeclareAttack(step, "atlantis", (group,)),
        "unknown_space",
        "Atlantis is not on the board yet. Add it by its name first.",
    )
    table.no(DeclareAttack(step, "siwa", ()), "bad_value", "needs units")
    table.no(
        DeclareAttack(step, "siwa", (AttackGroup("cairo", {"uk.aaa": 1}),)), "cannot_attack", "never attacks"
    )
    table.no(DeclareAttack(step, "siwa", (AttackGroup("cairo", {"uk.truck": 1}),)), "cannot_attack", "Truck")
    table.no(
        DeclareAttack(step, "siwa", (AttackGroup("cairo", {"germany.tank": 1}),)),
        "not_your_turn",
        "1 Tank (Germany) cannot act in this turn (United Kingdom).",
    )
    table.no(DeclareAttack(step, "sz.11", (group,)), "cannot_attack", "goes to sea only by convoy")
    table.no(DeclareAttack(step, "cairo", (group,)), "wrong_place", "adjacent territory")
    table.no(
        DeclareAttack(step, "siwa", (AttackGroup("cairo", {"uk.infantry": 3}),)),
        "not_there",
        "Cairo: only 2 Infantry (United Kingdom) can attack; you chose 3.",
    )
    table.tell("el_agheila", supply=1)
    table.tell("mersa_brega", supply=9, uk_infantry=2)
    attack = table.attack("el_agheila", AttackGroup("mersa_brega", {"uk.infantry": 1}))
    assert table.ledger.supply["mersa_brega"] == 9
    table.jump("r2.uk.combat.resolve")
    table.no(
        EndAct(table.step, table.now), "still_open", "These attacks have not been fought yet: El Agheila."
    )
    table.no(OpenCombat(table.step, 99), "no_attack", "99")
    table.open(attack)
    assert table.fight.result == "attacker"
    table.no(OpenCombat(table.step, attack), "fighting", "El Agheila first")
    table.ok(Conclude(table.step))
    assert table.count("el_agheila", "uk.infantry") == 1


def test_the_strategic_reserve_pays_for_air_and_sea() -> None:
    table = fan(reserve=True)
    assert table.ledger.supply["italy"] == 4
    table.tell("el_agheila", supply=3, germany_fighter=2)
    table.tell("benghazi", supply=3, uk_infantry=1)
    table.jump("r2.germany.combat_move.declare")
    table.attack("benghazi", AttackGroup("el_agheila", {"germany.fighter": 2}))
    assert table.ledger.supply["italy"] == 3


def test_equal_directions_ask_for_the_main_attack() -> None:
    table = fan()
    table.tell("benghazi", supply=3, uk_infantry=1)
    table.tell("mersa_brega", supply=3, germany_tank=1)
    table.tell("bir_hacheim", supply=3, germany_tank=1)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "benghazi",
        AttackGroup("mersa_brega", {"germany.tank": 1}),
        AttackGroup("bir_hacheim", {"germany.tank": 1}),
    )
    table.jump("r2.germany.combat.resolve")
    table.no(
        OpenCombat(table.step, attack),
        "name_main",
        "Choose the main attack: Bir Hacheim and Mersa Brega are equally strong.",
    )
    table.open(attack, main_origin="bir_hacheim")
    table.orders()
    table.no(
        RollFire(table.step, (VolleyRoll((8,)), VolleyRoll((8,)))),
        "wrong_dice",
        "Reroll every 8 and above in this volley, then enter the final results.",
    )


def unpaid_landing(ruling: str) -> Table:
    table = Table("torch", values="unofficial", **{"rulings.aana.landing_unpaid": ruling})
    table.jump("r7.us.combat_move.declare")
    table.ok(CorrectSupply("casablanca@landing", 0))
    table.jump("r7.us.combat.resolve")
    table.open(table.state.game["battle"].attacks[0].id)
    table.orders()
    table.roll((9,) * 5)
    table.roll((1, 9))
    table.lose()
    assert table.fight.stage == "press"
    return table


def test_a_landing_without_supply_is_pressed_unpaid() -> None:
    table = unpaid_landing("pressed")
    table.no(Cease(table.step), "must_press", "until one side is gone")
    table.ok(Press(table.step))
    assert table.fight.round_no == 2


def test_a_landing_without_supply_ceases_where_the_table_rules_so() -> None:
    table = unpaid_landing("ceases")
    table.no(Press(table.step), "no_supply", "has 0 supply; you need 1.")
    table.ok(Cease(table.step))
    table.ok(Conclude(table.step))
    assert table.ledger.control["casablanca"] == "vichy"
