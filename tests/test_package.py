"""The wheel holds the four packages with their data and works from outside the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
PACKAGES = {"companion", "hardware", "vision", "scenarios"}


LEFT_OVER = {".venv", ".git", "build", "dist", "out", "demo-pictures", "__pycache__"}


def sources() -> list[str]:
    """Name the files of the checkout, relative to its top; without git whatever is no leftover."""
    if shutil.which("git") and (TOP / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=TOP,
            capture_output=True,
            check=True,
        )
        names = listed.stdout.decode().split("\0")
    else:
        names = [str(path.relative_to(TOP)) for path in TOP.rglob("*")]
    return [
        name
        for name in names
        if name
        and not LEFT_OVER & set(Path(name).parts)
        and ".egg-info" not in name
        and (TOP / name).is_file()
    ]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of what git tracks, so that leftovers of the checkout cannot help."""
    source = tmp_path_factory.mktemp("source")
    for name in sources():
        if name.startswith("tests/"):
            continue
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((TOP / name).read_bytes())
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--disable-pip-version-check", "--no-index", "--wheel-dir", str(out), str(source)),
        ],
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return built


def test_wheel_holds_exactly_four_packages_and_their_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == PACKAGES
    tracked = [name for name in sources() if name.split("/")[0] in PACKAGES]
    wanted = {
        name for name in tracked if name.endswith((".py", ".toml", ".kv", ".mo", ".onnx", ".wav", ".png"))
    }
    wanted = {name for name in wanted if not name.startswith("vision/training/")}
    wanted |= {
        name for name in tracked if name.startswith("vision/models/")
    }  # weights never go without their card
    missing = wanted - set(names)
    assert not missing, f"not in the wheel: {sorted(missing)}"


def test_installed_command_lists_the_scenarios_from_elsewhere(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
            *("--disable-pip-version-check", "--target", str(site), str(wheel)),
        ],
        check=True,
        capture_output=True,
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(site), "HOME": str(elsewhere)}
    code = (
        "import companion, sys; print(companion.__file__);"
        "from companion.cli import main; sys.exit(main(['scenarios']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=elsewhere,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0].startswith(str(site)), "the checkout's package was found instead"
    for scenario in (
        "apr43",
        "nov42",
        "nafrica",
        "italy",
        "tobruk41",
        "crete41",
        "sicily43",
        "salerno43",
        "cassino44",
    ):
        assert scenario in run.stdout
