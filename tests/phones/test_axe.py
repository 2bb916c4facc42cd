"""What axe-core finds on the phones' pages: nothing, in any language, by night and by day."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import pytest

from companion.gateway import documents
from companion.gateway.hub import PAGES
from companion.pages.dice import Photo, SeenDie
from companion.pages.dice_phone import read_photo
from companion.pages.html import page_html
from companion.pages.i18n import LANGUAGES, language_of, speaking
from companion.pages.modules import modules
from companion.pages.page import Sight, Viewer
from companion.pages.phone_pages import WATCHED, mine_page, seat_page, unsealed_page, watched_page
from companion.pages.phone_words import WORDS
from companion.pages.speak import Voice
from companion.testing.chromium import CHROMIUM, Browser, Tab
from tests.phones.test_own import DESKS, Phones, with_arbiter

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.skipif(find_spec("axe_core_python") is None, reason="axe-core-python is not installed"),
]
RUNS = "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.help + ' | ' + v.nodes.map(n => n.html).join(' ').slice(0, 400)))"
PASSES = "axe.run().then(r => r.passes.length)"


def words_in(code: str) -> dict[str, str]:
    return {**documents.WORDS, **{key: language_of(code).text(text) for key, text in WORDS.items()}}


def by_code(code: str) -> Iterator[tuple[str, str]]:
    """Yield what the gateway makes itself: the way in, right and wrong, a seat's code, what is not there."""
    words = words_in(code)
    yield "join by link", documents.join_page(code, words, "ABCDEFGH")
    yield "join by code", documents.join_page(code, words, "", words["wrong"])
    yield "scan", documents.scan_page(code, words)
    yield "scanned before", documents.scan_page(code, words, words["used"])
    yield "no such page", documents.error_page(code, words, words["missing"])
    yield "no cookies", documents.seatless_page(code, words, "ABCDEFGH")
    yield "no app", documents.live_page(code, words, "table", "", None, is_joined=False)


def watched(code: str) -> Iterator[tuple[str, str]]:
    """Yield what every phone may look at, of every game."""
    words = words_in(code)
    for game, desk in ((game, make()) for game, make in DESKS.items()):
        assert desk.change is not None
        with speaking(code) as spoken:
            voice = Voice(spoken, game, desk.change.state)
            sight = Sight(Viewer("watch", may_act=False), desk.change, desk.rules, desk=desk)
            side = desk.change.state.frozen_setup.sides[0].id
            pages = {key: watched_page(key, sight, desk.now_ms()) for key in WATCHED}
            pages |= {"seat": seat_page(sight), "mine": mine_page(side, sight, desk.now_ms())}
            pages["unsealed"] = unsealed_page(side)
            shown = {key: page_html(page, voice, now_ms=desk.now_ms()) for key, page in pages.items()}
        for key, inner in shown.items():
            where = key if key in PAGES else "seat"
            if key == "tv":
                for css in ("tv", "tv overlay corner-tl"):
                    yield (
                        f"{game} {css}",
                        documents.tv_page(code, words, inner, 0, live="/live/tv", css=css, is_joined=True),
                    )
            else:
                yield f"{game} {key}", documents.live_page(code, words, where, inner, 0, is_joined=True)


def own(code: str) -> Iterator[tuple[str, str]]:
    """Yield every page of a side's own phone, the questions of its first acts, dice by photo, and the arbiter's."""
    words = words_in(code)

    def made(phones: Phones, side: str) -> str:
        with speaking(code):
            return documents.live_page(code, words, "seat", phones.html(side, code), 0, is_joined=True)

    for game, make in DESKS.items():
        phones = Phones(make())
        module = modules()[phones.state.frozen_setup.game]
        assert module.own is not None
        for side in phones.sides[:2]:
            for screen in ("clock", *(one.key for one in module.own().screens)):
                phones.press(side, f"own.go.{screen}")
                yield f"{game} {side} {screen}", made(phones, side)
                if screen == "hand":
                    phones.press(side, "add")
                    yield f"{game} {side} add cards", made(phones, side)
                    phones.press(side, "answer", cards="A02 X03 X77")
                    yield f"{game} {side} hand", made(phones, side)
            phones.press(side, "own.go.clock")
            phones.press(side, "own.note")
            yield f"{game} {side} note", made(phones, side)
            phones.press(side, "own.close")
            phones.press(side, "no such act")
            yield f"{game} {side} told", made(phones, side)
    phones = Phones(DESKS["sfw96"]())
    side = next(one for one in phones.sides if one in phones.state.step.owners)
    phones.press(side, "own.go.battle")
    phones.press(side, "read")
    yield "dice asked", made(phones, side)
    roll = phones.seats[side].roll
    assert roll is not None
    colour, count = roll.asked[0]
    seen = tuple(
        SeenDie(None if n == 0 else 12, colour, 0.9, 0.5, 0.5, 0.1, kind="d12") for n in range(count)
    )
    phones.seats[side].put_roll(read_photo(roll, Photo(1, 1, b"...", "f" * 64, seen)))
    yield "dice read", made(phones, side)
    phones.press(side, "die.0")
    yield "die asked", made(phones, side)
    phones = with_arbiter()
    yield "arbiter", made(phones, "arbiter")
    phones.press("arbiter", "pin")
    yield "arbiter's PIN", made(phones, "arbiter")
    phones.press("arbiter", "answer", pin="1234")
    yield "arbiter open", made(phones, "arbiter")
    phones.press("arbiter", "correct")
    yield "arbiter corrects", made(phones, "arbiter")


def faults_of(tab: Tab, html: str) -> list[str]:
    """Return what is wrong with a document, uncovered as well where it covers something."""
    frame = tab.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
    tab.call("Page.setDocumentContent", frameId=frame, html=html.replace(' src="/', ' data-src="/'))
    tab.wait("document.readyState === 'complete' && document.styleSheets.length > 0")
    tab.eval(axe())
    found = list(tab.eval(RUNS))
    if "secret" in html:
        tab.eval("document.body.classList.add('looking')")
        found += tab.eval(RUNS)
    assert tab.eval(PASSES) > 5
    return found


def axe() -> str:
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("is_light", [False, True], ids=["night", "day"])
@pytest.mark.parametrize("code", list(LANGUAGES))
def test_axe_finds_nothing_on_any_page(table: Any, code: str, is_light: bool) -> None:
    table.start()
    table.turn_on()
    faults: dict[str, list[str]] = {}
    count = 0
    with Browser(language=code) as browser:
        tab = browser.open(table.url, is_light=is_light)
        for name, html in (*by_code(code), *watched(code), *own(code)):
            count += 1
            found = faults_of(tab, html)
            if found:
                faults[name] = found
    assert not faults, "\n".join(f"{name}: {one}" for name, told in faults.items() for one in told)
    assert count > 60


@pytest.mark.long
def test_axe_sees_what_would_be_wrong(table: Any) -> None:
    table.start()
    table.turn_on()
    with Browser() as browser:
        tab = browser.open(table.url)
        page = documents.join_page("en", words_in("en"), "", "")
        assert faults_of(tab, page) == []
        assert faults_of(
            tab, page.replace("<label><span>", "<label><b></b><span hidden>").replace(' lang="en"', "")
        )


MEASURED = """(() => {
  const seen = one => one.getClientRects().length && getComputedStyle(one).visibility !== 'hidden' && !one.closest('.heard');
  const told = one => one.outerHTML.slice(0, 160), found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the phone: ' + document.documentElement.scrollWidth);
  for (const one of document.querySelectorAll('button, nav a, input:not([type=hidden]):not([type=radio]), fieldset label'))
    if (seen(one) && one.getBoundingClientRect().height < 47.5) found.push('low: ' + told(one));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() && !one.closest('svg, script, style, noscript') && seen(one)
      && parseFloat(getComputedStyle(one).fontSize) < 17) found.push('small: ' + told(one));
  }
  return [...new Set(found)];
})()"""


@pytest.mark.long
@pytest.mark.parametrize("code", list(LANGUAGES))
def test_every_page_fits_a_phone_of_320_px_with_targets_of_48_and_text_of_17(table: Any, code: str) -> None:
    table.start()
    table.turn_on()
    faults: dict[str, list[str]] = {}
    with Browser(language=code) as browser:
        tab = browser.open(table.url, size=(320, 640))
        frame = tab.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        for name, html in (*by_code(code), *watched(code), *own(code)):
            tab.call("Page.setDocumentContent", frameId=frame, html=html.replace(' src="/', ' data-src="/'))
            tab.wait("document.readyState === 'complete' && document.styleSheets.length > 0")
            if " tv" not in name and (found := tab.eval(MEASURED)):
                faults[name] = found
    assert not faults, "\n".join(f"{name}: {one}" for name, told in faults.items() for one in told)
