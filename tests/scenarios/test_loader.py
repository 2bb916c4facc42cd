"""The scenario loader: installed data, a user's folder over them, and every fault at once."""

from __future__ import annotations

import os
import random
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from companion.core.collecting import STAND_IN
from companion.core.scenario import DataError
from companion.games.registry import games_by_key
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.schema import RulingsFile
from companion.session import scenario_loader
from companion.session.scenario_loader import Loaded, load_game, make_setup, offers, require

if TYPE_CHECKING:
    from conftest import DataFolder

FAMILY = SfwFamily()


def faults(loaded: Loaded) -> list[str]:
    return [str(fault) for fault in loaded.faults]


def test_the_installed_data_are_sound() -> None:
    loaded = load_game(FAMILY)
    assert loaded.faults == ()
    assert require(loaded) is loaded.data
    assert len(loaded.data.scenarios) == 9


def test_a_folder_that_is_not_there_changes_nothing(tmp_path) -> None:
    assert load_game(FAMILY, tmp_path / "nowhere").data == load_game(FAMILY).data


def test_a_file_of_the_users_folder_replaces_the_installed_one(folder: DataFolder) -> None:
    folder.edit("italy", ('title = "Italy"', 'title = "Italia"'))
    loaded = load_game(FAMILY, folder.path)
    assert loaded.faults == ()
    assert make_setup(FAMILY, loaded, "italy", {}).title == "Italia"
    installed = load_game(FAMILY)
    assert (
        make_setup(FAMILY, loaded, "italy", {}).data_sha256
        != make_setup(FAMILY, installed, "italy", {}).data_sha256
    )
    assert make_setup(FAMILY, loaded, "nafrica", {}) == make_setup(FAMILY, installed, "nafrica", {})


def test_a_scenario_can_be_added_and_is_listed_last(folder: DataFolder) -> None:
    folder.edit("salerno43", ('scenario = "salerno43"', 'scenario = "anzio44"'), to="anzio44")
    loaded = load_game(FAMILY, folder.path)
    assert loaded.faults == ()
    assert offers(FAMILY, loaded)[-1].scenario == "anzio44"


def test_broken_toml_is_refused_with_its_line(folder: DataFolder) -> None:
    folder.write("italy", 'scenario = "italy"\ntitle = Italy\n')
    folder.write("nov42", 'scenario = "nov42"\ntitle = """endless')
    folder.write("apr43", b'scenario = "apr43"\ntitle = "\xff"\n')
    assert faults(load_game(FAMILY, folder.path)) == [
        "sfw96/apr43.toml: line 2: expected text saved as UTF-8, got a character in another encoding",
        "sfw96/italy.toml: line 2: expected a line of TOML (Invalid value), got title = Italy",
        'sfw96/nov42.toml: line 2: expected a line of TOML (Unterminated string), got title = """endless',
    ]  # fmt: skip


def test_a_key_given_twice_is_refused(folder: DataFolder) -> None:
    folder.edit("italy", ('title = "Italy"', 'title = "Italy"\ntitle = "Italia"'))
    assert faults(load_game(FAMILY, folder.path)) == [
        "sfw96/italy.toml: line 6: title: expected this key once, got it again (first on line 5)"
    ]


def test_all_faults_of_a_file_are_named_at_once(folder: DataFolder) -> None:
    folder.edit(
        "italy",
        ('title = "Italy"', "title = 7\ntitel = 8"),
        ('family = "operations"', 'family = "opera"'),
        ("players = [2, 4]", "players = [2, 4, 6]"),
        ("minutes_per_stage = 22", 'minutes_per_stage = "22"'),
        ('first_side = "allies"\n', ""),
        ('colour = "blue"', 'colour = "mauve"'),
        ("automatic = { allies = 30 }", "automatic = { allies = -1 }"),
        ("recommended = false", 'recommended = "no"'),
    )
    assert faults(load_game(FAMILY, folder.path)) == [
        "sfw96/italy.toml: titel: expected one of source, status, scenario, title, family, board, summary, players, "
        "minutes, tournament, nations, seatings, stages, setup, victory, commander, checks (nearest: title), got titel",
        "sfw96/italy.toml: title: expected a string that is not empty, got 7",
        "sfw96/italy.toml: family: expected one of operations, short, theater, got opera",
        "sfw96/italy.toml: players: expected a list of 2: a whole number of 1 or more, a whole number of 4 or less, "
        "got [2, 4, 6]",
        "sfw96/italy.toml: tournament.minutes_per_stage: expected a whole number from 1 to 600, got '22'",
        "sfw96/italy.toml: nations[0].colour: expected one of blue, green, red, yellow, got mauve",
        "sfw96/italy.toml: stages[0].first_side: expected a string, got nothing",
        "sfw96/italy.toml: victory.automatic.allies: expected a number from 0 to 200, got -1",
        "sfw96/italy.toml: commander.recommended: expected true or false, got no",
    ]  # fmt: skip


def test_a_broken_scenario_keeps_only_itself_from_starting(folder: DataFolder) -> None:
    folder.edit("italy", ('first_side = "axis"', 'first_side = "france"'))
    loaded = load_game(FAMILY, folder.path)
    assert "italy" not in [info.scenario for info in offers(FAMILY, loaded)]
    assert make_setup(FAMILY, loaded, "nov42", {}).scenario == "nov42"
    with pytest.raises(DataError) as caught:
        make_setup(FAMILY, loaded, "italy", {})
    assert str(caught.value) == (
        "sfw96/italy.toml: stages[1].first_side: expected allies or axis, got france\n"
        "Fix the file, or remove it from the data folder to use the one that came with the app."
    )
    with pytest.raises(DataError, match="stages"):
        require(loaded)


def test_a_broken_shared_file_keeps_every_scenario_from_starting(folder: DataFolder) -> None:
    folder.write("game", "x = 1\n")
    loaded = load_game(FAMILY, folder.path)
    assert offers(FAMILY, loaded) == ()
    with pytest.raises(DataError, match=r"sfw96/game\.toml: x: expected one of game, title"):
        make_setup(FAMILY, loaded, "nov42", {})


def test_an_unknown_scenario_is_refused_by_name() -> None:
    with pytest.raises(
        DataError, match=r"options: scenario: expected one of apr43, cassino44, .*, got sevastopol"
    ):
        make_setup(FAMILY, load_game(FAMILY), "sevastopol", {})


def test_a_missing_shared_file_is_a_fault() -> None:
    class More(SfwFamily):
        tables = {**SfwFamily.tables, "weather": RulingsFile}

    assert faults(load_game(More())) == ["sfw96/weather.toml: expected a data file, got nothing"]


def test_a_file_that_cannot_be_read_is_a_fault(folder: DataFolder) -> None:
    (folder.path / "sfw96" / "italy.toml").mkdir()
    found = faults(load_game(FAMILY, folder.path))
    assert len(found) == 1
    assert found[0].startswith("sfw96/italy.toml: expected a file that can be read, got ")


def test_other_files_in_the_folder_are_left_alone(folder: DataFolder) -> None:
    (folder.path / "sfw96" / "notes.txt").write_text("hello")
    os.mkfifo(folder.path / "sfw96" / "pipe")
    assert load_game(FAMILY, folder.path).faults == ()


def test_faults_of_values_and_between_tables_are_named_in_one_pass(folder: DataFolder) -> None:
    folder.edit(
        "italy", ("minutes_per_stage = 22", 'minutes_per_stage = "many"'), ('side = "axis"', 'side = "axes"')
    )
    told = faults(load_game(SfwFamily(), folder.path))
    assert any("tournament.minutes_per_stage: expected a whole number" in line for line in told)
    assert any("nations[2].side: expected allies or axis, got axes" in line for line in told)
    assert not any(STAND_IN in line for line in told)


def test_what_follows_from_a_wrong_name_is_not_told_twice(folder: DataFolder) -> None:
    folder.edit("italy", ('id = "gb"', "id = 5"))
    told = faults(load_game(SfwFamily(), folder.path))
    assert [line for line in told if "nations[0].id" in line]
    assert not any(STAND_IN in line for line in told)


WRONG: tuple[Any, ...] = (-1, "?", [], {}, True, None, 10**9)


@pytest.mark.parametrize(
    "family", [game.family for game in games_by_key().values()], ids=list(games_by_key())
)
def test_no_wrong_value_anywhere_breaks_the_loader(family: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file's leaves are broken in turn, a few at a time: faults or a game that starts, never an exception."""
    chance = random.Random(7)
    data = load_game(family).data
    original = scenario_loader._parsed
    for _ in range(40 if "COMPANION_LONG" not in os.environ else 2_000):
        stem = chance.choice(sorted(data.raw))
        broken = msgspec.json.decode(msgspec.json.encode(data.raw[stem]))
        for _n in range(chance.randint(1, 3)):
            place: Any = broken
            while True:
                keys = list(place) if isinstance(place, dict) else list(range(len(place)))
                key = chance.choice(keys)
                below = place[key]
                if isinstance(below, dict | list) and below and chance.random() < 0.9:
                    place = below
                    continue
                place[key] = chance.choice(WRONG)
                break

        def parsed(
            content: bytes, file: str, found: list[Any], broken: Any = broken, stem: str = stem
        ) -> Any:
            return broken if file.endswith(f"/{stem}.toml") else original(content, file, found)

        with monkeypatch.context() as patch:
            patch.setattr(scenario_loader, "_parsed", parsed)
            loaded = load_game(family)
            for info in offers(family, loaded):
                make_setup(family, loaded, info.scenario, {})


def test_a_key_or_table_given_twice_is_named_where_it_stands(folder: DataFolder) -> None:
    folder.edit("italy", ('colour = "green"', 'colour = "green"\ncolour = "blue"'))
    folder.edit("nov42", ("[setup]", "[setup]\n[setup]"))
    folder.edit("apr43", ("[victory]", "[[victory.x]]\n[victory]\nstart = { axis = 1, axis = 2 }"))
    told = {fault.key for fault in load_game(FAMILY, folder.path).faults}
    assert told == {"nations[1].colour", "setup", "victory.start.axis"}


def test_without_the_unofficial_set_the_game_is_played_by_the_rulebook(tmp_path: Path) -> None:
    family = games_by_key()["aana"].family
    (tmp_path / "aana").mkdir()
    (tmp_path / "aana" / "unofficial.toml").write_text("label = 5\n")
    loaded = load_game(family, tmp_path)
    assert loaded.faults
    infos = offers(family, loaded)
    assert [info.scenario for info in infos] == [info.scenario for info in offers(family, load_game(family))]
    assert all(info.options["values"] == ("rulebook",) for info in infos)
    assert make_setup(family, loaded, "torch", {}).options["values"] == "rulebook"
    with pytest.raises(
        DataError, match="options: values: expected rulebook, because the unofficial set has errors"
    ):
        make_setup(family, loaded, "torch", {"values": "unofficial"})


def test_unknown_names_in_the_units_of_north_africa_are_named(tmp_path: Path) -> None:
    family = games_by_key()["aana"].family
    text = (resources.files("scenarios") / "aana" / "units.toml").read_text(encoding="utf-8")
    (tmp_path / "aana").mkdir()
    (tmp_path / "aana" / "units.toml").write_text(
        text.replace('traits = ["supported"]', 'traits = ["suported"]', 1)
    )
    loaded = load_game(family, tmp_path)
    assert [fault.key for fault in loaded.faults] == ["unit[0] (infantry).uk.traits"]
    assert "(nearest: supported), got suported" in str(loaded.faults[0])
    assert offers(family, loaded) == ()
