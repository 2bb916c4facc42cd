"""Phones as they are: real headless Chromium against a real gateway, at the size of a phone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.pages.times import countdown, countup
from companion.testing.chromium import CHROMIUM, Browser, Tab
from companion.testing.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
TOP = Path(__file__).parents[2]
NAMES = """[...document.querySelectorAll('.s-plain .name')].map(one => getComputedStyle(one)).map(
  one => one.display + (one.color === getComputedStyle(document.body).color ? ' in full ink' : ' in ' + one.color))"""
"""How the names of rows that nothing sets apart are drawn: on a line of their own, in the colour of text."""
LIVE = "document.getElementById('line').className === 'live'"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as made:
        yield made


def enter(browser: Browser, table: Any, path: str = "/table", **how: Any) -> Tab:
    """Scan the square, press the one button, and look at a page."""
    browser.call("Storage.clearCookies")
    browser.events.clear()
    tab = browser.open(f"{table.url}/j/{table.link.state.code}", **how)
    tab.press("button.main")
    tab.wait("location.pathname === '/table' && document.readyState === 'complete'")
    if path != "/table":
        tab.go(table.url + path)
    return tab


def test_a_phone_scans_presses_once_and_sees_every_change_without_a_word_from_elsewhere(
    browser: Browser, table: Any
) -> None:
    table.start()
    table.turn_on()
    tab = enter(browser, table)
    tab.wait(LIVE)
    assert table.link.state.watching == 1
    tab.eval("document.querySelector('nav a').focus()")
    tab.eval("window.kept = document.querySelector('[data-k=\"Clocks.clocks\"]')")
    waits = []
    for _n in range(4):
        seen = tab.text()
        table.press()
        start = time.monotonic()
        tab.wait(f"document.body.innerText !== {seen!r}")
        act = table.desk.entries()[-1].seq
        tab.wait(f'!!document.querySelector(\'[data-k="Rows.latest"] [data-k="{act}"]\')')
        waits.append(time.monotonic() - start)
    assert sorted(waits)[1] < 1.5, waits
    assert tab.eval("document.activeElement === document.querySelector('nav a')")
    assert tab.eval("window.kept === document.querySelector('[data-k=\"Clocks.clocks\"]')")
    drawn: set[str] = set()
    for page in ("clocks", "score", "log"):
        tab.go(f"{table.url}/{page}")
        tab.wait(LIVE)
        assert tab.eval("document.documentElement.scrollWidth <= innerWidth"), page
        drawn |= {f"{page}: {one}" for one in tab.eval(NAMES)}
    assert drawn == {"log: block in full ink", "score: block in full ink"}
    assert browser.complaints() == []
    assert {url.removeprefix(table.url)[:1] for url in browser.requests()} == {"/"}
    small = tab.eval(
        "[...document.querySelectorAll('button, nav a')].filter(b => b.getBoundingClientRect().height < 48).length"
    )
    assert small == 0
    tab.close()


def test_the_phone_counts_as_the_box_does_for_ten_thousand_values(browser: Browser, table: Any) -> None:
    table.start()
    table.turn_on()
    tab = enter(browser, table, "/clocks")
    tab.wait(LIVE)
    values = [*range(-2_000, 62_000, 16), *range(62_000, 7_400_000, 1_223)]
    assert len(values) >= 10_000
    told = tab.eval(
        f"{values}.map(v => [clockText(v, false, 60000), clockText(v, false, 0), clockText(v, true, 0)])"
    )
    wanted = [[countdown(v, tenths=v < 60_000), countdown(v), countup(v)] for v in values]
    assert [pair for pair in zip(told, wanted, strict=True) if pair[0] != pair[1]][:5] == []
    table.press()
    table.press()
    shown = "document.querySelector('.digits[data-run]').textContent"
    tab.wait("!!document.querySelector('.digits[data-run]')")
    first = tab.eval(shown)
    tab.wait(f"{shown} !== {first!r}", 3)
    side = table.desk.change.state.clocks.running
    from companion.core import clock as ck

    left = ck.remaining(table.desk.change.state.clocks, side, table.desk.now_ms())
    minutes, seconds = map(int, tab.eval(shown).split(":"))
    assert abs(left - 1000 * (60 * minutes + seconds)) < 2_500
    tab.close()


def test_it_is_right_again_by_itself_after_the_gateway_was_killed(browser: Browser, table: Any) -> None:
    table.start()
    table.turn_on()
    tab = enter(browser, table, "/log")
    tab.wait(LIVE)
    (pid,) = table.gateways()
    os.kill(pid, signal.SIGKILL)
    tab.wait("document.getElementById('line').className === 'old'")
    assert "Not live" in tab.text()
    table.press()
    tab.wait(LIVE)
    tab.wait(f"!!document.querySelector('[data-k=\"{table.desk.entries()[-1].seq}\"]')")
    table.link.turn_off()
    tab.wait("document.getElementById('line').className === 'old'")
    tab.close()


def test_a_side_is_asked_for_with_one_tap_and_everybody_sees_who_asks(browser: Browser, table: Any) -> None:
    table.start()
    table.turn_on()
    tab = enter(browser, table, "/seat", size=(320, 640))
    tab.wait(LIVE)
    tiles = "[...document.querySelectorAll('.pick button')]"
    assert tab.eval(f"{tiles}.map(b => b.value)") == [
        info.id for info in table.desk.change.state.frozen_setup.sides
    ]
    tab.eval("document.querySelector('.question input[type=text]').value = 'Ann'")
    tab.eval("document.querySelector('.question input[type=text]').focus()")
    for kind in ("keyDown", "keyUp"):
        tab.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key="Enter",
            code="Enter",
            windowsVirtualKeyCode=13,
            text="\r",
        )
    assert table.link.state.wishes == (), "Enter is no tap on the first side"
    tab.eval(f"{tiles}[1].click()")
    until(lambda: len(table.link.state.wishes) == 1)
    wish = table.link.state.wishes[0]
    assert (wish.seat, wish.name) == ("axis", "Ann")
    tab.wait(f"location.search === '?asked=1' && {LIVE} && {tiles}[1].innerText.includes('Ann asks')")
    table.link.seat("lock")
    tab.wait(f"{tiles}.every(b => b.disabled)")
    assert "lets nobody else ask" in tab.text()
    assert tab.eval("document.documentElement.scrollWidth <= innerWidth")
    tab.close()
    table.link.seat("open")
    with Browser(language="de") as german:
        tab = enter(german, table, "/seat", size=(320, 640))
        tab.wait(LIVE)
        assert tab.eval("document.documentElement.scrollWidth <= innerWidth")
        tab.eval(f"{tiles}[0].click()")
        until(lambda: len(table.link.state.wishes) == 1)
        assert table.link.state.wishes[0].name == "Alliierte", "without a name it is the side's"


def test_it_reads_without_script_and_in_its_own_language(browser: Browser, table: Any) -> None:
    table.start()
    table.press()
    table.turn_on()
    tab = enter(browser, table, has_script=False)
    assert "Stage 1 of 4" in tab.text()
    assert tab.eval("document.querySelector('noscript meta, meta[http-equiv=refresh]') !== null")
    tab.close()
    with Browser(language="de") as german:
        tab = enter(german, table)
        tab.wait(LIVE)
        assert "Etappe 1 von 4" in tab.text()
        assert tab.eval("document.documentElement.lang") == "de"


def test_spectators_see_large_clocks_and_an_overlay_has_no_ground(browser: Browser, table: Any) -> None:
    table.start()
    table.press()
    table.press()
    table.turn_on()
    address = f"{table.url}/tv?t={table.link.state.tv}"
    tab = browser.open(address, size=(1280, 720))
    tab.wait("document.querySelectorAll('.clocks.large .digits').length === 2")
    assert tab.eval("parseFloat(getComputedStyle(document.querySelector('.digits')).fontSize)") > 80
    assert tab.eval("document.querySelectorAll('a, button, form input').length") == 0
    tab.close()
    tab = browser.open(f"{address}&overlay=1&show=clocks&corner=br", size=(1280, 720))
    tab.wait("document.querySelectorAll('.clocks.large .digits').length === 2")
    assert tab.eval("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert tab.eval("[...document.querySelectorAll('.block:not(.clocks)')].every(b => b.offsetHeight === 0)")
    wide = "document.querySelector('.page').getBoundingClientRect().width"
    before = tab.eval(wide)
    tab.go(f"{address}&overlay=1&show=clocks&corner=br&scale=50")
    tab.wait("document.querySelectorAll('.clocks.large .digits').length === 2")
    assert abs(tab.eval(wide) - before / 2) < 2
    tab.close()


@pytest.mark.long
def test_a_browser_that_keeps_no_cookies_watches_and_says_why_it_has_no_seat(
    table: Any, tmp_path: Path
) -> None:
    table.start()
    table.press()
    table.turn_on()
    kept = tmp_path / "Default" / "Preferences"
    kept.parent.mkdir()
    kept.write_text('{"profile": {"default_content_setting_values": {"cookies": 2}}}')
    with Browser(f"--user-data-dir={tmp_path}") as browser:
        tab = browser.open(f"{table.url}/j/{table.link.state.code}")
        tab.press("button.main")
        tab.wait("location.pathname === '/table' && location.search.startsWith('?c=')")
        tab.wait("document.body.innerText.includes('Stage 1 of 4')")
        table.press()
        act = table.desk.entries()[-1].seq
        tab.wait(f'!!document.querySelector(\'[data-k="Rows.latest"] [data-k="{act}"]\')')
        tab.press("nav a[href^='/seat']")
        tab.wait("document.body.innerText.includes('keeps no cookies')")
        assert browser.complaints() == []


@pytest.mark.long
def test_the_newest_of_seven_tabs_is_live_and_an_older_one_says_where_it_went(
    browser: Browser, table: Any
) -> None:
    table.start()
    table.turn_on()
    tabs = [enter(browser, table)]
    tabs[0].wait(LIVE)
    for _n in range(6):
        tabs.append(browser.open(f"{table.url}/table"))
    tabs[-1].wait(LIVE)
    assert "opened elsewhere" in tabs[0].text()
    assert table.link.state.watching == 1
    for tab in tabs:
        tab.close()


@pytest.mark.long
def test_a_frozen_gateway_turns_the_page_grey_and_a_foreign_name_opens_nothing(table: Any) -> None:
    table.start()
    table.turn_on()
    with Browser("--host-resolver-rules=MAP evil.lan 127.0.0.1") as browser:
        tab = enter(browser, table)
        tab.wait(LIVE)
        port = table.address.rpartition(":")[2]
        foreign = browser.open(f"http://evil.lan:{port}/")
        assert "must be opened by the address" in foreign.text()
        foreign.close()
        (pid,) = table.gateways()
        os.kill(pid, signal.SIGSTOP)
        tab.wait("document.getElementById('line').className === 'old'", 40)
        os.kill(pid, signal.SIGCONT)
        tab.wait(LIVE, 20)


@pytest.mark.long
def test_the_browser_command_shows_the_evening_once_and_goes_on_after_a_kill(
    tmp_path: Path, port: int
) -> None:
    command = [sys.executable, "-m", "companion", "browser", "--port", str(port), "--pace", "0.3"]
    command += ["--home", str(tmp_path / "home")]
    made: list[Any] = []

    def start() -> tuple[str, Any]:
        process = subprocess.Popen(
            command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        made.append(process)
        assert process.stdout is not None
        return re.findall(r"http://\S+", process.stdout.readline())[0], process

    try:
        address, process = start()
        base = address[: address.index("/j/")]
        with Browser() as browser:
            tab = browser.open(address)
            tab.press("button.main")
            tab.wait("location.pathname === '/table'")
            tab.wait(LIVE)
            with Browser() as second:
                late = second.open(address)
                late.press("button.main")
                late.wait("document.body.innerText.includes('not tonight')")
            process.send_signal(signal.SIGSTOP)
            tab.wait("document.getElementById('line').className === 'gone'", 25)
            assert tab.eval("getComputedStyle(document.getElementById('page')).filter") == "grayscale(1)"
            process.send_signal(signal.SIGCONT)
            tab.wait(LIVE, 10)
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            tab.wait("document.getElementById('line').className === 'gone'", 10)
            again, process = start()
            assert again.startswith(base)
            tab.wait(LIVE, 10)
            process.send_signal(signal.SIGINT)
            assert process.wait(15) == 0
    finally:
        for process in made:
            process.kill()
            process.wait()
            process.stdout.close()


def test_a_phone_that_slept_while_the_table_moved_on_and_its_link_died_is_right_by_itself(
    browser: Browser, table: Any
) -> None:
    table.start()
    table.turn_on()
    tab = enter(browser, table)
    tab.wait(LIVE)
    tab.eval("document.addEventListener('freeze', () => { window.slept = true; })")
    tab.call("Page.setWebLifecycleState", state="frozen")
    (pid,) = table.gateways()
    os.kill(pid, signal.SIGKILL)
    table.press()
    table.press()
    act = table.desk.entries()[-1].seq
    newest = f'!!document.querySelector(\'[data-k="Rows.latest"] [data-k="{act}"]\')'
    assert not tab.eval(newest), "it sleeps"
    until(lambda: bool(table.gateways()) and table.link.state.is_connected)
    tab.call("Page.setWebLifecycleState", state="active")
    took_s = tab.wait(f"{LIVE} && {newest}")
    assert tab.eval("window.slept")
    print(f"right {took_s:.1f} s after it woke")
