"""Figures of the whole program with its window running: edge to command, to stored, to lamp, to digits, to picture.

Run by hand: ``python tests/bench/bench_box.py [presses]``. The real window draws off-screen, the real desk writes to a
real disk, the panel is the real one on pretended pins or the box's firmware on a pseudo-terminal; two big buttons end
acts of a tournament game in turn. Every time contains the 5 ms in which a press is judged.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from panel_bench import load, quantiles

from companion.core import commands as cm
from companion.core.ids import ARBITER

_MS = 1_000_000


class Bench:
    """The program's own parts around a pretended panel, as `companion.app` joins them."""

    def __init__(self, folder: Path, rig: Any) -> None:
        from kivy.core.window import Window

        from companion.adapters.catalogue import GameCatalogue
        from companion.adapters.panel_link import PanelLink
        from companion.adapters.shell import ShellDesk
        from companion.ui.bridge import Bridge
        from companion.ui.root import Root
        from companion.ui.theme import theme

        self.rig, self.window = rig, Window
        self.bridge = Bridge()
        self.desk = ShellDesk(folder, GameCatalogue(folder / "data"), post=self.bridge.post)
        self.desk.change_setting("tour_done", True)
        theme.use(size_px=Window.size)
        self.root = Root(self.desk, wall_ms=self.desk.time.wall_ms)
        self.sent_ns = self.stored_ns = 0
        self.flips: list[tuple[int, str]] = []
        self.link = PanelLink(
            rig.panel,
            self.desk,
            now_ns=time.monotonic_ns,
            post=self.bridge.post,
            subscribe=self.desk.subscribe_at_once,
        )
        self.desk.subscribe_at_once(lambda _change: setattr(self, "stored_ns", time.monotonic_ns()))
        send = self.desk.send

        def timed(*args: Any, **more: Any) -> None:
            self.sent_ns = time.monotonic_ns()
            send(*args, **more)

        self.desk.send = timed  # type: ignore[method-assign]
        Window.bind(on_flip=self._flipped)

    def _flipped(self, *_args: Any) -> None:
        shown = self.root.desk.change if self.root.screen is not None else None
        self.flips.append((time.monotonic_ns(), "" if shown is None else shown.state.step.id))

    @property
    def step(self) -> str:
        change = self.desk.change
        return "" if change is None else change.state.step.id

    @property
    def state(self) -> Any:
        change = self.desk.change
        assert change is not None
        return change.state

    def start(self) -> None:
        """Open a game and start the panel. Call in the interface thread."""
        self.root.go("home")
        self.root.start_game(self.desk.make_setup("sfw96", "italy", {"tournament": True}))
        self.link.start()

    def close(self) -> None:
        self.link.close()
        self.root.close()
        self.root.parent = None
        self.desk.close()
        self.window.unbind(on_flip=self._flipped)


def wait(is_so: Callable[[], bool], what: str, seconds: float = 5.0) -> int:
    """Look until something is so; return when it was seen, in nanoseconds."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.0002)
    return time.monotonic_ns()


def drive(bench: Bench, presses: int, out: dict[str, list[float]]) -> None:
    """Press in turn and time everything; runs beside the interface thread."""
    wait(lambda: bench.step != "" and bool(bench.rig.panel.status().parts), "the start", 20)
    time.sleep(1.0)
    for _n in range(presses):
        try:
            press(bench, out)
        except TimeoutError:
            # Here the table must say more than a button can; go on as its screen would.
            step = bench.state.step.id
            bench.desk.send(cm.EndAct(step=step, at_ms=bench.desk.now_ms(), confirmed=True), actor=ARBITER)
        time.sleep(0.3)
        second(bench, out)


def press(bench: Bench, out: dict[str, list[float]]) -> None:
    """End the act at hand by its side's button and time what follows, in milliseconds from the edge."""
    from companion.core.ids import Side
    from hardware.ports import Button, Lamp

    big = {Side("allies"): (Button.LEFT, Lamp.LEFT), Side("axis"): (Button.RIGHT, Lamp.RIGHT)}
    rig = bench.rig
    before = bench.state.step
    owner = before.owners[0] if len(before.owners) == 1 else Side("allies")
    button, lamp = big[owner]
    flips = len(bench.flips)
    edge = time.monotonic_ns()
    rig.contact(button, True)
    try:
        wait(lambda: bench.step != before.id, "the step", 2)
    except TimeoutError:
        rig.contact(button, False)
        raise
    after = bench.state.step
    sent, stored = bench.sent_ns, bench.stored_ns
    if len(after.owners) == 1 and after.owners[0] != owner:
        other = big[after.owners[0]][1]
        lit = wait(lambda: rig.lamp_level(other) > 0.5 > rig.lamp_level(lamp), "the lamp")
        out["lamp"].append((lit - edge) / _MS)
    wait(lambda: any(step == after.id for _at, step in bench.flips[flips:]), "the picture")
    shown = next(at for at, step in bench.flips[flips:] if step == after.id)
    for what, at in (("command", sent), ("stored", stored), ("picture", shown)):
        out[what].append((at - edge) / _MS)
    rig.contact(button, False)


def second(bench: Bench, out: dict[str, list[float]]) -> None:
    """Time how late the digits show the next whole second of the running clock, in milliseconds."""
    from companion.core import clock as ck
    from companion.core.ids import Side
    from hardware.ports import Display

    clocks = bench.state.clocks
    if clocks.running is None:
        return
    display = Display.LEFT if clocks.running == Side("allies") else Display.RIGHT
    left = ck.remaining(clocks, clocks.running, bench.desk.now_ms())
    assert left is not None
    row = bench.rig.display_row(display)
    due_ns = time.monotonic_ns() + ((left - 1) % 1000 + 1) * _MS
    changed = wait(lambda: bench.rig.display_row(display) != row, "the digits", 3)
    if changed > due_ns - 5 * _MS:
        out["digits"].append((changed - due_ns) / _MS)


def idle(what: str, seconds: float = 6.0) -> None:
    """Print the share of one core that the whole process uses while nobody presses anything."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    time.sleep(seconds)
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  {what:40} {100 * used / seconds:6.2f} % of a core")


def measure(kind: str, presses: int) -> None:
    """Measure one panel in this process and print its rows."""
    from companion.ui import env

    env.prepare(800, 480, offscreen=True)
    from kivy.base import runTouchApp, stopTouchApp
    from kivy.clock import Clock

    from hardware.gpio import GpioPanel

    kit = load("conftest")
    out: dict[str, list[float]] = {"command": [], "stored": [], "lamp": [], "digits": [], "picture": []}
    failed: list[BaseException] = []
    with tempfile.TemporaryDirectory() as folder:
        rig = kit.GpioRig() if kind == "gpio" else kit.SerialRig(Path(folder))
        if kind == "gpio":
            rig.panel = GpioPanel(rig.pinmap, rig.factory)  # with the times of the real one
        bench = Bench(Path(folder), rig)

        def work() -> None:
            try:
                drive(bench, presses, out)
                time.sleep(6)  # the picture calms down five seconds after the last change
                idle("window and panel, a clock running")
                bench.desk.send(cm.Pause(at_ms=bench.desk.now_ms()))
                time.sleep(1)
                idle("window and panel, paused")
                bench.link.close()
                idle("window alone, paused")
            except BaseException as fault:
                failed.append(fault)
            finally:
                Clock.schedule_once(lambda _dt: stopTouchApp(), 0)

        Clock.schedule_once(lambda _dt: bench.start(), 0)
        thread = threading.Thread(target=work, daemon=True)
        print(f"{kind}: milliseconds (p50, p99, worst, count)", flush=True)
        thread.start()
        runTouchApp(bench.root)
        thread.join()
        bench.close()
        rig.close()
    for what, values in out.items():
        if values:
            name = "true second to digits" if what == "digits" else f"edge to {what}"
            print(f"  {name:22} {quantiles(values, 1)} {len(values):5}")
    if failed:
        raise failed[0]


def main() -> None:
    """Measure both panels, each in a process of its own, since a process has one window."""
    presses = sys.argv[1] if len(sys.argv) > 1 else "60"
    if len(sys.argv) > 2:
        measure(sys.argv[2], int(presses))
        return
    for kind in ("gpio", "serial"):
        subprocess.run([sys.executable, __file__, presses, kind], check=True)


if __name__ == "__main__":
    main()
