"""Figures of the whole program with its window running: edge to command, to stored, to lamp, to digits, to picture.

Run by hand: ``python tests/bench/bench_box.py [presses]``. The real window draws off-screen, the real desk writes to a
real disk, the panel is the real one on pretended pins or the box's firmware on a pseudo-terminal; two big buttons end
acts of a tournament game in turn. Every time contains the 5 ms in which a press is judged.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
_MS = 1_000_000


def load(name: str) -> ModuleType:
    """Import a file of tests/hardware by its path."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", HERE.parent / "hardware" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def quantiles(values: list[float]) -> str:
    """p50, p99 and worst as one cell."""
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, round(len(ordered) * 0.99))]
    return f"{statistics.median(ordered):8.1f} {p99:8.1f} {ordered[-1]:8.1f}"


class Bench:
    """The program's own parts around a pretended panel, as `companion.app` joins them."""

    def __init__(self, folder: Path, rig: Any) -> None:
        from kivy.core.window import Window

        from companion.catalogue import GameCatalogue
        from companion.panel_link import PanelLink
        from companion.shell import ShellDesk
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

    def start(self) -> None:
        """Open a game on the Clocks screen and start the panel. Call in the interface thread."""
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
    from companion.core import clock as ck
    from companion.core.ids import Side
    from hardware.ports import Button, Display, Lamp

    big = {Side("allies"): (Button.LEFT, Lamp.LEFT), Side("axis"): (Button.RIGHT, Lamp.RIGHT)}
    rig = bench.rig
    wait(lambda: bench.step != "" and bool(rig.panel.status().parts), "the start", 20)
    time.sleep(1.0)
    done = 0
    while done < presses:
        change = bench.desk.change
        assert change is not None
        before, owners = change.state.step.id, change.state.step.owners
        owner = owners[0] if len(owners) == 1 else Side("allies")
        button, lamp = big[owner]
        flips = len(bench.flips)
        edge = time.monotonic_ns()
        rig.contact(button, True)
        try:
            wait(lambda: bench.step != before, "the step")
        except TimeoutError:
            rig.contact(button, False)
            time.sleep(0.3)
            continue
        state = bench.desk.change.state  # type: ignore[union-attr]
        sent, stored = bench.sent_ns, bench.stored_ns
        now_owner = state.step.owners[0] if len(state.step.owners) == 1 else None
        if now_owner is not None and now_owner != owner:
            other = big[now_owner][1]
            lit = wait(lambda: rig.lamp_level(other) > 0.5 > rig.lamp_level(lamp), "the lamp")
            out["lamp"].append((lit - edge) / _MS)
        shown = wait(lambda: any(step == state.step.id for _at, step in bench.flips[flips:]), "the picture")
        shown = next(at for at, step in bench.flips[flips:] if step == state.step.id)
        out["command"].append((sent - edge) / _MS)
        out["stored"].append((stored - edge) / _MS)
        out["picture"].append((shown - edge) / _MS)
        done += 1
        rig.contact(button, False)
        time.sleep(0.3)
        state = bench.desk.change.state  # type: ignore[union-attr]
        if state.clocks.running is not None:
            display = Display.LEFT if state.clocks.running == Side("allies") else Display.RIGHT
            left = ck.remaining(state.clocks, state.clocks.running, bench.desk.now_ms())
            assert left is not None
            row = rig.display_row(display)
            due_ns = time.monotonic_ns() + ((left - 1) % 1000 + 1) * _MS
            changed = wait(lambda: rig.display_row(display) != row, "the digits", 3)
            if changed > due_ns - 5 * _MS:
                out["digits"].append((changed - due_ns) / _MS)
        if state.step.stage > 1:
            break


def main() -> None:
    """Measure both panels and print one table."""
    presses = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    from companion.ui import env

    env.prepare(800, 480, offscreen=True)
    from kivy.base import EventLoop, runTouchApp, stopTouchApp
    from kivy.clock import Clock

    kit = load("conftest")
    from hardware.gpio import GpioPanel

    kinds = sys.argv[2:] or ["gpio", "serial"]
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            rig = kit.GpioRig() if kind == "gpio" else kit.SerialRig(Path(folder))
            if kind == "gpio":
                rig.panel = GpioPanel(rig.pinmap, rig.factory)
            bench = Bench(Path(folder), rig)
            out: dict[str, list[float]] = {
                "command": [], "stored": [], "lamp": [], "digits": [], "picture": [],
            }  # fmt: skip
            failed: list[BaseException] = []

            def work(bench=bench, out=out, failed=failed) -> None:
                try:
                    drive(bench, presses, out)
                except BaseException as fault:
                    failed.append(fault)
                finally:
                    Clock.schedule_once(lambda _dt: stopTouchApp(), 0)

            Clock.schedule_once(lambda _dt, bench=bench: bench.start(), 0)
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            runTouchApp(bench.root)
            thread.join()
            bench.close()
            rig.close()
            for what, values in out.items():
                if values:
                    name = "second to digits" if what == "digits" else f"edge to {what}"
                    print(f"{kind:7} {name:18} {quantiles(values)}   ({len(values)})")
            if failed:
                raise failed[0]
            EventLoop.status = "idle"


if __name__ == "__main__":
    main()
