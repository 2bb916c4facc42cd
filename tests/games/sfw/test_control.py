"""Control and totals, played through commands (EXAMPLES A11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.commands import SetRuling, Undo
from companion.core.ids import ARBITER, Nation
from companion.games.sfw.rules.control import (
    CorrectControl,
    SetTotals,
    TakeControl,
    holder,
    totals,
    totals_line,
)

US, GB, GERMANY, ITALY = (Nation(name) for name in ("us", "gb", "germany", "italy"))


def test_totals_start_as_stated_and_move_by_the_tile_that_moved(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    assert totals(game.state).quarters == {"allies": 152, "axis": 160}
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 2}))
    missing = totals(game.state)
    assert missing.quarters == {}
    assert [loss.site for loss in missing.missing] == ["tunis"]
    game.enter({"vp.theater.tunis": 4})
    assert totals(game.state).quarters == {"allies": 168, "axis": 144}
    assert holder(game.state, "tunis").nation == "us"


def test_contested_is_not_lost(ledger_game: Callable[..., Any]) -> None:
    """S48: one Italian Infantry holds Tripoli against five Tanks; and an Anti-Air alone takes nothing."""
    game = ledger_game("nov42")
    game.enter({"holder.nov42.tripoli": "italy"})
    game.go("s1.t4.allies.resolve")
    game.refuse(
        TakeControl("tripoli", US, {"us": 5}, left={"italy": 1}),
        "still_defended",
        "not lost: its holder still has 1 unit there",
    )
    game.refuse(TakeControl("tripoli", US, {"us": 0}), "no_control_units", "us has no unit in")
    assert holder(game.state, "tripoli").nation == "italy"
    game.do(TakeControl("tripoli", US, {"us": 5}))
    assert holder(game.state, "tripoli").nation == "us"


def test_teammates_majority_or_agreement_decides(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t4.allies.resolve")
    game.refuse(TakeControl("tunis", US, {"us": 1, "gb": 2}), "teammate_has_more", "2 against 1")
    game.refuse(TakeControl("tunis", US, {"us": 2, "gb": 2}), "teammates_agree", "Each teammate has 2 units")
    game.do(TakeControl("tunis", US, {"us": 2, "gb": 2}, is_agreed=True))
    game.refuse(TakeControl("tunis", GB, {"gb": 9}), "own_site", "never given to a teammate")
    game.refuse(
        TakeControl("rome", US, {"us": 1, "germany": 1}), "bad_value", "germany is not on this side: allies"
    )
    game.refuse(TakeControl("rome", US, {"us": -1}), "bad_value")
    game.refuse(TakeControl("paris", US, {"us": 1}), "unknown_site")
    game.refuse(TakeControl("rome", Nation("france"), {"france": 1}), "unknown_nation")


def test_whose_units_block_a_capture_is_the_tables_ruling(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"holder.apr43.tunis": "germany"})
    game.go("s3.t4.allies.resolve")
    taking = TakeControl("tunis", US, {"us": 1}, left={"italy": 2})
    game.refuse(taking, "still_defended")
    game.do(SetRuling("capture_blocked_by", "nation"), taking)
    assert holder(game.state, "tunis").nation == "us"


def test_control_may_wait_for_the_end_of_the_tactical_phase(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"rulings.control_change": "end_of_tactical"})
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 1}))
    assert holder(game.state, "tunis").side == "axis"
    game.go("s3.v.allies.confirm")
    assert holder(game.state, "tunis").side == "allies"
    assert not game.state.game["control"].pending


def test_control_does_not_change_in_resupply_but_can_be_corrected(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.r.allies.choose")
    game.refuse(TakeControl("tunis", US, {"us": 1}), "not_now")
    game.do(CorrectControl("tunis", US))
    assert game.state.game["control"].changes[-1].cause == "corrected"
    assert game.do(CorrectControl("tunis", US)) == ()


def test_only_the_arbiter_corrects_under_tournament_time(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"tournament": True})
    game.refuse(CorrectControl("tunis", US), "arbiter_only")
    game.do(CorrectControl("tunis", US), actor=ARBITER)
    assert holder(game.state, "tunis").nation == "us"


def test_totals_set_by_hand_balance_and_move_on_with_known_tiles(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"vp.theater.messina": 3})
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 1}))
    game.refuse(SetTotals({"allies": 168, "axis": 160}), "unbalanced", "have 78 points, not 82")
    game.refuse(SetTotals({"allies": 312}), "bad_value")
    game.refuse(SetTotals({"allies": -4, "axis": 316}), "bad_value")
    game.do(SetTotals({"allies": 169, "axis": 143}))
    assert totals(game.state).quarters == {"allies": 169, "axis": 143}
    assert totals(game.state).is_by_hand
    game.do(TakeControl("messina", GB, {"gb": 1}))
    assert totals(game.state).quarters == {"allies": 181, "axis": 131}


def test_there_and_back_needs_no_value(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 1}))
    game.go("s3.t4.axis.resolve")
    game.do(TakeControl("tunis", ITALY, {"italy": 1}))
    assert totals(game.state).quarters == {"allies": 152, "axis": 160}
    assert holder(game.state, "tunis").nation == "italy"


def test_the_line_of_victory_points_names_what_changed_it(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter_tiles()
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 1}))
    game.go("s3.t5.axis.resolve")
    game.do(TakeControl("bone", GERMANY, {"germany": 1}))
    line = totals_line(game.state)
    assert [(change.site if change else "", now.quarters["allies"]) for change, now in line] == [
        ("", 152), ("tunis", 168), ("bone", 166),
    ]  # fmt: skip
    game.do(Undo(game.desk.now_ms()))
    assert len(totals_line(game.state)) == 2


@pytest.mark.parametrize("scenario", ["tobruk41", "salerno43"])
def test_a_scenario_without_points_takes_no_totals(ledger_game: Callable[..., Any], scenario: str) -> None:
    game = ledger_game(scenario)
    assert totals(game.state).quarters == {}
    game.refuse(SetTotals({"allies": 1, "axis": 1}), "bad_value", "counts no victory points")


@pytest.mark.parametrize(("ruling", "code"), [("noted", ""), ("refused", "not_now")])
def test_a_capture_noted_in_movement_step_6_is_the_tables_ruling(
    ledger_game: Callable[..., Any], ruling: str, code: str
) -> None:
    """Source: rulebook v0.96, Movement Steps (no battles in step 6); Maintaining Control and Taking It Away"""
    game = ledger_game("apr43", {"rulings.late_control": ruling})
    game.go("s3.t6.allies.return")
    taking = TakeControl("tunis", US, {"us": 1})
    if code:
        game.refuse(taking, code, "No battle belongs to this step")
    else:
        game.do(taking)
    game.go("s3.v.check")
    game.do(TakeControl("tunis", US, {"us": 1})) if code else None
    assert holder(game.state, "tunis").nation == "us"
