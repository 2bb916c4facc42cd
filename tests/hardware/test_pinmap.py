"""The pin map: the shipped one works, and a wrong one says everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware import wiring
from hardware.edges import FilterSettings
from hardware.errors import PinMapError
from hardware.pinmap import DisplayPins, default_pinmap, load_pinmap, parse_pinmap
from hardware.ports import Button, Lamp, Part

ROOT = Path(__file__).parents[2]


def test_the_shipped_map_is_whole():
    pinmap = default_pinmap()
    assert set(pinmap.buttons) == set(Button)
    assert set(pinmap.lamps) == {Lamp.LEFT, Lamp.RIGHT}
    assert pinmap.filter == FilterSettings()
    assert pinmap.serial_port == "auto"
    assert pinmap.displays is None
    assert Part.LAMP_ARBITER not in pinmap.parts
    assert {Part.BUZZER, Part.TRAY_LIGHT, Part.BUTTON_ARBITER} <= pinmap.parts


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_is_read_as_other_editors_save_it(tmp_path, encoding):
    path = tmp_path / "pins.toml"
    path.write_bytes("version = 1 # für uns\n".encode(encoding))
    assert load_pinmap(path).buttons == {}


def test_a_file_in_another_encoding_is_refused_in_words(tmp_path):
    path = tmp_path / "pins.toml"
    path.write_bytes("version = 1 # für uns\n".encode("latin-1"))
    with pytest.raises(PinMapError, match="not saved as UTF-8; save it so with your editor"):
        load_pinmap(path)


def test_a_file_takes_the_place_of_the_shipped_map(tmp_path):
    path = tmp_path / "pins.toml"
    path.write_text("version = 1\n[buttons.left]\ngpio = 4\n[serial]\nport = 'none'\n")
    pinmap = load_pinmap(path)
    assert {button: pin.gpio for button, pin in pinmap.buttons.items()} == {Button.LEFT: 4}
    assert pinmap.lamps == {}
    assert pinmap.serial_port is None
    assert pinmap.source == str(path)


def test_everything_may_be_absent():
    assert parse_pinmap("version = 1", "x").parts == frozenset()


def test_displays():
    pinmap = parse_pinmap('version = 1\n[displays]\ndriver = "max7219"\ndigits_per_side = 8', "x")
    assert pinmap.displays == DisplayPins("max7219", 8, 0.4)
    assert {Part.DISPLAY_LEFT, Part.DISPLAY_RIGHT} == pinmap.parts
    direct = parse_pinmap(
        'version = 1\n[displays]\ndriver = "direct"\ndigits_per_side = 2\n'
        "[displays.direct]\nsegments = [2,3,4,5,6,7,8,9]\ndigits = [10,11,12,13]\nactive_high = false",
        "x",
    )
    assert direct.displays is not None
    assert direct.displays.gpios == (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("versio", "x: not a TOML file ("),
        ("", "x: version: expected 1, got None; use a pin map made for this version"),
        (
            "version = 1\n[button.left]\ngpio = 4",
            "x: button: expected one of buttons, buzzer, displays, filter, ",
        ),
        (
            "version = 1\n[buttons.left]\ngpio = 99",
            "x: buttons.left.gpio: expected a GPIO number from 2 to 27 or ",
        ),
        ("version = 1\n[buttons.left]\ngpio = true", "got True"),
        (
            "version = 1\n[buttons.left]\ngpio = 4\n[lamps.left]\ngpio = 4",
            "x: lamps.left.gpio: expected a free pin, got 4; GPIO 4 is already taken by buttons.left.gpio",
        ),
        (
            'version = 1\n[buttons.left]\npull = "UP"',
            'left.pull: expected "up" or "down" or "none", got \'UP\'',
        ),
        (
            "version = 1\n[buttons.left]\nbounce = 3",
            "buttons.left.bounce: expected one of gpio, pressed, pull, got",
        ),
        ("version = 1\nbuzzer = 3", "x: buzzer: expected a table, got 3; write it as [buzzer]"),
        (
            "version = 1\n[tray_light]\npwm_hz = 5",
            "tray_light.pwm_hz: expected a whole number from 50 to 10000, got 5",
        ),
        ("version = 1\n[displays]\nbrightness = 3", "displays.brightness: expected 0.0 to 1.0, got 3"),
        ('version = 1\n[displays]\ndriver = "direct"', "displays.direct.segments: expected 8 pins, got 0"),
        ("version = 1\n[displays.direct]\nsegments = 3", "expected a list of GPIO numbers, got 3"),
        (
            "version = 1\n[displays.direct]\nactive_high = 1",
            "direct.active_high: expected true or false, got 1",
        ),
        (
            "version = 1\n[filter]\npress_ms = 40",
            "filter: expected press_ms <= gap_ms <= release_ms <= max_bounce_ms",
        ),
        (
            "version = 1\n[serial]\nport = 'COM3'",
            'serial.port: expected "auto", "none" or a path, got \'COM3\'',
        ),
        (
            'version = 1\n[buttons.left]\ngpio = 10\n[displays]\ndriver = "max7219"',
            "displays.max7219: expected a free pin, got 10",
        ),
    ],
)
def test_a_wrong_map_says_what_where_and_what_to_do(text, words):
    with pytest.raises(PinMapError) as error:
        parse_pinmap(text, "x")
    assert words in str(error.value)


def test_all_faults_are_told_at_once():
    with pytest.raises(PinMapError) as error:
        parse_pinmap("version = 2\n[buttons.left]\ngpio = 99\n[lamps.left]\non = 'maybe'", "x")
    assert len(str(error.value).splitlines()) == 3


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(
        PinMapError, match=r"cannot be read .*; copy hardware/pinmap.toml there and edit the copy"
    ):
        load_pinmap(tmp_path / "no.toml")


# -- the wiring table and picture ---------------------------------------------------------------------------


def test_header_positions():
    assert wiring.HEADER_PINS[11 - 1] == "GPIO17"
    assert wiring.HEADER_PINS[40 - 1] == "GPIO21"
    assert sorted(name for name in wiring.HEADER_PINS if name.startswith("GPIO")) == sorted(
        f"GPIO{number}" for number in range(2, 28)
    )


def test_header_positions_agree_with_gpiozero():
    from gpiozero.pins.mock import MockFactory

    header = MockFactory(revision="c04170").board_info.headers["J8"]
    for number, info in header.pins.items():
        name = wiring.HEADER_PINS[number - 1]
        if name.startswith("GPIO"):
            assert info.name == name


def test_the_wiring_card_is_made_from_the_pin_map():
    pinmap = default_pinmap()
    card = (ROOT / "deploy" / "WIRING.md").read_text(encoding="utf-8")
    assert wiring.table(pinmap) in card, "make it again: python -m hardware wiring"
    picture = (ROOT / "deploy" / "wiring.svg").read_text(encoding="utf-8")
    assert picture == wiring.svg(pinmap), "make it again: python -m hardware wiring deploy/wiring.svg"
    assert "wiring.svg" in card


def test_wires_of_digits_are_listed():
    pinmap = parse_pinmap('version = 1\n[displays]\ndriver = "max7219"', "x")
    assert [(gpio, name) for _, gpio, name, _ in wiring.wires(pinmap)] == [
        (10, "digits DIN"),
        (11, "digits CLK"),
        (8, "digits CS/LOAD"),
    ]
    direct = parse_pinmap(
        'version = 1\n[displays]\ndriver = "direct"\ndigits_per_side = 2\n'
        "[displays.direct]\nsegments = [2,3,4,5,6,7,8,9]\ndigits = [10,11,12,13]",
        "x",
    )
    assert len(wiring.wires(direct)) == 12
    assert "<svg" in wiring.svg(direct)
