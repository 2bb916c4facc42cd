"""Reminders in the window: as many as there is room for, at most four, never a page turn; the help tells them all."""

from __future__ import annotations

import pytest

from companion.core import commands as cm
from companion.pages.table import MOST_CHECKS
from companion.testing.harness import SIZES, Laid, lay
from companion.testing.sfw_evenings import SfwGame


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_no_list_of_reminders_has_a_second_page(size: tuple[int, int], language: str) -> None:
    game = SfwGame("italy")
    game.jump("s1.t4.allies.move")
    laid = lay(game.desk, size=size, language=language)
    assert not laid.faults()
    told, step = [], game.state.step
    assert len(step.checks) > 12
    for check in step.checks:
        pages = laid.root.screen.ids.checks
        assert pages.pages == 1
        assert 1 < len(pages.items) <= MOST_CHECKS
        told.append(next(row.id for row in pages.items if not row.is_done))
        game.do(cm.TickCheck(step.id, check, True))
        laid.settle()
    assert tuple(told) == step.checks


def swipe(laid: Laid, by: int) -> None:
    finger = laid.press((560, 260))
    laid.move(finger, 560 + by, 262)
    laid.lift(finger)
    laid.settle()


def test_set_up_shows_four_reminders_and_a_swipe_the_rest() -> None:
    laid = lay(SfwGame("apr43").desk)
    pages = laid.root.screen.ids.checks
    every = [row.id for row in laid.root.screen.vm.checks]
    assert [row.id for row in pages.items] == every[:4]
    assert laid.has("4 more reminders")
    assert not laid.has("Then"), "what waits here does not come after the step"
    told = every[:4]
    while "more reminder" in laid.root.screen.next_line:
        swipe(laid, -200)
        assert not laid.faults()
        told += [row.id for row in pages.items]
    assert told == every
    swipe(laid, -200)
    assert [row.id for row in pages.items] == told[-len(pages.items) :], "there is nothing beyond the last"
    swipe(laid, 200)
    swipe(laid, 200)
    assert [row.id for row in pages.items] == every[:4]
    then = laid.root.screen.ids.then
    for shown in (every[4:8], every[:4]):
        laid.tap(then)
        assert [row.id for row in pages.items] == shown, "a tap on what follows is the swipe's twin"


def test_the_help_of_the_table_tells_every_reminder_of_the_step() -> None:
    game = SfwGame("italy")
    game.jump("s1.t4.allies.move")
    laid = lay(game.desk)
    texts = [text for _what, text in laid.root.screen.help_lines()]
    assert texts == [row.text for row in laid.root.screen.vm.checks]
    laid.root.help()
    laid.settle()
    assert laid.has(texts[0])


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("act", ["move", "declare"])
def test_the_table_tells_which_units_move_in_every_step(act: str, language: str) -> None:
    game = SfwGame("apr43", {"tournament": True})
    for step in range(1, 6):
        game.jump(f"s3.t{step}.axis.{act}")
        laid = lay(game.desk, language=language)
        ids = laid.root.screen.ids
        assert laid.root.screen.vm.units
        assert ids.named.text or len(ids.units.children) == len(laid.root.screen.vm.units)
        assert ids.then.height, "what follows is told too"
        assert not laid.faults()


def test_without_a_clock_a_card_says_who_is_to_play() -> None:
    game = SfwGame("apr43", {"tournament": False})
    game.jump("s3.t1.allies.move")
    laid = lay(game.desk)
    allies, axis = laid.root.screen._cards
    assert not allies.face.text
    assert (allies.says, axis.says) == ("to play", "waits")
    assert laid.has("to play")
