"""Time from the machine and by hand."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from companion.session.timesource import ManualTime, SystemTime, TimeSource


@pytest.mark.parametrize("source", [SystemTime(), ManualTime(5)])
def test_every_source_answers_every_question(source: TimeSource) -> None:
    assert source.boot_id
    assert source.now_ms() >= 0
    assert source.slept_ms() >= 0
    assert source.wall_ms() > 1_600_000_000_000
    condition = threading.Condition()
    with condition:
        source.wait(condition, source.now_ms())  # has come: returns at once


def test_the_system_time_is_the_monotonic_clock_of_this_boot() -> None:
    source = SystemTime()
    before = time.monotonic_ns() // 1_000_000
    assert before <= source.now_ms() <= time.monotonic_ns() // 1_000_000
    assert source.boot_id == SystemTime().boot_id


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_without_a_boot_id_each_process_is_a_boot_of_its_own(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "boot_id"
    if content is not None:
        file.write_bytes(content)
    first, second = SystemTime(file).boot_id, SystemTime(file).boot_id
    assert first.startswith("process-")
    assert first != second


def test_manual_time_moves_only_by_hand() -> None:
    source = ManualTime(100, wall_ms=1_000)
    source.advance(50)
    assert (source.now_ms(), source.wall_ms(), source.slept_ms()) == (150, 1_050, 0)
    source.sleep_machine(70)
    assert (source.now_ms(), source.wall_ms(), source.slept_ms()) == (150, 1_120, 70)
    source.jump_wall(-500)
    assert (source.now_ms(), source.wall_ms()) == (150, 620)
    source.to(140)
    assert source.now_ms() == 150
    source.to(200)
    assert source.now_ms() == 200
    source.reboot("boot-2", 7, away_ms=30)
    assert (source.boot_id, source.now_ms(), source.slept_ms(), source.wall_ms()) == ("boot-2", 7, 0, 700)
    with pytest.raises(ValueError, match="monotonic time never goes back: -1 ms asked"):
        source.advance(-1)


def test_moving_the_clock_wakes_who_waits() -> None:
    source = ManualTime(0)
    condition = threading.Condition()
    woken = threading.Event()
    waiting = threading.Event()

    def wait() -> None:
        with condition:
            waiting.set()
            while source.now_ms() < 10:
                source.wait(condition, 10)
        woken.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert waiting.wait(10)
    with condition:  # held: the other has let go of it, so it waits
        pass
    source.advance(9)
    assert not woken.is_set()
    source.advance(1)
    assert woken.wait(10)
    thread.join(10)
