"""Money, purchases, convoys, deployment, mines and the events of the round track, through commands."""

from __future__ import annotations

import pytest

from companion.core.commands import EnterPrintedValue, SetRuling
from companion.core.ids import SiteId
from companion.games.aana.rules.ledger_messages import CountSpace, MoveUnits, SetMines
from companion.games.aana.rules.reinforce_messages import (
    AdvanceConvoys,
    Deploy,
    LayLandMine,
    LaySeaMine,
    LoseUndeployed,
    PayMalta,
    PlaceFree,
    RepairBattleship,
    Requisition,
    income,
    points_left,
)
from companion.games.aana.rules.victory import SetControl
from tests.games.aana.aana_table import Table


def fan(step: str, scenario: str = "rommel", **options: object) -> Table:
    table = Table(scenario, values="unofficial", **options)
    table.jump(step)
    return table


def test_income_adds_base_and_controlled_territories() -> None:
    table = fan("r1.italy.requisition.buy")
    assert income(table.state, "italy").lines == (("base", 10), ("tripoli", 6), ("el_agheila", 1))
    assert income(table.state, "italy").total == 17


def test_income_names_what_is_missing_and_refuses_to_guess() -> None:
    table = Table()
    table.jump("r1.italy.requisition.buy")
    whole = income(table.state, "italy")
    assert whole.missing == ("base.italy", "rp.tripoli")
    buy = Requisition(table.step, "italy", "infantry", 1)
    table.no(
        buy,
        "printed_value_missing",
        "Enter these values from your Reference Chart first: Infantry cost (Italy).",
    )
    table.ok(EnterPrintedValue("unit.italy.infantry.cost", 2))
    table.no(
        buy,
        "printed_value_missing",
        "This costs 2. Points known so far: 0. Enter these values from your board first: "
        "National Basic points (Italy) and reinforcement points of Tripoli.",
    )
    table.ok(EnterPrintedValue("base.italy", 10))
    table.no(
        EnterPrintedValue("base.italy", -1),
        "bad_value",
        "Enter a whole number from 0 to 99 for this value, not -1: National Basic points (Italy).",
    )
    table.no(
        EnterPrintedValue("unit.italy.battleship.cost", 3), "bad_value", "This game has no printed value"
    )
    table.ok(Requisition(table.step, "italy", "infantry", 1))
    assert points_left(table.state, "italy") == 8
    assert table.count("reinforcements", "italy.infantry") == 1


def test_malta_is_paid_first_and_once_with_one_supply() -> None:
    table = fan("r1.uk.requisition.buy")
    before = income(table.state, "uk").total
    table.ok(PayMalta(table.step))
    assert income(table.state, "uk").total == before + 15
    assert table.ledger.supply["malta"] == 1
    table.no(PayMalta(table.step), "done", "already")
    late = fan("r1.uk.requisition.buy")
    late.ok(Requisition(late.step, "uk", "infantry", 1))
    late.no(PayMalta(late.step), "too_late", "Pay for Malta before you buy anything.")
    poor = fan("r1.uk.requisition.buy")
    poor.tell("malta", supply=0)
    poor.no(PayMalta(poor.step), "no_supply", "Malta has 0 supply")
    axis = fan("r1.germany.requisition.buy")
    axis.no(PayMalta(axis.step), "not_your_turn", "United Kingdom")


@pytest.mark.parametrize(
    ("step", "power", "unit", "count", "code", "text"),
    [
        (
            "r1.germany.requisition.buy",
            "germany",
            "supply",
            6,
            "supply_limit",
            "Only 5 supply per turn: 0 bought and 6 more wanted.",
        ),
        (
            "r7.us.requisition.buy",
            "us",
            "supply5",
            3,
            "supply_limit",
            "Only 10 supply per turn: 0 bought and 15 more wanted.",
        ),
        ("r1.uk.requisition.buy", "uk", "sherman", 1, "no_requisition", "lend-lease"),
        (
            "r1.germany.requisition.buy",
            "germany",
            "truck",
            2,
            "piece_limit",
            "Truck: only 1 in the box; 0 in play and 2 more wanted.",
        ),
        ("r9.germany.requisition.buy", "germany", "tiger", 1, "no_requisition", "optional advantage"),
        ("r7.us.requisition.buy", "us", "fighter", 1, "no_requisition", "No US aircraft in round 7."),
        ("r8.us.requisition.buy", "free_french", "infantry", 1, "no_requisition", "must control Oran"),
        (
            "r1.uk.requisition.buy",
            "germany",
            "infantry",
            1,
            "not_your_turn",
            "Germany cannot buy in this turn (United Kingdom).",
        ),
        (
            "r1.uk.requisition.buy",
            "uk",
            "mechanized",
            1,
            "unknown_piece",
            "The box holds no such piece: Mechanized Infantry (United Kingdom).",
        ),
        (
            "r1.uk.requisition.buy",
            "uk",
            "fighter",
            9,
            "piece_limit",
            "Fighter: only 6 in the box; 2 in play and 9 more wanted.",
        ),
        (
            "r1.uk.requisition.buy",
            "uk",
            "artillery",
            9,
            "over_budget",
            "This costs 36. Points left: 33 of 33.",
        ),
        (
            "r1.germany.combat.resolve",
            "germany",
            "infantry",
            1,
            "wrong_phase",
            "This is not possible in this step: Germany, Conduct Combat: Resolve battles.",
        ),
    ],
)
def test_purchases_that_are_refused(  # noqa: PLR0917
    step: str, power: str, unit: str, count: int, code: str, text: str
) -> None:
    table = fan(step)
    table.no(Requisition(table.step, power, unit, count), code, text)


def test_supply_limit_counts_fives_and_the_us_gets_ten() -> None:
    table = fan("r1.germany.requisition.buy")
    table.ok(Requisition(table.step, "germany", "supply5", 1))
    table.no(Requisition(table.step, "germany", "supply", 1), "supply_limit", "5 bought")
    american = fan("r8.us.requisition.buy")
    american.ok(Requisition(american.step, "us", "supply5", 2))
    american.no(Requisition(american.step, "us", "supply", 1), "supply_limit", "10 bought")


def test_supply_tokens_run_out() -> None:
    table = fan("r1.germany.requisition.buy")
    table.tell("tripoli", supply=90)
    table.no(
        Requisition(table.step, "germany", "supply", 1),
        "piece_limit",
        "Supply token: only 115 in the box; 128 in play and 1 more wanted.",
    )


def test_german_submarines_and_free_french_are_deployed_at_once() -> None:
    table = fan("r1.germany.requisition.buy")
    table.ok(Requisition(table.step, "germany", "submarine", 1))
    assert table.count("sz.1", "germany.submarine") == 1
    french = fan("r8.us.requisition.buy")
    french.ok(SetControl("oran", "uk"))
    french.ok(Requisition(french.step, "free_french", "infantry", 1))
    assert french.count("oran", "free_french.infantry") == 1
    french.no(
        Requisition(french.step, "free_french", "infantry", 1),
        "one_a_turn",
        "Only one of these per turn for Free France: Infantry.",
    )
    french.ok(Requisition(french.step, "free_french", "tank", 1))


def test_tiger_is_bought_once_a_turn_from_round_8() -> None:
    table = fan("r7.germany.requisition.buy", tiger=True)
    table.no(Requisition(table.step, "germany", "tiger", 1), "no_requisition", "round 8")
    table.jump("r8.germany.requisition.buy")
    table.ok(Requisition(table.step, "germany", "tiger", 1))
    table.no(Requisition(table.step, "germany", "tiger", 1), "one_a_turn", "one Tiger")
    table.jump("r9.germany.requisition.buy")
    table.ok(Requisition(table.step, "germany", "tiger", 1))


def test_battleship_repair_costs_supply_from_cairo() -> None:
    table = fan("r2.uk.requisition.buy")
    table.no(RepairBattleship(table.step), "not_there", "No damaged battleship in Sea zone 31.")
    table.ok(CountSpace("sz.31", {"uk.battleship.damaged": 1}))
    table.ok(RepairBattleship(table.step))
    assert table.ledger.units["sz.31"] == {"uk.battleship": 1}
    assert table.ledger.supply["cairo"] == 4


def test_land_mines_one_a_territory_and_turn() -> None:
    table = fan("r2.uk.requisition.buy")
    assert table.ledger.mines["cairo>mersa_matruh"] == 3
    table.ok(LayLandMine(table.step, "cairo", "mersa_matruh"))
    assert table.ledger.mines["cairo>mersa_matruh"] == 4
    table.no(
        LayLandMine(table.step, "cairo", "siwa"), "one_a_turn", "Cairo already had its land mine this turn."
    )
    table.no(LayLandMine(table.step, "tripoli", "sirte"), "not_yours", "Tripoli")
    table.ok(LayLandMine(table.step, "bir_hacheim", "siwa"))


def test_twenty_land_mine_tokens_are_out_however_few_icons_they_show() -> None:
    table = fan("r2.uk.requisition.buy")
    single = (
        "benghazi",
        "bir_hacheim",
        "el_agheila",
        "ghadames",
        "jalo",
        "mersa_brega",
        "nalut",
        "sirte",
        "sokna",
    )
    for place in single:
        table.ok(SetMines(place, "tripoli", 1))
        table.ok(SetMines(place, "zella", 1))
    icons = [n for border, n in table.ledger.mines.items() if ">" in border]
    assert sorted(icons) == [1] * 18 + [3], "twenty tokens, two of them for Cairo's three icons"
    table.no(
        LayLandMine(table.step, "cairo", "siwa"), "piece_limit", "All 20 land mine tokens are on the board."
    )
    table.ok(LayLandMine(table.step, "cairo", "mersa_matruh"))
    assert table.ledger.mines["cairo>mersa_matruh"] == 4, "a token was turned over, none was needed"
    table.jump("r3.uk.requisition.buy")
    table.no(
        LayLandMine(table.step, "cairo", "mersa_matruh"),
        "piece_limit",
        "All 20 land mine tokens are on the board.",
    )


def test_sea_mines() -> None:
    table = fan("r2.italy.requisition.buy")
    table.no(LaySeaMine(table.step, "convoy.malta"), "enemy_there", "holds enemy warships")
    table.no(
        LaySeaMine(table.step, "sz.3"),
        "enemy_zone",
        "Sea zone 3 is an enemy deployment zone (United Kingdom).",
    )
    table.no(LaySeaMine(table.step, "convoy.suez"), "closed_zone", "Suez Canal")
    table.no(LaySeaMine(table.step, "tobruk"), "unknown_space", "Tobruk is not a sea zone.")
    table.ok(LaySeaMine(table.step, "sz.9"))
    assert table.ledger.mines["sz.9@italy"] == 1
    table.no(LaySeaMine(table.step, "sz.9"), "one_a_turn", "Sea zone 9")
    suez = fan("r2.germany.requisition.buy", mine_suez=True)
    suez.no(LaySeaMine(suez.step, "convoy.suez"), "closed_zone", "Suez")
    suez.tell("crete", germany_bomber=1)
    suez.tell("convoy.indian")
    suez.no(LaySeaMine(suez.step, "convoy.indian"), "closed_zone", "The Axis may not mine")
    suez.ok(LaySeaMine(suez.step, "convoy.suez"))
    without = fan("r2.germany.requisition.buy")
    without.tell("crete", germany_bomber=1)
    without.no(LaySeaMine(without.step, "convoy.suez"), "closed_zone", "Suez")


def test_convoys_advance_land_and_turn_back() -> None:
    table = fan("r2.uk.convoys.advance")
    table.ok(CountSpace("convoy.suez", {"uk.infantry": 2, "uk.destroyer": 1}))
    table.ok(CountSpace("convoy.atlantic", {"uk.artillery": 1}))
    table.ok(AdvanceConvoys(table.step))
    assert table.count("cairo", "uk.infantry") == 3
    assert table.count("sz.31", "uk.destroyer") == 2
    assert table.count("convoy.indian", "uk.artillery") == 1
    table.no(AdvanceConvoys(table.step), "done", "The convoys have already moved this turn.")
    closed = fan("r2.italy.convoys.advance")
    closed.ok(CountSpace("convoy.benghazi", {"italy.infantry": 2}))
    closed.ok(AdvanceConvoys(closed.step))
    assert closed.count("reinforcements", "italy.infantry") == 2
    closed.ok(SetControl("benghazi", "germany"))
    closed.jump("r3.italy.convoys.advance")
    closed.ok(CountSpace("convoy.benghazi", {"italy.infantry": 1}))
    closed.ok(AdvanceConvoys(closed.step))
    assert closed.count("benghazi", "italy.infantry") == 1


def test_convoys_over_the_stacking_limit_ask() -> None:
    table = fan("r2.italy.convoys.advance")
    table.ok(CountSpace("convoy.tripoli", {"italy.infantry": 5}))
    table.no(
        AdvanceConvoys(table.step),
        "over_limit",
        "Tripoli: the stacking limit is 8; 5 there and 5 more to come.",
    )
    table.ok(AdvanceConvoys(table.step, True))
    assert table.count("tripoli", "italy.infantry") == 7


def test_a_convoy_before_a_full_port_holds_back_nobody_else_where_the_table_rules_so() -> None:
    table = fan("r2.italy.convoys.advance")
    table.ok(SetRuling("aana.port_full", "waits"))
    table.ok(SetControl("benghazi", "germany"))
    table.ok(CountSpace("convoy.tripoli", {"italy.infantry": 5, "italy.truck": 1}))
    table.ok(CountSpace("convoy.benghazi", {"italy.infantry": 2}))
    trucks = table.count("tripoli", "italy.truck")
    table.ok(AdvanceConvoys(table.step))
    assert table.count("convoy.tripoli", "italy.infantry") == 5
    assert table.count("tripoli", "italy.infantry") == 2
    assert table.count("tripoli", "italy.truck") == trucks + 1
    assert table.count("benghazi", "italy.infantry") == 2
    table.no(AdvanceConvoys(table.step), "done")


def bought(step: str, piece: str, n: int = 1, **options: object) -> Table:
    table = fan(step, **options)
    table.ok(MoveUnits("pool", "reinforcements", {piece: n}))
    return table


@pytest.mark.parametrize(
    ("step", "piece", "to", "allowed"),
    [
        ("r1.germany.deploy.place", "germany.infantry", "convoy.tripoli", True),
        ("r1.germany.deploy.place", "germany.infantry", "italy", True),
        ("r1.germany.deploy.place", "germany.infantry", "convoy.benghazi", False),
        ("r1.germany.deploy.place", "germany.infantry", "sicily", False),
        ("r1.germany.deploy.place", "germany.anti_tank", "sicily", True),
        ("r1.germany.deploy.place", "germany.fighter", "crete", True),
        ("r1.italy.deploy.place", "italy.destroyer", "sz.10", True),
        ("r1.italy.deploy.place", "italy.destroyer", "sz.16", False),
        ("r1.uk.deploy.place", "uk.infantry", "convoy.malta", False),
        ("r1.uk.deploy.place", "uk.aaa", "convoy.malta", True),
        ("r1.uk.deploy.place", "uk.infantry", "convoy.indian", False),
        ("r1.uk.deploy.place", "uk.infantry", "convoy.atlantic", True),
        ("r1.uk.deploy.place", "uk.destroyer", "convoy.atlantic", True),
    ],
)
def test_where_reinforcements_may_go(step: str, piece: str, to: str, allowed: bool) -> None:
    table = bought(step, piece)
    power, unit = piece.split(".")
    command = Deploy(table.step, power, unit, 1, to)
    if allowed:
        table.ok(command)
        assert table.count(to, piece) == 1
    else:
        table.no(command, "wrong_place", "cannot go to")


def test_supply_is_deployed_into_convoys_by_power() -> None:
    table = fan("r1.germany.requisition.buy")
    table.ok(Requisition(table.step, "germany", "supply5", 1))
    table.jump("r1.germany.deploy.place")
    table.no(
        Deploy(table.step, "germany", "supply5", 2, "convoy.tripoli"),
        "not_there",
        "Reinforcements Zone: 1 Five-supply token (Germany) there; you chose 2.",
    )
    table.ok(Deploy(table.step, "germany", "supply5", 1, "convoy.tripoli"))
    assert table.ledger.supply["convoy.tripoli@germany"] == 5
    assert table.ledger.units.get("reinforcements") is None


def test_anzac_one_infantry_a_turn_to_the_indian_ocean() -> None:
    table = bought("r1.uk.deploy.place", "uk.infantry", 2, anzac=True)
    table.ok(Deploy(table.step, "uk", "infantry", 1, "convoy.indian"))
    table.no(Deploy(table.step, "uk", "infantry", 1, "convoy.indian"), "one_a_turn", "ANZAC")


def test_round_7_binds_the_united_states_and_in_torch_italy() -> None:
    table = bought("r7.us.deploy.place", "us.infantry")
    for port in ("casablanca", "oran"):
        table.ok(SetControl(port, "us"))
    table.no(Deploy(table.step, "us", "infantry", 1, "convoy.oran"), "wrong_place", "Casablanca convoy")
    table.ok(Deploy(table.step, "us", "infantry", 1, "convoy.casablanca"))
    free = bought("r7.us.deploy.place", "us.infantry", us_landing=True)
    for port in ("casablanca", "oran"):
        free.ok(SetControl(port, "us"))
    free.ok(Deploy(free.step, "us", "infantry", 1, "convoy.oran"))
    torch = Table("torch", values="unofficial")
    torch.jump("r7.italy.deploy.place")
    torch.ok(MoveUnits("pool", "reinforcements", {"italy.infantry": 1}))
    torch.no(Deploy(torch.step, "italy", "infantry", 1, "convoy.benghazi"), "wrong_place", "Tripoli convoy")
    torch.ok(Deploy(torch.step, "italy", "infantry", 1, "convoy.tripoli"))


def test_the_us_without_an_open_convoy_loses_what_waits() -> None:
    table = bought("r8.us.deploy.place", "us.infantry", 2)
    table.no(
        Deploy(table.step, "us", "infantry", 1, "convoy.oran"),
        "wrong_place",
        "Infantry cannot go to Oran convoy, nor anywhere else now.",
    )
    table.ok(LoseUndeployed(table.step))
    assert table.count("reinforcements", "us.infantry") == 0
    from companion.core.commands import EndAct

    waiting = bought("r1.germany.deploy.place", "germany.infantry")
    waiting.no(
        EndAct(waiting.step, waiting.now),
        "still_open",
        "Still in the Reinforcements Zone: 1 Infantry (Germany).",
    )


def test_lend_lease_comes_in_round_4_once() -> None:
    table = fan("r4.uk.deploy.place")
    assert table.count("convoy.atlantic", "uk.sherman") == 2
    table.jump("r4.uk.noncombat.move")
    table.jump("r4.uk.deploy.place")
    assert table.count("convoy.atlantic", "uk.sherman") == 2


@pytest.mark.parametrize("entered", ["r7.begin", "r7.germany.convoys.advance", "r7.uk.combat_move.move"])
def test_round_7_of_rommel_sets_markers_supply_and_landings(entered: str) -> None:
    table = fan(entered)
    assert {s: table.ledger.control[s] for s in ("tunis", "kasserine", "mareth")} == {
        "tunis": "germany",
        "kasserine": "germany",
        "mareth": "italy",
    }
    assert table.ledger.supply["tunis"] == 3
    assert table.count("casablanca", "us.infantry") == 5
    assert table.count("algiers", "uk.infantry") == 3
    assert table.ledger.supply["oran@landing"] == 4
    table.jump("r6.italy.deploy.place")
    table.jump("r7.begin")
    assert table.count("casablanca", "us.infantry") == 5


def test_who_jumps_past_round_7_has_its_markers_but_not_its_landings() -> None:
    table = fan("r6.italy.deploy.place")
    table.ok(SetControl(SiteId("kasserine"), "us"))
    supply = table.ledger.supply.get("tunis")
    table.jump("r9.germany.deploy.place")
    held = {space: table.ledger.control.get(space) for space in ("tunis", "kasserine", "mareth")}
    assert held == {"tunis": "germany", "kasserine": "us", "mareth": "italy"}
    assert table.count("casablanca", "us.infantry") == 0
    assert table.ledger.supply.get("tunis") == supply
    table.ok(MoveUnits("pool", "reinforcements", {"germany.infantry": 1}))
    table.ok(Deploy(table.step, "germany", "infantry", 1, "convoy.tunis"))


def test_the_second_axis_truck_comes_with_round_7() -> None:
    early = fan("r6.germany.requisition.buy")
    early.ok(Requisition(early.step, "germany", "truck", 1))
    early.no(
        Requisition(early.step, "germany", "truck", 1),
        "piece_limit",
        "Truck: only 1 in the box; 1 in play and 1 more wanted.",
    )
    late = fan("r7.germany.requisition.buy")
    late.ok(Requisition(late.step, "germany", "truck", 2))


def test_the_free_set_up_keeps_to_its_points() -> None:
    table = Table()
    table.no(
        PlaceFree("uk", "convoy.suez", "infantry", 5), "over_budget", "This costs 15. Points left: 12 of 12."
    )
    table.ok(PlaceFree("uk", "convoy.suez", "infantry", 4))
    table.no(
        PlaceFree("uk", "convoy.suez", "infantry", 1), "over_budget", "This costs 3. Points left: 0 of 12."
    )
    table.no(PlaceFree("uk", "convoy.suez", "truck", 1), "unknown_piece", "no trucks")
    table.no(PlaceFree("uk", "cairo", "infantry", 1), "wrong_place", "Cairo")
    table.no(
        PlaceFree("uk", "convoy.indian", "battleship", 1),
        "printed_value_missing",
        "Enter these values from your Reference Chart first: Battleship cost (United Kingdom).",
    )
    table.end(confirmed=True)
    table.no(PlaceFree("uk", "convoy.indian", "infantry", 1), "too_late", "set-up is over")


def test_set_mines_corrects() -> None:
    table = fan("r1.uk.requisition.buy")
    table.ok(SetMines("cairo", "mersa_matruh", 1))
    assert table.ledger.mines["cairo>mersa_matruh"] == 1
    table.ok(SetMines("sz.3", "uk", 0))
    assert "sz.3@uk" not in table.ledger.mines
