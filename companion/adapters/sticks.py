"""USB sticks: where they are mounted, and whether one is plugged in that nothing can read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

__all__ = ["is_stick_unread", "usb_sticks"]

_LAYERS = frozenset({"root-ro", "root-rw"})
"""What a power-safe box has under /media besides sticks: the system below its overlay, and what was written over it.

Source: overlayroot's initramfs script, its names root_ro and root_rw."""


def usb_sticks(roots: Sequence[Path] = (Path("/media"), Path("/run/media"))) -> list[Path]:
    """Return the mounted folders of USB sticks, by the places where desktops and the box mount them."""
    found = []
    for root in roots:
        for depth in ("*", "*/*"):
            found += [path for path in sorted(root.glob(depth)) if path.is_dir() and os.path.ismount(path)]
    return [path for path in found if path.name not in _LAYERS]


def is_stick_unread(disks: Path = Path("/sys/block"), mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """Whether a disk on USB is there of which nothing is mounted: not formatted, or in a way that this system does not know.

    Source: the kernel's Documentation/ABI/stable/sysfs-block (dev, size), and proc(5): a mount's third word is its device.
    """
    try:
        in_use = {line.split()[2] for line in mounts.read_text().splitlines()}
        return any(not in_use & _devices(disk) for disk in disks.iterdir() if _is_usb(disk))
    except (OSError, IndexError):  # pulled meanwhile, or no such system
        return False


def _is_usb(disk: Path) -> bool:
    """A disk on USB with something in it: a reader without a card has no size."""
    return "/usb" in str(disk.resolve()) and (disk / "size").read_text().strip() != "0"


def _devices(disk: Path) -> set[str]:
    """Return the numbers of a disk and of its partitions, as the list of mounts writes them."""
    return {path.read_text().strip() for path in (disk / "dev", *disk.glob("*/dev"))}
