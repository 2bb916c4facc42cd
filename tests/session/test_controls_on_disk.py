"""Time controls in a game that is stored: tokens and periods fall by themselves, and a cut of the power gives nothing back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from session_helpers import Room, do, press, rules_of, stored

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.control import TimeControl
from companion.core.ids import Side
from companion.session.portable import PORTABLE_SUFFIX
from companion.session.shelf import Shelf

ALLIES = Side("allies")
CONTROL = TimeControl(
    unit="turn", increment_ms=1_000, tokens=2, token_ms=5_000, periods=2, period_ms=3_000, at_zero="lose"
)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    found = Room(tmp_path)
    yield found
    assert not found.crashes
    found.close()


def borders(room: Room, name: str = "game.tcgame") -> list[tuple[str, int]]:
    """Return what the clock did by itself, and when."""
    kinds = (ev.TokenSpent, ev.PeriodBegan, ev.FlagFell)
    return [
        (type(event).__name__, event.at_ms)
        for entry in stored(room.folder / name)
        for event in entry.events
        if isinstance(event, kinds)
    ]


def test_each_token_and_period_is_stored_at_its_own_instant(room: Room) -> None:
    """A bank of a minute and an increment of a second, begun at 1,000: tokens at 62,000 and 67,000, periods from 72,000."""
    session = room.new(minutes=1, control=CONTROL)
    for _ in range(100):
        room.time.advance(1_000)
        session.sync()
    assert session.change.state.ending is not None
    assert session.change.state.ending.winner == "axis"
    session.close()
    assert borders(room) == [
        ("TokenSpent", 62_000),
        ("TokenSpent", 67_000),
        ("PeriodBegan", 72_000),
        ("PeriodBegan", 75_000),
        ("FlagFell", 78_000),
    ]


def test_one_long_wait_settles_the_same_as_many_short_ones(room: Room) -> None:
    session = room.new(minutes=1, control=CONTROL)
    room.time.advance(100_000)
    session.sync()
    session.close()
    assert [name for name, _at in borders(room)] == [
        "TokenSpent",
        "TokenSpent",
        "PeriodBegan",
        "PeriodBegan",
        "FlagFell",
    ]


@pytest.mark.parametrize("known_ms", [61_000, 61_999, 62_000, 66_000, 68_000, 73_000, 76_000])
def test_a_cut_settles_what_was_due_by_the_last_heartbeat_and_no_more(room: Room, known_ms: int) -> None:
    session = room.new(minutes=1, control=CONTROL)
    room.time.advance(known_ms - 1_000)
    session.sync(beat=True)
    session.cut_power()
    room.time.reboot("boot-2", 5_000, away_ms=60_000)
    again = room.open()
    state, now = again.change.state, room.time.now_ms()
    told = borders_of(again)
    assert told == [at for at in (62_000, 67_000, 72_000, 75_000) if at <= state.gap.last_ms]  # type: ignore[union-attr]
    assert state.clocks.is_paused
    assert ck.spent(state.clocks, ALLIES, now) == state.gap.last_ms - 1_000  # type: ignore[union-attr]
    total = (
        61_000
        + 5_000 * sum(at in told for at in (62_000, 67_000))
        + 3_000 * sum(at in told for at in (72_000, 75_000))
    )
    assert ck.remaining(state.clocks, ALLIES, now) == total - (state.gap.last_ms - 1_000)  # type: ignore[union-attr]
    do(again, cm.DecideGap(None, 0, now))
    do(again, cm.Resume(now))
    press(again)


def borders_of(session) -> list[int]:
    return [
        event.at_ms
        for entry in session.entries()
        for event in entry.events
        if isinstance(event, ev.TokenSpent | ev.PeriodBegan)
    ]


def test_a_game_with_a_control_goes_to_another_box_and_is_decided_there_the_same(
    room: Room, tmp_path: Path
) -> None:
    """Every entry of an imported game is decided again: tokens, periods and undone turns have to come out alike."""
    session = room.new(minutes=1, control=CONTROL)
    for wait_ms in (30_000, 25_000, 9_000, 1_000, 40_000, 24_000):
        room.time.advance(wait_ms)
        session.sync()
        if session.change.state.clocks.is_paused:
            do(session, cm.Resume(room.time.now_ms()))
        press(session)
        if wait_ms < 10_000:
            do(session, cm.Undo(room.time.now_ms()))
    state = session.change.state
    session.close()
    shelf = Shelf(room.folder, rules_of, "test")
    exported = shelf.export(room.folder / "game.tcgame", tmp_path / f"game{PORTABLE_SUFFIX}").path
    other = Shelf(tmp_path / "other", rules_of, "test")
    again = other.read(other.import_file(exported)).timeline.state
    assert again == state
    assert ck.tokens_left(again.clocks, ALLIES) < 2
