"""A card as Raspberry Pi Imager leaves it, in a machine under emulation: Debian with cloud-init as Raspberry Pi OS sets it up.

Raspberry Pi's own archive and processor are not here; what cloud-init, systemd, apt and the installer do with the card is.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.box.kernel import CACHE, MissingError
from tests.box.seat import card_boot

__all__ = ["USER_DATA", "Card", "Start", "fetch_system", "write_card"]

BOOT_MB, ROOM_MB = 512, 4000
"""The boot partition of Raspberry Pi OS, and what is free on the system's partition."""
PACKAGES = (
    "systemd", "systemd-sysv", "udev", "dbus", "kmod", "e2fsprogs", "initramfs-tools", "linux-image-amd64", "cloud-init", "python3",
    "ca-certificates", "openssl", "sudo", "adduser", "iproute2", "fdisk", "zstd", "console-setup",
)  # fmt: skip
FSTAB = "/dev/vda1 /boot/firmware vfat defaults 0 2\n/dev/vda2 / ext4 defaults,noatime 0 1\n"
SEED = "datasource_list: [ NoCloud, None ]\ndatasource:\n  NoCloud:\n    seedfrom: file:///boot/firmware\n"
"""As in Raspberry Pi OS."""
USER_DATA = """#cloud-config
hostname: games
timezone: Europe/Berlin
users:
- name: anna
  groups: users,adm,dialout,audio
  shell: /bin/bash
  lock_passwd: false
  passwd: $5$abc$def
"""
"""What Imager writes where a user was set up in it."""
START_LINE = "root=/dev/vda2 rw console=ttyS0 no_timer_check systemd.default_device_timeout_sec=1200 "


def run(*command: object, **more: str) -> str:
    """Run a program, and return what it said."""
    done = subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True, env=more or None
    )
    return done.stdout


def fetch_system() -> Path:
    """Return a folder with the system of such a card, made once.

    Raises:
        MissingError: it cannot be made.
    """
    folder = CACHE / "system"
    if not (folder / "etc/machine-id").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = subprocess.run(
            ["mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "--aptopt=Acquire::Languages none",
             "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=force-unsafe-io", "trixie", str(folder), "http://deb.debian.org/debian"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            raise MissingError(
                f"the card's system could not be made: {(made.stderr.strip() or '?').splitlines()[-1]}"
            )
        (folder / "etc/fstab").write_text(FSTAB)
        (folder / "etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg").write_text(SEED)
        (folder / "boot/firmware").mkdir()
        (folder / "etc/machine-id").write_text("")
    return folder


@dataclass(frozen=True)
class Card:
    """A card: its file, and the kernel and the start image that the firmware would take from it."""

    image: Path
    kernel: Path
    starter: Path

    def said(self) -> str:
        """Return the first start's log as another computer would read it, empty while there is none."""
        done = subprocess.run(
            ["mtype", "-n", "-i", f"{self.image}@@{1 << 20}", "::table-companion/first-start.log"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout.replace("\r\n", "\n")

    def file(self, path: str) -> str:
        """Return a file of the card's system; empty where it is none."""
        return run("debugfs", "-R", f"cat {path}", f"{self.image}?offset={(1 + BOOT_MB) << 20}")


def write_card(system: Path, boot: Path, folder: Path) -> Card:
    """Write a card with the files of `boot` on its boot partition."""
    parts = (folder / "boot.part", folder / "root.part")
    run("mkfs.vfat", "-C", "-F", "32", "-n", "BOOTFS", parts[0], BOOT_MB << 10)
    run("mcopy", "-s", "-m", "-Q", "-i", parts[0], *boot.iterdir(), "::")
    used_mb = int(run("du", "-sm", "--apparent-size", system).split()[0])
    root_mb = used_mb + used_mb // 8 + ROOM_MB
    run(
        "mke2fs",
        "-q",
        "-t",
        "ext4",
        "-b",
        "4096",
        "-m",
        "0",
        "-L",
        "rootfs",
        "-d",
        system,
        parts[1],
        f"{root_mb}M",
    )
    image = folder / "card.img"
    with image.open("wb") as file:
        file.truncate(1 + BOOT_MB + root_mb << 20)
    table = f"label: dos\nunit: sectors\n2048,{BOOT_MB << 11},c,*\n{1 + BOOT_MB << 11},{root_mb << 11},83\n"
    subprocess.run(["sfdisk", "--quiet", str(image)], input=table, text=True, check=True)
    for part, at_mb in zip(parts, (1, 1 + BOOT_MB), strict=True):
        run("dd", f"if={part}", f"of={image}", "bs=1M", f"seek={at_mb}", "conv=notrunc,sparse", "status=none")
        part.unlink()
    return Card(image, (system / "vmlinuz").resolve(), (system / "initrd.img").resolve())


class Start:
    """One start of a card without a network, from power on until the plug is pulled: the end of the block it stands in."""

    def __init__(self, card: Card, folder: Path) -> None:
        """Put the card in; what the kernel says goes into `folder`."""
        folder.mkdir()
        self._card, self._folder = card, folder
        self._before = card.said()

    def __enter__(self) -> Self:
        slow = base64.b64encode(card_boot.SLOW.encode()).decode()
        line = (
            f"{START_LINE} systemd.set_credential_binary=systemd.unit-dropin.table-companion.service:{slow}"
        )
        command = card_boot.command(
            "x86_64",
            self._card.image,
            (self._card.kernel, self._card.starter),
            line,
            self._folder / "monitor",
        )
        self._console = (self._folder / "console").open("wb")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._console, stderr=subprocess.STDOUT
        )
        while not (self._folder / "monitor").exists():
            assert self._process.poll() is None, "the machine did not start"
            time.sleep(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._console.close()
        if error is not None:
            print((self._folder / "console").read_text(errors="replace")[-6000:])

    def wait_for(self, words: str, seconds: float) -> str:
        """Wait until this start has written words into the log, and return what it has written."""
        latest = time.monotonic() + seconds
        while words not in (said := self._card.said().removeprefix(self._before)):
            assert self._process.poll() is None, f"the machine ended before {words!r}"
            assert time.monotonic() < latest, f"{words!r} was never written; there is {said!r}"
            time.sleep(1)
        return said

    def picture(self, path: Path, seconds: float) -> int:
        """Keep what the screen shows once it is more than a text console could, and return how many colours it has."""
        latest = time.monotonic() + seconds
        while True:
            colours = int(card_boot.screendump(self._folder / "monitor", path))
            if colours > card_boot.CONSOLE_COLOURS or time.monotonic() > latest:
                return colours
            time.sleep(5)
