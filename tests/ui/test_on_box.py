"""Every act that a page leaves to the box is one that the box knows, so that no button ends the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import companion
from companion.testing.harness import lay
from companion.testing.scenes import SCENES
from companion.ui.on_box import known

SOURCE = Path(companion.__file__).parent
OF_PHONES = {("arbiter_phone.py", "phones_kick")}
"""What the phones' server does itself: tests/phones press it."""


def _named() -> Iterator[tuple[str, str]]:
    """Yield file and name of every literal ``OnBox("name", ...)``."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "OnBox":
                continue
            name = node.args[0] if node.args else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield path.name, name.value


def test_every_act_of_the_box_is_known() -> None:
    found = set(_named())
    assert len(found) > 10
    assert {(file, name) for file, name in found if name not in known()} == OF_PHONES


def test_the_way_of_printed_values_is_asked_first() -> None:
    laid = lay(SCENES["sfw-printed"].desk(), screen="printed")
    laid.root.screen.press("share", None)
    laid.settle()
    assert len(laid.root.dialogs) == 1
