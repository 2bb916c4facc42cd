"""Rows of phones that are taken from the page before: what is sent is what would be written anew."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.state import EMPTY_STATE
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


def test_a_row_that_is_secret_is_never_kept() -> None:
    known = Known()
    voice, secret = Voice(Language("en")), Item("1", Typed("A02"), is_secret=True)
    for shown in (page(secret), page(Item("1", Typed("A02"))), page(secret)):
        assert page_html(shown, voice, known=known) == page_html(shown, voice)


def test_a_row_that_names_something_stands_until_the_name_may_be_another() -> None:
    """A value that is entered, or whatever the game holds, may be what a name is taken from."""
    known, rows = Known(), page(Item("1", Say("{card} is laid", card=Name("card", "A02"))))
    state, spoken = EMPTY_STATE, []
    for name in ("Trident", "Trident", "Comet"):
        state = replace(state, printed={**state.printed, "A02": name}) if name not in spoken else state
        voice = Voice(
            Language("en"), state=state, missing=lambda _name, told=name: spoken.append(told) or told
        )
        assert f"{name} is laid" in page_html(rows, voice, known=known)
    assert spoken == ["Trident", "Comet"]
