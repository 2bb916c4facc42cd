"""Words as values: what a `Say` holds, when two are the same, and what is no value."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

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
    area,
    card,
    key,
    nation,
    sentences,
    several,
    side,
    site,
    step,
    unit,
)


def test_a_sentence_keeps_its_template_and_its_values() -> None:
    say = Say("Only {have} in the box; you need {need}.", have=3, need=4)
    assert say.template == "Only {have} in the box; you need {need}."
    assert dict(say.values) == {"have": 3, "need": 4}
    assert say.many == ""
    assert str(say) == "Only 3 in the box; you need 4."


def test_one_sentence_stays_itself_and_several_become_one() -> None:
    one, two = Say("One."), Say("Two.")
    assert sentences([one]) is one
    assert sentences([one, two]) == Say("{sentences}", sentences=Several((one, two), "sentences"))


def test_equal_sentences_are_one_and_any_difference_tells_them_apart() -> None:
    one = Say("{unit} cannot attack.", unit=unit("aa"))
    assert one == Say("{unit} cannot attack.", unit=unit("aa"))
    assert len({one, Say("{unit} cannot attack.", unit=unit("aa"))}) == 1
    assert one != Say("{unit} cannot attack.", unit=unit("tank"))
    assert len({hash(one), hash(Say("{unit} cannot attack.", unit=unit("tank"))), hash(Say("Nothing."))}) == 3
    assert one != Say("{unit} cannot move.", unit=unit("aa"))
    assert one != Say("{who} cannot attack.", who=unit("aa"))
    assert Say.counted("{n} die", "{n} dice", 2) != Say("{n} die", n=2)
    assert one != "{unit} cannot attack."


def test_a_counted_sentence_takes_its_form_from_the_number() -> None:
    forms = [str(Say.counted("{n} die is missing.", "{n} dice are missing.", n)) for n in (0, 1, 2)]
    assert forms == ["0 dice are missing.", "1 die is missing.", "2 dice are missing."]


@pytest.mark.parametrize("value", ["bare", True, None, ["a"], object()])
def test_what_is_no_typed_value_is_refused_by_name(value: object) -> None:
    with pytest.raises(TypeError, match="what: expected a typed value, got"):
        Say("{what}", what=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (1.5, "1.5"),
        (Fraction(1, 2), "1/2"),
        (unit("tank"), "tank"),
        (Count(2, unit("tank")), "2 tank"),
        (Typed("Anna"), "Anna"),
        (Duration(1500), "1500 ms"),
        (Signed(2), "+2"),
        (Signed(-2), "-2"),
        (Signed(0), "+0"),
        (Share(0.625, 1), "62.5 %"),
        (Range(1, 5), "1-5"),
        (Say("so"), "so"),
        (several((unit("a"), unit("b"))), "a, b"),
        (Several((Say("One."), Say("Two.")), "sentences"), "One. Two."),
    ],
)
def test_english_for_logs_shows_every_kind_of_value(value: Value, text: str) -> None:
    assert str(Say("<{it}>", it=value)) == f"<{text}>"


def test_names_say_what_they_name() -> None:
    made = [name("x") for name in (unit, nation, side, site, area, card, step, key)]
    assert [name.kind for name in made] == ["unit", "nation", "side", "site", "area", "card", "step", "key"]
    assert {name.id for name in made} == {"x"}
    assert Name("unit", "x") == unit("x") != nation("x")


def test_a_sentence_is_frozen_travels_and_reads_back() -> None:
    say = Say.counted("{n} die of {who}", "{n} dice of {who}", 3, who=nation("us"))
    with pytest.raises(AttributeError, match="frozen"):
        say.template = "other"
    with pytest.raises(TypeError):
        say.values["n"] = 4  # type: ignore[index]
    assert pickle.loads(pickle.dumps(say)) == say
    assert repr(Say("{a}", a=1)) == "Say('{a}', a=1)"
    assert "'{n} dice of {who}'" in repr(say)
