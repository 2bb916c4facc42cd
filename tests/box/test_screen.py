"""The whole program on a real kernel's picture and touch panel: KMS of virtio-gpu, and a multitouch screen made with uinput.

Fingers are put on the panel, never into the program; what stands where is asked of it, and the picture is taken from outside.
Long: some minutes, with a busy machine many.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.box.guest_app import SIZE
from tests.box.kernel import TOP, Kernel
from tests.box.machine import Machine

pytestmark = pytest.mark.long
WIDTH, HEIGHT = SIZE
MODULES = ("gpio_sim", "uinput", "evdev", "virtio_gpu")
STARTING_S, ANSWER_S = 1200, 900
_loader = importlib.machinery.SourceFileLoader("card_boot", str(TOP / "deploy/card/boot"))
_spec = importlib.util.spec_from_loader("card_boot", _loader)
assert _spec is not None
card_boot = importlib.util.module_from_spec(_spec)
_loader.exec_module(card_boot)


class Box:
    """The machine with the program in it, as who sits before it has it."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine, self.folder = machine, folder

    def start(self, *options: str) -> None:
        self.machine.tell("start", "--silent", *options)
        assert self.machine.hear("started", STARTING_S) is None

    def look(self) -> dict[str, Any]:
        self.machine.tell("look")
        return dict(self.machine.hear("seen", ANSWER_S))

    def wait_for(self, text: str) -> dict[str, Any]:
        """Wait until a text stands on the screen."""
        latest = time.monotonic() + ANSWER_S
        while True:
            seen = self.look()
            if any(text in one[0] for one in seen["texts"]):
                return seen
            assert time.monotonic() < latest, (
                f"{text!r} never came; there is {[one[0] for one in seen['texts']]}"
            )
            time.sleep(1)

    def touch(self, *points: tuple[float, float]) -> None:
        """Put a finger on each point of the picture at once, and lift them."""
        self.machine.tell("tap", *((round(x), round(y)) for x, y in points))
        self.machine.hear("tapped", ANSWER_S)

    def tap(self, text: str) -> None:
        """Touch the topmost place where a text stands."""
        *_below, (_text, x, y) = [one for one in self.wait_for(text)["texts"] if one[0] == text]
        self.touch((x, HEIGHT - 1 - y))

    def picture(self, name: str, seconds: float = 420) -> int:
        """Keep what the screen shows once it is more than a text console could, and return how many colours it has."""
        latest = time.monotonic() + seconds
        while True:
            colours = int(card_boot.screendump(self.folder / "monitor", self.folder / f"{name}.png"))
            if colours > card_boot.CONSOLE_COLOURS or time.monotonic() > latest:
                return colours
            time.sleep(5)


@pytest.fixture(scope="module")
def box(kernel: Kernel, lgpio: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """The machine, ready to start the program."""
    folder = tmp_path_factory.mktemp("screen")
    devices = [
        "-device", f"virtio-gpu-pci,xres={WIDTH},yres={HEIGHT}",
        "-qmp", f"unix:{folder / 'monitor'},server=on,wait=off",
    ]  # fmt: skip
    environment = {"PYTHONPATH": str(lgpio), "LG_WD": "/run/tmp"}
    with Machine(
        kernel, folder, "guest_app.py", MODULES, environment=environment, devices=devices
    ) as machine:
        machine.hear("ready", STARTING_S)
        yield Box(machine, folder)


def test_the_first_start_by_picture_and_touch(box: Box) -> None:
    """A finger on a language brings the corner test, and the screen shows it."""
    box.start()
    assert box.look()["dialog"] == "LanguageQuestion"
    box.tap("English")
    box.wait_for("Skip")
    assert box.picture("corners") > card_boot.CONSOLE_COLOURS
