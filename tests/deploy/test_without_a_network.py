"""What cannot reach the package index says so once, in one line, and leaves the words of pip and of Python alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]

NOWHERE = {
    "nobody listens": {
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_FIND_LINKS": "",
        "PIP_NO_INDEX": "",
    },
    "no index": {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/nowhere"},
}


def without_index(how: str, **changes: str) -> dict[str, str]:
    env = {
        **os.environ,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
        "PIP_NO_CACHE_DIR": "1",
        **NOWHERE[how],
        **changes,
    }
    env.pop("PIP_REQUIRE_VIRTUALENV", None)
    return {name: value for name, value in env.items() if value}


@pytest.mark.parametrize("how", ["nobody listens", pytest.param("no index", marks=pytest.mark.long)])
def test_setting_up_says_it_once(tmp_path: Path, how: str) -> None:
    lock = tmp_path / "some.lock"
    lock.write_text(f"msgspec==0.20.0 --hash=sha256:{'0' * 64}\n")
    script = f'top={TOP}; . "$top/deploy/setup.sh"; set_up run "{lock}"'
    env = without_index(how, COMPANION_VENV=str(tmp_path / "venv"), COMPANION_PYTHON=sys.executable)
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    begun, why = done.stderr.splitlines()
    assert begun.startswith("companion: setting up the run environment")
    assert why == (
        "companion: could not install the locked packages: the package index cannot be reached, or does not have them; "
        "run again when there is a network and room"
    )


@pytest.mark.parametrize("how", NOWHERE)
def test_a_package_that_cannot_be_made_says_it_once(tmp_path: Path, how: str) -> None:
    command = [str(TOP / "deploy/bundle"), "--out", str(tmp_path)]
    env = without_index(how, COMPANION_PYTHON=sys.executable)
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "table-companion: setuptools could not be fetched: the package index cannot be reached, or does not have them\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_installation_from_the_checkout_says_it_once(box) -> None:
    env = without_index("nobody listens")
    done = box.run(
        "install",
        check=False,
        **{name: env.get(name, "") for name in (*NOWHERE["nobody listens"], "PIP_RETRIES")},
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "table-companion: setuptools could not be fetched: the package index cannot be reached, or does not have them",
        "table-companion: the application could not be built (network?); use --from",
    ]
    assert not (box.opt / "current").exists()
