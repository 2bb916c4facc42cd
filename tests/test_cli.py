"""The command line finds its commands, says what is wrong in one line and never loads Kivy without need."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from companion.cli import COMMANDS, main
from companion.terminal import legible_output


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run"])
def test_every_command_exists(name: str) -> None:
    entry = COMMANDS[name]
    assert callable(getattr(importlib.import_module(entry.module), entry.function))


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help_names_every_command(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("argv", [["--version", "x"], ["--help", "x"], ["help", "x"], ["help", "odds", "x"]])
def test_what_stands_behind_them_is_not_passed_over(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert f"companion: {argv[0]}: expected nothing behind it, got {argv[1]!r}" in capsys.readouterr().err


def test_help_explains_one_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["help", "flow"])
    assert "usage: companion flow" in capsys.readouterr().out


def test_unknown_command_is_named_with_what_was_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario"]) == 2
    err = capsys.readouterr().err
    assert "'scenario'" in err
    assert "scenarios" in err


def test_commands_without_a_window_load_neither_kivy_nor_a_camera_library() -> None:
    code = (
        "import sys; from companion.cli import main; main(['scenarios']); main(['flow', 'italy']);"
        "bad = [m for m in ('kivy', 'cv2', 'gpiozero', 'serial') if m in sys.modules]; sys.exit(' '.join(bad) or 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "s1.t4.allies.move" in run.stdout


def test_a_closed_pipe_is_no_traceback() -> None:
    run = subprocess.run(
        f"{sys.executable} -m companion flow apr43 | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("argv", [["odds"], ["import"], ["film", "x"], ["hall", "show"], ["read-dice"]])
def test_a_name_moves_no_cursor_and_a_name_that_is_no_text_ends_nothing(
    argv: list[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    name = os.fsdecode(b"\xff\x1b[2J\xe2\x80\xae.png")
    (tmp_path / name).write_bytes(b"nothing")
    where = str(tmp_path / name)
    with suppress(SystemExit):  # of argparse
        main([argv[0], where, str(tmp_path)] if argv[0] == "film" else [*argv, where])
    out = b"".join(capfdbinary.readouterr())
    assert b"\\u001b" in out
    assert b"\x1b" not in out
    assert "\u202e".encode() not in out
    assert b"Traceback" not in out


def test_what_is_shown_of_a_stranger_in_json_is_still_json(capsys: pytest.CaptureFixture[str]) -> None:
    with legible_output():
        print(json.dumps({"name": "\u202e\x85\x1b\udcff"}, ensure_ascii=False))
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"name": "\u202e\x85\x1b\udcff"}
    assert printed.isascii()
