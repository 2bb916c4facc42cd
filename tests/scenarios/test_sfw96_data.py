"""The data of Song for War v0.96: figures against the rulebook's, and what happens when files disagree."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.schema import ScenarioFile
from companion.session.scenario_loader import load_game

if TYPE_CHECKING:
    from conftest import DataFolder

FAMILY = SfwFamily()
SCENARIOS: dict[str, ScenarioFile] = load_game(FAMILY).data.scenarios


def faults(folder: DataFolder) -> list[str]:
    return [str(fault) for fault in load_game(FAMILY, folder.path).faults]


# Figures


@pytest.mark.parametrize(
    ("name", "start", "automatic", "stages", "last"),
    [
        ("apr43", (38, 40), {"allies": 48.5, "axis": 50.5}, (3, 4, 5, 6), 6),
        ("nov42", (26, 52), {"allies": 44, "axis": 62}, (1, 2, 3, 4, 5, 6), 6),
        ("nafrica", (29, 11), {"allies": 28, "axis": 28}, (3, 4, 5), 5),
        ("italy", (12, 31), {"allies": 30}, (1, 2, 3, 4), 4),
    ],
)
def test_victory_points_at_the_start_and_thresholds(
    name: str, start: tuple[int, int], automatic: dict[str, float], stages: tuple[int, ...], last: int
) -> None:
    """EXAMPLES S50."""
    victory = SCENARIOS[name].victory
    assert (victory.start["allies"], victory.start["axis"]) == start
    assert victory.automatic == automatic
    assert (victory.stages, victory.standard.stage) == (stages, last)


def test_the_total_of_victory_points_is_the_same_in_both_theater_scenarios() -> None:
    assert {sum(SCENARIOS[name].victory.start.values()) for name in ("apr43", "nov42")} == {78}


@pytest.mark.parametrize(
    ("name", "side", "sites", "winner"),
    [
        ("tobruk41", "axis", ("tobruk",), "allies"),
        ("crete41", "axis", ("maleme", "heraklion"), "allies"),
        ("sicily43", "allies", ("messina", "catania"), "axis"),
        ("salerno43", "allies", ("salerno",), "axis"),
        ("cassino44", "allies", ("cassino",), "axis"),
    ],
)
def test_short_scenarios_are_won_by_control(
    name: str, side: str, sites: tuple[str, ...], winner: str
) -> None:
    victory = SCENARIOS[name].victory
    assert victory.automatic_control == {side: sites}
    assert (victory.stages, victory.standard.side, victory.standard.winner) == ((1, 2), side, winner)


def test_how_the_last_stage_is_decided() -> None:
    for name in ("apr43", "nov42", "italy"):
        standard = SCENARIOS[name].victory.standard
        assert (standard.kind, standard.side, standard.winner) == ("denied", "allies", "axis")
    assert SCENARIOS["nafrica"].victory.standard.tie_control == "tobruk"
    assert SCENARIOS["nafrica"].victory.standard.kind == "most_points"


def test_tournament_minutes_and_their_totals() -> None:
    """EXAMPLES S63; no limit is printed for the short scenarios."""
    totals = {
        name: (row.tournament.minutes_per_stage or 0) * len(row.stages) * 2 for name, row in SCENARIOS.items()
    }
    assert {name: total for name, total in totals.items() if total} == {
        "apr43": 208, "nov42": 312, "nafrica": 150, "italy": 176,
    }  # fmt: skip
    for name, row in SCENARIOS.items():
        if not totals[name]:
            assert row.tournament.status["minutes_per_stage"][0] == "unknown"


def test_hidden_fleets_hidden_units_and_removed_cards() -> None:
    fleets = {
        name: set(row.setup.hidden_fleets) for name, row in SCENARIOS.items() if row.setup.hidden_fleets
    }
    assert fleets == {
        "apr43": {"us", "germany"}, "nov42": {"us"}, "nafrica": {"germany"}, "italy": {"us", "gb"},
    }  # fmt: skip
    assert SCENARIOS["italy"].setup.hidden_units == {"germany_14": 3, "germany_10": 5}
    removed = {name: [(c.nation, c.card) for c in row.setup.removed_cards] for name, row in SCENARIOS.items()}
    assert {name for name, cards in removed.items() if cards} == {"apr43"}
    assert removed["apr43"] == [("germany", "Rommel Arrives"), ("gb", "Subversive Warfare")]


def test_players_of_every_scenario() -> None:
    players = {name: row.players for name, row in SCENARIOS.items()}
    assert {players[name] for name in ("apr43", "nov42", "nafrica", "italy")} == {(2, 4)}
    assert players["crete41"] == (1, 2)
    assert {players[name] for name in ("tobruk41", "sicily43", "salerno43", "cassino44")} == {(1, 4)}


def test_which_first_sides_are_stated_and_which_inferred() -> None:
    inferred = {
        name: [stage.number for stage in row.stages if "first_side" in stage.status]
        for name, row in SCENARIOS.items()
    }
    assert {name: stages for name, stages in inferred.items() if stages} == {
        "apr43": [4, 5, 6], "nafrica": [2, 3, 4, 5], "italy": [2, 3, 4],
    }  # fmt: skip


def test_every_table_of_every_file_names_its_source() -> None:
    for entry in (resources.files("scenarios") / "sfw96").iterdir():
        if not entry.name.endswith(".toml"):
            continue
        raw = tomllib.loads(entry.read_text(encoding="utf-8"))
        assert raw["source"], entry.name
        if entry.name in ("units.toml", "ledger.toml"):
            continue  # one source for the whole file
        for key, value in raw.items():
            for table in value if isinstance(value, list) else [value]:
                if isinstance(table, dict):
                    assert table.get("source"), f"{entry.name} {key}"


def test_sources_are_told_beside_the_data() -> None:
    text = (resources.files("scenarios") / "sfw96" / "SOURCES.md").read_text(encoding="utf-8")
    for name in (*SCENARIOS, "game", "rulings", "units", "ledger"):
        assert f"`{name}.toml`" in text


def test_every_open_point_of_v096_is_a_ruling_with_a_default() -> None:
    rulings = {row.id: row for row in load_game(FAMILY).data.tables["rulings"].rulings}
    assert len(rulings) == 30
    assert {row.default for row in rulings.values()} == {
        "shifted", "use", "weights", "takes_what_there_is", "ask", "halve_first", "if_agreed", "alternates", "side",
        "at_once", "yes", "three", "as_written", "at_least", "defends", "skip_idle", "together", "no", "never", "forced",
        "stay", "nation", "refused", "either", "may_cross", "first", "every", "whole_step", "noted",
    }  # fmt: skip


# Files that disagree


@pytest.mark.parametrize(
    ("stem", "change", "expected"),
    [
        ("italy", ('side = "axis"\ncolour = "red"', 'side = "vichy"\ncolour = "red"'),
         "sfw96/italy.toml: nations[2].side: expected allies or axis, got vichy"),
        ("italy", ('id = "us"', 'id = "gb"'), "sfw96/italy.toml: nations: expected each id once, got gb 2 times"),
        ("italy", ('colour = "green"', 'colour = "blue"'),
         "sfw96/italy.toml: nations.colour: expected each id once, got blue 2 times"),
        ("italy", ('emblem = "star"', 'emblem = "ring"'),
         "sfw96/italy.toml: nations.emblem: expected each id once, got ring 2 times"),
        ("italy", ('emblem = "star"', 'emblem = "lorry"'),
         "sfw96/italy.toml: nations[1].emblem: expected one of circle, square, star, ring, diamond, triangle, up "
         "to 4 letters, got lorry"),
        ("italy", ("number = 3", "number = 4"),
         "sfw96/italy.toml: stages[2].number: expected 3, the stage after 2, got 4"),
        ("italy", ('first_side = "axis"', 'first_side = "gb"'),
         "sfw96/italy.toml: stages[1].first_side: expected allies or axis, got gb"),
        ("italy", ('phases = ["tactical", "victory", "resupply"]', 'phases = ["victory", "tactical", "resupply"]'),
         "sfw96/italy.toml: stages[0].phases: expected phases in the order tactical, victory, resupply, got victory, "
         "tactical, resupply"),
        ("italy", ('phases = ["tactical", "victory", "resupply"]', 'phases = ["victory", "resupply"]'),
         "sfw96/italy.toml: stages[0].phases: expected tactical among them, got victory, resupply"),
        ("italy", ('phases = ["tactical", "victory", "resupply"]', 'phases = ["tactical", "victory"]'),
         "sfw96/italy.toml: stages[0].skipped: expected a reason for each phase that is skipped: resupply, got nothing"),
        ("italy", ('phases = ["tactical", "victory"]\nskipped',
                   'phases = ["tactical", "victory", "resupply"]\nskipped'),
         "sfw96/italy.toml: stages[3].skipped: expected phases that do not take place, got resupply"),
        ("italy", ('skipped = { resupply', 'skipped = { national_support = "x", resupply'),
         "sfw96/italy.toml: stages[3].skipped: expected one of tactical, victory, resupply, got "
         "national_support"),
        ("italy", ("stages = [1, 2, 3, 4]", "stages = [1, 2, 3, 5]"),
         "sfw96/italy.toml: victory.stages: expected stages with a Victory Phase: 1, 2, 3, 4, got 5"),
        ("italy", ("stage = 4\nkind", "stage = 3\nkind"),
         "sfw96/italy.toml: victory.standard.stage: expected the last stage, 4, got 3"),
        ("italy", ('winner = "axis"\n', ""),
         "sfw96/italy.toml: victory.standard.winner: expected allies or axis, got nothing"),
        ("nafrica", ('tie_control = "tobruk"\n', ""),
         "sfw96/nafrica.toml: victory.standard.tie_control: expected the objective that settles a tie, got nothing"),
        ("italy", ("start = { allies = 12, axis = 31 }", "start = { allies = 12 }"),
         "sfw96/italy.toml: victory.start: expected points of allies, axis, got allies"),
        ("italy", ('kind = "points"', 'kind = "control"'),
         "sfw96/italy.toml: victory.automatic_control: expected conditions of the kind control, got nothing"),
        ("italy", ('winner = "axis"', 'winner = "rome"'),
         "sfw96/italy.toml: victory.standard.winner: expected allies or axis, got rome"),
        ("italy", ('hidden_fleets = ["us", "gb"]', 'hidden_fleets = ["us", "italy"]'),
         "sfw96/italy.toml: setup.hidden_fleets: expected one of gb, germany_10, germany_14, us, got italy"),
        ("italy", ('hidden_fleets = ["us", "gb"]', 'hidden_fleets = ["us", "gb", "germany_10"]'),
         "sfw96/italy.toml: checks: expected a line setup.hidden_fleet.germany_10, got nothing"),
        ("italy", ("players = 3", "players = 2"),
         "sfw96/italy.toml: seatings: expected one for each number of players: 2, 3, 4, got 2, 2, 4"),
        ("italy", ('[["gb", "us"], ["germany_14"], ["germany_10"]]', '[["gb", "us"], ["germany_14", "germany_10"]]'),
         "sfw96/italy.toml: seatings[1].seats: expected as many seats as players: 3, got 2"),
        ("italy", ('[["gb", "us"], ["germany_14"], ["germany_10"]]', '[["gb", "us"], ["germany_14"], ["gb"]]'),
         "sfw96/italy.toml: seatings[1].seats: expected each of gb, germany_10, germany_14, us once, got gb, gb, "
         "germany_14, us"),
        ("italy", ('[["gb", "us"], ["germany_14"], ["germany_10"]]', '[["gb", "germany_14"], ["us"], ["germany_10"]]'),
         "sfw96/italy.toml: seatings[1].seats[0]: expected nations of one side, got gb, germany_14"),
        ("italy", ("minutes = [120, 240]", "minutes = [240, 120]"),
         "sfw96/italy.toml: minutes: expected the shorter time first, got [240, 120]"),
        ("italy", ('id = "setup.hidden_units"', 'id = "setup.units"'),
         "sfw96/italy.toml: checks[2].id: expected an id that game.toml does not use, got setup.units"),
        ("italy", ('acts = ["setup"]', 'acts = ["move"]'),
         "sfw96/italy.toml: checks[0] (setup.hidden_fleet.us).acts: expected an act of the phase setup, got move"),
        ("italy", ('scenario = "italy"', 'scenario = "italia"'),
         "sfw96/italy.toml: scenario: expected the name of the file, italy, got italia"),
        ("italy", ('status = { first_side = ["inferred"', 'status = { first_seat = ["inferred"'),
         "sfw96/italy.toml: stages[1].status.first_seat: expected one of number, first_side, phases, skipped "
         "(nearest: first_side), got first_seat"),
        ("tobruk41", ('source = "Tournament Time, Scenario times"\n',
                      'source = "Tournament Time, Scenario times"\nminutes_per_stage = 9\n'),
         "sfw96/tobruk41.toml: tournament.status.minutes_per_stage: expected no value for "
         "minutes_per_stage with this status, got 9"),
        ("italy", ('source = "6-Player Commander Game"\nstatus = { recommended = ["inferred"',
                   'source = "6-Player Commander Game"\nstatus = { source = ["inferred"'),
         "sfw96/italy.toml: commander.status.source: expected recommended, got source"),
        ("nafrica", ('stages = [3, 4, 5]', 'stages = [3, 4, 5]\nstatus = { automatic_control = ["inferred", "x"] }'),
         "sfw96/nafrica.toml: victory.status.automatic_control: expected a value for automatic_control with this "
         "status, got nothing"),
        ("tobruk41", ('{ axis = ["tobruk"] }', '{ axis = ["tobrukk"] }'), "got tobrukk"),
        ("game", ('game = "sfw96"', 'game = "sfw97"'), "sfw96/game.toml: game: expected sfw96, got sfw97"),
        ("game", ('"cassino44"]', '"anzio44"]'),
         "sfw96/game.toml: scenarios: expected a scenario of this folder, got anzio44"),
        ("game", ("number = 6", "number = 5"),
         "sfw96/game.toml: movement_steps: expected the numbers 1 to 6 in order, got [1, 2, 3, 4, 5, 5]"),
        ("game", ('units = ["fighter", "submarine"]', 'units = ["fighter", "airship"]'),
         "sfw96/game.toml: movement_steps[0].units: expected one of air_transport, "),
        ("game", ('units = ["fighter", "submarine"]', 'units = ["fighter"]'),
         "sfw96/game.toml: movement_steps[0].units: expected the units that units.toml makes active in step 1, got other units: "),
        ("game", ('ruling = "step5_guns", value = "no"', 'ruling = "step5_gnus", value = "no"'),
         "sfw96/game.toml: movement_steps[4].drops[0].ruling: expected one of unit_rows, "),
        ("game", ('ruling = "step5_guns", value = "no"', 'ruling = "step5_guns", value = "never"'),
         "sfw96/game.toml: movement_steps[4].drops[0].value: expected yes or no, got never"),
        ("game", ('value = "no", units = ["artillery", "anti_air"]', 'value = "no", units = ["fighter"]'),
         "sfw96/game.toml: movement_steps[4].drops[0].units: expected one of land_transport, "),
        ("game", ('ruling = { id = "fallen_side", value = "defends" }', 'ruling = { id = "fallen", value = "x" }'),
         "sfw96/game.toml: flag_losses[3] (flag.still_defends).ruling.id: expected one of unit_rows, "),
        ("game", ('id = "axis"', 'id = "allies"'),
         "sfw96/game.toml: sides: expected each id once, got allies 2 times"),
        ("game", ('sides = ["allies"]', 'sides = ["france"]'), "expected allies or axis, got france"),
        ("game", ('scenarios = ["nafrica"]', 'scenarios = ["nafrika"]'),
         "expected a scenario of this folder, got nafrika"),
        ("rulings", ('choices = ["shifted", "enter"]', 'choices = ["shifted"]'),
         "sfw96/rulings.toml: rulings[0] (unit_rows).choices: expected two choices or more, got shifted"),
        ("rulings", ('default = "shifted"', 'default = "shiftet"'),
         "sfw96/rulings.toml: rulings[0] (unit_rows).default: expected shifted or enter, got shiftet"),
        ("rulings", ("choice_texts = { shifted", "choice_texts = { moved"),
         "sfw96/rulings.toml: rulings[0] (unit_rows).choice_texts: expected a string for each of shifted, enter, got "
         "moved, enter"),
        ("rulings", ('id = "inferred_figures"', 'id = "unit_rows"'),
         "sfw96/rulings.toml: rulings: expected each id once, got unit_rows 2 times"),
        ("rulings", ('scenarios = ["apr43", "nafrica", "italy"]', 'scenarios = ["apr34"]'),
         "sfw96/rulings.toml: rulings[7] (first_side).scenarios: expected a scenario of this folder, got apr34"),
        ("units", ('armour = "white"', 'armour = "pink"'),
         "sfw96/units.toml: unit[0] (air_transport).armour: expected one of"),
        ("units", ("move = 7", "moves = 7"), "sfw96/units.toml: unit[0].moves: expected one of id, "),
    ],
)  # fmt: skip
def test_a_fault_between_tables_is_named(
    folder: DataFolder, stem: str, change: tuple[str, str], expected: str
) -> None:
    folder.edit(stem, change)
    found = faults(folder)
    assert any(expected in fault for fault in found), "\n".join(found)


_TANK_FIRE = 'fire = [{ level = "gray", targets = ["land"] }]'


def test_a_number_that_is_unknown_of_one_line_of_dice_may_be_known_of_another(folder: DataFolder) -> None:
    both = _TANK_FIRE[:-1] + ', { level = "gray", number = 8, targets = ["sea"] }]'
    folder.edit("units", (_TANK_FIRE, both))
    assert not faults(folder)


def test_faults_of_several_files_are_named_at_once(folder: DataFolder) -> None:
    folder.edit("italy", ('first_side = "axis"', 'first_side = "gb"'))
    folder.edit("nov42", ("players = [2, 4]", "players = 4"))
    folder.edit("rulings", ('default = "weights"', 'default = "x"'))
    assert {fault.split(":")[0] for fault in faults(folder)} == {
        "sfw96/italy.toml", "sfw96/nov42.toml", "sfw96/rulings.toml",
    }  # fmt: skip


def test_broken_rulings_hide_no_other_fault(folder: DataFolder) -> None:
    folder.write("rulings", "source = 1\n")
    folder.edit("italy", ('first_side = "axis"', 'first_side = "gb"'))
    assert {fault.split(":")[0] for fault in faults(folder)} == {"sfw96/italy.toml", "sfw96/rulings.toml"}


def test_a_scenario_without_stages_is_refused(folder: DataFolder) -> None:
    text = (resources.files("scenarios") / "sfw96" / "italy.toml").read_text(encoding="utf-8")
    stages, setup = text.index("[[stages]]"), text.index("[setup]")
    folder.write("italy", "stages = []\n" + text[:stages] + text[setup:])
    found = faults(folder)
    assert "sfw96/italy.toml: stages: expected a stage, got nothing" in found
    assert "sfw96/italy.toml: victory.stages: expected stages with a Victory Phase: nothing, got 1" in found


def test_a_side_without_a_nation_is_refused(folder: DataFolder) -> None:
    folder.edit(
        "italy",
        ('name = "Germany 14th Army"\nside = "axis"', 'name = "Germany 14th Army"\nside = "allies"'),
        ('name = "Germany 10th Army"\nside = "axis"', 'name = "Germany 10th Army"\nside = "allies"'),
    )  # fmt: skip
    assert "sfw96/italy.toml: nations: expected a nation of axis, got nothing" in faults(folder)
