"""Every public function that decides, counts, reads dice or speaks to a device says what it does, and a rule where it stands."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
ROOMS = (
    "companion/core",
    "companion/odds",
    "companion/games/*/odds",
    "companion/games/*/rules",
    "hardware",
    "vision",
)
FILES = sorted(path for room in ROOMS for folder in TOP.glob(room) for path in folder.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a file as Python reads it, read once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(body: list[ast.stmt], told: str = "") -> Iterator[tuple[str, str | None, str]]:
    """Yield every public function with its docstring, and what its class and module say above it."""
    for name, node, above in public(body, told):
        yield name, ast.get_docstring(node), above


def public(
    body: list[ast.stmt], told: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Yield every public function as it stands, and what its class and module say above it."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for name, own, above in public(node.body, told + (ast.get_docstring(node) or "")):
                yield f"{node.name}.{name}", own, above
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name, node, told


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_says_in_whole_sentences_what_it_does(room: str) -> None:
    bare = []
    count = 0
    for path in (path for folder in TOP.glob(room) for path in folder.rglob("*.py")):
        for name, own, _above in functions(tree_of(path).body):
            count += 1
            first = (own or "").partition("\n\n")[0].rstrip()
            if not first[:1].isupper() or not first.endswith((".", ":")):
                bare.append(f"{path.relative_to(TOP)}: {name}: {first!r}")
    assert count > 10, "there are functions to look at"
    assert bare == []


def test_every_rule_names_the_section_that_it_stands_in() -> None:
    bare = []
    for path in FILES:
        if path.parent.name == "rules":
            tree = tree_of(path)
            for name, own, above in functions(tree.body, ast.get_docstring(tree) or ""):
                if "Source: " not in (own or "") + above:
                    bare.append(f"{path.relative_to(TOP)}: {name}")
    assert bare == []


def test_every_error_that_a_function_raises_is_told() -> None:
    """What it raises itself, that is: what it calls says so for itself."""
    silent = []
    for path in FILES:
        tree = tree_of(path)
        for name, node, above in public(tree.body, ast.get_docstring(tree) or ""):
            told = (ast.get_docstring(node) or "") + above
            raised: set[str] = set()
            kept: set[str] = set()
            for one in ast.walk(node):
                match one:
                    case ast.Raise(exc=ast.Call(func=ast.Name(id=error))) if not error.startswith("_"):
                        raised.add(error)
                    case ast.ExceptHandler(type=ast.expr() as caught):
                        kept |= {named.id for named in ast.walk(caught) if isinstance(named, ast.Name)}
            silent += [
                f"{path.relative_to(TOP)}: {name}: {error}" for error in raised - kept if error not in told
            ]
    assert silent == []


UNIT = re.compile(
    r"\d( \(.*?\)| \w+)? to [+\d]|0\.\.1|%|at least|or more|above 0|log odds|log prob|factor|unit of|in quarters|cost|hits"
    r"|seconds|minutes|CIE|pixels|millimetres|radians|face units|half crops|radii",
    re.IGNORECASE,
)
"""A unit, a range or another text that tells how a figure is measured."""
FLOAT = re.compile(r"\bfloat\b")
UNIT_NAME = re.compile(r"(.*_)?(ns|ms|s|px|mm|deg|hz|minutes)")


def test_every_function_with_a_measured_figure_says_its_unit_or_range() -> None:
    """A parameter's name may say it too (``tilt_deg``); whole numbers are counts, or times by name and type."""
    silent = []
    for path in FILES:
        for name, node, _above in public(tree_of(path).body):
            args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            taken = [arg.arg for arg in args if arg.annotation and FLOAT.search(ast.unparse(arg.annotation))]
            bare = [arg for arg in taken if not UNIT_NAME.fullmatch(arg)]
            if node.returns and FLOAT.search(ast.unparse(node.returns)):
                bare.append("result")
            if bare and not UNIT.search(ast.get_docstring(node) or ""):
                silent.append(f"{path.relative_to(TOP)}: {name}: {', '.join(bare)}")
    assert silent == []


WITH_EXAMPLES = sorted(
    path.relative_to(TOP)
    for folder in ("companion", "hardware", "scenarios", "vision")
    for path in (TOP / folder).rglob("*.py")
    if b">>> " in path.read_bytes()
)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_the_examples_say_what_happens(path: Path) -> None:
    module = importlib.import_module(".".join(path.with_suffix("").parts))
    done = doctest.testmod(module)
    assert done.attempted > 0, "the example stands in a docstring"
    assert done.failed == 0
