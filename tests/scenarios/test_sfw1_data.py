"""The data of the first edition: figures against the rulebook's, and what happens when files disagree."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from companion.core.ledger import quarters_text
from companion.games.sfw.rules.ledger_read import ledger_table
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.schema import ScenarioFile
from companion.games.sfw.rules.units import unit_table
from companion.session.scenario_loader import load_game

FAMILY = SfwFamily("sfw1")
LOADED = load_game(FAMILY)
SCENARIOS: dict[str, ScenarioFile] = LOADED.data.scenarios


def test_the_data_are_sound() -> None:
    assert LOADED.faults == ()
    assert set(SCENARIOS) == {"first_apr43", "first_nov42"}


@pytest.mark.parametrize(
    ("name", "start", "automatic", "stages"),
    [
        ("first_nov42", (26, 53), {"allies": 42, "axis": 65}, (1, 2, 3, 4, 5, 6)),
        ("first_apr43", (38.5, 40.5), {"allies": 49, "axis": 51}, (3, 4, 5, 6)),
    ],
)
def test_points_at_the_start_and_thresholds(
    name: str, start: tuple[float, float], automatic: dict[str, float], stages: tuple[int, ...]
) -> None:
    """EXAMPLES O20; FACTS part 1."""
    row = SCENARIOS[name]
    assert (row.victory.start["allies"], row.victory.start["axis"]) == start
    assert row.victory.automatic == automatic
    assert row.victory.stages == stages
    assert (row.victory.standard.stage, row.victory.standard.winner) == (6, "axis")
    assert [stage.first_side for stage in row.stages] == ["allies" if n % 2 else "axis" for n in stages]
    assert row.tournament is None
    assert row.commander is None


@pytest.mark.parametrize("name", ["first_nov42", "first_apr43"])
def test_every_tile_has_its_points_and_its_nation(name: str) -> None:
    raw = LOADED.data.raw
    table = ledger_table(raw["ledger"], raw[name], commander=False)
    values = {site.id: site.vp for site in table.sites.values()}
    assert len(values) == 24
    assert None not in values.values()
    assert quarters_text(sum(vp or 0 for vp in values.values())) == "79"
    assert all(site.nation is not None for site in table.sites.values())
    known = {site.id: site.resupply for site in table.sites.values() if site.resupply}
    assert known == {"tripoli": {"land": 16, "sea": 12, "air": 10}}


def test_what_the_rules_sections_say_of_units() -> None:
    units = unit_table(LOADED.data.raw["units"]).units
    stated = {
        unit: [(line.level, line.number, line.dice) for line in units[unit].fire]
        for unit in ("fighter", "submarine", "destroyer", "light_bomber", "heavy_bomber")
    }
    assert stated == {
        "fighter": [(1, 7, 1)],
        "submarine": [(1, 9, 1)],
        "destroyer": [(1, 8, 1)],
        "light_bomber": [(2, 8, 1), (2, 8, 1), (1, 10, 1)],
        "heavy_bomber": [(2, 9, 5), (1, 11, 1)],
    }
    levels = {unit for unit, spec in units.items() if spec.has("level_up")}
    assert levels == {"light_bomber", "destroyer", "cruiser", "battleship", "infantry", "tank"}
    assert all(spec.cost is None and "cost" in spec.unknown() for spec in units.values())
    assert {unit for unit, spec in units.items() if spec.has("search")} == {"carrier", "submarine"}
    assert {unit for unit, spec in units.items() if spec.control} == {"infantry", "artillery", "tank"}


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "ledger.toml",
            'kind = "line"',
            'kind = "fort"',
            "kind: expected one of airfield, line, objective, got fort",
        ),
        (
            "ledger.toml",
            "search_steps = [3]",
            'search_steps = ["three"]',
            "hidden.search_steps[0]: expected a whole number from 1 to 6, got three",
        ),
        (
            "ledger.toml",
            "last_step = 6",
            "latest = 6",
            "hidden.latest: expected one of last_step, ",
        ),
        ("ledger.toml", 'conditions = ["contested"]', 'conditions = ["stormy"]', "got stormy"),
        ("game.toml", 'opening_act = "draw"', 'opening_act = "dance"', "phases[2].opening_act"),
        (
            "units.toml",
            'cost = ["unknown"',
            'costs = ["unknown"',
            "(air_transport).cost: expected a value, or the status unknown",
        ),
    ],
)
def test_broken_files_are_named(tmp_path: Path, file: str, old: str, new: str, words: str) -> None:
    text = (resources.files("scenarios") / "sfw1" / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "sfw1").mkdir()
    (tmp_path / "sfw1" / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    found = [str(fault) for fault in load_game(FAMILY, tmp_path).faults]
    assert any(words in line for line in found), found
