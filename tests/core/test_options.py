"""What was chosen in New game: names of players and rulings, and every fault of them."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.options import names, ruling_values
from companion.core.scenario import OPTIONS, Fault
from companion.core.setup import RulingInfo

RULINGS = (
    RulingInfo("mud", "Mud?", ("slow", "stop"), "slow"),
    RulingInfo("fog", "Fog?", ("no", "yes"), "no"),
)


@pytest.mark.parametrize("given", [["Anna", "Ben"], ("Anna", "Ben")])
def test_names_are_taken_as_they_are_given(given: Any) -> None:
    faults: list[Fault] = []
    assert names({"names": given}, 2, faults) == ("Anna", "Ben")
    assert faults == []


@pytest.mark.parametrize(
    "given",
    ["AB", {"Anna": 1, "Ben": 2}, ["Anna"], ["Anna", "Ben", "Cleo"], ["Anna", "Anna"], ["Anna", 2], ["Anna", " "], ["Anna", "B" * 99]],
)  # fmt: skip
def test_names_that_do_not_fit_are_one_fault_and_everybody_is_numbered(given: Any) -> None:
    faults: list[Fault] = []
    assert names({"names": given}, 2, faults) == ("Player 1", "Player 2")
    assert [(fault.file, fault.key) for fault in faults] == [(OPTIONS, "names")]
    assert "2 different names" in str(faults[0])


def test_names_that_the_box_cannot_show_are_told_as_that() -> None:
    faults: list[Fault] = []
    assert names({"seats": ["Anna", "\u5b89"]}, 2, faults, key="seats", default=("North", "South")) == (
        "North",
        "South",
    )
    assert "Latin, Greek or Cyrillic" in str(faults[0])
    assert faults[0].key == "seats"


def test_rulings_are_set_as_a_table_or_by_dotted_keys_which_win() -> None:
    faults: list[Fault] = []
    assert ruling_values(RULINGS, {}, faults) == {"mud": "slow", "fog": "no"}
    told = {"rulings": {"mud": "stop", "fog": "yes"}, "rulings.fog": "no", "players": 2}
    assert ruling_values(RULINGS, told, faults) == {"mud": "stop", "fog": "no"}
    assert faults == []


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"rulings": "stop"}, "rulings"),
        ({"rulings": ["mud"]}, "rulings"),
        ({"rulings": {"mid": "stop"}}, "rulings.mid"),
        ({"rulings.mud": "slower"}, "rulings.mud"),
    ],
)
def test_a_ruling_that_there_is_not_is_a_fault_and_the_defaults_hold(options: Any, key: str) -> None:
    faults: list[Fault] = []
    assert ruling_values(RULINGS, {**options, "rulings.fog": "yes"}, faults) == {"mud": "slow", "fog": "yes"}
    assert [(fault.file, fault.key) for fault in faults] == [(OPTIONS, key)]
