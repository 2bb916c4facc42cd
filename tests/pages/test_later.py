"""Slow work of a page: nobody waits for it, and the page is made anew when it is there."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

import pytest

from companion.pages.i18n import language, speaking
from companion.pages.later import Later, while_wanted
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


def test_work_ends_when_a_page_is_made_that_no_longer_asks_for_it() -> None:
    calls, begun, may = queue.Queue[Any](), queue.Queue[str](), threading.Event()
    renewed: list[str] = []
    later = Later(lambda: renewed.append("anew"), calls.put)

    def work(check: Callable[[], None]) -> str:
        begun.put("begun")
        assert may.wait(20)
        check()
        return "told"

    assert later("space", while_wanted(work)) is None
    later.settle()
    assert begun.get(timeout=20) == "begun"
    assert later("space", while_wanted(work)) is None, "still asked for: it goes on"
    later.settle()
    assert later("keep", while_wanted(lambda _check: "kept")) is None
    later.settle()
    calls.get(timeout=20)()
    assert later("keep", while_wanted(work)) == ("kept",)
    may.set()
    calls.get(timeout=20)()
    assert later("space", while_wanted(work)) is None, "the first one ended, and begins anew"
    later.settle()
    calls.get(timeout=20)()
    assert later("space", while_wanted(work)) == ("told",)
    assert while_wanted(work)() == ("told",), "where a page waits for its work, nothing ends it"
