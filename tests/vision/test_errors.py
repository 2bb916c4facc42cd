"""Errors are English sentences that can be translated; every gap of every sentence has its value."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

import vision
from vision.errors import CameraError, PhotoError, VisionError

GERMAN = {"{name}: not open": "{name}: nicht offen", "100 % {x}": "100 % {x}"}


def test_an_error_is_its_english_sentence_and_can_be_translated() -> None:
    fault = CameraError("{name}: not open", name="Cam {1}")
    assert str(fault) == "Cam {1}: not open"
    assert fault.translated(GERMAN.__getitem__) == "Cam {1}: nicht offen"


def test_a_sentence_without_values_may_hold_braces() -> None:
    fault = VisionError("100 % {x}")
    assert (str(fault), fault.translated(GERMAN.__getitem__)) == ("100 % {x}", "100 % {x}")


def test_one_error_made_of_another_keeps_its_sentence() -> None:
    photo = PhotoError("{name}: no such file", name="a.jpg")
    assert str(CameraError(photo.template, **photo.values)) == str(photo) == "a.jpg: no such file"


def test_a_missing_value_is_a_bug_that_shows() -> None:
    with pytest.raises(KeyError, match="name"):
        CameraError("{name} of {other}", other="x")


def test_every_sentence_of_cameras_photos_and_models_has_a_value_for_each_gap() -> None:
    """Read from the source, so that a sentence of a rare fault is looked at too."""
    seen = 0
    for path in sorted(Path(vision.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_error = isinstance(node, ast.Call) and getattr(node.func, "id", "") in _SAID
            if not is_error or isinstance(node.args[0], ast.Attribute):
                continue
            assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: not a plain text"
            gaps = {name for _t, name, _s, _c in Formatter().parse(node.args[0].value) if name}
            assert gaps == {keyword.arg for keyword in node.keywords}, f"{path.name}:{node.lineno}"
            seen += 1
    assert seen >= 35


_SAID = ("CameraError", "PhotoError", "ModelError", "OldSetError", "SetError")
