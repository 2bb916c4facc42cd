"""The panel joined to the desk: a tournament stage by buttons alone, on the fake panel and the real core."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.panel_link import PanelLink
from companion.core import commands as cm
from companion.core.clock import remaining
from companion.core.ids import ARBITER, Side
from companion.core.setup import Setup
from companion.pages.desk import Notice
from companion.testing.memory_desk import MemoryDesk
from hardware.fake import FakePanel
from hardware.language import CUE_PATTERNS, SIGNAL_PATTERNS, Cue, Signal
from hardware.ports import Button, Display, Lamp, Part, PressEdge

ALLIES, AXIS = Side("allies"), Side("axis")
CATALOGUE = GameCatalogue()


def italy() -> MemoryDesk:
    """The Italy scenario under tournament time, before its first step."""
    setup = CATALOGUE.make_setup("sfw96", "italy", {"tournament": True})
    return MemoryDesk(setup, CATALOGUE.rules_of("sfw96"))


class Bench:
    """Desk, fake panel and link with one clock moved by hand."""

    def __init__(self, down: tuple[Button, ...] = (), guest: str = "") -> None:
        self.desk = italy()
        self.panel = FakePanel(down=down, guest=guest)
        self.notices: list[Notice] = []
        self.keys: list[bool] = []
        self.base_ns = self.panel.at_ns - self.desk.now_ms() * 1_000_000
        self.link = PanelLink(
            self.panel,
            self.desk,
            now_ns=lambda: self.panel.at_ns,
            post=self.post,
            notify=self.notices.append,
            on_key=self.keys.append,
        )
        self.link.start(ticking=False)

    def post(self, call: Callable[[], None]) -> None:
        call()

    def wait(self, ms: int) -> None:
        self.panel.advance_ms(ms)
        self.desk.advance(ms)
        self.link.show()

    def tap(self, button: Button) -> None:
        """Press as a finger does; the desk's clock keeps step with the panel's."""
        before = self.panel.at_ns
        self.panel.tap(button)
        self.desk.advance((self.panel.at_ns - before) // 1_000_000)
        self.wait(400)

    @property
    def setup(self) -> Setup:
        assert self.desk.change is not None
        return self.desk.change.state.frozen_setup

    @property
    def step(self) -> str:
        assert self.desk.change is not None
        return self.desk.change.state.step.id

    @property
    def owner(self) -> Side | None:
        assert self.desk.change is not None
        owners = self.desk.change.state.step.owners
        return owners[0] if len(owners) == 1 else None


@pytest.fixture
def bench() -> Bench:
    return Bench()


def play_to_clock(bench: Bench) -> None:
    while bench.owner is None:
        bench.tap(Button.LEFT)


def test_a_whole_tactical_phase_by_buttons(bench: Bench) -> None:
    play_to_clock(bench)
    seen = [bench.step]
    while ".t" in bench.step:
        bench.tap(Button.LEFT if bench.owner == ALLIES else Button.RIGHT)
        seen.append(bench.step)
    assert len(seen) == len(set(seen))
    assert seen[0] == "s1.t1.allies.move"
    assert seen[-2] == "s1.t6.axis.return"


def test_the_lamp_follows_the_clock_and_digits_count(bench: Bench) -> None:
    play_to_clock(bench)
    assert bench.panel.lamp_level(Lamp.LEFT) == 1.0
    assert bench.panel.lamp_level(Lamp.RIGHT) == 0.0
    shown = bench.panel.display_row(Display.LEFT)
    bench.wait(61_000)
    assert bench.panel.display_row(Display.LEFT) != shown


def test_a_press_is_charged_when_it_happened_not_when_it_arrived(bench: Bench) -> None:
    play_to_clock(bench)
    bench.wait(10_000)
    assert bench.desk.change is not None
    before = remaining(bench.desk.change.state.clocks, ALLIES, bench.desk.now_ms())
    for _ in range(3):
        bench.tap(Button.LEFT)
    state = bench.desk.change.state
    assert state.step.owners == (AXIS,)
    assert before is not None
    after = remaining(state.clocks, ALLIES, bench.desk.now_ms())
    assert after is not None
    assert before - after < 3_000


def test_the_wrong_side_is_refused_with_a_sound_and_nothing_moves(bench: Bench) -> None:
    play_to_clock(bench)
    step = bench.step
    bench.tap(Button.RIGHT)
    assert bench.step == step


def test_bounces_never_skip_a_step(bench: Bench) -> None:
    play_to_clock(bench)
    step = bench.step
    bench.panel.bounce(Button.LEFT, True)
    bench.panel.bounce(Button.LEFT, False)
    bench.wait(400)
    steps = [s.id for s in bench.desk.change.state.itinerary.steps]  # type: ignore[union-attr]
    assert steps.index(bench.step) == steps.index(step) + 1  # type: ignore[arg-type]


def test_a_double_press_within_a_moment_ends_one_act_only(bench: Bench) -> None:
    play_to_clock(bench)
    steps = [s.id for s in bench.desk.change.state.itinerary.steps]  # type: ignore[union-attr]
    at = steps.index(bench.step)  # type: ignore[arg-type]
    before = bench.panel.at_ns
    bench.panel.tap(Button.LEFT)
    bench.panel.tap(Button.LEFT)
    bench.desk.advance((bench.panel.at_ns - before) // 1_000_000)
    assert steps.index(bench.step) == at + 1  # type: ignore[arg-type]


def test_the_key_switch_gives_the_arbiter(bench: Bench) -> None:
    play_to_clock(bench)
    bench.panel.press(Button.ARBITER)
    bench.wait(100)
    assert bench.keys[-1] is True
    bench.tap(Button.RIGHT)
    assert bench.desk.sent[-1].actor == ARBITER
    bench.panel.release(Button.ARBITER)
    bench.wait(100)
    assert bench.keys[-1] is False


def test_a_key_that_is_on_at_the_start_counts() -> None:
    assert Bench(down=(Button.ARBITER,)).keys == [True]


def test_a_key_that_was_on_at_the_start_is_seen_when_it_is_turned_off() -> None:
    """It was no press, so its release is none: its position is looked at."""
    bench = Bench(down=(Button.ARBITER,))
    bench.panel.release(Button.ARBITER)
    assert bench.link.show() is None, "nothing else is to be looked at again"
    assert bench.keys == [True, False]


def test_a_key_that_is_on_is_looked_at_every_second() -> None:
    wait_ms = Bench(down=(Button.ARBITER,)).link.show()
    assert wait_ms is not None
    assert wait_ms <= 1_000


def test_a_key_turned_while_the_panel_was_away_counts_when_it_is_back(bench: Bench) -> None:
    for is_on in (True, False):
        bench.panel.lose()
        bench.panel.raw(Button.ARBITER, is_on)
        bench.panel.regain()
        assert bench.keys[-1] is is_on
    assert bench.keys == [True, False]


def test_a_key_that_is_lost_while_it_is_on_counts_as_off(bench: Bench) -> None:
    """Nobody could turn it off any more: the other players would act as the arbiter for the rest of the evening."""
    play_to_clock(bench)
    bench.panel.press(Button.ARBITER)
    bench.wait(100)
    bench.panel.lose()
    assert bench.keys == [True, False]
    bench.panel.regain()
    assert bench.keys == [True, False, True]


@pytest.mark.parametrize("is_on_at_start", [False, True])
def test_the_key_of_a_plugged_in_box_counts_only_once_it_is_paired(is_on_at_start: bool) -> None:
    """Whoever plugs in a box that says that its key is on does not become the arbiter."""
    bench = Bench(down=(Button.ARBITER,) if is_on_at_start else (), guest="box-1 00000001")
    play_to_clock(bench)
    if not is_on_at_start:
        bench.panel.press(Button.ARBITER)
        bench.wait(100)
    bench.tap(Button.RIGHT)
    assert bench.desk.sent[-1].actor == AXIS
    assert bench.keys == []
    assert [str(notice.text) for notice in bench.notices] == [
        "The arbiter's key on the button box does not count yet"
    ]
    assert bench.panel.lamp_level(Lamp.ARBITER) == 0.0
    (device,) = bench.link.devices()
    assert (device.can_pair, device.is_paired) == (True, False)
    bench.link.pair("fake")
    (device,) = bench.link.devices()
    assert device.is_paired
    assert bench.keys == [True]
    bench.tap(Button.RIGHT)
    assert bench.desk.sent[-1].actor == ARBITER
    bench.panel.release(Button.ARBITER)
    bench.wait(100)
    assert bench.keys == [True, False]
    bench.panel.press(Button.ARBITER)
    bench.wait(100)
    assert bench.keys == [True, False, True]


def paired() -> Bench:
    bench = Bench(down=(Button.ARBITER,), guest="box-1 00000001")
    bench.desk.start(replace(bench.setup, arbiter_hash="pin:0123456789abcdef", game_id="one"))
    bench.link.pair("fake")
    assert bench.keys == [True]
    return bench


@pytest.mark.parametrize("guest", ["box-1 00000002", "box-2 00000001"])
def test_another_box_or_the_same_one_restarted_is_not_paired(guest: str) -> None:
    bench = paired()
    bench.panel.lose()
    bench.panel.guest = guest
    bench.panel.regain()
    assert bench.keys == [True, False]
    bench.panel.lose()
    bench.panel.guest = "box-1 00000001"
    bench.panel.regain()
    assert bench.keys == [True, False, True], "its cable alone was out"


def test_a_pairing_is_for_one_game_and_one_pin() -> None:
    for other in (
        lambda setup: replace(setup, game_id="two"),
        lambda setup: replace(setup, arbiter_hash="pin:fedcba9876543210"),
        lambda setup: replace(setup, arbiter_hash=""),
    ):
        bench = paired()
        bench.desk.start(other(bench.setup))
        assert bench.keys == [True, False]
    bench = paired()
    bench.desk.send(cm.SetArbiterPin("pin:fedcba9876543210"), actor=ARBITER)
    assert bench.keys == [True, False]


def test_without_a_game_no_box_is_paired() -> None:
    bench = Bench(down=(Button.ARBITER,), guest="box-1 00000001")
    bench.desk.close()
    link = PanelLink(
        bench.panel, bench.desk, now_ns=lambda: bench.panel.at_ns, post=bench.post, on_key=bench.keys.append
    )
    link.pair("fake")
    assert bench.keys == []


def test_a_paired_box_is_unpaired_by_tap() -> None:
    bench = paired()
    bench.link.pair("fake", is_on=False)
    assert bench.keys == [True, False]


def tones(bench: Bench) -> list[object]:
    return [pattern for name, pattern in bench.panel.commands if name == "buzz"]


def evening_with_every_sound(bench: Bench) -> None:
    """Press, refused, change of sides, pause and resume, the arbiter's key, little time, a fallen flag."""
    play_to_clock(bench)
    bench.tap(Button.RIGHT)
    while bench.owner == ALLIES:
        bench.tap(Button.LEFT)
    for _n in range(2):
        bench.tap(Button.PAUSE)
    for act in (bench.panel.press, bench.panel.release):
        act(Button.ARBITER)
    for _n in range(90):
        bench.wait(15_000)
    bench.desk.send(cm.SettleClock(at_ms=bench.desk.now_ms()))


def test_every_moment_has_its_sound(bench: Bench) -> None:
    evening_with_every_sound(bench)
    assert bench.desk.change is not None
    assert bench.desk.change.state.flag_prompt == AXIS
    heard = tones(bench)
    for cue in (
        Cue.PRESS, Cue.REFUSED, Cue.YOUR_TURN, Cue.PAUSED, Cue.RESUMED, Cue.ARBITER, Cue.LOW_TIME, Cue.FLAG,
    ):  # fmt: skip
        assert CUE_PATTERNS[cue] in heard, cue


def test_with_the_sound_off_the_same_evening_is_silent_and_the_lamps_say_it_all(bench: Bench) -> None:
    bench.desk.change_setting("sound", False)
    evening_with_every_sound(bench)
    assert tones(bench) == []
    shown = [argument[1] for name, argument in bench.panel.commands if name == "set_lamp"]
    for signal in (
        Signal.WAITING, Signal.RUNNING, Signal.PAUSED, Signal.ARBITER, Signal.LOW_TIME, Signal.FLAG, Signal.OFF,
    ):  # fmt: skip
        assert SIGNAL_PATTERNS[signal] in shown, signal


def test_losing_the_panel_is_a_notice_and_play_goes_on(bench: Bench) -> None:
    play_to_clock(bench)
    bench.panel.lose()
    assert bench.notices
    step = bench.step
    bench.desk.send(cm.EndAct(step=step, at_ms=bench.desk.now_ms()))  # type: ignore[arg-type]
    assert bench.step != step
    bench.panel.regain()
    assert bench.link.parts()[0].is_present


def test_the_hardware_screen_tests_outputs_and_gives_them_back(bench: Bench) -> None:
    play_to_clock(bench)
    bench.link.test("display_left")
    assert "8" in str(bench.panel.display_row(Display.LEFT))
    bench.wait(2_500)
    assert {part.key for part in bench.link.parts()} == {part.value for part in Part}


def test_closing_twice_is_safe(bench: Bench) -> None:
    bench.link.close()
    bench.link.close()


def tray_levels(bench: Bench) -> list[float]:
    """Return the levels that the tray light was set to, without repetitions."""
    levels = [level for name, level in bench.panel.commands if name == "set_tray_light"]
    return [level for i, level in enumerate(levels) if i == 0 or levels[i - 1] != level]


@pytest.mark.parametrize("is_on", [False, True])
def test_the_tray_is_lit_while_dice_are_read_and_then_as_the_setting_says(bench: Bench, is_on: bool) -> None:
    bench.desk.change_setting("tray_light", is_on)
    bench.link.show()
    before = float(is_on)
    bench.panel.commands.clear()
    bench.link.light_tray(True)
    bench.link.light_tray(True)
    bench.link.show()
    assert tray_levels(bench) == [1.0], "a change at the table leaves it lit"
    bench.link.light_tray(False)
    bench.link.light_tray(False)
    assert tray_levels(bench)[-1] == before
    bench.link.close()


def deliver_late(bench: Bench, button: Button, *after_ms: int) -> None:
    """Press a button so many milliseconds from now on, on a machine that takes all of it only after five seconds."""
    began_ns = bench.panel.at_ns
    bench.wait(5_000)
    for ms in after_ms:
        bench.panel.deliver(PressEdge(button, True, began_ns + ms * 1_000_000))


def test_a_press_made_while_the_lamp_still_showed_the_act_before_does_not_end_the_next_one(
    bench: Bench,
) -> None:
    play_to_clock(bench)
    steps = [s.id for s in bench.desk.change.state.itinerary.steps]  # type: ignore[union-attr]
    at = steps.index(bench.step)  # type: ignore[arg-type]
    deliver_late(bench, Button.LEFT, 0, 2_000, 4_000)
    assert steps.index(bench.step) == at + 1  # type: ignore[arg-type]
    bench.tap(Button.LEFT)
    assert steps.index(bench.step) > at + 1, "pressed at the lamp of the act itself"  # type: ignore[arg-type]


def test_the_other_side_ends_its_act_however_late_the_press_before_it_was_taken(bench: Bench) -> None:
    play_to_clock(bench)
    bench.tap(Button.LEFT)
    began_ns = bench.panel.at_ns
    bench.wait(5_000)
    bench.panel.deliver(PressEdge(Button.LEFT, True, began_ns))
    theirs = bench.step
    assert bench.owner == AXIS
    bench.panel.deliver(PressEdge(Button.RIGHT, True, began_ns + 2_000_000_000))
    assert bench.step != theirs


def test_the_lamp_of_a_press_that_did_nothing_blinks_and_then_shows_the_game_again(bench: Bench) -> None:
    play_to_clock(bench)
    deliver_late(bench, Button.LEFT, 0, 2_000)
    levels = set()
    for _n in range(6):
        bench.panel.advance_ms(80)
        levels.add(bench.panel.lamp_level(Lamp.LEFT))
    assert levels == {0.0, 1.0}
    bench.wait(600)
    bench.panel.assert_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.RUNNING])


def test_pause_pressed_again_before_the_lamp_showed_it_is_one_pause(bench: Bench) -> None:
    play_to_clock(bench)
    deliver_late(bench, Button.PAUSE, 0, 2_000)
    assert bench.desk.change is not None
    assert bench.desk.change.state.clocks.is_paused
    bench.tap(Button.PAUSE)
    assert not bench.desk.change.state.clocks.is_paused
