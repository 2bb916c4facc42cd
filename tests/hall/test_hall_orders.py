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
        self.now_ms = 5_000
        self.begun = dict[int, bool]()
        self.cut = ""
        self.start()

    def start(self) -> None:
        self.dids, self.asked, self.shown = list[Did](), list[int](), list[od.Order]()
        self.told = list[Say]()
        self.book = OrderBook(
            self.path,
            Desk(
                lambda: self.now_ms,
                lambda: (self.game, len(self.log)),
                lambda after: len(self.log) - after,
                self._ask,
                self._seat,
                self.begun.get,
            ),
            "cup",
            "17",
            director=od.public_of(DIRECTOR),
            key=BOX,
            say=self.dids.append,
            show=self._show,
            ask=lambda order: self.asked.append(order.n),
            later=lambda call: call(),
            tell=self.told.append,
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

    def _seat(self, order: od.Order, answered: Callable[[Rejected | None], None]) -> None:
        if self.cut == "before":
            return
        if isinstance(order.what, od.Seat):
            self.begun[order.what.round] = False
        elif isinstance(order.what, od.Start):
            assert not self.begun[order.what.round], "begun twice"
            self.begun[order.what.round] = True
        if self.cut != "after":
            answered(self.refusal)

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


def _flip(data: bytes) -> bytes:
    """Change one figure of a list that stays readable: the highest number that was taken."""
    assert b'"high":3' in data
    return data.replace(b'"high":3', b'"high":1')


@pytest.mark.parametrize("damage", [lambda _data: b"", lambda data: data[:-9], _flip, lambda _data: b"[]"])
def test_a_damaged_list_of_orders_is_told_and_kept_and_nothing_is_done_twice(
    box: Box, damage: Callable[[bytes], bytes]
) -> None:
    for n in (1, 2, 3):
        assert box.take(n, od.AddTime("axis", 60_000, "late")) == ["done"]
    box.path.write_bytes(damage(box.path.read_bytes()))
    damaged = box.path.read_bytes()
    box.now_ms = 100_000  # the box starts again
    box.start()
    assert len(box.told) == 1
    kept = [one for one in box.path.parent.iterdir() if one.read_bytes() == damaged]
    assert len(kept) == 1
    assert kept[0].name in str(box.told[0])
    for n in (2, 1, 3):
        assert box.take(n, od.AddTime("axis", 60_000, "late"), sent=9_000) == ["forgotten"]
    assert "Order it anew" in box.dids[0].said
    box.now_ms = 140_000
    assert box.take(4, od.AddTime("axis", 1, "?"), issued=10_000, sent=49_000) == ["forgotten"], (
        "it may be old"
    )
    box.start()
    assert not box.told, "a list that was begun anew is whole"
    box.now_ms = 180_000
    assert box.take(6, od.AddTime("axis", 5, "new"), issued=88_000, sent=89_000) == ["done"]
    assert box.take(5, od.AddTime("axis", 1, "?"), issued=88_000, sent=89_000) == ["forgotten"]
    assert box.take(7, od.AddTime("axis", 7, "new"), issued=88_100, sent=89_000) == ["done"]
    box.start()
    assert box.take(3, od.AddTime("axis", 60_000, "late"), sent=90_000) == ["forgotten"]
    assert box.take(8, od.AddTime("axis", 8, "new"), issued=90_000, sent=90_001) == ["done"]
    given = [one.delta_ms for one in box.log if isinstance(one, cm.CorrectTime)]
    assert given == [60_000] * 3 + [5, 7, 8]


def test_an_order_that_cannot_be_written_down_is_not_done_and_may_come_again(box: Box) -> None:
    folder = box.path.parent / "gone"
    box.path = folder / "orders.json"
    box.start()
    assert box.take(1, od.AddTime("axis", 60_000, "late")) == ["not_kept"]
    assert not box.log
    folder.mkdir()
    assert box.take(1, od.AddTime("axis", 60_000, "late")) == ["done"]
    assert len(box.log) == 1


def test_a_seat_is_taken_once_and_a_table_may_decline_it_after_all(box: Box) -> None:
    assert box.take(1, od.Seat(2, "sfw96", "italy", {"axis": "Ben"})) == ["done"]
    assert box.take(2, od.Start(2)) == ["done"]
    assert box.take(2, od.Start(2)) == ["done"]
    assert box.begun == {2: True}
    box.dids.clear()
    box.book.decline(1)
    assert [(one.n, one.code) for one in box.dids] == [(1, "declined")]
    box.start()
    box.book.greet()
    assert [(one.n, one.code) for one in box.dids] == [(1, "declined")], "he does not ask for it again"
    assert od.is_did_of(box.dids[0], od.public_of(BOX), "cup", "17")


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_power_cut_around_a_start_begins_one_game_and_asks_where_nobody_can_know(
    box: Box, cut: str
) -> None:
    assert box.take(1, od.Seat(2, "sfw96", "italy")) == ["done"]
    box.cut = cut
    assert box.take(2, od.Start(2)) == []
    box.cut = ""
    box.start()
    said = box.take(2, od.Start(2))
    if cut == "after":
        assert said == ["done"], "the game that was begun tells it"
        return
    assert (said, box.asked) == ([], [2])
    assert box.take(2, od.Start(2)) == []
    assert box.asked == [2], "once"
    box.book.answer(2, is_yes=True)
    assert [one.code for one in box.dids] == ["done"]
    assert box.begun == {2: True}


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_power_cut_around_a_seat_prepares_it_all_the_same(box: Box, cut: str) -> None:
    box.cut = cut
    assert box.take(1, od.Seat(2, "sfw96", "italy")) == []
    box.cut = ""
    box.start()
    assert box.take(1, od.Seat(2, "sfw96", "italy")) == ["done"]
    assert box.begun == {2: False}
