"""Slow work beside the drawing thread: sealing, opening and every PIN; presses are held off meanwhile, frames are not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.ids import Nation
from companion.games.sfw.pages.seal_draft import Note, SealedDraft
from companion.session.seals import TableVault, Vault
from companion.session.timesource import ManualTime
from companion.testing import harness

NOTE = Note(Nation("us"), "fleet", "", "J4", {"destroyer": 3})


class Watched:
    """Notes on which thread each slow call runs, and waits there until the window has drawn."""

    def __init__(self, real: Any) -> None:
        self.real, self.drawn, self.beside = real, threading.Event(), []

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.beside.append(threading.current_thread() is not threading.main_thread())
        assert not self.beside[-1] or self.drawn.wait(20)
        return self.real(*args, **named)


def until_drawn(laid: Any, watched: Watched, tap: Callable[[], None]) -> None:
    """Tap, see that frames go by and presses do nothing while the work stands, then let it end."""
    tap()  # by press and lift: the harness's own tap waits
    laid.frames(3)
    assert watched.beside[-1:] == [True]
    assert laid.has("One moment")
    screen = laid.root.screen
    laid.lift(laid.press(laid.find(icon="battle")))
    laid.frames(3)
    assert laid.root.screen is screen
    watched.drawn.set()
    laid.settle()
    watched.drawn.clear()


def digits(laid: Any, text: str) -> None:
    """Type all but the last tap, which begins the work."""
    for sign in text:
        laid.tap(laid.find(text=sign))


def test_sealing_and_opening_leave_the_window_alone(ledger_game: Callable[..., Any], tmp_path: Path) -> None:
    game, vault = ledger_game("apr43"), TableVault(Vault(tmp_path, ManualTime(1), kdf_n=1 << 10))
    seal, look = Watched(vault.seal), Watched(vault.open)
    vault.seal, vault.open = seal, look  # type: ignore[method-assign]
    game.desk.vault = vault
    laid = harness.lay(game.desk, screen="sealed", draft=SealedDraft(NOTE))
    laid.tap(laid.find(text="Seal"))
    digits(laid, "4829482")
    until_drawn(laid, seal, lambda: laid.lift(laid.press(laid.find(text="9"))))
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Hidden Fleet, United States"))
    laid.tap(laid.find(text="Look: the side's PIN"))
    digits(laid, "4829")
    until_drawn(laid, look, lambda: laid.lift(laid.press(laid.find(text="Done"))))
    assert laid.has("Space J4")


@pytest.mark.parametrize("pin", ["1234", "9999"])
def test_the_arbiters_pin_is_tried_beside_the_window(ledger_game: Callable[..., Any], pin: str) -> None:
    game = ledger_game("apr43")
    game.desk.start(replace(game.state.frozen_setup, arbiter_hash="x"))
    check = Watched(game.desk.check_arbiter)
    game.desk.check_arbiter = check
    laid = harness.lay(game.desk, screen="table")
    from companion.ui.arbiter import open_arbiter

    open_arbiter(laid.root)
    laid.settle()
    digits(laid, pin)
    until_drawn(laid, check, lambda: laid.lift(laid.press(laid.find(text="Unlock"))))
    assert laid.has("Correct a clock") == (pin == "1234")
    assert laid.has("Wrong PIN") == (pin != "1234")


def test_a_new_games_pin_is_kept_beside_the_window(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    start = Watched(game.desk.new_arbiter_pin)
    game.desk.new_arbiter_pin = start
    laid = harness.lay(game.desk, screen="table")
    until_drawn(laid, start, lambda: laid.root.start_game(game.state.frozen_setup, "4711"))
    assert laid.root.screen.key == "table"
    assert game.desk.calls[-1] == ("start", ("apr43", "4711"))
    assert game.state.frozen_setup.arbiter_hash.startswith("pin:")


def test_what_slow_work_raises_is_raised_where_the_program_hears_of_it(
    ledger_game: Callable[..., Any],
) -> None:
    laid = harness.lay(ledger_game("apr43").desk, screen="table")

    def fail() -> None:
        raise RuntimeError("no such thing")

    laid.root.work(fail, lambda _made: None)
    laid.root.work.wait()
    with pytest.raises(RuntimeError, match="no such thing"):
        laid.frames(2)
    assert not laid.root.dialogs
