"""Killed without warning at any moment, the game keeps every entry that anyone has heard of."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KILL_GAME = Path(__file__).parent / "kill_game.py"


def kill(folder: Path, count: int, seed: int) -> dict[str, int]:
    """Run the killer and return its totals."""
    done = subprocess.run(
        [sys.executable, str(KILL_GAME), str(folder), str(count), str(seed)],
        capture_output=True,
        text=True,
        timeout=600 + 10 * count,  # a busy machine takes its time
        check=False,
    )
    assert done.returncode == 0, done.stderr
    totals: dict[str, int] = json.loads(done.stdout)
    return totals


def check(totals: dict[str, int], count: int) -> None:
    """A kill leaves no damage: the system keeps what the dead process wrote."""
    assert totals["kills"] == count
    assert totals["acknowledged"] > 10 * count
    assert totals["damaged"] == 0


def test_every_acknowledged_entry_survives_200_kills(quick_folder: Path) -> None:
    check(kill(quick_folder, 200, seed=20431), 200)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_every_acknowledged_entry_survives_5000_kills(quick_folder: Path, seed: int) -> None:
    check(kill(quick_folder, 1_000, seed=seed), 1_000)
