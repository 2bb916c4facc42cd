"""Quick taps never get lost: ten real presses at five a second on a counter count ten, also when every frame is slow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.e2e.window import HEIGHT, NEEDS_DISPLAY, TOP, WIDTH, Display

pytestmark = NEEDS_DISPLAY

_PRESSES, _APART_MS = 10, 200
_SCENES = (
    "new-game-minutes",
    "sfw-resupply",
    "sfw-battle-units",
    "sfw-battle-support",
    "sfw-battle-losses",
    "sfw1-desert",
    "sfw1-desert-halt",
    "aana-count",
    "aana-moves",
    "aana-losses",
    "aana-convoy",
    "tsu-stars-box",
    "tsu-attack-supply",
)


@pytest.fixture(scope="module")
def display() -> Iterator[Display]:
    """A virtual display for all scenes."""
    display = Display()
    yield display
    display.close()


def _count(display: Display, scene: str, frame_ms: int) -> None:
    words = [sys.executable, "-m", "tests.e2e.counting", scene, str(frame_ms)]
    pipe = subprocess.PIPE
    env = {**display.env, "KCFG_GRAPHICS_WIDTH": str(WIDTH), "KCFG_GRAPHICS_HEIGHT": str(HEIGHT)}
    with subprocess.Popen(
        words, cwd=TOP, env=env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    ) as shown:
        assert shown.stdin is not None
        assert shown.stdout is not None
        counted = 0
        try:
            for line in shown.stdout:
                told = json.loads(line)
                if not told:
                    break
                display.taps(told["x"], told["y"], _PRESSES, _APART_MS)
                shown.stdin.write("looked\n")
                shown.stdin.flush()
                found = json.loads(shown.stdout.readline())["counted"]
                assert found == min(_PRESSES, told["room"]), f"{scene}: {told['key']}"
                counted += 1
        finally:
            shown.kill()
        assert counted, f"{scene} has no counter"


@pytest.mark.parametrize("scene", ["sfw-battle-units"])
def test_ten_quick_presses_count_ten_on_a_busy_machine(display: Display, scene: str) -> None:
    _count(display, scene, 150)


@pytest.mark.long
@pytest.mark.parametrize("frame_ms", [0, 100, 350])
@pytest.mark.parametrize("scene", _SCENES)
def test_ten_quick_presses_count_ten_on_every_screen_with_counters(
    display: Display, scene: str, frame_ms: int
) -> None:
    _count(display, scene, frame_ms)
