"""A photo of two d6 flows through the Dice screen into the card game: a value's dice, and an Explosion's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from companion.adapters.dice_eye import VisionEye
from companion.core.commands import EnterPrintedValue
from companion.core.dice import DiceSource
from companion.games.med.rules.cards import Card, printed_key
from companion.games.med.rules.commands import RollDice, UseEffect
from companion.testing import harness
from companion.testing.harness import Laid
from tests.ui.test_med import desk, number, own, pick, play, tap

PHOTO = Path(__file__).parent / "photos" / "two_d6.jpg"
"""An own render of two white d6: 5 and 3."""
CARDS = (
    Card("O01", "operation", years=(1941,), victory_points=3, operation="convoy", freighter="none"),
    *(
        Card(n, "force", values=(0, v, 0), years=(1941,), victory_points=2, frame="surface")
        for n, v in (("A01", "??"), ("A02", "?"), ("X01", 4), ("X02", 1))
    ),
    Card("S03", "storm", effect="explosion"),
)


class Evening:
    """A game at its first engagement with a reader whose answers wait until they are taken."""

    def __init__(self, folder: Path) -> None:
        shutil.copy(PHOTO, folder / "roll.jpg")
        self.desk = desk()
        for card in CARDS:
            self.desk.send(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
        self.ui: Laid = harness.lay(self.desk, screen="med", size=(800, 480))
        self.calls: list[Callable[[], None]] = []
        self.ui.root.eye = VisionEye(folder, self.calls.append)
        tap(self.ui, "Everything is set up")
        number(self.ui, "01")
        tap(self.ui, "Surface")
        tap(self.ui, "Open the engagement")

    def read(self, *values: int) -> None:
        """Read the photo and accept these values, whatever was proposed."""
        tap(self.ui, "roll.jpg")
        self.ui.root.screen._look.thread.join(timeout=60)
        while self.calls:
            self.calls.pop(0)()
        self.ui.settle()
        screen = self.ui.root.screen
        while len(screen.draft.dice) > len(values):
            screen.choose(len(screen.draft.dice) - 1)
            self.ui.settle()
            tap(self.ui, "Not a die")
        while len(screen.draft.dice) < len(values):
            screen.choose(-1)
            self.ui.settle()
            tap(self.ui, "Add a die")
            tap(self.ui, "1")
        for index, value in enumerate(values):
            screen.choose(index)
            self.ui.settle()
            tap(self.ui, str(value))
        assert self.ui.faults() == []
        tap(self.ui, "Accept")
        assert self.ui.root.screen.key == "med"


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


def test_a_photo_becomes_the_dice_of_a_value(evening: Evening) -> None:
    ui = evening.ui
    play(ui, "A01")
    play(ui, "X01")
    tap(ui, "Discard one card")
    assert ui.has("Anna rolls 2 dice: A01, Surface")
    assert ui.faults() == []
    tap(ui, "Photo")
    evening.read(5, 3)
    sent = evening.desk.sent[-1].command
    assert isinstance(sent, RollDice)
    assert sorted(sent.dice) == [3, 5]
    assert sent.origin.source == DiceSource.CAMERA
    assert sent.origin.photo_sha256 is not None
    assert sent.origin.proposed, "what the camera said is kept beside what was accepted"
    assert ui.has("8 : 4")
    assert ui.has("Anna takes the trick")


def test_more_dice_than_are_rolled_are_refused_in_words(evening: Evening) -> None:
    ui = evening.ui
    play(ui, "A02")
    play(ui, "X01")
    tap(ui, "Discard one card")
    tap(ui, "Photo")
    evening.read(5, 3)
    assert ui.has(
        "1 die is rolled, but 2 were read. Take out what is not a die of this roll, or enter the dice by hand."
    )
    assert not any(isinstance(one.command, RollDice) for one in evening.desk.sent)


def test_a_photo_becomes_the_dice_of_an_explosion(evening: Evening) -> None:
    ui = evening.ui
    play(ui, "A01")
    play(ui, "X01")
    number(ui, "X02")
    number(ui, "S03")
    tap(ui, "Lay down")
    pick(ui, "Cleo: Explosion")
    tap(ui, "Photo")
    evening.read(2, 4)
    sent = evening.desk.sent[-1].command
    assert isinstance(sent, UseEffect)
    # 6 is below 7: the right-hand neighbour's card.
    assert (sorted(sent.dice), sent.card, sent.origin.source) == ([2, 4], "X01", DiceSource.CAMERA)
    assert "X01" not in own(ui).engagement.lying()  # type: ignore[union-attr]
