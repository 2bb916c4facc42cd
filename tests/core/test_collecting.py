"""Converting with every fault at once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from companion.core.collecting import STAND_IN, convert, expected, repaired, shown
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


class Plain(msgspec.Struct, frozen=True):
    whole: int
    number: float
    from_three: Annotated[int, msgspec.Meta(ge=3)]
    above_two: Annotated[int, msgspec.Meta(gt=2)]
    text: str
    flag: bool
    maybe: int | None
    either: int | str
    kind: Literal["a", "b"]
    colour: Colour
    many: tuple[int, ...]
    some: Annotated[list[int], msgspec.Meta(min_length=2)]
    pair: tuple[int, str]
    names: dict[str, int]
    inner: Inner
    spare: int = 7


PLAINEST: dict[str, Any] = {
    "whole": 0, "number": 0, "from_three": 3, "above_two": 3, "text": STAND_IN, "flag": False, "maybe": None,
    "either": 0, "kind": "a", "colour": "red", "many": [], "some": [0, 0], "pair": [0, STAND_IN], "names": {},
    "inner": {"count": 1},
}  # fmt: skip


def test_what_is_missing_or_wrong_is_stood_in_for_by_the_plainest_value_and_the_rest_is_kept() -> None:
    assert repaired({}, Plain) == PLAINEST
    assert repaired({**PLAINEST, "whole": "x", "text": 4, "flag": 1, "colour": "green"}, Plain) == PLAINEST
    good = {
        **PLAINEST,
        "whole": 5,
        "many": [1, 2],
        "names": {"x": 3},
        "pair": [1, "y"],
        "inner": {"count": 2},
    }
    assert repaired(good, Plain) == good
    assert repaired({**good, "strange": 1}, Plain) == good, "what nobody knows is left out"
    assert repaired({**good, "many": [1, "x"], "names": {"x": "y"}, "pair": ["z", "y"]}, Plain) == {
        **good, "many": [1, 0], "names": {"x": 0}, "pair": [0, "y"]
    }  # fmt: skip
    assert repaired({**good, "some": [1]}, Plain) == {**good, "some": [0, 0]}
    assert repaired({**good, "pair": [1]}, Plain) == {**good, "pair": [0, STAND_IN]}
    assert repaired({"low": 2, "high": 1}, Picky) is None, "no stand-in helps"


@pytest.mark.parametrize(
    ("bounds", "words", "least", "most"),
    [
        ({}, "a whole number", None, None),
        ({"ge": 1}, "a whole number of 1 or more", 1, None),
        ({"gt": 1}, "a whole number of 2 or more", 2, None),
        ({"le": 9}, "a whole number of 9 or less", None, 9),
        ({"lt": 9}, "a whole number of 8 or less", None, 8),
        ({"ge": 1, "le": 9}, "a whole number from 1 to 9", 1, 9),
        ({"gt": 1, "lt": 9}, "a whole number from 2 to 8", 2, 8),
    ],
)
def test_a_bound_is_named_as_it_holds(bounds: dict[str, int], words: str, least: Any, most: Any) -> None:
    type_ = Annotated[int, msgspec.Meta(**bounds)] if bounds else int  # type: ignore[arg-type]
    assert str(expected(msgspec.inspect.type_info(type_))) == words
    for edge, inside in ((least, 1), (most, -1)):
        if edge is not None:
            assert convert(edge, type_, "f") == (edge, ())
            assert [str(fault.expected) for fault in convert(edge - inside, type_, "f")[1]] == [words]
    for value in (2**53, -(2**53)):
        assert bool(convert(value, int, "f")[1]) is False
        assert bool(convert(value + (1 if value > 0 else -1), int, "f")[1]) is True
