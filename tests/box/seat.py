"""Who sits before the box: touches its glass, presses its buttons, pulls its plug, and looks at its picture from outside."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.box.guest_app import SIZE
from tests.box.kernel import TOP, Kernel
from tests.box.machine import Machine

__all__ = ["CONSOLE_COLOURS", "Seat", "card_boot", "empty_disk"]

WIDTH, HEIGHT = SIZE
MODULES = (
    "gpio_sim", "uinput", "evdev", "virtio_gpu", "virtio_blk", "ext4", "dummy_hcd", "usb_f_acm", "libcomposite", "cdc_acm",
)  # fmt: skip
STARTING_S, ANSWER_S = 1200, 900
HELD_S = 0.12
_loader = importlib.machinery.SourceFileLoader("card_boot", str(TOP / "deploy/card/boot"))
_spec = importlib.util.spec_from_loader("card_boot", _loader)
assert _spec is not None
card_boot = importlib.util.module_from_spec(_spec)
_loader.exec_module(card_boot)
CONSOLE_COLOURS: int = card_boot.CONSOLE_COLOURS


def empty_disk(path: Path) -> Path:
    """Make a disk for the games."""
    path.touch()
    os.truncate(path, 64 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(path)], check=True)
    return path


class Seat:
    """One evening's end of the box, from power on until the plug is pulled: the end of the block it stands in."""

    def __init__(
        self,
        kernel: Kernel,
        lgpio: Path,
        folder: Path,
        disk: Path,
        *,
        rotation: int = 0,
        has_panel: bool = True,
    ) -> None:
        """Sit down before a box with these games; `rotation` is how its picture is turned.

        Without `has_panel` its touch panel is plugged in later.
        """
        folder.mkdir(parents=True)
        self.folder = folder
        self._rotation, self._has_panel = rotation, has_panel
        devices = [
            "-device", f"virtio-gpu-pci,xres={WIDTH},yres={HEIGHT}",
            "-qmp", f"unix:{folder / 'monitor'},server=on,wait=off",
        ]  # fmt: skip
        environment = {"PYTHONPATH": str(lgpio), "LG_WD": "/run/tmp"}
        self._machine = Machine(
            kernel, folder, "guest_app.py", MODULES, environment=environment, devices=devices, disk=disk
        )

    def __enter__(self) -> Self:
        self._machine.__enter__()
        self._machine.hear("ready", STARTING_S)
        if self._has_panel:
            self.plug_panel()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._machine.__exit__(kind, error, trace)

    def ask(self, answer: str, *words: Any) -> Any:
        """Have the machine's end of the devices do something, and wait until it is done."""
        self._machine.tell(*words)
        return self._machine.hear(answer, ANSWER_S)

    def start(self) -> None:
        """Start the program."""
        self._machine.tell("start", "--silent", "--rotation", str(self._rotation))
        assert self._machine.hear("started", STARTING_S) is None

    # Looking

    def look(self) -> dict[str, Any]:
        """Return what is on the screen, and how the game stands, once all of it is on the glass: nobody can press it sooner."""
        latest = time.monotonic() + ANSWER_S
        while not (seen := dict(self.ask("seen", "look"))).get("is_drawn", True):
            assert time.monotonic() < latest, "the picture never came to rest"
        return seen

    def until(self, condition: Any, what: str) -> dict[str, Any]:
        """Look until something is so, and return what was seen then."""
        latest = time.monotonic() + ANSWER_S
        while True:
            seen = self.look()
            if condition(seen):
                return seen
            assert time.monotonic() < latest, (
                f"{what} never came; there is {[one[0] for one in seen['texts']]}"
            )
            time.sleep(0.3)

    def wait_for(self, text: str) -> dict[str, Any]:
        """Wait until a text stands on the screen, or one that begins with it."""
        return self.until(lambda seen: any(one[0].startswith(text) for one in seen["texts"]), repr(text))

    def picture(self, name: str, seconds: float = ANSWER_S) -> int:
        """Keep what the screen shows once it is more than a text console could, and return how many colours it has."""
        latest = time.monotonic() + seconds
        while True:
            colours = int(card_boot.screendump(self.folder / "monitor", self.folder / f"{name}.png"))
            if colours > CONSOLE_COLOURS or time.monotonic() > latest:
                return colours
            time.sleep(5)

    # Fingers

    def touch(self, *points: tuple[float, float]) -> tuple[int, int]:
        """Put a finger on each point of the picture at once, and lift them; returns the times before and after all were down."""
        turned = self._rotation == 180
        on_glass = [(WIDTH - 1 - x, HEIGHT - 1 - y) if turned else (x, y) for x, y in points]
        before_ns, after_ns = self.ask("tapped", "tap", *((round(x), round(y)) for x, y in on_glass))
        return before_ns, after_ns

    def tap(self, text: str) -> None:
        """Touch the topmost place where a text stands, or one that begins with it; a dark picture is woken first."""
        if self.look().get("is_dark"):
            self.touch((WIDTH / 2, 2))
            self.until(lambda now: not now["is_dark"], "light")
        *_below, (_text, x, y) = [one for one in self.wait_for(text)["texts"] if one[0].startswith(text)]
        self.touch((x, HEIGHT - 1 - y))

    def plug_panel(self) -> None:
        """Plug the touch panel in; where the program runs already, wait until it reads it."""
        self.ask("panel", "panel")

    def mount_touch(self, turn: str) -> None:
        """Mount the touch panel otherwise behind the glass."""
        self.ask("mounted", "turn", turn)

    # Buttons

    def press(self, button: str) -> Any:
        """Press a button on the pins; returns when its contact closed: the times just before and just after."""
        return self.ask("pressed", "press", button, HELD_S)[0]

    def press_usb(self, button: str) -> Any:
        """Press a button of the USB box; returns when its contact closed, twice."""
        return self.ask("pressed", "usb", button, HELD_S)[0]

    def plug_usb(self) -> None:
        """Plug the USB box in, and wait until the program has greeted it."""
        self.ask("plugged", "usb", "plug")

    def pull_usb(self) -> None:
        """Pull the cable of the USB box."""
        self.ask("pulled", "usb", "pull")
