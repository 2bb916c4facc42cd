"""Time controls in the window: the key that spends a token, and figures entered in New game."""

from __future__ import annotations

from companion.adapters.catalogue import GameCatalogue
from companion.core import clock as ck
from companion.pages.new_game import opened
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes_controls import PERIODS, TOKENS, controlled_desk


def test_a_tap_on_the_key_spends_a_token_of_the_side_whose_clock_runs() -> None:
    laid = harness.lay(controlled_desk(TOKENS, 0, 4, 97_000), screen="clocks")
    assert not laid.has("Swap seats")
    laid.tap(laid.find(text="Token"))
    clocks = laid.desk.change.state.clocks
    assert (ck.tokens_left(clocks, "axis"), ck.tokens_left(clocks, "allies")) == (7, 8)
    assert laid.has("7 tokens")
    laid.tap(laid.find(text="Pause"))
    assert laid.has("Swap seats"), "nothing can be spent in a pause"


def test_without_tokens_on_request_the_key_swaps_the_seats() -> None:
    laid = harness.lay(controlled_desk(PERIODS, 1, 5, 45_000), screen="clocks")
    assert laid.has("Swap seats")
    assert not laid.has("Token")


def test_a_figure_that_no_source_states_is_entered_before_the_game_starts() -> None:
    catalogue = GameCatalogue()
    info = next(one for one in catalogue.scenarios() if one.scenario == "campaign")
    desk = MemoryDesk(rules=catalogue.rules_of("tsu"), scenarios=(info,))
    desk.offer("tsu", "campaign", lambda options: catalogue.make_setup("tsu", "campaign", options))
    laid = harness.lay(desk, screen="new_game")
    laid.root.go("new_game", draft=opened(info, tab="clock").put("control", "whole_game"))
    laid.settle()
    laid.tap(laid.find(text="Start the game"))
    assert desk.change is None, "the minutes are missing"
    laid.tap(laid.find(text="Minutes a side, whole game"))
    for digit in "45":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Start the game"))
    assert desk.change is not None
    clock = desk.change.state.frozen_setup.clock
    assert sum(clock.allotted_ms["axis"]) == 45 * 60_000
