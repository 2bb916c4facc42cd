"""Sentences of the panels are values, with the words of their parts as values too."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

import hardware
from companion.core.text import Say, Typed
from hardware.gpio import open_gpio_panel
from hardware.pinmap import default_pinmap
from hardware.ports import Part
from hardware.words import PART_TITLES, titles


def test_several_parts_stand_in_one_order() -> None:
    said = Say(
        "All but {parts} of {box} work.", parts=titles({Part.BUZZER, Part.LAMP_LEFT}), box=Typed("P {1}")
    )
    assert str(said) == "All but The left lamp, The buzzer of P {1} work."


def test_every_part_begins_a_sentence() -> None:
    assert set(PART_TITLES) == set(Part)


def test_why_there_are_no_pins_can_be_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    assert isinstance(open_gpio_panel(default_pinmap()).status().line, Say)


def test_every_sentence_of_the_room_has_a_value_for_each_gap() -> None:
    """Read from the source, so that a sentence of a rare fault is looked at too."""
    seen = 0
    for path in sorted(Path(hardware.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Say"):
                continue
            assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: not a plain text"
            gaps = {name for _t, name, _s, _c in Formatter().parse(node.args[0].value) if name}
            assert gaps == {keyword.arg for keyword in node.keywords}, f"{path.name}:{node.lineno}"
            seen += 1
    assert seen >= 40
