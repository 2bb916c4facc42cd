"""Resupply: values line by line, choices, baskets, lanes, at sea, the commander game (EXAMPLES A13, A15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.commands import AcknowledgeFlag, EnterPrintedValue, SetRuling
from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.ids import ARBITER, Nation
from companion.core.ledger import SealedEnvelope
from companion.core.text import Say, Typed
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.control import CorrectControl
from companion.games.sfw.rules.resupply_record import (
    ChooseResupply,
    CutLane,
    EnterLane,
    PassResupply,
    PickAbility,
    Place,
    Purchase,
    RecordBombing,
    RecordCardEffect,
    ReportAtSea,
    ReportCondition,
    ResolveMines,
    SetReserve,
)
from companion.games.sfw.rules.resupply_values import (
    adjusted,
    budget,
    lane_net,
    lane_victims,
    sources,
    why_not,
)
from companion.games.sfw.rules.seal_messages import SealSecret

US, GB, GERMANY, ITALY = (Nation(name) for name in ("us", "gb", "germany", "italy"))
VALUES = {"air": 10, "sea": 12, "land": 16}


def theater(ledger_game: Callable[..., Any], **options: Any) -> Any:
    """Return April 1943 at the Allies' lanes, with some values and holders entered."""
    game = ledger_game("apr43", options)
    held = {
        "algiers": "us",
        "bizerte": "us",
        "tripoli": "gb",
        "tunis": "germany",
        "rome": "italy",
        "naples": "germany",
    }
    for site, nation in held.items():
        game.enter({f"holder.apr43.{site}": nation})
        game.enter({f"resupply.theater.{site}.{kind}": value for kind, value in VALUES.items()})
    game.go("s3.r.allies.lanes")
    return game


def value(game: Any, source: str, kind: str) -> int | None:
    return adjusted(game.state, source, kind).value


def count_lanes(game: Any, **axis: int) -> None:
    for lane in "12345":
        game.do(EnterLane(lane, {"allies": 0, "axis": axis.get(f"lane_{lane}", 0)}))


def test_three_types_over_one_to_three_objectives(ledger_game: Callable[..., Any]) -> None:
    """S57: the US holds Naples, Taranto and Messina."""
    game = theater(ledger_game)
    for site in ("naples", "taranto", "messina"):
        game.do(CorrectControl(site, US))
        game.enter({f"resupply.theater.{site}.{k}": v for k, v in VALUES.items() if site != "naples"})
    assert {"naples", "taranto", "messina"} <= set(sources(game.state, "us"))
    game.do(
        ChooseResupply(US, "air", "naples"),
        ChooseResupply(US, "sea", "taranto"),
        ChooseResupply(US, "land", "messina"),
    )
    game.do(ChooseResupply(US, "sea", "messina"))
    assert game.state.game["resupply"].choices == {
        "us.air": "naples",
        "us.sea": "messina",
        "us.land": "messina",
    }


def test_any_mix_of_land_units_up_to_ten(ledger_game: Callable[..., Any]) -> None:
    """S58: Messina in the Italy scenario, Land 10; what is left is lost."""
    game = ledger_game("italy")
    army = Nation("germany_10")
    game.enter({"holder.italy.messina": army})
    game.go("s1.r.axis.choose")
    assert [value(game, "messina", kind) for kind in ("air", "sea", "land")] == [9, 7, 10]
    game.do(ChooseResupply(army, "land", "messina"))
    game.do(Purchase(army, "land", "infantry", 10))
    game.refuse(
        Purchase(army, "land", "land_transport"), "over_budget", "Only 10 to spend on land units; you need 11"
    )
    game.do(Purchase(army, "land", "infantry", -3))
    game.refuse(Purchase(army, "land", "tank"), "over_budget", "Only 10 to spend on land units; you need 11")
    game.refuse(Purchase(army, "land", "fighter"), "wrong_type", "bought with air")
    game.refuse(Purchase(army, "land", "zeppelin"), "unknown_unit")
    game.refuse(Purchase(army, "land", "infantry", -8), "bad_value", "In the basket: 7 infantry, not 8")
    game.refuse(Purchase(army, "sea", "destroyer"), "not_chosen", "First choose where")
    assert budget(game.state, army, "land").left == 3
    game.next(confirmed=True)
    game.refuse(game.end(), "still_open", "germany_10 has bought land units and not placed them")
    game.do(Place(army, "land"))
    game.refuse(Purchase(army, "land", "infantry"), "already_placed")
    record = game.state.game["resupply"].records[0]
    assert (record.units, record.cost, record.where) == ({"infantry": 7}, 7, "messina")


def test_halvings_come_first_and_each_rounds_down(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.do(RecordBombing("tripoli", 2))
    game.enter({"resupply.theater.tripoli.sea": 13})
    game.do(ReportCondition("tripoli", "contested"), ReportCondition("tripoli", "sea_space"))
    game.do(EnterLane("4", {"allies": 0, "axis": 1}), CutLane("4", "tripoli"))
    found = adjusted(game.state, "tripoli", "sea")
    assert [(line.what, line.value) for line in found.lines] == [
        ("printed", 13), ("contested", 6), ("sea_space", 3), ("lane", 2), ("bombing", 0),
    ]  # fmt: skip
    assert value(game, "tripoli", "land") == 5  # 16 halved, less 1 and 2; ships at sea change nothing ashore
    game.do(SetRuling("resupply_order", "subtract_first"))
    assert [(line.what, line.value) for line in adjusted(game.state, "tripoli", "sea").lines] == [
        ("printed", 13), ("lane", 12), ("bombing", 10), ("contested", 5), ("sea_space", 2),
    ]  # fmt: skip


def test_no_value_falls_below_zero_and_a_blockade_leaves_none(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.do(RecordBombing("tripoli", 11))
    found = adjusted(game.state, "tripoli", "air")
    assert [(line.what, line.value) for line in found.lines] == [
        ("printed", 10),
        ("bombing", -1),
        ("floor", 0),
    ]
    game.do(ReportCondition("algiers", "blockade"))
    assert value(game, "algiers", "sea") == 0
    assert value(game, "algiers", "land") == 16
    game.do(RecordCardEffect("algiers", {"sea": 3, "land": -1}, "Convoy"))
    assert value(game, "algiers", "sea") == 0
    assert adjusted(game.state, "algiers", "land").lines[-1].why == Say("card {card}", card=Typed("Convoy"))


def test_lanes_are_netted_and_the_winner_names_who_suffers(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.refuse(game.end(), "still_open", "Lane 1 is not counted. Lane 2 is not counted.")
    game.do(EnterLane("1", {"allies": 1, "axis": 3}))
    assert lane_net(game.state, "1") == ("axis", 2)
    assert lane_victims(game.state, "1") == ("gibraltar", "algiers", "bizerte")
    for lane in "2345":
        game.do(EnterLane(lane, {"allies": 1, "axis": 1}))
    game.refuse(game.end(), "still_open", "axis won lane 1 by 2: name the Objective")
    game.refuse(
        CutLane("1", "rome"), "lane_not_won", "Lane 1 cannot cut rome. Choose gibraltar, algiers, bizerte"
    )
    game.refuse(CutLane("2", "rome"), "lane_not_won", "the lane is level")
    game.refuse(EnterLane("9", {"allies": 0, "axis": 0}), "unknown_lane")
    game.refuse(EnterLane("2", {"allies": 0}), "bad_value")
    game.enter({"lane.2": 4})
    game.refuse(EnterLane("2", {"allies": 3, "axis": 2}), "bad_value", "Lane 2 has 4 sea spaces, not 5")
    game.do(CutLane("1", "algiers"))
    assert [value(game, "algiers", kind) for kind in ("air", "sea", "land")] == [8, 10, 14]
    game.next()
    assert game.state.step.id == "s3.r.allies.choose"
    game.go("s4.r.axis.lanes")
    assert value(game, "algiers", "air") == 10  # this phase only


def test_bombing_counts_for_the_coming_resupply_only(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.go("s4.t2.axis.resolve")
    game.do(RecordBombing("algiers", 3))
    game.refuse(RecordBombing("bone", 1), "unknown_source")
    game.go("s4.r.allies.choose")
    assert value(game, "algiers", "air") == 7
    game.go("s5.r.allies.choose")
    assert value(game, "algiers", "air") == 10


def test_what_cannot_be_bought_says_why(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.refuse(ChooseResupply(US, "air", "tripoli"), "not_yours", "controlled by gb, not by us")
    game.refuse(ChooseResupply(US, "air", "bone"), "no_value", "not an Objective")
    game.refuse(
        ChooseResupply(US, "air", "malta"), "holder_unknown", "Enter in Control which nation holds malta"
    )
    game.refuse(ChooseResupply(GERMANY, "air", "tunis"), "not_your_act", "This side acts now: allies")
    game.refuse(ChooseResupply(US, "gas", "algiers"), "wrong_type")
    game.refuse(ChooseResupply(US, "air", "paris"), "unknown_source")
    game.enter({"holder.apr43.malta": "gb"})
    game.refuse(
        ChooseResupply(GB, "air", "malta"), "value_unknown", "printed air value of malta is not entered"
    )
    game.do(ChooseResupply(US, "air", "algiers"), SetReserve(US, "fighter", 1))
    game.do(Purchase(US, "air", "fighter"))
    game.refuse(Purchase(US, "air", "fighter"), "none_left", "Left in the tray: 1 fighter; you need 2")
    assert why_not(game.state, "us", "air", "light_bomber") is None
    game.refuse(ChooseResupply(US, "air", "bizerte"), "already_placed", "First put back")
    game.refuse(Place(US, "air", mines=1), "bad_value")
    game.refuse(Place(US, "sea"), "nothing_bought")
    game.do(Place(US, "air"))
    assert game.state.game["resupply"].reserve["us.fighter"] == 0


def test_an_effect_that_would_leave_an_unpaid_basket_is_refused(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.do(ChooseResupply(US, "land", "algiers"), Purchase(US, "land", "infantry", 16))
    game.refuse(
        ReportCondition("algiers", "contested"),
        "over_budget",
        "us would have only 8 to spend on land units and has spent 16",
    )
    game.refuse(RecordBombing("algiers", 1), "over_budget", "only 15 to spend on land units")
    game.refuse(CorrectControl("algiers", ITALY), "spent_there", "First put back")
    game.do(Purchase(US, "land", "infantry", -8), ReportCondition("algiers", "contested"))


def test_a_printed_value_below_a_basket_is_refused(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.do(ChooseResupply(US, "land", "algiers"), Purchase(US, "land", "infantry", 16))
    game.refuse(
        EnterPrintedValue("resupply.theater.algiers.land", 15),
        "bad_value",
        "us would have only 15 to spend on land units and has spent 16",
    )


def test_choosing_passing_and_placing_are_asked_for(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    count_lanes(game)
    game.next()
    game.refuse(game.end(), "still_open", "gb has chosen no resupply. us has chosen no resupply.")
    game.do(PassResupply(GB), ChooseResupply(US, "land", "algiers"), Purchase(US, "land", "tank"))
    game.next()
    game.refuse(game.end(), "still_open", "us has bought land units and not placed them")
    game.do(Place(US, "land"))
    game.next()
    assert game.state.step.id == "s3.r.axis.lanes"


def test_mines_under_new_ships_are_rolled_for(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.do(ChooseResupply(US, "sea", "algiers"), Purchase(US, "sea", "destroyer", 2), PassResupply(GB))
    game.refuse(Place(US, "sea"), "bad_value", "Name a sea space")
    game.do(Place(US, "sea", "B3", mines=2))
    game.go("s3.r.allies.place")
    game.refuse(game.end(), "still_open", "us: roll for 2 mines in B3")
    game.refuse(ResolveMines(US, {"destroyer": 3}), "bad_value", "2 destroyer; 3 cannot be lost")
    game.do(ResolveMines(US, {"destroyer": 1}))
    game.refuse(ResolveMines(US), "not_now")
    game.next()


def seal_fleet(game: Any, nation: Nation) -> None:
    # As one that was sealed in its moment: the arbiter may note it late.
    envelope = SealedEnvelope("c", "n", "t", (), {}, "00")
    game.do(SealSecret(nation, "fleet", "fleet", envelope), actor=ARBITER)


def test_the_us_fleet_is_resupplied_at_sea(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.refuse(ChooseResupply(US, "land", "us_fleet"), "no_fleet", "us has no Hidden Fleet")
    game.refuse(ChooseResupply(GB, "land", "us_fleet"), "not_yours", "serves us only")
    seal_fleet(game, US)
    game.refuse(ChooseResupply(US, "land", "us_fleet"), "fleet_not_clear", "no enemy is beside it")
    game.refuse(ReportAtSea("nowhere", True), "unknown_source")
    game.do(ReportAtSea("us_fleet", True, land_room=2, air_room=0, ship_room=3))
    game.do(ReportCondition("us_fleet", "blockade"), ReportCondition("us_fleet", "sea_space"))
    assert [value(game, "us_fleet", kind) for kind in ("air", "sea", "land")] == [9, 9, 9]
    for kind in ("air", "sea", "land"):
        game.do(ChooseResupply(US, kind, "us_fleet"))
    game.do(Purchase(US, "land", "infantry", 2))
    game.refuse(
        Purchase(US, "land", "infantry"),
        "no_room",
        "No room for 3 Land Units: the Sea Transports there can take 2",
    )
    game.do(Purchase(US, "sea", "sea_transport"))
    game.do(Purchase(US, "land", "infantry", 4))
    game.refuse(Purchase(US, "sea", "sea_transport", -1), "no_room")
    game.refuse(
        Purchase(US, "air", "fighter"), "no_room", "No room for 1 aircraft: the Carriers there can take 0"
    )
    game.do(Purchase(US, "air", "heavy_bomber"))  # goes onto the map
    game.do(Purchase(US, "sea", "carrier"))
    game.do(Purchase(US, "air", "fighter"))
    game.refuse(
        Purchase(US, "sea", "sea_transport", 2), "over_budget", "Only 9 to spend on sea units; you need 10"
    )
    game.do(Purchase(US, "sea", "sea_transport"))
    game.refuse(ReportAtSea("us_fleet", False), "already_placed", "First put back")
    game.refuse(Place(US, "sea", mines=1), "bad_value")
    game.do(Place(US, "sea", into_fleet=True))


def test_the_german_point_of_north_africa(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.go("s1.r.axis.choose")
    assert [value(game, "german_point", kind) for kind in ("air", "sea", "land")] == [6, 10, 10]
    game.do(ChooseResupply(GERMANY, "sea", "german_point"), ChooseResupply(GERMANY, "land", "german_point"))
    game.refuse(Purchase(GERMANY, "land", "tank"), "no_room", "can take 0")
    game.do(ReportCondition("german_point", "sea_space"))
    assert value(game, "german_point", "sea") == 5
    game.do(Purchase(GERMANY, "sea", "sea_transport"), Purchase(GERMANY, "land", "tank", 2))
    game.refuse(
        ReportCondition("german_point", "blockade"),
        "over_budget",
        "germany would have only 0 to spend on sea units and has spent 1",
    )
    game.refuse(RecordBombing("german_point", 1), "unknown_source")


def test_units_not_yet_placed_go_back_when_time_runs_out(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game, tournament=True)
    game.do(ChooseResupply(US, "land", "algiers"), Purchase(US, "land", "tank", 2))
    game.do(ChooseResupply(US, "air", "algiers"), Purchase(US, "air", "fighter", 1), Place(US, "air"))
    game.desk.advance(200 * 60_000)
    losses = game.desk.rules.flag_losses(game.state, "allies")
    assert any("2 tank" in str(item.text) for item in losses)
    assert not any("fighter" in str(item.text) for item in losses)
    game.do(AcknowledgeFlag("allies", game.state.step.id, game.desk.now_ms()))
    own = game.state.game["resupply"]
    assert "us.land" not in own.baskets
    assert own.baskets["us.air"] == {"fighter": 1}
    assert game.state.step.id == "s3.r.axis.lanes"


@pytest.mark.parametrize("scenario", ["apr43", "italy"])
def test_commanders_pick_one_ability_for_the_whole_game(
    ledger_game: Callable[..., Any], scenario: str
) -> None:
    game = ledger_game(scenario, {"commander": True})
    game.do(PickAbility("allies", "air", "Pathfinders"))
    game.refuse(
        PickAbility("allies", "air", "Aces"), "already_placed", "Pathfinders was picked for the whole game"
    )
    game.refuse(PickAbility("allies", "space", "Aces"), "bad_value")
    game.refuse(PickAbility("allies", "sea", " "), "bad_value")
    game.go("s4.begin" if scenario == "apr43" else "s2.begin")
    assert game.state.game["resupply"].abilities == {"allies.air": "Pathfinders"}


def test_each_commander_resupplies_one_objective_a_nation(ledger_game: Callable[..., Any]) -> None:
    """S65: the Allied Air commander takes Air at one British and one US Objective."""
    game = theater(ledger_game, commander=True)
    game.do(ChooseResupply(US, "air", "algiers"), ChooseResupply(GB, "air", "tripoli"))
    game.do(ChooseResupply(US, "air", "bizerte"))
    choices = game.state.game["resupply"].choices
    assert choices == {"us.air": "bizerte", "gb.air": "tripoli"}


def test_outside_the_phase_nothing_is_bought(ledger_game: Callable[..., Any]) -> None:
    game = theater(ledger_game)
    game.go("s4.t1.axis.move")
    game.refuse(ChooseResupply(US, "air", "algiers"), "not_now")
    game.refuse(ReportCondition("algiers", "contested"), "not_now")
    game.refuse(EnterLane("1", {"allies": 0, "axis": 0}), "not_now")
    game.refuse(CutLane("1", "algiers"), "not_now")
    game.refuse(ReportCondition("bone", "contested"), "unknown_source")


def test_targeted_bombing_comes_from_the_battles(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    for site, nation in (("rome", "italy"), ("algiers", "us")):
        game.enter({f"holder.apr43.{site}": nation})
        game.enter({f"resupply.theater.{site}.{kind}": worth for kind, worth in VALUES.items()})
    game.go("s3.t2.allies.declare")
    game.do(bc.DeclareBattle("Rome", "land"))
    game.do(bc.ChangeUnits("A", "attacking", "heavy_bomber", "us"))
    game.do(bc.ChangeUnits("A", "defending", "infantry", "italy"))
    group = game.state.game["battle"].battles[0].battle.attacking[0]
    game.do(bc.SetGroup("A", "attacking", 0, replace(group, bombing=5)))
    game.go("s3.t2.allies.resolve")
    game.do(bc.BeginBattle("A"))
    dice = tuple(Die(DieColour.GRAY, face) for face in (11, 9, 3, 8, 10))
    game.do(bc.RecordRoll("A", (0,), Roll(DieKind.D12, dice)))
    game.go("s3.r.allies.lanes")
    assert game.state.game["resupply"].bombed == {"rome": 3}
    assert [value(game, "rome", kind) for kind in ("air", "sea", "land")] == [7, 9, 13]
    game.go("s4.r.axis.lanes")
    assert game.state.game["resupply"].bombed == {}
