"""A real window on a virtual display, and its twin off-screen: the twin says where to press and what must show then.

Every press goes twice: as a real X event into the window of a running program, and as a finger into the same screens
laid off-screen over a data folder of their own. The window must then come to show what the twin shows, pixel by pixel,
but for running clocks and short notices. A press that was lost, went elsewhere or did something else is seen at once.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.dice_eye import VisionEye
from companion.adapters.shell import ShellDesk
from companion.cli import version
from companion.pages.settings import Settings
from companion.session.shelf import Shelf
from companion.session.timesource import ManualTime
from companion.testing import harness
from companion.ui.root import SETTLE_MS
from companion.ui.theme import theme
from companion.ui.widgets import Digits, Plate

__all__ = ["HEIGHT", "MOST_DIFFERENT_PX", "NEEDS_DISPLAY", "PATIENCE_S", "TOP", "WIDTH", "Display", "Pair"]

TOP = Path(__file__).parents[2]
PATIENCE_S = 60.0
READY_MS = max(SETTLE_MS, Settings().rest_ms) + 200
"""How long after a change some presses are not taken: those on what has just appeared, and of the main button.

The program counts from when it knows that its frame was drawn: on a busy machine some frames after it can be seen.
"""
WIDTH, HEIGHT = 800, 480
MOST_DIFFERENT_PX = 40
"""So many pixels may differ between window and twin: rounding of the drawing, no letter."""
_LOUD = 48
"""A pixel differs when one of its channels differs by more, of 255."""
_LOOKS_A_DRAWING = 20
"""The twin is drawn anew after so many looks: it stands still but for what is loaded late."""
_MISSING = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]

NEEDS_DISPLAY = [
    pytest.mark.x11,
    pytest.mark.skipif(bool(_MISSING), reason=f"needs {', '.join(_MISSING)} (apt: xvfb xdotool)"),
]
"""Marks of every file that opens a window."""


class Display:
    """A virtual display with a hand on its mouse and keyboard; its picture is read from its own memory."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="companion-display-")
        read, write = os.pipe()
        size = ["-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", self._folder.name]
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), *size, "-nolisten", "tcp"],
            pass_fds=(write,),
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = f":{pipe.readline().strip()}"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KIVY", "KCFG", "SDL"))}
        self.env["DISPLAY"] = self.name
        with (Path(self._folder.name) / "Xvfb_screen0").open("rb") as memory:
            self._memory = mmap.mmap(memory.fileno(), 0, access=mmap.ACCESS_READ)
        self.pointer = (WIDTH // 2, HEIGHT // 2)

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()
        self._memory.close()
        self._folder.cleanup()

    def picture(self) -> Any:
        """Return what the display shows, uint8 of shape (height, width, 3), row 0 on top."""
        header = struct.unpack(">20I", self._memory[:80])
        start, line = header[0] + 12 * header[19], header[12]
        rows = np.frombuffer(self._memory[start : start + line * HEIGHT], np.uint8).reshape(HEIGHT, line)
        return rows[:, : WIDTH * 4].reshape(HEIGHT, WIDTH, 4)[:, :, 2::-1].copy()

    def click(self, x: float, y: float) -> None:
        """Click at a point counted from the bottom left."""
        self.pointer = (round(x), round(HEIGHT - y))
        self._do("mousemove", *map(str, self.pointer), "click", "1")

    def taps(self, x: float, y: float, count: int, apart_ms: int) -> None:
        """Press a point so many times, so far apart; returns when the last press has been let go."""
        self.pointer = (round(x), round(HEIGHT - y))
        repeat = ["--repeat", str(count), "--delay", str(apart_ms)]
        self._do("mousemove", *map(str, self.pointer), "sleep", "0.3", "click", *repeat, "1")

    def key(self, name: str) -> None:
        """Press a key and let it go."""
        self._do("key", name)

    def _do(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self.env, check=True)


class Pair:
    """The program in its window and its twin off-screen, each over a data folder of its own."""

    def __init__(self, display: Display, folder: Path, settings: dict[str, Any]) -> None:
        """Start both on the same settings and no game, and wait until they show the same."""
        self.display, self.folder = display, folder
        self.home, self._twin_home = folder / "window", folder / "twin"
        for home in (self.home, self._twin_home):
            home.mkdir()
            (home / "settings.json").write_text(json.dumps(settings))
        self.taps = 0
        self._program: subprocess.Popen[bytes] | None = None
        self.start()

    # Both programs

    def start(self) -> None:
        """Start the program, and lay the twin."""
        words = [sys.executable, "-m", "companion", "run", "--home", str(self.home), "--no-panel"]
        self._program = subprocess.Popen(
            [*words, "--size", f"{WIDTH}x{HEIGHT}", "--silent"], cwd=TOP, env=self.display.env
        )
        self._posts: deque[Callable[[], None]] = deque()
        self._time = ManualTime(1_000_000)
        self.desk = ShellDesk(
            self._twin_home,
            GameCatalogue(self._twin_home / "data"),
            post=self._posts.append,
            time=self._time,
            app_version=version(),
            settings_defaults={"data_folder": str(self.home)},
        )
        stored = self.desk.settings()
        self.laid = harness.lay(
            self.desk,
            size=(WIDTH, HEIGHT),
            screen="home",
            look=stored.get("theme", "night"),
            text_step=stored.get("text_step", 0),
            language=stored.get("language", "en"),
        )
        left_open = self.desk.left_open()
        if left_open is not None:
            self.laid.root.open_game(left_open)
        self.laid.root.eye = VisionEye(self.home / "photos", self._posts.append)
        self._settle()

    def stop(self) -> None:
        """Kill the program as a pulled plug does, and end the twin the same way."""
        if self._program is None:
            return
        self._program.kill()
        self._program.wait()
        self._program = None
        harness.clear()
        self.desk.cut_power()

    def _settle(self) -> None:
        look = getattr(self.laid.root.screen, "_look", None)
        if look is not None:
            look.thread.join(timeout=PATIENCE_S)
        for _n in range(3):  # what is answered may send again
            self._time.advance(10)
            if self.desk._session is not None:
                self.desk._session.sync()
            while self._posts:
                self._posts.popleft()()
        self.laid.settle()

    # Pressing

    def tap(self, what: Any = None, *, icon: str = "") -> None:
        """Press a text, an icon or a widget of the twin in both, and wait until both show the same again."""
        where = what
        if what is None or isinstance(what, str):
            where = self.laid.find(text=what, icon=icon or None)
        point = where.to_window(*where.center)
        self.display.click(*point)
        self.laid.tap(where, settle=False)
        self._answered(f"tap on {what or icon or getattr(where, 'text', where)}")

    def key(self, name: str, code: int) -> None:
        """Press a key in both."""
        self.display.key(name)
        self.laid.key(code)
        self._answered(f"key {name}")

    def _answered(self, what: str) -> None:
        self._settle()
        self.taps += 1
        self.until_same(what)

    def main(self) -> None:
        """Press the main button, and go on over what is asked."""
        self.tap(self.laid.root.screen.main_text)
        for word in ("End the step", "Leave it open"):
            if self.laid.root.dialogs and self.laid.has(word):
                self.tap(word)

    def pick(self, start: str, *, icons: tuple[str, ...] = ("down", "forward")) -> None:
        """Press the line that begins with a text, turning pages until it is there."""
        for _page in range(30):
            dialogs = self.laid.root.dialogs
            shown = list(dialogs[-1].walk(restrict=True) if dialogs else self.laid.walk())
            for widget in shown:
                text = getattr(getattr(widget, "row", None), "text", getattr(widget, "text", ""))
                if hasattr(widget, "on_act") and isinstance(text, str) and text.startswith(start):
                    self.tap(widget)
                    return
            plates = [w for w in shown if isinstance(w, Plate) and not w.text and w.is_enabled]
            self.tap(next(w for w in reversed(plates) if w.icon in icons))
        raise LookupError(start)

    def numbers(self, text: str, done: str = "") -> None:
        """Press the keys of a number pad."""
        for sign in text:
            self.tap(sign)
        if done:
            self.tap(done)

    # Looking

    def until_same(self, what: str) -> None:
        """Look until the window shows what the twin shows and takes presses again."""
        pause = threading.Event()
        end = time.monotonic() + PATIENCE_S
        ready_at = time.monotonic() + READY_MS / 1000
        different = WIDTH * HEIGHT
        looks = 0
        while time.monotonic() < end:
            assert self._program is not None
            assert self._program.poll() is None, f"the program ended at: {what}"
            if looks % _LOOKS_A_DRAWING == 0:
                twin = self.laid.pixels()
            looks += 1
            different = self.different_px(twin)
            if different <= MOST_DIFFERENT_PX and time.monotonic() >= ready_at:
                return
            if different > MOST_DIFFERENT_PX:
                # Presses are swallowed for a moment after the screen has changed, counted from the change.
                ready_at = time.monotonic() + READY_MS / 1000
            pause.wait(0.03)
        self._keep_pictures()
        raise AssertionError(
            f"{what}: {different} pixels differ from the twin after {PATIENCE_S:.0f} s; see {self.folder}"
        )

    def different_px(self, twin: Any) -> int:
        """Return how many pixels differ from the twin's, clocks, notices and the mouse pointer left out."""
        window = self.display.picture()
        loud = (np.abs(window.astype(np.int16) - twin.astype(np.int16)) > _LOUD).any(axis=2)
        x, y = self.display.pointer
        loud[max(0, y - 12) : y + 24, max(0, x - 12) : x + 24] = False
        for widget in self.laid.walk():
            if isinstance(widget, Digits):
                self._leave_out(loud, widget)
        loud[: round(theme.px(84)), :] &= self.laid.root.toast is None
        return int(loud.sum())

    def _leave_out(self, loud: Any, widget: Any) -> None:
        x, y = widget.to_window(widget.x, widget.y)
        top = round(HEIGHT - y - widget.height)
        loud[max(0, top - 2) : round(HEIGHT - y) + 2, max(0, round(x) - 2) : round(x + widget.width) + 2] = (
            False
        )

    def _keep_pictures(self) -> None:
        from companion.ui.picture import write_png

        write_png(self.folder / "window.png", self.display.picture())
        write_png(self.folder / "twin.png", self.laid.pixels())

    # The files

    def settings(self) -> dict[str, Any]:
        """Return the settings that the program has stored."""
        return dict(json.loads((self.home / "settings.json").read_text()))

    def played(self) -> list[tuple[str, dict[str, Any]]]:
        """Return names and arguments of the commands in the program's game file, in order; the twin's are the same.

        Both programs must have stopped. Instants are left out, and the number by which each game is told from others.
        """
        window, twin = (self._commands(home) for home in (self.home, self._twin_home))
        assert window == twin
        return window

    def _commands(self, home: Path) -> list[tuple[str, dict[str, Any]]]:
        shelf = Shelf(home / "games", GameCatalogue(home / "data").rules_of, "test")
        (stored,) = shelf.games()
        rows = map(
            json.loads, shelf.export(stored.path, self.folder / home.name).path.read_text().splitlines()
        )
        played = [
            (row["command"], {key: value for key, value in row["args"].items() if key != "at_ms"})
            for row in rows
            if row.get("command") not in (None, *_BY_ITSELF)
        ]
        (begun,) = [args["setup"] for name, args in played if name == "StartGame"]
        assert begun.pop("game_id")
        return played


_BY_ITSELF = ("Pause", "ResumeGame", "SettleClock")
"""Commands that the program sends by itself when it is stopped and started."""
