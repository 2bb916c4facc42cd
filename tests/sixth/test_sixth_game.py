"""A sixth game is a folder: it is found, listed, started, played to its end in the window, and its file opened again.

The folders are this test's own (`games/nim`, `data/nim`); nothing that the games share names it. It plays in a process of
its own, since a program has one set of games.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_a_folder_is_a_game_that_is_played_to_its_end_in_the_window(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(HERE / "data")
    done = subprocess.run(
        [sys.executable, str(HERE / "play.py"), str(tmp_path)],
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "played"


def test_no_shared_file_names_the_sixth_game() -> None:
    top = HERE.parents[1]
    shared = [
        *(top / "companion").rglob("*.py"),
        *(top / "companion").rglob("*.kv"),
        *(top / "scenarios").rglob("*"),
    ]
    assert [
        str(path) for path in shared if path.is_file() and "nim_" in path.read_text("utf-8", "ignore")
    ] == []
