"""In the machine: a USB box of the firmware's own protocol as a gadget of this kernel, plugged in, pulled and put back."""

from __future__ import annotations

import contextlib
import time

from hardware.link import SURE_NS
from hardware.ports import Button, Lamp, LampPattern, LampStep, PanelEvent, PanelNotice, PressEdge
from hardware.serial_panel import open_serial_panel
from tests.box.guest import main, say, until
from tests.box.pico import PicoBox

PULLS = 3
HALF = LampPattern((LampStep(0.5, 1000),))


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
    until(notices)
    say("plugged", [notices(), str(panel.status().line)])
    panel.set_lamp(Lamp.LEFT, HALF)
    until(lambda: box.lamps.get(0) == [(128, 1000)])

    def error_us() -> int | None:
        return dict(panel.status().counters).get("clock_uncertainty_us")

    until(lambda: error_us() is not None)
    with contextlib.suppress(TimeoutError):  # a machine that is too busy for that is measured as it is
        until(lambda: (error_us() or 9_999) <= SURE_NS // 1000, 60)
    for button in (Button.LEFT, Button.RIGHT) * 5:
        time.sleep(0.2)
        count = len(presses())
        made = [box.move(button, True)]
        time.sleep(0.06)
        made.append(box.move(button, False))
        until(lambda wanted=count + 2: len(presses()) >= wanted)
        told = [(one.button.value, one.pressed, one.at_ns) for one in presses()[count:]]
        say("press", [button.value, made, told, error_us()])

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
