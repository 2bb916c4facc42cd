"""On a real, wired box, with a person at it: COMPANION_REAL_PINS=1 pytest tests/hardware/test_real_pins.py -s."""

from __future__ import annotations

import os
import time

import pytest

from hardware.group import open_panel
from hardware.pinmap import default_pinmap
from hardware.ports import Button, Lamp, LampPattern, LampStep, PanelState, PressEdge, part_of

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(
        os.environ.get("COMPANION_REAL_PINS") != "1", reason="set COMPANION_REAL_PINS=1 on a wired box"
    ),
]


def test_every_wired_button_is_heard_once_at_its_time(kit):
    listener = kit.Listener()
    panel = open_panel(default_pinmap())
    panel.start(listener)
    try:
        assert panel.status().state is PanelState.WORKING, str(panel.status().line)
        for lamp in Lamp:
            panel.set_lamp(lamp, LampPattern((LampStep(1.0, 1000),)))
        for button in Button:
            if part_of(button) not in panel.status().parts:
                continue
            print(f"\npress and release {button.value} once, within 20 s", flush=True)
            count = len(listener.edges)
            deadline = time.monotonic() + 20
            while len(listener.edges) < count + 2:
                assert time.monotonic() < deadline, f"{button.value} was not heard"
                with listener.changed:
                    listener.changed.wait(0.1)
            down, up = (edge for edge in listener.edges[count : count + 2] if isinstance(edge, PressEdge))
            assert (down.button, down.pressed, up.pressed) == (button, True, False)
            assert down.at_ns < up.at_ns <= time.monotonic_ns()
    finally:
        panel.close()
