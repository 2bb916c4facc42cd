"""A pretended application as a wheel, packages made of it, and the scripts run on a folder that stands for /."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"

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


def beside(wheel: Path) -> Path:
    """Write WHEEL.sha256 and return the wheel."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    wheel.with_name(wheel.name + ".sha256").write_text(f"{digest}  {wheel.name}\n")
    return wheel


class Box:
    """A folder that stands for the root of a box."""

    def __init__(self, root: Path) -> None:
        self.root = root
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
        return self.run("install", "--from", str(beside(wheel)), *arguments).stdout

    def running(self) -> str:
        return os.readlink(self.opt / "current").split("/")[1].split("-")[0]

    def before(self) -> str:
        return os.readlink(self.opt / "previous").split("/")[1].split("-")[0]

    def tree(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if "venv" not in path.parts}


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """An empty box."""
    root = tmp_path / "root"
    root.mkdir()
    return Box(root)


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
def with_sum():
    """Writes WHEEL.sha256 beside a wheel."""
    return beside
