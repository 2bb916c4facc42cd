"""The hall on the box's own screen: whatever link, director or log say is a sentence that is translated, never a code of the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import companion
from companion.core.text import Say, Typed
from companion.hall import orders as od
from companion.hall.link.port import WHYS
from companion.pages.hall import HallAsk, HallState, hall_line, hall_page, order_words
from companion.pages.log import SOURCES
from companion.pages.page import TABLE_VIEWER, Sight

ENROLLED = HallState(True, "cup", "17", is_linked=True, is_director_there=True, round=2)
ASKING = [one.__struct_config__.tag for one in od._ASKS_WHEN_LATE]
STATES = {
    "none": HallState(),
    "linked": ENROLLED,
    "clock": replace(ENROLLED, round_left_ms=60_000),
    "last": replace(ENROLLED, is_last_round=True),
    "away": replace(ENROLLED, is_director_there=False),
    **{why: replace(ENROLLED, is_linked=False, why=why, waiting=2) for why in WHYS},
    **{wants: replace(ENROLLED, wants=wants) for wants in ("rule", "clock", "dice", "other")},
    **{f"late {kind}": replace(ENROLLED, asks=(HallAsk(1, kind),)) for kind in ASKING},
}


def _within(value: object) -> Iterator[Any]:
    """Return every sentence and every text as it was typed, those inside others too."""
    if isinstance(value, Say | Typed):
        yield value
    inside: Any = ()
    if isinstance(value, Say):
        inside = value.values.values()
    elif isinstance(value, msgspec.Struct):
        inside = [getattr(value, name) for name in value.__struct_fields__]
    elif isinstance(value, tuple | list):
        inside = value
    for one in inside:
        yield from _within(one)


@pytest.mark.parametrize("name", STATES)
def test_nothing_but_names_stands_on_the_screen_untranslated(name: str) -> None:
    box: Any = SimpleNamespace(hall=SimpleNamespace(state=STATES[name]))
    shown = [*_within(hall_page(Sight(TABLE_VIEWER, None, None, box=box)).page)]
    shown += _within(hall_line(STATES[name], 0))
    assert any(isinstance(one, Say) for one in shown)
    assert {str(one) for one in shown if isinstance(one, Typed)} <= {"17", "cup"}


@pytest.mark.parametrize("why", WHYS)
def test_every_reason_for_a_missing_link_is_told(why: str) -> None:
    box: Any = SimpleNamespace(hall=SimpleNamespace(state=STATES[why]))
    said = {str(one) for one in _within(hall_page(Sight(TABLE_VIEWER, None, None, box=box)).page)}
    unknown: Any = SimpleNamespace(hall=SimpleNamespace(state=replace(STATES[why], why="")))
    assert said - {str(one) for one in _within(hall_page(Sight(TABLE_VIEWER, None, None, box=unknown)).page)}


@pytest.mark.parametrize("kind", ASKING)
def test_every_order_that_may_come_late_asks_in_its_own_words(kind: str) -> None:
    assert order_words(kind) != order_words("an order of a newer hall")


def test_wherever_an_entry_came_from_the_log_has_a_word_for_it() -> None:
    """Every source that any part of the program writes, found in the program itself."""
    ways = r'source="(\w+)"|\bSOURCE = "(\w+)"|_hand = "(\w+)"|SYSTEM, "(\w+)"'
    found = set()
    for file in Path(companion.__file__).parent.rglob("*.py"):
        if "testing" not in file.parts:
            found |= {"".join(one) for one in re.findall(ways, file.read_text(encoding="utf-8"))}
    assert {"hall", "panel", "phone", "touch", "app"} <= found, "the search finds what it looks for"
    assert found <= set(SOURCES)
