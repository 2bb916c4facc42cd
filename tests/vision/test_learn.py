"""Photos shown to a set that is learnt, with readings made by hand: what counts, what is left out, what is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.vision.conftest import make_vote
from vision.command import main
from vision.learn import OTHER_COLOUR, OTHER_KIND, take
from vision.numerals import FaceVote
from vision.set_files import load_set
from vision.sets import Learner
from vision.types import Flag, Reading


@dataclass(frozen=True)
class Seen:
    """A die as a reader hands it on."""

    reading: Reading
    vote: FaceVote


def seen(
    value: int | None, colour: str | None = "white", *, kind: str = "d6", sure: float = 0.99, flags: Sequence[Flag] = ()
) -> Seen:  # fmt: skip
    shown = value or 1
    reading = Reading(kind, colour, value, sure, 10.0 * shown, 20.0, 8.0, flags=tuple(flags), guess=shown)
    return Seen(reading, make_vote(shown, min(sure, 0.97), features=(float(shown), 0.5)))


def test_every_die_is_answered_for() -> None:
    learner = Learner("x", "d6")
    dice = [
        seen(1), seen(2, sure=0.5), seen(None, flags=[Flag.COCKED, Flag.CUT]), seen(None, flags=[Flag.STACKED]),
        seen(None, flags=[Flag.TOO_SMALL]), seen(3, kind="d10"), seen(4, "gray"), seen(5, None),
    ]  # fmt: skip
    shown = take(learner, dice, ["white"])
    assert [die.why for die in shown] == [
        "", "", "cocked", "stacked", "too small", OTHER_KIND, OTHER_COLOUR, OTHER_COLOUR,
    ]  # fmt: skip
    assert [die.number for die in shown] == [0, 1, *[None] * 6]
    assert [die.reading for die in shown] == [die.reading for die in dice]
    assert learner.colours == ("white",)
    assert learner.missing("white") == (3, 4, 5, 6)


def test_a_die_that_the_reader_doubts_is_who_is_left_over() -> None:
    learner = Learner("x", "d6")
    take(learner, [seen(v) for v in (1, 2, 3, 4, 5)])
    (doubted,) = take(learner, [seen(5, sure=0.7)])
    state = learner.state("white")
    assert state.is_complete
    assert dict(state.dice)[6] == doubted.number


class Album:
    """Photos on disk whose dice are told by a fake reader: the first pixel says which photo it is."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.dice, self.reads, self.colours = folder, {}, 0, ()
        self.folder.mkdir()

    def photo(self, *dice: Seen) -> str:
        number = len(self.dice)
        self.dice[number] = dice
        path = self.folder / f"{number}.png"
        cv2.imwrite(str(path), np.full((120, 160, 3), number, np.uint8))
        return str(path)

    def examine(self, image: Any, request: Any, _models: Any, **_more: Any) -> tuple[Seen, ...]:
        self.reads += 1
        self.colours = request.colours
        return tuple(self.dice[int(image[0, 0, 0])])


@pytest.fixture
def album(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Album:
    made = Album(tmp_path / "photos")
    monkeypatch.setattr("vision.learn.examine", made.examine)
    return made


def learn(album: Album, *argv: str, name: str = "mine", kind: str = "d6") -> int:
    return main([*argv, "--learn", name, "--kind", kind, "--sets-folder", str(album.folder.parent / "sets")])


def test_a_bad_photo_is_told_and_the_others_are_used(
    album: Album, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"no photo")
    photos = [album.photo(*map(seen, (1, 2, 3))), str(bad), album.photo(*map(seen, (4, 5, 6)))]
    assert learn(album, *photos) == 1
    said = capsys.readouterr()
    assert said.err.count("read-dice: ") == 1
    assert "bad.jpg: not a picture of a known type" in said.err
    assert "mine.dice.json: 6 faces in white" in said.out
    assert load_set("mine", tmp_path / "sets").missing("d6", "white") == ()


def test_dice_that_are_left_out_are_named(album: Album, capsys: pytest.CaptureFixture[str]) -> None:
    photo = album.photo(
        *map(seen, (1, 2, 3, 4, 5)), seen(None, flags=[Flag.COCKED]), seen(2, "red", kind="d10")
    )
    assert learn(album, photo) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"read-dice: {photo}: left out: white d6 at 10,20: cocked; lay it flat and photograph it again",
        f"read-dice: {photo}: left out: red d10 at 20,20: of another kind",
        "read-dice: set mine: white: 6 still missing. Show a die with each.",
    ]
    assert not (album.folder.parent / "sets").exists()


def test_a_value_shown_twice_is_refused_or_told(album: Album, capsys: pytest.CaptureFixture[str]) -> None:
    photos = [album.photo(*map(seen, (1, 2, 3, 5))), album.photo(*map(seen, (4, 5)))]
    assert learn(album, *photos) == 2
    assert "white: 5 shown twice, 6 missing. Show a die with each missing value." in capsys.readouterr().err
    assert learn(album, *photos, album.photo(seen(6))) == 0
    assert capsys.readouterr().err == "read-dice: white 5 was shown more than once; one was kept\n"


def test_a_bad_colour_is_named_and_the_good_ones_can_be_learnt_alone(
    album: Album, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    photo = album.photo(*map(seen, range(1, 7)), seen(2, "gray"))
    assert learn(album, photo) == 2
    assert (
        "white is complete. gray: 1, 3, 4, 5, 6 still missing. Show a die with each."
        in capsys.readouterr().err
    )
    assert learn(album, photo, "--colours", "white") == 0
    assert album.colours == ("white",)
    assert "left out: gray d6 at 20,20: of a colour that is not learnt" in capsys.readouterr().err
    assert load_set("mine", tmp_path / "sets").colours == ("white",)


def test_a_bad_name_is_told_before_any_photo_is_read(
    album: Album, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = album.photo(seen(1))
    for name in ("../x", ""):
        assert learn(album, photo, name=name) == 2
        assert "use up to 40 letters" in capsys.readouterr().err
    assert album.reads == 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--kind", "mixed"], "one set holds dice of one kind; add --kind d12, --kind d10 or --kind d6"),
        ([], "one set holds dice of one kind; add --kind d12"),
        (["--kind", "d6", "--overlay", "o"], "--overlay cannot be used with it; leave that away"),
        (
            ["--kind", "d6", "--set", "a", "--json"],
            "--set and --json cannot be used with it; leave that away",
        ),
        (["--kind", "d6", "--counts", "white=6"], "--counts cannot be used with it; leave that away"),
    ],
)
def test_what_learning_cannot_follow_is_refused(
    more: list[str], words: str, album: Album, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([album.photo(seen(1)), "--learn", "mine", *more]) == 2
    assert f"read-dice: --learn: {words}" in capsys.readouterr().err
    assert album.reads == 0
