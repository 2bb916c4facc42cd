"""``companion odds`` and ``companion battle`` as they are called."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.odds import battle_file as battle_command
from companion.testing.pseudo import spoken, unmarked

EXAMPLE: dict[str, Any] = {
    "game": "sfw96",
    "movement_step": 4,
    "terrain": "land",
    "attacking": [{"unit": "tank", "count": 2, "nation": "us", "distance": 0}],
    "defending": [{"unit": "infantry", "count": 3, "nation": "germany"}],
    "printed_values": {"tank": {"number": 8}, "cruiser": {"abilities": ["level_up"], "anti_air": 1}},
    "policy": "cheapest",
}


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(command: str, battle: Any, *options: str) -> tuple[int, str, str]:
        path = tmp_path / "battle.json"
        path.write_text(battle if isinstance(battle, str) else json.dumps(battle))
        code = main([command, str(path), *options])
        found = capsys.readouterr()
        return code, found.out, found.err.replace(str(path), "battle.json")

    return run


def test_odds_of_the_documented_example(call: Any) -> None:
    code, out, err = call("odds", EXAMPLE, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["method"] == "exact"
    assert answer["p_defender_cleared"] == pytest.approx((5 / 12) ** 2, abs=1e-12)
    assert answer["p_attacker_cleared"] == 0
    assert answer["expected_loss"] == {"attacking": 0.0, "defending": pytest.approx(1.4930555555555556)}
    assert answer["outcomes"][0] == {
        "attacking": {"tank": 2},
        "defending": {"infantry": 1},
        "p": pytest.approx(70 / 144),
    }
    assert sum(outcome["p"] for outcome in answer["outcomes"]) == pytest.approx(1, abs=1e-12)
    assert answer["inferred"] == ["tank.cost"]


def test_the_list_of_rolls_lets_those_retreat_whom_the_file_has_retreat(call: Any) -> None:
    """Retreat: they roll no more on step 6, and whom nobody covers draws fire as he leaves."""
    retreating = {"infantry": {"abilities": ["retreat"]}, "tank": {"number": 8}}
    battle = {**EXAMPLE, "printed_values": retreating, "retreat": ["infantry"]}
    alone = json.loads(call("battle", battle, "--json")[1])["steps"]
    assert [(step["step"], [roll["unit"] for roll in step["attacking"]["rolls"]]) for step in alone] == [
        ("retreat", ["tank"])
    ]
    covered = {
        **battle,
        "defending": [*EXAMPLE["defending"], {"unit": "tank", "count": 1, "nation": "italy"}],
    }
    (last,) = json.loads(call("battle", covered, "--json")[1])["steps"]
    assert (last["step"], [roll["unit"] for roll in last["defending"]["rolls"]]) == ("6", ["tank"])


def test_rolls_and_play_begin_where_the_file_says_as_odds_do(call: Any) -> None:
    bombed = [*EXAMPLE["attacking"], {"unit": "light_bomber", "count": 1, "nation": "us"}]
    rest = {**EXAMPLE, "attacking": bombed, "from_step": 6, "seed": 1}
    for battle in (rest, {key: value for key, value in rest.items() if key != "seed"}):
        steps = json.loads(call("battle", battle, "--json")[1])["steps"]
        assert [step["step"] for step in steps] == ["6"]
    assert json.loads(call("odds", rest, "--json")[1])["p_defender_cleared"] == pytest.approx((5 / 12) ** 2)


def test_odds_from_standard_input_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(EXAMPLE)))
    assert main(["odds", "-"]) == 0
    out = capsys.readouterr().out
    assert "Odds (exact)" in out
    assert "defender cleared 17.361\u00a0%" in out
    assert "48.611\u00a0%  2 Tanks  |  1 Infantry" in out


@pytest.mark.parametrize("top", ["0", "2", "99"])
def test_every_list_of_the_report_adds_up_and_names_its_units(call: Any, top: str) -> None:
    lines = call("odds", EXAMPLE, "--top", top)[1].splitlines()
    shares = [float(line.split()[0]) for line in lines if "|" in line or "more outcome" in line]
    assert sum(shares) == pytest.approx(100, abs=0.01)
    (space,) = [line for line in lines if line.startswith("  space taken")]
    assert sum(map(float, re.findall(r"[\d.]+(?=.%)", space))) == pytest.approx(100, abs=0.002)
    assert all("resupply" in line for line in lines if "expected loss" in line)


def test_odds_of_an_entry_under_fire_tell_who_gets_through(call: Any) -> None:
    entry = EXAMPLE | {"occasion": "movement", "terrain": "sea", "mines": 2, "defending": []}
    entry["attacking"] = [{"unit": "destroyer", "count": 1}]
    lines = call("odds", entry)[1].splitlines()
    assert "  some get through 17.361\u00a0%" in lines
    assert not any("space taken" in line for line in lines)


@pytest.mark.parametrize("command", ["odds", "battle"])
def test_a_pipe_into_which_nobody_writes_is_refused_at_once(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "battle.json")
    assert main([command, str(tmp_path / "battle.json")]) == 2
    assert "a pipe into which nobody writes" in capsys.readouterr().err


def test_a_missing_figure_is_named_and_how_to_give_it(call: Any) -> None:
    battle = {**EXAMPLE, "printed_values": {}}
    code, out, err = call("odds", battle, "--json")
    assert code == 1
    assert json.loads(out)["error"]["code"] == "printed_value_missing"
    assert json.loads(out)["error"]["missing"] == ["tank.number"]
    assert err == (
        "companion odds: battle.json: the rules do not give this value: tank.number. "
        "Why: the digit is lost in the text. Read it from your own box and add it to the file: "
        '"printed_values": {"tank": {"number": ...}}\n'
    )


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"terrain": "swamp"}, "unknown_terrain", "There is no such terrain: swamp. Choose Land, Sea"),
        ({"terrain": "sea"}, "wrong_terrain", "A land unit can be at sea only aboard a transport."),
        ({"movement_step": 6}, "bad_movement_step", "Battles happen in movement steps 1–5, not 6."),
        ({"attacking": []}, "nobody", "Attackers: Nobody is there."),
        ({"attacking": [{"unit": "tank", "count": -1}]}, "bad_count", "attacking[0] tank: Enter 0–99 units, not −1."),
        ({"attacking": [{"unit": "tank", "count": 1.5}]}, "bad_file",
         "attacking[0].count: expected a whole number, got 1.5"),
        ({"attacking": [{"unit": "tank", "count": "three"}]}, "bad_file",
         "attacking[0].count: expected a whole number, got three"),
        ({"attacking": [{"unit": "panzer"}]}, "unknown_unit", "There is no such unit: panzer."),
        ({"attacking": [{"unit": "tank", "nation": "germany"}]}, "wrong_nation", "A nation cannot be on both sides: Germany."),
        ({"attacking": [{"unit": "tank", "nation": "narnia"}]}, "unknown_nation", "expected one of gb, us, germany"),
        ({"attacking": [{"unit": "tank", "nation": "italy"}]}, "wrong_nation", "never fight each other"),
        (
            {"attacking": [{"unit": "tank", "nation": "us"}, {"unit": "tank", "nation": "italy"}]},
            "wrong_nation",
            "United States and Italy are never on the same side.",
        ),
        ({"attacking": [{"unit": "tank", "distance": 1}]}, "out_of_range", "no range"),
        (
            {"attacking": [{"unit": "air_transport", "cargo": [{"unit": "land_transport"}]}]},
            "nested_transport",
            "cannot carry Land Transport",
        ),
        ({"game": "chess"}, "unknown_game", "game: expected one of sfw96"),
        ({"policy": "bravest"}, "bad_file", "policy: expected cheapest"),
        ({"policy": ["panzer"]}, "bad_file", "got panzer"),
        ({"attakcing": []}, "bad_file", "(nearest: attacking), got attakcing"),
        ({"movementstep": 4}, "bad_file", "movementstep: expected one of movement_step, terrain, attacking, defending"),
        ({"attacking": [{"unit": "tank", "nation": "usb"}]}, "unknown_nation",
         "attacking[0].nation: expected one of gb, us, germany, italy, germany_14, germany_10, gb_xxx, gb_xiii "
         "(nearest: us), got usb"),
        ({"policy": ["narnia tank"]}, "bad_file", "got narnia tank"),
        ({"printed_values": {"tank": {"number": 13}}}, "bad_printed_value", "printed_values: Tank, Hit number: enter 1–12, not 13."),
        ({"printed_values": {"tank": {"luck": 1}}}, "bad_printed_value", "got luck"),
        ({"printed_values": {"panzer": {"number": 8}}}, "bad_file", "got panzer"),
        ({"dice": [{"step": 6, "side": "attacking", "values": [13, 2]}]}, "bad_dice", "dice.step 6: expected 1–12, got 13."),
        ({"dice": [{"step": 6, "side": "allies", "values": [1, 2]}]}, "bad_file", "expected one of attacking, defending"),
        ({"units": [{"id": "x", "name": "X", "base": "y"}]}, "bad_file", "X: base"),
        ({"rulings": {"hit_wieghts": "weights"}}, "bad_file", "got hit_wieghts"),
        ({"rulings": {"hit_weights": "heavy"}}, "bad_file", "hit_weights: expected one of weights, one_colour"),
    ],
)  # fmt: skip
def test_faults_name_file_key_expected_and_got(call: Any, change: Any, code: str, words: str) -> None:
    exit_code, out, err = call("odds", {**EXAMPLE, **change}, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == code, out
    assert words in err
    assert err.startswith("companion odds: battle.json: ")
    assert err.splitlines()[-1] == (
        "companion odds: Correct the file and try again. companion odds --help explains every key."
    )
    assert "`" not in err, "no library's own words"


def test_faults_of_a_north_africa_file_say_what_came(call: Any) -> None:
    battle = {
        "game": "aana",
        "terrian": "land",
        "attacking": [{"unit": "tank", "count": "two", "nation": "germany", "origin": "benghazi"}],
        "defending": [{"unit": "infantry", "nation": "british"}],
        "stop": {"cease": {}},
    }
    exit_code, _out, err = call("odds", battle)
    assert exit_code == 1
    assert "terrian: expected one of game, terrain," in err
    assert "(nearest: terrain), got terrian" in err
    assert "attacking[0].count: expected a whole number, got two" in err
    assert (
        "defending[0].nation: expected one of germany, italy, vichy, uk, us, free_french, got british" in err
    )
    assert "stop.cease: expected one of press_while, cease_when," in err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_a_battle_file_is_read_as_other_editors_save_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str
) -> None:
    path = tmp_path / "battle.json"
    path.write_bytes(json.dumps(EXAMPLE).encode(encoding))
    assert main(["odds", str(path)]) == 0
    path.write_bytes(b'{"title": "K\xf6ln"}')
    assert main(["odds", str(path)]) == 2
    assert "line 1: expected text saved as UTF-8" in capsys.readouterr().err


def test_not_json_names_the_line(call: Any) -> None:
    code, _, err = call("odds", '{"game": "sfw96",\n nonsense}')
    assert code == 1
    assert "battle.json: line 2, column 2: not JSON" in err


@pytest.mark.parametrize("game", ["chess", 3, ["sfw96"], None])
def test_an_unknown_game_is_named_before_all_else(call: Any, game: Any) -> None:
    code, out, err = call("odds", {"game": game}, "--json")
    assert code == 1
    assert json.loads(out)["error"]["code"] == "unknown_game"
    told = "nothing" if game is None else "[sfw96]" if isinstance(game, list) else game
    assert f"battle.json: game: expected one of sfw96, sfw1, aana, got {told}" in err


def test_a_file_that_is_not_there_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "nowhere.json"]) == 2
    found = capsys.readouterr()
    assert "nowhere.json" in found.err
    assert found.out == ""
    assert main(["battle", "nowhere.json", "--json"]) == 2
    refusal = json.loads(capsys.readouterr().out)["error"]
    assert refusal["code"] == "unreadable_file"
    assert "no such file" in refusal["faults"][0]


def test_a_file_without_end_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "/dev/zero"]) == 2
    assert "/dev/zero: the file is too large; choose another file" in capsys.readouterr().err


def test_nations_may_be_written_as_people_do(call: Any) -> None:
    change = {"attacking": [{"unit": "tank", "count": 2, "nation": "UK"}]}
    code, out, _ = call("odds", {**EXAMPLE, **change}, "--json")
    assert code == 0
    assert json.loads(out)["survival"][0]["nation"] == "gb"


TARANTO: dict[str, Any] = {
    "movement_step": 4,
    "terrain": "land",
    "attacking": [
        {"unit": "tank", "count": 2, "nation": "us"},
        {"unit": "tank", "count": 1, "nation": "great_britain"},
        {
            "unit": "land_transport",
            "nation": "great_britain",
            "cargo": [{"unit": "infantry"}, {"unit": "anti_air"}],
        },
        {"unit": "artillery", "nation": "great_britain", "distance": 1},
        {"unit": "battleship", "nation": "great_britain", "distance": 1},
    ],
    "defending": [
        {"unit": "infantry", "count": 3, "nation": "germany"},
        {"unit": "tank", "nation": "germany"},
        {"unit": "tank", "nation": "italy"},
        {"unit": "light_bomber", "nation": "italy"},
        {"unit": "anti_air", "nation": "italy"},
    ],
    "printed_values": {"tank": {"number": 8}},
    "dice": [
        {"step": 1, "side": "attacking", "values": [3]},
        {"step": 3, "side": "defending", "values": [9]},
        {"step": 5, "side": "attacking", "unit": "artillery", "values": [2]},
        {"step": 5, "side": "attacking", "unit": "battleship", "colour": "black", "values": [10]},
        {"step": 5, "side": "attacking", "unit": "battleship", "colour": "gray", "values": [2]},
        {"step": 6, "side": "attacking", "unit": "tank", "values": [8, 3]},
        {"step": 6, "side": "attacking", "unit": "infantry", "values": [9]},
        {"step": 6, "side": "defending", "unit": "infantry", "values": [11, 1]},
        {"step": 6, "side": "defending", "unit": "tank", "values": [8]},
    ],
    "losses": [
        {"step": 3, "side": "attacking", "units": {"us tank": 1}},
        {"step": 5, "side": "defending", "units": {"italy tank": 1, "germany infantry": 1, "anti_air": 1}},
        {"step": 6, "side": "attacking", "units": {"us tank": 1, "land_transport": 1}},
        {"step": 6, "side": "defending", "units": {"germany tank": 1, "infantry": 1}},
    ],
}


def test_taranto_played_through_from_its_file(call: Any) -> None:
    code, out, err = call("battle", TARANTO, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert [step["step"] for step in report["steps"]] == ["1", "3", "5", "6"]
    assert report["steps"][2]["attacking"]["hits"] == [{"colour": "black", "count": 1, "precise": False}]
    assert report["steps"][2]["defending"]["losses"] == {
        "germany infantry": 1,
        "italy tank": 1,
        "italy anti_air": 1,
    }
    assert report["survivors"]["defending"] == [
        {"nation": "germany", "unit": "infantry", "count": 1},
        {"nation": "italy", "unit": "light_bomber", "count": 1},
    ]
    assert report["survivors"]["attacking"] == [
        {"nation": "gb", "unit": "tank", "count": 1},
        {"nation": "gb", "unit": "infantry", "count": 1},
        {"nation": "gb", "unit": "anti_air", "count": 1},
    ]


def test_battle_without_dice_lists_who_rolls(call: Any) -> None:
    battle = {key: value for key, value in TARANTO.items() if key not in ("dice", "losses")}
    code, out, _ = call("battle", battle)
    assert code == 0
    assert "1 Battleship: 1 Black die @9 vs Land Units" in out
    assert "1 Anti-Air: no roll, no enemy that it may hit is in the battle and in range" in out


@pytest.mark.parametrize("command", ["odds", "battle"])
def test_a_file_nested_without_end_is_refused_and_not_a_crash(call: Any, command: str) -> None:
    exit_code, out, err = call(command, "[" * 100_000, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == "bad_file"
    assert "battle.json: nested too deeply" in err


@pytest.mark.parametrize(
    ("count", "words"),
    [
        ("1" * 5000, "is no number of a battle. Write a whole number."),
        ('2, "nation": "\\ud800"', "lone surrogate '\\ud800'"),
    ],
)
def test_numbers_and_letters_beyond_any_file_are_refused(call: Any, count: str, words: str) -> None:
    text = '{"movement_step": 4, "terrain": "land", "attacking": [{"unit": "tank", "count": %s}], "defending": []}'
    exit_code, out, err = call("battle", text % count, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == "bad_file"
    assert words in err


def test_north_africa_too_refuses_letters_that_cannot_be_told_back(call: Any) -> None:
    exit_code, out, _ = call("odds", '{"game": "aana", "\\ud800": 1}', "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == "bad_file"


def test_a_ruling_of_the_game_that_decides_no_battle_is_let_be(call: Any) -> None:
    plain = call("odds", EXAMPLE, "--json")
    assert call("odds", {**EXAMPLE, "rulings": {"resupply_order": "subtract_first"}}, "--json") == plain
    assert plain[0] == 0


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (
            {"dice": TARANTO["dice"][:1]},
            "wrong_dice",
            "step 3, defending: Missing: 1 Gray die for 1 Light Bomber, hitting on 8 or more.",
        ),
        (
            {"dice": [*TARANTO["dice"][:7], {**TARANTO["dice"][7], "values": [11]}, TARANTO["dice"][8]]},
            "wrong_dice",
            "step 6, defending: Infantry needs 2 more of this colour, White; only 1 given.",
        ),
        (
            {"dice": [*TARANTO["dice"], {"step": 2, "side": "attacking", "values": [4]}]},
            "wrong_dice",
            "companion battle: dice: step 2, attacking: These dice are not needed: 4.",
        ),
        (
            {"losses": [{"step": 3, "side": "attacking", "units": {"infantry": 1}}]},
            "illegal_losses",
            "The hits remove more units. Choose as many casualties as they can remove.",
        ),
        (
            {"losses": [{"step": 3, "side": "attacking", "units": {"infantry": 5}}]},
            "illegal_losses",
            "companion battle: losses: step 3, attacking: There are not that many: 5 infantry.",
        ),
    ],
)
def test_dice_and_losses_that_do_not_fit_are_refused(call: Any, change: Any, code: str, words: str) -> None:
    exit_code, out, err = call("battle", {**TARANTO, **change}, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == code
    assert words in err


def test_a_seed_rolls_what_is_not_given_and_repeats(call: Any) -> None:
    battle = {key: value for key, value in TARANTO.items() if key not in ("dice", "losses")} | {"seed": 11}
    first, second = call("battle", battle, "--json"), call("battle", battle, "--json")
    assert first == second
    assert first[0] == 0


def test_a_bonus_roll_has_odds_too(call: Any) -> None:
    """Two fighters push through a gun and a bomber: each needs its own number."""
    battle = {
        "movement_step": 1,
        "terrain": "desert",
        "occasion": "movement",
        "push_through": True,
        "contested": True,
        "attacking": [{"unit": "fighter", "count": 2, "nation": "germany"}],
        "defending": [
            {"unit": "anti_air", "nation": "great_britain"},
            {"unit": "light_bomber", "nation": "great_britain"},
        ],
    }
    code, out, _ = call("odds", battle, "--json")
    assert code == 0
    chances = {tuple(o["attacking"].items()): o["p"] for o in json.loads(out)["outcomes"]}
    assert chances[()] == pytest.approx(4 / 12 * 3 / 12)
    assert chances[(("fighter", 2),)] == pytest.approx(8 / 12 * 9 / 12)


def test_each_side_may_have_its_own_policy(call: Any) -> None:
    battle = {
        **EXAMPLE,
        "defending": [
            {"unit": "infantry", "count": 2, "nation": "germany"},
            {"unit": "tank", "count": 1, "nation": "germany"},
        ],
        "policy": {"defending": ["tank", "infantry"], "attacking": "cheapest"},
    }
    code, out, _ = call("odds", battle, "--json")
    assert code == 0
    survival = {row["unit"]: row["each"] for row in json.loads(out)["survival"] if row["side"] == "defending"}
    assert survival["tank"] == pytest.approx((7 / 12) ** 2)


def test_odds_of_the_rest_of_a_battle(call: Any) -> None:
    """Before step 6 everybody rolls; after it nothing more can happen."""
    late = json.loads(call("odds", {**EXAMPLE, "from_step": 6}, "--json")[1])
    assert late["p_defender_cleared"] == pytest.approx((5 / 12) ** 2)
    over = json.loads(call("odds", {**EXAMPLE, "from_step": "7a"}, "--json")[1])
    assert over["p_defender_cleared"] == 0
    code, _, err = call("odds", {**EXAMPLE, "from_step": 9})
    assert code == 1
    assert "from_step: expected one of 1, 2, 3, 4, 5, retreat, 6, 7A, 7B, 7C, got 9" in err


def test_targeted_bombing_takes_no_units(call: Any) -> None:
    battle = {
        "movement_step": 2,
        "terrain": "land",
        "attacking": [{"unit": "heavy_bomber", "nation": "us", "bombing": 5}],
        "defending": [{"unit": "infantry", "count": 2, "nation": "germany"}],
        "seed": 4,
    }
    odds = json.loads(call("odds", battle, "--json")[1])
    assert odds["expected_loss"]["defending"] == 0
    report = json.loads(call("battle", battle, "--json")[1])
    rolls = report["steps"][0]["attacking"]["rolls"]
    assert [(roll["dice"], roll["targets"]) for roll in rolls] == [(5, ["objective"])]


_GUIDE = Path(battle_command.__file__).with_name("BATTLE_FILE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [0, 1])
def test_the_examples_of_the_guide_are_worked_out(call: Any, number: int) -> None:
    examples = re.findall(r"```json\n(.*?)```", _GUIDE, re.DOTALL)
    assert len(examples) == 2
    code, out, err = call("odds", examples[number])
    assert (code, err) == (0, "")
    assert out.startswith("Odds (exact)")


def test_the_guide_has_every_key_of_north_africa(call: Any) -> None:
    section = _GUIDE.partition("## Axis & Allies: North Africa")[2]
    code, _out, err = call("odds", {"game": "aana", "attacking": [], "defending": [], "no such key": 1})
    assert code == 1
    keys = re.search(r"expected one of (.*?), got", err)
    assert keys is not None, err
    for key in keys[1].split(", "):
        assert f"`{key}`" in section or f'"{key}"' in section, key
    for key in ("press_while", "cease_when", "retreat_when", "submerge", "exempt_fight", "air_alone"):
        assert f"`{key}`" in section


def _groups(lines: int, count: int = 1) -> list[dict[str, Any]]:
    return [{"unit": "infantry", "count": count, "nation": "us"}] * lines


@pytest.mark.parametrize("command", ["odds", "battle"])
@pytest.mark.parametrize(
    ("attacking", "words"),
    [
        (_groups(20_000), "battle.json: 20,001 lines of units are too many. A battle has 80 at most."),
        (_groups(80), "battle.json: 81 lines of units are too many. A battle has 80 at most."),
        (_groups(3, 90), "battle.json: 273 units are too many. A battle has 200 at most, cargo included."),
        (
            [{"unit": "truck", "count": 1, "nation": "us", "cargo": _groups(80)}],
            "battle.json: 82 lines of units are too many.",
        ),
        (
            [{"unit": "truck", "count": 1, "nation": "us", "cargo": _groups(1, 10**12)}],
            "units are too many. A battle has 200 at most",
        ),
        (
            [{**_groups(1)[0], "dice": ["red"] * 30_000}],
            "values are too many. A battle file has 20,000 at most.",
        ),
    ],
)
@pytest.mark.parametrize("game", ["sfw96", "sfw1", "aana"])
def test_a_battle_larger_than_any_board_is_refused_at_once(
    call: Any, command: str, attacking: Any, words: str, game: str
) -> None:
    defending = [{"unit": "infantry", "count": 3, "nation": "germany"}]
    battle = {**EXAMPLE, "game": game, "attacking": attacking, "defending": defending}
    exit_code, out, err = call(command, battle, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == "too_large"
    assert words in err


@pytest.mark.parametrize("command", ["odds", "battle"])
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"terrain": "land", "terrain": "sea", "attacking": [], "defending": []}', "terrain"),
        ('{"attacking": [{"unit": "tank", "count": 2, "count": 9}], "defending": []}', "count"),
        ('{"printed_values": {"tank": {"number": 8, "number": 9}}}', "number"),
        ('{"game": "aana", "supply": {"attacking": 1, "attacking": 2}}', "attacking"),
    ],
)
def test_a_key_that_stands_twice_is_refused(call: Any, command: str, text: str, key: str) -> None:
    exit_code, out, err = call(command, text, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == "bad_file"
    assert f"battle.json: {key} is given twice. Keep one of the two." in err


def test_a_combat_with_too_many_kinds_of_pieces_is_refused_in_words(call: Any) -> None:
    british = ("infantry", "artillery", "anti_tank", "sherman", "scout_car", "matilda")
    german = ("infantry", "tank", "artillery", "anti_tank", "tiger", "fighter")
    battle = {
        "game": "aana",
        "values": "unofficial",
        "attacking": [{"unit": u, "count": 8, "nation": "uk", "origin": "cairo"} for u in british],
        "defending": [{"unit": u, "count": 8, "nation": "germany"} for u in german],
    }
    exit_code, out, err = call("odds", battle, "--json")
    assert exit_code == 1
    assert json.loads(out)["error"]["code"] == "too_large"
    assert "This battle is too large to be worked out exactly." in err


@pytest.mark.parametrize("number", [10**30, -(10**30), 1 << 64, 10**4_000])
def test_a_number_of_any_size_is_refused_in_words(call: Any, number: int) -> None:
    battle = EXAMPLE | {"printed_values": {"tank": {"number": number}}}
    code, _out, err = call("odds", battle)
    assert code == 1
    assert "battle.json: printed_values: Tank, Hit number: enter 1–12, not a number beyond 64 bits" in err
    assert len(err) < 1_000


COACHED: dict[str, Any] = {
    "game": "sfw96",
    "movement_step": 4,
    "terrain": "land",
    "attacking": [
        {"unit": "infantry", "count": 3, "nation": "us"},
        {"unit": "artillery", "count": 2, "nation": "us"},
        {"unit": "tank", "count": 2, "nation": "us"},
    ],
    "defending": [
        {"unit": "infantry", "count": 3, "nation": "germany"},
        {"unit": "artillery", "nation": "germany"},
    ],
    "printed_values": {"tank": {"number": 8}},
}
NORTH_AFRICA: dict[str, Any] = {
    "game": "aana",
    "values": "unofficial",
    "attacking": [
        {"nation": "germany", "unit": "infantry", "count": 3, "origin": "west"},
        {"nation": "germany", "unit": "tank", "count": 2, "origin": "west"},
    ],
    "defending": [{"nation": "uk", "unit": "infantry", "count": 2}],
}


@pytest.mark.parametrize("battle", [COACHED, NORTH_AFRICA], ids=["sfw96", "aana"])
def test_the_coach_on_the_command_line(call: Any, battle: dict[str, Any]) -> None:
    code, out, err = call("odds", battle, "--json")
    assert (code, err) == (0, "")
    chance = json.loads(out)["p_capture"]
    code, out, err = call("odds", battle, "--coach", "space", "--wanted", "10", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["usual"] == pytest.approx(chance, abs=1e-12)
    assert told["best"] >= max([chance, *(rule["value"] for rule in told["rules"])]) - 1e-9
    assert told["smallest_force"]["value"] >= 0.1
    for side in ("attacking", "defending"):
        for goal in ("space", "clear", "keep", "exchange"):
            code, out, err = call("odds", battle, "--coach", goal, "--side", side)
            assert (code, err) == (0, "")
            assert out.startswith("Coach, ")
    if battle.get("game") == "aana":
        mixed = {**battle, "attacking": [*battle["attacking"], {"nation": "germany", "unit": "fighter"}]}
        for told, limit in ((battle, False), (mixed, True)):
            _code, out, _err = call("odds", told, "--coach", "space")
            assert ("kept in every round or in none" in out) == limit, "what the coach did not try is told"
    code, out, err = call("odds", battle, "--coach", "space", "--wanted", "100")
    assert code == 0
    assert "No part of these units reaches 100" in out


SUNK = {
    "game": "aana",
    "terrain": "sea",
    "values": "unofficial",
    "attacking": [
        {"nation": "uk", "unit": "battleship", "origin": "sz.9"},
        {"nation": "uk", "unit": "submarine", "origin": "sz.9"},
    ],
    "defending": [{"nation": "italy", "unit": "destroyer"}],
    "cargo": [{"nation": "italy", "unit": "infantry", "count": 2}],
    "seed": 3,
}
FAULTY = {
    **NORTH_AFRICA,
    "terrian": "land",
    "territory": "narnia",
    "main": "east",
    "bonus_reroll": 1,
    "rounds": 0,
    "policy": {"atacking": "cheapest", "attacking": 3},
    "aim": 3,
    "stop": {"submerge": 1, "press_while": 3},
    "supply": {"attacking": -1, "defending": "many", "both": 1},
    "printed_values": {"germany.tank": {"luck": 1}},
    "rulings": {"aana.luck": "good"},
}
UNPAID = {**NORTH_AFRICA, "supply": {"attacking": {"east": 1}}}
UNREAD = {**NORTH_AFRICA, "values": "rulebook"}
BAD_DICE = {**NORTH_AFRICA, "dice": [{"round": 1, "stage": "attack", "values": [[11]]}]}


@pytest.mark.parametrize(
    "battle", [EXAMPLE, COACHED, NORTH_AFRICA, SUNK, FAULTY, UNPAID, UNREAD, BAD_DICE], ids=range(8)
)
@pytest.mark.parametrize("options", [("odds",), ("battle",), ("odds", "--coach", "space", "--wanted", "50")])
def test_no_line_of_a_command_is_left_in_english(
    call: Any, battle: dict[str, Any], options: tuple[str, ...]
) -> None:
    with spoken():
        code, out, err = call(options[0], battle, *options[1:])
    lines = [line for line in (out + err).splitlines() if line.strip()]
    assert lines
    assert code in (0, 1)
    # Names of files, keys and places that a file names itself are told as they were typed.
    assert not [line for line in lines if "«" not in line], lines
    if code == 0:
        words = [word for line in lines for word in unmarked(line)]
        assert set(words) <= {"west", "West"}, words


def test_a_battle_is_told_in_the_language_that_is_asked_for(call: Any) -> None:
    _code, german, _err = call("odds", NORTH_AFRICA, "--language", "de")
    _code, english, _err = call("odds", NORTH_AFRICA)
    assert "Chancen" in german
    assert "Odds" in english, "and nobody is left with the language of the call before"


@pytest.mark.parametrize(
    "options",
    [("--side", "attacking"), ("--wanted", "50"), ("--coach", "keep", "--wanted", "50"), ("--coach", "space", "--wanted", "0"),
     ("--coach", "luck")],
)  # fmt: skip
def test_a_wrong_question_to_the_coach_is_refused(call: Any, options: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as stopped:
        call("odds", COACHED, *options)
    assert stopped.value.code == 2


def test_a_sea_space_is_had_by_whoever_is_left_alone_there(call: Any) -> None:
    """Nobody controls a sea space; "taken" would be 0 % in every battle at sea if it asked for units that could."""
    sea = EXAMPLE | {
        "movement_step": 3,
        "terrain": "sea",
        "attacking": [{"unit": "destroyer", "count": 2, "nation": "italy"}],
        "defending": [{"unit": "destroyer", "nation": "us"}],
    }
    answer = json.loads(call("odds", sea, "--json")[1])
    ends = answer["outcomes"]
    alone = sum(end["p"] for end in ends if end["attacking"] and not end["defending"])
    held = sum(end["p"] for end in ends if end["defending"])
    assert 0.5 < alone < answer["p_defender_cleared"] + 1e-12
    assert answer["p_capture"] == pytest.approx(alone)
    assert answer["p_hold"] == pytest.approx(held)
