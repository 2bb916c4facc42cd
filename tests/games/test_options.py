"""Options that games share: every fault is named, and something usable comes back all the same."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.options import names, ruling_values, time_kept, unknown_options
from companion.core.scenario import Fault
from companion.core.setup import RulingInfo
from companion.core.text import Say

MINUTES = Say("minutes a side")
RULINGS = (RulingInfo("weather", "?", ("sun", "rain"), "sun"), RulingInfo("tea", "?", ("yes", "no"), "yes"))


def test_names_default_to_numbers_and_must_differ() -> None:
    faults: list[Fault] = []
    assert names({}, 3, faults) == ("Player 1", "Player 2", "Player 3")
    assert names({"names": ["Ada", "Bo"]}, 2, faults) == ("Ada", "Bo")
    assert faults == []


@pytest.mark.parametrize(
    "value", [["Ada"], ["Ada", "Ada"], ["Ada", ""], ["Ada", 3], "Ada", ["Ada", "x" * 25], None]
)
def test_names_that_do_not_fit_are_named(value: Any) -> None:
    faults: list[Fault] = []
    assert names({"names": value}, 2, faults) == ("Player 1", "Player 2")
    assert str(faults[0]).startswith("options: names: expected 2 different names of 1 to 24 letters, got ")


@pytest.mark.parametrize(
    ("value", "kept"), [("none", "none"), ("count_up", "count_up"), (15, 900_000), (0.5, 30_000)]
)
def test_time_is_kept_as_asked(value: Any, kept: Any) -> None:
    faults: list[Fault] = []
    assert time_kept({"clock": value}, MINUTES, faults) == kept
    assert faults == []


@pytest.mark.parametrize("value", [0, -1, 601, True, "fast", None, float("nan")])
def test_minutes_that_make_no_sense_are_refused(value: Any) -> None:
    faults: list[Fault] = []
    assert time_kept({"clock": value}, MINUTES, faults) == "none"
    assert "minutes a side" in str(faults[0])


def test_rulings_come_as_a_table_or_dotted_and_all_faults_at_once() -> None:
    faults: list[Fault] = []
    assert ruling_values(RULINGS, {"rulings": {"weather": "rain"}, "rulings.tea": "no"}, faults) == {
        "weather": "rain",
        "tea": "no",
    }
    assert faults == []
    ruling_values(RULINGS, {"rulings": 3, "rulings.tea": "maybe", "rulings.dog": "yes"}, faults)
    assert [fault.key for fault in faults] == ["rulings", "rulings.tea", "rulings.dog"]


def test_unknown_options_are_named_with_what_there_is() -> None:
    faults: list[Fault] = []
    unknown_options({"clock": 1, "rulings.tea": "yes", "colour": "red"}, ("clock", "rulings"), faults)
    assert [str(fault) for fault in faults] == ["options: colour: expected clock or rulings, got colour"]
