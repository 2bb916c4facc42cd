"""Where types are left open is counted, so that it is done on purpose."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]

_KIVY_FORCES = 72
"""How often the window says `Any`: of widgets that are made late, events of its clock, sounds, and keys of lists."""


def opened(source: str) -> int:
    """Return how often a module says `Any`, imports aside."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(source)))


def test_what_is_said_is_counted_and_what_is_imported_is_not() -> None:
    assert opened("from typing import Any\ndef f(a: Any, *_b: object) -> dict[str, Any]: ...") == 2


def test_the_window_says_any_no_more_often_than_its_toolkit_forces_it_to() -> None:
    found = {path: opened(path.read_text()) for path in (ROOT / "companion" / "ui").rglob("*.py")}
    assert sum(found.values()) <= _KIVY_FORCES, sorted((n, str(path)) for path, n in found.items() if n)
