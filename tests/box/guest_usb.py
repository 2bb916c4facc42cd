"""In the machine: a USB box of the firmware's own protocol as a gadget of this kernel, plugged in, pulled and put back."""

from __future__ import annotations

import importlib.util
import os
import select
import threading
import time
import tty
from pathlib import Path

from hardware.ports import Button, Lamp, LampPattern, LampStep, PanelEvent, PanelNotice, PressEdge
from hardware.serial_panel import open_serial_panel
from tests.box.guest import main, say, until

GADGET = Path("/sys/kernel/config/usb_gadget/pico")
PULLS = 3
SKEW_US = 7_000_000
HALF = LampPattern((LampStep(0.5, 1000),))

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


def act() -> None:
    events: list[PanelEvent] = []

    def notices() -> list[str]:
        return [str(one.detail) for one in events if isinstance(one, PanelNotice)]

    def presses() -> list[PressEdge]:
        return [one for one in events if isinstance(one, PressEdge)]

    panel = open_serial_panel("auto")
    panel.start(events.append)
    say("alone", str(panel.status().line))
    box = PicoBox()
    box.plug()
    until(notices, 60)
    say("plugged", [notices(), str(panel.status().line)])
    panel.set_lamp(Lamp.LEFT, HALF)
    until(lambda: box.lamps.get(0) == [(128, 1000)])

    until(lambda: "clock_uncertainty_us" in dict(panel.status().counters))
    for button in (Button.LEFT, Button.RIGHT) * 5:
        time.sleep(0.2)
        count = len(presses())
        made = [box.move(button, True)]
        time.sleep(0.06)
        made.append(box.move(button, False))
        until(lambda wanted=count + 2: len(presses()) >= wanted)
        told = [(one.button.value, one.pressed, one.at_ns) for one in presses()[count:]]
        say("press", [button.value, made, told, dict(panel.status().counters)["clock_uncertainty_us"]])

    for number in range(PULLS):
        box.move(Button.LEFT, True)
        until(lambda: presses()[-1].pressed)
        told_before, edges_before = len(notices()), len(presses())
        pulled_ns = time.monotonic_ns()
        box.pull()
        until(lambda before=told_before: len(notices()) > before)
        lost_ms = (time.monotonic_ns() - pulled_ns) // 1_000_000
        line = str(panel.status().line)
        panel.set_lamp(Lamp.RIGHT, HALF)  # meanwhile the game goes on, and wants something shown
        if number % 2 == 0:
            box.move(Button.LEFT, False)  # let go while there was no cable
        plugged_ns = time.monotonic_ns()
        box.plug()
        until(lambda before=told_before: len(notices()) > before + 1)
        back_ms = (time.monotonic_ns() - plugged_ns) // 1_000_000
        until(lambda: box.lamps.get(0) == [(128, 1000)] and box.lamps.get(1) == [(128, 1000)])
        lit_ms = (time.monotonic_ns() - plugged_ns) // 1_000_000
        time.sleep(0.5)
        while_away = [(one.button.value, one.pressed) for one in presses()[edges_before:]]
        if number % 2:
            box.move(Button.LEFT, False)
        until(lambda: not presses()[-1].pressed)
        time.sleep(0.3)
        everything = [(one.button.value, one.pressed) for one in presses()[edges_before:]]
        say(
            "pull",
            {
                "notices": notices()[told_before:],
                "line": line,
                "away": while_away,
                "presses": everything,
                "ms": {"noticed": lost_ms, "back": back_ms, "lit": lit_ms},
            },
        )
    panel.close()
    until(lambda: not box.lamps)
    say("dark", None)


if __name__ == "__main__":
    main(act)
