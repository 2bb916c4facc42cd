"""One main flow in a real window on a virtual display, with real X events: tour, new game, acts, undo, kill, resume.

Where to press is asked of the same screens laid off-screen; what happened is read from the game's file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.catalogue import GameCatalogue
from companion.presenters.memory_desk import MemoryDesk
from companion.session.shelf import Shelf
from companion.ui import harness

TOP = Path(__file__).parents[2]
MISSING = [tool for tool in ("Xvfb", "xdotool", "import") if shutil.which(tool) is None]
PATIENCE_S = 60.0

pytestmark = [
    pytest.mark.x11,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)} (apt: xvfb xdotool imagemagick)"),
]


class Display:
    """A virtual display with a hand on its mouse and keyboard."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x480x24", "-nolisten", "tcp"],
            pass_fds=(write,),
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = f":{pipe.readline().strip()}"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("KIVY", "KCFG", "SDL"))}
        self.env["DISPLAY"] = self.name

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()

    def picture(self) -> bytes:
        shot = subprocess.run(
            ["import", "-window", "root", "-depth", "8", "gray:-"],
            env=self.env,
            capture_output=True,
            check=True,
        )
        return shot.stdout

    def until(self, is_so: Callable[[bytes], bool], what: str) -> bytes:
        """Look until the picture stands still and is as wanted."""
        pause = threading.Event()
        end = time.monotonic() + PATIENCE_S
        before = b""
        while time.monotonic() < end:
            now = self.picture()
            if now == before and is_so(now):
                return now
            before = now
            pause.wait(0.1)
        raise AssertionError(f"{what} did not show within {PATIENCE_S:.0f} s")

    def tap(self, x: float, y: float, what: str) -> None:
        """Click at a point counted from the bottom left, and wait until something has changed."""
        before = self.picture()
        self._do("mousemove", str(round(x)), str(round(480 - y)))
        self._do("click", "1")
        self.until(lambda now: now != before, what)

    def key(self, name: str, what: str) -> None:
        """Press a key, and wait until something has changed."""
        before = self.picture()
        self._do("key", name)
        self.until(lambda now: now != before, what)

    def _do(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self.env, check=True)


@pytest.fixture
def display() -> Iterator[Display]:
    one = Display()
    yield one
    one.close()


def _desk() -> MemoryDesk:
    catalogue = GameCatalogue()
    desk = MemoryDesk(rules=catalogue.rules_of("sfw96"), scenarios=catalogue.scenarios())
    for info in catalogue.scenarios():
        desk.offer(info.game, info.scenario, lambda o, i=info: catalogue.make_setup(i.game, i.scenario, o))
    return desk


def _start(display: Display, home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "run", "--home", str(home), "--size", "800x480", "--silent"],
        cwd=TOP,
        env=display.env,
    )


def _commands(home: Path, to: Path) -> list[str]:
    """Return the names of the stored commands, by exporting the one game there is."""
    catalogue = GameCatalogue()
    shelf = Shelf(home / "games", catalogue.rules_of, "test")
    (stored,) = shelf.games()
    lines = shelf.export(stored.path, to).read_text().splitlines()
    return [row["command"] for row in map(json.loads, lines) if "command" in row]


def test_a_game_is_started_played_killed_and_resumed_by_real_events(display: Display, tmp_path: Path) -> None:
    home = tmp_path / "home"
    program = _start(display, home)
    try:
        display.until(lambda now: len(set(now)) > 20, "the question for the language")

        laid = harness.lay(_desk(), screen="home")
        from companion.ui.first_start import LanguageQuestion
        from companion.ui.tour import start_tour

        question = LanguageQuestion(lambda _key: start_tour(laid.root))
        laid.root.ask(question)
        laid.settle()
        display.tap(*laid.find(text="English").center, "the tour")
        laid.tap(laid.find(text="English"))
        display.tap(*laid.find(text="Skip the tour").center, "the Home screen")
        laid.tap(laid.find(text="Skip the tour"))
        display.tap(*laid.find(text="New game").center, "the scenarios")
        laid.tap(laid.find(text="New game"))
        row = laid.find(text="April 1943")
        display.tap(*row.to_window(*row.center), "the options")
        laid.tap(row)
        display.tap(*laid.find(text="Start").center, "the table")
        laid.tap(laid.find(text="Start"))
        display.tap(*laid.find(text="Everything is set up").center, "the first stage")
        display.key("space", "the first move")
        display.key("z", "the step before it")
    finally:
        program.kill()
        program.wait()
    played = [name for name in _commands(home, tmp_path) if name != "Pause"]
    assert played == ["StartGame", "EndAct", "EndAct", "Undo"]

    program = _start(display, home)
    try:
        display.until(lambda now: len(set(now)) > 20, "the table again")
    finally:
        program.kill()
        program.wait()
    assert _commands(home, tmp_path)[-1] == "ResumeGame"
