"""Every unit of every game has a symbol of its own kind, or at least one that somebody chose."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games.med.rules.cards import ELEMENTS, CardKind
from companion.games.registry import games_by_key
from companion.pages.symbols import UNIT, unit_symbol
from companion.testing.memory_desk import MemoryDesk
from companion.ui import art

SCENARIOS = Path(__file__).parents[2] / "scenarios"
FILES = sorted(SCENARIOS.rglob("*.toml"))
_NAMES = ("unit", "units", "active_units")
"""Keys under which data files name kinds of units: as tables with an id, as keys or as a list."""
_FIGURES = {"source", "name", "id"}


def _named(data: Any, powers: frozenset[str], *, is_units: bool = False) -> Iterator[str]:
    """Yield the kinds of units that data name."""
    if isinstance(data, list):
        for one in data:
            if is_units and isinstance(one, str):
                yield one
            elif is_units and isinstance(one, dict) and "id" in one:
                yield one["id"]
            yield from _named(one, powers)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key == "status":
                continue
            if is_units and key in powers:
                yield from _named(value, powers, is_units=True)
            elif is_units and isinstance(value, int | list) and key not in _FIGURES:
                yield key
            else:
                yield from _named(value, powers, is_units=key in _NAMES)


def _kinds(path: Path) -> set[str]:
    data = tomllib.loads(path.read_text())
    powers = frozenset({"germany", "italy", "vichy", "uk", "us", "free_french", "france"})
    return set(_named(data, powers)) - {"all", "any"}


def _symbol(game: str, kind: str) -> str:
    words = games_by_key()[game].words()
    return words.symbols.get(kind, kind)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_unit_of_a_data_file_has_a_symbol(path: Path) -> None:
    without = {kind for kind in _kinds(path) if _symbol(path.parent.name, kind) not in art.UNITS}
    assert without == set(), f"{path.name}: no symbol; draw one, or name one in the game's words.py"


def test_the_data_files_name_the_units_that_are_known() -> None:
    """So that the test above cannot pass because it looks in the wrong place."""
    found = {path.parent.name: set[str]() for path in FILES}
    for path in FILES:
        found[path.parent.name] |= _kinds(path)
    assert found["sfw96"] >= {"tank", "infantry", "land_transport", "carrier", "heavy_bomber", "anti_air"}
    assert found["sfw1"] >= {"tank", "submarine", "air_transport"}
    assert found["aana"] >= {"matilda", "tiger", "sherman", "aaa", "mechanized", "truck", "destroyer"}
    assert found["tsu"] >= {"panzer", "parachute", "fort", "strategic", "landing_craft"}
    assert all(len(kinds) > 10 for game, kinds in found.items() if game not in ("med", "scenarios"))


def test_cards_and_tokens_have_symbols() -> None:
    for kind in (*ELEMENTS, *CardKind.__args__, "convoy", "battle"):
        assert _symbol("med", kind) in art.UNITS, kind
    for token in ("mine", "line", "hub", "bridge", "card", "hidden"):
        assert _symbol("sfw96", token) in art.UNITS, token


def test_a_unit_of_a_card_has_the_symbol_of_its_kind_under_a_bar_and_a_piece_that_of_its_kind() -> None:
    from companion.core.ids import Nation
    from companion.games.sfw.rules.support import PlayCard
    from companion.testing.scenes_aana import setup
    from companion.testing.sfw_evenings import in_support

    game = in_support()
    firefly = {"id": "firefly", "name": "Firefly", "base": "tank", "nation": "gb"}
    game.do(PlayCard(Nation("gb"), "Firefly", "unique", 1, unit=firefly))
    assert unit_symbol(game.state, "tank") == "unit.tank"
    assert unit_symbol(game.state, "firefly") == "unit.tank+"
    assert unit_symbol(game.state, "land_transport") == "unit.truck"
    desk = MemoryDesk(setup(), games_by_key()["aana"].rules())
    assert desk.change is not None
    assert unit_symbol(desk.change.state, "uk.battleship.damaged") == "unit.battleship"
    assert unit_symbol(desk.change.state, "germany.scout_car") == "unit.scout"


def test_pages_and_screens_mean_the_same_by_a_unit() -> None:
    assert UNIT == art.UNIT
