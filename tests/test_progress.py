"""A slow command says on a terminal that it works and how far it is, and nothing anywhere else."""

from __future__ import annotations

import io
import itertools
import os
import sys
import threading

import pytest

from companion.progress import working
from companion.terminal import legible_output


def read_until(seen: io.FileIO, end: str) -> str:
    """Return what a terminal shows up to an end, which comes in as many parts as the system likes."""
    text = ""
    while not text.endswith(end):
        text += seen.read(4096).decode()
    return text


def test_a_terminal_is_told_how_far_a_slow_command_is_and_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    count, is_told = itertools.count(1), threading.Event()

    def how_far() -> str:
        number = next(count)
        if number == 3:  # the first two have been written
            is_told.set()
        return f"{number} of 9 lines"

    with open(ours, "rb", buffering=0) as seen, open(terminal, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        with legible_output(), working("companion replay", how_far, after_s=0.01, every_s=0.005):
            assert is_told.wait(30)
        text = read_until(seen, "lines (0 s)\r\x1b[K")
    assert "\r\x1b[Kcompanion replay: 1 of 9 lines (0 s)\r\x1b[Kcompanion replay: 2 of 9 lines (0 s)" in text
    assert text.endswith("\r\x1b[K")


def test_what_is_printed_meanwhile_takes_the_place_of_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    is_told = threading.Event()
    with open(ours, "rb", buffering=0) as seen, open(terminal, "w", encoding="utf-8", buffering=1) as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        monkeypatch.setattr(sys, "stdout", stderr)
        with (
            legible_output(),
            working("companion hall", lambda: is_told.set() or "far", after_s=0.01, every_s=60),
        ):
            assert is_told.wait(30)
            print("round \x1b[31m1")
            print("table 2: no such table", file=sys.stderr)
        assert (sys.stdout, sys.stderr) == (stderr, stderr)
        text = read_until(seen, "table\r\n")
    assert text == "\r\x1b[Kcompanion hall: far (0 s)\r\x1b[Kround \\u001b[31m1\r\ntable 2: no such table\r\n"


def test_a_quick_command_says_nothing_nor_does_one_whose_errors_go_into_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, terminal = os.openpty()
    with open(ours, "rb", buffering=0), open(terminal, "w", encoding="utf-8") as stderr:
        os.set_blocking(ours, False)
        monkeypatch.setattr(sys, "stderr", stderr)
        with working("companion replay", after_s=60):
            pass
        with pytest.raises(BlockingIOError):
            os.read(ours, 100)
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with working("companion replay", after_s=0, every_s=0):
        assert threading.active_count() == len([t for t in threading.enumerate() if t.name != "progress"])
    assert file.getvalue() == ""
