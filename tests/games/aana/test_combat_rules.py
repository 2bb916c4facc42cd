"""Finer points of combat: named targets, who pays, retreats, raids without a fight, mines, the reserve."""

from __future__ import annotations

from companion.core.change import Change
from companion.core.commands import EnterPrintedValue
from companion.games.aana.pages.closing import leave_page
from companion.games.aana.pages.declare import mines_page
from companion.games.aana.pages.draft import CombatDraft, stage_key
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Conclude,
    DeclareAttack,
    JoinAttack,
    LeaveCombat,
    Press,
    RollFire,
    RollMines,
    TakeLosses,
)
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.fight_dice import aim_types, expected_volleys
from companion.games.aana.rules.ledger import figures, shares
from companion.games.aana.rules.ledger_messages import CountSpace, SetMines
from companion.games.aana.rules.victory import SetControl
from companion.pages.page import TABLE_VIEWER, Ask, Draft, Sight
from companion.testing.reading import items_of
from tests.games.aana.aana_table import Table


def fan(step: str, scenario: str = "rommel", **options: object) -> Table:
    table = Table(scenario, values="unofficial", **options)
    table.jump(step)
    return table


def test_dive_bombers_name_the_land_unit_type_that_is_lost() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("mersa_brega", {"uk.infantry": 2, "uk.matilda": 1, "uk.artillery": 1}, 5))
    attack = table.attack("mersa_brega", AttackGroup("tripoli", {"germany.bomber": 1}))
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    table.orders(raids=0)
    volley = expected_volleys(figures(table.state), table.fight)[0]
    assert aim_types(figures(table.state), table.fight, volley) == ("artillery", "infantry", "matilda")
    rolls = (VolleyRoll((3,), None, {"tank": 1}),)
    table.no(RollFire(table.step, rolls), "wrong_dice", "Tank is not a target here.")
    table.no(
        RollFire(table.step, (VolleyRoll((9,), None, {"infantry": 1}),)),
        "wrong_dice",
        "You chose a target for 1 hit; aimed: 0.",
    )
    table.ok(RollFire(table.step, (VolleyRoll((3,), None, {"artillery": 1}),)))
    table.no(
        TakeLosses(table.step, {"uk.infantry": 1}),
        "bad_losses",
        "1 aimed hit must fall on this: Artillery. You assigned 0.",
    )
    table.lose()
    assert table.count("mersa_brega", "uk.artillery") == 0


def test_a_waived_aim_leaves_the_choice_to_the_owner() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("mersa_brega", {"uk.infantry": 2, "uk.matilda": 1}, 5))
    attack = table.attack("mersa_brega", AttackGroup("tripoli", {"germany.bomber": 1}))
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    table.orders(raids=0)
    table.roll((3,), forced=(0,))
    table.lose({"uk.infantry": 1})
    assert table.count("mersa_brega", "uk.matilda") == 1


def test_bombers_that_aim_at_ships_may_pick_transports_past_the_escort() -> None:
    table = Table(
        printed={"unit.italy.bomber.attack": 6, "unit.italy.bomber.traits": ["target_sea"]} | _DESTROYER
    )
    table.ok(CountSpace("convoy.malta", {"uk.destroyer": 1, "uk.aaa": 3}))
    table.jump("r2.italy.combat_move.declare")
    table.ok(CountSpace("sicily", {"italy.bomber": 1}))
    attack = table.attack("convoy.malta", AttackGroup("sicily", {"italy.bomber": 1}, spaces=2))
    table.jump("r2.italy.combat.resolve")
    fight = table.open(attack)
    volley = expected_volleys(figures(table.state), fight)[0]
    assert aim_types(figures(table.state), fight, volley) == ("destroyer", "transport")
    table.ok(RollFire(table.step, (VolleyRoll((2,), None, {"transport": 1}),)))
    table.lose()
    assert table.count("convoy.malta", "uk.aaa") == 1
    assert table.count("convoy.malta", "uk.destroyer") == 1


_DESTROYER = {"unit.italy.bomber.move": 6}


def test_supply_may_come_from_two_territories() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("el_agheila", {"germany.infantry": 6}, 1))
    table.ok(CountSpace("sirte", {}, 2))
    assert shares(table.state, "el_agheila+sirte", 2) == {"el_agheila": 1, "sirte": 1}
    group = AttackGroup("el_agheila", {"germany.infantry": 6})
    table.no(
        DeclareAttack(table.step, "mersa_brega", (group,)),
        "no_supply",
        "El Agheila has 1 supply; you need 2.",
    )
    attack = table.attack(
        "mersa_brega", AttackGroup("el_agheila", {"germany.infantry": 6}, "el_agheila+sirte")
    )
    assert table.ledger.supply["el_agheila"] == 0
    assert table.ledger.supply["sirte"] == 1
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=True)
    table.roll((9,) * 6)
    table.roll(*[(10,) * dice for dice, _ in table.needs()])
    table.no(Press(table.step), "no_supply", "El Agheila has 0 supply; you need 2.")
    aside = {"germany.infantry@el_agheila": 1}
    table.ok(Press(table.step, aside, {"el_agheila": "sirte"}))
    assert table.ledger.supply["sirte"] == 0


def test_those_who_find_no_room_are_destroyed_and_the_others_retreat() -> None:
    table = fan("r3.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=2, italy_infantry=3)
    table.tell("cairo", supply=9, uk_infantry=9)
    table.ok(SetControl("tobruk", "italy"))
    table.tell("tobruk", supply=0, italy_infantry=9)
    attack = table.attack("mersa_matruh", AttackGroup("cairo", {"uk.infantry": 5}))
    table.jump("r3.uk.combat.resolve")
    table.open(attack)
    table.orders(fight=False)
    table.roll((9,) * 5)
    table.no(
        LeaveCombat(table.step, {"tobruk": {"italy.infantry": 2}}),
        "over_limit",
        "Tobruk: the stacking limit is 10; 9 there and 2 more to come.",
    )
    table.no(LeaveCombat(table.step), "where_to", "Choose where the retreating units go.")
    table.ok(LeaveCombat(table.step, {"tobruk": {"italy.infantry": 1}}))
    fight = table.fight
    assert sum(fight.d_out) == 1, "the two without room are not among the survivors"
    assert table.count("tobruk", "italy.infantry") == 10
    assert table.count("mersa_matruh", "italy.infantry") == 0


def test_scout_cars_raid_a_neutral_territory_without_a_fight() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("jalo", {}, 2))
    attack = table.attack("jalo", AttackGroup("zella", {"germany.scout_car": 1}))
    table.jump("r1.germany.combat.resolve")
    assert table.open(attack).stage == "over"
    table.no(Conclude(table.step, raids=2), "bad_value", "1 token may be destroyed; you chose 2.")
    table.ok(Conclude(table.step, raids=1))
    assert table.ledger.supply["jalo"] == 1
    assert table.count("zella", "germany.scout_car") == 1, "scout cars never move in"


def test_nothing_is_raided_once_dice_have_fallen() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("mersa_brega", {"uk.infantry": 1}, 4))
    attack = table.attack("mersa_brega", AttackGroup("tripoli", {"germany.bomber": 1}))
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    table.orders(raids=0)
    table.roll((1,))
    table.lose()
    while table.fight.stage != "over":
        table.roll(*[(10,) * dice for dice, _ in table.needs()])
    table.no(Conclude(table.step, raids=1), "bad_value", "0 tokens")


def test_land_mines_belong_to_who_holds_the_territory() -> None:
    table = fan("r1.uk.combat_move.move")
    table.no(RollMines(table.step, "cairo", "mersa_matruh", 1, (1, 2, 3)), "own_mines", "Cairo")
    table.ok(CountSpace("jalo", {}))
    table.ok(SetMines("jalo", "zella", 1))
    table.no(RollMines(table.step, "jalo", "zella", 1, (9, 9, 9)), "no_mines", "its mines belong to nobody.")
    table.ok(CountSpace("jalo", {"germany.infantry": 1}))
    table.jump("r1.uk.combat_move.declare")
    table.ok(CountSpace("zella", {"uk.infantry": 1}, 1))
    attack = table.attack("jalo", AttackGroup("zella", {"uk.infantry": 1}))
    table.ok(RollMines(table.step, "jalo", "zella", 1, (9, 9, 9), attack))
    table.jump("r2.germany.combat_move.move")
    table.ok(SetMines("jalo", "zella", 1))
    table.no(RollMines(table.step, "jalo", "zella", 1, (9, 9, 9)), "own_mines", "Jalo")


def test_the_reserve_is_paid_by_fives_of_all_attacks_together() -> None:
    moves = {"unit.italy.bomber.move": 6, "unit.italy.fighter.move": 4}
    table = Table(reserve=True, printed=moves)
    table.jump("r2.italy.combat_move.declare")
    table.ok(CountSpace("sicily", {"italy.bomber": 3, "italy.fighter": 3}))
    for space in ("convoy.malta", "cairo"):
        table.ok(CountSpace(space, {"uk.fighter": 1}))
    before = table.ledger.supply["italy"]
    table.attack("convoy.malta", AttackGroup("sicily", {"italy.bomber": 3}, spaces=2))
    assert table.ledger.supply["italy"] == before - 1
    table.attack("cairo", AttackGroup("sicily", {"italy.fighter": 2}, spaces=3))
    assert table.ledger.supply["italy"] == before - 1
    table.attack("malta", AttackGroup("sicily", {"italy.fighter": 1}, spaces=1))
    assert table.ledger.supply["italy"] == before - 2


def test_what_a_lost_landing_brought_stays_in_the_territory() -> None:
    table = fan("r7.us.combat_move.declare", "torch")
    table.jump("r7.us.combat.resolve")
    attack = next(a for a in table.state.game["battle"].attacks if a.space == "oran")
    table.open(attack.id)
    while table.fight.stage != "over":
        stage = table.fight.stage
        if stage == "orders":
            table.orders()
        elif stage == "losses":
            table.lose()
        elif stage == "press":
            table.ok(Press(table.step))
        else:
            value = 10 if stage == "attack" else 1
            table.roll(*[(value,) * dice for dice, _ in table.needs()])
    assert table.fight.result == "defender"
    left = table.ledger.supply["oran@landing"]
    table.ok(Conclude(table.step))
    assert left > 0
    assert table.ledger.supply["oran"] == left
    assert table.ledger.supply["oran@landing"] == 0


def test_mareth_rerolls_only_while_land_units_attack_from_tripoli() -> None:
    """Territories, Defensive Bonus: Mareth's holds while land units attack from Tripoli, Tobruk's against all."""
    for origins, wanted in ((("kasserine",), (0, 0)), (("kasserine", "tripoli"), (9, 0))):
        table = fan("r8.us.combat_move.declare", "torch")
        table.ok(EnterPrintedValue("bonus.mareth", 9))
        table.tell("mareth", supply=5, italy_infantry=3)
        table.tell("kasserine", supply=9, us_infantry=3)
        table.tell("tripoli", supply=9, us_infantry=1)
        sizes = {"kasserine": 3, "tripoli": 1}
        groups = [AttackGroup(origin, {"us.infantry": sizes[origin]}) for origin in origins]
        attack = table.attack("mareth", *groups)
        table.jump("r8.us.combat.resolve")
        table.open(attack)
        found = []
        for aside in ({}, {"us.infantry@tripoli": 1} if "tripoli" in origins else {}):
            if table.fight.stage == "press":
                table.ok(Press(table.step, aside))
            table.orders(fight=True)
            table.roll(*((7,) * dice for dice, _need in table.needs()))
            found.append(expected_volleys(figures(table.state), table.fight)[0].reroll_from)
            table.roll((8,) * 3)
        assert tuple(found) == wanted, origins


def test_the_bonus_of_mareth_is_asked_for_when_units_from_tripoli_join() -> None:
    """Reinforcing Land Attacks: whoever joins from Tripoli brings Mareth's bonus into force."""
    table = fan("r8.us.combat_move.declare", "torch", reinforce_attacks=True)
    table.tell("mareth", supply=5, italy_infantry=3)
    table.tell("kasserine", supply=9, us_infantry=3)
    table.tell("tripoli", supply=9, us_infantry=1)
    attack = table.attack("mareth", AttackGroup("kasserine", {"us.infantry": 2}))
    table.jump("r8.us.combat.resolve")
    table.open(attack)
    table.orders()
    table.roll((9,) * 2)
    table.roll((9,) * 3)
    table.ok(JoinAttack(table.step, AttackGroup("kasserine", {"us.infantry": 1})))
    joined = JoinAttack(table.step, AttackGroup("tripoli", {"us.infantry": 1}))
    table.no(
        joined,
        "printed_value_missing",
        "Enter these values from your board first: lowest face that defenders reroll in Mareth.",
    )
    table.ok(EnterPrintedValue("bonus.mareth", 9))
    table.ok(joined)
    table.ok(Press(table.step))
    table.orders()
    table.roll(*((7,) * dice for dice, _need in table.needs()))
    assert [volley.reroll_from for volley in expected_volleys(figures(table.state), table.fight)] == [9]


def test_scout_cars_alone_retreat_into_the_sahara() -> None:
    """The Sahara Desert: scout cars may enter it, so it is a refuge of theirs and of nobody else."""
    table = fan("r1.germany.combat_move.declare")
    table.tell("jalo", supply=0, uk_scout_car=1, uk_infantry=1)
    table.tell("zella", supply=5, germany_infantry=3)
    table.tell("desert_j", supply=0)
    attack = table.attack("jalo", AttackGroup("zella", {"germany.infantry": 3}))
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=False)
    table.roll((9,) * 3)
    both = {"uk.scout_car": 1, "uk.infantry": 1}
    table.no(LeaveCombat(table.step, {"desert_j": both}), "sahara", "Only scout cars may enter Desert Zone")
    nothing = CombatDraft(key=stage_key(table.fight))
    ask = leave_page(table.state, table.fight, nothing).act("where")
    assert isinstance(ask, Ask)
    assert "desert_j" in {option.key for option in ask.form.fields[0].options}
    sent = ask.answered({"one": "desert_j"})
    assert isinstance(sent, Draft)
    assert sent.change(nothing).plan == {"desert_j": {"uk.scout_car": 1}}, (
        "the infantry still looks for a place"
    )
    table.ok(LeaveCombat(table.step, {"desert_j": {"uk.scout_car": 1}}))
    assert table.count("desert_j", "uk.scout_car") == 1
    assert table.count("jalo", "uk.infantry") == 0, "nowhere to go"


def test_land_mines_turn_back_no_aircraft() -> None:
    """Mine Token Detonation: land and sea units set mines off, never air units; each hit turns a land unit back."""
    table = fan("r3.germany.combat_move.declare")
    table.tell("mersa_matruh", supply=9, germany_tank=1, germany_fighter=2)
    table.ok(SetMines("cairo", "mersa_matruh", 3))
    attack = table.attack("cairo", AttackGroup("mersa_matruh", {"germany.tank": 1, "germany.fighter": 2}))
    dice = (1, 2, 3)
    mines = ("cairo", "mersa_matruh", 1)
    sight = Sight(TABLE_VIEWER, Change(0, table.state), None)
    shown = mines_page(sight, CombatDraft(mines=mines, values=dice, key="mines"), mines)
    assert [row.key for row in items_of(shown.page)] == ["germany.tank"], "the screen offers land units alone"
    for hit in ({"germany.tank": 1, "germany.fighter": 2}, {"germany.fighter": 1}):
        roll = RollMines(table.step, "cairo", "mersa_matruh", 1, dice, attack, hit)
        table.no(roll, "bad_losses", "Mines never hit aircraft: Fighter (Germany).")
    table.no(
        RollMines(table.step, "cairo", "mersa_matruh", 1, dice, attack),
        "bad_losses",
        "1 unit must turn back; you chose 0.",
    )
    table.ok(RollMines(table.step, "cairo", "mersa_matruh", 1, dice, attack, {"germany.tank": 1}))
    left = table.state.game["battle"].attacks[-1]
    assert [group.units for group in left.groups] == [{"germany.fighter": 2}]
