"""Rolls of a battle from photos that a made-up reader shows: several colours at once, taps on the photo, what differs."""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.dice_eye import VisionEye
from companion.adapters.dice_habit import KeptHabit
from companion.core.dice import DiceSource
from companion.games.sfw.pages.battle_course import RollLine
from companion.games.sfw.pages.battle_roll import lines_together
from companion.games.sfw.rules import battle_commands as bc
from companion.pages.dice import DiceDraft, DraftDie, Photo, SeenDie
from companion.pages.dice_eye import NoEye
from companion.pages.dice_groups import dice_blocks, groups
from companion.pages.i18n import _
from companion.testing import harness
from companion.testing.scenes import open_scene
from companion.ui.render.die import DieFace
from companion.ui.screens.dice_rows import DiceRows
from tests.ui.test_battle import Table

EASY = Path(__file__).parent / "photos" / "two_white_one_gray.jpg"


class Shown(NoEye):
    """A folder with one photo that shows what it is told, read at once."""

    def __init__(self) -> None:
        self.photo = Photo(200, 100, bytes(60000), "ab" * 32, ())
        self.asked: Any = None

    def show(
        self,
        *dice: tuple[int | None, str, float],
        mismatches: tuple[str, ...] = (),
        kind: str = "d12",
        colour_sure: float = 1.0,
    ) -> None:
        """Lay dice of value, colour and confidence in a row."""
        seen = tuple(
            SeenDie(
                value,
                colour,
                sure,
                (i + 0.5) / len(dice),
                0.5,
                0.04,
                kind=kind,
                colour_confidence=colour_sure,
            )
            for i, (value, colour, sure) in enumerate(dice)
        )
        sha256 = hashlib.sha256(repr(seen).encode()).hexdigest()
        self.photo = Photo(200, 100, bytes(60000), sha256, seen, mismatches)

    def photos(self) -> tuple[tuple[str, str], ...]:
        return (("file:roll.jpg", "roll.jpg"),)

    def look(self, key: str, kind: str, asked: Any, *, done: Callable[[Photo], None], **_more: Any) -> Any:  # type: ignore[override]
        self.asked = (key, kind, asked)
        done(self.photo)
        return self

    def cancel(self) -> None:
        """Nothing runs."""


def ready(
    size: tuple[int, int] = (800, 480), language: str = "en", *, and_british: bool = False
) -> tuple[Table, Shown]:
    """A battle whose attackers wait for two white dice and a gray one at once."""
    table, eye = Table(size), Shown()
    if language != "en":
        table.ui.root.set("language", language)
    table.ui.root.eye = eye
    table.desk.send(bc.DeclareBattle("Taranto", "land"))
    for side, nation, unit, count in (
        ("attacking", "us", "infantry", 2),
        ("attacking", "us", "tank", 1),
        *([("attacking", "gb", "infantry", 1)] if and_british else []),
        ("defending", "italy", "infantry", 3),
    ):
        for _n in range(count):
            table.desk.send(bc.ChangeUnits(table.battle.id, side, unit, nation))
    table.desk.send(bc.BeginBattle(table.battle.id))
    table.ui.settle()
    return table, eye


def lines(table: Table) -> tuple[RollLine, ...]:
    return table.view.lines


def rolled(table: Table, side: str = "attacking") -> dict[str, tuple[int, ...]]:
    return {line.colour: line.values for line in lines(table) if line.side == side}


def recorded(table: Table) -> list[bc.RecordRoll]:
    return [one.command for one in table.desk.sent if isinstance(one.command, bc.RecordRoll)]


def read(table: Table) -> Any:
    table.tap("Photo")
    table.tap("roll.jpg")
    return table.ui.root.screen


@pytest.mark.parametrize(
    ("size", "language"), [(harness.SIZES[0], "en"), *((size, "de") for size in harness.SIZES)]
)
def test_one_photo_gives_the_dice_of_all_colours_of_a_side(size: tuple[int, int], language: str) -> None:
    table, eye = ready(size, language)
    eye.show((11, "white", 0.99), (7, "gray", 0.99), (4, "white", 0.99))
    table.tap(_("Photo"))
    assert table.ui.faults() == []
    table.tap("roll.jpg")
    assert eye.asked == ("file:roll.jpg", "d12", (("white", 2), ("gray", 1)))
    asked = {"en": "Needed: 2 White dice, 1 Gray die", "de": "Nötig: 2 Würfel (Weiß), 1 Würfel (Grau)"}
    assert table.ui.has(asked[language])
    assert table.ui.faults() == []
    table.tap(_("Accept"))
    assert table.ui.root.screen.key == "battle"
    (sent,) = recorded(table)
    assert sent.lines == (0, 1)
    assert [(die.colour, die.value) for die in sent.roll.dice] == [("white", 11), ("white", 4), ("gray", 7)]
    assert sent.roll.origin.proposed == (11, 7, 4)
    assert (sent.roll.origin.source, sent.roll.origin.corrected) == (DiceSource.CAMERA, 0)
    assert rolled(table) == {"white": (11, 4), "gray": (7,)}
    assert rolled(table, "defending") == {"white": ()}, "the other side rolls its own dice"


def test_dice_that_were_typed_are_still_there_after_a_look_at_the_photos() -> None:
    table, _eye = ready(harness.SIZES[0], "en")
    table.tap("11")
    table.tap("Photo")
    assert table.ui.root.screen.key == "dice"
    table.tap("Back")
    assert table.ui.root.screen.key == "battle"
    assert table.ui.has("Erase")
    table.tap("4")
    assert rolled(table)["white"] == (11, 4)


def test_dice_of_one_colour_may_lie_there_alone() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (4, "white", 0.99))
    screen = read(table)
    assert table.ui.has("Still to roll: 1 Gray die")
    assert screen.main_enabled
    table.tap("Accept")
    assert rolled(table) == {"white": (11, 4), "gray": ()}
    eye.show((7, "gray", 0.99))
    read(table)
    assert eye.asked[2] == (("gray", 1),), "what is there is not asked for again"
    table.tap("Accept")
    assert rolled(table) == {"white": (11, 4), "gray": (7,)}
    assert [sent.lines for sent in recorded(table)] == [(0,), (1,)]


def test_a_colour_of_which_a_die_is_missing_is_not_accepted() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (7, "gray", 0.99))
    screen = read(table)
    assert table.ui.has("2 White dice needed, 1 so far")
    assert not screen.main_enabled
    table.tap("Add a die")
    table.tap("4")
    assert screen.draft.dice[-1].colour == "white", "the colour that lacks one"
    table.tap("Accept")
    assert rolled(table) == {"white": (11, 4), "gray": (7,)}
    assert (recorded(table)[0].roll.origin.corrected, recorded(table)[0].roll.origin.added) == (1, 1)


def test_a_die_that_nobody_asks_for_is_not_accepted() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (4, "white", 0.99), (7, "black", 0.99))
    screen = read(table)
    assert table.ui.has("2 dice needed, 3 so far")
    assert not screen.main_enabled


def test_lines_that_colours_do_not_tell_apart_are_read_one_at_a_time() -> None:
    table, eye = ready(and_british=True)
    found = lines(table)
    white = [line for line in found if line.side == "attacking" and line.colour == "white"]
    (gray,) = [line for line in found if line.side == "attacking" and line.colour == "gray"]
    assert len(white) == 2
    for line in (*white, gray):
        assert lines_together(found, line) == (line,)
    table.tap("Photo")
    table.tap("roll.jpg")
    assert eye.asked[2] == (("white", 2),)


def test_a_finger_on_a_die_of_the_photo_chooses_it_and_a_value_puts_it_right() -> None:
    """A reader that reads every die wrong: what is recorded is what the fingers said, and the origin tells so."""
    table, eye = ready()
    eye.show((1, "white", 0.99), (2, "white", 0.99), (3, "gray", 0.99))
    screen = read(table)
    assert screen.main_enabled, "wrong as it is, it is sure"
    for index, value in ((2, 7), (0, 11), (1, 4)):
        x, y, _radius = screen._view.spot(index)
        table.ui.tap((x, y))
        assert screen.chosen == index
        table.tap(str(value))
        assert screen.chosen < 0
    table.tap("Accept")
    assert rolled(table) == {"white": (11, 4), "gray": (7,)}
    origin = recorded(table)[0].roll.origin
    assert (origin.proposed, origin.corrected, origin.recoloured) == ((1, 2, 3), 3, 0)


def test_a_finger_beside_every_die_chooses_none() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (4, "white", 0.99))
    screen = read(table)
    left, low, width, height = screen._view.area()
    table.ui.tap((left + width / 2, low + height * 0.9))
    assert screen.chosen == -1


def test_what_a_photo_shows_otherwise_stands_there_until_it_is_put_right() -> None:
    table, eye = ready()
    told = "asked for 2 White and 1 Gray, see 3 White"
    eye.show((11, "white", 0.99), (7, "white", 0.6), (4, "white", 0.99), mismatches=(told,))
    screen = read(table)
    assert screen.chosen == 1
    assert table.ui.has("Asked for 2 White and 1 Gray, see 3 White"), "also while a die is asked about"
    table.tap("That is right")
    assert table.ui.has("Asked for 2 White and 1 Gray, see 3 White")
    screen.choose(1)
    table.ui.settle()
    table.tap("Gray")
    assert not table.ui.has("see 3 White")
    screen.choose(-1)
    table.ui.settle()
    table.tap("Accept")
    assert rolled(table) == {"white": (11, 4), "gray": (7,)}
    origin = recorded(table)[0].roll.origin
    assert (origin.corrected, origin.recoloured) == (1, 1)


def test_a_doubtful_colour_takes_one_tap_where_the_value_is_sure() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (7, "white", 0.99), (4, "white", 0.99), colour_sure=0.7)
    screen = read(table)
    for index, colour in enumerate(("White", "Gray", "White")):
        assert screen.chosen == index
        assert table.ui.has("which colour is it?")
        table.tap(colour)
    assert screen.chosen == -1
    table.tap("Accept")
    assert rolled(table) == {"white": (11, 4), "gray": (7,)}
    assert recorded(table)[0].roll.origin.recoloured == 1


def test_a_die_that_no_game_here_uses_is_shown_and_does_not_count() -> None:
    table, eye = ready()
    eye.show((None, "", 0.0), kind="other")
    screen = read(table)
    assert [ring[2] for ring in screen._rings()] == ["–"]
    assert table.ui.has("this roll uses d12")
    assert screen.draft.values() == ()


def test_a_die_of_another_kind_is_shown_with_its_kind_and_does_not_count() -> None:
    table, eye = ready()
    eye.show((9, "white", 0.99), (8, "white", 0.99), kind="d10")
    screen = read(table)
    assert [ring[2] for ring in screen._rings()] == ["d10", "d10"]
    assert table.ui.has("d10  White: this roll uses d12")
    table.ui.key(27)
    assert table.ui.has("2 dice are the wrong kind: take them out")
    assert not screen.main_enabled


def test_from_home_whatever_lies_there_is_read_and_nothing_is_asked_for() -> None:
    laid, eye = open_scene("home"), Shown()
    laid.root.eye = eye
    eye.show((9, "white", 0.99), (12, "white", 0.5))
    ten = eye.photo.dice
    eye.show((6, "red", 0.99), kind="d6")
    eye.photo = replace(eye.photo, dice=(*ten, *eye.photo.dice))
    laid.tap(laid.find(text="Read dice"))
    laid.tap(laid.find(text="roll.jpg"))
    screen = laid.root.screen
    assert eye.asked == ("file:roll.jpg", "", ())
    assert screen.draft.values() == (9, 12, 6)
    assert [group.title for group in groups(screen.draft)] == ["2 d12, White", "1 d6, Red"]
    assert [die.faces for block in dice_blocks(screen.draft, 12, [None] * 3) for die in block.dice] == [
        12,
        12,
        6,
    ]
    assert screen.chosen == -1, "no die is asked about"
    assert not any(laid.has(text) for text in ("Tap the doubtful die", "Does not count"))
    assert laid.faults() == []
    screen.choose(2)
    laid.settle()
    assert not laid.has("7"), "a d6 has six faces"
    laid.key(27)
    laid.tap(laid.find(text="Back"))
    assert screen.root.screen.key == "home"


class Eye:
    """The real reader; its answers wait until they are taken, as they do for the window's loop."""

    def __init__(self, folder: Path) -> None:
        self.calls: list[Callable[[], None]] = []
        self.eye = VisionEye(folder, self.calls.append)

    def answer(self, table: Table) -> None:
        table.ui.root.screen._look.thread.join(timeout=60)
        while self.calls:
            self.calls.pop(0)()
        table.ui.settle()


def test_an_easy_photo_is_read_right_without_a_correction(tmp_path: Path) -> None:
    """The real reader on an own render, large and clear: two white dice with 11 and 4, a gray one with 7."""
    shutil.copy(EASY, tmp_path / "roll.jpg")
    table, _shown = ready()
    eye = Eye(tmp_path)
    table.ui.root.eye = eye.eye
    table.tap("Photo")
    table.tap("roll.jpg")
    eye.answer(table)
    while table.ui.has("That is right"):  # what the reader doubts is confirmed, not corrected
        table.tap("That is right")
    table.tap("Accept")
    (sent,) = recorded(table)
    assert sorted((str(die.colour), die.value) for die in sent.roll.dice) == [
        ("gray", 7),
        ("white", 4),
        ("white", 11),
    ]
    assert sent.roll.origin.corrected == 0
    assert sorted(sent.roll.origin.proposed) == [4, 7, 11]  # type: ignore[type-var]
    assert sent.roll.origin.photo_sha256 == hashlib.sha256(EASY.read_bytes()).hexdigest()


def test_a_photo_that_was_counted_is_counted_again_only_when_that_is_wanted() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (7, "gray", 0.99), (4, "white", 0.99))
    read(table)
    table.tap("Accept")
    assert len(recorded(table)) == 1
    counted = eye.photo.sha256
    eye.show((5, "white", 0.99), (6, "white", 0.99), (8, "white", 0.99))
    eye.photo = replace(eye.photo, sha256=counted)
    read(table)
    table.tap("Accept")
    assert table.ui.has("Count this photo again?")
    table.tap("Cancel")
    assert len(recorded(table)) == 1
    table.tap("Accept")
    table.tap("Count it again")
    assert len(recorded(table)) == 2


def test_a_photo_whose_roll_was_undone_is_counted_without_a_question() -> None:
    table, eye = ready()
    eye.show((11, "white", 0.99), (7, "gray", 0.99), (4, "white", 0.99))
    read(table)
    table.tap("Accept")
    table.ui.tap(table.ui.find(icon="undo"))
    if table.ui.has("Undo it"):
        table.tap("Undo it")
    read(table)
    table.tap("Accept")
    assert not table.ui.has("Count this photo again?")
    assert len(recorded(table)) == 2


@pytest.mark.parametrize("is_tournament", [False, True])
def test_what_the_table_answers_teaches_the_reader_and_can_be_forgotten(
    tmp_path: Path, is_tournament: bool
) -> None:
    table, eye = ready()
    habit = table.ui.root.dice_habit = KeptHabit(tmp_path / "habit.json", lambda: is_tournament)
    eye.show((11, "white", 0.8), (7, "gray", 0.99), (4, "white", 0.6))
    read(table)
    table.tap("That is right")
    table.tap("5")
    table.tap("Accept")
    assert habit.learned() == (0 if is_tournament else 2), "the sure die was not looked at"
    kept = KeptHabit(tmp_path / "habit.json", lambda: False)
    assert kept.learned() == habit.learned()
    table.ui.root.go("dice")
    table.ui.settle()
    assert table.ui.has("Learned from 2 answers") != is_tournament
    if not is_tournament:
        table.tap("Learned from 2 answers")
        table.tap("Forget")
        assert not table.ui.has("Learned from")
        assert KeptHabit(tmp_path / "habit.json", lambda: False).learned() == 0


@pytest.mark.parametrize(
    ("size", "language"), [(harness.SIZES[0], "en"), *((size, "de") for size in harness.SIZES)]
)
def test_the_photos_dice_are_drawn_beside_the_rolls_they_count_for(
    size: tuple[int, int], language: str
) -> None:
    """White ones beside the white roll with an open die for the one that is missing; a black one counts for nothing."""
    table, eye = ready(size, language)
    eye.show((7, "gray", 0.6), (11, "white", 0.99), (9, "black", 0.99))
    table.tap(_("Photo"))
    table.tap("roll.jpg")
    screen = table.ui.root.screen
    screen.choose(-1)
    table.ui.settle()
    assert table.ui.faults() == []
    rows = next(widget for widget in table.ui.walk() if isinstance(widget, DiceRows))
    assert [[(die.value, die.colour, die.state) for die in dice] for _title, dice in rows.items] == [
        [(11, "white", "plain"), (None, "white", "empty")],
        [(7, "gray", "unsure")],
        [(9, "black", "plain")],
    ]
    table.ui.tap(next(w for w in table.ui.walk() if isinstance(w, DieFace) and w._die.value == 11))
    assert screen.chosen == 1, "a tap on a drawn die corrects it"


def test_every_die_of_a_draft_is_drawn_once() -> None:
    """Whatever lies there and whatever is asked: no die is lost, none is drawn twice, and what lacks stands open."""
    colours = ("white", "gray", "black", "")
    for seed in range(200):
        chance = random.Random(seed)
        dice = tuple(
            DraftDie(
                chance.choice((None, 3)),
                chance.choice(colours),
                3,
                True,
                n,
                strange=chance.choice(("", "d8")),
            )
            for n in range(chance.randrange(12))
        )
        asked = tuple(
            (colour, chance.randint(1, 5)) for colour in chance.sample(colours, chance.randrange(4))
        )
        draft = DiceDraft(dice, asked=asked)
        blocks = dice_blocks(draft, 12, [None] * len(dice))
        drawn = [die.key for block in blocks for die in block.dice if die.state != "empty"]
        assert sorted(drawn, key=int) == [str(n) for n in range(len(dice))]
        for group in groups(draft):
            assert all(not draft.dice[n].is_left_out for n in group.dice) or not group.asked
        lacking = sum(max(0, group.asked - len(group.dice)) for group in groups(draft))
        assert sum(die.state == "empty" for block in blocks for die in block.dice) == lacking
