"""Quarter steps, stated sums, budgets, counters and commitments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.ledger import (
    Budget,
    Counter,
    SealedEnvelope,
    Sum,
    commitment,
    is_commitment_kept,
    quarters,
    quarters_text,
    sum_faults,
)
from companion.core.text import Say


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 0), (26, 104), (48.5, 194), (0.25, 1), ("48,5", 194), (" 3 1/4 ", 13), ("0.75", 3), ("1/2", 2)],
)
def test_victory_points_are_counted_in_quarters(value: object, expected: int) -> None:
    assert quarters(value) == expected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.3, "expected a multiple of 0.25, got 0.3"),
        ("x", "expected victory points in quarter steps, got 'x'"),
        ("", "got ''"),
        ("1/0", "got '1/0'"),
        (True, "got True"),
        (None, "got None"),
        (float("nan"), "got nan"),
        (float("inf"), "got inf"),
        ("1 2", "got '1 2'"),
    ],
)
def test_what_is_no_quarter_step_is_refused(value: object, words: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        quarters(value)
    assert words in str(caught.value)


@given(st.integers(-4000, 4000))
def test_the_text_of_quarters_reads_back(amount: int) -> None:
    text = quarters_text(amount)
    assert float(text) * 4 == amount
    assert not text.endswith(".0")


def test_a_stated_sum_binds_the_last_value_and_the_first_too_big_one() -> None:
    four = Sum(("a", "b", "c"), 40, Say("the three tiles together"))
    assert sum_faults([four], {"a": 10, "b": 20}) == ()
    assert sum_faults([four], {"a": 10, "b": 20, "c": 10}) == ()
    wrong, too_much = sum_faults([four], {"a": 10, "b": 20, "c": 9}), sum_faults([four], {"a": 10, "b": 31})
    assert [str(fault) for fault in (*wrong, *too_much)] == [
        "the three tiles together must add up to 10, not 9.75.",
        "the three tiles together must add up to 10; the values entered so far make 10.25.",
    ]


def test_budget_and_counter_hold_their_bounds() -> None:
    assert Budget(10, 7).left == 3
    assert Budget(10, 7).takes(3)
    assert not Budget(10, 7).takes(4)
    assert not Budget(10, 7).takes(-8)
    assert Counter(6, 4).left == 2
    assert Counter(6, 4).takes(2)
    assert not Counter(6, 4).takes(3)
    assert Counter(None, 4).left is None
    assert Counter(None, 4).takes(1000)
    assert not Counter(None, 0).takes(-1)


def test_a_commitment_binds_text_and_opening() -> None:
    held = SealedEnvelope("c", "n", "t", (), {}, commitment("ab" * 16, "E5: 3 destroyers"))
    assert is_commitment_kept(held, "ab" * 16, "E5: 3 destroyers")
    assert not is_commitment_kept(held, "ab" * 16, "E6: 3 destroyers")
    assert not is_commitment_kept(held, "ac" * 16, "E5: 3 destroyers")
