"""The box on USB, as a real kernel sees it: found by its numbers, read through cdc-acm, its cable pulled and put back.

The other end is the firmware's own protocol behind a serial gadget of the same kernel (dummy_hcd joins the two). Long.
"""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from tests.box.guest_usb import PULLS
from tests.box.kernel import Kernel
from tests.box.machine import Machine

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def heard(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one start of the machine told, by its names."""
    modules = ["dummy_hcd", "usb_f_acm", "libcomposite", "cdc_acm"]
    with Machine(kernel, tmp_path_factory.mktemp("usb"), "guest_usb.py", modules) as box:
        told = {name: box.hear(name) for name in ("alone", "plugged")}
        presses = [box.hear("press") for _ in range(10)]
        pulls = [box.hear("pull") for _ in range(PULLS)]
        box.hear("done")
        return told | {"presses": presses, "pulls": pulls}


def test_a_box_that_is_plugged_in_is_found_by_itself(heard: dict[str, Any]) -> None:
    assert heard["alone"] == "No button box is plugged in."
    notices, line = heard["plugged"]
    assert notices == ["The button box pico-84351 on /dev/ttyACM0 is connected."]
    assert line == "The button box pico-84351 on /dev/ttyACM0 works."


def test_presses_have_the_times_of_their_contacts(heard: dict[str, Any]) -> None:
    """As near as the panel says that it knows the box's clock, and a millisecond."""
    off_us, known_us = [], []
    for button, made, told, uncertainty_us in heard["presses"]:
        assert [one[:2] for one in told] == [[button, True], [button, False]]
        known_us.append(uncertainty_us)
        for at_ns, (_button, _pressed, told_ns) in zip(made, told, strict=True):
            off_us.append(abs(told_ns - at_ns) / 1000)
            assert off_us[-1] <= uncertainty_us + 1000
    middle, most = statistics.median(off_us), max(off_us)
    print(
        f"\n20 edges over USB, off by {middle:.0f} us (median), at most {most:.0f} us; known to {max(known_us)} us"
    )


@pytest.mark.parametrize("number", range(PULLS))
def test_a_pulled_cable_is_noticed_told_and_mended(heard: dict[str, Any], number: int) -> None:
    pull = heard["pulls"][number]
    print(f"\npull {number + 1}: {pull['ms']}")
    assert pull["notices"] == [
        "The button box pico-84351 does not respond; the game goes on.",
        "The button box pico-84351 works again.",
    ]
    assert pull["line"] == "The button box pico-84351 does not respond; plug it in again."
    # A button that was let go meanwhile is told once; one that is still held is not pressed anew.
    released = [["left", False]]
    assert pull["away"] == (released if number % 2 == 0 else [])
    assert pull["presses"] == released
