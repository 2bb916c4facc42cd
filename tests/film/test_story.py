"""The story of an evening reads as a player would write it; every sentence of each game is kept and was read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from evenings import EVENINGS, change_of, send

from companion.core.commands import AddNote
from companion.pages.film.sections import evening_of
from companion.pages.film.story import story_markdown, story_text
from companion.pages.i18n import use_language
from companion.pages.report_parts import ReportSource
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sfw_evenings import SfwGame

KEPT = Path(__file__).parents[1] / "golden" / "stories.txt"
_UPDATE = "COMPANION_KEEP_STORIES"
"""Set in the environment, the stories are written anew, to be read."""


def told(desk: MemoryDesk) -> tuple[str, str]:
    evening = evening_of(ReportSource(change_of(desk), desk.entries(), desk.counts, 0))
    return story_text(evening.story, evening.film), story_markdown(evening.story, evening.film)


def test_the_stories_of_all_games_are_those_that_were_read() -> None:
    use_language("en")
    now = "".join(f"=== {key}\n\n{told(make())[0]}\n" for key, make in EVENINGS.items())
    if _UPDATE in os.environ:
        KEPT.write_text(now, encoding="utf-8")
    assert now == KEPT.read_text(encoding="utf-8"), f"read the new stories and keep them with {_UPDATE}=1"


@pytest.mark.parametrize("key", EVENINGS)
def test_every_sentence_begins_with_a_capital_and_ends(key: str) -> None:
    text, _markdown = told(EVENINGS[key]())
    for paragraph in text.strip().split("\n\n")[1:]:
        assert paragraph[0].isupper() or paragraph[0].isdigit()
        assert paragraph.endswith((".", "”", "!"))
        assert "  " not in paragraph
        assert "{" not in paragraph


@pytest.mark.parametrize("key", EVENINGS)
def test_markdown_says_the_same(key: str) -> None:
    text, markdown = told(EVENINGS[key]())
    plain = markdown.replace("## ", "", 1).replace("**", "")
    for sign in "\\`*_{}[]<>#|!":
        plain = plain.replace(f"\\{sign}", sign)
    assert plain == text


def test_what_was_typed_marks_nothing_up() -> None:
    game = SfwGame("italy")
    game.go("s1.t1.allies.move")
    send(game.desk, AddNote("# [x](http://y) **z** <i> `q` | a_b_"))
    _text, markdown = told(game.desk)
    assert "\\# \\[x\\](http://y) \\*\\*z\\*\\* \\<i\\> \\`q\\` \\| a\\_b\\_" in markdown


def test_a_game_that_has_just_begun_has_a_story_too() -> None:
    text, _markdown = told(SfwGame("italy").desk)
    assert text.count("\n\n") >= 2
