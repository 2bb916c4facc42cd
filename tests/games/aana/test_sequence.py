"""The sequence of play of both scenarios: golden files, skipped turns, checklists of the special events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.aana.aana_table import Table, loaded, setup

GOLDEN = Path(__file__).parents[2] / "golden"


def lines(scenario: str) -> list[str]:
    made = setup(scenario)
    return [
        f"{step.id} | {','.join(step.owners) or 'table'} | clock {step.clock or '-'} | {' '.join(step.checks)}"
        for step in made.steps
    ]


@pytest.mark.parametrize("scenario", ["rommel", "torch"])
def test_the_whole_sequence_is_as_recorded(scenario: str) -> None:
    assert "\n".join(lines(scenario)) + "\n" == (GOLDEN / f"aana_{scenario}.txt").read_text()


@pytest.mark.parametrize(("scenario", "turns"), [("rommel", 6 * 3 + 8 * 4), ("torch", 8 * 4 - 1)])
def test_turns_are_counted(scenario: str, turns: int) -> None:
    steps = setup(scenario).steps
    assert len({(step.stage, step.nation) for step in steps if step.nation}) == turns
    extra = 3 if scenario == "rommel" else 2  # the set-up, the chart, and what begins round 7
    assert len(steps) == 7 * turns + extra


def test_the_us_plays_last_and_from_round_7() -> None:
    rounds: dict[int, list[str]] = {}
    for step in setup("rommel").steps:
        if step.nation and step.nation not in rounds.setdefault(step.stage, []):
            rounds[step.stage].append(step.nation)
    assert rounds[1] == ["germany", "uk", "italy"]
    assert rounds[7] == ["germany", "uk", "italy", "us"]


def test_events_stand_on_their_turn() -> None:
    where = {
        check: [step.id for step in setup("rommel").steps if check in step.checks]
        for check in (
            "event.lend_lease",
            "event.landings",
            "event.axis_free",
            "event.us_air",
            "event.uk_algiers",
        )
    }
    assert where == {
        "event.lend_lease": ["r4.uk.deploy.place"],
        "event.landings": ["r7.begin"],
        "event.axis_free": ["r8.germany.combat_move.move"],
        "event.us_air": ["r7.us.requisition.buy"],
        "event.uk_algiers": ["r7.uk.combat_move.move"],
    }
    torch = [step.id for step in setup("torch").steps if "event.italy_tripoli" in step.checks]
    assert torch == ["r7.italy.deploy.place"]


def test_rulings_and_optional_rules_put_their_lines_in() -> None:
    def where(check: str, **options: object) -> set[str]:
        steps = setup("rommel", **options).steps
        return {f"{step.nation}.{step.phase}" for step in steps if check in step.checks}

    assert len(where("move.blitz_must")) == 4
    assert where("move.blitz_must", **{"rulings.aana.blitz_second": "may"}) == set()
    assert where("noncombat.air_transport") == set()
    assert where("noncombat.air_transport", air_transport=True) == {"germany.noncombat", "italy.noncombat"}
    assert len(where("combat.reinforce", reinforce_attacks=True)) == 4


def test_the_whole_game_can_be_walked() -> None:
    table = Table("torch")
    seen = 0
    while table.state.ending is None:
        table.end(confirmed=True)
        seen += 1
    assert seen == len(table.state.itinerary), "the chart asks who holds what before it judges"


def test_data_files_are_sound() -> None:
    assert loaded().faults == ()
