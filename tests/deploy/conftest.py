"""A pretended application as a wheel, packages made of it, and the scripts run on a folder that stands for /."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DEPLOY = Path(__file__).parents[2] / "deploy"

spec = importlib.util.spec_from_file_location("companion_package", DEPLOY / "package.py")
assert spec is not None
assert spec.loader is not None
contents = importlib.util.module_from_spec(spec)
spec.loader.exec_module(contents)

KEY = Ed25519PrivateKey.generate()
"""The key that a box of these tests trusts; made anew for each run, by other means than the scripts' own."""

APPLICATION = """
import os, sys
VERSION = {version!r}
def main():
    if sys.argv[1:] == ["run", "--help"]:
        print("usage: companion run [--smoke]")
    if sys.argv[1:] == ["run", "--smoke"]:
        assert os.environ["SDL_VIDEODRIVER"] == "offscreen"
        assert os.environ["XDG_DATA_HOME"] != "/var/lib/table-companion"
        {smoke}
    print("companion", VERSION)
    return 0
"""


def make_wheel(folder: Path, version: str, smoke: str = "pass") -> Path:
    """Write a small wheel with a ``companion`` command; `smoke` is what its smoke start does."""
    name = f"table_companion-{version}"
    files = {
        "companion/__init__.py": "",
        "companion/cli.py": APPLICATION.format(version=version, smoke=smoke),
        "companion/__main__.py": "import sys\nfrom companion.cli import main\nsys.exit(main())\n",
        f"{name}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: table-companion\nVersion: {version}\n",
        f"{name}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{name}.dist-info/entry_points.txt": "[console_scripts]\ncompanion = companion.cli:main\n",
    }
    record = []
    path = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for where, text in files.items():
            wheel.writestr(zipfile.ZipInfo(where), text)  # a fixed date: the same version is the same file
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record.append(f"{where},sha256={digest},{len(text.encode())}")
        record.append(f"{name}.dist-info/RECORD,,")
        wheel.writestr(zipfile.ZipInfo(f"{name}.dist-info/RECORD"), "\n".join(record) + "\n")
    return path


def public_half(key: Ed25519PrivateKey) -> bytes:
    """Return the public half of a key as a file of keys.d holds it."""
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def serial_of(version: str) -> int:
    """Return a number that grows with the version: 110 for 1.10."""
    major, minor = version.split(".")
    return int(major) * 100 + int(minor)


def sign(package: Path, key: Ed25519PrivateKey = KEY) -> Path:
    """Sign a folder, or a zip from the outside only."""
    if package.is_dir():
        text = b"table-companion update 1\0" + (package / "MANIFEST").read_bytes()
        (package / "MANIFEST.sig").write_bytes(key.sign(text))
    else:
        package.with_name(package.name + ".sig").write_bytes(key.sign(package.read_bytes()))
    return package


def make_package(
    wheel: Path,
    more: dict[str, str | bytes] | None = None,
    *,
    key: Ed25519PrivateKey = KEY,
    serial: int | None = None,
    python: str = "any",
    machine: str = "any",
) -> Path:
    """Pack a wheel as deploy/bundle does, and sign it; return the zip. `more` are files by their names."""
    version = wheel.name.split("-")[1]
    folder = wheel.parent / f"package-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(wheel, folder)
    for name, data in (more or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    number = serial_of(version) if serial is None else serial
    contents.write(str(folder), str(number), "test", version, python, machine)
    return pack(folder, key)


def pack(folder: Path, key: Ed25519PrivateKey = KEY) -> Path:
    """Sign a folder as it is, pack it beside, and sign that too."""
    target = folder.with_name(f"table-companion-{folder.name.removeprefix('package-')}.zip")
    contents.pack(str(sign(folder, key)), str(target))
    return sign(target, key)


class Box:
    """A folder that stands for the root of a box.

    `ready` is where boxes are kept on which one application was installed, for other tests to begin with.
    """

    def __init__(self, root: Path, ready: Path) -> None:
        self.root = root
        self.ready = ready
        self.opt = root / "opt" / "table-companion"

    def run(
        self, script: str, *arguments: str, check: bool = True, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of deploy/ on this root."""
        done = subprocess.run(
            [str(DEPLOY / script), *arguments, "--root", str(self.root)],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PIP_NO_INDEX": "1", "COMPANION_PYTHON": sys.executable, **env},
            check=False,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def install(self, wheel: Path, *arguments: str) -> str:
        """Install an application. What the first installation makes of a new box is made once a run, and copied after."""
        command = ("install", "--from", str(make_package(wheel)), *arguments)
        if arguments or self.opt.exists():
            return self.run(*command).stdout
        kept = self.ready / hashlib.sha256(wheel.read_bytes()).hexdigest()
        if not kept.exists():
            made = Box(kept / "root", self.ready)
            shutil.copytree(self.root, made.root)
            (kept / "said").write_text(made.run(*command).stdout)
        shutil.copytree(kept / "root", self.root, symlinks=True, dirs_exist_ok=True)
        for path in [*self.opt.glob("versions/*/venv/bin/*"), *self.opt.glob("versions/*/venv/pyvenv.cfg")]:
            if not path.is_symlink():
                path.write_bytes(path.read_bytes().replace(bytes(kept / "root"), bytes(self.root)))
        return (kept / "said").read_text()

    def trust(self, key: Ed25519PrivateKey, name: str) -> None:
        """Put the public half of a key where root would."""
        folder = self.root / "etc/table-companion/keys.d"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.pem").write_bytes(public_half(key))

    def running(self) -> str:
        return os.readlink(self.opt / "current").split("/")[1].split("-")[0]

    def before(self) -> str:
        return os.readlink(self.opt / "previous").split("/")[1].split("-")[0]

    def tree(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if "venv" not in path.parts}


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where boxes are kept on which one application was installed."""
    return tmp_path_factory.mktemp("ready")


@pytest.fixture
def box(tmp_path: Path, ready: Path) -> Box:
    """A box that trusts one key, and is empty else."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    root = tmp_path / "root"
    root.mkdir()
    made = Box(root, ready)
    made.trust(KEY, "tests")
    return made


@pytest.fixture
def wheel(tmp_path: Path):
    """Makes wheels: ``wheel("1.0")``."""
    made = tmp_path / "wheels"
    made.mkdir()
    return lambda version, smoke="pass": make_wheel(made, version, smoke)


@pytest.fixture
def deploy() -> Path:
    """The folder of the scripts."""
    return DEPLOY


@pytest.fixture
def signed():
    """Makes packages of wheels, signed with the key that the box trusts: ``signed(wheel("1.0"))``."""
    return make_package
