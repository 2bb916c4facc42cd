"""Figures of the window: first frame, memory, idle CPU, press to visible change, command to durable beside it.

``python tests/bench/bench_ui.py [--x11] [--durable]`` prints a table, or its last row alone. Off-screen by default (the
same drawing, no display); with ``--x11`` it uses the display of ``DISPLAY``. Each figure comes from a process of its own.
Run it on a quiet machine. Idle figures are processor time and hold on a busy one too; waits are wall time and do not.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

TOP = Path(__file__).parents[2]
IDLE_S = 8.0
PRESSES = 120
ACTS = 300


def _child(kind: str) -> None:
    sys.path.insert(0, str(TOP))
    from companion.ui import env

    env.prepare(800, 480, offscreen="--x11" not in sys.argv)
    from kivy.base import runTouchApp, stopTouchApp
    from kivy.clock import Clock
    from kivy.core.window import Window

    from companion.ui.drawn import wait_for_frames

    wait_for_frames(Window)
    out: dict[str, Any] = {}
    root: Any
    if kind == "bare":
        root = _bare()
    else:
        root = _program(kind)
    born_ns = int(os.environ["BENCH_BORN_NS"])
    frames: list[int] = []

    def flip(*_args: Any) -> None:
        frames.append(time.monotonic_ns())
        if len(frames) == 1:
            out["first_frame_ms"] = (frames[0] - born_ns) / 1e6
            out["rss_mb"] = _rss_mb()

    Window.bind(on_flip=flip)

    def start_idle(_dt: float) -> None:
        Clock._max_fps = 30.0
        used, began = _cpu_s(), time.monotonic()

        def end(_dt: float) -> None:
            out["idle_percent"] = 100 * (_cpu_s() - used) / (time.monotonic() - began)
            out["rss_later_mb"] = _rss_mb()
            stopTouchApp()

        Clock.schedule_once(end, IDLE_S)

    if kind == "press":
        _press_often(root, out)
    elif kind == "durable":
        _once_loaded(root, lambda _dt: _store_often(root, out))
    elif kind == "evening":
        _once_loaded(root, lambda _dt: _evening(root, out))
    else:
        _once_loaded(root, start_idle)
    runTouchApp(root)
    print("BENCH " + json.dumps(out))


def _once_loaded(root: Any, act: Any) -> None:
    """Act two and a half seconds after the start, and once everything is loaded ahead."""
    from kivy.clock import Clock

    def look(_dt: float) -> None:
        is_busy = hasattr(root, "warm") and root.warm.left
        Clock.schedule_once(look if is_busy else act, 0.5)

    Clock.schedule_once(look, 2.0)


def _bare() -> Any:
    """A word on the screen, drawn: the app's own style has no rule that draws a label as the library comes with one."""
    from kivy.lang import Builder
    from kivy.uix.label import Label

    rule = "Label:\n    canvas:\n        Rectangle:\n            texture: self.texture\n"
    label: Label = Builder.load_string(
        rule + "            size: self.texture_size\n            pos: self.pos\n    text: 'bare'\n"
    )
    return label


def _program(kind: str) -> Any:
    return _stored_program() if kind == "durable" else _memory_program(kind)


def _stored_program() -> Any:
    """The window over the program's own desk, whose writer stores on a real disk."""
    from companion.adapters.catalogue import GameCatalogue
    from companion.adapters.shell import ShellDesk
    from companion.core.rules import GameRules
    from companion.testing.sample import sample_setup
    from companion.ui.bridge import Bridge
    from companion.ui.root import Root
    from companion.ui.warm import settle_memory

    class Sample(GameCatalogue):
        """Whose games go by their sequence of play alone, so that no act is refused for an open question."""

        def rules_of(self, game: str) -> GameRules:
            return GameRules() if game == "sample" else super().rules_of(game)

    folder = Path(os.environ["BENCH_FOLDER"])
    desk = ShellDesk(folder, Sample(folder / "data"), post=Bridge().post)
    desk.change_setting("tour_done", True)
    root = Root(desk, wall_ms=desk.time.wall_ms)
    root.go("home")
    desk.start(sample_setup(tournament=False, minutes=600))
    settle_memory()
    root.warm.start()
    return root


def _memory_program(kind: str) -> Any:
    from companion.adapters.catalogue import GameCatalogue
    from companion.testing.memory_desk import MemoryDesk
    from companion.testing.sample import sample_setup
    from companion.ui.root import Root
    from companion.ui.warm import settle_memory

    class LiveDesk(MemoryDesk):
        """A desk in real time, which may be wound on."""

        ahead_ms = 0

        def now_ms(self) -> int:
            self._now_ms = time.monotonic_ns() // 1_000_000 + self.ahead_ms
            return self._now_ms

        def advance(self, ms: int) -> None:
            self.ahead_ms += ms
            self.now_ms()
            super().advance(0)

    rules, setup = None, sample_setup(minutes=1 if kind.endswith("tenths") else 22)
    if kind == "evening":
        catalogue = GameCatalogue()
        rules, setup = catalogue.rules_of("sfw96"), catalogue.make_setup("sfw96", "apr43", {})
    desk = LiveDesk(rules=rules, settings={"tour_done": True, "dim_after_s": 0, "blank_after_s": 0})
    desk.now_ms()
    desk.start(setup)
    if kind == "paused":
        from companion.core.commands import Pause

        desk.send(Pause(at_ms=desk.now_ms()))
    root = Root(desk)
    root.go("log" if kind.startswith("bar") else "clocks")
    settle_memory()
    root.warm.start()
    return root


def _evening(root: Any, out: dict[str, Any]) -> None:
    """Look at every screen twice, then play an hour in fast motion; note the memory after each.

    What is played is the recording of April 1943 that the program's demo has: a battle with its dice, control, lanes,
    purchases. An act that is refused ends the bench, so that it never measures an evening that stands still.
    """
    from kivy.base import stopTouchApp
    from kivy.clock import Clock

    from companion.core.codec import Codec
    from companion.places import BATTLE_DEMO
    from companion.session.portable import command_of, read_portable
    from companion.ui import registry

    game = root.desk.change.state.frozen_setup.game
    keys = [one.key for one in registry.for_game(game)]
    codec = Codec(root.desk.rules)
    recording = read_portable(BATTLE_DEMO)
    lines = list(recording.lines)[1:]

    def acts() -> Iterator[None]:
        for turn in ("once", "twice"):
            for key in keys:
                root.go(key)
                yield from itertools.repeat(None, 8)
            root.go("clocks")
            yield from itertools.repeat(None, 12)
            out[f"rss_{turn}_mb"] = _rss_mb()
        for n, (number, line) in enumerate(lines):
            root.desk.advance(3_600_000 // len(lines))
            line = replace(line, at_ms=root.desk.now_ms())
            root.desk.send(command_of(recording.path, number, line, codec), actor=line.actor)
            if root.desk.change.rejected is not None:
                raise SystemExit(f"act {n} was refused: {root.desk.change.rejected}")
            if n % 4 == 0:
                root.go(keys[n // 4 % len(keys)])
            yield from itertools.repeat(None, 3)
        root.go("clocks")
        yield from itertools.repeat(None, 12)
        out["rss_hour_mb"] = _rss_mb()

    running = acts()

    def step(_dt: float) -> None:
        if next(running, 0) == 0:
            stopTouchApp()

    Clock.schedule_interval(step, 0.2)


def _press_often(root: Any, out: dict[str, Any]) -> None:
    """Press at odd moments, each while the window is at its idle rate, and time the next frame drawn."""
    from kivy.base import EventLoop, stopTouchApp
    from kivy.clock import Clock
    from kivy.core.window import Window
    from kivy.input.motionevent import MotionEvent
    from kivy.input.provider import MotionEventProvider

    queue: deque[tuple[str, Any, int]] = deque()
    handled: list[tuple[int, float]] = []
    waits: list[float] = []
    spent: list[float] = []

    class Finger(MotionEvent):
        """A finger on the half of whoever is to act."""

        def __init__(self, uid: int) -> None:
            is_left = root.desk.change.state.step.owners[:1] == ("allies",)
            at = {"sx": 0.2 if is_left else 0.7, "sy": 0.5}
            super().__init__("bench", uid, at, is_touch=True, type_id="touch")

        def depack(self, args: Any) -> None:
            self.sx, self.sy = args["sx"], args["sy"]
            self.profile = ("pos",)
            super().depack(args)

    class Panel(MotionEventProvider):
        def start(self) -> None: ...

        def stop(self) -> None: ...

        def update(self, dispatch_fn: Any) -> None:
            while queue:
                kind, finger, at_ns = queue.popleft()
                if kind == "begin":
                    finger.seen_ns = at_ns
                    handled.append((at_ns, _cpu_s()))
                dispatch_fn(kind, finger)

    EventLoop.add_input_provider(Panel("bench", ""))

    def flip(*_args: Any) -> None:
        while handled:
            at_ns, began_s = handled.pop()
            waits.append((time.monotonic_ns() - at_ns) / 1e6)
            spent.append((_cpu_s() - began_s) * 1000)

    Window.bind(on_flip=flip)

    def fingers() -> None:
        pause = threading.Event()
        pause.wait(3)
        while root.warm.left:
            pause.wait(0.5)
        for n in range(PRESSES):
            Clock._max_fps = 30.0
            pause.wait(0.12 + (n * 7919 % 97) / 1000)
            finger = Finger(n)
            queue.append(("begin", finger, time.monotonic_ns()))
            pause.wait(0.06)
            queue.append(("end", finger, time.monotonic_ns()))
        pause.wait(0.5)
        ordered = sorted(waits)
        out["press_p50_ms"] = ordered[len(ordered) // 2]
        out["press_p99_ms"] = ordered[int(len(ordered) * 0.99) - 1]
        out["press_cpu_p99_ms"] = sorted(spent)[int(len(spent) * 0.99) - 1]
        out["presses"] = len(ordered)
        stopTouchApp()

    threading.Thread(target=fingers, daemon=True).start()


def _store_often(root: Any, out: dict[str, Any]) -> None:
    """End acts one after the other while the window draws each; time command to durable and published."""
    from kivy.base import stopTouchApp
    from kivy.clock import Clock

    from companion.core.commands import EndAct, JumpTo

    desk, took = root.desk, []
    published = threading.Event()
    desk.subscribe_at_once(lambda _change: published.set())

    def acts() -> None:
        pause = threading.Event()
        for n in range(ACTS):
            pause.wait(0.02 + (n * 7919 % 61) / 1000)
            state = desk.change.state
            steps = state.itinerary.steps
            is_last = state.step.id == steps[-1].id
            now = desk.now_ms()
            command = JumpTo(state.step.id, steps[0].id, now) if is_last else EndAct(state.step.id, now)
            published.clear()
            began = time.perf_counter()
            desk.send(command)
            if not published.wait(5) or desk.change.rejected is not None:
                out["why"] = f"act {n}: {desk.change.rejected}"
                break
            took.append((time.perf_counter() - began) * 1000)
        took.sort()
        out["durable_p50_ms"], out["durable_worst_ms"] = took[len(took) // 2], took[-1]
        out["durable_p99_ms"] = took[int(len(took) * 0.99) - 1]
        out["stored"] = len(took)
        Clock.schedule_once(lambda _dt: (desk.close(), stopTouchApp()), 0)

    root.go("clocks")
    threading.Thread(target=acts, daemon=True).start()


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _run(kind: str) -> dict[str, float]:
    extra = [word for word in sys.argv[1:] if word == "--x11"]
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DISK")) as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--child", kind, *extra],
            env={**os.environ, "BENCH_BORN_NS": str(time.monotonic_ns()), "BENCH_FOLDER": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    for line in done.stdout.splitlines():
        if line.startswith("BENCH "):
            return dict(json.loads(line[6:]))
    raise SystemExit(f"{kind} gave no figures:\n{done.stderr[-2000:]}")


def durable() -> tuple[str, str, str]:
    """Return the row of command to durable beside a window; the game lies in `BENCH_DISK`, else in the temporary folder."""
    got = _run("durable")
    return (
        f"command to durable beside the window, {got['stored']:.0f} acts",
        f"p50 {got['durable_p50_ms']:.2f}, p99 {got['durable_p99_ms']:.2f}, worst {got['durable_worst_ms']:.1f} ms",
        "p99 < 15",
    )


def main() -> None:
    """Run every child and print the table."""
    if "--durable" in sys.argv:
        print("  ".join(durable()))
        return
    bare = _run("bare")
    starts = sorted(_run("paused")["first_frame_ms"] for _n in range(3))
    rows = [
        ("first frame, three starts", f"{starts[0]:.0f} / {starts[1]:.0f} / {starts[2]:.0f} ms", "< 2000")
    ]

    def above(mb: float) -> str:
        return f"{mb:.0f} MB, {mb - bare['rss_later_mb']:.0f} above a bare window"

    for kind, name, most in (
        ("paused", "idle, clock standing", "< 3 %"),
        ("seconds", "idle, clock in seconds", "< 3 %"),
        ("tenths", "idle, clock in tenths", "< 10 %"),
        ("bar", "idle, clocks in the bar of another screen, in seconds", "< 3 %"),
        ("bar tenths", "idle, clocks in the bar, in tenths", "< 10 %"),
    ):
        got = _run(kind)
        rows.append((name, f"{got['idle_percent']:.1f} % of a core", most))
        rows.append(("  memory", above(got["rss_later_mb"]), "< 60 above"))
    evening = _run("evening")
    for turn, name in (
        ("once", "every screen of Song for War seen once"),
        ("twice", "twice"),
        ("hour", "an hour played"),
    ):
        rows.append((f"memory, {name}", above(evening[f"rss_{turn}_mb"]), "< 60 above"))
    rows.append(("bare Kivy window", f"{bare['rss_later_mb']:.0f} MB, {bare['idle_percent']:.1f} % idle", ""))
    press = _run("press")
    rows.append(
        (
            f"press to visible change, {press['presses']:.0f} presses",
            f"p50 {press['press_p50_ms']:.0f}, p99 {press['press_p99_ms']:.0f} ms",
            "< 50",
        )
    )
    rows.append(("  of it processor time, act and frame", f"p99 {press['press_cpu_p99_ms']:.1f} ms", ""))
    rows.append(durable())
    width = max(len(row[0]) for row in rows)
    for name, value, most in rows:
        print(f"{name:<{width}}  {value:<34}  {most}")


if __name__ == "__main__":
    if "--child" in sys.argv:
        _child(sys.argv[sys.argv.index("--child") + 1])
    else:
        main()
