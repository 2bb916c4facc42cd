"""Orders at the table: each done once, also when the box loses its power at the worst instant; late ones ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.adapters.hall_orders import Desk, OrderBook
from companion.core import commands as cm
from companion.core.rules import Rejected
from companion.core.text import Say
from companion.hall import orders as od
from companion.hall.messages import Did, MessageError

DIRECTOR, BOX = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))


class Box:
    """A table's game as far as orders see it; `cut` is the instant at which its power goes."""

    def __init__(self, path: Path) -> None:
        self.path, self.game, self.log = path, "aa", list[cm.Command]()
        self.refusal: Rejected | None = None
        self.cut = ""
        self.start()

    def start(self) -> None:
        self.dids, self.asked, self.shown = list[Did](), list[int](), list[od.Order]()
        self.book = OrderBook(
            self.path,
            Desk(
                lambda: 5_000,
                lambda: (self.game, len(self.log)),
                lambda after: len(self.log) - after,
                self._ask,
            ),
            "cup",
            "17",
            director=od.public_of(DIRECTOR),
            key=BOX,
            say=self.dids.append,
            show=self._show,
            ask=lambda order: self.asked.append(order.n),
            later=lambda call: call(),
        )

    def _ask(self, command: cm.Command, answered: Callable[[Rejected | None], None]) -> bool:
        if not self.game:
            return False
        if self.cut == "before":
            return True
        if self.refusal is None:
            self.log.append(command)
        if self.cut == "after":
            return True
        answered(self.refusal)
        return True

    def _show(self, order: od.Order) -> str:
        self.shown.append(order)
        return "done"

    def take(self, n: int, what: od.Any_, **changed: Any) -> list[str]:
        """Take an order and return what was said of it."""
        fields = {"issued": 1_000, "sent": 1_000, **changed}
        self.dids.clear()
        self.book.take(od.signed(od.Order(hall="cup", n=n, to="17", what=what, **fields), DIRECTOR), None)
        return [one.code for one in self.dids]


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "orders.json")


def test_an_order_is_done_once_however_often_it_comes(box: Box) -> None:
    assert box.take(1, od.Pause("lunch")) == ["done"]
    assert box.take(1, od.Pause("lunch")) == ["done"]
    box.start()
    assert box.take(1, od.Pause("lunch")) == ["done"]
    assert box.log == [cm.Pause(at_ms=5_000, reason="lunch")]
    assert all(od.is_did_of(one, od.public_of(BOX), "cup", "17") for one in box.dids)


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_power_cut_around_the_entry_neither_loses_nor_doubles_an_order(box: Box, cut: str) -> None:
    box.cut = cut
    assert box.take(1, od.AddTime("axis", 60_000, "late")) == []
    box.cut = ""
    box.start()
    box.game = ""
    assert box.take(1, od.AddTime("axis", 60_000, "late")) == [], "its game is not open: nobody can know yet"
    box.game = "aa"
    assert box.take(1, od.AddTime("axis", 60_000, "late")) == ["done"]
    assert len(box.log) == 1
    assert box.take(1, od.AddTime("axis", 60_000, "late")) == ["done"]
    assert len(box.log) == 1


def test_a_refused_order_says_the_usual_code_and_stays_refused(box: Box) -> None:
    box.refusal = Rejected("paused", Say("The game is already paused."))
    assert box.take(1, od.Pause()) == ["paused"]
    assert box.dids[0].said == "The game is already paused."
    box.refusal = None
    assert box.take(1, od.Pause()) == ["paused"], "the director asks anew with a new order"
    assert not box.log


def test_a_late_pause_asks_and_is_done_or_declined_as_the_table_says(box: Box) -> None:
    assert box.take(1, od.Pause(), sent=70_000) == []
    assert box.take(1, od.Pause(), sent=72_000) == []
    assert box.asked == [1], "once"
    box.book.answer(1, is_yes=True)
    assert [one.code for one in box.dids] == ["done"]
    assert box.take(2, od.Pause(), sent=70_000) == []
    box.book.answer(2, is_yes=False)
    assert [one.code for one in box.dids] == ["declined"]
    assert box.take(3, od.Pause(), sent=5_000, until=4_000) == ["late"]
    assert len(box.log) == 1


def test_what_asks_the_table_leaves_no_entry_and_without_a_game_an_order_is_refused(box: Box) -> None:
    assert box.take(1, od.Message("Lunch at one.")) == ["done"]
    assert [one.what for one in box.shown] == [od.Message("Lunch at one.")]
    assert not box.log
    box.game = ""
    assert box.take(2, od.Pause()) == ["no_game"]


def test_a_forged_order_changes_nothing(box: Box) -> None:
    order = od.Order(hall="cup", n=1, to="17", what=od.Pause(), issued=1, sent=1)
    with pytest.raises(MessageError, match="expected the director's signature"):
        box.book.take(od.signed(order, BOX), None)
    assert not box.log
    assert not box.path.exists()
