"""Three answers, and which value decides: unknown is never a no, and only what can still turn the answer is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.judgement import NO, YES, Judgement, Need, all_of, any_of, judged, unknown
from companion.core.rules import Code, not_known
from companion.core.text import Say, Typed

HOLDER = Need("printed", "holder.tobruk", Say("Who holds {star}?", star=Typed("Tobruk")))
LINK = Need("printed", "link.a.b", Say("Are they near?"))
OPEN = (unknown(HOLDER), unknown(LINK), unknown(HOLDER, LINK))

parts = st.lists(st.sampled_from((YES, NO, *OPEN)), max_size=6)


def test_a_judgement_has_no_truth_value_so_that_unknown_never_passes_for_no() -> None:
    for one in (YES, NO, *OPEN):
        with pytest.raises(TypeError, match="is_unknown"):
            bool(one)
    with pytest.raises(ValueError, match="names the value"):
        unknown()


def test_what_is_unknown_names_the_value_and_is_refused_with_its_question() -> None:
    refused = not_known(unknown(HOLDER, LINK))
    assert (refused.code, refused.detail) == (Code.NOT_KNOWN, HOLDER.question)
    assert refused.needs == (HOLDER, LINK)
    with pytest.raises(ValueError, match="unknown"):
        not_known(NO)


def _worlds(some: list[Judgement]) -> list[list[bool]]:
    """Return every way in which the open parts could turn out."""
    worlds: list[list[bool]] = [[]]
    for one in some:
        answers = (True, False) if one.is_unknown else (one.is_yes,)
        worlds = [[*world, answer] for world in worlds for answer in answers]
    return worlds


@given(parts)
def test_joined_judgements_agree_with_every_way_in_which_the_open_ones_can_turn_out(
    some: list[Judgement],
) -> None:
    for join, plain in ((all_of, all), (any_of, any)):
        found, outcomes = join(some), {plain(world) for world in _worlds(some)}
        assert found.answer is (outcomes.pop() if len(outcomes) == 1 else None)
        asked = set(found.needs)
        assert asked == (
            {need for one in some if one.is_unknown for need in one.needs} if found.is_unknown else set()
        )


@given(parts)
def test_not_turns_yes_and_no_and_keeps_what_is_asked(some: list[Judgement]) -> None:
    assert ~all_of(some) == any_of(~one for one in some)
    assert ~judged(answer=True) == NO
