"""What ``companion odds`` tells of any battle adds up to its whole, in every game with dice, and no line stands there twice."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.text import Say
from companion.games.registry import games_by_key
from companion.odds.battle_file import BattleFileError
from companion.pages.speak import speak

KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "sfw96": {
        "land": ("infantry", "tank", "artillery", "anti_air", "light_bomber", "fighter"),
        "sea": ("destroyer", "submarine", "cruiser", "battleship", "light_bomber", "fighter"),
    },
    "aana": {
        "land": ("infantry", "tank", "artillery", "scout_car", "fighter", "bomber"),
        "sea": ("destroyer", "submarine", "fighter", "bomber"),
    },
}
KINDS["sfw1"] = KINDS["sfw96"]
FIGURES: dict[str, Any] = {
    "sfw96": {"tank": {"number": 8}, "cruiser": {"anti_air": 1}},
    "sfw1": {
        "tank": {"number": 8}, "infantry": {"number": 9}, "artillery": {"number": 8}, "anti_air": {"number": 9},
        "cruiser": {"number": 8}, "battleship": {"number.red": 8, "number.yellow": 6},
    },
}  # fmt: skip


def group(game: str, unit: str, count: int, nation: str) -> dict[str, Any]:
    plain = {"unit": unit, "count": count, "nation": nation}
    return {**plain, "origin": "derna"} if game == "aana" and nation == "germany" else plain


@st.composite
def battles(draw: st.DrawFn, game: str) -> dict[str, Any]:
    terrain = draw(st.sampled_from(["land", "sea"]))
    forces = [
        draw(
            st.dictionaries(st.sampled_from(KINDS[game][terrain]), st.integers(1, 3), min_size=1, max_size=3)
        )
        for _side in range(2)
    ]
    made: dict[str, Any] = {
        "game": game,
        "terrain": terrain,
        "attacking": [group(game, unit, n, "germany") for unit, n in forces[0].items()],
        "defending": [
            group(game, unit, n, "uk" if game == "aana" else "us") for unit, n in forces[1].items()
        ],
    }
    if game == "aana":
        made |= {"values": "unofficial", "rounds": draw(st.integers(1, 3))}
        if terrain == "sea" and draw(st.booleans()):
            made["cargo"] = [{"unit": "infantry", "count": draw(st.integers(1, 3)), "nation": "uk"}]
    else:
        made |= {"movement_step": 3 if terrain == "sea" else 4, "printed_values": FIGURES[game]}
    return made


def whole(shares: Any, told: str) -> None:
    assert sum(shares) == pytest.approx(1, abs=1e-9), told


@pytest.mark.long
@pytest.mark.parametrize("game", ["sfw96", "sfw1", "aana"])
@given(data=st.data(), top=st.sampled_from([0, 2, 40]))
@settings(max_examples=60)
def test_every_table_of_the_report_adds_up_to_its_whole(game: str, data: st.DataObject, top: int) -> None:
    files = games_by_key()[game].odds
    assert files is not None
    try:
        battle = files().read(data.draw(battles(game)), "battle.json")
    except BattleFileError:
        return  # aircraft alone in a step of the others, or ships nobody could attack
    answer = files().answer(battle, seed=1, top=top)
    told = answer.data
    whole((row["p"] for row in told["outcomes"]), "outcomes")
    if game == "aana":
        whole(told["results"].values(), "how it ends")
        whole((row["p"] for row in told["rounds"]), "rounds")
        by_kind = {
            end: sum(row["p"] for row in told["outcomes"] if row["result"] == end) for end in told["results"]
        }
        assert by_kind == pytest.approx(told["results"], abs=1e-9)
    else:
        whole((told["p_capture"], told["p_hold"], told["p_neither"]), "the space")
        for side, losses in told["loss_distribution"].items():
            whole((row["p"] for row in losses), "losses")
            mean = sum(row["cost"] * row["p"] for row in losses)
            assert mean == pytest.approx(told["expected_loss"][side], abs=1e-9)
    for row in told["survival"]:
        assert row["expected"] == pytest.approx(row["each"] * row["count"], abs=1e-9)
    lines = [speak(line, game=game) if isinstance(line, Say) else str(line) for line in answer.lines]
    shown = [line for line in lines if "|" in line or "more outcome" in line]
    shares = [float(found[0]) for line in shown if (found := re.findall(r"[\d.]+(?=\s?%)", line))]
    assert sum(shares) == pytest.approx(100, abs=0.001 * len(shares) + 0.001)
    assert len(shown) == len({line.split("%", 1)[1] for line in shown}), "equal lines are one"
