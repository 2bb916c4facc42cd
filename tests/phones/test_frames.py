"""What is sent to whom: a phone hears of nothing that changes none of its own page."""

from __future__ import annotations

from typing import Any

from companion.adapters.phone_frames import Frames
from companion.adapters.phone_own import OwnSeat
from companion.adapters.phone_seats import Seats
from companion.core.commands import AddNote
from companion.testing.memory_desk import MemoryDesk
from tests.phones.test_own import DESKS


class Link:
    """What frames ask of the program."""

    def __init__(self, desk: MemoryDesk) -> None:
        self.desk, self.faults = desk, list[Exception]()
        self.on_fault = self.faults.append

    def wall_ms(self) -> int:
        return 0


def test_nobody_is_sent_a_frame_that_says_nothing_new_to_him() -> None:
    """Else everybody who reads along learns that somebody composes something, or tries a PIN, on a phone of his own."""
    desk, sent = DESKS["sfw96"](), list[str]()
    link: Any = Link(desk)
    frames = Frames(link, Seats(), lambda _side: link, lambda channel, _frame: sent.append(channel))

    def made() -> list[str]:
        sent.clear()
        frames.make_due()
        return [one for one in sent if one not in ("alive", "way")]

    frames.want(("clocks.en", "log.en", "table.de"))
    assert made() == ["clocks.en", "log.en", "table.de"]
    desk.advance(1_000)  # clocks show another second, which phones count by themselves
    frames.is_dirty = True
    assert made() == []
    desk.send(AddNote("A note"))
    assert made() == ["log.en", "table.de"]
    frames.want(("clocks.en", "log.en", "tv.en"))
    assert made() == ["tv.en"]
    sent.clear()
    frames.ask("clocks.en")
    assert sent == ["clocks.en"]
    assert link.faults == []


def test_a_seat_that_another_phone_took_over_is_sent_its_page_under_the_new_key() -> None:
    sent, seats = list[str](), Seats()
    link: Any = Link(DESKS["sfw96"]())
    own = OwnSeat("axis", lambda _command, _actor: None, lambda _run, _then: None)
    frames = Frames(link, seats, lambda _side: own, lambda channel, _frame: sent.append(channel))
    for token in ("1" * 64, "2" * 64):
        assert seats.scan(token, seats.offer_own("axis", 0.0).ticket, "", 0.0)
        frames.want(("own-axis.en",))
        for count in (1, 0):
            sent.clear()
            frames.is_dirty = True
            frames.make_due()
            assert sent.count("own-axis.en") == count
        frames._made_at_s.extend([0.0] * 3)  # without the rest between pages
    assert link.faults == []
