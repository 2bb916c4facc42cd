"""An evening of The Soft Underbelly over the real shell: New game by taps, a season, undo, a power cut, the report."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.games.tsu.rules.state import slice_of
from companion.session.timesource import ManualTime
from companion.testing import harness
from companion.ui.render.items import ItemRow
from companion.ui.widgets import Plate


class Evening:
    """Fingers at a window over a real data folder; after every tap the writer is waited for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = ManualTime(1_000_000)
        self.posts: deque[Callable[[], None]] = deque()
        self.taps = 0
        self.open()

    def open(self) -> None:
        self.posts.clear()
        self.desk = ShellDesk(
            self.folder, GameCatalogue(self.folder / "data"), post=self.posts.append, time=self.time
        )
        self.laid = harness.lay(self.desk, size=(800, 480), screen="home")

    def settle(self) -> None:
        self.time.advance(10)
        if self.desk._session is not None:
            self.desk._session.sync()
        while self.posts:
            self.posts.popleft()()
        self.laid.settle()

    def tap(self, what: Any) -> None:
        where = self.laid.find(text=what) if isinstance(what, str) else what
        self.laid.tap(where, settle=False)
        self.settle()
        self.taps += 1

    def pick(self, start: str) -> None:
        """Tap the line that begins with a text, turning pages until it is there."""
        for _page in range(30):
            for widget in self.laid.walk():
                text = getattr(widget, "text", "")
                if hasattr(widget, "on_act") and isinstance(text, str) and text.startswith(start):
                    self.tap(widget)
                    return
            forward = [
                w for w in self.laid.walk() if isinstance(w, Plate) and w.icon == "forward" and not w.text
            ]
            self.tap(next(w for w in forward if w.is_enabled))
        raise LookupError(start)

    def main(self) -> None:
        self.tap(self.laid.root.screen.main_text)
        for word in ("End the step", "Leave it open"):
            if self.laid.root.dialogs and self.laid.has(word):
                self.tap(word)

    @property
    def state(self) -> Any:
        assert self.desk.change is not None
        return self.desk.change.state

    @property
    def step(self) -> str:
        return str(self.state.step.id)

    def new_game(self) -> None:
        self.tap("New game")
        self.tap("The Soft Underbelly")
        rows = [w for w in self.laid.walk() if isinstance(w, ItemRow)]
        others = {info.title for info in self.desk.scenarios() if info.game != "tsu"}
        assert others.isdisjoint(row.text for row in rows)
        self.tap("War in the Mediterranean 1940-1945")
        assert self.laid.faults() == []
        self.tap(self.laid.root.screen.second_text)
        self.tap("Rulings")
        assert self.laid.faults() == []
        self.tap("Start the game")


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    harness.clear()
    made.desk.close()


def play_to(evening: Evening, step: str) -> None:
    for _n in range(300):
        if evening.step == step:
            return
        evening.main()
    raise AssertionError(f"never came to {step}, stands at {evening.step}")


def test_a_season_with_undo_a_power_cut_and_the_report(evening: Evening) -> None:
    evening.new_game()
    assert evening.step == "setup"
    assert evening.laid.has("Set up the game")
    evening.main()
    assert evening.step == "sp1940.axis.reinforcements"
    assert evening.laid.root.screen.key == "tsu_stars", "the phase leads to its screen"
    assert evening.laid.has("Spring 1940 (1/21)")
    # Italy is not at war: its Convoy waits, and the line says why.
    assert evening.laid.has("Italy: neutral until the summer of 1940")
    play_to(evening, "su1940.axis.reinforcements")
    evening.pick("Convoy")
    own = slice_of(evening.state)
    assert own.spent == {"italy": 3}
    assert evening.laid.faults() == []
    evening.tap(evening.laid.find(icon="undo"))
    assert slice_of(evening.state).spent == {}
    evening.pick("Convoy")

    evening.desk.cut_power()
    evening.open()
    evening.laid.settle()
    assert evening.laid.has("Summer 1940 · Axis · Reinforcements")
    evening.tap("Resume")
    evening.settle()
    assert evening.step == "su1940.axis.reinforcements"
    assert slice_of(evening.state).spent == {"italy": 3}
    written: list[tuple[Path, str]] = []
    evening.laid.root.on_report = lambda path, text: written.append((path, text))
    if evening.laid.root.dialogs:  # what the power cut cost
        evening.tap("Continue")
    evening.tap("More")
    evening.tap("Log")
    evening.tap("Report")
    ((path, page),) = written
    assert path.name.startswith("campaign-")
    assert "Replaced: Italy, Convoy (undone)" in page
    assert "If the game ended now: Axis, Victory: the Axis holds a star" in page
    assert "1 Convoy" in page


@pytest.mark.long
def test_all_21_seasons_by_taps(evening: Evening) -> None:
    evening.new_game()
    for _n in range(300):
        if evening.state.ending is not None:
            break
        assert evening.laid.faults() == [], evening.step
        evening.main()
    ending = evening.state.ending
    assert (ending.winner, ending.reason) == ("axis", "holds_a_star")
    assert evening.step == "sp1945.allies.end"
    assert evening.laid.has("Axis, Victory: the Axis holds a star.")
    assert evening.taps > 250
