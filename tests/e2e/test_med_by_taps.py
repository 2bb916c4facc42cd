"""An evening of the card game by taps over the real shell and journal: names and seats, new cards, undo, a cut, the report.

The display is off; everything else is what a box runs. The cards of the first game are known in the second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core.commands import EnterPrintedValue
from companion.games.med.rules.commands import DiscardHand, TakeTrick, TurnOver
from companion.games.med.rules.slice import slice_of
from companion.pages.report import report_html
from companion.pages.table import main_command
from companion.session.timesource import ManualTime
from companion.testing import harness
from companion.testing.harness import Laid
from companion.ui.widgets import Plate, Tap
from tests.ui.test_med import _choose, _keys


class Box:
    """A data folder, and the window over it; `cut` ends the program as a pulled plug does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = ManualTime(1_000_000)
        self.turn_on()

    def turn_on(self, screen: str = "home") -> None:
        self.posts: deque[Callable[[], None]] = deque()
        catalogue = GameCatalogue(self.folder / "data")
        self.desk = ShellDesk(self.folder, catalogue, post=self.posts.append, time=self.time)
        self.laid: Laid = harness.lay(self.desk, size=(800, 480), screen=screen)
        self.settle()

    def cut(self) -> None:
        harness.clear()
        self.desk.close()
        self.time.advance(60_000)

    def settle(self) -> None:
        for _n in range(4):  # what is answered may send again
            self.time.advance(10)
            if self.desk._session is not None:
                self.desk._session.sync()
            while self.posts:
                self.posts.popleft()()
        self.laid.settle()

    def tap(self, text: str = "", *, icon: str = "", where: Any = None) -> None:
        where = where or self.laid.find(text=text or None, icon=icon or None)
        self.laid.tap(where, settle=False)
        self.settle()

    def main(self) -> None:
        self.tap(self.laid.root.screen.main_text)

    def number(self, text: str) -> None:
        for key in text:
            self.tap(key)

    def play(self, *cards: str) -> None:
        for card in cards:
            self.number(card)
        self.tap("Lay down")

    def choose(self, label: str, text: str) -> None:
        _choose(self.laid, label, text)
        self.settle()

    def operation(self, digits: str, points: str) -> None:
        self.number(digits)
        self.tap("Convoy")
        self.choose("Year", "'41")
        self.choose("VP", points)
        self.choose("Load line", "Full")
        self.tap("Remember the card")

    def force(self, card: str, values: str, points: str) -> None:
        self.number(card)
        for value in values:
            self.tap(where=next(w for w in _keys(self.laid) if w.text == value))
        self.choose("VP", points)
        self.choose("Frame", "Surface")
        self.tap("Remember the card")

    def row(self, start: str) -> Any:
        return next(w for w in self.laid.walk() if isinstance(w, Tap) and w.text.startswith(start))

    @property
    def state(self) -> Any:
        change = self.desk.change
        assert change is not None
        return change.state

    def send(self, command: Any) -> None:
        """Send a command; the screens see the last one's change only."""
        self.desk.send(command)
        self.time.advance(10)
        self.desk._session.sync()
        self.posts.clear()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.cut()


def new_game(box: Box, players: tuple[str, ...], operations: str) -> None:
    """Choose the game, its length and the players by taps."""
    box.tap("New game")
    for _page in range(4):
        if box.laid.has("Naval card game"):
            break
        box.tap(icon="forward")
    box.tap("Naval card game")
    box.tap("Card game")
    box.tap(box.laid.root.screen.second_text)
    box.tap(str(len(players)))
    for n, name in enumerate(players, 1):
        if not name:
            continue
        while not box.laid.has(f"Name of player {n}"):
            box.tap(icon="forward")
        box.tap(f"Name of player {n}")
        for letter in name.upper():
            box.tap(letter)
        box.tap("Done")
    while not box.laid.has("Operations"):
        box.tap(icon="forward")
    box.tap("22")
    for _page in range(3):
        if any(isinstance(w, Plate) and w.text == operations for w in box.laid.walk()):
            break
        box.tap(icon="forward")
    box.tap(operations)
    box.tap("Start the game")


def discard_to_the_end(box: Box) -> None:
    """Open what is left and let nobody play; by commands, for the taps are shown above."""
    left = iter(f"O{n:02}" for n in range(20, 60))
    while box.state.ending is None:
        step = box.state.step
        if step.act == "operation":
            number = next(left)
            card = {"number": number, "kind": "operation", "years": [1942], "operation": "convoy"}
            box.send(EnterPrintedValue(f"card.{number}", {**card, "victory_points": 1}))
            box.send(TurnOver(step.id, number, ("air",)))
        elif step.act == "play":
            box.send(DiscardHand(step.id, "one"))
        elif step.act == "trick":
            box.send(TakeTrick(step.id))
        box.send(main_command(box.state, box.desk.now_ms()))
    box.settle()


def test_an_evening_of_the_card_game(box: Box, tmp_path: Path) -> None:
    new_game(box, ("EVA", "TO", "UL"), "6")
    setup = box.state.frozen_setup
    assert [side.name for side in setup.sides] == ["Eva", "To", "Ul"]
    box.main()
    if box.laid.root.screen.key != "med":
        box.tap("Fight")

    # First engagement: every card is new. Eva's ship beats To's; Ul keeps out.
    box.operation("01", "3")
    box.tap("Surface")
    box.tap("Open the engagement")
    box.force("A01", "050", "2")
    box.tap("Lay down")
    box.force("X01", "030", "4")
    box.tap("Lay down")
    box.tap("Discard one card")
    assert box.laid.has("5 : 3")
    assert box.laid.has("Eva takes the trick")
    assert box.laid.has("A01 counts 5, highest card")
    box.tap("Take the trick")
    box.tap("Hands are full")
    own = slice_of(box.desk.session.change.state)  # what the table sees is covered
    assert [t.card for t in own.piles[own.players[0]]] == ["O01", "X01"]

    # Second: To begins. An Explosion and then the whole play are taken back, over the engagement's start.
    box.operation("02", "1")
    box.tap("Combined")
    box.tap("Open the engagement")
    box.force("A02", "600", "1")
    box.number("S03")
    box.tap("Lay down")
    box.tap(where=box.row("To: Explosion"))
    box.tap("6")
    box.tap("5")
    opened = box.state
    while box.state.step.id != "g1.e1.refill":
        undo = next(w for w in box.laid.walk() if isinstance(w, Plate) and w.text.startswith("Undo"))
        box.tap(where=undo)
        if box.laid.root.dialogs:
            box.tap("Undo it")
    assert slice_of(box.state).decided is not None
    before = box.state

    # The plug is pulled; the box comes back on the same step, with every card it had.
    box.cut()
    box.turn_on()
    assert box.laid.has("Card game")
    box.tap("Resume Card game")
    box.settle()
    assert box.state.step.id == before.step.id
    assert slice_of(box.state).piles == slice_of(before).piles
    assert box.state.printed == opened.printed
    if box.laid.root.dialogs:
        box.tap(
            where=next(w for w in box.laid.walk() if isinstance(w, Plate) and w.text.startswith("Continue"))
        )

    discard_to_the_end(box)
    assert box.state.ending.winner == "p1"
    page = report_html(box.desk.change, box.desk.entries(), box.desk.counts, box.time.wall_ms())
    for words in ("Eva wins with 7 points", "5 : 3", "Eva: A01", "higher total", 'id="med_ranking"'):
        assert words in page
    assert "S03 Explosion" not in page.split('id="log"')[0]  # what was taken back is in the log alone
    (tmp_path / "report.html").write_text(page)

    # In the second game the cards are known: one number, and the card lies there.
    box.cut()
    box.turn_on()
    new_game(box, ("", ""), "6")
    box.main()
    if box.laid.root.screen.key != "med":
        box.tap("Fight")
    box.number("01")
    box.tap("Surface")
    box.tap("Open the engagement")
    box.play("A01")
    assert box.state.step.owners == ("p2",)
    assert box.laid.faults() == []
