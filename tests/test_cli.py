"""The command line finds its commands, says what is wrong in one line and never loads Kivy without need."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from companion.cli import COMMANDS, main


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run"])
def test_every_command_exists(name: str) -> None:
    entry = COMMANDS[name]
    assert callable(getattr(importlib.import_module(entry.module), entry.function))


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help_names_every_command(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


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
