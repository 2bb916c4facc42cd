"""A package's list of contents, its zip, and its place: what deploy/bundle writes, and what an update reads as a user without rights.

Needs nothing but Python itself, and is started with ``-I -S``: no code of a package, and of no other folder, is ever loaded here.
"""

import hashlib
import json
import re
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

MANIFEST, SIGNATURE = "MANIFEST", "MANIFEST.sig"
PRODUCT, FORMAT = "table-companion", 1
MOST_BYTES, MOST_FILES = 1 << 20, 2_000
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+!@-]*")
WORDS = {
    "channel": r"[a-z][a-z-]{0,30}",
    "version": r"[0-9][A-Za-z0-9.+!]{0,60}",
    "python": r"any|3\.[0-9]{1,2}",
    "machine": r"any|aarch64|x86_64",
}


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _canonical(said: object) -> bytes:
    return (
        json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
        + b"\n"
    )


def _is_count(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_entry(name: object, entry: object) -> bool:
    return (
        isinstance(name, str)
        and all(PART.fullmatch(part) for part in name.split("/"))
        and isinstance(entry, dict)
        and set(entry) == {"sha256", "size"}
        and isinstance(entry["sha256"], str)
        and re.fullmatch(r"[0-9a-f]{64}", entry["sha256"]) is not None
        and _is_count(entry["size"], 1 << 30)
    )


def read(folder: Path) -> dict[str, object]:
    """Return the list of contents of a package; ends the program with one line where it is none.

    There is one way to write each list, so doubled keys, fractions, NaN and the like cannot come through.
    """
    path = folder / MANIFEST
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        sys.exit(f"{MANIFEST}: missing, or longer than a list of contents can be")
    text = path.read_bytes()
    try:
        said = json.loads(text)
        same = _canonical(said) == text
    except (ValueError, RecursionError):
        sys.exit(f"{MANIFEST}: not JSON")
    if not same or not isinstance(said, dict):
        sys.exit(f"{MANIFEST}: not written by deploy/bundle")
    if said.get("product") != PRODUCT or said.get("format") != FORMAT:
        sys.exit(
            f"{MANIFEST}: expected {PRODUCT}, format {FORMAT}, got {said.get('product')!a}, format {said.get('format')!a}"
        )
    wanted = {"product", "format", "serial", "files", *WORDS}
    if set(said) != wanted:
        sys.exit(f"{MANIFEST}: missing or unknown: {', '.join(sorted(wanted ^ set(said)))[:200]!a}")
    for key, pattern in WORDS.items():
        if not isinstance(said[key], str) or not re.fullmatch(pattern, said[key]):
            sys.exit(f"{MANIFEST}: {key}: got {said[key]!a:.80}")
    if not _is_count(said["serial"], 1 << 53):
        sys.exit(f"{MANIFEST}: serial: expected a whole number, got {said['serial']!a:.80}")
    files = said["files"]
    if not isinstance(files, dict) or len(files) > MOST_FILES:
        sys.exit(f"{MANIFEST}: files: expected at most {MOST_FILES} names with size and sha256")
    for name, entry in files.items():
        if not _is_entry(name, entry) or name in (MANIFEST, SIGNATURE):
            sys.exit(f"{MANIFEST}: files: {name!a:.80}: not a name with size and sha256")
    return said


def _files(folder: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            sys.exit(f"{name}: neither a file nor a folder; do not use this package")
        if mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX) and stat.S_ISREG(mode):
            sys.exit(f"{name}: gives its starter rights; do not use this package")
        if stat.S_ISREG(mode) and name not in (MANIFEST, SIGNATURE):
            found[name] = {"sha256": _sum(path), "size": path.stat().st_size}
    return found


def write(folder: str, serial: str, *words: str) -> None:
    """Write the list of contents of `folder`; `words` are those of ``WORDS``, in their order."""
    said = {
        "product": PRODUCT,
        "format": FORMAT,
        "serial": int(serial),
        "files": _files(Path(folder)),
        **dict(zip(WORDS, words, strict=True)),
    }
    Path(folder, MANIFEST).write_bytes(_canonical(said))
    read(Path(folder))


def check(folder: str) -> None:
    """End the program with one line unless `folder` holds what its list of contents names, and nothing else."""
    wanted, found = read(Path(folder))["files"], _files(Path(folder))
    assert isinstance(wanted, dict)
    for name in sorted(wanted.keys() | found.keys()):
        if name not in wanted:
            sys.exit(f"{name[:80]!a} is not listed in {MANIFEST}; do not use this package")
        if wanted[name] != found.get(name):
            sys.exit(
                f"a checksum is wrong: {name[:80]!a} is missing, damaged or was changed; copy the package again"
            )


def tell(folder: str, *words: str) -> None:
    """Print words of the list of contents; ``names`` its files; ``wheels`` the libraries as pip wants to be told."""
    said = read(Path(folder))
    files = said["files"]
    assert isinstance(files, dict)
    if words == ("names",):
        print(*files, sep="\n")
    elif words == ("wheels",):
        for name, entry in files.items():
            if re.fullmatch(r"wheels/[^/]*\.whl", name):
                print(f"{Path(folder, name)} --hash=sha256:{entry['sha256']}")
    else:
        print(*(said[word] for word in words))


def pack(folder: str, target: str) -> None:
    """Put `folder` into a zip that is the same byte for byte whenever the files are: in order, without dates, not deflated.

    Wheels are deflated already, and what deflating yields depends on the machine.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(Path(folder).rglob("*"), key=lambda path: path.as_posix()):
            if path.is_file():
                info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                info.create_system = 3
                info.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
                archive.writestr(info, path.read_bytes())


def unpack(source: str, folder: str, biggest: str) -> None:
    """Unpack a zip whose signature has been checked; a path that leads out and one that swells are refused all the same."""
    try:
        with zipfile.ZipFile(source) as archive:
            infos = archive.infolist()
            if len(infos) > MOST_FILES:
                sys.exit(f"it holds {len(infos)} files, which is no package")
            for info in infos:
                if not all(PART.fullmatch(part) for part in info.filename.removesuffix("/").split("/")):
                    sys.exit(
                        f"{info.filename[:80]!a}: a path that leads out of the package, or with signs that no package has"
                    )
                if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
                    sys.exit(f"{info.filename[:80]!a}: neither a file nor a folder; do not use this package")
            if len({info.filename for info in infos}) != len(infos):
                sys.exit("the same name twice; do not use this package")
            size = sum(info.file_size for info in infos)  # no member gives more than it says
            if size > min(int(biggest), shutil.disk_usage(folder).free):
                sys.exit(
                    f"it would take {size >> 20} MB unpacked, which is no package or more than there is room for"
                )
            archive.extractall(folder)  # checks every member's own sum
    except (
        OSError,
        EOFError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        sys.exit(f"{type(error).__name__}: {error}")


def place(venv: str, now: str, later: str) -> None:
    """Let the programs of `venv`, which was built below `now`, work below `later`, however long its path is."""
    for path in [*Path(venv, "bin").iterdir(), Path(venv, "pyvenv.cfg")]:
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_bytes()
        if re.match(rb"#!\S*python\S*\n", text) and f"#!{now}/".encode() in text:
            first, _, rest = text.partition(b"\n")
            program = first[2:].replace(now.encode(), later.encode())
            text = b"#!/bin/sh\n'''exec' \"" + program + b'" "$0" "$@"\n\' \'\'\'\n' + rest
        path.write_bytes(text.replace(now.encode(), later.encode()))


COMMANDS: dict[str, Callable[..., None]] = {
    "write": write,
    "check": check,
    "tell": tell,
    "pack": pack,
    "unpack": unpack,
    "place": place,
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
