"""Slow work of a page: nobody waits for it, and the page is made anew when it is there."""

from __future__ import annotations

import queue
import threading
from typing import Any

import pytest

from companion.pages.i18n import language, speaking
from companion.pages.later import Later
from companion.pages.page import UnwantedError


def test_a_page_never_waits_for_slow_work_and_is_made_anew_in_its_own_language() -> None:
    calls, may = queue.Queue[Any](), threading.Event()
    renewed: list[str] = []
    later = Later(lambda: renewed.append("anew"), calls.put)

    def slow() -> str:
        assert may.wait(20)
        return language()

    with speaking("de"):
        assert later(("coach", 1), slow) is None
        assert later(("coach", 1), slow) is None, "the same work is begun once"
    assert renewed == []
    may.set()
    calls.get(timeout=20)()
    assert renewed == ["anew"]
    assert later(("coach", 1), lambda: pytest.fail("done already")) == "de"
    assert calls.empty()


def test_work_that_is_not_wanted_anymore_begins_anew_when_it_is_asked_for_again() -> None:
    calls = queue.Queue[Any]()
    later = Later(lambda: None, calls.put)

    def unwanted() -> str:
        raise UnwantedError

    assert later("best", unwanted) is None
    calls.get(timeout=20)()
    assert later("best", lambda: "found") is None
    calls.get(timeout=20)()
    assert later("best", unwanted) == "found"
