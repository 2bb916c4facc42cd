"""The victory chart of both scenarios, instant victories, the draw and its tie-break, through commands."""

from __future__ import annotations

import pytest

from companion.core.commands import EndAct
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.victory import BreakDraw, Claim, SetControl
from tests.games.aana.aana_table import Table


def at_end(scenario: str, holds: dict[str, str], **options: object) -> Table:
    table = Table(scenario, **options)
    table.jump("r14.us.deploy.place")
    for space in ("algiers", "benghazi", "mareth", "tobruk", "tripoli"):
        table.ok(SetControl(space, holds.get(space)))
    table.end(confirmed=True)
    return table


@pytest.mark.parametrize(
    ("scenario", "holds", "winner", "level"),
    [
        ("rommel", {"tobruk": "italy", "mareth": "germany"}, "axis", "major"),
        ("rommel", {"tobruk": "italy", "mareth": "uk", "tripoli": "us"}, "allies", "minor"),
        ("rommel", {"tobruk": "uk", "tripoli": "us"}, "allies", "major"),
        ("rommel", {"tripoli": "italy"}, "axis", "minor"),
        ("rommel", {"tripoli": "italy", "mareth": "us"}, None, ""),
        ("rommel", {"algiers": "vichy", "tripoli": "uk", "tobruk": "uk"}, "allies", "major"),
        ("rommel", {"tripoli": "uk", "algiers": "us"}, None, ""),
        ("torch", {"benghazi": "italy"}, "axis", "total"),
        ("torch", {"benghazi": "germany", "tripoli": "uk"}, "axis", "total"),
        ("torch", {"tripoli": "italy", "mareth": "germany", "benghazi": "uk"}, "axis", "major"),
        ("torch", {"benghazi": "uk", "tripoli": "us", "mareth": "germany"}, "allies", "major"),
        ("torch", {"benghazi": "uk", "mareth": "us", "tripoli": "italy"}, None, ""),
        ("torch", {"benghazi": "uk", "mareth": "us", "tripoli": "uk"}, "allies", "major"),
        ("torch", {"algiers": "germany", "tripoli": "uk", "benghazi": "uk"}, "allies", "major"),
    ],
)
def test_the_chart(scenario: str, holds: dict[str, str], winner: str | None, level: str) -> None:
    ending = at_end(scenario, holds).state.ending
    assert ending is not None
    assert (ending.winner, ending.level) == (winner, level)


def test_two_levels_at_once_may_be_ruled_a_draw() -> None:
    holds = {"algiers": "vichy", "tripoli": "uk", "tobruk": "uk"}
    ending = at_end("rommel", holds, **{"rulings.aana.levels": "draw"}).state.ending
    assert ending is not None
    assert ending.winner is None


@pytest.mark.parametrize(
    ("space", "power", "winner"), [("cairo", "germany", "axis"), ("tunis", "us", "allies")]
)
def test_a_fallen_capital_ends_the_game_at_once_and_can_be_undone(
    space: str, power: str, winner: str
) -> None:
    from companion.core.commands import Undo

    table = Table()
    table.ok(SetControl(space, power, 5))
    ending = table.state.ending
    assert ending is not None
    assert (ending.winner, ending.level) == (winner, "instant total")
    table.no(SetControl("tripoli", "uk"), "game_over")
    table.ok(Undo(table.now))
    assert table.state.ending is None


def test_an_eliminated_side_is_claimed_but_not_against_the_ledger() -> None:
    table = Table()
    table.no(Claim("axis", 1), "enemy_there", "Cairo")
    table.ok(CountSpace("cairo", {}))
    table.ok(Claim("axis", 1))
    assert table.state.ending is not None
    assert table.state.ending.winner == "axis"


def test_markers_stand_only_where_there_are_points() -> None:
    table = Table()
    table.no(SetControl("siwa", "uk"), "no_control", "Siwa")
    table.no(SetControl("malta", "italy"), "no_control", "Malta")
    table.no(SetControl("tobruk", "france"), "bad_value", "france is not a power.")


def test_a_draw_is_broken_by_the_cost_of_land_units() -> None:
    table = at_end("rommel", {"tripoli": "italy", "mareth": "us"}, tie_break=True)
    assert table.state.ending is None
    table.no(EndAct(table.step, table.now), "still_open", "Count the cost of land units to break the draw.")
    table.no(BreakDraw(-1, 3, table.now), "bad_value", "Costs cannot be negative.")
    table.ok(BreakDraw(30, 28, table.now))
    ending = table.state.ending
    assert ending is not None
    assert (ending.winner, ending.level) == ("axis", "tie-break")


def test_the_clock_stops_with_the_game() -> None:
    table = Table(clock=10)
    assert table.state.clocks.running is None, "the board is set up on nobody's time"
    table.end()
    assert table.state.clocks.running == "axis"
    table.ok(SetControl("cairo", "italy", table.now))
    assert table.state.clocks.running is None
