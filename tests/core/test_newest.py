"""Results made once for the very same values."""

from __future__ import annotations

from companion.core.newest import Newest


def test_the_very_same_values_are_asked_once_and_equal_ones_anew() -> None:
    newest: Newest[list[int]] = Newest(2)
    first, twin = (1, 2, "a" * 50), (1, 2, "b" * 50)
    made = newest.of(first, "x", make=lambda: [1])
    assert newest.of(first, "x", make=lambda: [2]) is made
    assert newest.of(twin, "x", make=lambda: [3]) == [3]
    assert newest.of(first, "y", make=lambda: [4]) == [4]
    assert newest.of(first, "x", make=lambda: [5]) == [5], "only the newest are kept"


def test_a_value_is_held_so_that_no_later_one_can_be_taken_for_it() -> None:
    newest: Newest[int] = Newest(1)
    for n in range(200):
        assert newest.of([n], make=lambda n=n: n) == n
