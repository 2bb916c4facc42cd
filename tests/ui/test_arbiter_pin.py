"""A game whose arbiter's PIN this box cannot check: a new one is set by tap, and the log says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.commands import SetArbiterPin
from companion.core.ids import ARBITER
from companion.testing import harness
from companion.ui.arbiter import open_arbiter


def digits(laid: Any, text: str, done: str) -> None:
    for sign in text:
        laid.tap(laid.find(text=sign))
    laid.tap(laid.find(text=done))


@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_arbiter_sets_a_new_pin(ledger_game: Callable[..., Any], size: tuple[int, int]) -> None:
    game = ledger_game("apr43")
    game.desk.start(replace(game.state.frozen_setup, arbiter_hash="pin:elsewhere"))
    game.desk.knows_pin = False
    laid = harness.lay(game.desk, size=size, screen="table")
    open_arbiter(laid.root)
    laid.settle()
    assert laid.has("This box cannot check the arbiter's PIN of this game")
    assert laid.faults() == []
    laid.tap(laid.find(text="Set a new PIN"))
    digits(laid, "808", "Next")
    assert laid.has("At least 4 digits")
    digits(laid, "8080", "Next")
    digits(laid, "9999", "Unlock")
    assert laid.has("The PINs did not match. Enter both again.")
    assert laid.faults() == [], "the keys stay large beside it"
    digits(laid, "8080", "Next")
    digits(laid, "8080", "Unlock")
    assert laid.has("Correct a clock")
    entry = game.desk.entries()[-1]
    assert (type(entry.command), entry.actor) == (SetArbiterPin, ARBITER)
    assert game.state.frozen_setup.arbiter_hash == entry.command.pin
    laid.root.dialogs[-1].close()
    laid.root.go("log")
    laid.settle()
    assert laid.has("A new arbiter's PIN was set")
    laid.root.lock_arbiter()
    open_arbiter(laid.root)
    laid.settle()
    digits(laid, "8080", "Unlock")
    assert laid.has("Correct a clock")


def test_a_pin_that_was_not_kept_changes_nothing(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.desk.start(replace(game.state.frozen_setup, arbiter_hash="pin:elsewhere"))
    game.desk.knows_pin = False
    game.desk.new_arbiter_pin = lambda _pin: ""
    laid = harness.lay(game.desk, screen="table")
    open_arbiter(laid.root)
    laid.settle()
    laid.tap(laid.find(text="Set a new PIN"))
    digits(laid, "8080", "Next")
    digits(laid, "8080", "Unlock")
    assert not laid.root.dialogs
    assert game.state.frozen_setup.arbiter_hash == "pin:elsewhere"
