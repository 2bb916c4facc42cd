"""Whole games of Song for War on the clock: fallen flags, the last check, double presses at every step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "core"))

from core_table import ALLIES, AXIS, MINUTE, Table, check_log

from companion.core import commands as cm
from companion.core.ids import ARBITER, SYSTEM, Actor
from companion.core.parts import ComposedRules
from companion.core.rules import Code
from companion.games.sfw.rules.flow import FlowPart
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.session.scenario_loader import load_game, make_setup

FAMILY = SfwFamily()
LOADED = load_game(FAMILY)
ALL = tuple(LOADED.data.scenarios)
FLOW_ALONE = ComposedRules("sfw96", (FlowPart(),))


def table(scenario: str, rules: Any = FLOW_ALONE, **options: Any) -> Table:
    return Table(make_setup(FAMILY, LOADED, scenario, options), rules)


def fall(game: Table) -> None:
    """Let the running side's flag fall."""
    running = game.state.clocks.running
    assert running is not None
    game.now += (game.left(running) or 0) + 250
    game.do(cm.SettleClock(game.now), SYSTEM)


def carry_out(game: Table) -> None:
    side = game.state.flag_prompt
    assert side is not None
    losses = tuple(loss.id for loss in game.rules.flag_losses(game.state, side))
    game.do(cm.AcknowledgeFlag(side, game.state.step.id, game.now, losses))


def losses(game: Table) -> list[str]:
    side = game.state.flag_prompt
    assert side is not None
    return [loss.id for loss in game.rules.flag_losses(game.state, side)]


@pytest.mark.parametrize("scenario", ALL)
@pytest.mark.parametrize("rules", ["flow", "all"])
def test_a_double_press_within_a_millisecond_never_skips_a_step(scenario: str, rules: str) -> None:
    """Two sources press at every step of a whole game: each step is ended once."""
    game = table(scenario, FLOW_ALONE if rules == "flow" else sfw96_rules(), tournament=True, minutes=60)
    walked = []
    while game.state.ending is None:
        step = game.state.step.id
        walked.append(step)
        game.now += 700
        first = game.send(cm.EndAct(step, game.now, confirmed=True), Actor("table"))
        assert first is None, first
        second = game.send(cm.EndAct(step, game.now + 1, confirmed=True), SYSTEM, now=game.now + 1)
        assert second is not None
        assert second.code in (Code.STALE_STEP, Code.GAME_OVER)
    every = [step.id for step in game.state.itinerary.steps]
    assert walked == every[: len(walked)]
    assert rules == "all" or walked == every  # the ledger may end a game early
    assert game.state.step.phase == "victory"


def test_without_a_ledger_the_game_ends_after_the_last_victory() -> None:
    game = table("italy")
    game.press_to("s4.v.check")
    game.press()
    assert game.state.ending is not None
    assert (game.state.ending.winner, game.state.ending.reason) == (None, "end_of_play")


@pytest.mark.parametrize(("scenario", "stage", "minutes"), [
    ("apr43", 3, 26), ("nov42", 1, 26), ("nafrica", 1, 15), ("italy", 1, 22),
])  # fmt: skip
def test_each_side_starts_with_its_tournament_minutes_and_gets_them_again(
    scenario: str, stage: int, minutes: int
) -> None:
    """EXAMPLES S61, S63."""
    game = table(scenario, tournament=True)
    game.press_to(f"s{stage}.begin")
    assert game.left(ALLIES) == game.left(AXIS) == minutes * MINUTE
    game.press_to(f"s{stage + 1}.begin", each_ms=1_000)
    assert game.left(ALLIES) == 2 * minutes * MINUTE - game.used(ALLIES)
    total = sum(game.state.clocks.config.allotted_ms[ALLIES]) // MINUTE
    assert total == {"apr43": 104, "nov42": 156, "nafrica": 75, "italy": 88}[scenario]


def test_a_flag_in_tactical_costs_the_rest_of_the_stage_and_the_other_side_goes_on() -> None:
    game = table("nov42", tournament=True)
    game.press_to("s1.t2.allies.resolve")
    fall(game)
    assert losses(game) == [
        "flag.battles", "flag.no_acts", "flag.air_lost", "flag.still_defends", "flag.no_support", "flag.no_resupply",
    ]  # fmt: skip
    carry_out(game)
    seen = []
    while game.state.step.stage == 1:
        seen.append(game.state.step.id)
        game.press(100)
    assert seen[0] == "s1.t2.axis.move"
    assert not [step for step in seen if ".allies." in step and ".v." not in step]
    assert [step for step in seen if ".v." in step] == [
        "s1.v.allies.confirm",
        "s1.v.axis.confirm",
        "s1.v.check",
    ]
    game.press_to("s2.t1.allies.move", each_ms=1)
    assert game.state.clocks.running == ALLIES
    assert game.left(ALLIES) == 26 * MINUTE


def test_what_is_lost_depends_on_the_phase_and_what_is_still_to_come() -> None:
    game = table("nov42", tournament=True)
    game.press_to("s1.ns.allies.draw")
    fall(game)
    assert losses(game) == ["flag.support_stops", "flag.no_resupply_after_support"]
    carry_out(game)
    assert game.state.step.id == "s1.ns.axis.draw"
    game.press_to("s1.r.axis.choose")
    fall(game)
    assert losses(game) == ["flag.unplaced"]
    carry_out(game)
    assert game.state.step.id == "s2.begin"
    game.press_to("s6.t1.axis.move")
    fall(game)
    assert losses(game) == ["flag.battles", "flag.no_acts", "flag.air_lost", "flag.still_defends"]


def test_the_table_may_rule_that_a_fallen_side_does_not_defend() -> None:
    game = table("italy", tournament=True)
    game.press_to("s1.t1.allies.move")
    fall(game)
    assert "flag.still_defends" in losses(game)
    game.do(cm.SetRuling("fallen_side", "no_defence"), ARBITER)
    assert "flag.no_defence" in losses(game)
    assert "flag.still_defends" not in losses(game)


@pytest.mark.parametrize("scenario", ["apr43", "nov42", "nafrica", "italy"])
def test_both_out_in_the_last_tactical_phase_lead_to_the_victory_check(scenario: str) -> None:
    game = table(scenario, tournament=True)
    last = game.state.itinerary.steps[-1].stage
    game.press_to(f"s{last}.begin")
    game.press()
    for _ in range(2):
        fall(game)
        carry_out(game)
    assert game.state.step.phase == "victory"
    assert [f.stage for f in game.state.clocks.falls] == [last, last]
    game.press_to(f"s{last}.v.check")
    game.press()
    assert game.state.ending is not None
    check_log(game)


def test_time_given_back_by_the_arbiter_brings_the_side_back_into_the_stage() -> None:
    game = table("italy", tournament=True)
    game.press_to("s1.t1.allies.move")
    fall(game)
    carry_out(game)
    game.do(cm.CorrectTime(ALLIES, MINUTE, game.now, "the box slept"), ARBITER)
    game.resume()
    game.press_to("s1.t2.allies.move")
    assert game.left(ALLIES) == MINUTE
    check_log(game)


def test_unused_time_is_banked_as_in_the_rulebooks_example() -> None:
    """3:15 left in stage 1 of Italy is 25:15 in stage 2."""
    game = table("italy", tournament=True)
    game.press_to("s1.t1.allies.move")
    game.press(22 * MINUTE - 195_000)
    game.press_to("s2.begin")
    assert game.left(ALLIES) == 25 * MINUTE + 15_000


def test_unequal_minutes_run_as_set() -> None:
    game = table("italy", tournament=True, minutes={"allies": [10, 20, 30, 40], "axis": 12.5})
    game.press_to("s2.begin")
    assert (game.left(ALLIES), game.left(AXIS)) == (30 * MINUTE, 25 * MINUTE)


def test_a_whole_tournament_game_adds_up() -> None:
    game = table("nafrica", tournament=True)
    while game.state.ending is None:
        game.press(3_333)
    assert game.used(ALLIES) + game.used(AXIS) == 3_333 * sum(
        step.clock is not None for step in game.state.itinerary.steps
    )
    check_log(game)
