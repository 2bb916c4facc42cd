"""Moves by the rules: vectors N01 to N03, blitzes, trucks, scout cars, landings, air transport."""

from __future__ import annotations

import pytest

from companion.core.ids import StepId
from companion.games.aana.rules.battle_messages import AttackGroup, Conclude, RollMines
from companion.games.aana.rules.ledger import chip_stack
from companion.games.aana.rules.ledger_messages import CountSpace, SetMines
from companion.games.aana.rules.movement import distance, free_moves, stranded
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.travel import AirTransport, LoseAircraft
from companion.games.aana.rules.victory import SetControl
from companion.games.aana.rules.ways import MakeMove
from companion.pages.labels import refusal
from tests.games.aana.aana_table import Table


def fan(step: str, scenario: str = "rommel", **options: object) -> Table:
    table = Table(scenario, values="unofficial", **options)
    table.jump(step)
    return table


def plain(step: str, **options: object) -> Table:
    """A table that enters its own figures and knows no borders."""
    values = {f"unit.germany.{unit}.move": move for unit, move in (("tank", 2), ("fighter", 4), ("truck", 2))}
    values |= {
        "unit.germany.mechanized.move": 2,
        "unit.germany.scout_car.move": 3,
        "unit.italy.destroyer.move": 4,
    }
    table = Table(printed=values, **options)
    table.jump(step)
    return table


def move(table: Table, origin: str, to: str, units: dict[str, int], **given: object) -> MakeMove:
    return MakeMove(table.step, origin, to, units, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("units", "chips"), [(1, (0, 0)), (2, (0, 1)), (4, (1, 0)), (5, (1, 1)), (8, (2, 1))]
)
def test_n01_a_stack_is_one_figure_on_chips_of_three_and_of_one(units: int, chips: tuple[int, int]) -> None:
    assert chip_stack(units) == chips
    assert chips[0] * 3 + chips[1] + 1 == units


def test_chips_stand_for_what_the_figures_do_not_show_and_run_out() -> None:
    table = Table()
    table.ok(CountSpace("tripoli", {"italy.infantry": 12 + 90}))
    table.ok(CountSpace("sirte", {"germany.infantry": 12}))
    from companion.games.aana.rules.ledger_messages import MoveUnits

    table.ok(MoveUnits("pool", "sirte", {"germany.infantry": 5}, confirmed=True))
    table.no(
        MoveUnits("pool", "sirte", {"germany.infantry": 1}, confirmed=True),
        "piece_limit",
        "Infantry: only 17 in the box; 17 in play and 1 more wanted.",
    )


def test_n02_aircraft_keep_enough_of_their_move_to_land() -> None:
    table = plain("r2.germany.combat_move.move")
    table.ok(SetControl("tobruk", "uk"))
    table.ok(CountSpace("tripoli", {"germany.fighter": 1}))
    table.no(
        move(table, "tripoli", "tobruk", {"germany.fighter": 1}, spaces=4),
        "no_landing",
        "Fighter moves 4: 4 to get there, and 1 more at least to land.",
    )
    table.ok(move(table, "tripoli", "tobruk", {"germany.fighter": 1}, spaces=3))
    table.jump("r2.germany.noncombat.move")
    assert free_moves(table.state, "tobruk", "germany.fighter") == (1,)
    table.ok(SetControl("benghazi", "germany"))
    table.no(
        move(table, "tobruk", "benghazi", {"germany.fighter": 1}, spaces=2),
        "too_far",
        "none can move more than 1.",
    )
    table.ok(move(table, "tobruk", "benghazi", {"germany.fighter": 1}, spaces=1))
    assert free_moves(table.state, "benghazi", "germany.fighter") == (0,)


def test_n02_with_borders_the_nearest_landing_is_counted() -> None:
    table = fan("r1.germany.combat_move.move")
    table.no(
        move(table, "tripoli", "tobruk", {"germany.fighter": 1}),
        "no_landing",
        "Fighter moves 4: 5 to get there, and 3 more to the nearest place to land.",
    )
    table.ok(CountSpace("el_agheila", {"germany.fighter": 1}))
    table.no(
        move(table, "el_agheila", "cairo", {"germany.fighter": 1}),
        "no_landing",
        "Fighter moves 4: 4 to get there, and 3 more to the nearest place to land.",
    )
    table.no(
        move(table, "el_agheila", "tobruk", {"germany.fighter": 1}),
        "no_landing",
        "Fighter moves 4: 3 to get there, and 3 more to the nearest place to land.",
    )
    table.ok(move(table, "el_agheila", "benghazi", {"germany.fighter": 1}))
    table.jump("r1.germany.noncombat.move")
    assert free_moves(table.state, "benghazi", "germany.fighter") == (2,)


def test_n03_a_ship_uses_up_to_its_move_and_ends_where_there_is_an_enemy() -> None:
    table = plain("r2.italy.combat_move.move")
    table.ok(CountSpace("sz.10", {"italy.destroyer": 2}))
    table.ok(CountSpace("sz.11", {"uk.destroyer": 1}))
    table.ok(CountSpace("sz.9", {}))
    destroyer = {"italy.destroyer": 1}
    table.no(move(table, "sz.10", "sz.9", destroyer, spaces=1), "no_attack", "something to attack")
    table.no(
        move(table, "sz.10", "sz.11", destroyer, spaces=5),
        "too_far",
        "Destroyer moves 4: 5 to get there.",
    )
    table.ok(move(table, "sz.10", "sz.11", destroyer, spaces=4))
    table.ok(move(table, "sz.10", "sz.11", destroyer, spaces=1))


def test_a_ship_may_leave_a_hostile_zone_without_attacking() -> None:
    table = plain("r2.italy.combat_move.move")
    table.ok(CountSpace("sz.10", {"italy.destroyer": 1, "uk.destroyer": 1}))
    table.ok(CountSpace("sz.9", {}))
    table.ok(move(table, "sz.10", "sz.9", {"italy.destroyer": 1}, spaces=1))


def test_land_units_keep_one_space_for_the_attack_and_guns_and_trucks_wait() -> None:
    table = fan("r1.germany.combat_move.move")
    table.no(
        move(table, "el_agheila", "sirte", {"germany.artillery": 1}), "too_far", "none can move more than 0."
    )
    table.no(
        move(table, "el_agheila", "tripoli", {"germany.tank": 1}),
        "too_far",
        "1 Tank (Germany) cannot move 2 spaces. Pieces there: 2; none can move more than 1.",
    )
    table.ok(move(table, "el_agheila", "sirte", {"germany.tank": 1}))
    table.no(move(table, "sirte", "el_agheila", {"germany.tank": 1}), "too_far", "none can move more than 0.")
    table.no(
        move(table, "el_agheila", "mersa_brega", {"germany.tank": 1}),
        "hostile",
        "Mersa Brega is hostile. Attack it, or blitz it when it is empty.",
    )
    table.jump("r1.italy.combat_move.move")
    table.no(move(table, "tripoli", "sirte", {"italy.truck": 1}), "too_far", "none can move more than 0.")
    table.jump("r1.italy.noncombat.move")
    table.ok(move(table, "tripoli", "sirte", {"italy.truck": 1}, supply=3, riders={"italy.infantry": 2}))
    assert table.ledger.supply["sirte"] == 3
    assert table.count("sirte", "italy.infantry") == 4
    assert free_moves(table.state, "sirte", "italy.infantry") == (1, 1, 0, 0)


def test_trucks_carry_six_of_their_own_power() -> None:
    table = fan("r1.italy.noncombat.move")
    table.ok(CountSpace("tripoli", {"italy.truck": 1, "italy.infantry": 4, "italy.tank": 1}, 6))
    truck = {"italy.truck": 1}
    table.no(
        move(table, "tripoli", "sirte", truck, supply=4, riders={"italy.infantry": 3}),
        "no_room",
        "7 to carry, but only 6 fit: 6 per truck.",
    )
    table.no(
        move(table, "tripoli", "sirte", truck, riders={"italy.tank": 1}),
        "no_room",
        "cannot carry this: Tank.",
    )
    table.no(move(table, "tripoli", "sirte", {"italy.infantry": 1}, supply=1), "no_truck", "with trucks")
    table.ok(move(table, "tripoli", "sirte", truck, supply=4, riders={"italy.infantry": 2}))


def test_the_coast_road_is_five_spaces_for_those_that_know_it() -> None:
    table = fan("r1.germany.noncombat.move")
    table.ok(SetControl("mareth", "germany"))
    table.no(
        move(table, "el_agheila", "sirte", {"germany.tank": 1}, spaces=3),
        "too_far",
        "1 Tank (Germany) cannot move 3 spaces. Pieces there: 2; none can move more than 2.",
    )
    table.ok(move(table, "el_agheila", "sirte", {"germany.tank": 1}, spaces=5, road=True))
    table.no(
        move(table, "el_agheila", "sirte", {"germany.artillery": 1}, spaces=2, road=True),
        "too_far",
        "none can move more than 1.",
    )


def test_a_blitz_takes_an_empty_territory_and_one_infantry_rides_with_each_tank() -> None:
    table = fan("r1.germany.combat_move.move")
    table.ok(CountSpace("mersa_brega", {}, 0))
    table.ok(CountSpace("el_agheila", {"germany.tank": 1, "germany.mechanized": 2}, 2))
    table.ok(CountSpace("benghazi", {"uk.truck": 2}, 1))
    table.ok(CountSpace("mersa_brega", {"germany.tank": 1, "germany.mechanized": 2}, 0))
    both = {"germany.tank": 1, "germany.mechanized": 2}
    table.no(
        move(table, "mersa_brega", "benghazi", both, via="benghazi"),
        "no_blitz",
        "2 Mechanized Infantry cannot blitz with 1 Tank: only one goes with each.",
    )
    pair = {"germany.tank": 1, "germany.mechanized": 1}
    table.ok(move(table, "mersa_brega", "benghazi", pair, via="benghazi"))
    assert table.ledger.control["benghazi"] == "germany"
    assert table.count("benghazi", "germany.truck") == 2, "Allied trucks change hands as they are"
    assert table.state.game["movement"].blitzed == {"benghazi": "uk"}
    table.no(
        move(table, "el_agheila", "benghazi", {"germany.tank": 1}, spaces=1), "hostile", "nobody follows"
    )


def test_a_blitz_goes_on_and_is_refused_where_somebody_stands() -> None:
    table = fan("r1.germany.combat_move.move")
    table.ok(CountSpace("benghazi", {"uk.infantry": 1}, 1))
    table.ok(CountSpace("mersa_brega", {"germany.tank": 2}, 0))
    tank = {"germany.tank": 1}
    table.no(move(table, "mersa_brega", "tobruk", tank, via="benghazi"), "no_blitz", "enemy combat units")
    table.ok(CountSpace("benghazi", {}, 1))
    table.ok(CountSpace("bir_hacheim", {}, 1))
    table.ok(move(table, "mersa_brega", "bir_hacheim", tank, via="benghazi"))
    assert table.count("bir_hacheim", "germany.tank") == 1
    assert table.ledger.control["benghazi"] == "germany"


def test_mines_send_a_blitz_back_over_the_border() -> None:
    table = fan("r1.germany.combat_move.move")
    table.ok(CountSpace("benghazi", {}, 1))
    table.ok(CountSpace("mersa_brega", {"germany.tank": 2}, 0))
    table.ok(SetMines("benghazi", "mersa_brega", 1))
    table.ok(CountSpace("bir_hacheim", {}, 0))
    table.ok(move(table, "mersa_brega", "benghazi", {"germany.tank": 2}, via="benghazi"))
    table.ok(RollMines(table.step, "benghazi", "mersa_brega", 1, (3, 9, 9), None, {"germany.tank": 1}))
    assert (table.count("benghazi", "germany.tank"), table.count("mersa_brega", "germany.tank")) == (1, 1)
    assert table.ledger.control["benghazi"] == "germany"
    table.no(move(table, "mersa_brega", "jalo", {"germany.tank": 1}), "too_far", "none can move more than 0.")
    assert free_moves(table.state, "benghazi", "germany.tank") == (1,), "who was not hit may go on"
    table.ok(move(table, "benghazi", "bir_hacheim", {"germany.tank": 1}))
    table.no(move(table, "bir_hacheim", "benghazi", {"germany.tank": 1}), "hostile", "nobody follows")


def test_a_blitz_that_mines_stop_altogether_captures_nothing() -> None:
    table = fan("r1.germany.combat_move.move")
    table.ok(CountSpace("benghazi", {}, 1))
    table.ok(CountSpace("mersa_brega", {"germany.tank": 1}, 0))
    table.ok(SetMines("benghazi", "mersa_brega", 1))
    table.ok(move(table, "mersa_brega", "benghazi", {"germany.tank": 1}, via="benghazi"))
    table.ok(RollMines(table.step, "benghazi", "mersa_brega", 1, (3, 9, 9), None, {"germany.tank": 1}))
    assert table.ledger.control["benghazi"] == "uk"
    assert table.count("mersa_brega", "germany.tank") == 1


def test_scout_cars_that_attacked_use_the_rest_unless_mines_turned_them_back() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("zella", {"germany.scout_car": 2}, 0))
    table.ok(SetMines("mersa_brega", "zella", 1))
    attack = table.attack("mersa_brega", AttackGroup("zella", {"germany.scout_car": 2}))
    table.ok(RollMines(table.step, "mersa_brega", "zella", 1, (1, 9, 9), attack, {"germany.scout_car": 1}))
    table.jump("r1.germany.noncombat.move")
    assert free_moves(table.state, "zella", "germany.scout_car") == (2, 0)
    table.no(
        move(table, "zella", "sokna", {"germany.scout_car": 2}),
        "too_far",
        "2 Scout Cars (Germany) cannot move 1 space. Pieces there: 2; none can move more than 2.",
    )
    table.ok(move(table, "zella", "sokna", {"germany.scout_car": 1}))


def test_units_that_fought_or_moved_in_stay_and_aircraft_do_not_land_there() -> None:
    table = fan("r1.germany.combat_move.declare")
    table.ok(CountSpace("mersa_brega", {}, 0))
    table.ok(SetControl("benghazi", "uk"))
    table.ok(CountSpace("benghazi", {}, 0))
    table.ok(CountSpace("mersa_brega", {"germany.tank": 2, "germany.fighter": 1}, 2))
    attack = table.attack("benghazi", AttackGroup("mersa_brega", {"germany.tank": 1}))
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    table.ok(Conclude(table.step))
    table.jump("r1.germany.noncombat.move")
    assert free_moves(table.state, "benghazi", "germany.tank") == (0,)
    assert free_moves(table.state, "mersa_brega", "germany.tank") == (2,)
    fighter = {"germany.fighter": 1}
    table.no(
        move(table, "mersa_brega", "benghazi", fighter),
        "no_landing",
        "Benghazi: aircraft land only where their side had control when the turn began.",
    )
    table.ok(move(table, "mersa_brega", "tripoli", fighter))


def test_aircraft_without_a_landing_are_named_and_lost() -> None:
    table = fan("r1.germany.noncombat.move")
    table.ok(CountSpace("mersa_brega", {"germany.fighter": 1}))
    assert stranded(table.state, "germany") == {"mersa_brega": {"germany.fighter": 1}}
    refused = table.send(_end(table))
    assert refused is not None
    assert refusal(refused, table.state) == "Aircraft must land or are lost: Mersa Brega."
    table.ok(LoseAircraft(table.step))
    assert table.count("mersa_brega", "germany.fighter") == 0
    table.no(LoseAircraft(table.step), "nothing_to_lose")
    table.end()


def _end(table: Table) -> object:
    from companion.core.commands import EndAct

    return EndAct(table.step, table.now)


def test_escorts_fly_two_spaces_to_an_open_convoy_and_land_in_phase_1() -> None:
    table = fan("r1.germany.deploy.place")
    fighter = {"germany.fighter": 1}
    table.no(move(table, "tripoli", "convoy.benghazi", fighter), "wrong_place", "closed")
    table.no(
        move(table, "tripoli", "sz.14", fighter),
        "wrong_place",
        "Escorts go only to zones of their own power's convoys.",
    )
    table.ok(move(table, "tripoli", "convoy.tripoli", fighter))
    table.jump("r2.germany.convoys.advance")
    refused = table.send(_end(table))
    assert refused is not None
    table.ok(move(table, "convoy.tripoli", "tripoli", fighter))
    assert "germany.fighter" not in table.state.game["movement"].used.get("tripoli", {}), "it may still move"


def test_a_bomber_carries_one_unit_out_of_italy() -> None:
    table = fan("r2.germany.noncombat.move", air_transport=True)
    table.ok(CountSpace("italy", {"germany.bomber": 1, "germany.infantry": 2, "italy.infantry": 1}))
    table.no(AirTransport(table.step, "tank", "tripoli"), "no_room", "cannot carry this: Tank.")
    table.no(
        AirTransport(table.step, "artillery", "tripoli"),
        "not_there",
        "Italy: 0 Artillery (Germany) there, none that can still move.",
    )
    table.no(AirTransport(table.step, "infantry", "cairo"), "no_landing", "Cairo")
    table.ok(AirTransport(table.step, "infantry", "sicily"))
    assert table.count("sicily", "germany.infantry") == 1
    table.no(
        AirTransport(table.step, "infantry", "sicily"),
        "too_far",
        "1 Bomber (Germany) cannot move 2 spaces. Pieces there: 0; none can move more than 0.",
    )
    other = fan("r2.germany.noncombat.move")
    other.no(AirTransport(other.step, "infantry", "sicily"), "optional_rule", "optional")


def test_the_sahara_is_for_scout_cars_and_the_sea_for_ships() -> None:
    table = fan("r1.germany.noncombat.move")
    table.ok(move(table, "zella", "desert_h", {"germany.scout_car": 1}))
    table.no(
        move(table, "el_agheila", "desert_h", {"germany.tank": 1}),
        "sahara",
        "Only scout cars may enter Desert Zone",
    )
    table.no(
        move(table, "el_agheila", "sz.14", {"germany.tank": 1}),
        "wrong_place",
        "Tank goes to sea only by convoy.",
    )
    table.no(
        move(table, "el_agheila", "sirte", {"uk.tank": 1}),
        "not_your_turn",
        "1 Tank (United Kingdom) cannot act in this turn (Germany).",
    )
    stale = MakeMove(StepId("r9.us.noncombat.move"), "el_agheila", "sirte", {"germany.tank": 1})
    table.no(stale, "stale_step")


def test_nobody_moves_west_before_his_round_and_landings_stand_still() -> None:
    table = fan("r2.germany.noncombat.move")
    table.no(move(table, "tripoli", "mareth", {"germany.mechanized": 1}), "closed_west", "Mareth")
    torch = fan("r7.uk.noncombat.move", "torch")
    torch.no(
        MakeMove(torch.step, "algiers", "laghouat", {"uk.infantry": 1}),
        "wrong_place",
        "A landing force does nothing but fight for its territory.",
    )


def test_distances_go_round_hostile_spaces_on_land_but_not_in_the_air() -> None:
    table = fan("r1.germany.combat_move.move")
    book = table.state
    from companion.games.aana.rules.ledger import figures

    tank, fighter = figures(book).row("germany", "tank"), figures(book).row("germany", "fighter")
    assert distance(book, tank, "el_agheila", "benghazi") is None, "Mersa Brega is in the way"
    assert distance(book, fighter, "el_agheila", "benghazi") == 2
    ways = routes(book)
    assert ways is not None
    assert all(space in ways.neighbours(other) for space in ("cairo",) for other in ways.neighbours(space))
    assert routes(Table().state) is None
