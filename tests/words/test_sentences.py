"""Every sentence that the program can say, in every language there is: nothing is lost, nothing is left in English.

The sentences were recorded while the tests of rules, core, session, hardware and vision ran: see `companion.testing.sentences`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

from companion.core.rules import Code
from companion.core.text import (
    Count,
    Duration,
    Name,
    Range,
    Say,
    Several,
    Share,
    Signed,
    Typed,
    Value,
    unit,
)
from companion.games.registry import games_by_key
from companion.pages.i18n import LANGUAGES, language_of
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED
from companion.pages.speak import humanise
from companion.session.game_session import BUG, NOT_STORED
from companion.testing import recorder, sentences
from companion.testing.sentences import Sentence

LOCALE = Path(__file__).parents[2] / "companion" / "locale"
ALL = sentences.listed()
OTHERS = [code for code in LANGUAGES if code != "en"]
AGAIN = "run python -m companion.testing.sentences"


def words(text: str) -> set[str]:
    """Return the words of a text, in small letters."""
    return set(re.findall(r"[^\W\d_]{3,}", text.lower()))


def forms(string: object) -> tuple[str, ...]:
    return tuple(string) if isinstance(string, tuple | list) else (str(string),)


@cache
def english(language: str) -> frozenset[str]:
    """Return the words that the source texts use and no translation of the language does."""
    with (LOCALE / language / "LC_MESSAGES" / "companion.po").open("rb") as file:
        texts = [message for message in read_po(file) if message.id and not message.context]
    gap = re.compile(r"\{[^{}]*\}")
    source = {word for text in texts for form in forms(text.id) for word in words(gap.sub(" ", form))}
    translated = {word for text in texts for form in forms(text.string) for word in words(gap.sub(" ", form))}
    return frozenset(source - translated)


def typed(one: Sentence) -> Iterator[str]:
    """Yield what a person typed, a file holds or a game of the tests calls its things: it is shown as it is."""
    for say in (one.say, *one.names.values()):
        yield from (value.text for value in sentences.leaves(say) if isinstance(value, Typed))
    for name in filter(None, map(name_in, sentences.leaves(one.say))):
        if (name.kind, name.id) in sentences.INVENTED:
            yield humanise(name.id)
    if one.game and one.game not in games_by_key():
        yield from (say.template for say in one.names.values())


def name_in(value: Value) -> Name | None:
    return value.of if isinstance(value, Count) else value if isinstance(value, Name) else None


def without_typed(one: Sentence, text: str) -> str:
    for part in sorted(typed(one), key=len, reverse=True):
        text = text.replace(part, " ").replace(part[:1].upper() + part[1:], " ")
    return text


def faults(one: Sentence, code: str) -> Iterator[str]:
    """Yield what is wrong with a sentence in a language."""
    language = language_of(code)
    try:
        text = sentences.told(one, language)
    except LookupError as fault:
        yield str(fault)
        return
    own = without_typed(one, text)
    for value in values_of(one.say):
        shown = sentences.voice(one, language).say(value)
        if shown.lower() not in text.lower():
            yield f"lost the value {shown!r}"
    own = re.sub(r"\b\w+\.toml\b", " ", own)  # a file is called what it is called
    if found := re.findall(r"\w*[^\W\d]\w*_\w+|[^\W\d]\w+\.[^\W\d_]\w+", own):
        yield f"shows the ids {found}"
    if code != "en" and (left := words(own) & english(code)):
        yield f"is English in {sorted(left)}"
    if one.code and one.code not in (sentences.LOG, BUG, NOT_STORED):  # the last two hand a fault's line on
        if language.counted(one.say.template, one.say.many or one.say.template, 1)[0].islower():
            yield "begins small"
        if not own.rstrip().endswith((".", "!", "?", "…")) and not text.endswith((".", "!", "?", "…")):
            yield "has no full stop"


def values_of(say: Say) -> Iterator[Value]:
    """Yield the values that have to stand in a sentence; one that is counted may be a word, such as "a die"."""
    for name, value in say.values.items():
        if not (say.many and name == "n"):
            yield value


def told_faults(of: list[Sentence], code: str) -> list[str]:
    return [
        f"{one.by} {one.code}: {sentences.shown(one, language_of(code))!r} {fault}"
        for one in of
        for fault in faults(one, code)
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_is_whole_in_every_language(code: str) -> None:
    assert "\n".join(told_faults(ALL, code)) == ""


@pytest.mark.parametrize("code", OTHERS)
def test_every_word_of_every_game_is_translated(code: str) -> None:
    language = language_of(code)
    for game, table in (("", SHARED), *((key, words_of(key)) for key in games_by_key())):
        for kind, rows in table.names.items():
            for id_ in rows:
                text = sentences.told(Sentence(game, game, "", Say("{it}", it=Name(kind, id_))), language)
                assert words(text) & english(code) == set(), (game, kind, id_, text)


def test_the_list_to_be_read_is_the_one_of_the_kept_values() -> None:
    assert sentences.LIST.read_text("utf-8") == sentences.lines(ALL), f"{AGAIN} --render"


def test_no_kept_sentence_is_one_that_the_program_says_no_more() -> None:
    with (LOCALE / "companion.pot").open("rb") as file:
        known = {form for message in read_po(file) if message.id for form in forms(message.id)}
    old = {one.say.template for one in sentences.read()} - known
    assert old == set(), AGAIN


def test_every_code_of_the_core_has_words() -> None:
    assert {one.code for one in ALL if one.by == "core"} >= {str(code) for code in Code}


def test_the_english_words_of_a_language_are_known() -> None:
    assert english("de") >= {"expected", "already", "named"}
    assert not english("de") & {"erwartet", "einheiten", "die", "land"}


def test_a_fault_of_every_kind_is_seen() -> None:
    def told(say: Say, *, code: str = "wrong", language: str = "en") -> str:
        return " ".join(faults(Sentence("core", "", code, say), language))

    assert told(Say("Nothing is wrong here.")) == ""
    assert "no word for unit 'land_unit'" in told(Say("No {what}.", what=unit("land_unit")))
    assert "shows the ids ['land_unit']" in told(Say("No land_unit."))
    assert "shows the ids ['vp.malta']" in told(Say("No vp.malta today."))
    assert told(Say("The file {name} is gone.", name=Typed("a_b.game"))) == ""
    assert told(Say("nothing is left.")) == "begins small"
    assert told(Say("{name} is gone.", name=Typed("it"))) == ""
    assert told(Say("Nothing")) == "has no full stop"
    assert "lost the value '3'" in told(Say("Several are missing.", need=3))
    assert told(Say("Nothing"), code="") == ""
    assert "is English in" in told(Say("Nothing was expected."), language="de")


VALUES = st.one_of(
    st.integers(-9, 9999),
    st.fractions(max_denominator=8),
    st.floats(-10, 10).map(lambda n: round(n, 2)),
    st.builds(Typed, st.sampled_from(["Anna", "a_b.game"])),
    st.builds(Duration, st.integers(0, 10**7)),
    st.builds(Signed, st.integers(-5, 5)),
    st.builds(Share, st.sampled_from([0.0, 0.25, 1.0]), st.integers(0, 2)),
    st.builds(Range, st.integers(0, 3), st.integers(3, 9)),
    st.builds(Name, st.sampled_from(["unit", "nation"]), st.sampled_from(["tank", "italy"])),
    st.builds(Count, st.integers(0, 9), st.just(unit("tank"))),
)
NESTED = st.recursive(
    VALUES,
    lambda inner: st.one_of(
        st.builds(
            Several,
            st.lists(inner, max_size=3).map(tuple),
            st.sampled_from(["and", "or", "comma", "sentences"]),
        ),
        st.builds(lambda a, b: Say("{a} of {b}.", a=a, b=b), inner, inner),
        st.builds(
            lambda n, a: Say.counted("{n} die, {a}", "{n} dice, {a}", n, a=a), st.integers(0, 3), inner
        ),
    ),
    max_leaves=6,
)


@given(NESTED)
def test_what_is_kept_is_what_was_said(value: Value) -> None:
    import msgspec

    kept = msgspec.json.decode(msgspec.json.encode(sentences.packed(value)))
    assert sentences.unpacked(kept) == value


def test_the_recorder_keeps_one_example_of_each_sentence_and_no_parts() -> None:
    made = {}
    for n, what in ((1, "tank"), (2, "tank"), (3, "infantry")):
        say = Say.counted("{n} {what} is missing.", "{n} {what} are missing.", n, what=unit(what))
        made[recorder._key("core", "", "x", say)] = say
    assert len(made) == 2, "one and many; which number and which unit is the same sentence"
