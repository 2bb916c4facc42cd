"""A roll from a photo file flows through the Dice screen into a battle by real taps."""

from __future__ import annotations

import itertools
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kivy.graphics import Rectangle

from companion.adapters.dice_eye import VisionEye
from companion.core.dice import DiceSource
from companion.pages.dice import Photo, SeenDie
from companion.testing import harness
from companion.ui.theme import theme
from companion.ui.widgets import Plate
from tests.ui.test_battle import Table

PHOTOS = Path(__file__).parents[1] / "vision" / "photos"
ESCAPE = 27
TWO_WHITE = "own_01.jpg"
"""An own render of two white d12: 11 and 4."""


class Eye:
    """The real reader; its answers wait until they are taken, as they do for the window's loop."""

    def __init__(self, folder: Path) -> None:
        self.calls: list[Callable[[], None]] = []
        self.eye = VisionEye(folder, self.calls.append)

    def search(self, table: Table) -> None:
        """Let the look for photos and cameras that is due end."""
        table.ui.root._tick()
        for thread in threading.enumerate():
            if thread.name == "dice-search":
                thread.join(60)
        while self.calls:
            self.calls.pop(0)()
        table.ui.settle()

    def answer(self, table: Table) -> None:
        look = table.ui.root.screen._look
        look.thread.join(timeout=60)
        while self.calls:
            self.calls.pop(0)()
        table.ui.settle()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(PHOTOS / TWO_WHITE, tmp_path / "roll.jpg")
    (tmp_path / "notes.txt").write_text("no photo")
    return tmp_path


def ready(folder: Path, size: tuple[int, int] = (800, 480)) -> tuple[Table, Eye]:
    """Two infantry attack one: the roll list waits for two white dice."""
    from companion.games.sfw.rules.battle_commands import BeginBattle, ChangeUnits, DeclareBattle

    table, eye = Table(size), Eye(folder)
    table.ui.root.eye = eye.eye
    table.desk.send(DeclareBattle("Taranto", "land"))
    for side, nation, count in (("attacking", "us", 2), ("defending", "italy", 1)):
        for _ in range(count):
            table.desk.send(ChangeUnits(table.battle.id, side, "infantry", nation))
    table.desk.send(BeginBattle(table.battle.id))
    table.ui.settle()
    return table, eye


def read(folder: Path) -> tuple[Table, Any]:
    """Read the photo of the roll; return the table and the Dice screen."""
    table, eye = ready(folder)
    table.tap("Photo")
    table.tap("roll.jpg")
    eye.answer(table)
    screen = table.ui.root.screen
    return table, screen


def correct(table: Table, *values: int) -> None:
    """Take out what is no die of the roll and say by taps what the others show, whatever was proposed."""
    screen = table.ui.root.screen
    while len(screen.draft.dice) > len(values):
        screen.choose(len(screen.draft.dice) - 1)
        table.ui.settle()
        table.tap("Not a die")
    while len(screen.draft.dice) < len(values):
        screen.choose(-1)
        table.ui.settle()
        table.tap("Add a die")
        table.tap("1")
    for index, value in enumerate(values):
        if screen.draft.dice[index].colour != "white":
            screen.choose(index)
            table.ui.settle()
            table.tap("White" if len(screen.asked) > 1 else "Colour")
            if len(screen.asked) == 1:
                table.tap("White")
        screen.choose(index)
        table.ui.settle()
        table.tap(str(value))


def test_a_photo_becomes_the_roll_of_a_battle(folder: Path) -> None:
    table, eye = ready(folder)
    table.tap("Photo")
    table.tap("roll.jpg")
    assert table.ui.has("Reading the dice")
    eye.answer(table)
    correct(table, 11, 4)
    assert table.ui.faults() == []
    table.tap("Accept")
    assert table.ui.root.screen.key == "battle"
    sent = table.desk.sent[-1].command
    roll = sent.roll  # type: ignore[attr-defined]
    assert sorted(roll.values()) == [4, 11]
    assert roll.origin.source == DiceSource.CAMERA
    assert len(roll.origin.photo_sha256) == 64
    assert roll.origin.proposed, "what the camera said is kept beside what was accepted"
    assert table.desk.change is not None
    view = table.view
    done = next(line for line in view.lines if line.side == "attacking")
    assert sorted(done.values) == [4, 11]


def test_a_broken_photo_is_one_clear_line_and_typing_goes_on(folder: Path) -> None:
    (folder / "torn.jpg").write_bytes((PHOTOS / TWO_WHITE).read_bytes()[:300])
    table, eye = ready(folder)
    table.tap("Photo")
    assert not table.ui.has("torn.jpg"), "it may still be arriving"
    eye.search(table)
    table.tap("torn.jpg")
    eye.answer(table)
    assert "torn.jpg" in table.ui.root.screen.fault
    table.tap("Back")
    assert table.ui.root.screen.key == "battle"


def test_a_cancelled_reading_says_nothing_afterwards(folder: Path) -> None:
    table, eye = ready(folder)
    table.tap("Photo")
    table.tap("roll.jpg")
    thread = table.ui.root.screen._look.thread
    table.tap("Cancel")
    thread.join(timeout=60)
    while eye.calls:
        eye.calls.pop(0)()
    assert table.ui.root.screen.photo is None


def test_a_photo_that_arrives_is_offered_without_leaving_the_screen(folder: Path) -> None:
    table, eye = ready(folder)
    table.tap("Photo")
    screen = table.ui.root.screen
    assert not table.ui.has("new.jpg")
    eye.search(table)
    drawn = screen.ids.left.children[0]
    eye.search(table)
    assert screen.ids.left.children[0] is drawn, "nothing is drawn anew while nothing has come"
    whole = (PHOTOS / TWO_WHITE).read_bytes()
    (folder / "new.jpg").write_bytes(whole[: len(whole) // 2])
    eye.search(table)
    assert not table.ui.has("new.jpg"), "it is still arriving"
    (folder / "new.jpg").write_bytes(whole)
    eye.search(table)
    assert table.ui.has("new.jpg")


def test_the_back_key_goes_from_a_die_to_all_dice_to_the_battle(folder: Path) -> None:
    table, screen = read(folder)
    screen.choose(0)
    table.ui.settle()
    assert not table.ui.has("Another photo")
    table.ui.tap(next(w for w in table.ui.walk() if isinstance(w, Plate) and w.icon == "back"))
    assert table.ui.has("Another photo")
    screen.choose(0)
    table.ui.key(ESCAPE)
    assert table.ui.has("Another photo")
    table.ui.key(ESCAPE)
    assert table.ui.root.screen.key == "battle"
    assert not table.desk.sent or type(table.desk.sent[-1].command).__name__ == "BeginBattle"


def test_each_reading_stands_at_its_die_and_says_where_it_is_doubted(folder: Path) -> None:
    table, _eye = ready(folder)
    table.tap("Photo")
    screen = table.ui.root.screen
    places = ((11, 0.99, 0.1), (4, 0.5, 0.5), (None, 0.2, 0.9))
    dice = tuple(SeenDie(value, "white", sure, x, 0.5, 0.05) for value, sure, x in places)
    screen._done(Photo(200, 100, bytes(60000), "ab" * 32, dice))
    table.ui.settle()
    assert [ring[2] for ring in screen._rings()] == ["11", "4?", "?"]
    for index in range(3):
        x, _y, radius = screen._view.spot(index)
        near = [
            item
            for item in screen._view.canvas.children
            if isinstance(item, Rectangle) and abs(item.pos[0] - x) < 2 * radius and item.size[0] < 4 * radius
        ]
        assert len(near) == 2, "a plate and the reading on it"


@pytest.mark.parametrize("size", harness.SIZES)
def test_the_screen_is_whole_at_every_size(folder: Path, size: tuple[int, int]) -> None:
    table, eye = ready(folder, size)
    table.tap("Photo")
    assert table.ui.faults() == []
    table.tap("roll.jpg")
    eye.answer(table)
    assert table.ui.faults() == []
    table.ui.root.screen.choose(0)
    table.ui.settle()
    assert table.ui.faults() == []


def test_the_die_that_is_asked_about_stands_large_in_the_corner_farthest_from_it(folder: Path) -> None:
    table, screen = read(folder)
    for index, die in enumerate(screen.photo.dice):
        screen.choose(next(i for i, drawn in enumerate(screen.draft.dice) if drawn.seen == index))
        table.ui.settle()
        table.ui.frames(3)
        view = screen._view
        left, low, side = view._large
        x, y, width, height = view.area()
        assert x <= left <= x + width - side
        assert y - 1 <= low <= y + height - side + 1
        cx, cy, _radius = view.spot(index)
        assert not (left <= cx <= left + side and low <= cy <= low + side)
        assert view.at(left + side / 2, low + side / 2) == index
        # what stands there is that die, upright: point by point the photo around it
        shown = np.frombuffer(screen.photo.rgb, np.uint8).reshape(
            screen.photo.height_px, screen.photo.width_px, 3
        )
        pixels = table.ui.pixels()
        apart = []
        for away_x, away_y in itertools.product((-0.3, 0, 0.3), repeat=2):
            px = round(left + side / 2 + away_x * side)
            py = pixels.shape[0] - 1 - round(low + side / 2 + away_y * side)
            reach = 2 * 1.35 * die.radius * screen.photo.width_px * side / (side - 2 * theme.px(3))
            at_x = round(die.x * screen.photo.width_px + away_x * reach)
            at_y = round(die.y * screen.photo.height_px - away_y * reach)
            there = shown[at_y - 1 : at_y + 2, at_x - 1 : at_x + 2].reshape(-1, 3).mean(axis=0)
            here = pixels[py - 1 : py + 2, px - 1 : px + 2, :3].reshape(-1, 3).mean(axis=0)
            apart.append(float(np.abs(there - here).mean()))
        assert float(np.median(apart)) < 25, apart
    screen.choose(-1)
    table.ui.settle()
    table.ui.frames(3)
    assert screen._view._large is None
