"""Exact odds of first-edition battles: against the slow oracle and simulations; what the CLI tells of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.battle_command import main_battle, main_odds
from companion.games.sfw.odds.file import load_units
from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.odds.simulate import simulated_odds
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle, Fight, Group, Load
from companion.games.sfw.rules.battle_edition import SFW1, with_rulings
from companion.games.sfw.rules.battle_losses import Hit, LossTable, merge_hits
from companion.games.sfw.rules.battle_rolls import Aim
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.units import UnitTable, with_printed
from tests.odds.slow_battle import _payments
from tests.odds.test_battle_odds import agree, side

PRINTED = {
    "tank.number": 8,
    "infantry.number": 9,
    "artillery.number": 8,
    "anti_air.number": 9,
    "cruiser.number.yellow": 7,
    "cruiser.number.blue": 9,
    "battleship.number.red": 8,
    "battleship.number.yellow": 6,
    "battleship.range": 1,
    "carrier.number": 9,
    "carrier.targets": ["sea"],
    "carrier.anti_air": 1,
}
TABLE: UnitTable = with_printed(load_units("sfw1"), PRINTED)
LAND = ("infantry", "tank", "artillery", "anti_air", "land_transport", "fighter", "light_bomber")
SEA = ("submarine", "destroyer", "cruiser", "carrier", "sea_transport", "fighter", "light_bomber")


def fight(battle: Battle, **rulings: str) -> Fight:
    # Its odds do not hang on who declared it: it has begun.
    found = set_up(battle, with_rulings(SFW1, rulings), TABLE, has_begun=True)
    assert isinstance(found, Fight), found
    return found


@pytest.mark.parametrize(
    "battle",
    [
        Battle(
            4,
            "land",
            side("us", ("tank", 1), ("infantry", 2)),
            side("germany", ("infantry", 1), ("tank", 1), ("artillery", 1)),
        ),
        Battle(4, "mountain", side("us", ("infantry", 2)), side("germany", ("infantry", 2))),
        Battle(
            2,
            "land",
            side("us", ("fighter", 1), ("light_bomber", 1)),
            side("germany", ("anti_air", 1), ("fighter", 1), ("light_bomber", 1)),
        ),
        Battle(
            3,
            "sea",
            side("us", ("cruiser", 1), ("light_bomber", 1)),
            side("germany", ("carrier", 1), ("fighter", 1), ("destroyer", 1)),
        ),
        Battle(
            2, "sea", side("us", ("destroyer", 2)), side("germany", ("submarine", 2), ("sea_transport", 1))
        ),
        Battle(
            2,
            "land",
            (
                Group("sea_transport", 1, "us", 1, "C4", cargo=(Load("tank", 1), Load("infantry", 1))),
                Group("infantry", 1, "us"),
            ),
            side("germany", ("infantry", 2), ("artillery", 1)),
        ),
    ],
    ids=["land", "high ground", "air", "coverage", "ambush in defence", "landed at once"],
)
def test_small_battles_agree_with_the_oracle(battle: Battle) -> None:
    agree(fight(battle))


groups = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 2)), min_size=1, max_size=2)


@settings(max_examples=20)
@given(attacking=groups, defending=groups, at_sea=st.booleans())
def test_any_small_battle_agrees_with_the_oracle(attacking: Any, defending: Any, *, at_sea: bool) -> None:
    names = SEA if at_sea else LAND
    sides = []
    for nation, chosen in (("us", attacking), ("germany", defending)):
        units = [(names[n], 1 if names[n] in ("cruiser", "carrier") else count) for n, count in chosen]
        sides.append(side(nation, *units))
    agree(fight(Battle(3 if at_sea else 4, "sea" if at_sea else "land", *sides)))


@settings(max_examples=120)
@given(
    units=st.lists(
        st.tuples(st.sampled_from(["submarine", "destroyer", "cruiser", "battleship"]), st.integers(1, 3)),
        min_size=1,
        max_size=3,
        unique_by=lambda pair: pair[0],
    ),
    shots=st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=3),
)
def test_legal_casualties_are_what_trying_everything_finds(units: Any, shots: list[tuple[int, bool]]) -> None:
    # What trying everything finds knows no listed exchanges, which bind a hit before the others are looked at.
    edition = replace(with_rulings(SFW1, {}), listed_first=False)
    battle = Battle(3, "sea", side("us", ("fighter", 1)), side("germany", *units))
    work = set_up(battle, edition, TABLE, has_begun=True)
    assert isinstance(work, Fight)
    table, before = LossTable(work, DEFENDING), work.start(DEFENDING)
    aims = [(level, Aim(("sea",), sonar, "", False)) for level, sonar in shots]
    slow = _payments(work, DEFENDING, before, tuple((level, aim, False) for level, aim in aims))
    expected = {tuple(b - a for b, a in zip(before, after, strict=True)) for after in slow}
    owed = merge_hits(tuple(Hit(level, aim) for level, aim in aims))
    assert set(table.legal(before, owed)) == expected
    assert table.proposal(before, owed) in expected


def test_both_sides_concentrate() -> None:
    """Two and two submarines against each other's cruiser: each pair needs both hits."""
    pair = {"combined": True}
    work = fight(
        Battle(
            3,
            "sea",
            (*side("us", ("cruiser", 1)), *side("us", ("submarine", 2), **pair)),
            (*side("germany", ("cruiser", 1)), *side("germany", ("submarine", 2), **pair)),
        )
    )
    odds = exact_odds(work)
    virtual = simulated_odds(work, runs=4_000, seed=7)
    for name in (ATTACKING, DEFENDING):
        assert odds.expected_loss[name] == pytest.approx(virtual.expected_loss[name], abs=0.15)
    assert sum(outcome.p for outcome in odds.outcomes) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("ruling", "expected"), [("yes", 5 / 11), ("no", 5 / 12 * 13 / 12)])
def test_the_ruling_on_extra_shots(ruling: str, expected: float) -> None:
    table = with_printed(TABLE, {"tank.abilities": ["extra_shot"], "anti_air.armour": "yellow"})
    battle = Battle(4, "land", side("us", ("tank", 1)), side("germany", ("anti_air", 9)))
    found = set_up(battle, with_rulings(SFW1, {"extra_shot_again": ruling}), table)
    assert isinstance(found, Fight)
    # Tanks level up too: a red hit on yellow armour takes 2.
    plain, twelve = 4 / 12, 1 / 12
    chain = expected / (plain + twelve)  # dice rolled on average
    assert exact_odds(found).expected_loss[DEFENDING] == pytest.approx(
        2 * chain * (plain + 2 * twelve), abs=1e-4
    )


def test_odds_say_which_costs_are_missing() -> None:
    battle = Battle(4, "land", side("us", ("tank", 2)), side("germany", ("infantry", 3)))
    assert exact_odds(fight(battle)).costs_missing == ("tank.cost", "infantry.cost")
    priced = with_printed(TABLE, {"tank.cost": 4, "infantry.cost": 1})
    found = set_up(battle, SFW1, priced)
    assert isinstance(found, Fight)
    assert exact_odds(found).costs_missing == ()
    assert replace(SFW1) == SFW1


# The command line

FILE: dict[str, Any] = {
    "game": "sfw1",
    "movement_step": 4,
    "terrain": "mountain",
    "attacking": [{"unit": "infantry", "count": 2, "nation": "us"}],
    "defending": [{"unit": "infantry", "count": 1, "nation": "germany"}],
    "printed_values": {"infantry": {"number": 9}},
}


def _file(tmp_path: Path, **changes: Any) -> str:
    path = tmp_path / "battle.json"
    path.write_text(json.dumps({**FILE, **changes}))
    return str(path)


def test_the_cli_takes_the_first_edition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_odds([_file(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["p_defender_cleared"] == pytest.approx(1 - (8 / 12) ** 2)
    assert told["costs_missing"] == ["infantry.cost"]
    assert main_battle([_file(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "2 Infantry: 2 Blue dice @9 vs Land Units" in out
    assert "1 Infantry: 1 Blue die @7 vs Land Units" in out
    assert main_odds([_file(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "costs not entered: Infantry" in told, told


def test_the_cli_asks_for_printed_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    groups = [{"unit": "cruiser", "nation": "us"}]
    foes = [{"unit": "destroyer", "nation": "germany"}]
    asked = _file(tmp_path, terrain="sea", movement_step=3, attacking=groups, defending=foes)
    assert main_odds([asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["code"] == "printed_value_missing"
    assert told["missing"] == ["cruiser.number.yellow", "cruiser.number.blue"]
    assert "the number.yellow of Aircraft" not in told["faults"][0]
    assert "the player aid is a picture" in told["faults"][0]
    values = {"cruiser": {"number.yellow": 8, "number.blue": 7}}
    given = _file(
        tmp_path, terrain="sea", movement_step=3, attacking=groups, defending=foes, printed_values=values
    )
    assert main_battle([given, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    rolls = [(roll["colour"], roll["number"]) for step in steps for roll in step["attacking"]["rolls"]]
    assert rolls == [("yellow", 8), ("blue", 7)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"airfield": "defending"}, "Airfields have no roll in this edition."),
        ({"retreat": ["infantry"]}, "There is no retreat in this edition."),
        ({"sea_walls": 1}, "There are no defensive lines in this edition."),
        ({"rulings": {"hit_weights": "weights"}}, "rulings: expected one of"),
        ({"game": "sfw2"}, "game: expected one of sfw96, sfw1"),
        ({"occasion": "disengage"}, "Units do not disengage in this edition."),
    ],
)
def test_the_cli_refuses_what_the_edition_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], words: str
) -> None:
    assert main_odds([_file(tmp_path, **changes)]) == 1
    assert words in capsys.readouterr().err
