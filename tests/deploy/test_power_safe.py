"""Power-safe mode says "on" only where the mount says so, and is switched on only where the next start would hold."""

from __future__ import annotations

import os
import subprocess

import pytest

LINE = "console=tty1 root=PARTUUID=1-02 rootfstype=ext4 fsck.repair=yes rootwait"
OPTION = "overlayroot=tmpfs:recurse=0"
WHOLE = "usr/bin/busybox\nscripts/init-bottom/overlayroot\nusr/lib/modules/6.12.1-v8/kernel/fs/overlayfs/overlay.ko.xz\n"


@pytest.fixture
def pi(box, tmp_path):
    """A box with a start line and a start image; what is in the image is what the file says (lsinitramfs is pretended)."""
    firmware = box.root / "boot/firmware"
    firmware.mkdir(parents=True)
    (firmware / "cmdline.txt").write_text(LINE + "\n")
    (firmware / "config.txt").write_text("auto_initramfs=1\n")
    (box.root / "boot/initrd.img-6.12.1-v8").write_text(WHOLE)
    (box.root / "etc/fstab").write_text("proc /proc proc defaults 0 0\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "lsinitramfs").write_text('#!/bin/sh\nexec cat "$1"\n')
    (tools / "lsinitramfs").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    box.power_safe = lambda *words, check=True: box.run("power-safe", *words, check=check, PATH=path)
    box.boot = (firmware / "cmdline.txt").read_text
    return box


def test_on_and_off(pi):
    assert pi.power_safe("status").stdout == "off\n"
    dry = pi.power_safe("on", "UUID=77", "--dry-run").stdout
    assert "would write /boot/firmware/cmdline.txt" in dry
    assert pi.boot() == LINE + "\n"
    for _ in range(2):
        pi.power_safe("on", "UUID=77")
        assert pi.boot() == f"{LINE} {OPTION}\n"
    fstab = (pi.root / "etc/fstab").read_text()
    assert fstab.startswith("proc /proc proc defaults 0 0\n")
    assert fstab.count("UUID=77 /var/lib/table-companion ext4 noatime,") == 1
    drop_in = (pi.root / "etc/systemd/system/table-companion.service.d/games.conf").read_text()
    assert "RequiresMountsFor=/var/lib/table-companion" in drop_in
    # Without the stick the box starts all the same, and says what is missing.
    assert ",nofail 0 2" in fstab
    assert "OnFailure=table-companion-no-games.service" in drop_in
    hook = pi.root / "etc/initramfs/post-update.d/zz-table-companion"
    assert "companion-power-safe status" in hook.read_text()
    pi.power_safe("off")
    assert not hook.exists()
    assert pi.boot() == LINE + "\n"
    assert (pi.root / "etc/fstab").read_text() == fstab
    assert pi.power_safe("status").stdout == "off\n"


def test_the_start_line_alone_is_not_on(pi):
    """It was asked for, and the system is not under an overlay: as after a start image without busybox."""
    pi.power_safe("on", "UUID=77")
    done = pi.power_safe("status", check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(
        "off: it is asked for in /boot/firmware/cmdline.txt, but the system is not under an overlay"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_the_mount_alone_is_on(pi, tmp_path):
    """A real overlay, asked by the real findmnt."""
    pi.power_safe("on", "UUID=77")
    for name in ("upper", "work", "under"):
        (tmp_path / "over" / name).mkdir(parents=True)
    over = tmp_path / "over"
    tmpfs = ["mount", "-t", "tmpfs", "tmpfs", str(over)]
    if subprocess.run(tmpfs, capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        for name in ("upper", "work"):
            (over / name).mkdir()
        options = f"lowerdir={pi.root},upperdir={over}/upper,workdir={over}/work"
        overlay = ["mount", "-t", "overlay", "overlay", "-o", options, str(pi.root)]
        if subprocess.run(overlay, capture_output=True, check=False).returncode:
            pytest.skip("no overlay may be mounted here")
        try:
            assert pi.power_safe("status").stdout == "on\n"
            pi.power_safe("off")
            assert pi.power_safe("status").stdout == "on until the next restart, off from then on\n"
        finally:
            subprocess.run(["umount", "--lazy", str(pi.root)], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(over)], check=True)


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (WHOLE.replace("usr/bin/busybox\n", ""), "lacks busybox"),
        (WHOLE.replace("scripts/init-bottom/overlayroot\n", ""), "lacks overlayroot"),
        (WHOLE.replace("overlay.ko", "ext4.ko"), "lacks overlay.ko"),
        ("", "lacks busybox overlayroot overlay.ko"),
    ],
)
def test_a_start_image_that_would_go_on_without_the_overlay_keeps_it_off(pi, names, missing):
    (pi.root / "boot/initrd.img-6.12.1-v8").write_text(names)
    done = pi.power_safe("on", "UUID=77", check=False)
    assert done.returncode == 1
    assert (
        f"power-safe mode would not hold, so it stays off: /boot/initrd.img-6.12.1-v8: {missing}"
        in done.stderr
    )
    assert pi.boot() == LINE + "\n"
    assert (pi.root / "etc/fstab").read_text() == "proc /proc proc defaults 0 0\n"


def test_a_kernel_with_the_overlay_built_in_is_as_good(pi):
    (pi.root / "boot/initrd.img-6.12.1-v8").write_text(WHOLE.replace("overlay.ko", "ext4.ko"))
    modules = pi.root / "lib/modules/6.12.1-v8"
    modules.mkdir(parents=True)
    (modules / "modules.builtin").write_text("kernel/fs/overlayfs/overlay.ko\n")
    pi.power_safe("on", "UUID=77")
    assert OPTION in pi.boot()


@pytest.mark.parametrize("where", ["boot/initrd.img-6.12.2-v8", "boot/firmware/initramfs_2712"])
def test_a_kernel_that_came_later_is_looked_at_too(pi, where):
    """Its start image lacks what the old one had; the status says so before the next start does it silently."""
    pi.power_safe("on", "UUID=77")
    (pi.root / where).write_text(WHOLE.replace("usr/bin/busybox\n", ""))
    done = pi.power_safe("status", check=False)
    assert done.returncode == 1
    assert f"the next start would not be safe: /{where}: lacks busybox" in done.stdout
    assert pi.power_safe("on", "UUID=77", check=False).returncode == 1


def test_a_start_line_that_each_kernel_writes_anew_keeps_the_option(pi):
    """Debian's raspi-firmware makes cmdline.txt of its own settings and of one file that is ours to write."""
    (pi.root / "etc/default").mkdir()
    (pi.root / "etc/default/raspi-firmware").write_text("#ROOTPART=LABEL=RASPIROOT\n")
    extra = pi.root / "etc/default/raspi-extra-cmdline"
    extra.write_text("quiet\n")
    for _ in range(2):
        pi.power_safe("on", "UUID=77")
        assert extra.read_text() == f"quiet {OPTION}\n"
    pi.power_safe("off")
    assert extra.read_text() == "quiet\n"


def test_it_needs_a_partition_a_pi_and_a_start_image_that_is_used(pi):
    assert "name the partition for the games" in pi.power_safe("on", check=False).stderr
    (pi.root / "boot/firmware/config.txt").write_text("# auto_initramfs=1\n")
    assert (
        "lacks auto_initramfs=1, so the start image is not used"
        in pi.power_safe("on", "UUID=7", check=False).stderr
    )
    (pi.root / "boot/initrd.img-6.12.1-v8").unlink()
    assert "there is no start image (initramfs)" in pi.power_safe("on", "UUID=7", check=False).stderr
    (pi.root / "boot/firmware/cmdline.txt").unlink()
    assert "power-safe mode is for Raspberry Pi OS" in pi.power_safe("status", check=False).stderr
