"""The unit table: its figures and statuses, broken data, printed values, rulings and cards."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

import pytest

from companion.games.sfw.rules.units import (
    UnitError,
    UnitTable,
    as_ruled,
    printed_fault,
    unit_table,
    with_card,
    with_printed,
)

RAW: dict[str, Any] = tomllib.loads(
    resources.files("scenarios.sfw96").joinpath("units.toml").read_text(encoding="utf-8")
)
TABLE: UnitTable = unit_table(RAW)


def test_the_fifteen_standard_units_as_printed() -> None:
    rows = [
        (spec.short, spec.move, TABLE.level_name(spec.armour), spec.cost, spec.control)
        for spec in TABLE.units.values()
    ]
    assert rows == [
        ("AT", 7, "white", 3, False),
        ("F", 4, "white", 2, False),
        ("LB", 4, "white", 2, False),
        ("HB", 7, "white", 6, False),
        ("ST", 3, "white", 1, False),
        ("S", 3, "white", 3, False),
        ("D", 4, "white", 3, False),
        ("C", 4, "gray", 6, False),
        ("AC", 3, "gray", 7, False),
        ("B", 3, "black", 12, False),
        ("LT", 3, "white", 1, False),
        ("I", 1, "white", 1, True),
        ("A", 2, "gray", 3, True),
        ("AA", 2, "white", 2, False),
        ("T", 3, "gray", 4, True),
    ]


def test_what_the_rules_text_does_not_give_is_unknown() -> None:
    unknown = {spec.id: spec.unknown() for spec in TABLE.units.values() if spec.unknown()}
    assert unknown == {
        "cruiser": ("anti_air",),
        "carrier": ("targets", "range"),
        "battleship": ("range",),
        "tank": ("number",),
    }
    for spec in TABLE.units.values():
        assert all(status.reason for status in spec.status.values())
    assert TABLE.units["tank"].fire[0].number is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"armour": "pink"}, "unit tank: armour: expected one of"),
        ({"type": "space"}, "unit tank: type: expected one of"),
        ({"abilities": ["flying"]}, "got flying"),
        ({"speed": 3}, "unit tank: speed: no such key."),
        (
            {"fire": [{"level": "gray", "number": 8, "targets": ["land"]}]},
            "unit tank: number: a value and the status unknown cannot be given together.",
        ),
        ({"status": {}}, "unit tank, number: a value is missing."),
        ({"status": {"number": ["guessed", "x"]}}, "status of number: expected one of"),
        ({"status": {"number": ["unknown", ""]}}, "status of number: a reason is missing"),
        (
            {"fire": [{"level": "gray", "targets": ["moon"]}]},
            "unit tank: targets: expected air, sea, land, got [moon].",
        ),
        ({"cost": "four"}, "unit tank: Expected `int"),
    ],
)
def test_broken_tables_name_every_fault(change: dict[str, Any], words: str) -> None:
    units = [{**unit, **change} if unit["id"] == "tank" else unit for unit in RAW["unit"]]
    with pytest.raises(UnitError) as error:
        unit_table({**RAW, "unit": units})
    assert words in str(error.value)


def test_a_table_without_units_or_levels_is_broken() -> None:
    with pytest.raises(UnitError, match="levels: expected a list of colour words"):
        unit_table({"unit": RAW["unit"]})
    with pytest.raises(UnitError, match=r"names no unit"):
        unit_table({"levels": RAW["levels"]})
    with pytest.raises(UnitError, match="unit tank: this id is given twice"):
        unit_table({**RAW, "unit": [*RAW["unit"], RAW["unit"][-1]]})


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("tank.number", 8, None),
        ("tank.number", 0, "tank, number: enter 1-12, not 0."),
        ("tank.number", "8", "tank, number: enter a whole number, not '8'."),
        ("tank.number", True, "tank, number: enter a whole number, not true."),
        ("tank.luck", 1, "got luck"),
        ("panzer.number", 8, "got panzer"),
        ("land_transport.number", 8, "land_transport has no firepower."),
        ("carrier.level", "black", None),
        ("carrier.level", "pink", "carrier, level: choose from white, gray, black, purple, not pink."),
        ("carrier.targets", ["sea", "air"], None),
        ("carrier.targets", [], "carrier, targets: choose at least one."),
        ("carrier.targets", ["moon"], "carrier, targets: choose from air, sea, land, not [moon]."),
        (
            "battleship.range",
            0,
            "battleship, range: the rules show it supporting from 1 space away, so not 0.",
        ),
        ("cruiser.abilities", ["level_up", "retreat"], None),
        ("cruiser.abilities", ["luck"], "choose from extra_shot"),
    ],
)
def test_printed_values_are_checked(key: str, value: Any, words: str | None) -> None:
    fault = printed_fault(TABLE, key, value)
    if words is None:
        assert fault is None
    else:
        assert words in str(fault)


def test_printed_values_fill_what_is_unknown() -> None:
    table = with_printed(TABLE, {"tank.number": 8, "vp.theater.rome": 9})
    tank = table.units["tank"]
    assert tank.fire[0].number == 8
    assert tank.status_of("number").status == "printed"
    assert not tank.unknown()
    with pytest.raises(UnitError, match=r"tank, number: enter 1-12, not 13"):
        with_printed(TABLE, {"tank.number": 13})


def test_a_printed_list_of_icons_settles_what_was_inferred() -> None:
    stated = with_printed(TABLE, {"cruiser.abilities": ["retreat"]}).units["cruiser"]
    assert set(stated.abilities) == {"level_up", "retreat"}, "what the text states holds in any case"
    inferred = with_printed(TABLE, {"artillery.abilities": ["level_up"]}).units["artillery"]
    assert "extra_shot" not in inferred.abilities
    assert {"deployed", "long_range", "level_up"} <= set(inferred.abilities)


def test_rulings_turn_inferred_figures_into_unknown_ones() -> None:
    rows = as_ruled(TABLE, {"unit_rows": "enter"})
    assert "number" in rows.units["artillery"].unknown()
    assert rows.units["artillery"].fire[0].number is None
    assert "armour" not in rows.units["submarine"].unknown()
    icons = as_ruled(TABLE, {"carrier_anti_air": "enter"}).units["carrier"]
    assert icons.anti_air is None
    everything = as_ruled(TABLE, {"inferred_figures": "enter"})
    assert "level" in everything.units["fighter"].unknown()
    assert not everything.units["heavy_bomber"].has("extra_shot")
    assert as_ruled(TABLE, {}) == TABLE


def test_cards_give_only_what_differs() -> None:
    card = {
        "id": "king_george",
        "name": "King George",
        "base": "battleship",
        "nation": "gb",
        "armour": "purple",
        "cost": 15,
        "add_abilities": ["level_up"],
    }
    table = with_card(TABLE, card)
    ship = table.units["king_george"]
    assert (ship.armour, ship.cost, ship.standard) == (4, 15, "battleship")
    assert ship.fire == TABLE.units["battleship"].fire
    assert ship.has("level_up")
    assert "range" in ship.unknown(), "what its base leaves open stays open"
    assert TABLE.units.get("king_george") is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base": "zeppelin"}, "X: base: expected one of"),
        ({"name": ""}, "needs an id and a name"),
        ({"id": "tank"}, "X: this is the id of a standard unit: tank."),
        ({"armour": "pink"}, "armour: expected one of"),
        ({"add_battle_steps": [9]}, "battle step: expected 1-6, got 9"),
        ({"wings": 2}, "X: wings: no such key."),
        ({"name": 5}, "5: name: expected text, got 5"),
        ({"nation": 5}, "X: nation: expected text, got 5"),
        ({"range": -5}, "X: range: expected 0-9, got -5"),
        ({"add_battle_steps": "4"}, "X: add_battle_steps: expected a list, got '4'"),
        ({"add_battle_steps": ["4"]}, "X: add_battle_steps: expected whole numbers, got '4'"),
        ({"abilities": 5}, "X: abilities: expected a list, got 5"),
        ({"fire": 5}, "X: fire: expected a list, got 5"),
        ({"fire": [5]}, "X: fire: expected an object, got 5"),
    ],
)
def test_broken_cards_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(UnitError) as error:
        with_card(TABLE, {"id": "x", "name": "X", "base": "tank", **change})
    assert words in str(error.value)
