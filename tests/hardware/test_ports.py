"""Values refuse what no device can do, and say why."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import hardware
from hardware.ports import (
    Button,
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    LampStep,
    Part,
    PressEdge,
    Tone,
    part_of,
)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LampStep(1.5, 100), "LampStep.level must be 0.0 to 1.0, got 1.5"),
        (lambda: LampStep(1.0, 5), "LampStep.ms must be 10 to 60000, got 5"),
        (lambda: LampPattern(()), "LampPattern needs 1 to 16 steps, got 0"),
        (lambda: LampPattern((LampStep(1, 10),) * 17), "got 17"),
        (lambda: Tone(50, 10), "Tone.hz must be 0 or 100 to 5000, got 50"),
        (lambda: Tone(440, 0), "Tone.ms must be 5 to 5000, got 0"),
        (lambda: BuzzerPattern((Tone(440, 10),) * 17), "at most 16 tones, got 17"),
        (lambda: DisplayText("12%"), "DisplayText cannot show '%' of '12%' on seven segments"),
        (lambda: DisplayText("1" * 17), "at most 16 characters, got 17"),
    ],
)
def test_values_are_checked(make, words):
    with pytest.raises(ValueError) as error:
        make()
    assert words in str(error.value)


def test_every_button_lamp_and_display_is_a_part():
    things = [*Button, *Lamp, *Display]
    assert {part_of(thing) for thing in things} == set(Part) - {Part.BUZZER, Part.TRAY_LIGHT}


def test_a_repr_can_be_pasted_back():
    text = DisplayText("1.23")
    assert eval(repr(text)) == text
    assert "at_ns=5" in repr(PressEdge(Button.LEFT, True, 5))


def test_every_module_names_what_it_offers():
    for module in pkgutil.iter_modules(hardware.__path__):
        if module.name == "__main__":
            continue
        loaded = importlib.import_module(f"hardware.{module.name}")
        assert loaded.__doc__
        for name in loaded.__all__:
            assert hasattr(loaded, name), f"{module.name}.{name}"
