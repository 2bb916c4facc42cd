"""What the table sees when the open game's file is gone, or its place takes nothing more."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.session.timesource import ManualTime
from companion.testing import harness


class Table:
    """A window over a desk that plays into real files."""

    def __init__(self, data: Path) -> None:
        self.posted: deque[Callable[[], None]] = deque()
        self.time = ManualTime(1_000_000)
        self.desk = ShellDesk(data, GameCatalogue(), post=self.posted.append, time=self.time)
        self.desk.start(self.desk.make_setup("sfw96", "italy", {"tournament": True}))
        self.laid: Any = harness.lay(self.desk)
        self.hear()

    def hear(self) -> None:
        """Wait for the writer, then let the window show what came."""
        self.desk.session.sync()
        while self.posted:
            self.posted.popleft()()
        self.laid.settle()

    def note(self) -> None:
        """Send any act."""
        self.desk.send(cm.AddNote("any"))
        self.hear()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table whose game lies in a folder that may be lost."""
    found = Table(tmp_path / "data")
    yield found
    found.desk.close()


def test_the_notice_says_what_happened_and_where_the_game_is_now(table: Table, tmp_path: Path) -> None:
    assert table.desk.path is not None
    table.desk.path.unlink()
    table.note()
    toast = table.laid.root.toast
    assert toast is not None
    assert toast.notice.level == "warning"
    assert "was moved or deleted. The whole game was saved again" in toast.text
    assert str(tmp_path / "data" / "games") in toast.hint
    assert table.laid.faults() == []
    assert table.desk.left_open() == table.desk.path


def test_a_stick_is_offered_where_nothing_can_be_saved(table: Table, tmp_path: Path) -> None:
    stick = tmp_path / "STICK"
    stick.mkdir()
    table.laid.root.sticks = lambda: [stick]
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "data").write_bytes(b"no folder can be made here")
    table.note()
    assert table.laid.has("Save the game on a USB stick?")
    assert table.laid.faults() == []
    table.laid.tap(table.laid.find(text="STICK"))
    table.hear()
    assert table.desk.path is not None
    assert table.desk.path.parent == stick
    assert table.laid.root.dialogs == []
    seq = len(table.desk.entries())
    table.note()
    assert len(table.desk.entries()) == seq + 1


def test_pause_stands_on_a_place_that_takes_nothing(table: Table, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "data").write_bytes(b"no folder can be made here")
    table.desk.send(cm.Pause(at_ms=table.desk.now_ms()))
    table.hear()
    assert table.desk.change is not None
    assert table.desk.change.state.clocks.is_paused
    assert table.laid.root.toast.text.startswith("The clocks are paused, but this is not saved yet: ")
    assert table.laid.faults() == []
