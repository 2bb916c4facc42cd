"""The image of a whole card: what lies where in it, what it refuses; and, long, made for real and started under emulation."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
CARD = TOP / "deploy/card"
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
OWNERS = () if os.geteuid() == 0 else ("fakeroot",)
"""What an ordinary user needs besides, so that the files in an image are root's."""


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program, path=PATH) is None:
            pytest.skip(f"{program} is not installed")


def run(*command: object, **changes: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": PATH, **changes}
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env=env, check=False
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder that stands for a system: enough for the file, not for a start."""
    need("sfdisk", "mkfs.vfat", "mcopy", "mke2fs", "debugfs", *OWNERS)
    folder = tmp_path / "tree"
    for name, text in {
        "etc/passwd": "root:x:0:0::/root:/bin/sh\ncompanion:x:990:989::/:/bin/false\n",
        "etc/fstab": "UUID=x / ext4 defaults 0 1\n",
        "boot/firmware/cmdline.txt": "root=UUID=x overlayroot=tmpfs:recurse=0\n",
        "boot/firmware/overlays/one.dtbo": "an overlay",
        "boot/vmlinuz-6": "a kernel",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_file_holds_firmware_system_and_games_in_this_order(tree: Path, tmp_path: Path):
    out = tmp_path / "card.img"
    small = {"COMPANION_BOOT_MB": "34", "COMPANION_ROOT_SPARE_MB": "8", "SOURCE_DATE_EPOCH": "1"}
    done = run(CARD / "image", out, "--tree", tree, **small)
    assert done.returncode == 0, done.stderr
    assert "experimental" in done.stdout
    table = json.loads(run("sfdisk", "--json", out).stdout)["partitiontable"]
    parts = table["partitions"]
    assert [part["type"] for part in parts] == ["c", "83", "83"]
    assert all(
        before["start"] + before["size"] == part["start"] for before, part in itertools.pairwise(parts)
    )
    # The games come last, and nothing after them: only so can they grow.
    assert (parts[2]["start"] + parts[2]["size"]) * 512 == out.stat().st_size

    boot, root, games = (part["start"] * 512 for part in parts)
    firmware = f"{out}@@{boot}"
    assert run("mtype", "-i", firmware, "::cmdline.txt").stdout.endswith("overlayroot=tmpfs:recurse=0\n")
    assert run("mtype", "-i", firmware, "::overlays/one.dtbo").stdout == "an overlay"

    def look(offset: int, command: str) -> str:
        return run("debugfs", "-R", command, f"{out}?offset={offset}").stdout

    assert look(root, "cat /boot/vmlinuz-6") == "a kernel"
    assert "cmdline.txt" not in look(root, "ls /boot/firmware"), "twice: below the firmware's partition too"
    assert re.search(r"User: +0 +Group: +0 ", look(root, "stat /etc/fstab"))
    assert "ROOTFS" in look(root, "show_super_stats -h")
    stats = look(games, "show_super_stats -h")
    assert "GAMES" in stats
    assert "resize_inode" in stats
    assert re.search(r"User: +990 +Group: +989 ", look(games, "stat /")), "the service's user owns the games"
    # A card of 1 TB: eight gigabytes for each block of the list.
    reserved = re.search(r"Reserved GDT blocks: +(\d+)", stats)
    assert reserved
    assert int(reserved[1]) * 8 >= 900

    assert (tmp_path / "card.img.sha256").read_text().split() == [
        hashlib.sha256(out.read_bytes()).hexdigest(),
        "card.img",
    ]
    assert (tree / "boot/firmware/cmdline.txt").exists(), "the folder it was made of stays as it is"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.img", "card.img.sha256", "tree"]


def test_firmware_that_does_not_fit_leaves_no_file(tree: Path, tmp_path: Path):
    (tree / "boot/firmware/large").write_bytes(bytes(20 << 20))
    done = run(CARD / "image", tmp_path / "card.img", "--tree", tree, COMPANION_BOOT_MB="34")
    assert done.returncode == 1
    assert re.fullmatch(
        r"table-companion: what the firmware reads takes 2\d MB, and its partition has 34 MB\n", done.stderr
    )
    assert not list(tmp_path.glob("card.img*"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name the file to make"),
        (["{out}", "other"], "one file, not two"),
        (["{out}", "--arch", "mips"], "--arch: expected arm64 or amd64, got mips"),
        (["{out}", "--kernel", "newest"], "--kernel: expected stable or backports, got newest"),
        (["{out}", "--frobnicate"], "unknown option --frobnicate"),
        (["{folder}"], "is no file"),
        (["{out}", "--tree", "{folder}"], "no system lies there"),
    ],
)
def test_wrong_uses_are_named(tmp_path: Path, arguments: list[str], words: str):
    done = run(CARD / "image", *(word.format(out=tmp_path / "x.img", folder=tmp_path) for word in arguments))
    assert done.returncode == 1
    assert words in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_the_image_could_not_install_is_refused_first(wheel, signed, tmp_path: Path):
    need("sfdisk", "mkfs.vfat", "mcopy", "mke2fs", "mmdebstrap", "openssl", *OWNERS)

    def said(package: Path, *more: str) -> str:
        done = run(CARD / "image", tmp_path / "x.img", "--package", package, *more)
        assert done.returncode == 1
        assert not (tmp_path / "x.img").exists()
        return done.stderr.splitlines()[-1]

    assert "no such file" in said(tmp_path / "table-companion-9.zip")
    package = signed(wheel("1.0"))
    assert "holds no libraries" in said(package)
    whole = {"wheels/none.txt": b"no library\n"}
    assert "is not signed by a key that lies in it" in said(signed(wheel("1.0"), whole))
    Path(f"{package}.sig").unlink()
    assert "is not signed: table-companion-1.0.zip.sig is missing beside it" in said(package)


def test_nothing_grows_where_no_card_has_the_games(tmp_path: Path):
    done = run("bash", CARD / "companion-grow", tmp_path)
    assert (done.returncode, done.stdout) == (0, "games: their partition is not mounted, so nothing grows\n")
    done = run("bash", CARD / "companion-grow", "/proc")
    assert (done.returncode, done.stdout) == (0, "games: they lie on proc, expected ext4; nothing grows\n")


@pytest.mark.parametrize("text", [None, b"no image"])
def test_boot_names_what_is_no_image(tmp_path: Path, text: bytes | None):
    need("sfdisk", "mcopy")
    image = tmp_path / "x.img"
    if text is not None:
        image.write_bytes(text)
    done = run("python3", CARD / "boot", image)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"table-companion: {image}: ")
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.xdist_group("roots")
@pytest.mark.parametrize(("arch", "machine"), [("amd64", "x86_64"), ("arm64", "aarch64")])
def test_a_whole_image_starts_power_safe_with_the_program_in_it(tmp_path: Path, arch: str, machine: str):
    """From Debian's archive to the service; the plug is pulled once while the first start is under way.

    Not the screen, whose picture takes long to be drawn: tests/box looks at it.
    """
    need("sfdisk", "mkfs.vfat", "mcopy", "mke2fs", "mmdebstrap", f"qemu-system-{machine}")
    if arch == "arm64" and not Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists():
        pytest.skip("binfmt_misc does not know arm64 (update-binfmts --enable qemu-aarch64)")
    key, package = tmp_path / "maker.pem", tmp_path / "table-companion-0.1.0.zip"
    assert run(TOP / "deploy/sign", "make-key", key).returncode == 0
    made = run(
        TOP / "deploy/bundle",
        "--key",
        key,
        "--with-libraries",
        "3.13",
        "--machine",
        machine,
        "--out",
        tmp_path,
    )
    assert made.returncode == 0, made.stderr
    image = tmp_path / "card.img"
    made = run(CARD / "image", image, "--arch", arch, "--package", package, "--language", "en")
    assert made.returncode == 0, made.stderr
    before = hashlib.sha256(image.read_bytes()).hexdigest()
    seen = run(CARD / "boot", image, "--pull-plug", "60", "--no-picture")
    assert seen.returncode == 0, seen.stdout + seen.stderr
    assert "everything was seen" in seen.stdout
    assert "failed: \n" in seen.stdout
    assert hashlib.sha256(image.read_bytes()).hexdigest() == before
