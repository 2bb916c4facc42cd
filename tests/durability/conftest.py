"""Makes the helpers of the durability tests importable and lends them a quick folder."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "session"))


@pytest.fixture
def quick_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: a killed process leaves its writes to the system either way."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1,500 kB, half of it taken by a file named ``filler``."""
    from small_disk import mount, unmount

    place = tmp_path / "disk"
    place.mkdir()
    mount(place, "size=1500k")
    try:
        (place / "filler").write_bytes(bytes(700_000))
        yield place
    finally:
        unmount(place)
