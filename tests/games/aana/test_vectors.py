"""The rulebook's worked examples (vectors C), played through commands."""

from __future__ import annotations

import pytest

from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Cease,
    Conclude,
    DeclareAttack,
    GiveOrders,
    LeaveCombat,
    Press,
    TakeLosses,
)
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat_close import refuges
from companion.games.aana.rules.reinforce_messages import Requisition, income, points_left
from companion.games.aana.rules.victory import SetControl
from tests.games.aana.aana_table import Table, loaded

FIGURES = {
    "unit.germany.infantry.attack": 2,
    "unit.germany.infantry.defence": 3,
    "unit.germany.tank.attack": 5,
    "unit.germany.tank.defence": 4,
    "unit.us.infantry.attack": 2,
    "unit.us.infantry.defence": 3,
    "unit.france.infantry.attack": 2,
    "unit.france.infantry.defence": 3,
}


def fan(scenario: str = "rommel", **options: object) -> Table:
    return Table(scenario, values="unofficial", **options)


def test_n04_a_lone_infantry_burns_one_supply_each_round_it_defends() -> None:
    table = fan()
    table.tell("tobruk", supply=3, uk_infantry=1)
    table.tell("benghazi", supply=9, germany_tank=3)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("tobruk", AttackGroup("benghazi", {"germany.tank": 3}))
    assert table.ledger.supply["benghazi"] == 8
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=True)
    assert table.ledger.supply["tobruk"] == 2
    assert table.needs() == [(3, 5)]
    table.roll((6, 7, 8))
    assert table.needs() == [(1, 3)]
    table.roll((8,))  # Tobruk's defence bonus would reroll 9 and 10
    assert table.fight.stage == "press"
    table.ok(Press(table.step))
    assert table.ledger.supply["benghazi"] == 7
    table.orders(fight=True)
    assert table.ledger.supply["tobruk"] == 1


def test_the_tobruk_bonus_rerolls_nines_and_tens() -> None:
    table = fan()
    table.tell("tobruk", supply=3, uk_infantry=1)
    table.tell("benghazi", supply=9, germany_tank=1)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("tobruk", AttackGroup("benghazi", {"germany.tank": 1}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=True)
    table.roll((9,))
    from companion.games.aana.rules.battle_messages import RollFire
    from companion.games.aana.rules.fight import VolleyRoll

    table.no(
        RollFire(table.step, (VolleyRoll((9,)),)),
        "wrong_dice",
        "Reroll every 9 and above in this volley, then enter the final results.",
    )


def el_oued(supply: int) -> Table:
    table = fan("torch")
    table.jump("r8.us.convoys.advance")
    table.tell("el_oued", supply=supply, us_infantry=3, free_french_infantry=2)
    table.tell("mareth", supply=9, germany_tank=3)
    table.tell("laghouat", supply=0)
    table.tell("kasserine", supply=0, us_infantry=1)
    table.jump("r9.germany.combat_move.declare")
    attack = table.attack("el_oued", AttackGroup("mareth", {"germany.tank": 3}))
    table.jump("r9.germany.combat.resolve")
    table.open(attack)
    return table


def test_n06_without_supply_the_americans_leave_and_the_free_french_choose() -> None:
    table = el_oued(supply=1)
    table.orders(fight=True)
    table.roll((6, 6, 6))
    table.roll((5, 5, 5, 5, 5))
    table.ok(Press(table.step))
    table.no(GiveOrders(table.step, fight=True), "no_supply", "El Oued has 0 supply")
    table.orders(fight=False, exempt_fight=True)
    assert sum(table.fight.retreating) == 3
    table.roll((1, 6, 6))
    table.lose({"us.infantry": 1})  # the retreating units are still targets
    assert table.needs() == [(2, 3)]
    table.roll((9, 9))
    assert table.fight.stage == "leave"
    table.ok(LeaveCombat(table.step, {"kasserine": {"us.infantry": 1}, "laghouat": {"us.infantry": 1}}))
    assert table.count("kasserine", "us.infantry") == 2
    assert table.count("laghouat", "us.infantry") == 1
    assert table.fight.stage == "press"


def test_n06_the_free_french_may_leave_too() -> None:
    table = el_oued(supply=0)
    table.orders(fight=False)
    assert sum(table.fight.retreating) == 5
    table.roll((9, 9, 9))
    table.ok(LeaveCombat(table.step, {"laghouat": {"us.infantry": 3, "free_french.infantry": 2}}))
    assert (table.fight.stage, table.fight.result, table.fight.leaves) == ("over", "attacker", "retreat")
    table.ok(Conclude(table.step))
    assert table.count("el_oued", "germany.tank") == 3


def test_n07_as_many_hits_as_possible_are_assigned() -> None:
    table = fan()
    table.tell("sz.11", uk_battleship=1, uk_fighter=1, italy_destroyer=1, italy_submarine=2)
    table.jump("r2.italy.combat_move.declare")
    attack = table.attack("sz.11", AttackGroup("sz.11", {"italy.destroyer": 1, "italy.submarine": 2}))
    table.jump("r2.italy.combat.resolve")
    table.open(attack)
    # No destroyer defends, so the submarines strike first; here they fire with the rest for the example's sake.
    table.orders(fight=True)
    assert table.fight.stage == "strike_attack"
    table.roll((1, 1))
    assert table.lose().stage == "attack"
    assert table.count("sz.11", "uk.battleship") == 0
    table.roll((1,))
    assert table.fight.stage == "losses"
    table.lose()
    assert table.count("sz.11", "uk.fighter") == 0


def test_n07_one_volley_of_each_reach() -> None:
    from companion.games.aana.rules.casualties import Hits, LossPolicy, after_hits
    from companion.games.aana.rules.combat import DEFENDER, Kind, Rules, arena_of
    from companion.games.aana.rules.ledger import figures

    book = figures(fan().state)
    arena, _, at = arena_of(book, Rules(domain="sea"), (), (Kind("battleship", "uk"), Kind("fighter", "uk")))
    before = [0] * len(arena.defenders)
    before[at[Kind("battleship", "uk")]] = before[at[Kind("fighter", "uk")]] = 1
    left, unpaid, _ = after_hits(
        arena, DEFENDER, tuple(before), Hits(any=1, no_air=2), policy=LossPolicy(), firing=LossPolicy()
    )
    assert (sum(left), unpaid) == (0, 0)


def test_n10_two_tokens_and_a_tank_escape_and_the_scout_car_is_left() -> None:
    table = fan()
    table.tell("convoy.tripoli", italy_infantry=2, italy_tank=2, germany_scout_car=1, uk_submarine=2)
    from companion.games.aana.rules.ledger_messages import CorrectSupply

    table.ok(CorrectSupply("convoy.tripoli", 2, "germany"))
    table.ok(CorrectSupply("convoy.tripoli", 5, "italy"))
    table.jump("r3.uk.combat_move.declare")
    attack = table.attack("convoy.tripoli", AttackGroup("convoy.tripoli", {"uk.submarine": 2}))
    table.jump("r3.uk.combat.resolve")
    table.open(attack)
    assert table.fight.stage == "orders"
    table.orders()
    table.roll((1, 2))
    lost = {"italy.infantry": 2, "germany.supply": 2, "italy.supply": 3, "italy.tank": 1}
    table.lose(cargo=lost)
    assert table.fight.stage == "leave"
    table.ok(LeaveCombat(table.step, escape={"italy.supply": 2, "italy.tank": 1}))
    assert table.fight.cargo == Cargo(units=(("germany", "scout_car", 1),))
    assert table.fight.stage == "press"
    table.ok(Press(table.step))
    table.orders()
    table.roll((1, 9))
    table.lose()
    assert (table.fight.stage, table.fight.result) == ("over", "attacker")
    table.ok(Conclude(table.step))
    assert table.count("convoy.tripoli", "germany.scout_car") == 0
    assert table.count("convoy.tripoli", "italy.tank") == 1
    assert table.ledger.supply["convoy.tripoli@italy"] == 2


def test_n11_a_retreat_may_not_go_where_land_units_attacked() -> None:
    table = fan()
    table.tell("mersa_matruh", supply=2, italy_infantry=4, germany_truck=1)
    table.tell("bir_hacheim", supply=0, italy_infantry=1)
    table.tell("cairo", supply=9, uk_infantry=9)
    table.tell("tobruk", supply=0)
    table.tell("siwa", supply=0, uk_scout_car=1)
    table.ok(SetControl("tobruk", "italy"))
    table.jump("r3.uk.combat_move.declare")
    first = table.attack("mersa_matruh", AttackGroup("cairo", {"uk.infantry": 8}))
    table.attack("bir_hacheim", AttackGroup("siwa", {"uk.scout_car": 1}))
    table.jump("r3.uk.combat.resolve")
    table.open(first)
    table.orders(fight=False)
    table.roll((9,) * 8)
    going = {"italy.infantry": 4}
    table.no(
        LeaveCombat(table.step, {"bir_hacheim": going}),
        "no_retreat",
        "No retreat to Bir Hacheim: land units attacked it this turn.",
    )
    table.no(LeaveCombat(table.step, {"siwa": going}), "no_retreat", "hostile")
    table.no(LeaveCombat(table.step, {"benghazi": going}), "no_retreat", "not adjacent")
    assert refuges(table.state, "mersa_matruh") == ("tobruk",)
    table.ok(LeaveCombat(table.step, {"tobruk": going}))
    table.ok(Conclude(table.step))
    assert table.count("tobruk", "italy.infantry") == 4
    assert (
        table.count("mersa_matruh", "uk.truck") == 1
    )  # the captured truck is replaced by one of the captor's
    assert table.count("mersa_matruh", "germany.truck") == 0


def test_n13_only_eight_move_in_and_neither_scouts_nor_bombers_count() -> None:
    table = fan()
    table.tell("mersa_matruh", supply=2, italy_infantry=1, germany_truck=1)
    table.tell("cairo", supply=9, uk_infantry=10, uk_bomber=1)
    table.tell("siwa", supply=0, uk_scout_car=1)
    table.tell("tobruk", supply=0)
    table.ok(SetControl("tobruk", "italy"))
    table.jump("r3.uk.combat_move.declare")
    attack = table.attack(
        "mersa_matruh",
        AttackGroup("cairo", {"uk.infantry": 10, "uk.bomber": 1}),
        AttackGroup("siwa", {"uk.scout_car": 1}),
    )
    assert table.ledger.supply["cairo"] == 7  # two for ten infantry, nothing for scout car and bomber
    table.jump("r3.uk.combat.resolve")
    table.open(attack)
    assert table.fight.stage == "orders"
    table.orders(fight=False, raids=0)
    table.roll(*[(9,) * dice if need != 2 or dice != 1 else (7,) for dice, need in table.needs()])
    table.ok(LeaveCombat(table.step, {"tobruk": {"italy.infantry": 1}}))
    table.no(Conclude(table.step, {"uk.infantry@cairo": 9}), "bad_advance", "8 units must move in")
    table.no(Conclude(table.step, {"uk.scout_car@siwa": 8}), "bad_value", "cannot move in")
    table.ok(Conclude(table.step))
    assert table.count("mersa_matruh", "uk.infantry") == 8
    assert table.count("cairo", "uk.infantry") == 2
    assert table.count("siwa", "uk.scout_car") == 1
    assert table.ledger.supply["mersa_matruh"] == 2


def casablanca(scenario: str = "torch") -> Table:
    table = Table(scenario, printed=FIGURES)
    if scenario == "rommel":
        table.jump("r7.begin")
    table.tell("casablanca", us_infantry=5, vichy_infantry=2)
    table.jump("r7.us.combat_move.declare")
    attacks = table.state.game["battle"].attacks
    assert [(a.space, a.is_landing) for a in attacks] == [
        ("casablanca", True),
        ("oran", True),
        ("algiers", True),
    ]
    table.jump("r7.us.combat.resolve")
    table.open(attacks[0].id)
    return table


def test_n14_casablanca_surrenders() -> None:
    table = casablanca()
    table.no(GiveOrders(table.step, fight=False), "no_retreat", "Vichy")
    table.orders(fight=True)
    assert table.needs() == [(5, 2)]
    table.roll((1, 5, 6, 8, 9))
    table.lose()
    assert table.needs() == [(2, 3)]  # the casualty still fires
    table.roll((6, 7))
    assert (table.fight.stage, table.fight.leaves) == ("over", "surrender")
    table.ok(Conclude(table.step))
    assert table.count("casablanca", "free_french.infantry") == 1
    assert table.count("casablanca", "vichy.infantry") == 0
    assert table.ledger.control["casablanca"] == "us"


def test_a_landing_is_pressed_and_paid_from_its_own_supply() -> None:
    table = pressed_landing("torch")
    table.no(Cease(table.step), "must_press", "pressed until one side is gone")
    table.ok(Press(table.step))
    assert table.ledger.supply["casablanca@landing"] == 3


def pressed_landing(scenario: str) -> Table:
    table = casablanca(scenario)
    table.orders(fight=True)
    table.roll((3, 5, 6, 8, 9))
    table.roll((1, 7))
    table.lose()
    assert table.fight.stage == "press"
    return table


def test_a_landing_is_pressed_with_all_units_in_the_scenario_whose_text_says_so() -> None:
    aside = {"us.infantry@casablanca": 1}
    table = pressed_landing("rommel")
    table.no(Press(table.step, aside), "must_press", "all units")
    table = pressed_landing("torch")
    table.ok(Press(table.step, aside))
    assert (sum(table.fight.a), sum(table.fight.a_out)) == (3, 1)


def test_the_algiers_landing_fights_as_one_and_gives_the_territory_to_the_us() -> None:
    table = Table("torch", printed=FIGURES)
    table.tell("algiers", us_infantry=3, uk_infantry=3, vichy_infantry=1)
    table.jump("r7.us.combat_move.declare")
    table.jump("r7.us.combat.resolve")
    table.open(table.state.game["battle"].attacks[2].id)
    table.orders()
    assert table.needs() == [(6, 2)]
    table.roll((1, 9, 9, 9, 9, 9))
    table.lose()
    table.roll((9,))
    table.ok(Conclude(table.step))
    assert table.ledger.control["algiers"] == "us"
    assert table.ledger.supply["algiers@landing"] == 0


def test_n17_the_accepted_bid_is_added_to_the_first_round_of_the_allies() -> None:
    table = fan(bid=5, bid_side="allies")
    table.jump("r1.uk.requisition.buy")
    assert dict(income(table.state, "uk").lines)["bid"] == 5
    whole = points_left(table.state, "uk")
    table.ok(Requisition(table.step, "uk", "infantry", 1))
    assert points_left(table.state, "uk") == whole - 3
    table.jump("r2.uk.requisition.buy")
    assert "bid" not in dict(income(table.state, "uk").lines)
    axis = fan(bid=5, bid_side="allies")
    assert "bid" not in dict(income(axis.state, "germany").lines)


@pytest.mark.parametrize(("scenario", "first"), [("rommel", "r1.germany"), ("torch", "r7.uk")])
def test_n20_germany_is_skipped_in_round_7_of_torch(scenario: str, first: str) -> None:
    table = Table(scenario)
    assert table.step == "setup"
    table.end()
    assert table.step.startswith(first)


def test_missing_figures_are_named_and_nothing_is_guessed() -> None:
    table = Table()
    table.tell("tripoli", supply=5, germany_infantry=2)
    table.tell("benghazi", supply=1, uk_infantry=1)
    table.jump("r1.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("tripoli", {"germany.infantry": 2}))
    table.jump("r1.germany.combat.resolve")
    from companion.games.aana.rules.battle_messages import OpenCombat

    table.no(
        OpenCombat(table.step, attack),
        "printed_value_missing",
        "Enter these values from your Reference Chart first: Infantry attack (Germany).",
    )


def test_losses_must_pay_as_many_hits_as_possible() -> None:
    table = fan()
    table.tell("tobruk", supply=3, uk_infantry=2)
    table.tell("benghazi", supply=9, germany_tank=3)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("tobruk", AttackGroup("benghazi", {"germany.tank": 3}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders()
    table.roll((1, 1, 9))
    table.no(TakeLosses(table.step, {"uk.infantry": 1}), "bad_losses", "2 hits to assign; you assigned 1.")
    table.no(TakeLosses(table.step, {"uk.tank": 1}), "bad_value", "no such piece")
    table.lose({"uk.infantry": 2})


def test_declaring_costs_supply_and_is_refused_without() -> None:
    table = fan()
    table.tell("benghazi", supply=1, germany_infantry=6, germany_scout_car=1)
    table.jump("r2.germany.combat_move.declare")
    group = AttackGroup("benghazi", {"germany.infantry": 6})
    table.no(DeclareAttack(table.step, "tobruk", (group,)), "no_supply", "Benghazi has 1 supply; you need 2.")
    table.attack("tobruk", AttackGroup("benghazi", {"germany.scout_car": 1}))
    assert table.ledger.supply["benghazi"] == 1
    table.no(
        DeclareAttack(table.step, "mersa_matruh", (AttackGroup("benghazi", {"germany.scout_car": 1}),)),
        "not_there",
        "Benghazi: none of these can attack: Scout Car (Germany).",
    )


def test_nobody_enters_the_west_before_its_round() -> None:
    table = fan()
    table.tell("tripoli", supply=5, germany_tank=1)
    table.jump("r7.germany.combat_move.declare")
    table.ok(SetControl("mareth", "us", 0))
    group = AttackGroup("tripoli", {"germany.tank": 1})
    table.no(DeclareAttack(table.step, "mareth", (group,)), "closed_west", "before round 8")
    table.jump("r8.germany.combat_move.declare")
    table.attack("mareth", group, defended=False)


def test_every_figure_of_the_board_that_the_text_lacks_is_marked_inferred() -> None:
    """The text names sea zone 15 alone for a convoy, and no emblem of a single Axis power on an island."""
    file = loaded().data.tables["board"]
    marked = {row.id for row in file.convoy if row.status.get("number", ("stated",))[0] == "inferred"}
    assert {row.id for row in file.convoy if row.number} - marked == {"convoy.benghazi"}
    islands = {row.id: row.status.get("owner", ("stated",))[0] for row in file.territory if row.owner}
    assert {name for name, status in islands.items() if status == "stated"} == {"malta", "gibraltar"}
    assert file.status["sea_zones"][0] == "inferred"
