"""Automatic and standard victory of all nine scenarios, at the right stages only, ties included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.commands import AcknowledgeFlag
from companion.core.ids import Nation
from companion.games.sfw.rules.control import CorrectControl, SetTotals
from companion.games.sfw.rules.victory import conditions, missing_for, verdict


def play_out(game: Any, last: str) -> None:
    """Walk on until the game ends or the step `last` has been ended."""
    while game.state.ending is None:
        at_last = game.state.step.id == last
        game.next(confirmed=True)
        if at_last:
            return


@pytest.mark.parametrize(
    ("scenario", "totals", "stage", "winner", "level"),
    [
        ("apr43", (194, 118), 3, "allies", "automatic"),  # S51: 48.5 at the end of Victory
        ("apr43", (193, 119), 3, None, ""),
        ("apr43", (110, 202), 3, "axis", "automatic"),
        ("apr43", (111, 201), 3, None, ""),
        ("apr43", (192, 120), 6, "axis", "standard"),
        ("apr43", (194, 118), 6, "allies", "automatic"),
        ("nov42", (176, 136), 1, "allies", "automatic"),
        ("nov42", (175, 137), 1, None, ""),
        ("nov42", (64, 248), 1, "axis", "automatic"),
        ("nov42", (65, 247), 1, None, ""),
        ("nov42", (65, 247), 6, "axis", "standard"),
        ("nafrica", (112, 48), 3, "allies", "automatic"),
        ("nafrica", (111, 49), 3, None, ""),
        ("nafrica", (48, 112), 3, "axis", "automatic"),
        ("nafrica", (84, 76), 5, "allies", "standard"),
        ("nafrica", (76, 84), 5, "axis", "standard"),
        ("italy", (120, 52), 1, "allies", "automatic"),
        ("italy", (119, 53), 1, None, ""),
        ("italy", (0, 172), 1, None, ""),  # the Axis has no automatic victory
        ("italy", (119, 53), 4, "axis", "standard"),
        ("italy", (120, 52), 4, "allies", "automatic"),
    ],
)
def test_points_decide_at_the_end_of_the_victory_phase(  # noqa: PLR0917 - a table
    ledger_game: Callable[..., Any],
    scenario: str,
    totals: tuple[int, int],
    stage: int,
    winner: str | None,
    level: str,
) -> None:
    game = ledger_game(scenario)
    game.jump(f"s{stage}.v.check")
    game.do(SetTotals({"allies": totals[0], "axis": totals[1]}))
    assert game.state.ending is None
    game.next(confirmed=True)
    ending = game.state.ending
    assert (ending.winner if ending else None) == winner
    assert (ending.level if ending else "") == level


@pytest.mark.parametrize(("nation", "winner"), [("gb_xiii", "allies"), ("italy", "axis")])
def test_a_tie_in_north_africa_goes_to_the_holder_of_tobruk(
    ledger_game: Callable[..., Any], nation: str, winner: str
) -> None:
    game = ledger_game("nafrica")
    game.enter({"holder.nafrica.tobruk": nation})
    game.jump("s5.v.check")
    game.do(SetTotals({"allies": 80, "axis": 80}))
    game.next()
    assert game.state.ending is not None
    assert game.state.ending.winner == winner
    assert "tied and Tobruk theirs" in game.state.ending.reason


def test_north_africa_is_not_checked_before_stage_3(ledger_game: Callable[..., Any]) -> None:
    """The Allies start at 29, over their own threshold of 28."""
    game = ledger_game("nafrica")
    assert verdict(game.state, 1) is None
    assert verdict(game.state, 2) is None
    assert verdict(game.state, 3) is not None
    assert not any(step.phase == "victory" and step.stage < 3 for step in game.state.itinerary)
    play_out(game, "s3.v.check")
    assert game.state.step.id == "s3.v.check"
    assert game.state.ending.winner == "allies"


@pytest.mark.parametrize(
    ("scenario", "sites", "taker", "winner"),
    [
        ("tobruk41", ("tobruk",), "germany", "axis"),
        ("crete41", ("maleme", "heraklion"), "germany", "axis"),
        ("sicily43", ("messina", "catania"), "us", "allies"),
        ("salerno43", ("salerno",), "us", "allies"),
        ("cassino44", ("cassino",), "gb", "allies"),
    ],
)
@pytest.mark.parametrize("stage", [1, 2])
def test_a_short_play_scenario_is_won_by_control(  # noqa: PLR0917 - a table
    ledger_game: Callable[..., Any],
    scenario: str,
    sites: tuple[str, ...],
    taker: str,
    winner: str,
    stage: int,
) -> None:
    game = ledger_game(scenario)
    game.jump(f"s{stage}.v.check")
    for site in sites[:-1]:
        game.do(CorrectControl(site, Nation(taker)))
    other = "axis" if winner == "allies" else "allies"
    wanted = verdict(game.state, stage)
    assert (wanted.winner if wanted else None) == (other if stage == 2 else None)
    game.do(CorrectControl(sites[-1], Nation(taker)))
    game.next()
    assert (game.state.ending.winner, game.state.ending.level) == (winner, "automatic")


@pytest.mark.parametrize(
    ("scenario", "winner"),
    [
        ("tobruk41", "allies"),
        ("crete41", "allies"),
        ("sicily43", "axis"),
        ("salerno43", "axis"),
        ("cassino44", "axis"),
    ],
)
def test_a_short_play_scenario_falls_to_the_other_side_at_the_end(
    ledger_game: Callable[..., Any], scenario: str, winner: str
) -> None:
    game = ledger_game(scenario)
    play_out(game, "s1.v.check")
    assert game.state.ending is None
    play_out(game, "s2.v.check")
    assert (game.state.ending.winner, game.state.ending.level) == (winner, "standard")


def test_an_unknown_tile_is_asked_for_and_never_guessed(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.do(CorrectControl("rome", Nation("us")))
    assert (
        str(missing_for(game.state))
        == "The tile value of rome is missing. Enter it, or set both totals by hand."
    )
    game.jump("s6.v.check")
    assert {item.is_met for item in conditions(game.state)} == {None}
    game.refuse(game.end(), "still_open", "rome")
    game.enter({"vp.theater.rome": 9})
    game.next()
    assert game.state.ending.winner == "axis"


def test_the_distance_to_each_condition_is_known_at_any_time(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    found = {(item.side, item.kind): item for item in conditions(game.state)}
    assert found["allies", "points"].short_by == 42
    assert found["axis", "points"].short_by == 42
    assert found["axis", "denial"].is_met
    game = ledger_game("crete41")
    game.do(CorrectControl("maleme", Nation("italy")))
    found = {(item.side, item.kind): item for item in conditions(game.state)}
    assert found["axis", "control"].sites == ("heraklion",)
    assert found["axis", "control"].short_by == 1
    game = ledger_game("nafrica", {})
    game.enter({"holder.nafrica.tobruk": "italy"})
    found = {(item.side, item.kind): item for item in conditions(game.state)}
    assert found["allies", "most"].is_met
    assert found["axis", "most"].short_by == 72


def test_at_least_or_exactly_is_the_tables_ruling(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"rulings.have_vp": "exactly"})
    game.jump("s3.v.check")
    game.do(SetTotals({"allies": 195, "axis": 117}))
    game.next()
    assert game.state.ending is None


def test_both_sides_out_of_time_in_the_last_tactical_phase(ledger_game: Callable[..., Any]) -> None:
    """Tournament Time, Ending the Game: Victory is checked and a winner declared."""
    game = ledger_game("italy", {"tournament": True})
    game.jump("s4.t1.axis.move")
    for side in ("axis", "allies"):
        game.desk.advance(200 * 60_000)
        assert game.state.flag_prompt == side
        game.do(AcknowledgeFlag(side, game.state.step.id, game.desk.now_ms()))
    assert game.state.step.phase == "victory"
    play_out(game, "s4.v.check")
    assert (game.state.ending.winner, game.state.ending.level) == ("axis", "standard")
