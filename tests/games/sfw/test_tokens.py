"""Mines, lines, bridges and counters: six a nation, where they stand and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.ids import Nation
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import DEFENDING
from companion.games.sfw.rules.tokens import (
    BlowBridge,
    PlaceToken,
    RemoveToken,
    SetCounter,
    bridge_counter,
    counters,
    mines_in,
    reserve,
)

US, GB, GERMANY, ITALY = (Nation(name) for name in ("us", "gb", "germany", "italy"))


def test_six_tokens_a_nation_and_what_detonates_comes_back(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t2.allies.move")
    for _ in range(4):
        game.do(PlaceToken(US, "mine", "E5"))
    game.do(PlaceToken(GB, "mine", "e5 "), PlaceToken(GB, "mine", "E5"))
    assert len(mines_in(game.state, "E5")) == 6
    game.refuse(PlaceToken(GB, "mine", "E5"), "space_full", "more than 6 mines in a space: E5")
    game.do(PlaceToken(US, "mine", "E6"), PlaceToken(US, "mine", "E7"))
    game.refuse(PlaceToken(US, "mine", "E8"), "none_left", "6 of 6 are on the board")
    assert reserve(game.state, "us").left == 0
    game.do(RemoveToken(1))
    assert reserve(game.state, "us").left == 1
    game.refuse(RemoveToken(1), "unknown_token", "Token 1 is not on the board")
    game.do(PlaceToken(US, "mine", "E8"))
    # Each token has the number after the one before, and none gets the number of one that came back.
    assert [token.id for token in game.state.game["tokens"].tokens] == [2, 3, 4, 5, 6, 7, 8, 9]


def test_lines_stand_on_a_border_once_and_only_on_step_4(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t2.allies.move")
    game.refuse(PlaceToken(US, "line", "Tunis", "Bone"), "not_now", "Lines are placed in movement step 4")
    game.go("s3.t4.allies.move")
    game.refuse(PlaceToken(US, "line", "Tunis"), "bad_value", "the space that it defends and another")
    game.refuse(PlaceToken(US, "line", "Tunis", "tunis"), "bad_value")
    game.refuse(PlaceToken(US, "mine", "Tunis", "Bone"), "bad_value", "A mine needs one space")
    game.do(PlaceToken(US, "line", "Tunis", "Bone"))
    game.refuse(PlaceToken(GB, "line", "bone", "TUNIS"), "border_taken")
    game.refuse(PlaceToken(GERMANY, "line", "Rome", "Naples"), "not_your_act", "This side acts now: allies")
    game.go("s3.t4.allies.resolve")
    game.refuse(PlaceToken(US, "mine", "Tunis"), "not_now", "before any battle is resolved")


def test_destroyers_lay_mines_at_sea_and_infantry_places_ashore(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t2.allies.move")
    game.refuse(PlaceToken(US, "mine", "tunis"), "bad_value", "is a land space")
    game.do(PlaceToken(US, "mine", "J9"))  # a space of which nobody has told the terrain
    game.jump("s3.t4.allies.move")
    game.refuse(PlaceToken(US, "mine", "E5"), "bad_value", "E5 is a sea space")
    game.refuse(PlaceToken(US, "line", "E5", "Bone"), "bad_value", "E5 is a sea space")
    game.do(PlaceToken(US, "mine", "Tunis"), PlaceToken(US, "line", "Bone", "E5"))


def test_nothing_is_placed_where_a_battle_of_the_act_has_enemies(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t4.allies.declare")
    game.enter()
    game.do(
        bc.DeclareBattle("Tunis", "land"), PlaceToken(GB, "mine", "Tunis")
    )  # nobody has said who is there
    game.do(bc.ChangeUnits("A", DEFENDING, "infantry", "germany"))
    where = "Battle A has enemies in Tunis"
    game.refuse(PlaceToken(US, "mine", "tunis"), "enemies_there", where)
    game.refuse(PlaceToken(US, "line", "Bone", "TUNIS"), "enemies_there", where)
    game.do(PlaceToken(US, "mine", "Bone"), bc.WithdrawBattle("A"), PlaceToken(US, "mine", "Tunis"))
    board = ledger_game("italy")
    board.jump("s1.t4.allies.declare")
    board.enter()
    board.do(bc.DeclareBattle("Hill 7", "land"), bc.ChangeUnits("A", DEFENDING, "infantry", "germany_10"))
    board.refuse(
        BlowBridge(US, spaces=("Salerno", "Hill 7")), "enemies_there", "Battle A has enemies in Hill 7"
    )


def test_no_new_tokens_in_short_play(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("crete41")
    game.go("s1.t4.axis.move")
    game.refuse(PlaceToken(GERMANY, "mine", "Maleme"), "not_in_scenario")
    game.refuse(BlowBridge(GERMANY, "A - B"), "not_in_scenario", "Only the Italy board")


def test_bridges_stay_blown_and_are_limited(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game(
        "salerno43"
    )  # bridges may be blown in short play; only mines and lines may not be laid
    army = Nation("germany_10")
    game.go("s1.t4.axis.move")
    game.do(BlowBridge(army, "Volturno 1"))
    game.refuse(BlowBridge(army, "volturno 1"), "already_blown", "cannot be repaired")
    game.do(BlowBridge(army, "Volturno 2"), BlowBridge(army, "Volturno 3"))
    game.refuse(BlowBridge(army, "Volturno 4"), "none_left", "3 of 3")
    game.enter({"bridges.germany_10": 4})
    game.do(BlowBridge(army, "Volturno 4"))
    assert bridge_counter(game.state, army).left == 0


def test_other_pieces_have_their_limits(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("italy")
    assert {counter.used for counter in counters(game.state).values()} == {0}, "nothing is in use at first"
    game.do(SetCounter("control_markers", 16))
    assert counters(game.state)["control_markers"].left == 0
    game.refuse(SetCounter("control_markers", 17), "none_left", "from 0 to 16")
    game.refuse(SetCounter("control_markers", -1), "none_left")
    game.refuse(SetCounter("forts", 1), "bad_value", "Choose one of these: battle_markers, ")
