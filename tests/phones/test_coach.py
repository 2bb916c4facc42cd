"""The coach on a side's own phone: as on the box, off by the box's setting, locked by the arbiter, never in a tournament."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from companion.core.commands import LockCoach
from companion.core.ids import ARBITER
from companion.pages.later import Later, while_wanted
from companion.pages.page import Page
from tests.pages.test_coach import game as coached_game
from tests.phones.test_own import Phones


def coached(*, is_tournament: bool = False) -> tuple[Phones, str]:
    """Return phones at a battle, and the side whose phone looks at the coach."""
    phones = Phones(coached_game(tournament=is_tournament).desk)
    side = next(one for one in phones.sides if one in phones.state.step.owners)
    for act in ("own.go.battle", "odds", "coach"):
        phones.press(side, act)
    return phones, side


def keys(page: Page) -> set[str]:
    return {block.key for block in page.blocks}


def test_a_players_own_phone_asks_the_coach_without_touching_the_box_or_the_other_phone() -> None:
    phones, side = coached()
    other = next(one for one in phones.sides if one != side)
    seq, before = phones.desk.change.seq, phones.html(other)
    assert {"side", "goal", "coach"} <= keys(phones.page(side))
    html = phones.html(side)
    assert "Cheapest losses" in html or "cheapest" in html.lower()
    phones.press(side, "side.defending")
    assert phones.html(side) != html
    assert phones.html(other) == before
    assert phones.desk.change.seq == seq, "advice is no act"


def test_the_coach_is_silent_on_phones_where_it_is_on_the_box_and_says_why() -> None:
    phones, side = coached()
    phones.desk.change_setting("coach", False)
    assert "The coach is off." in phones.html(side)
    assert "goal" not in keys(phones.page(side))
    phones.desk.change_setting("coach", True)
    assert "goal" in keys(phones.page(side))
    phones.desk.send(LockCoach(True), actor=ARBITER)
    assert "The arbiter has locked the coach." in phones.html(side)
    assert "goal" not in keys(phones.page(side))


def test_in_a_tournament_the_coach_is_silent_on_every_phone() -> None:
    phones, side = coached(is_tournament=True)
    assert "The coach is never available under tournament time." in phones.html(side)
    assert keys(phones.page(side)) == {"own.screens", "coach"}


def test_what_one_viewer_asks_ends_nobody_elses_question() -> None:
    """Otherwise a box and a phone that both wait for the coach would end each other's work again and again."""
    calls, may = queue.Queue[Any](), threading.Event()
    box, phone = Later(lambda: None, calls.put), Later(lambda: None, calls.put)

    def slow(check: Callable[[], None]) -> str:
        assert may.wait(20)
        check()
        return "told"

    assert box("first", while_wanted(slow)) is None
    box.settle()
    assert phone("second", while_wanted(lambda _check: "other")) is None
    for _page in range(2):
        phone.settle()
    calls.get(timeout=20)()
    may.set()
    calls.get(timeout=20)()
    assert box("first", while_wanted(slow)) == ("told",)
