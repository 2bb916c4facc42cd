"""The report's section on photographed dice, over the rolls of every game that records any."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from companion.core import commands as cm
from companion.core.dice import DiceOrigin, DiceSource, Die, DieColour, DieKind, Roll
from companion.core.history import Entry
from companion.core.ids import TABLE, Nation, StepId
from companion.games.aana.rules.battle_messages import RollFire, RollMines
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.med.rules.commands import RollDice, UseEffect
from companion.games.sfw.rules.battle_commands import RecordRoll
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.desert import RollDesert
from companion.pages.dice_report import SECTIONS, DiceFigures, dice_figures, origin_of
from companion.pages.i18n import use_language
from companion.pages.modules import game_view
from companion.pages.report_parts import ReportSource
from tests.pages.test_battle import Taps

STEP = StepId("s1")
PHOTO = DiceOrigin(DiceSource.CAMERA, photo_sha256="a" * 64, proposed=(4, None), corrected=1)
TWO_PHOTOS = DiceOrigin(
    DiceSource.CAMERA, None, "b" * 64, (9, 2, 6), 2, more_photos=("c" * 64,), recoloured=1, added=1
)
VIRTUAL = DiceOrigin(DiceSource.VIRTUAL, seed=3)


def source(*rolled: cm.Command, not_counted: tuple[int, ...] = ()) -> ReportSource:
    entries = tuple(Entry(seq, command, (), TABLE, "touch", 0) for seq, command in enumerate(rolled, 1))
    return ReportSource(None, entries, lambda seq: seq not in not_counted, 0)  # type: ignore[arg-type]


def battle_roll(origin: DiceOrigin) -> RecordRoll:
    return RecordRoll("A", (0,), Roll(DieKind.D12, (Die(DieColour.WHITE, 4),), origin))


ROLLS: dict[str, Any] = {
    "battle": battle_roll,
    "desert": lambda origin: RollDesert(
        "Siwa", Nation("italy"), {"tank": 1}, Roll(DieKind.D12, (Die(DieColour.YELLOW, 4),), origin)
    ),
    "volleys": lambda origin: RollFire(STEP, (VolleyRoll((4,)),), origin),
    "mines": lambda origin: RollMines(STEP, "tobruk", "uk", 1, (4,), origin=origin),
    "value": lambda origin: RollDice(STEP, "A01", "surface", (4,), origin),
    "storm": lambda origin: UseEffect(STEP, "sirocco", (4,), origin=origin),
}


@pytest.mark.parametrize("kind", ROLLS)
def test_rolls_of_every_game_are_told_by_where_they_come_from(kind: str) -> None:
    make = ROLLS[kind]
    found = dice_figures(source(make(PHOTO), make(TWO_PHOTOS), make(VIRTUAL), make(DiceOrigin())))
    assert found == DiceFigures(2, 1, 1, 3, 5, 3, 1, 1)
    assert found.rate == 3 / 6


def test_acts_without_dice_are_no_rolls() -> None:
    for command in (
        UseEffect(STEP, "lost", card="B01"),
        cm.AddNote("4"),
        RecordRoll("A", (0,), Roll(DieKind.D12, ())),
    ):
        assert origin_of(command) is None


def test_a_roll_that_was_taken_back_does_not_count() -> None:
    found = dice_figures(source(battle_roll(PHOTO), battle_roll(TWO_PHOTOS), not_counted=(2,)))
    assert (found.photo_rolls, found.photos, found.corrected) == (1, 1, 1)


def test_the_section_is_there_only_where_a_photo_was_read() -> None:
    game_view("sfw96")
    make = SECTIONS[0].make
    assert make(source(battle_roll(DiceOrigin()), battle_roll(VIRTUAL))) == ""
    assert make(source()) == ""
    page = make(source(battle_roll(TWO_PHOTOS), battle_roll(VIRTUAL)))
    for text, figure in (
        ("Rolls read from photos", "1"),
        ("Rolls typed", "0"),
        ("Rolls by the box", "1"),
        ("Photos", "2"),
        ("Dice proposed", "3"),
        ("Dice corrected", "2"),
        ("of these, wrong colour", "1"),
        ("of these, not seen in the photo", "1"),
        ("Correction rate", "50.0 %"),
    ):
        assert f"<td>{text}</td><td>{figure}</td>" in page


def test_it_is_told_in_german() -> None:
    game_view("sfw96")
    use_language("de")
    try:
        page = SECTIONS[0].make(source(battle_roll(TWO_PHOTOS)))
    finally:
        use_language("en")
    assert "50,0 %" in page
    assert "Rolls" not in page
    assert "Dice" not in page


def test_a_battle_read_from_a_photo_stands_in_the_report_of_its_game() -> None:
    from companion.games.sfw.rules.battle_commands import BeginBattle, ChangeUnits, DeclareBattle
    from companion.pages.report import report_html

    taps = Taps()
    taps.send(DeclareBattle("Taranto", "land"))
    battle = battles_of(taps.state).battles[-1].id
    taps.send(ChangeUnits(battle, "attacking", "infantry", "us"))
    taps.send(ChangeUnits(battle, "defending", "infantry", "italy"))
    taps.send(BeginBattle(battle))
    change = taps.desk.change
    assert change is not None
    assert 'id="photo_dice"' not in report_html(change, taps.desk.entries(), taps.desk.counts, 0)
    taps.send(msgspec.structs.replace(battle_roll(PHOTO), battle=battle))
    change = taps.desk.change
    assert change is not None
    page = report_html(change, taps.desk.entries(), taps.desk.counts, 0)
    assert 'id="photo_dice"' in page
    assert "<td>Correction rate</td><td>50.0 %</td>" in page
