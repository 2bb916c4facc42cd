"""The pin library for a Python that its makers have no wheel for: built from their source, for both kinds of processor."""

from __future__ import annotations

import os
import platform
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "deploy/lgpio"
MACHINES = {"x86_64": 62, "aarch64": 183}
"""Kind of processor to its number in a library's head."""


def made(out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the script for a folder."""
    return subprocess.run([str(SCRIPT), str(out), *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "fault"),
    [([], "name the folder"), (["out", "--machine", "mips"], "expected aarch64 or x86_64, got mips")],
)
def test_wrong_uses_are_named(tmp_path: Path, words: list[str], fault: str):
    done = subprocess.run([str(SCRIPT), *words], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert fault in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("machine", MACHINES)
def test_one_wheel_suits_every_python_and_is_the_same_twice(tmp_path: Path, machine: str):
    own = platform.machine() == machine
    wheels = []
    for name in ("one", "two"):
        done = made(tmp_path / name, "--python", "3.13", "--machine", machine)
        if "the package index cannot be reached" in done.stderr:
            pytest.skip("its source can be had only from the package index, which cannot be reached")
        if "apt-get install" in done.stderr:
            pytest.skip(done.stderr.splitlines()[-1])
        assert done.returncode == 0, done.stderr
        (wheel,) = (tmp_path / name).iterdir()
        assert wheel.name == f"lgpio-0.2.2.0-cp311-abi3-linux_{machine}.whl"
        wheels.append(wheel)
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
    with zipfile.ZipFile(wheels[0]) as packed:
        packed.extractall(tmp_path / "lib")
    library = (tmp_path / "lib/_lgpio.abi3.so").read_bytes()
    assert struct.unpack_from("<H", library, 18) == (MACHINES[machine],)
    if own:
        ask = "import lgpio; print(lgpio.get_module_version(), lgpio.gpiochip_open)"
        env = {**os.environ, "PYTHONPATH": str(tmp_path / "lib"), "LG_WD": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", ask], capture_output=True, text=True, env=env, check=False
        )
        assert done.stdout.startswith("lgpio.py_0.2.2.0 "), done.stderr
