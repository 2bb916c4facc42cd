"""The film in the real window: keys and swipes go from act to act, and no more than that."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("kivy")

from companion.pages.film.draft import FilmDraft
from companion.testing import scenes, scenes_film  # noqa: F401 - it adds its scenes


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
