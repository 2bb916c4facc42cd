"""What the panel shows and what its buttons ask, for every kind of state."""

from __future__ import annotations

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.change import Change
from companion.core.ids import ARBITER, TABLE, Side
from companion.core.state import GameState
from companion.pages.panel import REACTION_MS, cues, panel_view, press_command, seats
from companion.testing.memory_desk import MemoryDesk

ALLIES, AXIS = Side("allies"), Side("axis")
CATALOGUE = GameCatalogue()


def italy() -> MemoryDesk:
    """The Italy scenario under tournament time, before its first step."""
    setup = CATALOGUE.make_setup("sfw96", "italy", {"tournament": True})
    return MemoryDesk(setup, CATALOGUE.rules_of("sfw96"))


def started() -> MemoryDesk:
    """A tournament game at the first act of the Allies, clock running."""
    desk = italy()
    assert desk.change is not None
    while desk.change.state.step.clock is None:
        step = desk.change.state.step.id
        desk.send(cm.EndAct(step=step, at_ms=desk.now_ms()))
        assert desk.change is not None
    return desk


def state_of(desk: MemoryDesk) -> GameState:
    assert desk.change is not None
    return desk.change.state


def lamps(state: GameState, now_ms: int, **more: bool) -> dict[str, str]:
    return dict(panel_view(state, now_ms, **more).lamps)


class TestLamps:
    def test_without_a_game_everything_is_dark(self) -> None:
        assert lamps(GameState(), 0) == {"left": "off", "right": "off", "arbiter": "off"}

    def test_the_running_side_is_bright(self) -> None:
        desk = started()
        assert lamps(state_of(desk), desk.now_ms()) == {"left": "running", "right": "off", "arbiter": "off"}
        assert lamps(state_of(desk), desk.now_ms(), swapped=True)["right"] == "running"

    def test_low_time_blinks(self) -> None:
        desk = started()
        assert lamps(state_of(desk), desk.now_ms() + 22 * 60_000 - 299_000)["left"] == "low_time"

    def test_pause_dims_the_side_that_will_run_on(self) -> None:
        desk = started()
        desk.send(cm.Pause(at_ms=desk.now_ms()))
        assert lamps(state_of(desk), desk.now_ms())["left"] == "paused"

    def test_a_fallen_flag_flashes_until_it_is_carried_out(self) -> None:
        desk = started()
        desk.advance(22 * 60_000 + 300)
        desk.send(cm.SettleClock(at_ms=desk.now_ms()))
        assert state_of(desk).flag_prompt == ALLIES
        assert lamps(state_of(desk), desk.now_ms())["left"] == "flag"

    def test_the_arbiters_key_and_a_gap_light_his_lamp(self) -> None:
        desk = started()
        assert lamps(state_of(desk), desk.now_ms(), has_key=True)["arbiter"] == "arbiter"


class TestDigits:
    def test_both_clocks_rounded_as_on_the_screen(self) -> None:
        desk = started()
        view = panel_view(state_of(desk), desk.now_ms() + 1)
        assert dict(view.display_s) == {"left": 22 * 60, "right": 22 * 60}
        assert view.changes_in_ms == 999

    def test_the_view_also_changes_when_a_warning_is_due(self) -> None:
        desk = started()
        view = panel_view(state_of(desk), desk.now_ms() + 17 * 60_000 - 10)
        assert view.changes_in_ms == 10

    def test_hidden_clocks_stay_dark(self) -> None:
        desk = started()
        assert dict(panel_view(state_of(desk), desk.now_ms(), hidden=True).display_s) == {
            "left": None,
            "right": None,
        }


class TestPresses:
    def press(self, desk: MemoryDesk, button: str, **more: object) -> object:
        more = {"entered_ms": None, **more}
        return press_command(state_of(desk), button, desk.now_ms(), **more)  # type: ignore[arg-type]

    def test_the_acting_side_ends_its_act(self) -> None:
        desk = started()
        step = state_of(desk).step.id
        assert self.press(desk, "left") == (cm.EndAct(step=step, at_ms=desk.now_ms()), ALLIES)

    def test_the_other_side_is_refused_by_the_core_and_heard(self) -> None:
        desk = started()
        asked = self.press(desk, "right")
        assert isinstance(asked, tuple)
        desk.send(asked[0], actor=asked[1])
        assert desk.change is not None
        assert desk.change.rejected is not None
        assert cues(desk.change, None) == ("refused",)

    def test_seats_swap_but_sides_keep_who_they_are(self) -> None:
        desk = started()
        asked = self.press(desk, "right", swapped=True)
        assert isinstance(asked, tuple)
        assert asked[1] == ALLIES

    def test_pause_and_resume_are_one_button(self) -> None:
        desk = started()
        asked = self.press(desk, "pause")
        assert asked == (cm.Pause(at_ms=desk.now_ms()), TABLE)
        desk.send(cm.Pause(at_ms=desk.now_ms()))
        assert self.press(desk, "pause", has_key=True) == (cm.Resume(at_ms=desk.now_ms()), ARBITER)
        assert self.press(desk, "left") is None, "big buttons are dead while paused"

    def test_a_press_faster_than_anyone_reacts_was_meant_for_the_act_before(self) -> None:
        desk = started()
        now = desk.now_ms()
        assert self.press(desk, "left", entered_ms=now - REACTION_MS + 1) is None
        assert self.press(desk, "left", entered_ms=now - REACTION_MS) is not None

    def test_the_key_makes_a_press_the_arbiters(self) -> None:
        asked = self.press(started(), "right", has_key=True)
        assert isinstance(asked, tuple)
        assert asked[1] == ARBITER

    def test_a_step_of_the_whole_table_is_ended_by_either_button(self) -> None:
        desk = italy()
        assert not state_of(desk).step.owners
        asked = self.press(desk, "right")
        assert isinstance(asked, tuple)
        assert asked[1] == TABLE

    def test_a_fallen_flag_is_not_waved_away_by_a_button(self) -> None:
        desk = started()
        desk.advance(22 * 60_000 + 300)
        desk.send(cm.SettleClock(at_ms=desk.now_ms()))
        assert self.press(desk, "left") is None
        assert self.press(desk, "right") is None


def test_seats_of_many_players_follow_whoever_is_to_act() -> None:
    assert seats(GameState()) == {}


@pytest.mark.parametrize(("command", "cue"), [("pause", "paused"), ("resume", "resumed")])
def test_cues_of_the_clock(command: str, cue: str) -> None:
    desk = started()
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    if command == "resume":
        desk.send(cm.Resume(at_ms=desk.now_ms()))
    change: Change | None = desk.change
    assert change is not None
    assert cues(change, change.state) == (cue,)


def test_the_sound_of_a_change_of_sides() -> None:
    desk = started()
    before = state_of(desk)
    while state_of(desk).step.owners == (ALLIES,):
        before = state_of(desk)
        desk.send(cm.EndAct(step=before.step.id, at_ms=desk.now_ms()))
    assert desk.change is not None
    assert cues(desk.change, before) == ("your_turn",)
