"""What every panel must do: run by the fake, by gpiozero on pretended pins, and by a box on a pseudo-terminal.

With COMPANION_REAL_PINS=1 on a wired box, tests/hardware/test_real_pins.py runs the part a person can press.
"""

from __future__ import annotations

import threading

import pytest

from hardware.language import SIGNAL_PATTERNS, Signal
from hardware.ports import (
    Button,
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    LampStep,
    NoticeKind,
    Panel,
    PanelState,
    Part,
    Tone,
)

FULL = LampPattern((LampStep(1.0, 1000),))
DIM = LampPattern((LampStep(0.2, 1000),))


class TestPanelContract:
    def test_it_is_a_panel(self, rig):
        assert isinstance(rig.panel, Panel)
        assert rig.panel.status().parts == frozenset(Part)
        assert str(rig.panel.status().line).endswith(".")

    def test_a_press_carries_its_own_time(self, rig):
        off_ns = rig.tolerance_ns()
        before = rig.now_ns()
        rig.contact(Button.LEFT, True)
        after = rig.now_ns()
        rig.wait_for(lambda: len(rig.listener.edges) == 1)
        edge = rig.listener.edges[0]
        assert (edge.button, edge.pressed) == (Button.LEFT, True)
        assert before - off_ns <= edge.at_ns <= after + off_ns
        rig.release(Button.LEFT)
        assert [edge.pressed for edge in rig.listener.edges] == [True, False]

    @pytest.mark.parametrize("button", list(Button))
    def test_every_button_reports(self, rig, button):
        rig.press(button)
        rig.release(button)
        assert [(edge.button, edge.pressed) for edge in rig.listener.edges] == [
            (button, True),
            (button, False),
        ]

    def test_a_bouncing_contact_is_one_press_at_its_first_touch(self, rig):
        off_ns = rig.tolerance_ns() + 6_000_000  # the train may be laid into the past by its own length
        before = rig.now_ns()
        rig.train(*[(Button.RIGHT, index % 2 == 0) for index in range(11)])
        after = rig.now_ns()
        rig.wait_for(lambda: len(rig.listener.edges) == 1)
        assert before - off_ns <= rig.listener.edges[0].at_ns <= after + off_ns
        rig.let_pass_ms(60)
        assert len(rig.listener.edges) == 1

    def test_a_spike_is_no_press(self, rig):
        rig.train((Button.LEFT, True), (Button.LEFT, False))
        rig.let_pass_ms(80)
        assert rig.listener.edges == []
        rig.press(Button.LEFT)
        assert len(rig.listener.presses) == 1

    def test_a_button_that_is_down_at_the_start_is_no_press(self, rig_of):
        rig = rig_of(down=(Button.LEFT, Button.ARBITER))
        rig.let_pass_ms(60)
        assert rig.listener.edges == []
        assert rig.panel.status().down == {Button.LEFT, Button.ARBITER}
        rig.contact(Button.LEFT, False)
        rig.wait_for(lambda: Button.LEFT not in rig.panel.status().down)
        assert rig.listener.edges == []
        rig.press(Button.LEFT)

    def test_two_buttons_at_once_come_in_the_order_they_were_touched(self, rig):
        right, left = Button.RIGHT, Button.LEFT
        rig.train((right, True), (right, False), (left, True), (right, True))
        rig.wait_for(lambda: len(rig.listener.presses) == 2)
        assert [edge.button for edge in rig.listener.presses] == [Button.RIGHT, Button.LEFT]
        times = [edge.at_ns for edge in rig.listener.presses]
        assert times == sorted(times)

    def test_what_is_down_is_told(self, rig):
        assert rig.panel.status().down == frozenset()
        rig.press(Button.PAUSE)
        assert rig.panel.status().down == {Button.PAUSE}

    def test_lamps_show_patterns(self, rig):
        rig.panel.set_lamp(Lamp.LEFT, FULL)
        rig.panel.set_lamp(Lamp.RIGHT, DIM)
        rig.wait_for(lambda: rig.lamp_level(Lamp.LEFT) == 1.0)
        rig.wait_for(lambda: abs(rig.lamp_level(Lamp.RIGHT) - 0.2) < 0.01)
        assert rig.lamp_level(Lamp.ARBITER) == 0.0

    def test_a_blinking_lamp_blinks(self, rig):
        rig.panel.set_lamp(Lamp.ARBITER, LampPattern((LampStep(1.0, 40), LampStep(0.0, 40))))
        for level in (1.0, 0.0, 1.0, 0.0):
            rig.wait_for(lambda level=level: rig.lamp_level(Lamp.ARBITER) == level)

    @pytest.mark.parametrize("signal", list(Signal))
    def test_every_signal_can_be_shown(self, rig, signal):
        pattern = SIGNAL_PATTERNS[signal]
        rig.panel.set_lamp(Lamp.LEFT, pattern)
        first = pattern.steps[0].level
        rig.wait_for(lambda: abs(rig.lamp_level(Lamp.LEFT) - first) < 0.01)

    def test_displays_show_text_on_their_own_side(self, rig):
        rig.panel.set_display(Display.LEFT, DisplayText("12:05"))
        rig.panel.set_display(Display.RIGHT, DisplayText("9.59"))
        rig.wait_for(lambda: rig.display_row(Display.LEFT) == "12.05")
        rig.wait_for(lambda: rig.display_row(Display.RIGHT) == " 9.59")

    def test_text_that_is_too_long_loses_its_left(self, rig):
        rig.panel.set_display(Display.LEFT, DisplayText("123456"))
        rig.wait_for(lambda: rig.display_row(Display.LEFT) == "3456")

    def test_the_buzzer_plays_and_ends(self, rig):
        rig.panel.buzz(BuzzerPattern((Tone(880, 60), Tone(1760, 60))))
        for hz in (880, 1760, 0):
            rig.wait_for(lambda hz=hz: rig.tone_hz() == hz)

    def test_silence_stops_a_tone(self, rig):
        rig.panel.buzz(BuzzerPattern((Tone(440, 5000),)))
        rig.wait_for(lambda: rig.tone_hz() == 440)
        rig.panel.buzz(BuzzerPattern())
        rig.wait_for(lambda: rig.tone_hz() == 0)

    def test_the_tray_light_dims(self, rig):
        rig.panel.set_tray_light(0.6)
        rig.wait_for(lambda: abs(rig.tray_level() - 0.6) < 0.01)
        with pytest.raises(ValueError, match=r"tray light level must be 0\.0 to 1\.0, got 1\.5"):
            rig.panel.set_tray_light(1.5)

    def test_a_listener_that_fails_never_silences_the_buttons(self, rig):
        rig.listener.fail_next = 1
        rig.press(Button.LEFT)
        rig.release(Button.LEFT)
        rig.press(Button.RIGHT)
        rig.release(Button.RIGHT)
        rig.press(Button.PAUSE)
        failed = [n for n in rig.listener.notices if n.kind is NoticeKind.LISTENER_FAILED]
        assert len(failed) == 1
        assert (
            str(failed[0].detail)
            == "A press could not be handled (ZeroDivisionError); the buttons still work."
        )
        assert dict(rig.panel.status().counters)["listener_failures"] == 1

    def test_losing_the_device_is_a_notice_and_it_comes_back(self, rig):
        rig.panel.set_lamp(Lamp.LEFT, FULL)
        rig.panel.set_display(Display.RIGHT, DisplayText("1234"))
        rig.panel.set_tray_light(1.0)
        rig.wait_for(lambda: rig.tray_level() == 1.0 and rig.display_row(Display.RIGHT) == "1234")
        rig.lose()
        rig.wait_for(lambda: NoticeKind.LOST.value in rig.listener.kinds())
        lost = [notice for notice in rig.listener.notices if notice.kind is NoticeKind.LOST]
        assert "the game goes on" in str(lost[0].detail)
        rig.panel.set_lamp(Lamp.RIGHT, DIM)
        rig.panel.buzz(BuzzerPattern((Tone(440, 50),)))
        rig.panel.set_display(Display.LEFT, DisplayText("77"))
        rig.wait_for(lambda: rig.panel.status().state is PanelState.LOST)
        rig.regain()
        rig.wait_for(lambda: NoticeKind.REGAINED.value in rig.listener.kinds())
        rig.wait_for(lambda: rig.panel.status().state is PanelState.WORKING)
        rig.wait_for(lambda: rig.lamp_level(Lamp.LEFT) == 1.0)
        rig.wait_for(lambda: abs(rig.lamp_level(Lamp.RIGHT) - 0.2) < 0.01)
        rig.wait_for(lambda: rig.display_row(Display.LEFT) == "  77")
        rig.settle()
        assert rig.listener.edges == []
        rig.press(Button.RIGHT)

    def test_a_button_held_over_a_loss_is_no_second_press(self, rig):
        rig.press(Button.LEFT)
        rig.lose()
        rig.wait_for(lambda: rig.panel.status().state is PanelState.LOST)
        rig.regain()
        rig.wait_for(lambda: rig.panel.status().state is PanelState.WORKING)
        rig.settle()
        rig.let_pass_ms(60)
        assert len(rig.listener.presses) == 1
        rig.contact(Button.LEFT, False)
        rig.wait_for(lambda: not rig.listener.edges[-1].pressed)
        rig.settle()
        assert [(edge.button, edge.pressed) for edge in rig.listener.edges] == [
            (Button.LEFT, True),
            (Button.LEFT, False),
        ]

    def test_closing_turns_everything_off_and_is_safe_twice(self, rig):
        rig.panel.set_lamp(Lamp.LEFT, FULL)
        rig.panel.set_tray_light(1.0)
        rig.wait_for(lambda: rig.lamp_level(Lamp.LEFT) == 1.0 and rig.tray_level() == 1.0)
        rig.panel.close()
        rig.panel.close()
        rig.wait_for(lambda: rig.lamp_level(Lamp.LEFT) == 0.0 and rig.tray_level() == 0.0)
        assert rig.panel.status().state is PanelState.CLOSED
        rig.contact(Button.LEFT, True)
        rig.let_pass_ms(60)
        assert rig.listener.edges == []
        rig.panel.set_lamp(Lamp.LEFT, FULL)

    def test_it_starts_once(self, rig):
        with pytest.raises(RuntimeError, match=r"start\(\) was already called; make a new panel"):
            rig.panel.start(rig.listener)

    def test_commands_may_come_from_many_threads(self, rig):
        def work(index):
            for step in range(20):
                rig.panel.set_lamp(list(Lamp)[index % 3], DIM if step % 2 else FULL)
                rig.panel.set_display(list(Display)[index % 2], DisplayText(f"{index}{step:02d}"))

        threads = [threading.Thread(target=work, args=(index,)) for index in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rig.panel.set_display(Display.LEFT, DisplayText("8888"))
        rig.wait_for(lambda: rig.display_row(Display.LEFT) == "8888")
        rig.press(Button.LEFT)
