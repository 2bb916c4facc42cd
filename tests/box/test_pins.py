"""The panel on real kernel pins: gpio-sim's chip through the real lgpio and gpiozero, in a machine under emulation.

What the panel tells is compared with two records of the same edges: when they were made, and when the kernel's interrupt
came. Long: some minutes, of which most is waiting for a busy machine.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.box.guest_pins import TRAINS
from tests.box.kernel import Kernel
from tests.box.machine import Machine

pytestmark = pytest.mark.long
MS = 1_000_000


@pytest.fixture(scope="module")
def heard(kernel: Kernel, lgpio: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one start of the machine told, by its names; trains by theirs."""
    folder = tmp_path_factory.mktemp("pins")
    with Machine(
        kernel, folder, "guest_pins.py", ["gpio_sim"], environment={"PYTHONPATH": str(lgpio)}
    ) as box:
        told = {name: box.hear(name) for name in ("panel", "held", "let-go")}
        trains = {train["name"]: train for train in (box.hear("train") for _ in TRAINS)}
        rest = {name: box.hear(name) for name in ("notices", "lamps", "done")}
        return told | trains | rest


def test_the_header_is_found_by_its_label_where_another_chip_came_first(heard: dict[str, Any]) -> None:
    panel, _line, number = heard["panel"]
    assert number == 1
    assert panel == "GpioPanel(pinmap='hardware/pinmap.toml', factory=LGPIOFactory)"


def test_a_pin_of_another_program_is_told_and_used_once_it_is_free(heard: dict[str, Any]) -> None:
    absent, line = heard["held"]
    assert absent == ["The pause button on GPIO 22 cannot be used (GPIO busy); trying again."]
    assert line == "The panel on the GPIO pins works, except: The pause button."
    assert heard["let-go"] == [["The pause button works again."], "The panel on the GPIO pins works."]


@pytest.mark.parametrize("name", TRAINS)
def test_each_press_is_told_once_at_the_time_of_its_first_edge(heard: dict[str, Any], name: str) -> None:
    train = heard[name]
    told = train["told"]
    assert [one[:2] for one in told] == train["wanted"]
    assert len(train["kernel"]) == len(train["made"]), "the kernel saw each move, once"
    moves = list(zip(train["made"], train["kernel"], strict=True))
    for button, pressed, at_ns in told:
        # The clock is charged by this: it is the time of one of the moves, and of none but the first of its burst.
        fitting = [
            (move, kernel_ns)
            for move, (_irq, kernel_ns) in moves
            if move[:2] == [button, pressed] and move[2] - 1_000 <= at_ns <= move[3] + 1_000
        ]
        assert len(fitting) == 1, f"{button} at {at_ns}: {moves}"
        (_button, _closed, before_ns, after_ns), kernel_ns = fitting[0]
        if after_ns - before_ns < 2 * MS:  # else the machine stood still within it
            assert abs(at_ns - kernel_ns) < 2 * MS
    for pressed_button in {move[0] for move in train["made"]}:
        firsts = [at_ns for button, pressed, at_ns in told if button == pressed_button and pressed]
        closings = [move for move in train["made"] if move[0] == pressed_button and move[1]]
        if firsts and name in {"bouncing", "clean", "short"}:
            assert firsts[0] <= closings[0][3] + 1_000, "the first contact, not the last bounce"


def test_most_stamps_could_be_measured(heard: dict[str, Any]) -> None:
    """On a machine that stands still within every move, the figures above would mean nothing."""
    lasted = [after - before for name in TRAINS for _button, _closed, before, after in heard[name]["made"]]
    wide = sum(ns >= 2 * MS for ns in lasted)
    told = [
        (at_ns - kernel_ns) / 1000
        for name in TRAINS
        for _button, _pressed, at_ns in heard[name]["told"]
        for _irq, kernel_ns in heard[name]["kernel"]
        if abs(at_ns - kernel_ns) < 2 * MS
    ]
    print(
        f"\n{len(lasted)} moves, {wide} of them longer than 2 ms; the panel's time after the kernel's interrupt, "
        f"of {len(told)}: median {statistics.median(told):.0f} us, longest {max(told):.0f} us"
    )
    assert wide < len(lasted) / 2


def test_nothing_else_was_told(heard: dict[str, Any]) -> None:
    assert heard["notices"] == []


def test_lamps_shine_and_are_dark_after_the_end(heard: dict[str, Any]) -> None:
    assert heard["lamps"] == "shone, and dark at the end"
