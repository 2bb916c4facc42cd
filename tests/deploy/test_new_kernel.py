"""Power-safe mode when Debian brings another kernel: in a plain root, with the real packages, start images and hooks.

Long: minutes. Needs root, debootstrap and loop devices. COMPANION_TEST_BARE_ROOT_TRIXIE names a bare root made before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("roots")]

DEPLOY = Path(__file__).parents[2] / "deploy"
LINE = "console=tty1 root=LABEL=ROOTFS rootwait"
OPTION = "overlayroot=tmpfs:recurse=0"
APT = "DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Options::=--force-unsafe-io"


class Plain:
    """A Debian root with a kernel, a start line, a partition for games and the box's own script."""

    def __init__(self, path: Path, device: str) -> None:
        self.path, self.device = path, device
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc", name), path / "etc" / name)
        (path / "boot/firmware").mkdir(parents=True)
        (path / "boot/firmware/cmdline.txt").write_text(LINE + "\n")
        tools = path / "opt/table-companion/bin"
        tools.mkdir(parents=True)
        for name, script in (
            ("companion-power-safe", "power-safe"),
            *((one, one) for one in ("lib.sh", "verify.sh")),
        ):
            shutil.copy(DEPLOY / script, tools / name)
        self.run(f"useradd --system companion; mkdir -p /var/lib/table-companion; {APT} update")

    def run(self, script: str, check: bool = True) -> str:
        """Run a script inside and return all that it said."""
        enter = (
            'mount -t proc proc "$0/proc"; mount -t sysfs sysfs "$0/sys"; mount --rbind /dev "$0/dev"; '
            'exec chroot "$0" /bin/bash -ec "$1"'
        )
        done = subprocess.run(
            ["unshare", "--mount", "--propagation=private", "sh", "-ec", enter, str(self.path), script],
            capture_output=True, text=True, check=False, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def power_safe(self, *words: str, check: bool = True) -> str:
        return self.run(" ".join(["/opt/table-companion/bin/companion-power-safe", *words]), check)

    def kernels(self) -> list[str]:
        return sorted(path.name.removeprefix("vmlinuz-") for path in (self.path / "boot").glob("vmlinuz-*"))


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Plain]:
    """A root that starts with Debian's small kernel for machines under emulation."""
    if os.geteuid() != 0:
        pytest.skip("a Debian root is made by root only")
    for program in ("debootstrap", "losetup", "mkfs.ext4"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    games = tmp_path / "games.img"
    games.touch()
    os.truncate(games, 16 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(games)], check=True)
    attached = subprocess.run(
        ["losetup", "-f", "--show", str(games)], capture_output=True, text=True, check=False
    )
    if attached.returncode:
        pytest.skip("there are no loop devices here")
    device = attached.stdout.strip()
    try:
        ready = os.environ.get("COMPANION_TEST_BARE_ROOT_TRIXIE")
        making = ["cp", "-a", ready] if ready else ["debootstrap", "--variant=minbase", "trixie"]
        subprocess.run([*making, str(tmp_path / "root")], check=True, capture_output=True, timeout=3_000)
        made = Plain(tmp_path / "root", device)
        made.run(
            f"{APT} install --no-install-recommends -y linux-image-cloud-amd64 initramfs-tools >/dev/null 2>&1"
        )
        yield made
    finally:
        subprocess.run(["losetup", "-d", device], check=True)
        shutil.rmtree(tmp_path / "root", ignore_errors=True)


def test_a_kernel_that_comes_later_starts_power_safe_too(plain: Plain) -> None:
    (first,) = plain.kernels()
    assert "busybox" not in plain.run(f"lsinitramfs /boot/initrd.img-{first}"), "Debian brings none by itself"
    assert "power-safe mode is on from the next restart" in plain.power_safe("on", plain.device)
    assert (plain.path / "boot/firmware/cmdline.txt").read_text() == f"{LINE} {OPTION}\n"

    said = plain.run(f"{APT} install --no-install-recommends -y linux-image-amd64 2>&1")
    (second,) = set(plain.kernels()) - {first}
    assert "would not be safe" not in said
    names = plain.run(f"lsinitramfs /boot/initrd.img-{second}")
    for wanted in ("bin/busybox", "scripts/init-bottom/overlayroot", "overlay.ko"):
        assert wanted in names
    # Not under its overlay here, and both start images would do: only the first is said.
    status = plain.power_safe("status", check=False)
    assert status.startswith("off: it is asked for in /boot/firmware/cmdline.txt")
    assert "would not be safe" not in status

    # Whatever takes busybox away: the next image that is made is looked into, and the mode will not be switched on with it.
    said = plain.run(
        f"dpkg --purge --force-depends busybox >/dev/null 2>&1; update-initramfs -u -k {second} 2>&1"
    )
    assert f"the next start would not be safe: /boot/initrd.img-{second}: lacks busybox" in said
    assert f"/boot/initrd.img-{second}: lacks busybox" in plain.power_safe("status", check=False)
    plain.power_safe("on", plain.device)  # brings it back, and makes the images anew
    assert "bin/busybox" in plain.run(f"lsinitramfs /boot/initrd.img-{second}")
