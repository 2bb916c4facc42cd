"""In the machine: the real pin library and the panel on a simulated chip, with the kernel's own record of each edge beside."""

from __future__ import annotations

import contextlib
import itertools
import re
import subprocess
import sys
import time
from pathlib import Path

from hardware import edges
from hardware.gpio import GpioPanel, open_gpio_panel
from hardware.pinmap import default_pinmap
from hardware.ports import Button, Lamp, LampPattern, LampStep, PanelEvent, PanelNotice, PressEdge
from tests.box.guest import SimulatedChip, main, say, until

TRACE = Path("/sys/kernel/tracing")
HOLD = "import lgpio, sys; h = lgpio.gpiochip_open({chip}); lgpio.gpio_claim_input(h, {line}); print(flush=True); sys.stdin.read()"
MS = 1_000_000
GAP_MS = edges.FilterSettings().gap_ms
L, R, PAUSE, KEY = Button.LEFT, Button.RIGHT, Button.PAUSE, Button.ARBITER

Moves = list[tuple[Button, float, bool]]
TRAINS: dict[str, tuple[Moves, list[tuple[Button, bool]]]] = {
    "clean": ([(L, 0, True), (L, 100, False)], [(L, True), (L, False)]),
    "short": ([(R, 0, True), (R, 8, False)], [(R, True), (R, False)]),
    "bouncing": (
        [(L, 0, True), (L, 1, False), (L, 1, True), (L, 2, False), (L, 1, True),
         (L, 90, False), (L, 1, True), (L, 1, False)],
        [(L, True), (L, False)],
    ),
    "glitch": ([(L, 0, True), (L, 1, False), (R, 40, True), (R, 60, False)], [(R, True), (R, False)]),
    "both": ([(R, 0, True), (L, 2, True), (L, 80, False), (R, 60, False)], [(R, True), (L, True), (L, False), (R, False)]),
    "key": (
        [(KEY, 0, True), (PAUSE, 50, True), (PAUSE, 60, False), (KEY, 50, False)],
        [(KEY, True), (PAUSE, True), (PAUSE, False), (KEY, False)],
    ),
    "fast": ([(L, 60, closed) for _ in range(10) for closed in (True, False)], [(L, True), (L, False)] * 10),
}  # fmt: skip
"""Each train: what is moved, how many ms after the move before it, whether it closes; and what a panel has to tell of it."""
TRIES = 40


def record_interrupts() -> None:
    """Let the kernel note when each interrupt's handler began, by the clock that the panel counts in."""
    (TRACE / "trace_clock").write_text("mono")
    (TRACE / "events/irq/irq_handler_entry/enable").write_text("1")


def interrupts() -> list[tuple[int, int]]:
    """Return number and time of every interrupt of a pin so far."""
    found = re.findall(
        r"\s(\d+)\.(\d{6}): irq_handler_entry: irq=(\d+) name=lg\b", (TRACE / "trace").read_text()
    )
    return [(int(irq), int(seconds) * 10**9 + int(micros) * 1000) for seconds, micros, irq in found]


def act() -> None:
    other = SimulatedChip("expander", "pca9555", 16)
    chip = SimulatedChip("header", "pinctrl-bcm2711", 54)
    assert other.number < chip.number, "the header must not be the first chip here"
    pinmap = default_pinmap()
    lines = {button: pin.gpio for button, pin in pinmap.buttons.items()}
    for line in lines.values():
        chip.pull(line, True)

    events: list[PanelEvent] = []
    # One wire is another program's at first.
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(chip=chip.number, line=lines[Button.PAUSE])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/run/tmp",
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdin is not None
    holder.stdout.readline()

    def notices(kind: str) -> list[str]:
        return [str(one.detail) for one in events if isinstance(one, PanelNotice) and one.kind.value == kind]

    panel = open_gpio_panel(pinmap)
    say("panel", [repr(panel), str(panel.status().line), chip.number])
    assert isinstance(panel, GpioPanel)
    panel.start(events.append)
    say("held", [notices("absent"), str(panel.status().line)])
    holder.stdin.close()
    holder.wait()
    until(lambda: notices("regained"))
    say("let-go", [notices("regained"), str(panel.status().line)])

    def presses() -> list[PressEdge]:
        return [one for one in events if isinstance(one, PressEdge)]

    def play(moves: Moves) -> list[tuple[Button, bool, int, int]]:
        """Move the contacts; returns each move with the time just before and just after it."""
        due_ns, made = time.monotonic_ns(), []
        for button, wait_ms, closed in moves:
            due_ns += round(wait_ms * MS)
            while time.monotonic_ns() < due_ns:
                pass
            before_ns, due_ns = chip.pull(lines[button], not closed)
            made.append((button, closed, before_ns, due_ns))
        return made

    def judged(made: list[tuple[Button, bool, int, int]], which: int) -> list[tuple[Button, bool]]:
        """What the filter makes of the moves, taken at their beginning (2) or their end (3)."""
        raw = [edges.RawEdge(move[0], move[1], move[which]) for move in made]
        end_ns, start_ns = made[-1][3] + 1_000 * MS, made[0][2] - 1_000 * MS
        told = edges.run_train(raw, dict.fromkeys(Button, False), end_ns, pinmap.filter, start_ns)[1]
        return [(one.button, one.pressed) for one in told if isinstance(one, PressEdge)]

    def in_one_burst(moves: Moves, made: list[tuple[Button, bool, int, int]]) -> bool:
        """Say whether nothing that was written as a bounce took as long as a pause between two presses."""
        gaps_ns = [later[2] - earlier[2] for earlier, later in itertools.pairwise(made)]
        pairs = zip(moves[1:], gaps_ns, strict=True)
        return all(
            gap_ns < GAP_MS * MS for (_button, wait_ms, _closed), gap_ns in pairs if wait_ms < GAP_MS / 2
        )

    record_interrupts()
    # The first one takes long: the code that it runs is only now read, from another machine's files.
    play(TRAINS["clean"][0])
    until(lambda: len(presses()) == 2)
    events.clear()

    def told(first: int, count: int) -> list[PressEdge]:
        """Wait for so many presses and releases, and for more than were wanted; what is missing the test finds."""
        with contextlib.suppress(TimeoutError):
            until(lambda: len(presses()) - first >= count, 10)
        time.sleep(0.3)
        return presses()[first:]

    for name, (moves, wanted) in TRAINS.items():
        for _ in range(TRIES):
            time.sleep(0.3)
            first, noted = len(presses()), len(interrupts())
            made = play(moves)
            if in_one_burst(moves, made) and judged(made, 2) == judged(made, 3) == wanted:
                break
            time.sleep(2)  # the machine stood still in the middle of it: let that pass and play it again
        else:
            raise TimeoutError(f"{name}: this machine is too busy to play it once as it is written")
        heard = told(first, len(wanted))
        say(
            "train",
            {
                "name": name,
                "wanted": [(button.value, closed) for button, closed in wanted],
                "made": [(button.value, *rest) for button, *rest in made],
                "kernel": interrupts()[noted:],
                "told": [(one.button.value, one.pressed, one.at_ns) for one in heard],
            },
        )
    say("notices", [str(one.detail) for one in events if isinstance(one, PanelNotice)])

    def lamp_is(shines: bool) -> None:
        until(lambda: chip.value(pinmap.lamps[Lamp.LEFT].gpio) == shines)

    for level in (1.0, 0.0, 1.0):
        panel.set_lamp(Lamp.LEFT, LampPattern((LampStep(level, 1000),)))
        lamp_is(bool(level))
    panel.close()
    lamp_is(False)
    say("lamps", "shone, and dark at the end")


if __name__ == "__main__":
    main(act)
