"""What pages are made of once while clocks run, stand and are paused."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.ids import ARBITER, Side
from companion.core.state import Ending
from companion.pages.still import still
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup


def test_a_state_is_the_very_same_for_whoever_asks_for_no_time_until_more_than_time_has_changed() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(2, each_ms=500)
    first = still(desk.true_state)
    for command in (cm.Pause, cm.Resume, cm.Pause):
        desk.advance(2_000)
        desk.send(command(at_ms=desk.now_ms()))
        assert still(desk.true_state) is first
        assert replace(desk.true_state, clocks=first.clocks) == first
    side = Side(desk.true_state.frozen_setup.sides[0].id)
    desk.send(cm.CorrectTime(side, 5_000, desk.now_ms(), "question"), actor=ARBITER)
    assert desk.change is not None
    assert desk.change.rejected is None
    corrected = still(desk.true_state)
    assert corrected is not first
    assert corrected.clocks.corrected_ms == desk.true_state.clocks.corrected_ms
    desk.end_acts(2, each_ms=500)
    assert still(desk.true_state).step == desk.true_state.step
    over = replace(desk.true_state, ending=Ending(None, "agreed"))
    assert still(over) is over, "its time is told"
