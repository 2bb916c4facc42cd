"""What the machine of these tests is made of: Debian's backported kernel, which has pretended devices as modules, and lgpio.

Both are fetched once and kept in build/box: the kernel by a private state of apt, which checks Debian's signature, without
root and without a change to the system; lgpio is built from its source as for a package, since no test environment needs it otherwise.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Kernel", "MissingError", "fetch_kernel", "fetch_lgpio", "starter"]

TOP = Path(__file__).parents[2]
CACHE = TOP / "build" / "box"
SUITE = "trixie-backports"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class MissingError(Exception):
    """What the machine needs is not here and cannot be had; the text says what."""


@dataclass(frozen=True)
class Kernel:
    """A kernel and its modules, unpacked."""

    image: Path
    modules: Path

    def in_order(self, names: Iterable[str]) -> list[Path]:
        """Return the files of modules with all that they need, each after what it needs.

        A name without a file is built in, or this kernel does not have it: loading the rest tells.
        """
        files = {path.name.split(".ko")[0].replace("-", "_"): path for path in self.modules.rglob("*.ko*")}
        order: dict[Path, None] = {}

        def add(name: str) -> None:
            path = files.get(name.replace("-", "_"))
            if path is None or path in order:
                return
            found = re.search(rb"\0depends=([^\0]*)", b"\0" + plain(path))
            for needed in found[1].decode().split(",") if found else ():
                add(needed)
            order[path] = None

        for name in names:
            add(name)
        return list(order)


def plain(module: Path) -> bytes:
    """Return a module as the kernel loads it, unpacked."""
    data = module.read_bytes()
    return lzma.decompress(data) if module.suffix == ".xz" else data


def fetch_kernel() -> Kernel:
    """Return Debian's newest backported kernel, fetched where it is not here yet.

    Raises:
        MissingError: it cannot be fetched.
    """
    folder = CACHE / "kernel"
    if not (folder / "complete").exists():
        for tool in ("apt-get", "dpkg-deb"):
            if shutil.which(tool) is None:
                raise MissingError(f"{tool} is missing: the kernel comes from Debian's archive")
        if not Path(KEYRING).exists():
            raise MissingError("debian-archive-keyring is not installed")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _fetch(folder)
        (folder / "complete").touch()
    (image,) = [*folder.rglob("vmlinuz-*"), *folder.rglob("vmlinuz"), *folder.rglob("vmlinuz.unsigned")][:1]
    (modules,) = {path.parent for path in folder.rglob("kernel") if (path / "drivers").is_dir()}
    return Kernel(image, modules)


def _fetch(folder: Path) -> None:
    state = folder / "apt"
    for name in ("lists/partial", "archives/partial", "etc"):
        (state / name).mkdir(parents=True)
    (state / "status").touch()
    source = f"deb [arch=amd64 signed-by={KEYRING}] http://deb.debian.org/debian {SUITE} main\n"
    (state / "sources.list").write_text(source)
    settings = {
        "Dir::State": state, "Dir::State::status": state / "status", "Dir::State::lists": state / "lists",
        "Dir::Cache": state, "Dir::Etc::sourcelist": state / "sources.list", "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferences": "/dev/null", "Dir::Etc::preferencesparts": state / "etc",
        "APT::Architecture": "amd64", "APT::Architectures": "amd64", "Acquire::Languages": "none",
        "APT::Sandbox::User": "", "Debug::NoLocking": "1",
    }  # fmt: skip
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def apt(tool: str, *words: str) -> str:
        done = subprocess.run(
            [tool, *options, *words], capture_output=True, text=True, cwd=state, check=False
        )
        if done.returncode:
            raise MissingError(
                f"the kernel could not be fetched: {(done.stderr.strip() or '?').splitlines()[-1]}"
            )
        return done.stdout

    apt("apt-get", "-qq", "update")
    said = apt("apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "linux-image-amd64")
    parts = sorted(set(re.findall(r"^linux-(?:image|binary|modules|base)-\d\S*-amd64$", said, re.MULTILINE)))
    if not parts:
        raise MissingError(f"{SUITE} has no linux-image-amd64")
    apt("apt-get", "-qq", "download", *parts)
    for package in state.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(folder)], check=True)
    shutil.rmtree(state)


def fetch_lgpio() -> Path:
    """Return a folder that holds lgpio as a package for Python 3.13 brings it, which suits this Python too.

    Raises:
        MissingError: it cannot be built, or its source not be fetched.
    """
    folder = CACHE / "lgpio"
    if not (folder / "lgpio.py").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [str(TOP / "deploy/lgpio"), str(folder), "--build"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise MissingError((done.stderr.strip() or "lgpio could not be built").splitlines()[-1])
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
    return folder


def starter(kernel: Kernel, modules: Iterable[str], script: str, busybox: Path) -> bytes:
    """Return a start image (cpio) that loads modules with all they need and then runs a script of busybox's shell."""
    files = kernel.in_order(modules)
    load = "".join(
        f"insmod /m/{number}.ko || echo 'not loaded: {path.name}'\n" for number, path in enumerate(files)
    )
    folders = ("bin", "m", "proc", "sys", "dev", "root")
    entries: list[tuple[str, int, bytes]] = [(name, 0o40755, b"") for name in folders]
    entries += [("bin/busybox", 0o100755, busybox.read_bytes()), ("bin/sh", 0o120777, b"busybox")]
    entries += [(f"m/{number}.ko", 0o100644, plain(path)) for number, path in enumerate(files)]
    start = "#!/bin/sh\n/bin/busybox --install -s /bin\nexport PATH=/bin\n" + script.replace("@LOAD@", load)
    entries += [("init", 0o100755, start.encode())]
    return b"".join(_entry(*entry) for entry in entries) + _entry("TRAILER!!!", 0, b"")


def _entry(name: str, mode: int, data: bytes) -> bytes:
    """Return one file of a cpio archive in the form that the kernel reads ("newc")."""
    label = name.encode() + b"\0"
    fields = (hash(name) & 0xFFFFFFFF, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(label), 0)
    head = b"070701" + b"".join(f"{field:08X}".encode() for field in fields) + label
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)
