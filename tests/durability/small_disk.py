"""Small real disks: a file system in memory that is full, read-only, or taken away."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["fill_up", "mount", "unmount"]


def mount(place: Path, options: str) -> None:
    """Mount a small file system in memory, or skip where this user or container may not."""
    if shutil.which("mount") is None:
        pytest.skip("no mount command")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"this user may not mount: {done.stderr.strip()}")


def unmount(place: Path) -> None:
    """Take a disk away, whoever still has a file on it open."""
    subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)


def fill_up(place: Path) -> None:
    """Leave not one free page."""
    with (place / "rest").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            return
