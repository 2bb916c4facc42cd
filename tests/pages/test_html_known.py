"""Rows of phones that are taken from the page before: what is sent is what would be written anew."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.state import EMPTY_STATE
from companion.core.text import Name, Say, Typed
from companion.pages.html import page_html
from companion.pages.html_known import Known
from companion.pages.i18n import Language
from companion.pages.page import (
    Banner,
    Clock,
    ClockAnchor,
    Clocks,
    Item,
    Mark,
    Page,
    Rows,
    Side,
    Sides,
)
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


def test_blocks_that_are_known_are_as_if_written_anew() -> None:
    """Pages of one language share what was written; a secret is never among it, and a clock goes on."""
    voice, known = Voice(Language("en")), Known()
    secret = Rows("hand", (Item("1", Typed("A02"), is_secret=True),))
    clock = Clocks("clocks", (Clock("axis", Mark("square", "axis"), ClockAnchor(60_000, 0, True, False)),))
    shown = Rows("hand", (Item("1", Typed("A02")),))
    sides = Sides("sides", (Side("one", None, (secret,)),))
    banners = (Banner("now", Typed("Move")), Banner("now", Typed("Fight")))
    for n, blocks in enumerate(
        (
            (secret, banners[0]),
            (banners[0], clock),
            (banners[1], clock),
            (sides, shown),
            (secret, sides),
            (shown,),
        )
    ):
        made = Page("any", Say("Any"), blocks=blocks)
        assert page_html(made, voice, now_ms=1000 * n, known=known) == page_html(made, voice, now_ms=1000 * n)


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
