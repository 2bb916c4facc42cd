"""Refusals as games really say them, under German: not one English word is left in any of them.

`tests/golden/refusals.txt` holds a code and its detail a line, as the tests of all five games were refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from companion.core.rules import Code, Rejected
from companion.games.registry import games_by_key
from companion.pages import i18n
from companion.pages import modules as game_words
from companion.pages.labels import refusal
from companion.pages.settings import GROUPS
from companion.pages.shared_words import SHARED

TOP = Path(__file__).parents[2]
KEPT = TOP / "tests" / "golden" / "refusals.txt"
CATALOGUE = TOP / "companion" / "locale" / "de" / "LC_MESSAGES" / "companion.po"
REFUSALS = {
    c: w
    for words in (SHARED, *(game_words.words_of(g) for g in games_by_key()))
    for c, w in words.names.get("refusal", {}).items()
}
SAMPLES = [tuple(line.split("\t")) for line in KEPT.read_text().splitlines()]
_ENTRY = re.compile(r'^msg(id|str)(?:_plural|\[\d\])? ((?:"(?:[^"\\]|\\.)*"\n?)+)', re.MULTILINE)


def words_of(text: str) -> set[str]:
    """Return the words of a text, without ids such as ``vp.theater.malta``."""
    return set(re.findall(r"[a-zäöüß]{2,}", re.sub(r"\w+(?:[._]\w+)+|'[^']*'", "", text).lower()))


def told(code: str, detail: str) -> str:
    game = next((g for g in games_by_key() if game_words.words_of(g).word("refusal", code) is not None), "")
    return refusal(Rejected(code, detail), game=game)


@cache
def english_words() -> frozenset[str]:
    """Return the words that the catalogue knows in English and never uses in German."""
    found: dict[str, set[str]] = {"id": set(), "str": set()}
    for kind, quoted in _ENTRY.findall(CATALOGUE.read_text()):
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', quoted)).replace("\\n", " ")
        found[kind] |= {w for w in words_of(re.sub(r"\{\w*\}", "", text)) if len(w) > 2}
    return frozenset(found["id"] - found["str"])


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    for module in games_by_key().values():
        module.views()
    i18n.use_language("de")
    yield
    i18n.use_language("en")


def test_the_english_words_are_known() -> None:
    assert english_words() >= {"expected", "already", "named", "gray"}
    assert not english_words() & {"erwartet", "einheiten", "die", "land"}


@pytest.mark.parametrize(("code", "detail"), SAMPLES, ids=lambda v: v[:60])
def test_no_english_word_is_left_in_a_refusal(code: str, detail: str) -> None:
    text = told(code, detail)
    assert words_of(text) & english_words() == set(), text


@pytest.mark.parametrize("code", sorted({*map(str, REFUSALS), *(code for code, _detail in SAMPLES)}))
def test_every_code_is_told_in_german(code: str) -> None:
    text = told(code, next((d for c, d in SAMPLES if c == code), ""))
    assert words_of(text) & english_words() == set(), text


def test_samples_come_from_every_game_and_the_core() -> None:
    codes = {code for code, _detail in SAMPLES}
    assert codes >= {
        "illegal_play",
        "wrong_colour",
        "lane_not_won",
        Code.STALE_STEP,
        Code.STILL_OPEN,
        "over_budget",
    }


def test_counted_dice_and_steps_are_german() -> None:
    assert (
        refusal(Rejected("wrong_count", "asked for 2 gray; got 3 gray"))
        == "Verlangt: 2 Grau; bekommen: 3 Grau"
    )
    assert "Bewegungsschritt 1-5" in refusal(
        Rejected("not_now", "search: movement steps 1 to 5, before battles are resolved")
    )


def test_steps_to_choose_from_and_the_games_box_are_german() -> None:
    text = refusal(Rejected("not_now", "mines: movement step 2 or 4, before any battle is resolved"))
    assert "Bewegungsschritt 2 oder 4," in text
    assert i18n._("Game box") == "Schachtel"
    assert dict(GROUPS)["box"] == "Box"
    assert i18n._("Box") == "Gerät"
