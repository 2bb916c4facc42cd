"""A press over a bad link: it counts when it reaches the box, once, or the button says that it cannot be used."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import commands as cm
from companion.pages.phone_pages import press_act
from companion.testing.chromium import CHROMIUM, Browser, Tab
from companion.testing.waiting import until
from tests.phones.own_phone import LIVE, sit
from tests.phones.tired_wifi import TiredWifi

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]
MAIN, TOLD = ".acts button.main", "document.getElementById('told').textContent"


def presses(table: Any) -> list[Any]:
    return [one for one in table.desk.entries() if one.source == "phone"]


PULSES = "performance.getEntriesByType('resource').filter(one => one.name.endsWith('/pulse')).length"


def press(tab: Tab) -> None:
    tab.eval(f"document.querySelector('{MAIN}').click()")


def sent(browser: Browser, tab: Tab) -> int:
    """Return how many acts have left the page."""
    tab.eval("0")  # its events come along
    return sum(url.endswith("/sealed") for url in browser.requests())


def answered(browser: Browser, tab: Tab) -> int:
    """Return how many acts were answered."""
    tab.eval("0")
    answers = (e["params"] for e in browser.events if e.get("method") == "Network.responseReceived")
    return sum(one["response"]["url"].endswith("/sealed") for one in answers)


def seated(table: Any, browser: Browser) -> Tab:
    """Sit down at the side that is to act; its button may be pressed."""
    tab = sit(browser, table, str(table.desk.change.state.step.owners[0]))
    tab.wait(f"!document.querySelector('{MAIN}').disabled")
    return tab


@pytest.fixture
def played(table: Any) -> Any:
    table.start(players=2, count_up=True)
    while len(table.desk.change.state.step.owners) != 1:
        table.press()
    table.turn_on()
    return table


def test_a_press_counts_from_when_the_box_has_it_and_once_though_its_answers_are_lost(played: Any) -> None:
    with TiredWifi(played.address) as wifi, Browser(wifi.flag) as browser:
        tab = seated(played, browser)
        wifi.delay_s = 0.1
        press(tab)
        pressed_ms = played.desk.now_ms()
        until(lambda: len(presses(played)) == 1)
        (entry,) = presses(played)
        assert isinstance(entry.command, cm.EndAct)
        assert pressed_ms + 60 <= entry.command.at_ms, "not when the thumb came down"
        while played.desk.change.state.step.owners != (entry.actor,):
            played.press()
        wifi.delay_s = 0.0
        act = press_act(played.desk.change.state)  # not the button of the act before
        tab.wait(f"!!document.querySelector('{MAIN}[value=\"{act}\"]:not([disabled])') && {LIVE}")
        seq, wifi.loses_answers = played.desk.change.seq, True
        before = sent(browser, tab)
        while sent(browser, tab) == before:  # the button rests at first, after another act
            press(tab)
        until(lambda: wifi.lost >= 2)
        wifi.loses_answers = False
        tab.wait(LIVE)
        until(lambda: len(presses(played)) >= 2)
        assert len(presses(played)) == 2, "sent again, taken once"
        assert played.desk.change.seq == seq + 1


def test_over_a_slow_link_the_button_says_so_and_does_nothing(played: Any) -> None:
    with TiredWifi(played.address) as wifi, Browser(wifi.flag) as browser:
        tab = seated(played, browser)
        wifi.delay_s = 0.2
        tab.wait(f"{PULSES} >= {tab.eval(PULSES) + 5}", 40)
        press(tab)
        assert "slow" in tab.eval(TOLD)
        assert sent(browser, tab) == 0
        assert presses(played) == []


def test_a_press_into_a_link_that_stands_still_is_not_sent_and_does_nothing_later(played: Any) -> None:
    with TiredWifi(played.address) as wifi, Browser(wifi.flag) as browser:
        tab = seated(played, browser)
        wifi.is_stalled = True
        later = "Date.now = (now => () => now() + 5500)(Date.now)"
        told = tab.eval(f"{later}; document.querySelector('{MAIN}').click(); document.body.innerText")
        assert "Not live" in told
        assert sent(browser, tab) == 0
        wifi.is_stalled = False
        tab.wait(LIVE)
        wifi.cut()
        tab.wait(f"!({LIVE})")
        tab.wait(LIVE)
        assert presses(played) == []
        tab.wait(f"!document.querySelector('{MAIN}').disabled")
        press(tab)
        until(lambda: len(presses(played)) == 1)


def test_a_press_that_the_link_held_back_too_long_does_nothing_to_a_later_act(played: Any) -> None:
    """It leaves in time and arrives when the table has moved on: its page was another, so it is nobody's press."""
    with TiredWifi(played.address) as wifi, Browser(wifi.flag) as browser:
        tab = seated(played, browser)
        wifi.is_stalled = True
        press(tab)
        until(lambda: sent(browser, tab) == 1)
        played.press()
        seq = played.desk.change.seq
        wifi.is_stalled = False
        until(lambda: answered(browser, tab) == 1)
        played.press()  # whatever was sent before stands before it
        assert played.desk.change.seq == seq + 1
        assert presses(played) == []


def test_a_page_in_the_background_covers_what_is_secret_and_is_right_as_it_comes_back(played: Any) -> None:
    with TiredWifi(played.address) as wifi, Browser(wifi.flag) as browser:
        tab = seated(played, browser)
        tab.eval(
            "document.body.classList.add('looking'); window.seen = [];"
            "document.addEventListener('visibilitychange', () => seen.push(document.visibilityState))"
        )
        other = browser.open("data:text/html,other")
        other.call("Page.bringToFront")
        tab.wait("document.visibilityState === 'hidden'")
        assert not tab.eval("document.body.classList.contains('looking')")
        wifi.is_stalled = True
        played.press()
        wifi.cut()
        wifi.is_stalled = False
        step = str(played.desk.change.state.step.id)
        tab.call("Page.bringToFront")
        took_s = tab.wait(f"document.visibilityState === 'visible' && {LIVE}")
        tab.wait(
            f"!document.querySelector('{MAIN}').value || document.querySelector('{MAIN}').value.endsWith('{step}')"
        )
        assert tab.eval("seen") == ["hidden", "visible"]
        assert took_s < 4
