"""Figures of the panels: edge to listener, to lamp, to digits; idle cost; false and missed presses.

Run by hand: ``python tests/bench/bench_hardware.py [trains]``. Pretended pins and a pseudo-terminal: the figures
are the program's own share, without a kernel's or a cable's. Every time contains the 5 ms in which a press is judged.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from panel_bench import load, quantiles


def latency(rig, presses: int = 200) -> dict[str, list[float]]:
    """Press, let the listener light a lamp and write a number, and time each, in milliseconds."""
    from hardware.ports import Button, Display, DisplayText, Lamp, LampPattern, LampStep, PressEdge

    full, dark = (LampPattern((LampStep(level, 1000),)) for level in (1.0, 0.0))
    heard = threading.Event()
    told_ns = [0]
    count = [0]

    def listener(event) -> None:
        if isinstance(event, PressEdge) and event.pressed:
            told_ns[0] = time.monotonic_ns()
            count[0] += 1
            rig.panel.set_lamp(Lamp.LEFT, full if count[0] % 2 else dark)
            rig.panel.set_display(Display.LEFT, DisplayText(f"{count[0]:04d}"))
            heard.set()

    rig.listener = listener
    rig.panel._listener = listener
    out: dict[str, list[float]] = {"listener": [], "lamp": [], "digits": []}
    for index in range(presses):
        heard.clear()
        start = time.monotonic_ns()
        rig.contact(Button.LEFT, True)
        heard.wait(2)
        lamp_ns = digits_ns = 0
        wanted, text = (1.0 if index % 2 == 0 else 0.0), f"{index + 1:04d}"
        while not (lamp_ns and digits_ns):
            if not lamp_ns and rig.lamp_level(Lamp.LEFT) == wanted:
                lamp_ns = time.monotonic_ns()
            if not digits_ns and rig.display_row(Display.LEFT) == text:
                digits_ns = time.monotonic_ns()
            time.sleep(0.0002)
        out["listener"].append((told_ns[0] - start) / 1e6)
        out["lamp"].append((lamp_ns - start) / 1e6)
        out["digits"].append((digits_ns - start) / 1e6)
        rig.contact(Button.LEFT, False)
        time.sleep(0.05)
    return out


def idle(seconds: float = 5.0) -> float:
    """Share of one core that the process uses while nothing happens, in percent."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    time.sleep(seconds)
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 100 * used / seconds


def main() -> None:
    """Measure and print one table."""
    trains = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    kit, edges = load("conftest"), load("test_edges")
    from hardware.gpio import GpioPanel
    from hardware.language import SIGNAL_PATTERNS, Signal
    from hardware.ports import Lamp

    print("milliseconds from the edge (p50, p99, worst)")
    for name in ("gpio", "serial"):
        with tempfile.TemporaryDirectory() as folder:
            rig = kit.GpioRig() if name == "gpio" else kit.SerialRig(Path(folder))
            if name == "gpio":
                rig.panel = GpioPanel(rig.pinmap, rig.factory)  # with the times of the real one
            rig.panel.start(rig.listener)
            while not rig.panel.status().parts:
                time.sleep(0.01)
            time.sleep(0.1)
            for what, values in latency(rig).items():
                print(f"  {name:7} to {what:9} {quantiles(values)}")
            print(
                f"  {name:7} idle, lamps steady      {idle():6.2f} % of a core"
                + (" (with the pretended box's own loop)" if name == "serial" else "")
            )
            rig.panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.WAITING])
            rig.panel.set_lamp(Lamp.RIGHT, SIGNAL_PATTERNS[Signal.LOW_TIME])
            print(f"  {name:7} idle, two lamps blinking {idle():5.2f} % of a core")
            rig.close()
    start = time.perf_counter()
    made, missed, invented = edges.count_mistakes(trains)
    print(
        f"{trains} generated edge trains: {made} presses, {missed} missed, {invented} false "
        f"({time.perf_counter() - start:.1f} s)"
    )
    raw = [edge for train, _ in edges.seeded_trains(300) for edge in train]
    start = time.perf_counter()
    for train, _ in edges.seeded_trains(300):
        edges.run_train(train, edges.UP, train[-1].at_ns + 100_000_000)
    print(f"edge filter: {(time.perf_counter() - start) / len(raw) * 1e6:.0f} microseconds an edge")


if __name__ == "__main__":
    main()
