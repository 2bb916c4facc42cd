"""``companion scenarios`` and ``companion flow``: golden sequences of play, JSON, and errors in words."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from companion.flow_command import main_flow, main_scenarios

if TYPE_CHECKING:
    from conftest import DataFolder

GOLDEN = Path(__file__).parents[1] / "golden" / "flow"
SCENARIOS = (
    "apr43",
    "nov42",
    "nafrica",
    "italy",
    "tobruk41",
    "crete41",
    "sicily43",
    "salerno43",
    "cassino44",
    "first_nov42",
    "first_apr43",
)
VARIANTS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in SCENARIOS},
    **{
        f"{name}-tournament": (name, "-o", "tournament=true")
        for name in ("apr43", "nov42", "nafrica", "italy")
    },
    "tobruk41-tournament": ("tobruk41", "-o", "tournament=true", "-o", "minutes=15"),
    "apr43-commander": ("apr43", "-o", "commander=true"),
    "italy-commander": ("italy", "-o", "commander=true"),
    "nov42-together": ("nov42", "-o", "together=true"),
    "nafrica-together": ("nafrica", "-o", 'together=["resupply"]'),
    "cassino44-together": ("cassino44", "-o", "together=true"),
    "apr43-commander-together": ("apr43", "-o", "commander=true", "-o", "together=true"),
    "italy-3players": ("italy", "-o", "players=3"),
    "tobruk41-1player": ("tobruk41", "-o", "players=1"),
    "first_apr43-together": ("sfw1/first_apr43", "-o", "together=true", "-o", "players=1"),
    "nafrica-board": ("nafrica", "-o", "first.2=axis", "-o", "rulings.step5_guns=no"),
}


def out(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.parametrize("name", VARIANTS)
def test_the_whole_sequence_of_play_is_as_kept(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Set UPDATE_GOLDEN=1 to keep a sequence that was changed on purpose."""
    assert main_flow([*VARIANTS[name], "--json"]) == 0
    printed, kept = out(capsys), GOLDEN / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        kept.write_text(printed, encoding="utf-8")
    assert printed == kept.read_text(encoding="utf-8")


def test_no_kept_sequence_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(VARIANTS)


def test_players_and_tournament_time_change_no_step(capsys: pytest.CaptureFixture[str]) -> None:
    ids = []
    for name in ("italy", "italy-3players", "italy-tournament"):
        main_flow([*VARIANTS[name], "--json"])
        ids.append([step["id"] for step in json.loads(out(capsys))])
    assert ids[0] == ids[1] == ids[2]


def test_json_is_an_array_with_one_step_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    main_flow(["nov42", "--json"])
    text = out(capsys)
    steps = json.loads(text)
    assert len(text.splitlines()) == len(steps) + 2
    assert steps[2] == {
        "id": "s1.t1.allies.move", "stage": 1, "phase": "tactical", "movement_step": 1, "owners": ["allies"],
        "act": "move", "clock": "allies", "active_units": ["fighter", "submarine"],
        "checks": ["move.active", "move.push_through", "move.lines", "move.search", "move.ambush", "move.reveal"],
    }  # fmt: skip


def test_text_is_one_step_a_line_under_a_head(capsys: pytest.CaptureFixture[str]) -> None:
    assert main_flow(["italy"]) == 0
    lines = out(capsys).splitlines()
    assert lines[0].split() == [
        "#",
        "id",
        "stage",
        "phase",
        "step",
        "owners",
        "act",
        "clock",
        "active",
        "units",
    ]
    assert lines[1].split() == ["setup", "0", "setup", "-", "-", "setup", "-", "-"]
    assert lines[3].split() == [
        "s1.t1.allies.move", "1", "tactical", "1", "allies", "move", "allies", "fighter", "submarine",
    ]  # fmt: skip
    assert len([line for line in lines if not line.startswith("#")]) == 157
    assert lines[-1] == "# stage 4 has no resupply: The game ends after Victory of Stage 4."


def test_sides_at_once_are_joined(capsys: pytest.CaptureFixture[str]) -> None:
    main_flow(["italy", "--option", "together=true"])
    assert "s1.r.both.choose" in [line.split()[0] for line in capsys.readouterr().out.splitlines()]


def test_a_scenario_may_be_named_with_its_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main_flow(["sfw96/italy"]) == 0
    first = out(capsys)
    main_flow(["italy"])
    assert out(capsys) == first


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["sevastopol"], "companion flow: scenario 'sevastopol' is unknown; expected one of apr43, cassino44, "),
        (["chess/italy"], "companion flow: game 'chess' is unknown; expected one of sfw96"),
        (["italy", "-o", "players"], "companion flow: --option: expected NAME=VALUE, got 'players'"),
        (["italy", "-o", "players=7", "-o", "x=1"],
         "options: x: expected one of players, seats, tournament, minutes, count_up, commander, together, first, "
         "rulings, got x\noptions: players: expected one of 2, 3, 4, got 7\nChange what is named"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_told_in_words(
    argv: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main_flow(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(expected)


def test_a_broken_file_is_told_with_every_fault(
    folder: DataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.edit("italy", ('first_side = "axis"', "first_side = 3"), ("players = [2, 4]", "players = 2"))
    assert main_flow(["italy", "--data", str(folder.path)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "sfw96/italy.toml: players: expected a list of 2: a whole number of 1 or more, a whole number of 4 or less, got 2",
        "sfw96/italy.toml: stages[1].first_side: expected a string, got 3",
        "Fix the file, or remove it from the data folder to use the one that came with the app.",
    ]
    assert main_flow(["nov42", "--data", str(folder.path)]) == 0
    assert main_scenarios(["--data", str(folder.path)]) == 1
    captured = capsys.readouterr()
    assert "sfw96/italy.toml: players" in captured.err
    listed = [line.split()[0] for line in captured.out.splitlines()]
    assert "nov42" in listed
    assert "italy" not in listed


def test_all_scenarios_are_listed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main_scenarios([]) == 0
    lines = out(capsys).splitlines()
    assert lines[0].split() == ["#", "scenario", "game", "title", "players", "minutes", "stages"]
    assert [line.split()[0] for line in lines[1:12]] == list(SCENARIOS)
    assert [line.split()[1] for line in lines[1:12]] == ["sfw96"] * 9 + ["sfw1"] * 2
    assert lines[4].split() == ["italy", "sfw96", "Italy", "2-4", "120-240", "4"]


def test_the_list_as_json_says_what_new_game_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main_scenarios(["--json"]) == 0
    rows = {row["scenario"]: row for row in json.loads(out(capsys))}
    assert set(SCENARIOS) <= set(rows)
    assert rows["italy"]["players"] == [2, 4]
    assert rows["italy"]["options"]["first.2"] == ["axis", "allies"]
