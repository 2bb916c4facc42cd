"""Copies kept aside are made of damaged files alone, once each, whenever an opening may be killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from session_helpers import Room, do, press

from companion.core import commands as cm
from companion.session import files
from companion.session.journal import Journal, log_path

EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "shutil.copyfile", "sqlite3.connect"}


def killed_opening(path: Path, at: int) -> bool:
    """Open a game in a process that dies at its so many-th touch of a file; return whether it came to its end."""
    child = os.fork()
    if child == 0:
        left = at

        def count(event: str, _args: object) -> None:
            nonlocal left
            if event in EVENTS:
                left -= 1
                if left < 0:
                    os._exit(9)

        sys.addaudithook(count)
        try:
            Journal.open(path)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place of its own for what an opening keeps in memory: those that are killed leave something there."""
    with tempfile.TemporaryDirectory(
        dir=files._MEMORY if os.access(files._MEMORY, os.W_OK) else None
    ) as folder:
        monkeypatch.setattr(files, "_MEMORY", folder)
        yield Path(folder)


def forget(memory: Path) -> None:
    """Take away what killed openings left: each would be one more to look at for the next."""
    for left in memory.iterdir():
        shutil.rmtree(left)


@pytest.fixture
def left_open(quick_folder: Path) -> Path:
    """A game as a power cut leaves it."""
    session = Room(quick_folder).new(tournament=False)
    for number in range(30):
        press(session)
        do(session, cm.AddNote(f"note {number}"))
    session.cut_power()
    return session.path


def copies(path: Path) -> list[Path]:
    """Return what is kept aside beside a game, logs left out."""
    return sorted(one for one in path.parent.iterdir() if one.suffix == path.suffix and one != path)


def test_a_kill_while_opening_a_sound_game_leaves_no_copy(left_open: Path, memory: Path) -> None:
    before = {one: one.read_bytes() for one in (left_open, log_path(left_open))}
    for at in range(1_000):
        for one, data in before.items():
            one.write_bytes(data)
        forget(memory)
        is_ended = killed_opening(left_open, at)
        assert copies(left_open) == [], f"killed at {at}"
        if is_ended:
            break
    assert at > 5
    journal = Journal.open(left_open)
    assert journal.recovery is None
    assert len(journal.rows) == 61
    journal.close()


def test_a_kill_while_opening_a_damaged_game_leaves_one_whole_copy_at_most(
    left_open: Path, memory: Path
) -> None:
    log = bytearray(log_path(left_open).read_bytes())
    log[len(log) // 2] ^= 1
    before = {left_open: left_open.read_bytes(), log_path(left_open): bytes(log)}
    for at in range(1_000):
        for one in left_open.parent.iterdir():
            if one != left_open and ".damaged" in one.name:
                one.unlink()
        for one, whole in before.items():
            one.write_bytes(whole)
        forget(memory)
        is_ended = killed_opening(left_open, at)
        Journal.open(left_open).close()
        kept = copies(left_open)
        assert [one.name for one in kept] == ["game.damaged.tcgame"], f"killed at {at}"
        assert [one.read_bytes() for one in (kept[0], log_path(kept[0]))] == list(before.values())
        if is_ended:
            break
    assert at > 5


def test_what_a_killed_opening_left_in_memory_goes_with_a_later_one(left_open: Path, memory: Path) -> None:
    """Not that of a program that lives or has only just begun: an opening of another program may be under way."""
    at = next(at for at in range(1_000) if not killed_opening(left_open, at) and list(memory.iterdir()))
    assert at > 0
    (left,) = memory.iterdir()
    Journal.open(left_open).cut_power()
    assert left.exists(), "it is new"
    hour_ago = time.time() - 3_600
    os.utime(left, (hour_ago, hour_ago))
    handle = os.open(left, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    Journal.open(left_open).cut_power()
    assert left.exists(), "its program lives"
    os.close(handle)
    Journal.open(left_open).cut_power()
    assert list(memory.iterdir()) == []


def test_a_sound_game_is_opened_without_a_copy_on_a_full_disk(small_disk: Path) -> None:
    from small_disk import fill_up

    session = Room(small_disk).new(tournament=False)
    press(session)
    session.cut_power()
    fill_up(small_disk)
    journal = Journal.open(session.path)
    assert journal.recovery is None
    assert copies(session.path) == []
    journal.close()
