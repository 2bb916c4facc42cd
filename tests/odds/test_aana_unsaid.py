"""What a battle file of North Africa leaves unsaid is named with what is counted, and nothing that decides nothing."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.aana.odds.battle_files import BATTLE_FILES
from companion.games.aana.odds.unsaid import UNSAID
from companion.odds.coaching import Question

SUPPLY = {"supply": {"attacking": 9, "defending": 9}, "bonus_reroll": 0}


def group(unit: str, nation: str, count: int = 1, **more: Any) -> dict[str, Any]:
    return {"unit": unit, "nation": nation, "count": count, **more}


def on_land(*more: dict[str, Any], defending: tuple[str, ...] = ("infantry",), **keys: Any) -> dict[str, Any]:
    return {
        "game": "aana",
        "values": "unofficial",
        "attacking": [group("tank", "germany", 2, origin="benghazi"), *more],
        "defending": [group(unit, "uk") for unit in defending],
        **keys,
    }


@pytest.mark.parametrize(
    ("data", "unsaid"),
    [
        (on_land(), ["supply.attacking", "supply.defending", "territory"]),
        (on_land(**SUPPLY), []),
        (on_land(supply={"attacking": 9}, bonus_reroll=0), ["supply.defending"]),
        (on_land(**SUPPLY, defending=("scout_car",)), []),
        (on_land(supply={"attacking": 9}, bonus_reroll=0, defending=("scout_car",)), []),
        (on_land(bonus_reroll=0, supply=SUPPLY["supply"]), []),
        (on_land(group("fighter", "germany"), **SUPPLY), ["spaces"]),
        (on_land(group("fighter", "germany", spaces=1), **SUPPLY), []),
        (on_land(**SUPPLY, defending=("infantry", "aaa")), ["can_retreat"]),
        (on_land(**SUPPLY, defending=("infantry", "aaa"), can_retreat=False), []),
        (on_land(**SUPPLY, stop={"retreat_when": {"round": 2}}), ["can_retreat"]),
    ],
)
def test_what_decides_and_was_left_out_is_named(data: dict[str, Any], unsaid: list[str]) -> None:
    """Source: rulebook, Phase 4: Conduct Combat; Supply; Retreat; Anti-Aircraft Artillery; Defence Bonus"""
    battle = BATTLE_FILES.read(data, "b")
    for answer in (BATTLE_FILES.answer(battle, seed=1, top=1), BATTLE_FILES.play(battle)):
        assert answer.data["not_stated"] == unsaid
        assert [str(line) for line in answer.lines if str(line).startswith("Not stated")] == [
            str(UNSAID[key]) for key in unsaid
        ]


def test_the_coach_names_it_too() -> None:
    answer = BATTLE_FILES.coach(BATTLE_FILES.read(on_land(), "b"), Question("attacking", "space"))
    assert answer.data["not_stated"] == ["supply.attacking", "supply.defending", "territory"]
