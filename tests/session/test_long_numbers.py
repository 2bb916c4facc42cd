"""A number of thousands of digits in a file is refused in our own words, whichever reader met it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.games.registry import games_by_key
from companion.odds.battle_file import BattleFileError, decode
from companion.session.bounds import excess, is_plain
from companion.session.errors import FileValueError
from companion.session.portable import read_portable
from companion.session.printed import PrintedValues
from companion.session.scenario_loader import load_game
from companion.session.settings import Settings
from hardware.errors import PinMapError
from hardware.pinmap import parse_pinmap

LONG = "9" * 5_000


def settings(folder: Path) -> str:
    path = folder / "settings.json"
    path.write_text('{\n"rest_ms": ' + LONG + "}", "utf-8")
    return str(Settings(path).warning)


def printed(folder: Path) -> str:
    path = folder / "sfw96.json"
    path.write_text('{"format": "x",\n "values": {"a": ' + LONG + "}}", "utf-8")
    with pytest.raises(FileValueError) as found:
        PrintedValues(folder / "printed").import_file(path)
    return str(found.value)


def scenario(folder: Path) -> str:
    (folder / "sfw96").mkdir()
    (folder / "sfw96" / "italy.toml").write_text(f"a = 1\nb = {LONG}\n", "utf-8")
    return str(load_game(games_by_key()["sfw96"].family, folder).faults[-1])


def portable(text: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        path = folder / "game.jsonl"
        path.write_text(text.replace("LONG", LONG), "utf-8")
        with pytest.raises(FileValueError) as found:
            read_portable(path)
        return str(found.value)

    return read


def battle(text: str) -> Callable[[Path], str]:
    def read(_folder: Path) -> str:
        with pytest.raises(BattleFileError) as found:
            decode(text.replace("LONG", LONG), "b.json")
        return str(found.value)

    return read


def pins(_folder: Path) -> str:
    with pytest.raises(PinMapError) as found:
        parse_pinmap(f"[buttons]\na = {LONG}\n", "pinmap.toml")
    return str(found.value)


READERS: dict[str, tuple[Callable[[Path], str], str]] = {
    "settings": (settings, "line 2: expected a number of at most 308 digits, got one of 5000 digits"),
    "printed values": (printed, "line 2: expected a number of at most 308 digits, got one of 5000 digits"),
    "scenario": (scenario, "line 2: expected a number of at most 308 digits, got one of 5000 digits"),
    "first line": (
        portable('{"format":"table-companion-game","version":LONG}\n'),
        "line 1, key [...]: expected a number that fits, got ",
    ),
    "line": (
        portable('{"at_ms":LONG,"command":"Pause"}\n'),
        "expected a number that fits, got a number beyond 64 bits",
    ),
    "arguments": (
        portable('{"at_ms":1,"command":"Pause","args":{"a":LONG}}\n'),
        "got a number beyond 64 bits",
    ),
    "battle": (battle('{"attacking":[{"count":LONG}]}'), "is no number of a battle. Write a whole number."),
    "fraction": (battle('{"attacking":[{"count":1.LONG}]}'), "is no number of a battle."),
    "infinite": (battle('{"attacking":[{"count":1e999}]}'), "is no number of a battle."),
    "no number": (battle('{"attacking":[{"count":NaN}]}'), "is no number of a battle."),
    "pins": (pins, "not a TOML file (a number has too many digits)"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_number_of_thousands_of_digits_is_refused_in_our_own_words(name: str, tmp_path: Path) -> None:
    read, words = READERS[name]
    told = read(tmp_path)
    assert words in told
    assert "set_int_max_str_digits" not in told
    assert len(told) < 500


def test_a_key_that_stands_twice_in_a_line_is_refused(tmp_path: Path) -> None:
    told = portable('{"at_ms":1,"command":"Pause","args":{"reason":"a","reason":"b"}}\n')(tmp_path)
    assert "line 1, key reason: expected each key once, got the key twice" in told


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{"type":"EndAct","step":"s1.t1","at_ms":1795000000}', True),
        ('{"n":99999,"times":{"at_ms":70368744177}}', True),
        ('{"n":100001}', False),
        ('{"n":-100001}', False),
        ('{"n":9e9}', False),
        ('{"n":123456.5}', False),
        ('{"at_ms":99999999999999}', False),
        ('{"at_ms":{"n":123456}}', False),
        ('{"%s":1}' % ("k" * 81), False),
        (r'{"%s":1}' % (r"\"" * 81), False),
        (r'{"%s":1}' % (r"ab\"" * 27), False),
        (r'{"%s":1}' % (r"ab\u0022" * 27), False),
        ('{"text":"%s"}' % ("t" * 100_001), False),
        ("[" * 41 + "]" * 41, False),
    ],
)
def test_what_is_taken_without_being_taken_apart_is_within_all_bounds(text: str, plain: bool) -> None:
    assert is_plain(text.encode()) == plain
    if plain:
        assert excess(json.loads(text)) is None


def test_nothing_out_of_bounds_is_plain() -> None:
    """Numbers and keys made up by chance, in every place: where one is out of bounds, it is looked at."""
    draw = random.Random(23)
    found = 0
    for _ in range(2_000):
        number = draw.choice((1, -1)) * draw.choice(
            (draw.randrange(10 ** draw.randrange(1, 18)), draw.random() * 1e7)
        )
        key = draw.choice(
            ("n", "at_ms", "seed", "k" * draw.randrange(70, 90), 'a"\\é\n' * draw.randrange(14, 18))
        )
        value = draw.choice((number, [1, number], {key: number}, {"at_ms": [number]}, str(number)))
        text = json.dumps({key: value}, separators=(",", ":"))
        if excess(json.loads(text)) is not None:
            found += 1
            assert not is_plain(text.encode()), text
    assert found > 200
