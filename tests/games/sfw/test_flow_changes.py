"""What of the sequence of play a table may still settle during a game, and how the rest follows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "core"))

from core_table import ALLIES, AXIS, Table, check_log

from companion.core import commands as cm
from companion.core.events import StepsReplaced
from companion.core.ids import Side
from companion.core.rules import Code
from companion.games.sfw.rules.flow import SetFirstSide, SetTogether
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.session.scenario_loader import load_game, make_setup

FAMILY = SfwFamily()
LOADED = load_game(FAMILY)
ALL_THREE = ("victory", "national_support", "resupply")


def table(scenario: str, **options: Any) -> Table:
    return Table(make_setup(FAMILY, LOADED, scenario, options), sfw96_rules())


def ids(game: Table, stage: int, phase: str = "") -> list[str]:
    return [s.id for s in game.state.itinerary.steps if s.stage == stage and phase in ("", s.phase)]


def unfolded(scenario: str, **options: Any) -> list[str]:
    return [step.id for step in make_setup(FAMILY, LOADED, scenario, options).steps]


def line(game: Table) -> list[str]:
    return [step.id for step in game.state.itinerary.steps]


def test_flags_read_from_the_board_turn_a_stage_round_that_has_not_begun() -> None:
    game = table("italy", tournament=True)
    game.press_to("s1.t1.allies.move")
    game.do(SetFirstSide(2, ALLIES))
    assert line(game) == unfolded("italy", first={"2": "allies"})
    assert (game.state.step.id, game.state.clocks.running) == ("s1.t1.allies.move", ALLIES)
    assert game.state.rulings["first_side"] == "board"
    game.press_to("s2.begin")
    game.do(SetFirstSide(2, AXIS))  # the last moment
    game.press()
    assert game.state.step.id == "s2.t1.axis.move"
    check_log(game)


def test_what_is_stated_or_has_begun_stays() -> None:
    game = table("italy")
    refused = game.refused(SetFirstSide(1, AXIS))
    assert (refused.code, str(refused.detail)) == (
        "first_side_stated",
        "The rulebook fixes who acts first in stage 1.",
    )
    assert game.refused(SetFirstSide(9, AXIS)).code == "first_side_stated"
    assert game.refused(SetFirstSide(2, Side("france"))).code == Code.UNKNOWN_SIDE
    assert table("nov42").refused(SetFirstSide(2, ALLIES)).code == "first_side_stated"
    game.press_to("s2.t1.axis.move")
    assert str(game.refused(SetFirstSide(2, ALLIES)).detail) == "Stage 2 has already begun."
    assert game.do(SetFirstSide(3, ALLIES)) == ()


def test_taking_the_ruling_back_lets_the_stages_ahead_alternate_again() -> None:
    game = table("italy", first={"2": "allies", "4": "allies"})
    game.press_to("s3.begin")
    game.do(cm.SetRuling("first_side", "alternates"))
    assert ids(game, 4)[1] == "s4.t1.axis.move"
    assert ids(game, 2)[1] == "s2.t1.allies.move"  # played as it was
    assert table("italy").do(cm.SetRuling("first_side", "board")) != ()
    check_log(game)


def test_alternation_without_anything_set_changes_no_step() -> None:
    game = table("italy", first={"2": "allies"})
    game.press_to("s3.begin")
    events = game.do(cm.SetRuling("first_side", "alternates"))
    assert [type(event) for event in events if isinstance(event, StepsReplaced)] == []


def test_sides_agree_to_act_at_once_and_take_it_back() -> None:
    game = table("nov42")
    game.press_to("s1.t2.allies.move")
    game.do(SetTogether(("resupply", "victory")))
    assert line(game) == unfolded("nov42", together=["victory", "resupply"])
    game.press_to("s1.r.both.choose")
    game.do(SetTogether(()))
    assert game.state.step.id == "s1.r.both.choose"
    assert ids(game, 1, "resupply") == ["s1.r.both.lanes", "s1.r.both.choose", "s1.r.both.place"]
    assert line(game)[-72:] == unfolded("nov42")[-72:]
    game.press_to("s2.begin")
    check_log(game)


def test_an_agreement_in_the_middle_of_a_phase_holds_from_the_next() -> None:
    game = table("nov42")
    game.press_to("s1.ns.axis.draw")
    game.do(SetTogether(ALL_THREE))
    assert ids(game, 1, "national_support")[-2:] == ["s1.ns.axis.draw", "s1.ns.axis.play"]
    assert ids(game, 1, "resupply")[0] == "s1.r.both.lanes"
    assert game.do(SetTogether(ALL_THREE)) == ()
    game.press_to("s2.begin")
    check_log(game)


@pytest.mark.parametrize(
    ("options", "phases", "refusal"),
    [
        ({"tournament": True}, ("resupply",),
         ("never_both_clocks", "Under tournament time, one side acts after the other.")),
        ({"rulings": {"act_together": "never"}}, ("resupply",),
         ("never_together", "Your table has ruled that both sides never act at once.")),
        ({}, ("tactical", "resupply"),
         (Code.BAD_VALUE,
          "Both sides can act at once only in these phases: victory, national_support, resupply. Not in tactical.")),
    ],
)  # fmt: skip
def test_acting_at_once_is_refused_where_it_may_not_be(
    options: dict[str, Any], phases: tuple[str, ...], refusal: tuple[str, str]
) -> None:
    refused = table("nov42", **options).refused(SetTogether(phases))
    assert (refused.code, str(refused.detail)) == refusal


def test_a_ruling_against_it_ends_the_agreement() -> None:
    game = table("italy", together=True)
    game.press_to("s1.t6.allies.return")
    game.do(cm.SetRuling("act_together", "never"))
    assert line(game) == unfolded("italy")
    assert game.do(cm.SetRuling("act_together", "if_agreed"))[1:] == ()
    assert table("italy").do(cm.SetRuling("act_together", "never"))[1:] == ()


def test_guns_follow_the_ruling_from_the_current_step_on() -> None:
    game = table("italy")
    game.press_to("s1.t5.allies.declare")
    game.do(cm.SetRuling("step5_guns", "no"))
    units = {s.id: s.active_units for s in game.state.itinerary.steps if s.movement_step == 5}
    assert units["s1.t5.allies.move"] != units["s1.t5.allies.declare"]
    assert (
        units["s1.t5.allies.declare"] == units["s4.t5.axis.resolve"] == ("land_transport", "infantry", "tank")
    )
    game.do(cm.SetRuling("step5_guns", "yes"))
    assert game.state.step.active_units[2:4] == ("artillery", "anti_air")
    check_log(game)


def test_changes_hold_through_undo_and_redo() -> None:
    game = table("italy")
    game.press_to("s1.t1.allies.resolve")
    game.do(SetFirstSide(2, ALLIES))
    game.do(SetTogether(("resupply",)))
    while game.line.undo_target() is not None:
        game.do(cm.Undo(game.now))
    assert game.state.step.id == "setup"
    assert line(game) == unfolded("italy", first={"2": "allies"}, together=["resupply"])
    while game.line.redo_target() is not None:
        game.do(cm.Redo(game.now))
    assert game.state.step.id == "s1.t1.allies.resolve"
    check_log(game)


def test_undone_steps_that_the_game_no_longer_has_lead_back_to_where_it_was_settled() -> None:
    game = table("italy")
    game.press_to("s1.r.axis.choose")
    settled_at = "s1.v.check"
    while game.state.step.id != settled_at:
        game.do(cm.Undo(game.now, confirmed=True))
    game.do(SetTogether(("resupply",)))
    while game.line.redo_target() is not None:
        game.do(cm.Redo(game.now))
    assert game.state.step.id == settled_at
    game.press()
    assert game.state.step.id == "s1.r.both.choose"
    check_log(game)
