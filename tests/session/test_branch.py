"""What if: a copy goes on from an earlier entry, says so, and the original is untouched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from session_helpers import Room, press, rules_of

from companion.adapters.catalogue import GameCatalogue
from companion.cli import main
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.history import Timeline
from companion.session.errors import CopyError
from companion.session.files import NotAFileError
from companion.session.game_session import GameSession
from companion.session.pictures import picture_folder, pictures_of, put_picture
from companion.session.replay import state_digest
from companion.session.shelf import Shelf
from companion.session.timesource import ManualTime

CORPUS = Path(__file__).parents[1] / "golden" / "journals"


def test_a_copy_stands_where_the_game_stood_and_is_named_as_one(room: Room) -> None:
    session = room.new("evening.tcgame")
    for _ in range(9):
        press(session)
    session.ask(Envelope(cm.Undo(at_ms=room.time.now_ms()))).result(60)
    press(session)
    session.close()
    before = session.path.read_bytes()
    shelf = Shelf(room.folder, rules_of)
    read = shelf.read(session.path)
    for seq in range(1, len(read.timeline.entries) + 1):
        made = shelf.branch(read, "evening", seq)
        copy = shelf.read(made).timeline
        wanted = Timeline(read.timeline.rules, read.timeline.entries[:seq])
        assert state_digest(copy.state) == state_digest(wanted.state)
        assert copy.state.frozen_setup.what_if == "evening"
        assert read.timeline.state.frozen_setup.what_if == ""
        (listed,) = (game for game in shelf.games() if game.path == made)
        assert listed.summary.what_if == "evening"
        assert listed.fault is None
    assert session.path.read_bytes() == before
    names = {path.name for path in room.folder.glob("*.tcgame")}
    copies = {f"evening what if{end}.tcgame" for end in ("", *(f"-{n}" for n in range(2, seq + 1)))}
    assert names == {"evening.tcgame", *copies}


def test_a_copy_has_the_photos_up_to_where_it_goes_on(room: Room) -> None:
    session = room.new("evening.tcgame")
    for _ in range(4):
        press(session)
    session.close()
    shelf, photo = Shelf(room.folder, rules_of), b"\xff\xd8\xff of the board"
    for seq in (2, 2, 4):
        put_picture(session.path, seq, photo)
    read = shelf.read(session.path)
    assert pictures_of(shelf.branch(read, "evening", 3, path=session.path)) == {2: (photo, photo)}
    assert pictures_of(session.path) == {2: (photo, photo), 4: (photo,)}
    assert pictures_of(shelf.branch(read, "evening", 1, path=session.path)) == {}


def test_where_a_photo_finds_no_room_nothing_is_left_of_a_copy(room: Room) -> None:
    session = room.new("evening.tcgame")
    press(session)
    session.close()
    put_picture(session.path, 1, b"\xff\xd8\xff of the board")
    picture_folder(room.folder / "evening what if.tcgame").write_text("in the way")
    shelf = Shelf(room.folder, rules_of)
    with pytest.raises(NotAFileError):
        shelf.branch(shelf.read(session.path), "evening", 2, path=session.path)
    assert [path.name for path in room.folder.glob("*what if*")] == ["evening what if.photos"]


@pytest.mark.parametrize("seq", [0, -1, 10_000])
def test_an_entry_that_is_not_there_makes_no_copy(room: Room, seq: int) -> None:
    session = room.new("evening.tcgame")
    press(session)
    session.close()
    shelf = Shelf(room.folder, rules_of)
    with pytest.raises(CopyError, match=f"evening has no entry {seq}; its entries are 1 to"):
        shelf.branch(shelf.read(session.path), "evening", seq)
    assert [path.name for path in room.folder.glob("*.tcgame")] == ["evening.tcgame"]


@pytest.mark.parametrize("stem", sorted(path.stem for path in CORPUS.glob("*.json")))
def test_a_copy_of_an_old_game_is_played_on(stem: str, tmp_path: Path) -> None:
    for source in CORPUS.glob(f"{stem}.tcgame*"):
        shutil.copyfile(source, tmp_path / source.name)
    catalogue, time = GameCatalogue(), ManualTime(5, boot_id="much later")
    shelf = Shelf(tmp_path, catalogue.rules_of)
    game = tmp_path / f"{stem}.tcgame"
    read = shelf.read(game)
    made = shelf.branch(read, stem, 2 * len(read.timeline.entries) // 3)
    session = GameSession.open(made, catalogue.rules_of, time, app_version="99")
    try:
        assert session.recovery is None
        assert session.ask(Envelope(cm.AddNote("otherwise"))).result(60).rejected is None
    finally:
        session.close()


def test_the_command_line_copies_and_says_what_it_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games"
    games.mkdir()
    shutil.copyfile(CORPUS / "2026-11-italy.tcgame", games / "italy.tcgame")
    assert main(["what-if", "italy", "40", "--home", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(games / "italy what if.tcgame")
    assert main(["what-if", "italy", "4000", "--home", str(tmp_path)]) == 1
    assert "italy has no entry 4000" in capsys.readouterr().err
    assert sorted(path.name for path in games.glob("*.tcgame")) == ["italy what if.tcgame", "italy.tcgame"]
