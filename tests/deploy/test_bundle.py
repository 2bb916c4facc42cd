"""What deploy/bundle makes and deploy/sign signs: complete, the same twice, and never with a private key in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PARTS = ("companion", "hardware", "vision", "scenarios", "deploy", "README.md", "LICENSE", "pyproject.toml")


def run(*command: object, **env: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **env}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture
def key(tmp_path):
    """A maker's key, outside of every checkout."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    run(TOP / "deploy/sign", "make-key", tmp_path / "maker.pem")
    return tmp_path / "maker.pem"


@pytest.fixture
def package(wheel, key, tmp_path):
    """A zip made and signed by the scripts, from a pretended wheel."""
    made = run(
        TOP / "deploy/bundle", "--wheel", wheel("2.0"), "--no-lock", "--key", key, "--out", tmp_path / "out"
    )
    return Path(made)


def test_a_signed_package_installs_and_holds_its_own_installer(box, package, key, tmp_path):
    assert package.name == "table-companion-2.0.zip"
    with zipfile.ZipFile(package) as archive:
        names = set(archive.namelist())
    assert {
        "MANIFEST", "MANIFEST.sig", "deploy/install", "deploy/lib.sh", "deploy/verify.sh", "deploy/package.py",
        "deploy/systemd/table-companion.service", "deploy/keys/maker.pem",
    } <= names  # fmt: skip
    refused = box.run("update", str(package), check=False)
    assert "is not signed by a key that this box trusts" in refused.stderr
    box.run("update", "--trust", str(key.with_name("maker.pub.pem")))
    said = box.run("update", str(package)).stdout
    assert said.splitlines()[-1].endswith(f", signed by {run(TOP / 'deploy/sign', 'show', key)}")
    unpacked = tmp_path / "stick"
    run("python3", "-m", "zipfile", "-e", package, unpacked)
    said = run("bash", unpacked / "deploy/install", "--from", unpacked, "--root", box.root)
    assert "is installed and running" in said


def test_a_package_is_not_signed_unless_somebody_does(box, wheel, key, tmp_path):
    done = subprocess.run(
        [str(TOP / "deploy/bundle"), "--wheel", str(wheel("2.0")), "--no-lock", "--out", str(tmp_path)],
        capture_output=True, text=True, check=True, env={**os.environ, "COMPANION_SIGN_KEY": ""},
    )  # fmt: skip
    assert "not signed: no box takes it before deploy/sign sign " in done.stderr
    package = tmp_path / "table-companion-2.0.zip"
    assert not package.with_name(package.name + ".sig").exists()
    run(TOP / "deploy/sign", "sign", package, "--key", key)
    box.run("update", "--trust", str(key.with_name("maker.pub.pem")))
    box.run("update", str(package))
    assert box.running() == "2.0"


def test_a_package_that_was_changed_is_not_signed(package, key):
    with zipfile.ZipFile(package, "a") as archive:
        archive.writestr("deploy/more", "x")
    command = [str(TOP / "deploy/sign"), "sign", str(package), "--key", str(key)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "'deploy/more' is not listed in MANIFEST" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sign"], "usage: deploy/sign"),
        (["make-key", "a.txt"], "a.txt: a key's file is named like maintainer-2026.pem"),
        (["show", "/etc/hostname"], "/etc/hostname: no key of deploy/sign"),
        (["frobnicate"], "usage: deploy/sign"),
    ],
)
def test_wrong_uses_of_sign_are_named(arguments, words):
    done = subprocess.run([str(TOP / "deploy/sign"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert words in done.stderr


def test_a_private_key_is_made_for_its_owner_alone_and_never_in_a_checkout(key, tmp_path):
    assert key.stat().st_mode & 0o777 == 0o600
    assert "PRIVATE" not in key.with_name("maker.pub.pem").read_text()
    again = subprocess.run(
        [str(TOP / "deploy/sign"), "make-key", str(key)], capture_output=True, text=True, check=False
    )
    assert "exists; a key is never written over" in again.stderr
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    run("git", "init", "-q", tmp_path / "checkout")
    inside = tmp_path / "checkout/maker.pem"
    done = subprocess.run(
        [str(TOP / "deploy/sign"), "make-key", str(inside)], capture_output=True, text=True, check=False
    )
    assert "a private key lies outside of every repository" in done.stderr
    assert not inside.exists()


def copy_of_the_checkout(folder: Path, mask: int) -> Path:
    """A checkout as somebody else has it: in another place, of another day, with other rights."""
    folder.mkdir()
    for part in PARTS:
        source = TOP / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, folder)
    for path in folder.rglob("*"):
        mode = 0o777 if path.is_dir() or path.stat().st_mode & 0o100 else 0o666
        path.chmod(mode & ~mask)
        if mask == 0o077:
            os.utime(path, (1_000_000_000, 1_000_000_000))
    return folder


@pytest.mark.long
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_two_packages_of_one_commit_are_the_same_byte_for_byte(tmp_path, key, form):
    """Built twice from scratch, wheel and all, from copies that differ in nothing but what no commit holds."""
    made = []
    for name, mask in (("one", 0o022), ("two", 0o077)):
        source = copy_of_the_checkout(tmp_path / name, mask)
        (source / "companion/__pycache__").mkdir()
        (source / f"companion/__pycache__/{name}.pyc").write_text(name)
        where = (
            ["--out", str(tmp_path / f"{name}-out")]
            if form == "zip"
            else ["--folder", str(tmp_path / f"{name}-out")]
        )
        done = subprocess.run(
            ["sh", "-c", f'umask 0{mask:o}; exec "$@"', "sh", str(source / "deploy/bundle"), "--key", str(key), *where],
            capture_output=True, text=True, check=False,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1764000000", "TZ": "UTC" if name == "one" else "Asia/Tokyo"},
        )  # fmt: skip
        if "the package index cannot be reached" in done.stderr:
            pytest.skip("setuptools can be had only from the package index, which cannot be reached")
        assert done.returncode == 0, done.stderr
        out = tmp_path / f"{name}-out"
        files = (path for path in out.rglob("*") if path.is_file())
        made.append({path.relative_to(out).as_posix(): path.read_bytes() for path in files})
    assert made[0].keys() == made[1].keys()
    assert [name for name in made[0] if made[0][name] != made[1][name]] == []
    assert any(name.endswith(".sig") for name in made[0])


# -- private keys ----------------------------------------------------------------------------------------------

MARKS = (
    b"-----BEGIN [A-Z0-9 ]*" + b"PRIVATE " + b"KEY",
    # The same key without its lines: as text, as bytes, as ssh's and minisign's own.
    b"MC4CAQAwBQYDK2Vw" + b"BCIEI",
    rb"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20",
    b"openssh-key-v1" + b"\x00",
    b"minisign encrypted " + b"secret key",
)


def private_keys(folder: Path, names: list[str]) -> list[str]:
    """The names of the files that hold one."""
    return [name for name in names if re.search(b"|".join(MARKS), (folder / name).read_bytes())]


def test_no_private_key_is_in_the_repository():
    if not (TOP / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout")
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    names = [name for name in listed.split("\0") if (TOP / name).is_file()]
    assert len(names) > 100
    assert private_keys(TOP, names) == []


def test_each_kind_of_private_key_would_be_found(key, tmp_path):
    pem = key.read_bytes()
    lines = pem.splitlines()
    (tmp_path / "bare.txt").write_bytes(b"key = " + lines[1])
    run("openssl", "pkey", "-in", key, "-outform", "DER", "-out", tmp_path / "key.der")
    run("openssl", "genrsa", "-out", tmp_path / "rsa.txt", "1024")
    (tmp_path / "innocent").write_bytes(key.with_name("maker.pub.pem").read_bytes())
    names = ["maker.pem", "bare.txt", "key.der", "rsa.txt"]
    assert private_keys(tmp_path, [*names, "innocent"]) == names


def test_a_package_refuses_a_private_key_among_its_public_ones(wheel, key, tmp_path):
    source = shutil.copytree(TOP / "deploy", tmp_path / "copy/deploy")
    (source / "keys").mkdir(exist_ok=True)
    shutil.copy(key, source / "keys")
    command = [
        str(source / "bundle"),
        "--wheel",
        str(wheel("2.0")),
        "--no-lock",
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "expected an Ed25519 public key; a private one has no place here" in done.stderr
