"""Seating: the director's order prepares a real game, and one tap or his start begins it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.hall_seat import FILE, Seats, prepared
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.core.ids import ARBITER
from companion.hall.orders import Seat
from companion.pages.hall import HallState

NAMES = {"axis": "Ben", "allies": "Anna"}
ITALY = Seat(3, "sfw96", "italy", NAMES, code="9F3A21C0.3-17-K7QF")


class Table:
    """A box with a real desk; games begin at once."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.desk = ShellDesk(home, GameCatalogue(), post=lambda call: call())
        self.restart()

    def restart(self) -> None:
        self.state = HallState(True, "cup", "17")
        self.seats = Seats(self.desk, self.home / "keys", self.desk.start, self._moved)
        self.seats.show()

    def _moved(self, **fields: Any) -> None:
        from msgspec.structs import replace

        self.state = replace(self.state, **fields)

    def names(self) -> dict[str, tuple[str, ...]]:
        assert self.desk.change is not None
        return {str(one.id): one.seats for one in self.desk.change.state.frozen_setup.sides}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    (tmp_path / "keys").mkdir()
    made = Table(tmp_path)
    yield made
    made.desk.close()


def test_a_seat_prepares_the_game_and_one_tap_begins_it_with_everything_set(table: Table) -> None:
    assert table.seats.take(5, ITALY) is None
    assert table.desk.change is None, "a seat starts nothing"
    seat = table.state.seat
    assert seat is not None
    assert (seat.round, seat.title, seat.each_ms, seat.is_by_stage) == (3, "Italy", 22 * 60_000, True)
    assert {one.id: one.player for one in seat.sides} == NAMES
    table.restart()
    assert table.state.seat == seat, "also after a power cut"
    assert table.seats.start() is None
    setup = table.desk.session.change.state.frozen_setup
    assert (setup.game, setup.scenario, setup.clock.tournament) == ("sfw96", "italy", True)
    assert table.names() == {"axis": ("Ben",), "allies": ("Anna",)}
    assert (table.state.seat, table.state.slip, table.state.slip_game) == (None, ITALY.code, setup.game_id)
    table.restart()
    assert (table.state.seated_round, table.state.slip_game) == (3, setup.game_id)


def test_a_start_begins_the_seat_of_its_round_and_no_game_twice(table: Table) -> None:
    def code(number: int) -> str:
        rejected = table.seats.start(number)
        return "" if rejected is None else str(rejected.code)

    assert code(3) == "not_seated"
    table.seats.take(5, ITALY)
    assert code(2) == "not_seated"
    assert table.seats.is_begun(3) is False
    assert code(3) == ""
    game = table.desk.session.game
    assert table.seats.is_begun(3) is True
    assert code(3) == "", "it goes on already"
    assert table.desk.session.game == game
    assert len(table.desk.saved_games()) == 1


def test_where_it_cannot_be_noted_for_whom_a_game_was_begun_it_goes_on_all_the_same(table: Table) -> None:
    table.seats.take(5, ITALY)
    kept = table.home / "keys" / FILE
    kept.unlink()
    kept.mkdir()
    assert table.seats.start(3) is None
    assert table.seats.is_begun(3) is True
    assert table.state.slip_game == table.desk.session.change.state.frozen_setup.game_id


def test_a_seat_whose_file_stays_is_dropped_all_the_same(table: Table) -> None:
    table.seats.take(5, ITALY)
    kept = table.home / "keys" / FILE
    kept.unlink()
    kept.mkdir()
    assert table.seats.decline() == 5
    assert table.state.seat is None


def test_where_a_game_goes_on_nothing_is_seated_and_nothing_begun(table: Table) -> None:
    table.seats.take(5, ITALY)
    table.desk.start(table.desk.make_setup("tsu", "campaign", {}))
    game = table.desk.session.game
    for rejected in (table.seats.take(6, ITALY), table.seats.start(3)):
        assert rejected is not None
        assert rejected.code == "already_started"
    assert table.desk.session.game == game
    table.desk.send(cm.EndGame(at_ms=table.desk.now_ms(), winner=None, reason="agreed"), actor=ARBITER)
    table.desk.session.sync()
    assert table.seats.take(6, ITALY) is None
    assert table.seats.start(3) is None
    assert table.desk.session.game != game


def test_what_this_box_does_not_know_is_refused_by_name_and_nothing_changes(table: Table) -> None:
    table.seats.take(5, ITALY)
    before = table.state
    for seat, expected in (
        (Seat(1, "sfw96", "nowhere", NAMES), "scenario"),
        (Seat(1, "sfw96", "italy", {"greens": "Zoe"}), "side"),
        (Seat(1, "aana", "torch", NAMES, minutes=17), "minutes"),
        (Seat(1, "sfw96", "italy", NAMES, control="blitz"), "control"),
        (Seat(1, "sfw96", "italy", NAMES, options={"bidding": True}), "options"),
    ):
        rejected = table.seats.take(6, seat)
        assert rejected is not None, seat
        assert rejected.code == "bad_value"
        assert expected in str(rejected.detail).casefold()
        assert table.state == before
    assert table.seats.start(3) is None


def test_others_at_the_table_drop_the_seat_and_name_its_order(table: Table) -> None:
    table.seats.take(5, ITALY)
    assert table.seats.decline() == 5
    assert table.state.seat is None
    table.restart()
    assert table.state.seat is None
    assert table.seats.decline() == 0
    rejected = table.seats.start(3)
    assert rejected is not None
    assert rejected.code == "not_seated"


def test_every_game_can_be_seated_with_its_players_and_its_time(table: Table) -> None:
    hour = {"control": "own", "control.bank_min": 60}
    for seat in (
        Seat(1, "sfw96", "italy", NAMES, control="rapid_25_10"),
        Seat(1, "sfw96", "tobruk41", NAMES, minutes=15),
        Seat(1, "sfw1", "first_nov42", NAMES, options=hour),
        Seat(1, "aana", "torch", NAMES, minutes=15, options={"bid": 2}),
        Seat(1, "tsu", "campaign", NAMES),
        Seat(1, "med", "match", {"p1": "Anna", "p2": "Ben"}, minutes=20),
    ):
        setup = prepared(table.desk, seat)
        said = " ".join(name for side in setup.sides for name in (*side.seats, side.name))
        assert all(name in said for name in ("Anna", "Ben"))
        if seat.minutes:
            assert setup.clock.mode == "limit"
            assert {ms[0] for ms in setup.clock.allotted_ms.values()} == {seat.minutes * 60_000}
        if seat.control or "control" in seat.options:
            assert setup.clock.control is not None
        if "bid" in seat.options:
            assert setup.options["bid"]["amount"] == seat.options["bid"]
