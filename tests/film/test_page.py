"""The written film is one page that asks for nothing, says all without script, and stays small enough to be sent."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from evenings import EVENINGS, change_of, send
from pages import Page

from companion.core.commands import AddNote
from companion.core.text import Say, Typed
from companion.pages.film.fold import film_of
from companion.pages.i18n import speaking
from companion.pages.report import MOST_BYTES, report_html
from companion.pages.report_parts import ReportSource
from companion.pages.speak import sentence
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sfw_evenings import SfwGame

HOSTILE = "</script><img src=x onerror=alert(1)>\" onload='x' <b>&"


def written(desk: MemoryDesk, **how: object) -> str:
    return report_html(change_of(desk), desk.entries(), desk.counts, 0, **how)  # type: ignore[arg-type]


@pytest.fixture(params=EVENINGS)
def desk(request: pytest.FixtureRequest) -> MemoryDesk:
    return EVENINGS[request.param]()


def test_a_page_asks_for_nothing_from_elsewhere(desk: MemoryDesk) -> None:
    page = Page(written(desk))
    assert all(
        lead.startswith(("#d", "data:text/csv;base64,", "data:image/jpeg;base64,")) for lead in page.leads
    )
    assert page.handlers == []
    assert page.styled == [], "the policy allows no style of a single tag"
    assert "default-src 'none'" in page.policy
    assert page.digest("style") in page.policy
    assert page.digest("script") in page.policy
    assert "url(" not in page.inside["style"]
    assert "@import" not in page.inside["style"]
    for way in (
        "fetch",
        "XMLHttpRequest",
        "import(",
        "WebSocket",
        "localStorage",
        "cookie",
        "innerHTML",
        "eval",
    ):
        assert way not in page.inside["script"]


def test_without_script_every_act_is_there_to_read(desk: MemoryDesk) -> None:
    page = Page(written(desk))
    film = film_of(ReportSource(change_of(desk), desk.entries(), desk.counts, 0))
    assert [act["id"] for act in page.having("li", kind="act")] == [f"a{act.seq}" for act in film.acts]
    assert page.having("details", kind="all")[0].keys() >= {"open"}
    assert "hidden" in page.having("div", kind="player")[0], "keys that nothing answers are not shown"
    dice = [die.value for act in film.acts for throw in act.throws for die in throw.dice]
    assert len(page.having("svg", kind="die")) == len(dice)
    assert len(page.having("li", **{"data-held": "0"})) == (1 if film.held_at(len(film.acts) - 1) else 0)


@pytest.mark.parametrize("game", ["sfw1", "med"])
def test_nothing_is_joined_as_in_english_where_french_is_spoken(game: str) -> None:
    with speaking("fr"):
        page = Page(written(EVENINGS[game]()))
    said = [page.text, *(given.get("aria-label", "") for _tag, given in page.tags)]
    assert [found for text in said for found in re.findall(r"[^\W\d][:;] \S*|@\d+", text)] == []


def test_dice_are_drawn_by_outlines_that_the_page_has(desk: MemoryDesk) -> None:
    page = Page(written(desk))
    outlines = {f"#{given['id']}" for given in page.having("symbol")}
    assert {given["href"] for given in page.having("use")} <= outlines


def test_names_and_notes_are_never_markup() -> None:
    game = SfwGame("italy", {"seats": ["<img src=x onerror=a>", '"></b>']})
    game.go("s1.t1.allies.move")
    send(game.desk, AddNote(HOSTILE))
    page = Page(written(game.desk))
    assert page.handlers == []
    assert not page.having("img")
    assert not page.having("b", src="x")
    assert HOSTILE in page.text
    assert "<img src=x onerror=a>" in page.text
    assert len(page.having("script")) == 1


def test_what_a_damaged_game_has_lost_is_said_at_the_head(desk: MemoryDesk) -> None:
    page = Page(written(desk, loss=Say("from 21:14 on, at least 12 entries are lost")))
    assert page.text.index("21:14 on, at least 12 entries are lost") < page.text.index("Every action")


def test_a_file_keeps_its_name_where_a_sentence_begins_with_it() -> None:
    assert sentence(Say("{file} was damaged", file=Typed("april.tcgame"))) == "april.tcgame was damaged"
    assert sentence(Say("the game {file} was damaged", file=Typed("t"))) == "The game t was damaged"


def test_a_page_that_would_be_too_large_leaves_out_and_says_so() -> None:
    desk = EVENINGS["sfw96"]()
    whole = written(desk)
    sizes = []
    for most in (len(whole.encode()), 70_000, 60_000, 50_000, 40_000):
        text = written(desk, most_bytes=most)
        page = Page(text)
        assert len(text.encode()) <= most
        assert ("Left out" in page.text) == (text != whole)
        sizes.append(len(text))
    assert sizes == sorted(sizes, reverse=True)


def test_an_evening_of_many_long_notes_stays_within_five_megabytes() -> None:
    game = SfwGame("italy")
    game.go("s1.t1.allies.move")
    for n in range(200):
        send(game.desk, AddNote(f"{n} " + '<&">' * 1_500))
    text = written(game.desk)
    assert MOST_BYTES == 5_000_000
    assert len(text.encode()) <= MOST_BYTES
    assert "Left out" in text
    assert "data-marker" in text, "what fits of the film is there"


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no browser on this machine")
def test_the_script_shows_the_act_that_is_asked_for(desk: MemoryDesk, tmp_path: Path) -> None:
    seq = [e.seq for e in desk.entries() if e.command.kind == "act" and desk.counts(e.seq)][3]
    file = tmp_path / "film.html"
    file.write_text(written(desk), encoding="utf-8")
    done = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
         "--dump-dom", f"file://{file}#act-{seq}"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    shown = done.stdout
    assert re.search(r'<html lang="en" class="js">', shown)
    film = film_of(ReportSource(change_of(desk), desk.entries(), desk.counts, 0))
    at = next(n for n, act in enumerate(film.acts) if act.seq == seq)
    assert f"<output>{at + 1} / {len(film.acts)}</output>" in shown
    clocks = re.findall(r'data-clock="\d">([^<]*)<', shown)
    assert clocks == [side.clock for side in film.acts[at].sides]
