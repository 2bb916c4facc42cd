"""The film in the real window: keys and swipes go from act to act, and no more than that."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("kivy")

from companion.core.commands import AddNote
from companion.pages.film.draft import FilmDraft
from companion.testing import harness, scenes, scenes_film
from companion.ui.widgets.marks import StripKey


def at(laid: Any) -> int:
    lead = str(laid.root.screen.page.lead)
    return int(lead.partition("/")[0])


def test_arrow_keys_and_swipes_go_from_act_to_act() -> None:
    laid = scenes.open_scene("film", size=(800, 480))
    start = at(laid)
    laid.key(276)  # left
    assert at(laid) == start - 1
    laid.key(275)  # right
    assert at(laid) == start
    for way, wanted in ((-260, start + 1), (260, start)):
        finger = laid.press((400 - way / 2, 240))
        laid.move(finger, 400 + way / 2, 244)
        laid.lift(finger)
        laid.settle()
        assert at(laid) == wanted


def test_a_place_of_the_strip_is_jumped_to_by_a_tap() -> None:
    laid = scenes.open_scene("film", size=(800, 480))
    (fight,) = [w for w in laid.walk() if isinstance(w, StripKey) and w.text == "Stage 3"]
    laid.tap(fight)
    assert at(laid) < 6, "the strip has fourteen places for 34 actions"
    assert laid.has("Previous action")


def test_a_saved_game_that_is_gone_says_so_in_the_window() -> None:
    from pathlib import Path

    laid = scenes.open_scene("film", size=(800, 480))
    laid.root.go("film", draft=FilmDraft(Path("gone.tcgame")))
    laid.settle()
    worker = laid.root.screen.later.worker
    if worker is not None:
        worker.join(timeout=20)
    laid.settle()
    assert laid.has("no saved game")


def looked_at(tab: str, film_at: int, size: tuple[int, int] = (800, 480), text_step: int = 0) -> Any:
    """Show an act of an evening that goes on after Tunis changed hands with its action 34."""
    desk = scenes_film._evening()
    for n in range(3):
        desk.send(AddNote(f"note {n}"))
    laid = harness.lay(desk, screen="more", size=size, text_step=text_step)
    laid.root.go("film", draft=FilmDraft(None, film_at, tab))
    for _round in range(4):
        laid.settle()
        worker = laid.root.screen.later.worker
        if worker is not None:
            worker.join(timeout=20)
    return laid


def test_a_row_on_a_later_page_is_turned_to_and_the_film_stands_still() -> None:
    laid = looked_at("held", 33, (720, 900), text_step=2)
    assert at(laid) == 34
    assert laid.root.screen.sheet.page > 0, "Tunis stands there"
    assert laid.has("Tunis")


def test_the_keys_in_the_head_turn_pages_of_rows_and_arrows_the_film() -> None:
    laid = looked_at("held", 30)
    sheet = laid.root.screen.sheet
    assert sheet.pages > 1
    laid.tap(laid.find(icon="forward"))
    laid.settle()
    assert (at(laid), sheet.page) == (31, 1)
    laid.key(275)  # right
    assert at(laid) == 32
