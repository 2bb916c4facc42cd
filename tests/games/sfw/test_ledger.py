"""The ledger's tables: every scenario, broken data, printed values against every stated sum."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest

from companion.core.commands import EnterPrintedValue
from companion.games.sfw.rules.ledger import LedgerError
from companion.games.sfw.rules.ledger_read import ledger_table
from companion.games.sfw.rules.ledger_values import (
    base_table,
    printed_keys,
    refused_values,
    tables,
    with_printed,
)

SCENARIOS = (
    "apr43",
    "nov42",
    "nafrica",
    "italy",
    "tobruk41",
    "crete41",
    "sicily43",
    "salerno43",
    "cassino44",
)


def read(stem: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("scenarios") / "sfw96" / f"{stem}.toml").read_text())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_has_a_ledger(scenario: str) -> None:
    table = ledger_table(read("ledger"), read(scenario), commander=False)
    assert table.sites
    assert table.victory.stages
    assert table.victory.points or table.victory.control
    assert table.has_support == (scenario in ("apr43", "nov42"))
    assert bool(table.lanes) == (scenario in ("apr43", "nov42"))
    assert table.has_supply == (scenario == "nafrica")


def test_the_theater_board_has_sixteen_objectives_and_seven_airfields() -> None:
    table = ledger_table(read("ledger"), read("apr43"), commander=False)
    assert len(table.objectives()) == 16
    assert len(table.sites) == 23
    assert [(item.total, len(item.keys)) for item in table.sums] == [
        (104, 4), (48, 6), (160, 13), (208, 19), (152, 10),
    ]  # fmt: skip


def test_the_four_starting_totals_are_the_stated_ones() -> None:
    found = {name: ledger_table(read("ledger"), read(name), commander=False).start for name in SCENARIOS[:4]}
    assert found == {
        "apr43": {"allies": 152, "axis": 160},
        "nov42": {"allies": 104, "axis": 208},
        "nafrica": {"allies": 116, "axis": 44},
        "italy": {"allies": 48, "axis": 124},
    }


def test_the_commander_game_has_no_support() -> None:
    assert not ledger_table(read("ledger"), read("apr43"), commander=True).has_support


def test_broken_data_name_every_fault() -> None:
    data, scenario = read("ledger"), read("apr43")
    data["board"]["theater"]["site"][0]["kind"] = "harbour"
    data["board"]["theater"]["site"][1]["colour"] = "blue"
    data["start"]["apr43"]["axis"].append("paris")
    data["limits"]["tanks"] = 3
    data["resupply"]["conditions"] = ["contested", "raining"]
    scenario["victory"]["automatic"]["axis"] = 50.3
    with pytest.raises(LedgerError) as caught:
        ledger_table(data, scenario, commander=False)
    text = str(caught.value)
    assert "board.theater.site algiers: Invalid enum value 'harbour'" in text
    assert "board.theater.site bizerte: key 'colour' is unknown" in text
    assert "start.apr43.axis: expected a site of the board, got 'paris'" in text
    assert "limits.tanks: expected one of" in text
    assert "resupply.conditions: expected some of contested, blockade, sea_space, got 'raining'" in text
    assert "apr43.victory.automatic.axis: expected a multiple of 0.25, got 50.3" in text


def test_printed_values_are_checked_against_every_stated_sum(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"vp.theater.algiers": 8, "vp.theater.gibraltar": 6, "vp.theater.malta": 4})
    detail = game.refuse(EnterPrintedValue("vp.theater.alexandria", 9), "bad_value").detail
    assert str(detail) == (
        "Algiers, Gibraltar, Malta and Alexandria together (Allied start, November 1942) must add up to 26, not 27."
    )
    game.enter({"vp.theater.alexandria": "8"})
    game.refuse(
        EnterPrintedValue("vp.theater.tunis", 41),
        "bad_value",
        "must add up to 40; the values entered so far make 41",
    )
    game.refuse(
        EnterPrintedValue("vp.theater.bizerte", 12.25),
        "bad_value",
        "must add up to 12; the values entered so far make 12.25",
    )
    game.refuse(EnterPrintedValue("vp.theater.tunis", 0.3), "bad_value", "steps of 0.25")
    game.refuse(EnterPrintedValue("vp.theater.paris", 1), "bad_value", "paris is not on the board")
    game.refuse(EnterPrintedValue("vp.italia.messina", 1), "bad_value", "This game has no printed value")
    game.do(EnterPrintedValue("vp.italy.messina", 1))  # kept for the other board
    assert tables(game.state).sites["messina"].vp is None
    game.refuse(EnterPrintedValue("resupply.theater.bone.air", 1), "bad_value", "bone is not an Objective")
    game.refuse(
        EnterPrintedValue("resupply.theater.rome.space", 1),
        "bad_value",
        "Choose air, sea, land resupply, not ",
    )
    game.refuse(
        EnterPrintedValue("resupply.theater.rome.air", -1), "bad_value", "Enter a whole number from 0 to 99"
    )
    game.refuse(
        EnterPrintedValue("holder.apr43.rome", "us"), "bad_value", "who holds rome at the start: axis"
    )
    game.refuse(
        EnterPrintedValue("site.theater.paris", {"name": "P", "kind": "airfield"}), "bad_value", "names every"
    )


def test_a_value_taken_back_is_free_again(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"vp.theater.algiers": 26})
    game.refuse(EnterPrintedValue("vp.theater.malta", 1), "bad_value")
    game.enter({"vp.theater.algiers": None, "vp.theater.malta": 1})
    assert tables(game.state).sites["malta"].vp == 4


def test_unnamed_sites_of_an_operations_board_can_be_added(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.enter(
        {"site.nafrica.fort_x": {"name": "Fort X", "kind": "airfield"}, "holder.nafrica.fort_x": "germany"}
    )
    assert tables(game.state).sites["fort_x"].side == "axis"
    game.refuse(EnterPrintedValue("site.nafrica.Fort", {"name": "F", "kind": "airfield"}), "bad_value")
    game.refuse(
        EnterPrintedValue("site.nafrica.tobruk", {"name": "F", "kind": "airfield"}), "bad_value", "already"
    )
    game.refuse(
        EnterPrintedValue("site.nafrica.a", {"name": "F", "kind": "port"}),
        "bad_value",
        "an Objective or an Airfield",
    )
    game.refuse(
        EnterPrintedValue("vp.nafrica.fort_x", 11.25),
        "bad_value",
        "must add up to 11; the values entered so far make 11.25",
    )


def test_start_holders_bind_the_sums_of_an_operations_board(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.enter({"vp.nafrica.sollum": 12})
    game.refuse(
        EnterPrintedValue("holder.nafrica.sollum", "germany"),
        "bad_value",
        "must add up to 11; the values entered so far make 12",
    )
    game.enter({"holder.nafrica.sollum": "gb_xiii"})


def test_values_of_another_set_are_taken_only_as_far_as_they_fit(ledger_game: Callable[..., Any]) -> None:
    state = ledger_game("apr43").state
    setup, table = state.frozen_setup, base_table(state.frozen_setup)
    foreign = {
        "vp.theater.algiers": 20, "vp.theater.malta": 7, "vp.italy.messina": 3, "vp.theater.rome": "nine",
        "tank.number": 8, "holder.apr43.rome": "italy", "resupply.theater.rome.air": 1.5,
    }  # fmt: skip
    filled = with_printed(table, foreign, setup)
    assert filled.sites["algiers"].vp == 80
    assert filled.sites["malta"].vp is None
    assert filled.sites["rome"].vp is None
    assert filled.sites["rome"].nation == "italy"
    refused = refused_values(table, foreign, setup)
    assert len(refused) == 3
    assert any(str(line).startswith("vp.theater.malta: ") and "make 27" in str(line) for line in refused)


def test_what_can_still_be_entered_is_listed(ledger_game: Callable[..., Any]) -> None:
    state = ledger_game("apr43").state
    keys = printed_keys(tables(state), state.frozen_setup)
    assert "vp.theater.rome" in keys
    assert "resupply.theater.rome.land" in keys
    assert "resupply.theater.bone.air" not in keys
    assert "lane.3" in keys
    assert "deck.us" in keys
    assert "start_space.apr43.germany" in keys
    state = ledger_game("nafrica").state
    keys = printed_keys(tables(state), state.frozen_setup)
    assert "link.gazala.tobruk" in keys
    assert "link.mersa_brega.tripoli_italy" not in keys
    assert not any(key.startswith("deck.") for key in keys)
