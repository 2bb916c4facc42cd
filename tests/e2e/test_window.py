"""One main flow in a real window on a virtual display, with real X events: tour, new game, acts, undo, kill, resume.

Where to press is asked of the same screens laid off-screen; what happened is read from the game's file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.session.shelf import Shelf
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.ui.root import SETTLE_MS
from tests.e2e.window import NEEDS_DISPLAY, PATIENCE_S, TOP, Display

pytestmark = NEEDS_DISPLAY


class Hand:
    """A hand on the mouse and keyboard of a display that waits until each press has shown."""

    def __init__(self, display: Display) -> None:
        self.display = display

    def until(self, is_so: Callable[[Any], bool], what: str) -> None:
        """Look until the picture is as wanted and has stood still for as long as presses are passed over."""
        pause = threading.Event()
        end = time.monotonic() + PATIENCE_S
        before, still_since = self.display.picture(), time.monotonic()
        while time.monotonic() < end:
            pause.wait(0.1)
            now = self.display.picture()
            if not np.array_equal(now, before):
                before, still_since = now, time.monotonic()
            elif is_so(now) and time.monotonic() > still_since + 2 * SETTLE_MS / 1000:
                return
        raise AssertionError(f"{what} did not show within {PATIENCE_S:.0f} s")

    def tap(self, x: float, y: float, what: str) -> None:
        """Click at a point counted from the bottom left, and wait until something has changed."""
        before = self.display.picture()
        self.display.click(x, y)
        self.until(lambda now: not np.array_equal(now, before), what)

    def key(self, name: str, what: str) -> None:
        """Press a key, and wait until something has changed."""
        before = self.display.picture()
        self.display.key(name)
        self.until(lambda now: not np.array_equal(now, before), what)


def _is_drawn(picture: Any) -> bool:
    """Whether a screen is drawn, not an empty window: letters have many shades."""
    return len(np.unique(picture)) > 20


@pytest.fixture
def hand() -> Iterator[Hand]:
    display = Display()
    yield Hand(display)
    display.close()


def _desk() -> MemoryDesk:
    catalogue = GameCatalogue()
    desk = MemoryDesk(rules=catalogue.rules_of("sfw96"), scenarios=catalogue.scenarios())
    for info in catalogue.scenarios():
        desk.offer(info.game, info.scenario, lambda o, i=info: catalogue.make_setup(i.game, i.scenario, o))
    return desk


def _start(hand: Hand, home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "run", "--home", str(home), "--size", "800x480", "--silent"],
        cwd=TOP,
        env=hand.display.env,
    )


def _commands(home: Path, to: Path) -> list[str]:
    """Return the names of the stored commands, by exporting the one game there is."""
    catalogue = GameCatalogue()
    shelf = Shelf(home / "games", catalogue.rules_of, "test")
    (stored,) = shelf.games()
    lines = shelf.export(stored.path, to).path.read_text().splitlines()
    return [row["command"] for row in map(json.loads, lines) if "command" in row]


def _has_stored(home: Path, name: bytes) -> bool:
    """Whether a command's name stands in the one game's file or what SQLite has not yet moved there."""
    return any(name in path.read_bytes() for path in (home / "games").glob("*.tcgame*"))


def test_a_game_is_started_played_killed_and_resumed_by_real_events(hand: Hand, tmp_path: Path) -> None:
    home = tmp_path / "home"
    program = _start(hand, home)
    try:
        hand.until(_is_drawn, "the question for the language")

        laid = harness.lay(_desk(), screen="home")
        from companion.ui.first_start import LanguageQuestion
        from companion.ui.tour import start_tour

        question = LanguageQuestion(lambda _key: start_tour(laid.root))
        laid.root.ask(question)
        laid.settle()
        hand.tap(*laid.find(text="English").center, "the tour")
        laid.tap(laid.find(text="English"))
        hand.tap(*laid.find(text="Skip the tour").center, "the Home screen")
        laid.tap(laid.find(text="Skip the tour"))
        hand.tap(*laid.find(text="New game").center, "the scenarios")
        laid.tap(laid.find(text="New game"))
        for scenario in (
            "North Africa",
            "April 1943",
        ):  # one is chosen when the page opens: another, and back
            row = laid.find(text=scenario)
            hand.tap(*row.to_window(*row.center), "the scenario that is chosen")
            laid.tap(row)
        hand.tap(*laid.find(text="Start the game").center, "the table")
        laid.tap(laid.find(text="Start the game"))
        hand.tap(*laid.find(text="Everything is set up").center, "the first stage")
        hand.key("space", "the first move")
        hand.key("z", "the step before it")
    finally:
        program.kill()
        program.wait()
    played = [name for name in _commands(home, tmp_path) if name != "Pause"]
    assert played == ["StartGame", "EndAct", "EndAct", "Undo"]

    program = _start(hand, home)
    try:
        hand.until(lambda now: _is_drawn(now) and _has_stored(home, b"ResumeGame"), "the table again")
    finally:
        program.kill()
        program.wait()
    assert _commands(home, tmp_path)[-1] == "ResumeGame"
