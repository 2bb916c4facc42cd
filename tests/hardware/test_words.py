"""Sentences of the panels: English as they are, and in another language by their templates."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

import hardware
from hardware.gpio import open_gpio_panel
from hardware.pinmap import default_pinmap
from hardware.ports import Part
from hardware.words import PART_TITLES, Said, say, translated

GERMAN = {
    "{part} works again.": "{part} geht wieder.",
    "The left lamp": "Die linke Lampe",
    "The buzzer": "Der Summer",
    "All but {parts} of {box} work.": "{box} ohne {parts}.",
}


def test_a_sentence_is_its_english_text_and_can_be_translated() -> None:
    said = say("{part} works again.", part=Part.LAMP_LEFT)
    assert said == "The left lamp works again."
    assert translated(said, lambda text: GERMAN[text]) == "Die linke Lampe geht wieder."


def test_several_parts_and_names_fill_their_gaps() -> None:
    said = say("All but {parts} of {box} work.", parts=(Part.LAMP_LEFT, Part.BUZZER), box="Pico {1}")
    assert said == "All but The buzzer, The left lamp of Pico {1} work."
    assert translated(said, GERMAN.__getitem__) == "Pico {1} ohne Der Summer, Die linke Lampe."


def test_a_plain_text_stays_as_it_is() -> None:
    assert translated("by hand {x}", GERMAN.__getitem__) == "by hand {x}"


def test_every_part_begins_a_sentence() -> None:
    assert set(PART_TITLES) == set(Part)


def test_a_missing_value_is_a_bug_that_shows() -> None:
    with pytest.raises(KeyError, match="part"):
        say("{part} works again.")


def test_why_there_are_no_pins_can_be_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    assert isinstance(open_gpio_panel(default_pinmap()).status().line, Said)


def test_every_sentence_of_the_room_has_a_value_for_each_gap() -> None:
    """Read from the source, so that a sentence of a rare fault is looked at too."""
    seen = 0
    for path in sorted(Path(hardware.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say"):
                continue
            assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: not a plain text"
            gaps = {name for _t, name, _s, _c in Formatter().parse(node.args[0].value) if name}
            assert gaps == {keyword.arg for keyword in node.keywords}, f"{path.name}:{node.lineno}"
            seen += 1
    assert seen >= 25


def test_no_notice_is_made_of_bare_text() -> None:
    for path in sorted(Path(hardware.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "notice":
                what = node.args[1]
                assert not isinstance(what, ast.JoinedStr | ast.Constant), f"{path.name}:{node.lineno}"
