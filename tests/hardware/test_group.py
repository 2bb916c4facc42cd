"""Several panels as one, the fake's own promises, and the terminal tool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hardware import __main__ as tool
from hardware.fake import FakePanel
from hardware.group import PanelGroup, open_panel
from hardware.language import CUE_PATTERNS, SIGNAL_PATTERNS, Cue, Signal
from hardware.null import NullPanel
from hardware.pinmap import default_pinmap
from hardware.ports import Button, Display, DisplayText, Lamp, NoticeKind, Panel, PanelState, Part

RUNNING = SIGNAL_PATTERNS[Signal.RUNNING]


def test_a_group_speaks_to_all_and_hears_all():
    left, right = FakePanel(), FakePanel(parts={Part.BUTTON_LEFT})
    group = PanelGroup((left, right))
    assert isinstance(group, Panel)
    seen = []
    group.start(seen.append)
    group.set_lamp(Lamp.LEFT, RUNNING)
    group.set_display(Display.LEFT, DisplayText("12"))
    group.buzz(CUE_PATTERNS[Cue.FLAG])
    group.set_tray_light(0.5)
    for panel in (left, right):
        panel.assert_lamp(Lamp.LEFT, RUNNING)
        panel.assert_buzzed(CUE_PATTERNS[Cue.FLAG])
    assert (left.tray_level(), right.tray_level()) == (0.5, 0.0)
    left.tap(Button.PAUSE)
    right.press(Button.LEFT)
    assert [(edge.button, edge.pressed) for edge in seen] == [
        (Button.PAUSE, True), (Button.PAUSE, False), (Button.LEFT, True),
    ]  # fmt: skip
    assert group.status().down == {Button.LEFT}
    right.lose()
    assert group.status().state is PanelState.WORKING
    left.lose()
    assert group.status().state is PanelState.LOST
    group.close()
    assert group.status().state is PanelState.CLOSED


def test_a_group_of_nothing_is_refused():
    with pytest.raises(ValueError, match="PanelGroup needs at least one panel"):
        PanelGroup(())


def test_this_machines_panel_without_pins_and_without_serial(monkeypatch):
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr("hardware.gpio.make_pin_factory", lambda: 1 / 0)
    panel = open_panel(replace(default_pinmap(), serial_port=None))
    assert isinstance(panel, NullPanel)
    both = open_panel(replace(default_pinmap(), serial_port="/dev/serial/by-id/none"))
    assert isinstance(both, PanelGroup)
    both.start(lambda _event: None)
    assert both.status().state is PanelState.WAITING
    both.close()


def test_the_fake_shows_what_it_was_told():
    panel = FakePanel()
    panel.start(lambda _event: None)
    panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.LOW_TIME])
    assert panel.lamp_level(Lamp.LEFT) == 1.0
    panel.advance_ms(300)
    assert panel.lamp_level(Lamp.LEFT) == 0.1
    panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.LOW_TIME])  # the same again does not start it anew
    assert panel.lamp_level(Lamp.LEFT) == 0.1
    panel.buzz(CUE_PATTERNS[Cue.YOUR_TURN])
    assert panel.tone_hz() == 880
    panel.advance_ms(100)
    assert panel.tone_hz() == 1319
    with pytest.raises(AssertionError, match="was never set; expected"):
        panel.assert_lamp(Lamp.RIGHT, RUNNING)
    with pytest.raises(AssertionError, match="never played"):
        panel.assert_buzzed(CUE_PATTERNS[Cue.FLAG])
    assert [name for name, _ in panel.commands] == ["set_lamp", "set_lamp", "buzz"]


def test_the_fake_bounces_like_a_switch():
    panel = FakePanel()
    panel.start(lambda _event: None)
    at = panel.at_ns
    panel.bounce(Button.LEFT, True)
    panel.bounce(Button.LEFT, False)
    assert [(edge.pressed, edge.at_ns == at) for edge in panel.events] == [(True, True), (False, False)]


def test_the_fake_without_a_part_has_no_contact():
    panel = FakePanel(parts={Part.BUTTON_LEFT})
    panel.start(lambda _event: None)
    panel.raw(Button.RIGHT, True)
    panel.advance_ms(100)
    assert panel.events == []
    assert panel.display_row(Display.LEFT) == ""
    assert panel.lamp_level(Lamp.LEFT) == 0.0


def test_the_fake_tells_stuck_and_loss():
    panel = FakePanel()
    panel.start(lambda _event: None)
    panel.press(Button.LEFT)
    panel.advance_ms(11_000)
    panel.lose()
    panel.lose()
    panel.regain()
    kinds = [event.kind for event in panel.events if hasattr(event, "kind")]
    assert kinds == [NoticeKind.STUCK, NoticeKind.LOST, NoticeKind.REGAINED]


# -- the terminal tool --------------------------------------------------------------------------------------


@pytest.fixture
def pretended(monkeypatch, tmp_path):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    path = tmp_path / "pins.toml"
    path.write_text(
        "version = 1\n[buttons.left]\ngpio = 17\n[lamps.left]\ngpio = 5\n[serial]\nport = 'none'\n"
    )
    return ["--pinmap", str(path)]


def test_watch_tells_what_is_there(pretended, capsys):
    assert tool.main([*pretended, "watch", "--seconds", "0.01"]) == 0
    out = capsys.readouterr().out
    assert "The panel on the GPIO pins works." in out
    assert "parts: button_left, lamp_left" in out


def test_lamps_shows_every_signal_and_cue(pretended, capsys, monkeypatch):
    monkeypatch.setattr(tool.time, "sleep", lambda _seconds: None)
    assert tool.main([*pretended, "lamps", "--seconds", "0"]) == 0
    out = capsys.readouterr().out
    for signal in Signal:
        assert f"{signal.value} " in out
    assert out.count(" sound\n") == len(Cue)


def test_record_writes_a_train(pretended, capsys, tmp_path):
    file = tmp_path / "train.txt"
    assert tool.main([*pretended, "record", "--seconds", "0.01", str(file)]) == 0
    assert file.read_text().startswith("# origin: recorded with")
    assert "0 edges in" in capsys.readouterr().out


def test_wiring_prints_and_draws(pretended, capsys, tmp_path):
    assert tool.main([*pretended, "wiring"]) == 0
    assert "| 11 | 17 | left button |" in capsys.readouterr().out
    picture = tmp_path / "w.svg"
    assert tool.main([*pretended, "wiring", str(picture)]) == 0
    assert "left button (GPIO17)" in picture.read_text()


def test_a_wrong_pin_map_is_told(tmp_path, capsys):
    bad = tmp_path / "bad.toml"
    bad.write_text("version = 3")
    assert tool.main(["--pinmap", str(bad), "check"]) == 2
    assert "version: expected 1, got 3" in capsys.readouterr().err


def test_no_panel_is_exit_code_one(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("hardware.gpio.make_pin_factory", lambda: 1 / 0)
    path = Path(tmp_path / "pins.toml")
    path.write_text("version = 1\n[serial]\nport = 'none'\n")
    assert tool.main(["--pinmap", str(path), "watch", "--seconds", "0"]) == 1
    assert "use the on-screen buttons." in capsys.readouterr().out
