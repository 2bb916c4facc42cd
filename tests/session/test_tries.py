"""Wrong tries count whatever happens to the file in which they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.session.pin import PinGuard, hash_pin
from companion.session.timesource import ManualTime
from companion.session.tries import Tries


def tries_of(path: Path, told: list[str]) -> Tries:
    """Open the tries of a file."""
    return Tries(path, ManualTime(0), lambda text, _hint: told.append(str(text)))


def test_every_flipped_bit_of_the_file_is_told_or_forgives_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tries.json"
    told: list[str] = []
    tries = tries_of(path, told)
    for _ in range(5):
        tries.wrong("italy.tcgame")
    sound = path.read_bytes()
    for at in range(len(sound)):
        for bit in range(8):
            for left in tmp_path.iterdir():
                left.unlink()
            damaged = bytearray(sound)
            damaged[at] ^= 1 << bit
            path.write_bytes(damaged)
            told.clear()
            again = tries_of(path, told)
            again.wait_ms("italy.tcgame")
            assert told or again.wrong("italy.tcgame") >= 20_000, f"byte {at} bit {bit}"


def test_a_damaged_file_is_kept_aside_and_no_more_tries_are_free(tmp_path: Path) -> None:
    path = tmp_path / "tries.json"
    path.write_bytes(b'{"tries":{"game":{"wrong":9,"boot_id":"b","until_ms":0}},"check":1}')
    told: list[str] = []
    tries = tries_of(path, told)
    assert tries.wait_ms("game") == 0
    assert len(told) == 1
    assert told[0].startswith("tries.json, check: expected 1, got ")
    assert told[0].endswith("The file is kept as tries.damaged.json. No more wrong tries are free.")
    assert tries.wrong("game") == 5_000
    assert tries.wrong("other game") == 5_000


def test_tries_of_before_the_check_sum_still_count(tmp_path: Path) -> None:
    path = tmp_path / "tries.json"
    path.write_bytes(b'{"game":{"wrong":3,"boot_id":"boot-1","until_ms":5000}}')
    told: list[str] = []
    tries = tries_of(path, told)
    assert tries.wait_ms("game") == 5_000
    assert tries.wrong("game") == 10_000
    assert told == []


def test_wrong_pins_count_where_no_file_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_bytes(b"")
    told: list[str] = []
    time = ManualTime(0)
    guard = PinGuard(tmp_path / "no folder" / "tries.json", time, lambda text, _hint: told.append(str(text)))
    stored = hash_pin("4711")
    assert not guard.check("game", "0000", stored)
    assert guard.wait_ms("game") == 5_000
    assert not guard.check("game", "4711", stored), "right, but too early: not looked at"
    time.advance(5_000)
    assert guard.check("game", "4711", stored)
    assert told[-1].startswith("Wrong tries cannot be saved: ")
    assert len(told) == len(set(told)), "each is told once"


@pytest.mark.parametrize("deep", [b"[" * 5_000 + b"]" * 5_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000])
def test_a_file_nested_too_deep_is_set_aside(deep: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tries.json"
    path.write_bytes(deep)
    told: list[str] = []
    assert tries_of(path, told).wrong("game") == 5_000
    assert len(told) == 1
    assert (tmp_path / "tries.damaged.json").read_bytes() == deep


def test_a_file_larger_than_any_of_ours_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "tries.json"
    with path.open("wb") as file:
        file.truncate(8 << 30)
    told: list[str] = []
    assert tries_of(path, told).wrong("game") == 5_000
    assert "expected at most 1 MB" in told[0]
