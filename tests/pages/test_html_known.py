"""Rows of phones that are taken from the page before: what is sent is what would be written anew."""

from __future__ import annotations

from companion.core.text import Name, Say, Typed
from companion.pages.html import page_html
from companion.pages.html_known import Known
from companion.pages.i18n import Language
from companion.pages.page import Item, Page, Rows
from companion.pages.speak import Voice


def page(*items: Item) -> Page:
    return Page("log", Say("Log"), blocks=(Rows("log", items),))


def test_rows_that_are_known_are_as_if_written_anew() -> None:
    voice, known = Voice(Language("en")), Known()
    first = (Item("1", Typed("Rome")), Item("2", Typed("Oslo"), Say("{n} of {all}", n=1, all=2)))
    changed = (Item("3", Typed("new")), Item("1", Typed("Roma")), first[1])
    for items in (first, first, changed, first[::-1]):
        made = page(*items)
        assert page_html(made, voice, known=known) == page_html(made, voice)


def test_a_row_that_names_something_or_is_secret_is_never_kept() -> None:
    known = Known()
    named = Item("1", Say("{who} acts", who=Name("side", "axis")))
    known.put(named, "old")
    assert known.get(named) is None
    voice, secret = Voice(Language("en")), Item("1", Typed("A02"), is_secret=True)
    for shown in (page(secret), page(Item("1", Typed("A02"))), page(secret)):
        assert page_html(shown, voice, known=known) == page_html(shown, voice)
