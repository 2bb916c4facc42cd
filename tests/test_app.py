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


def test_the_next_start_tells_where_the_report_of_a_crash_lies(tmp_path: Path) -> None:
    path = CrashFolder(tmp_path / "crashes", "1").write(
        ValueError("in the window"), "the window", ends_program=True
    )
    assert first_line(tmp_path) == (
        f"companion run: the program ended unexpectedly last time; report: {path}"
    )
