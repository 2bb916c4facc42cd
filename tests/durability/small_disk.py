"""Small real disks: a file system in memory that is full, read-only, or taken away."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["fail", "fill_up", "mount", "mount_card", "unmount"]


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


def mount_card(image: Path, place: Path) -> None:
    """Mount an ext4 file system that turns read-only at its first error, as a box's card does, or skip."""
    with image.open("wb") as file:
        file.truncate(8 << 20)
    for command in (
        ["mkfs.ext4", "-q", "-F", str(image)],
        ["mount", "-o", "loop,errors=remount-ro", str(image), str(place)],
    ):
        if shutil.which(command[0]) is None:
            pytest.skip(f"no {command[0]} command")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"this user may not mount: {done.stderr.strip()}")


def fail(place: Path) -> None:
    """Let the card's file system meet an error: it is read-only from now on, under everything that is open on it."""
    done = subprocess.run(
        ["mount", "-o", "remount,abort", str(place)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"this file system cannot be made to fail: {done.stderr.strip()}")


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
