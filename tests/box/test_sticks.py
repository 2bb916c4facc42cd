"""USB sticks on a real kernel: FAT, exFAT, NTFS, NTFS that was not let go of elsewhere, and one that is not formatted. Long."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.box.guest_sticks import STICKS
from tests.box.kernel import Kernel
from tests.box.machine import Machine

pytestmark = pytest.mark.long
MODULES = (
    "xhci_pci", "usb_storage", "sd_mod", "vfat", "nls_cp437", "nls_ascii", "nls_utf8", "exfat", "ntfs3", "ntfs",
)  # fmt: skip
MAKING = {
    "fat": ["mkfs.vfat"],
    "exfat": ["mkfs.exfat"],
    "ntfs": ["mkfs.ntfs", "-q", "-F", "-f"],
    "dirty": ["mkfs.ntfs", "-q", "-F", "-f"],
    "blank": [],
}
SIZES_MB = {kind: 40 + number for number, kind in enumerate(MAKING)}


def make_stick(folder: Path, kind: str) -> Path:
    """Make a stick as another system formats it."""
    stick = folder / kind
    with stick.open("wb") as file:
        file.truncate(SIZES_MB[kind] << 20)
    if MAKING[kind]:
        subprocess.run([*MAKING[kind], str(stick)], check=True, capture_output=True)
    if kind == "dirty":
        stick.write_bytes(not_let_go_of(stick.read_bytes()))
    return stick


def not_let_go_of(ntfs: bytes) -> bytes:
    """Set the flag of NTFS that says so, in both places.

    Source: fs/ntfs3/ntfs.h of Linux, ATTR_VOL_INFO (0x70), struct VOLUME_INFO, VOLUME_FLAG_DIRTY.
    """
    changed, at = bytearray(ntfs), -1
    while (at := ntfs.find(b"\x70\0\0\0", at + 1)) >= 0:
        content = at + 0x18
        if (
            at % 8 == 0
            and ntfs[content + 8 : content + 10] == b"\x03\x01"
            and not any(ntfs[content : content + 8])
        ):
            changed[content + 10] |= 1
    assert changed != ntfs
    return bytes(changed)


@pytest.fixture(scope="module")
def told(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What one start of the machine told of each stick: how the script ended and its words, whether it is listed, and unread, what
    the program's user wrote and read there, and whether its folder is left."""
    for program, package in (
        ("mkfs.vfat", "dosfstools"),
        ("mkfs.exfat", "exfatprogs"),
        ("mkfs.ntfs", "ntfs-3g"),
    ):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            pytest.skip(f"{package} is not installed")
    folder = tmp_path_factory.mktemp("sticks")
    devices = ["-device", "qemu-xhci,p2=8,p3=8"]
    for kind in MAKING:
        drive = f"file={make_stick(folder, kind)},if=none,format=raw,id={kind}"
        devices += ["-drive", drive, "-device", f"usb-storage,drive={kind}"]
    kinds = {size: kind for kind, size in SIZES_MB.items()}
    with Machine(kernel, folder, "guest_sticks.py", MODULES, devices=devices) as box:
        heard = [box.hear("stick") for _ in range(STICKS)]
        box.hear("done")
    return {kinds[size]: rest for size, *rest in heard}


@pytest.mark.parametrize("kind", ["fat", "exfat", "ntfs"])
def test_a_stick_is_the_programs_to_write(told: dict[str, list[Any]], kind: str) -> None:
    ended, said, is_listed, is_unread, written, listed, is_left = told[kind]
    assert (ended, is_listed, is_unread, written) == (0, True, False, [0, "moved"]), said
    assert "made.txt" in listed[1]
    assert listed[0] == 126, "nothing on a stick can be run"
    assert not is_left


def test_a_stick_that_was_not_let_go_of_elsewhere_can_be_read(told: dict[str, list[Any]]) -> None:
    ended, said, is_listed, is_unread, _written, listed, _is_left = told["dirty"]
    assert (ended, is_listed, is_unread) == (0, True, False), said
    assert listed[1]


def test_a_stick_that_is_not_formatted_is_named_and_leaves_nothing(told: dict[str, list[Any]]) -> None:
    ended, said, is_listed, is_unread, _written, _listed, is_left = told["blank"]
    assert (ended, is_listed, is_unread, is_left) == (1, False, True, False)
    assert said.endswith("cannot be mounted; is it formatted?")
