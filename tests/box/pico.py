"""A USB box of the firmware's own protocol, made of this kernel's serial gadget (dummy_hcd joins both ends)."""

from __future__ import annotations

import importlib.util
import os
import select
import threading
import time
import tty
from pathlib import Path

from hardware.ports import Button

__all__ = ["PicoBox"]

GADGET = Path("/sys/kernel/config/usb_gadget/pico")
SKEW_US = 7_000_000

_spec = importlib.util.spec_from_file_location(
    "firmware_protocol", Path(__file__).parents[2] / "deploy/firmware/protocol.py"
)
assert _spec is not None
assert _spec.loader is not None
protocol = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(protocol)


class PicoBox:
    """The firmware's protocol behind a serial gadget with a Pico's numbers; counts its own microseconds."""

    def __init__(self) -> None:
        for name in ("strings/0x409", "configs/c.1/strings/0x409", "functions/acm.usb0"):
            (GADGET / name).mkdir(parents=True)
        for name, text in {
            "idVendor": "0x2e8a", "idProduct": "0x0005", "strings/0x409/manufacturer": "MicroPython",
            "strings/0x409/product": "Board in FS mode", "strings/0x409/serialnumber": "e66164084351",
        }.items():  # fmt: skip
            (GADGET / name).write_text(text)
        (GADGET / "configs/c.1/acm.usb0").symlink_to(GADGET / "functions/acm.usb0")
        self.levels = 0
        self.lamps: dict[int, list[tuple[int, int]]] = {}
        self._boot = 0
        self._lock = threading.Lock()

    # What the box is told to show.

    def lamp(self, index: int, _repeat: bool, steps: list[tuple[int, int]]) -> None:
        self.lamps[index] = steps

    def dark(self) -> None:
        self.lamps.clear()

    def display(self, _index: int, _text: str) -> None: ...

    def buzz(self, _tones: list[tuple[int, int]]) -> None: ...

    def tray(self, _level: int) -> None: ...

    def us(self) -> int:
        return (time.monotonic_ns() - self._started_ns) // 1000 + SKEW_US

    def plug(self) -> None:
        """Power the box and put its cable in."""
        self._started_ns = time.monotonic_ns()
        self._boot += 1
        self.lamps.clear()
        self.box = protocol.Box(self, "pico-84351", self._boot, 0x7FF, self.levels)
        self._line = os.open("/dev/ttyGS0", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._line)
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        (GADGET / "UDC").write_text("dummy_udc.0")

    def pull(self) -> None:
        """Pull the cable: the box has no power any more."""
        (GADGET / "UDC").write_text("\n")
        self._running = False
        self._thread.join()
        os.close(self._line)

    def move(self, button: Button, closed: bool) -> int:
        """Close or open a contact, also of a box without power; returns when, in monotonic nanoseconds."""
        index = list(Button).index(button)
        with self._lock:
            at_ns = time.monotonic_ns()
            self.levels = self.levels | 1 << index if closed else self.levels & ~(1 << index)
            if self._running:
                self.box.edge(index, closed, (at_ns - self._started_ns) // 1000 + SKEW_US)
        return at_ns

    def _run(self) -> None:
        while self._running:
            with self._lock:
                self.box.poll(self.us())
                out = self.box.take_output()
            try:
                if out:
                    os.write(self._line, out)
                if select.select([self._line], [], [], 0.002)[0]:
                    data = os.read(self._line, 4096)
                    with self._lock:
                        self.box.feed(data, self.us())
            except OSError:
                time.sleep(0.002)  # nobody at the other end, or no room
