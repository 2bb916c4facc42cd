"""Refusals of the card game and The Soft Underbelly in words: every line of their rules has some, in both languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core.rules import Code, Rejected
from companion.games.med.pages import words as med_words
from companion.games.registry import games_by_key
from companion.games.tsu.pages import words as tsu_words
from companion.pages import i18n
from companion.pages.details import TEMPLATES, detail_text, sentence
from companion.pages.labels import refusal
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED
from tests.pages.test_details import templates_in

REFUSALS = {
    c: w
    for words in (SHARED, *(words_of(g) for g in games_by_key()))
    for c, w in words.names.get("refusal", {}).items()
}
GAMES = Path(__file__).parents[2] / "companion" / "games"
OWN = {"med": med_words.TEMPLATES, "tsu": tsu_words.TEMPLATES}
BARE = {"", "card {a}: {b}"}
"""What says nothing, or only what the reader of the data says."""
CODED = {"advance_fault", "faults_of", "share_faults"}
"""Functions whose lines reach the table by their code alone."""


def _lines(game: str) -> Iterator[str]:
    """Yield the lines that the table may read: of refusals without words by their code, and of faults."""
    for path in sorted((GAMES / game / "rules").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            yield from _refused(node)
            if isinstance(node, ast.FunctionDef) and _says_why(node.name):
                yield from _faults(node)


def _says_why(name: str) -> bool:
    return "fault" in name and name not in CODED


def _refused(node: ast.AST) -> Iterator[str]:
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Rejected" and len(node.args) > 1):
        return
    code = node.args[0]
    known = isinstance(code, ast.Constant) and code.value in REFUSALS
    if not known and ast.unparse(code) not in ("Code.STALE_STEP", "Code.NOT_YOUR_ACT", "Code.UNKNOWN_SIDE"):
        yield from templates_in(node.args[1])


def _faults(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from templates_in(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("faults.append", "faults.extend"):
            yield from templates_in(node.args[0])


@pytest.mark.parametrize("game", OWN)
def test_every_line_of_the_rules_has_words_and_none_is_left_over(game: str) -> None:
    said = {*_lines(game)} - BARE
    assert sorted(said - {*OWN[game], *TEMPLATES}) == []
    assert sorted(set(OWN[game]) - said) == []


@pytest.mark.parametrize("game", OWN)
def test_every_line_is_german_under_german_and_keeps_its_figures(game: str) -> None:
    figures = dict(zip("abcde", ("A1", "B2", "C3", "D4", "E5"), strict=True))
    i18n.use_language("de")
    try:
        for template in OWN[game]:
            line = template.format(**figures)
            text = detail_text(line)
            assert text.casefold() != line.casefold()
            assert all((figure in text) == (f"{{{key}}}" in template) for key, figure in figures.items()), (
                text
            )
    finally:
        i18n.use_language("en")


def test_a_play_that_is_not_allowed_says_why() -> None:
    faults = "A01 may not be played in 1941; X01 is a card of the axis; taken were: allies"
    assert sentence(faults) == "A01 may not be played in 1941; X01 is a card of the Axis; taken were: Allies"
    rejected = Rejected("illegal_play", "only cards of one side may be played now: axis")
    i18n.use_language("de")
    try:
        assert refusal(rejected) == "Jetzt nur Karten einer Seite: Achse"
        held = Rejected(Code.STILL_OPEN, "declared attacks are still to be resolved or given up")
        assert refusal(held) == "Erklärte Angriffe sind noch auszutragen oder aufzugeben"
    finally:
        i18n.use_language("en")
