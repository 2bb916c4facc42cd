"""Lines of rules that are still texts: they are matched against their templates, and figures survive translation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from companion.core.rules import Code, Rejected
from companion.pages import i18n
from companion.pages.details import TEMPLATES, detail_text, sentence
from companion.pages.labels import refusal


def templates_in(node: ast.expr) -> Iterator[str]:
    """Yield the texts of an expression as templates: one letter in braces for every value that is put in."""
    if isinstance(node, ast.IfExp):
        yield from templates_in(node.body)
        yield from templates_in(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Tuple):
        for part in node.elts:
            yield from templates_in(part)
    elif isinstance(node, ast.GeneratorExp):
        yield from templates_in(node.elt)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tuple":
        yield from templates_in(node.args[0])
    elif isinstance(node, ast.Starred):
        yield from templates_in(node.value)
    elif isinstance(node, ast.JoinedStr):
        letters = iter("abcdef")
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"{{{next(letters)}}}"
            for part in node.values
        )


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_template_keeps_its_figures(language: str) -> None:
    figures = dict(zip("abcdef", ("A1", "B2", "C3", "D4", "E5", "F6"), strict=True))
    i18n.use_language(language)
    try:
        for template in TEMPLATES:
            text = detail_text(template.format(**figures))
            for key, figure in figures.items():
                assert (figure in text) == (f"{{{key}}}" in template), text
    finally:
        i18n.use_language("en")


def test_ids_become_names_and_the_line_begins_with_a_capital() -> None:
    assert refusal(Rejected("no_tokens", "us has 1 tokens, 2 asked")) == "United States has 1 tokens, 2 asked"
    assert refusal(Rejected("not_now", "now allies and axis")) == "Now Allies and Axis"
    assert refusal(Rejected("odd_code")) == "Odd code"


def test_refusals_are_german_under_german() -> None:
    i18n.use_language("de")
    try:
        assert detail_text("us has 1 tokens, 2 asked") == "Vereinigte Staaten hat 1 Marker, 2 verlangt"
        assert detail_text("Land 10, 11 asked") == "Land 10, 11 verlangt"
        assert detail_text("name the space; this step has rolls").startswith("nenne das Feld; ")
    finally:
        i18n.use_language("en")


def test_open_points_and_what_is_wrong_with_a_battle_are_told_in_words() -> None:
    assert refusal(Rejected(Code.STILL_OPEN, "lane 2: allies +2, name the Objective that suffers")) == (
        "Lane 2: Allies +2, name the Objective that suffers"
    )
    i18n.use_language("de")
    try:
        assert sentence("lane 2: allies +2, name the Objective that suffers; us has chosen no resupply") == (
            "Seeweg 2: Alliierte +2, nenne das Ziel, das leidet; Vereinigte Staaten hat keinen Nachschub gewählt"
        )
        assert (
            sentence("attacking[1] tank: range 1, 2 spaces away") == "Panzer: Reichweite 1, 2 Felder entfernt"
        )
    finally:
        i18n.use_language("en")


def test_a_line_without_template_stays_as_it_is() -> None:
    assert detail_text("Nothing that the rules say") == "Nothing that the rules say"
