"""Converting with every fault at once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from companion.core.collecting import convert, shown
from companion.core.text import Say


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    count: Annotated[int, msgspec.Meta(ge=1, lt=10)]
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1


class Outer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: Annotated[str, msgspec.Meta(min_length=1)]
    inner: Inner
    many: tuple[Inner, ...] = ()
    pair: tuple[int, str] = (0, "")
    by_name: dict[str, int] = {}
    by_kind: dict[Literal["a", "b"], int] = {}
    colour: Colour = Colour.RED
    kind: Literal["a", "b"] = "a"
    flag: bool = False
    maybe: int | None = None
    either: Inner | str = ""
    anything: Any = None


class Picky(msgspec.Struct, frozen=True):
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low lies above high")


class Holder(msgspec.Struct, frozen=True):
    inner: Inner


GOOD: dict[str, Any] = {"name": "x", "inner": {"count": 3}}


def test_good_data_come_back_as_values_without_faults() -> None:
    value, faults = convert(
        {**GOOD, "many": [{"count": 1, "share": 0.5}], "maybe": 4, "colour": "blue"}, Outer, "f"
    )
    assert faults == ()
    assert value == Outer(name="x", inner=Inner(3), many=(Inner(1, 0.5),), maybe=4, colour=Colour.BLUE)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": ""}, "f: name: expected a string that is not empty, got ''"),
        ({"name": 5}, "f: name: expected a string that is not empty, got 5"),
        ({"inner": {"count": 0}}, "f: inner.count: expected a whole number from 1 to 9, got 0"),
        ({"inner": {"count": 10}}, "f: inner.count: expected a whole number from 1 to 9, got 10"),
        ({"inner": {"count": True}}, "f: inner.count: expected a whole number from 1 to 9, got true"),
        ({"inner": {"count": 1, "share": 0}}, "f: inner.share: expected a number above 0 and up to 1, got 0"),
        ({"inner": {"count": 1, "share": 2}}, "f: inner.share: expected a number above 0 and up to 1, got 2"),
        ({"inner": {"cuont": 1, "count": 1}},
         "f: inner.cuont: expected one of count, share (nearest: count), got cuont"),
        ({"inner": {"zzz": 1, "count": 1}}, "f: inner.zzz: expected count or share, got zzz"),
        ({"inner": {}}, "f: inner.count: expected a whole number from 1 to 9, got nothing"),
        ({"inner": 3}, "f: inner: expected a table, got 3"),
        ({"many": {"count": 1}}, "f: many: expected a list in which each entry is a table, got a table (count)"),
        ({"many": [{"count": 1}, {"count": 99}]},
         "f: many[1].count: expected a whole number from 1 to 9, got 99"),
        ({"pair": [1]}, "f: pair: expected a list of 2: a whole number, a string, got [1]"),
        ({"pair": [1, 2]}, "f: pair[1]: expected a string, got 2"),
        ({"by_name": [1]}, "f: by_name: expected a table, got [1]"),
        ({"by_name": {"a": "b"}}, "f: by_name.a: expected a whole number, got b"),
        ({"by_kind": {"c": 1}}, "f: by_kind.c: expected a or b, got c"),
        ({"colour": "mauve"}, "f: colour: expected red or blue, got mauve"),
        ({"kind": 7}, "f: kind: expected a or b, got 7"),
        ({"flag": 1}, "f: flag: expected true or false, got 1"),
        ({"maybe": "x"}, "f: maybe: expected a whole number, got x"),
        ({"either": 5}, "f: either: expected a table or a string, got 5"),
        ({"either": {"count": 0}}, "f: either.count: expected a whole number from 1 to 9, got 0"),
    ],
)  # fmt: skip
def test_each_kind_of_fault_is_named_with_its_key(change: dict[str, Any], expected: str) -> None:
    value, faults = convert({**GOOD, **change}, Outer, "f")
    assert value is None
    assert [str(fault) for fault in faults] == [expected]


def test_many_faults_are_named_together() -> None:
    _, faults = convert({"inner": {"count": 0, "share": 9}, "flag": "no", "x": 1}, Outer, "f")
    assert [fault.key for fault in faults] == ["x", "name", "inner.count", "inner.share", "flag"]


def test_a_value_that_refuses_itself_is_a_fault_in_its_own_words() -> None:
    _, faults = convert({"low": 5, "high": 1}, Picky, "f")
    assert [str(fault) for fault in faults] == ["f: expected low lies above high, got a table (low, high)"]
    _, faults = convert([{"low": 5, "high": 1}], list[Picky], "f")
    assert faults[0].key == "[0]"


def test_the_top_may_be_of_the_wrong_kind_altogether() -> None:
    _, faults = convert(5, Outer, "f")
    assert [str(fault) for fault in faults] == ["f: expected a table, got 5"]


def test_what_the_walk_cannot_explain_is_told_in_the_converters_words() -> None:
    pattern = Annotated[str, msgspec.Meta(pattern="^a$")]
    _, faults = convert("b", pattern, "f")
    assert [str(fault) for fault in faults] == ["f: expected Expected `str` matching regex '^a$', got b"]


def test_values_are_shown_as_they_would_be_written() -> None:
    def told(value: Any) -> str:
        return str(Say("{value}", value=shown(value)))

    assert told(True) == "true"
    assert told(False) == "false"
    assert told([1, "a"]) == "[1, a]"
    assert told(["a b", "", "5", "true"]) == "[a b, '', '5', 'true']"
    assert told({"a": 1, "b": 2}) == "a table (a, b)"
    assert told({}) == "an empty table"
    assert told(None) == "nothing"
    assert told("x" * 80) == "x" * 57 + "..."


def test_numbers_that_no_file_can_keep_are_faults() -> None:
    for value in (10**30, float("nan"), float("inf")):
        assert convert({"inner": {"count": 1, "share": value}}, Holder, "f")[1]
    assert convert(10**30, int, "f")[1]


def test_unknown_keys_are_faults_whatever_the_type_says() -> None:
    _, faults = convert({"low": 1, "high": 2, "middle": 3}, Picky, "f")
    assert [str(fault) for fault in faults] == ["f: middle: expected low or high, got middle"]
