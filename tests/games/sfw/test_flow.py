"""Song for War's sequence of play: order, phases, clocks and lines of every scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.core.flow import Step
from companion.core.setup import Setup
from companion.games.sfw.rules.flow import Choice, active_units, skipped_phases
from companion.games.sfw.rules.new_game import SfwFamily
from companion.session.scenario_loader import load_game, make_setup

FAMILY = SfwFamily()
LOADED = load_game(FAMILY)
THEATER, OPERATIONS = ("apr43", "nov42"), ("nafrica", "italy")
SHORT = ("tobruk41", "crete41", "sicily43", "salerno43", "cassino44")
ALL = (*THEATER, *OPERATIONS, *SHORT)


def setup(scenario: str, **options: Any) -> Setup:
    return make_setup(FAMILY, LOADED, scenario, options)


def phases(game: Setup, stage: int) -> list[str]:
    return list(
        dict.fromkeys(step.phase for step in game.steps if step.stage == stage and step.phase != "begin")
    )


def first_sides(game: Setup) -> dict[int, str]:
    first: dict[int, str] = {}
    for step in game.steps:
        if step.owners:
            first.setdefault(step.stage, step.owners[0])
    return first


TACTICAL, VICTORY, SUPPORT, RESUPPLY = "tactical", "victory", "national_support", "resupply"
PHASES: Mapping[str, Mapping[int, list[str]]] = {
    "apr43": {n: [TACTICAL, VICTORY, SUPPORT, RESUPPLY] if n < 6 else [TACTICAL, VICTORY] for n in range(3, 7)},
    "nov42": {n: [TACTICAL, VICTORY, SUPPORT, RESUPPLY] if n < 6 else [TACTICAL, VICTORY] for n in range(1, 7)},
    "nafrica": {
        1: [TACTICAL, RESUPPLY], 2: [TACTICAL, RESUPPLY], 3: [TACTICAL, VICTORY, RESUPPLY],
        4: [TACTICAL, VICTORY, RESUPPLY], 5: [TACTICAL, VICTORY],
    },
    "italy": {n: [TACTICAL, VICTORY, RESUPPLY] if n < 4 else [TACTICAL, VICTORY] for n in range(1, 5)},
    **{name: {1: [TACTICAL, VICTORY], 2: [TACTICAL, VICTORY]} for name in SHORT},
}  # fmt: skip


@pytest.mark.parametrize("scenario", ALL)
def test_every_stage_has_its_phases_and_no_other(scenario: str) -> None:
    game = setup(scenario)
    assert {stage: phases(game, stage) for stage in PHASES[scenario]} == PHASES[scenario]
    assert {step.stage for step in game.steps} == {0, *PHASES[scenario]}


@pytest.mark.parametrize(
    ("scenario", "sides"),
    [
        ("nov42", {n: "allies" if n % 2 else "axis" for n in range(1, 7)}),  # EXAMPLES S55
        ("apr43", {n: "allies" if n % 2 else "axis" for n in range(3, 7)}),  # EXAMPLES S56
        ("nafrica", {n: "axis" if n % 2 else "allies" for n in range(1, 6)}),
        ("italy", {n: "allies" if n % 2 else "axis" for n in range(1, 5)}),
        ("tobruk41", {1: "axis", 2: "allies"}),
        ("crete41", {1: "axis", 2: "allies"}),
        ("sicily43", {1: "allies", 2: "axis"}),
        ("salerno43", {1: "allies", 2: "axis"}),
        ("cassino44", {1: "allies", 2: "axis"}),
    ],
)
def test_the_side_that_acts_first_does_so_in_every_phase_of_its_stage(
    scenario: str, sides: dict[int, str]
) -> None:
    game = setup(scenario)
    assert first_sides(game) == sides
    for stage, first in sides.items():
        for phase in phases(game, stage):
            owners = [s.owners for s in game.steps if s.stage == stage and s.phase == phase and s.owners]
            assert owners[0] == (first,)


def test_one_movement_step_goes_as_in_the_rulebooks_example() -> None:
    """EXAMPLES A3: North Africa, stage 1, step 1."""
    steps = [step for step in setup("nafrica").steps if step.stage == 1 and step.movement_step == 1]
    assert [(step.owners[0], step.act) for step in steps] == [
        ("axis", "move"), ("axis", "declare"), ("axis", "resolve"),
        ("allies", "move"), ("allies", "declare"), ("allies", "resolve"),
    ]  # fmt: skip
    assert {step.active_units for step in steps} == {("fighter", "submarine")}


def test_movement_step_six_is_the_return_alone() -> None:
    steps = [step for step in setup("nov42").steps if step.stage == 2 and step.movement_step == 6]
    assert [step.id for step in steps] == ["s2.t6.axis.return", "s2.t6.allies.return"]
    assert all(step.clock == step.owners[0] for step in steps)


@pytest.mark.parametrize("scenario", ALL)
def test_only_the_acting_sides_clock_runs_and_none_in_victory_or_between_stages(scenario: str) -> None:
    for step in setup(scenario).steps:
        if step.phase in ("setup", "begin", "victory"):
            assert step.clock is None, step.id
        else:
            assert step.owners == (step.clock,), step.id


@pytest.mark.parametrize(("scenario", "count"), [
    ("apr43", 175), ("nov42", 267), ("nafrica", 191), ("italy", 157), *((name, 73) for name in SHORT),
])  # fmt: skip
def test_the_number_of_steps_of_every_scenario(scenario: str, count: int) -> None:
    """Counted by hand: 32 tactical acts a stage and one begin; 3 of Victory, 4 of Support, 4 or 6 of Resupply."""
    game = setup(scenario)
    per_phase = {TACTICAL: 32, VICTORY: 3, SUPPORT: 4, RESUPPLY: 6 if scenario in THEATER else 4}
    by_hand = 1 + sum(1 + sum(per_phase[phase] for phase in listed) for listed in PHASES[scenario].values())
    assert len(game.steps) == count == by_hand


def test_lanes_are_checked_in_theater_scenarios_only() -> None:
    lanes = {name: [s for s in setup(name).steps if s.act == "lanes"] for name in ALL}
    assert [name for name in ALL if lanes[name]] == list(THEATER)
    resupply = [s.act for s in setup("apr43").steps if s.stage == 3 and s.phase == RESUPPLY]
    assert resupply == ["lanes", "choose", "place"] * 2


def test_the_commander_game_goes_without_national_support() -> None:
    game = setup("nov42", commander=True)
    assert SUPPORT not in {step.phase for step in game.steps}
    assert phases(game, 1) == [TACTICAL, VICTORY, RESUPPLY]
    checks = {check for step in game.steps for check in step.checks}
    assert "resupply.choose_commander" in checks
    assert "setup.commander.ability" in checks
    assert not checks & {"resupply.choose", "setup.cards", "return.carriers"}


def test_both_sides_at_once_share_their_steps_and_no_clock_runs() -> None:
    game = setup("nov42", together=True)
    shared = [step for step in game.steps if len(step.owners) == 2]
    assert {step.phase for step in shared} == {VICTORY, SUPPORT, RESUPPLY}
    assert all(step.clock is None for step in shared)
    second = [step.id for step in game.steps if step.stage == 2 and step.phase == RESUPPLY]
    assert second == ["s2.r.both.lanes", "s2.r.both.choose", "s2.r.both.place"]
    assert next(step for step in shared if step.stage == 2).owners == ("axis", "allies")
    some = setup("nov42", together=["resupply"])
    assert {step.phase for step in some.steps if len(step.owners) == 2} == {RESUPPLY}


def test_a_first_side_read_from_the_board_turns_its_stage_round() -> None:
    game = setup("italy", first={"2": "allies"})
    assert first_sides(game) == {1: "allies", 2: "allies", 3: "allies", 4: "axis"}
    assert game.rulings["first_side"] == "board"
    assert setup("italy").rulings["first_side"] == "alternates"


def test_guns_rest_on_step_five_where_the_table_rules_so() -> None:
    def active(game: Setup) -> set[str]:
        return {unit for step in game.steps if step.movement_step == 5 for unit in step.active_units}

    assert active(setup("italy")) == {"land_transport", "infantry", "artillery", "anti_air", "tank"}
    assert active(setup("italy", rulings={"step5_guns": "no"})) == {"land_transport", "infantry", "tank"}
    movement = LOADED.data.tables["game"].movement_steps[4]
    assert "artillery" not in active_units(movement, {"step5_guns": "no"})


@pytest.mark.parametrize("scenario", ALL)
def test_every_line_of_a_checklist_is_known_and_every_act_has_one(scenario: str) -> None:
    game = setup(scenario)
    for step in game.steps:
        assert step.checks, step.id
        assert all(check in game.checks for check in step.checks)
    for check in game.checks.values():
        assert check.text
        assert check.section


def lines(step: Step) -> set[str]:
    return set(step.checks)


def test_lines_follow_the_board_and_the_family() -> None:
    def at(scenario: str, step: str, **options: Any) -> set[str]:
        return next(lines(s) for s in setup(scenario, **options).steps if s.id == step)

    assert "move.supply" in at("nafrica", "s1.t4.axis.move")
    assert "move.supply" not in at("tobruk41", "s1.t4.axis.move")  # suspended there
    assert "move.engineer_italy" in at("italy", "s1.t4.allies.move")
    assert "move.engineer_short_italy" in at("cassino44", "s1.t4.allies.move")
    assert not {line for line in at("sicily43", "s1.t4.allies.move") if "engineer" in line}
    assert "move.mine_layer" not in at("sicily43", "s1.t2.allies.move")
    assert "resupply.us_fleet" in at("apr43", "s3.r.allies.choose")
    assert "resupply.us_fleet" not in at("apr43", "s3.r.axis.choose")
    assert "resupply.us_fleet" in at("apr43", "s3.r.both.choose", together=True)
    assert "resupply.german_point" in at("nafrica", "s1.r.axis.choose")
    assert "begin.time" in at("italy", "s1.begin", tournament=True)
    assert "begin.time" not in at("italy", "s1.begin")
    assert "setup.removed_cards" in at("apr43", "setup")
    assert "setup.removed_cards" not in at("apr43", "setup", commander=True)


def test_every_skipped_phase_has_its_reason() -> None:
    game, scenarios = LOADED.data.tables["game"], LOADED.data.scenarios
    assert skipped_phases(game, scenarios["nafrica"], Choice()) == (
        (1, VICTORY, "Victory is not checked before Stage 3."),
        (2, VICTORY, "Victory is not checked before Stage 3."),
        (5, RESUPPLY, "The game ends after Victory of Stage 5."),
    )
    commander = skipped_phases(game, scenarios["apr43"], Choice(commander=True))
    assert commander[0] == (3, SUPPORT, "The commander game has no National Support Phase.")
    assert len(commander) == 5
