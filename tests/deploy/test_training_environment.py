"""What the dice models are made with is pinned, and the long run says in one line why it cannot set it up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
_LOCK = TOP / "deploy" / "requirements-train.lock"


def _pinned(path: Path) -> dict[str, tuple[str, int]]:
    """Return version and number of checksums of each package of a lock file."""
    out = {}
    for entry in re.split(r"\n(?=\S)", path.read_text("utf-8").strip()):
        found = re.match(r"([A-Za-z0-9._-]+)==(\S+)", entry)
        assert found, entry.splitlines()[0]
        out[found[1]] = found[2], entry.count("--hash=sha256:")
    return out


def test_every_package_of_the_training_is_pinned_with_its_checksum() -> None:
    pinned = _pinned(_LOCK)
    assert pinned["torch"][0].endswith("+cpu")
    needed = {"onnx", "pillow", "numpy", "opencv-python-headless", "onnxruntime", "msgspec"}
    assert needed <= set(pinned), "what trains, and what the reader that it measures with imports"
    assert all(count for _, count in pinned.values())
    assert "://" not in _LOCK.read_text("utf-8")


def test_what_reads_the_dice_is_of_the_apps_versions_there() -> None:
    train, app = _pinned(_LOCK), (TOP / "deploy" / "requirements.lock").read_text("utf-8")
    for name in ("numpy", "opencv-python-headless", "onnxruntime", "msgspec"):
        assert f"{name}=={train[name][0]} " in app


def _set_up(venv: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    script = f'top={TOP}; . "$top/deploy/setup.sh"; set_up_training && echo "$COMPANION_TRAIN_PYTHON"'
    environment = {**os.environ, "COMPANION_TRAIN_VENV": str(venv), **changes}
    environment.pop("PIP_REQUIRE_VIRTUALENV", None)
    return subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, env=environment, timeout=300, check=False
    )


def test_without_the_packages_one_line_says_so_and_nothing_is_left(tmp_path: Path) -> None:
    if sys.version_info[:2] != (3, 11) or os.uname().machine != "x86_64":
        pytest.skip("the training is locked for Python 3.11 on x86-64")
    nowhere = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    done = _set_up(tmp_path / "train", COMPANION_PYTHON=sys.executable, **nowhere)
    assert done.returncode == 1
    assert done.stdout == ""
    assert (
        "no smoke training: its packages could not be installed (no network, no disk space, or" in done.stderr
    )
    assert len(done.stderr.splitlines()) == 2, "what is begun, and why it ended"
    assert not (tmp_path / "train").exists()


def test_what_is_set_up_already_is_taken(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)
    digest = subprocess.run(["sha256sum", _LOCK], capture_output=True, text=True, check=True).stdout.split()[
        0
    ]
    (tmp_path / ".companion-train").write_text(digest)
    done = _set_up(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{python}\n", "")
