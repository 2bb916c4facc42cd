"""The firmware under MicroPython itself, where one is at hand: COMPANION_MICROPYTHON names the npm packages' folder.

``npm install @micropython/micropython-webassembly-pyscript`` anywhere, then COMPANION_MICROPYTHON=THERE/node_modules.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.frames import Frame, decode

HERE = Path(__file__).parent / "micropython"
FIRMWARE = Path(__file__).parents[2] / "deploy" / "firmware"
MODULES = os.environ.get("COMPANION_MICROPYTHON", "")

needs_micropython = pytest.mark.skipif(
    not MODULES or shutil.which("node") is None, reason="set COMPANION_MICROPYTHON and install node"
)


def told(script: str) -> str:
    command = ["node", str(HERE / "run.mjs"), MODULES, str(FIRMWARE), str(HERE / script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2_000:]
    return done.stdout


def told_here(script: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(FIRMWARE)}
    command = [sys.executable, str(HERE / script)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=True).stdout


def test_the_conversation_is_what_it_is_meant_to_be() -> None:
    said = told_here("talk.py")
    assert "crc 10673 10673\n" in said
    assert "3000 b'$--,A,00*55AF\\n$--,A,01*458E\\n$--,A,02*75ED\\n'" in said
    assert "tray 0\n" in said
    assert "tray -7" not in said
    assert ",N,overflow*" in said


@needs_micropython
def test_micropython_says_the_same_word_for_word() -> None:
    assert told("talk.py") == told_here("talk.py")


@needs_micropython
def test_the_main_program_runs_on_a_pretended_board() -> None:
    said = told("board.py")
    frames = [decode(line.encode()) for line in said.splitlines() if line.startswith("$")]
    assert Frame(None, "A", ("03",)) in frames
    edges = {frame.fields[:2] for frame in frames if frame.kind == "E"}
    assert edges == {("0", "1"), ("0", "0")}
    assert "spi [8, 48]\nspi [7, 237]\nspi [6, 121]\nspi [5, 51]\n" in said, "12.34 on the left"
    assert "duty 6 65535" in said, "the left lamp"
    assert "freq 9 880" in said
    assert "duty 10 19789" in said, "the tray light"
