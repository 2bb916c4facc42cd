"""Which folders the program takes for USB sticks, and which sticks it finds unread."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.adapters.sticks import is_stick_unread, usb_sticks


def test_a_power_safe_boxs_own_layers_are_no_sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a report went to the system below the overlay, which cannot be written."""
    mounted = [tmp_path / name for name in ("guest/BLUE", "root-ro", "root-rw", "sda1")]
    for path in (*mounted, tmp_path / "a folder"):
        path.mkdir(parents=True)
    monkeypatch.setattr(os.path, "ismount", mounted.__contains__)
    assert usb_sticks([tmp_path]) == [tmp_path / "sda1", tmp_path / "guest/BLUE"]


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., bool]:
    """Asks for an unread stick in a machine with a card, a stick of two partitions and a reader without a card; takes what is mounted."""
    disks = {
        "mmcblk0": "179:0",
        "usb1/sda": "8:0",
        "usb1/sda/sda1": "8:1",
        "usb1/sda/sda2": "8:2",
        "usb2/sdb": "8:16",
    }
    (tmp_path / "block").mkdir()
    for name, device in disks.items():
        folder = tmp_path / "devices" / name
        folder.mkdir(parents=True)
        (folder / "dev").write_text(device + "\n")
        (folder / "size").write_text("0\n" if name.endswith("sdb") else "30720\n")
        if not name.endswith(("1", "2")):
            (tmp_path / "block" / folder.name).symlink_to(folder)

    def ask(*mounted: str) -> bool:
        mounts = tmp_path / "mountinfo"
        mounts.write_text("".join(f"24 1 {device} / /media/x rw - vfat x rw\n" for device in mounted))
        return is_stick_unread(tmp_path / "block", mounts)

    return ask


@pytest.mark.parametrize(
    ("mounted", "is_unread"), [([], True), (["179:0"], True), (["179:0", "8:2"], False), (["8:0"], False)]
)
def test_a_stick_of_which_nothing_is_mounted_is_unread(
    machine: Callable[..., bool], mounted: list[str], is_unread: bool
) -> None:
    assert machine(*mounted) is is_unread


def test_a_machine_that_tells_nothing_of_its_disks_has_no_unread_stick(tmp_path: Path) -> None:
    assert not is_stick_unread(tmp_path / "none", tmp_path / "nothing")
