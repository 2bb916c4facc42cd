"""Small files that people edit: read strictly, each wrong key named, nothing lost, and nothing ends the program."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from companion.core.text import Say
from companion.games.registry import games_by_key
from companion.pages.corners import STRAIGHT
from companion.pages.settings import SETTING_KINDS
from companion.pages.settings import Settings as BoxSettings
from companion.session.pin import ArbiterPins, PinGuard
from companion.session.printed import PrintedValues
from companion.session.scenario_loader import load_game
from companion.session.sealings import Sealings
from companion.session.settings import Settings, read_json_object
from companion.session.timesource import ManualTime
from companion.session.tries import Tries
from hardware.errors import PinMapError
from hardware.pinmap import load_pinmap
from vision.errors import SetError
from vision.set_files import load_set, save_set, set_path
from vision.sets import DiceSet, Sample

DEEP_TOML = [
    "a = " + "[" * 5_000 + "]" * 5_000,
    "a = " + "{b = " * 5_000 + "1" + "}" * 5_000,
    ".".join(["a"] * 2_000) + " = 1",
]


def test_settings_of_the_box_are_read_strictly_and_what_is_wrong_stays_to_be_corrected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theem": "day", "theme": "purple", "sound": false, "rest_ms": -1, "touch_turn": "+x"}')
    settings = Settings(path, {}, SETTING_KINDS, is_strict=True)
    assert settings.all() == {"sound": False}
    told = str(settings.warning)
    assert "settings.json, theem: expected one of " in told
    assert "(nearest: theme), got theem." in told
    assert "settings.json, theme: expected one of contrast, day, night, got purple." in told
    assert "settings.json, rest_ms: expected a whole number of 0 or more, got -1." in told
    assert "settings.json, touch_turn: expected one of " in told
    settings.change("theme", "day")
    stored = json.loads(path.read_text())
    assert stored == {"theem": "day", "theme": "day", "sound": False, "rest_ms": -1, "touch_turn": "+x"}


def test_every_setting_that_the_program_stores_is_known(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(asdict(BoxSettings()) | {"corners_done": True, "touch_turn": STRAIGHT}))
    assert Settings(path, {}, SETTING_KINDS, is_strict=True).warning is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"theme": "day", "theme": "night"}', "settings.json, theme: expected each key once"),
        ('{"theme": ' + "[" * 60 + "]" * 60 + "}", "expected an object nested only a few levels deep"),
        (" " * (1 << 20) + "{}", "settings.json: expected at most 1 MB, got a larger file."),
    ],
)
def test_a_file_that_cannot_be_meant_so_is_set_aside(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(content)
    settings = Settings(path)
    assert words in str(settings.warning)
    assert settings.all() == {}
    assert (tmp_path / "settings.damaged.json").read_text() == content


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _socket(path: Path) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


@pytest.mark.parametrize("there", [Path.mkdir, os.mkfifo, _loop, _socket])
def test_what_cannot_be_read_is_kept_aside_and_never_written_over(
    there: Callable[[Path], None], tmp_path: Path
) -> None:
    told: list[Say] = []
    time = ManualTime(1_000, boot_id="boot-1", wall_ms=0)

    def tell(text: Say, _hint: Say | None) -> None:
        told.append(text)

    pins = ArbiterPins(tmp_path, PinGuard(tmp_path / "tries.json", time, tell), tell)
    writes: dict[str, Callable[[Path], object]] = {
        "settings": lambda path: Settings(path).change("theme", "day"),
        "tries": lambda path: Tries(path, time, tell).wrong("arbiter"),
        "sealings": lambda path: Sealings(path, tell).note("fleet", "0" * 64),
        "sfw96": lambda _path: PrintedValues(tmp_path).take("sfw96", {"tank.number": 8}),
        "arbiter-pins": lambda _path: pins.new("4827"),
    }
    for stem, write in writes.items():
        path, kept = tmp_path / f"{stem}.json", tmp_path / f"{stem}.damaged.json"
        there(path)
        kind = stat.S_IFMT(path.lstat().st_mode)
        write(path)
        assert stat.S_IFMT(kept.lstat().st_mode) == kind, "what nobody could read is still there"
        assert read_json_object(path)[1] is None, "and what was written since is whole"
    assert len(told) == 3
    assert all(re.search(r"cannot be read: it is not a file\. The file is kept as", str(one)) for one in told)


def test_printed_values_of_another_game_are_named_and_kept_aside(tmp_path: Path) -> None:
    values = PrintedValues(tmp_path)
    values.export("med", tmp_path)
    (tmp_path / "med.json").rename(tmp_path / "sfw96.json")
    assert values.of("sfw96") == {}
    assert str(values.take_warning()).startswith("sfw96.json, game: expected sfw96, got med.")
    assert (tmp_path / "sfw96.damaged.json").exists()


@pytest.mark.parametrize("content", DEEP_TOML, ids=["lists", "tables", "keys"])
def test_a_data_file_nested_too_deep_is_named(content: str, tmp_path: Path) -> None:
    family = games_by_key()["sfw96"].family
    sound = load_game(family, None)
    (tmp_path / "sfw96").mkdir()
    (tmp_path / "sfw96" / "italy.toml").write_text(content)
    found = load_game(family, tmp_path)
    assert len(found.faults) == len(sound.faults) + 1
    assert "sfw96/italy.toml: expected tables nested only a few levels deep" in str(found.faults[-1])


@pytest.mark.parametrize(
    "part", ["a", '"a."', "'a='", '"\\"" '], ids=["bare", "quoted", "literal", "escaped"]
)
def test_a_key_with_dots_without_end_holds_no_start_up(part: str, tmp_path: Path) -> None:
    (tmp_path / "sfw96").mkdir()
    for content in (f"{'.'.join([part] * 50_000)} = 1", f"x = [{{{'.'.join([part] * 50_000)} = 1}}]"):
        (tmp_path / "sfw96" / "italy.toml").write_text(content)
        begun = time.process_time()
        found = load_game(games_by_key()["sfw96"].family, tmp_path)
        assert time.process_time() - begun < 1
        assert "sfw96/italy.toml: expected tables nested only a few levels deep" in str(found.faults[-1])


@pytest.mark.parametrize("content", DEEP_TOML, ids=["lists", "tables", "keys"])
def test_a_pin_map_nested_too_deep_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "pins.toml").write_text(content)
    with pytest.raises(PinMapError, match=r"pins\.toml"):
        load_pinmap(tmp_path / "pins.toml")


def a_set() -> DiceSet:
    """Return a small set of dice."""
    features = tuple(np.round(np.random.default_rng(3).normal(size=4), 4).tolist())
    return DiceSet("mine", tuple(Sample("d12", "white", value, features) for value in range(1, 4)))


def test_a_flipped_bit_in_any_byte_of_a_dice_set_is_told(tmp_path: Path) -> None:
    path = save_set(a_set(), tmp_path)
    sound = path.read_bytes()
    for at in range(len(sound)):
        damaged = bytearray(sound)
        damaged[at] ^= 1 << (at * 5 % 8)
        path.write_bytes(damaged)
        try:
            found = load_set("mine", tmp_path)
        except SetError:
            continue
        assert found == a_set(), f"byte {at}"


def test_a_dice_set_of_before_the_check_sum_is_read(tmp_path: Path) -> None:
    path = save_set(a_set(), tmp_path)
    data = json.loads(path.read_text())
    del data["check"]
    path.write_text(json.dumps(data))
    assert load_set("mine", tmp_path) == a_set()
    data["samples"][0]["value"] = 4
    data["check"] = 1
    path.write_text(json.dumps(data))
    with pytest.raises(SetError, match="check: the set was changed or damaged; learn the set again"):
        load_set("mine", tmp_path)


def test_a_dice_set_that_finds_no_room_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    set_path("mine", tmp_path / "sets").mkdir()
    with pytest.raises(SetError, match="cannot be written"):
        save_set(a_set(), tmp_path / "sets")
    assert [path.name for path in (tmp_path / "sets").iterdir()] == ["mine.dice.json"]


def test_a_pin_map_whose_key_has_dots_without_end_holds_no_start_up(tmp_path: Path) -> None:
    begun = time.process_time()
    for content in (f"{'.'.join(['a'] * 50_000)} = 1", "# a\n" * 300_000):
        (tmp_path / "pins.toml").write_text(content)
        with pytest.raises(PinMapError, match=r"nested too deeply|more than 1000 kB"):
            load_pinmap(tmp_path / "pins.toml")
    assert time.process_time() - begun < 1
