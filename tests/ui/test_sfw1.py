"""The first edition's own screen, and what the shared ones offer there, by taps on an in-memory table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.dice import DiceSource
from companion.games.sfw.pages.desert import DesertDraft
from companion.games.sfw.pages.units import UnitsDraft
from companion.pages.dice import Photo, SeenDie
from companion.pages.dice_eye import NoEye
from companion.pages.page import TABLE_VIEWER
from companion.testing import harness
from companion.ui.render.items import ItemTile
from tests.games.sfw_editions import FIRST, Evening


class Eye(NoEye):
    """A camera that shows three yellow dice at once, or what it is told."""

    def __init__(self) -> None:
        self.asked: Any = None
        self.dice: tuple[tuple[int, str], ...] = ((10, "yellow"), (3, "yellow"), (4, "yellow"))
        self._taken = 0

    def sources(self) -> tuple[tuple[str, str], ...]:
        return (("camera", "Camera"),)

    def place(self) -> str:
        return "~/photos"

    def photos(self) -> tuple[tuple[str, str], ...]:
        return ()

    def look(self, key: str, kind: str, asked: Any, *, done: Callable[[Photo], None], **_more: Any) -> Any:
        self.asked = (key, kind, asked)
        dice = tuple(
            SeenDie(value, colour, 0.99, 0.2 + 0.3 * i, 0.5, 0.05)
            for i, (value, colour) in enumerate(self.dice)
        )
        self._taken += 1
        done(Photo(8, 8, bytes(8 * 8 * 3), f"{self._taken:064}", dice))
        return self

    def cancel(self) -> None:
        """Nothing runs."""


class Table:
    def __init__(self, size: tuple[int, int] = (800, 480), language: str = "en") -> None:
        self.evening = Evening(FIRST)
        self.evening.jump("s3.t4.axis.move")
        self.ui = harness.lay(self.evening.desk, size=size, screen="desert", language=language)

    def tap(self, text: str) -> None:
        self.ui.tap(self.ui.find(text=text))

    def plus(self, unit: str, count: int = 1) -> None:
        for _n in range(count):
            self.ui.tap(next(w for w in self.ui.walk() if isinstance(w, ItemTile) and w.text == unit))

    def space(self, name: str) -> None:
        self.tap("Which desert space?")
        for sign in name:
            self.tap(sign.upper())
        self.tap("Done")

    @property
    def draft(self) -> DesertDraft:
        draft = self.ui.root.drafts.get(TABLE_VIEWER, "desert", self.evening.state.step.id)
        assert isinstance(draft, DesertDraft)
        return draft

    @property
    def rolls(self) -> Any:
        return self.evening.state.game["desert"].rolls


def test_dice_are_typed_by_finger_or_key() -> None:
    table = Table()
    assert not table.ui.root.screen.main_enabled
    table.space("Siwa")
    table.tap("Italy")
    table.plus("Infantry", 2)
    table.plus("Tank")
    table.tap("Roll 3 yellow dice")
    table.tap("11")
    table.ui.key(ord("4"))
    assert table.draft.values == (11, 4)
    table.tap("Erase")
    table.tap("5")
    table.tap("12")
    entry = table.rolls[-1]
    assert (entry.roll.values(), entry.sent_back, entry.halted) == ((11, 5, 12), 2, {"tank": 1})
    assert table.ui.has("2 Infantry go back, 1 Tank halts")
    assert table.ui.faults() == []
    table.plus("Anti-Air")
    assert table.draft.nation == "italy", "the next roll is of the same nation"


def test_units_can_be_changed_and_the_box_can_roll() -> None:
    table = Table()
    table.space("Siwa")
    table.plus("Tank")
    table.tap("Roll 1 yellow die")
    table.tap("Change the units")
    table.plus("Tank")
    table.tap("Roll 2 yellow dice")
    table.tap("Roll for us")
    assert len(table.rolls[-1].roll.dice) == 2
    assert table.rolls[-1].roll.origin.source == DiceSource.VIRTUAL
    table.tap("Which desert space?")
    assert table.ui.has("Another space")
    table.tap("Siwa")
    assert table.draft.space == "Siwa"


def test_the_camera_reads_yellow_dice() -> None:
    table, eye = Table(), Eye()
    table.ui.root.eye = eye
    table.space("Siwa")
    table.plus("Tank", 2)
    table.plus("Artillery")
    table.tap("Roll 3 yellow dice")
    table.tap("Photo")
    table.tap("Camera")
    assert eye.asked == ("camera", "d12", (("yellow", 3),))
    table.tap("Accept")
    assert table.ui.root.screen.key == "desert"
    table.tap("Accept the roll")
    entry = table.rolls[-1]
    assert (entry.roll.values(), entry.roll.origin.source) == ((10, 3, 4), DiceSource.CAMERA)
    assert not table.ui.root.screen.main_enabled
    table.plus("Artillery", 2)  # there is one only
    table.tap("They halt")
    assert table.rolls[-1].halted == {"artillery": 1}


def test_a_desert_roll_in_two_photos_keeps_both_and_counts_colours() -> None:
    table, eye = Table(), Eye()
    table.ui.root.eye = eye
    table.space("Siwa")
    table.plus("Tank", 2)
    table.plus("Artillery", 3)
    table.tap("Roll 5 yellow dice")
    table.tap("7")
    table.tap("Photo")
    assert eye.asked is None
    eye.dice = ((10, "yellow"), (3, "white"))
    table.tap("Camera")
    table.ui.root.screen.choose(1)
    table.ui.settle()
    table.tap("Colour")
    table.tap("Yellow")
    table.ui.root.screen.choose(-1)
    table.ui.settle()
    table.tap("Add a die")
    table.tap("2")
    table.tap("Add a die")
    table.tap("9")
    table.tap("Accept")
    table.tap("Erase")
    eye.dice = ((11, "yellow"),)
    table.tap("Photo")
    table.tap("Camera")
    table.tap("Accept")
    table.tap("Accept the roll")
    roll = table.rolls[-1].roll
    assert roll.values() == (7, 10, 3, 2, 11)
    origin = roll.origin
    assert origin.photos == (f"{1:064}", f"{2:064}")
    assert origin.proposed == (10, 3, 11)
    assert (origin.corrected, origin.recoloured, origin.added) == (3, 1, 2)


def test_outside_moves_the_screen_says_when() -> None:
    table = Table()
    table.evening.jump("s3.v.check")
    table.ui.settle()
    assert table.ui.has("Land units enter deserts while their side moves")
    table.ui.pass_ms(1_000)  # its button has only just changed
    table.tap("Back to the table")
    assert table.ui.root.screen.key == "table"


@pytest.mark.parametrize("size", harness.SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_lists_of_an_evening_are_whole(size: tuple[int, int], language: str) -> None:
    """Control with its lines, units with their missing figures, lanes that are open, the box."""
    evening = Evening(FIRST)
    evening.jump("s3.r.allies.lanes")
    ui = harness.lay(evening.desk, size=size, language=language, screen="control")
    assert ui.faults() == []
    for screen, args in (
        ("units", {"draft": UnitsDraft(unit="battleship")}),
        ("resupply", {}),
        ("support", {}),
        ("sealed", {}),
    ):
        ui.root.go(screen, **args)
        ui.settle()
        assert ui.faults() == [], screen
