"""In a real window: what hangs on a value asks for exactly that one, at once, and goes on by itself once it is entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from companion.games.sfw.pages.resupply import ResupplyDraft
from companion.games.sfw.pages.support import SupportDraft
from companion.games.sfw.pages.units import ask_figure
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import SetTotals, holder
from companion.games.sfw.rules.resupply_values import budget
from companion.games.sfw.rules.tokens import mines_in
from companion.testing import harness
from companion.ui.render.forms import Asking, carry_out


def tied(ledger_game: Callable[..., Any]) -> Any:
    game = ledger_game("nafrica")
    game.jump("s5.v.check")
    game.do(SetTotals({"allies": 80, "axis": 80}))
    return game


@pytest.mark.parametrize(("answer", "winner"), [("Italy", "axis"), ("Great Britain XIII Corps", "allies")])
def test_ending_a_tied_game_asks_for_tobruk_and_then_ends_it(
    ledger_game: Callable[..., Any], answer: str, winner: str
) -> None:
    game = tied(ledger_game)
    laid = harness.lay(game.desk, screen="control")
    laid.root.send(game.end())
    laid.settle()
    assert laid.has("Which nation holds Tobruk?")
    assert laid.faults() == []
    laid.tap(laid.find(text=answer))
    assert game.state.ending is not None
    assert game.state.ending.winner == winner


def test_what_is_asked_before_an_act_ends_says_why(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.r.allies.choose")
    laid = harness.lay(game.desk, screen="resupply")
    laid.tap(laid.find(text="Resupply chosen"))
    assert laid.has("Which nation holds ")
    assert laid.has(
        "Great Britain has chosen no resupply: nobody has entered which nation holds 8 Objectives."
    )
    assert laid.faults() == []
    laid.tap(laid.find(text="Leave it open"))
    assert game.state.step.id == "s3.r.allies.place"


def test_a_tied_game_is_not_ended_without_the_answer(ledger_game: Callable[..., Any]) -> None:
    """Not known is not "nobody": who holds Tobruk decides who wins."""
    game = tied(ledger_game)
    laid = harness.lay(game.desk, screen="control")
    laid.root.send(game.end())
    laid.settle()
    assert not laid.has("Leave it open")
    laid.tap(laid.find(text="Cancel"))
    game.desk.send(msgspec.structs.replace(game.end(), confirmed=True))
    assert game.desk.change.rejected.code == "not_known"
    assert game.state.ending is None


def test_a_button_pressed_again_under_a_question_adds_no_second_one(
    ledger_game: Callable[..., Any],
) -> None:
    """The box's button goes on under a dialog: each press would lay one more question over the last."""
    game = tied(ledger_game)
    laid = harness.lay(game.desk, screen="control")
    for _press in range(5):
        laid.root.send(game.end(), source="gpio")
        laid.settle()
    assert len(laid.root.dialogs) == 1
    laid.tap(laid.find(text="Cancel"))
    assert not laid.root.dialogs
    laid.root.send(game.end(), source="gpio")
    laid.settle()
    assert len(laid.root.dialogs) == 1, "closed, it is asked again"


def test_closing_the_question_changes_nothing(ledger_game: Callable[..., Any]) -> None:
    game = tied(ledger_game)
    laid = harness.lay(game.desk, screen="control")
    laid.root.send(game.end())
    laid.settle()
    laid.tap(laid.find(text="Cancel"))
    assert game.state.ending is None
    assert holder(game.state, "tobruk").nation is None


def test_a_resupply_asks_for_the_holder_then_for_the_value_and_is_chosen(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nov42")
    game.jump("s1.r.axis.choose")
    laid = harness.lay(game.desk, size=(720, 1280), screen="resupply", draft=ResupplyDraft("buy", "italy"))
    ask = laid.root.screen.shown.acts["kind.land"]
    laid.root.screen.do(ask, None)
    laid.settle()
    laid.tap(next(w for w in laid.walk() if getattr(w, "text", "").startswith("Tunis:")))
    laid.tap(laid.find(text="Italy"))
    assert holder(game.state, "tunis").nation == "italy"
    assert laid.has("Tunis: Land resupply")
    laid.tap(laid.find(text="9"))
    laid.tap(laid.find(text="Done"))
    assert budget(game.state, "italy", "land").limit == 9  # type: ignore[union-attr]


def test_a_space_is_completed_by_tap_while_it_is_typed(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t4.allies.move")
    laid = harness.lay(game.desk, screen="support", draft=SupportDraft("tokens"))
    laid.root.screen.do(laid.root.screen.shown.acts["mine.us"], None)
    laid.settle()
    assert laid.faults() == []
    laid.tap(laid.find(text="Another space"))
    assert laid.faults() == []
    assert not laid.has("Tunis")  # three fit beside the space bar, the first of the list
    for key in "tun":
        laid.tap(laid.find(text=key.upper()))
    laid.tap(laid.find(text="Tunis"))
    assert not laid.root.dialogs
    assert len(mines_in(game.state, "tunis")) == 1
    assert battles_of(game.state).battles == ()


def test_a_refused_figure_leaves_its_pad_open_and_says_why(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    laid = harness.lay(game.desk, screen="units")
    screen = laid.root.screen
    asking = ask_figure(game.state, "tank", "number")
    Asking(laid.root, screen.pen, asking, lambda act, touch: carry_out(laid.root, screen.pen, act, touch))
    laid.settle()
    for key in ("1", "3", "Done"):
        laid.tap(laid.find(text=key))
    assert laid.root.dialogs
    assert laid.has("Tank, Hit number: enter 1–12, not 13.")
    assert laid.faults() == []
    assert "tank.number" not in game.state.printed
    laid.tap(laid.find(icon="backspace"))
    laid.tap(laid.find(text="Done"))
    assert not laid.root.dialogs
    assert game.state.printed["tank.number"] == 1
