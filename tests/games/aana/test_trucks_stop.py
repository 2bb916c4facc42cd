"""Trucks load wherever they are on their way, and unload only where their move ends.

Source: rulebook, Trucks (Land Transport; Coast Road Movement).
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.ids import SiteId
from companion.games.aana.pages.moves import room_to_move
from companion.games.aana.rules.movement import free_moves
from companion.games.aana.rules.victory import SetControl
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table

TRUCK = {"germany.truck": 1}


def west(**tripoli: int) -> Table:
    """Germany's phase 5: trucks in Tripoli, infantry and supply in Tripoli and Sirte, all of the coast friendly."""
    table = Table(values="unofficial")
    table.jump("r1.germany.noncombat.move")
    table.tell("tripoli", supply=5, **{"germany_truck": 1, "germany_infantry": 2, **tripoli})
    table.tell("sirte", supply=2, germany_infantry=2)
    table.ok(SetControl(SiteId("el_agheila"), "germany"))
    for space in ("el_agheila", "mersa_brega"):
        table.tell(space, supply=0)
    return table


def go(table: Table, origin: str, to: str, units: dict[str, int] = TRUCK, **given: Any) -> MakeMove:
    return MakeMove(table.step, origin, to, units, **given)


def infantry(n: int) -> dict[str, int]:
    return {"germany.infantry": n}


def test_a_truck_takes_cargo_of_two_territories_to_a_third() -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte", riders=infantry(1), supply=2))
    table.ok(go(table, "sirte", "el_agheila", riders=infantry(2), supply=3))
    assert table.ledger.units["el_agheila"] == {"germany.truck": 1, "germany.infantry": 2}
    assert table.ledger.supply["el_agheila"] == 3
    assert (table.count("sirte", "germany.infantry"), table.ledger.supply["sirte"]) == (1, 1)
    assert free_moves(table.state, "sirte", "germany.infantry") == (1,), "who stayed has not moved"
    assert free_moves(table.state, "el_agheila", "germany.infantry") == (0, 0)
    table.no(go(table, "el_agheila", "mersa_brega", riders=infantry(2), supply=3), "too_far")


@pytest.mark.parametrize("left", [{"riders": infantry(1)}, {"supply": 2}, {}])
def test_what_is_aboard_is_not_left_on_the_way(left: dict[str, Any]) -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte", riders=infantry(1), supply=2))
    table.no(
        go(table, "sirte", "el_agheila", **left), "cargo_aboard", "Cargo stays aboard until its truck stops"
    )


def test_no_more_than_six_are_aboard_and_nobody_rides_twice() -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte", riders=infantry(1), supply=4))
    table.no(go(table, "sirte", "el_agheila", riders=infantry(3), supply=4), "no_room", "7 to carry")
    table.no(go(table, "sirte", "el_agheila", riders=infantry(4), supply=2), "has_moved", "Only 3")
    table.no(go(table, "sirte", "el_agheila", infantry(3)), "too_far")
    table.ok(go(table, "sirte", "el_agheila", riders=infantry(2), supply=4))


def test_an_empty_truck_drives_to_its_cargo() -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte"))
    table.ok(go(table, "sirte", "el_agheila", riders=infantry(2), supply=2))
    assert table.count("el_agheila", "germany.infantry") == 2


def test_of_two_trucks_one_may_stay_with_what_fits_into_it() -> None:
    table = west(germany_truck=2, germany_infantry=6)
    table.ok(go(table, "tripoli", "sirte", {"germany.truck": 2}, riders=infantry(6), supply=2))
    table.no(go(table, "sirte", "el_agheila", riders=infantry(1)), "cargo_aboard", "5 Infantry")
    table.ok(go(table, "sirte", "el_agheila", riders=infantry(2)))
    assert table.count("sirte", "germany.infantry") == 6
    assert table.count("sirte", "germany.truck") == 1


def test_five_spaces_along_the_coast_road_count_over_all_stops() -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte", riders=infantry(1), road=True))
    table.ok(go(table, "sirte", "mersa_brega", riders=infantry(2), road=True))
    assert free_moves(table.state, "mersa_brega", "germany.truck", road=True) == (2,)
    other = west()
    other.ok(go(other, "tripoli", "sirte", riders=infantry(1)))
    other.no(go(other, "sirte", "mersa_brega", riders=infantry(1), road=True), "too_far")


def test_trucks_go_on_in_phase_5_alone() -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte", riders=infantry(1)))
    table.jump("r1.germany.deploy.place")
    assert free_moves(table.state, "sirte", "germany.truck") == (0,)


def test_the_page_offers_who_is_aboard_to_ride_on() -> None:
    table = west()
    table.ok(go(table, "tripoli", "sirte", riders=infantry(1)))
    able, words = room_to_move(table.state, "sirte", "germany.infantry", road=False, blitz=False)
    assert (able, str(words)) == (3, "1 aboard a truck")
    assert room_to_move(table.state, "sirte", "germany.truck", road=False, blitz=False)[0] == 1
