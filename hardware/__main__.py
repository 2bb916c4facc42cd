"""Try the box from a terminal: ``python -m hardware COMMAND``.

``check`` says what is there; ``watch`` shows every press as it comes; ``lamps`` shows and sounds every signal;
``record FILE`` writes raw edges of the pins to a train file; ``wiring`` prints the table, ``wiring FILE.svg``
draws the picture. No application, no window.
"""

from __future__ import annotations

import argparse
import queue
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hardware import edges, trains, wiring
from hardware.errors import PinMapError
from hardware.group import open_panel
from hardware.language import CUE_PATTERNS, SIGNAL_MEANINGS, SIGNAL_PATTERNS
from hardware.pinfactory import make_pin_factory
from hardware.pinmap import PinMap, load_pinmap
from hardware.pins import ButtonDevice
from hardware.ports import Button, Lamp, Panel, PanelEvent, PanelState, PressEdge

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 where it worked, 1 where there is no panel, 2 for a pin map that cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m hardware", description="Try the box's buttons and lamps."
    )
    parser.add_argument("--pinmap", type=Path, help="a pin map file in place of the shipped one")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="say what is there")
    for name, words in (("watch", "show every press as it comes"), ("record", "write raw edges to a file")):
        one = commands.add_parser(name, help=words)
        one.add_argument("--seconds", type=float, default=30.0, help="stop after this long (30)")
        if name == "record":
            one.add_argument("file", type=Path)
    lamps = commands.add_parser("lamps", help="show and sound every signal")
    lamps.add_argument("--seconds", type=float, default=2.0, help="how long each one is shown (2)")
    drawing = commands.add_parser("wiring", help="print the wiring table, or draw it into FILE.svg")
    drawing.add_argument("file", type=Path, nargs="?")
    options = parser.parse_args(arguments)
    try:
        pinmap = load_pinmap(options.pinmap)
    except PinMapError as error:
        print(error, file=sys.stderr)
        return 2
    if options.command == "wiring":
        return _wiring(pinmap, options.file)
    if options.command == "record":
        return _record(pinmap, options.file, options.seconds)
    panel = open_panel(pinmap)
    heard: queue.SimpleQueue[PanelEvent] = queue.SimpleQueue()
    panel.start(heard.put)
    try:
        if options.command == "lamps":
            return _lamps(panel, options.seconds)
        return _watch(panel, heard, options.seconds if options.command == "watch" else 1.5)
    finally:
        panel.close()


def _wiring(pinmap: PinMap, file: Path | None) -> int:
    if file is None:
        print(wiring.table(pinmap), end="")
    else:
        file.write_text(wiring.svg(pinmap), encoding="utf-8")
        print(f"drawn into {file}")
    return 0


def _watch(panel: Panel, heard: queue.SimpleQueue[PanelEvent], seconds: float) -> int:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        try:
            event = heard.get(timeout=left)
        except queue.Empty:
            break
        if isinstance(event, PressEdge):
            late_ms = (time.monotonic_ns() - event.at_ns) / 1e6
            word = "down" if event.pressed else "up"
            print(f"{event.button.value:8} {word:4}  told {late_ms:.1f} ms after the edge", flush=True)
        else:
            print(f"{event.kind.value}: {event.detail}", flush=True)
    status = panel.status()
    print(status.line)
    print("parts: " + (", ".join(sorted(part.value for part in status.parts)) or "none"))
    print("down: " + (", ".join(sorted(button.value for button in status.down)) or "none"))
    for name, value in status.counters:
        print(f"  {name}: {value}")
    return 0 if status.state is PanelState.WORKING else 1


def _lamps(panel: Panel, seconds: float) -> int:
    for signal, pattern in SIGNAL_PATTERNS.items():
        print(f"{signal.value:10} {SIGNAL_MEANINGS[signal]}", flush=True)
        for lamp in Lamp:
            panel.set_lamp(lamp, pattern)
        time.sleep(seconds)
    for cue, tones in CUE_PATTERNS.items():
        print(f"{cue.value:10} sound", flush=True)
        panel.buzz(tones)
        time.sleep(max(seconds / 2, tones.total_ms / 1000))
    return 0 if panel.status().state is PanelState.WORKING else 1


def _record(pinmap: PinMap, file: Path, seconds: float) -> int:
    try:
        factory = make_pin_factory()
    except Exception as error:
        print(f"The pins cannot be opened: {error}", file=sys.stderr)
        return 1
    heard: list[edges.RawEdge] = []
    start_ns = time.monotonic_ns()

    def seen(button: Button, closed: bool, ticks: float | None) -> None:
        at_ns = time.monotonic_ns() if ticks is None else round(ticks * 1e9)
        heard.append(edges.RawEdge(button, closed, at_ns))

    devices = [ButtonDevice(button, pin, factory, seen) for button, pin in pinmap.buttons.items()]
    for device in devices:
        device.open()
    down = " ".join(device.button.value for device in devices if device.is_closed())
    time.sleep(seconds)
    for device in devices:
        device.close()
    heard.sort(key=lambda edge: edge.at_ns)
    notes = {"origin": f"recorded with python -m hardware record, {seconds:g} s", "down": down}
    file.write_text(trains.format_train(heard, start_ns, notes), encoding="utf-8")
    state, _ = edges.run_train(
        heard, dict.fromkeys(pinmap.buttons, False), time.monotonic_ns(), pinmap.filter, start_ns
    )
    print(f"{len(heard)} edges in {file}: the filter finds {state.counts.presses} presses")
    return 0


if __name__ == "__main__":
    sys.exit(main())
