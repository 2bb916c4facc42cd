"""An error is one sentence as a value; every gap of every sentence has its value."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import vision
from companion.core.text import Say, Typed
from vision.errors import CameraError, Cancelled, PhotoError, VisionError


def test_an_error_is_its_english_sentence_and_keeps_its_values() -> None:
    fault = CameraError(Say("{name}: not open", name=Typed("Cam {1}")))
    assert str(fault) == "Cam {1}: not open"
    assert fault.say.values == {"name": Typed("Cam {1}")}


def test_a_sentence_without_values_may_hold_braces() -> None:
    assert str(VisionError(Say("100 % {x}"))) == "100 % {x}"


def test_one_error_made_of_another_keeps_its_sentence() -> None:
    photo = PhotoError(Say("{name}: no such file", name=Typed("a.jpg")))
    assert str(CameraError(photo.say)) == str(photo) == "a.jpg: no such file"


def test_who_stops_a_reading_is_told_nothing() -> None:
    assert str(Cancelled()) == ""


def test_every_sentence_of_the_room_has_a_value_for_each_gap() -> None:
    """Read from the source, so that a sentence of a rare fault is looked at too."""
    seen = 0
    for path in sorted(Path(vision.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Say"):
                continue
            assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: not a plain text"
            gaps = {name for _t, name, _s, _c in Formatter().parse(node.args[0].value) if name}
            assert gaps == {keyword.arg for keyword in node.keywords}, f"{path.name}:{node.lineno}"
            seen += 1
    assert seen >= 60
