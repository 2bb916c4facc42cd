"""The director's pages in the language of his browser: every word is spoken, and nothing but what people typed stands as it is."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hall_table import tournament
from msgspec.structs import replace
from test_wall import NOW, hall, live

from companion.core.text import Say, Typed
from companion.hall import paper
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.pages import document, login, players, score, table_page, wall_page
from companion.hall.desk.web.port import NoLink, Sent
from companion.hall.desk.web.rounds import round_page
from companion.hall.desk.web.screen import display_page
from companion.hall.desk.web.view import Playable, View
from companion.hall.errors import HallError
from companion.hall.happenings import Reported, ResultTaken, TournamentBegun
from companion.hall.outcome import Report, Result
from companion.hall.pairing import next_round
from companion.hall.record import happen
from companion.hall.store import Store
from companion.hall.voice import line_of, speaking
from companion.pages.i18n import LANGUAGES, language_of
from companion.pages.speak import Voice

GAMES = (Playable("g", "s", "Titel", (("c", "Kontrolle"),)),)


def marked(words: Say) -> str:
    """Return words in brackets, so that a text outside of brackets was never spoken."""
    return f"\u27e6{words}\u27e7"


def pages() -> dict[str, str]:
    """Return every page of a tournament in which everything has happened."""
    now = hall(5)
    for table, result in (
        (1, Result(1)),
        (1, Result(2)),
        (2, Result(3, "forfeit")),
        (3, Result(None, "double_forfeit")),
    ):
        now = happen(now, Reported(1, table, Report("paper", result, eyes=("Y", "Z"))))
    heard = {"4": live(wants="rule", vp={"axis": 3, "allies": None}), "5": live(NOW - 60_000)}
    view = View(now, heard, NOW, NOW + 7_200_000, Say("The broker is not reached; tables keep all."))
    late = Say("table {table} says: {why}", table=Typed("4"), why=Say("it came too late"))
    sent = (
        Sent(3, "all", Say("pause"), 3, 1, (late,), ("5",)),
        Sent(4, "5", Say("resume"), 1, 0, (), ("5",)),
    )
    done = tournament(3)
    done = happen(done, next_round(done))
    done = happen(done, ResultTaken(1, 1, Result(done.rounds[0].tables[0].first, vp=(3, 1))))
    over = View(done, {}, NOW)
    asking = (("7", "AAAA"),)
    return {
        "wall": document(view, "/", wall_page(view), told=Say("Table {table}: decided.", table=1)),
        "empty": wall_page(View(tournament(2), {}, NOW)),
        "round": round_page(view, "t", sent, asking, GAMES) + round_page(over, "t"),
        "table": "".join(table_page(view, n, "t", (), sent) for n in range(1, 6)),
        "standings": score(over) + score(View(tournament(3), {}, NOW)),
        "players": players(over, "t"),
        "login": login("Cup", Say("Too many wrong codes. Wait a minute.")),
        "hall": display_page(view) + display_page(over) + display_page(View(tournament(2), {}, NOW)),
        "paper": paper.page(now, at="2026-05-02T10:00:00") + paper.page(done),
    }


@pytest.mark.parametrize("name", pages())
def test_no_word_stands_on_a_page_that_is_not_spoken(name: str) -> None:
    """What is outside of the brackets are names, codes and figures: no word of ours."""
    with speaking(marked):
        page = pages()[name]
    page = re.sub(r"<(style|script|title)\b.*?</\1>", "", page, flags=re.DOTALL)
    attributes = " ".join(re.findall(r'data-(?:sure|live|gone|over)="([^"/]*)"', page))
    text = unescape(re.sub(r"<[^>]*>", " ", page) + " " + attributes)
    while re.search("\u27e6[^\u27e6\u27e7]*\u27e7", text):
        text = re.sub("\u27e6[^\u27e6\u27e7]*\u27e7", " ", text)
    data = r"\b(A\d+|Axis|Allies|Ax|Al|Cup|AAAA|Titel|Kontrolle|Y|Z|\d+-\d+-\w+)\b"
    assert re.findall(r"[^\W\d_]{2,}", re.sub(data, " ", text)) == []


def test_a_fault_is_spoken_where_it_is_shown(tmp_path: Path) -> None:
    Store.begin(
        tmp_path / "cup", TournamentBegun("t", "Cup", tournament(0).rules, "s"), "2026-05-02T10:00:00"
    )
    desk = Desk(tmp_path / "cup", NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    with pytest.raises(HallError) as fault:
        desk.act({"act": "pair", "system": "swiss"})
    assert line_of(fault.value.say) == "A round needs two players, 0 of 0 are in."
    with speaking(marked):
        assert line_of(fault.value.say) == "\u27e6a round needs two players, 0 of 0 are in\u27e7."


def test_a_round_of_a_tournament_has_its_own_word_where_a_game_has_another() -> None:
    """French calls a tournament's round otherwise than the round or stage of a game."""
    with speaking(Voice(language_of("fr")).say):
        page = "".join(pages().values())
    assert "Ronde" in page
    assert "Manche" not in page


def test_a_browser_gets_the_language_that_it_asks_for_and_keeps_the_one_that_was_chosen() -> None:
    pytest.importorskip("starlette")
    from companion.hall.desk.web.app import Web

    voices = {code: (name, Voice(language_of(code)).say) for code, name in LANGUAGES.items()}
    now = replace(tournament(2), name="Cup")
    desk: Any = SimpleNamespace(now=now, view=lambda: View(now, {}, NOW), reread=lambda: False)
    web = Web(desk, "CODE", b"k", voices=voices)

    def ask(accept: str = "", lang: str = "", cookie: str = "") -> tuple[str, str]:
        asked: Any = SimpleNamespace(
            headers={"accept-language": accept},
            query_params={"lang": lang} if lang else {},
            cookies={"lang": cookie},
        )
        answer: Any = web._login(asked)
        found = re.search(r'<html lang="(\w+)"', answer.body.decode())
        assert found is not None
        return found[1], answer.headers.get("set-cookie", "").partition(";")[0]

    assert ask() == ("en", "")
    assert ask("xx, de-AT;q=0.9, en") == ("de", "")
    assert ask("fr", cookie="de") == ("de", "")
    assert ask("fr", lang="de", cookie="en") == ("de", "lang=de")
    assert ask("fr", lang="../x", cookie="\x00") == ("fr", "")
