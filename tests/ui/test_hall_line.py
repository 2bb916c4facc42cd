"""The hall at the table: one line on the Table, a page behind it, and nothing of either in no hall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.text import Typed
from companion.pages.hall import HallAsk, HallSeat, HallState, SeatSide
from companion.pages.page import Mark
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.scenes import busy_desk

LINKED = HallState(True, "autumn", "17", True, True, round=3)


class Hall:
    """A hall that notes what the table asks of it."""

    def __init__(self, state: HallState) -> None:
        self.state, self.asked = state, list[tuple[str, ...]]()
        self._listeners: list[Callable[[], None]] = []

    def move(self, **fields: Any) -> None:
        self.state = replace(self.state, **fields)
        for listener in list(self._listeners):
            listener()

    def subscribe(self, listener: Callable[[], None]) -> Any:
        self._listeners.append(listener)
        listeners = self._listeners

        class Held:
            def cancel(self) -> None:
                if listener in listeners:
                    listeners.remove(listener)

        return Held()

    def call(self, reason: str) -> None:
        self.asked.append(("call", reason))
        self.move(wants=reason)

    def read(self) -> None:
        self.move(message="")

    def answer(self, n: int, yes: str) -> None:
        self.asked.append(("answer", str(n), yes))
        self.move(asks=tuple(one for one in self.state.asks if one.n != n))

    def begin(self) -> None:
        self.asked.append(("begin",))
        self.move(seat=None)

    def decline(self) -> None:
        self.asked.append(("decline",))
        self.move(seat=None)

    def leave(self) -> None:
        self.asked.append(("leave",))
        self.move(is_enrolled=False)


def _lay(hall: Hall, **look: Any) -> Laid:
    laid = harness.lay(busy_desk(), **look)
    laid.root.hall = hall
    laid.root.go("table")
    laid.root.screen.refresh(laid.desk.change)
    laid.settle()
    return laid


def test_a_table_in_no_hall_shows_nothing_of_one() -> None:
    laid = _lay(Hall(HallState()))
    assert laid.root.screen.ids.hall.height == 0
    assert not laid.has("Linked")


def test_the_line_says_how_the_link_stands_and_leads_to_the_director() -> None:
    hall = Hall(LINKED)
    laid = _lay(hall)
    assert laid.has("Table 17 · Round 3 · Linked")
    hall.move(is_linked=False, is_director_there=False, waiting=23)
    laid.settle()
    laid.tap(laid.find(text="Table 17 · No link, 23 entries kept"))
    assert laid.root.screen.key == "hall"
    laid.tap(laid.find(text="The dice"))
    assert hall.asked == [("call", "dice")]
    laid.settle()
    assert laid.has("The director is called.")
    laid.tap(laid.find(text="No longer needed"))
    assert hall.asked[-1] == ("call", "")


def test_a_message_stays_until_it_is_read_and_a_late_order_until_it_is_answered() -> None:
    hall = Hall(replace(LINKED, message="Lunch at one.", asks=(HallAsk(4, "pause"),)))
    laid = _lay(hall)
    laid.tap(laid.find(text="Message from the director"))
    assert laid.has("Lunch at one.")
    laid.tap(laid.find(text="Read"))
    laid.settle()
    assert not laid.has("Lunch at one.")
    laid.tap(laid.find(text="No"))
    assert hall.asked == [("answer", "4", "no")]


@pytest.mark.long
def test_leaving_the_hall_is_asked_once() -> None:
    hall = Hall(LINKED)
    laid = _lay(hall)
    laid.tap(laid.find(text="Table 17 · Round 3 · Linked"))
    laid.tap(laid.find(text="Leave the hall"))
    assert not hall.asked
    laid.tap(laid.find(text="Leave"))
    assert hall.asked == [("leave",)]


SEAT = HallSeat(
    4,
    "November 1942",
    "Song for War",
    (
        SeatSide("allies", "Allies", Mark("circle", "allies", Typed("Allies")), "Anna-Maria Bergengruen"),
        SeatSide("axis", "Axis", Mark("square", "axis", Typed("Axis")), "Ben"),
    ),
    each_ms=26 * 60_000,
    is_by_stage=True,
)


@pytest.mark.parametrize(("size", "look"), [*zip(harness.SIZES, ("day", "night", "day"), strict=True)])
def test_a_seat_shows_who_plays_what_and_one_tap_begins_it(size: tuple[int, int], look: str) -> None:
    hall = Hall(replace(LINKED, seat=SEAT))
    laid = harness.lay(busy_desk(), size=size, look=look, language="de" if look == "day" else "en")
    laid.root.hall = hall
    laid.root.go("hall")
    laid.settle()
    assert laid.has("Anna-Maria Bergengruen")
    assert laid.faults() == []
    laid.tap(laid.find(icon="play"))
    assert hall.asked == [("begin",)]
    laid.settle()
    assert not laid.has("Anna-Maria Bergengruen")


def test_others_at_the_table_are_asked_once_more_and_told() -> None:
    hall = Hall(replace(LINKED, seat=SEAT))
    laid = _lay(hall)
    assert laid.has("Round 4 is ready to begin")
    laid.root.go("hall")
    laid.settle()
    laid.tap(laid.find(text="Not us"))
    laid.settle()
    laid.tap(laid.find(text="Others sit here"))
    assert hall.asked == [("decline",)]
