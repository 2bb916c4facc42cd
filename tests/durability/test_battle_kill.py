"""A power cut in the middle of a battle: everything rolled and lost so far is there again, and it plays on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KILL_BATTLE = Path(__file__).parent / "kill_battle.py"


def test_a_battle_goes_on_after_a_kill_at_any_point(quick_folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(KILL_BATTLE), str(quick_folder)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 8, "dice and casualties of several steps"
