"""The running program as it is started from a terminal, on a virtual screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from companion.session.crash import CrashFolder


def first_line(home: Path) -> str:
    """Start the program on a data folder, and return the first line that it writes to the terminal."""
    program = subprocess.Popen(
        [sys.executable, "-m", "companion", "run", "--home", str(home), "--no-panel"],
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stderr is not None
        return program.stderr.readline().rstrip("\n")
    finally:
        program.kill()
        program.communicate()


def test_a_fault_of_the_window_leaves_one_crash_file_and_is_told_at_the_next_start(tmp_path: Path) -> None:
    code = (
        "import sys, companion.app as app\n"
        "first = app._Program._first_screen\n"
        "def fail(self):\n"
        "    from kivy.clock import Clock\n"
        "    Clock.schedule_once(lambda dt: 1 / 0)\n"
        "    return first(self)\n"
        "app._Program._first_screen = fail\n"
        "app.main(['--home', sys.argv[1], '--no-panel'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "ZeroDivisionError" in done.stderr
    assert (tmp_path / "photos").is_dir(), "where the Dice screen says that photos are copied to"
    (path,) = (tmp_path / "crashes").glob("*.txt")
    assert path.name.startswith("crash ")
    assert "where: the window" in path.read_text()
    assert first_line(tmp_path) == (
        f"companion run: the program ended unexpectedly last time; report: {path}"
    )


def test_the_next_start_tells_where_the_report_of_a_crash_lies(tmp_path: Path) -> None:
    path = CrashFolder(tmp_path / "crashes", "1").write(
        ValueError("in the window"), "the window", ends_program=True
    )
    assert first_line(tmp_path) == (
        f"companion run: the program ended unexpectedly last time; report: {path}"
    )
