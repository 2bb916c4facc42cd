"""Whatever of its unsynced writes the disk kept, every acknowledged entry is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from recording_vfs import why_not

CRASH_IMAGES = Path(__file__).parent / "crash_images.py"
MISSING = why_not()

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def images(folder: Path, count: int, seed: int) -> dict[str, int]:
    """Run the recorder and return its totals."""
    done = subprocess.run(
        [sys.executable, str(CRASH_IMAGES), str(folder), str(count), str(seed)],
        capture_output=True,
        text=True,
        timeout=600 + 10 * count,  # a busy machine takes its time
        check=False,
    )
    assert done.returncode == 0, done.stderr
    totals: dict[str, int] = json.loads(done.stdout)
    return totals


def check(totals: dict[str, int], count: int) -> None:
    """Each entry is synced on its own, and most pictures have something to lose."""
    assert totals["images"] == count
    assert totals["syncs"] > 3 * 260
    assert totals["unsynced"] > count // 3


def test_every_acknowledged_entry_is_in_200_crash_images(quick_folder: Path) -> None:
    check(images(quick_folder, 200, seed=1943), 200)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_every_acknowledged_entry_is_in_10000_crash_images(quick_folder: Path, seed: int) -> None:
    check(images(quick_folder, 2_000, seed=seed), 2_000)
