"""The folder of saved games: order, summaries, faults, the bin."""

from __future__ import annotations

import errno
import random
from pathlib import Path

import pytest
from msgspec.structs import replace
from session_helpers import GAME, Room, do, press, rules_of, timeline_of

from companion.core import commands as cm
from companion.core.ids import Side
from companion.session.errors import JournalLockedError
from companion.session.files import NotAFileError
from companion.session.journal import log_path, witness_path
from companion.session.pictures import put_picture
from companion.session.shelf import Shelf
from companion.testing.sample import sample_setup


def test_games_are_listed_newest_first_with_what_the_home_screen_shows(room: Room) -> None:
    shelf = Shelf(room.folder, rules_of)
    first = room.new("first.tcgame")
    room.time.advance(60_000)
    press(first)
    first.close()
    second = room.new("second.tcgame")
    room.time.advance(1_000)
    do(second, cm.EndGame(at_ms=room.time.now_ms(), winner=Side("axis"), reason="resigned"))
    second.close()
    newer, older = shelf.games()
    assert (newer.path.name, older.path.name) == ("second.tcgame", "first.tcgame")
    assert newer.summary.is_over
    assert not older.summary.is_over
    assert (older.summary.game, older.summary.scenario, older.summary.title) == (GAME, "italy", "Italy")
    assert older.summary.step == "s1.t1.allies.declare"
    assert older.summary.remaining_ms == {"allies": 21 * 60_000, "axis": 22 * 60_000}
    assert older.saved_wall_ms == room.time.wall_ms() - 1_000
    assert (newer.fault, older.fault) == (None, None)


def test_a_game_that_was_cut_off_is_listed_as_its_log_says(room: Room) -> None:
    session = room.new()
    for _ in range(7):
        press(session)
    step = session.change.state.step.id
    session.cut_power()
    before = {p: p.read_bytes() for p in (session.path, log_path(session.path))}
    (game,) = Shelf(room.folder, rules_of).games()
    assert (game.summary.step, game.fault) == (step, None)
    assert {p: p.read_bytes() for p in before} == before, "looking changes nothing"


def test_broken_files_stand_in_the_list_with_their_fault(room: Room) -> None:
    room.new("good.tcgame").close()
    (room.folder / "noise.tcgame").write_bytes(random.Random(1).randbytes(9_000))
    (room.folder / "empty.tcgame").touch()
    (room.folder / "recipes.txt").write_text("no game")
    open_elsewhere = room.new("open.tcgame")
    games = {game.path.name: str(game.fault or "") for game in Shelf(room.folder, rules_of).games()}
    assert games == {
        "good.tcgame": "",
        "open.tcgame": "open.tcgame is open in another Table Companion; close it there first",
        "noise.tcgame": "noise.tcgame contains no saved game, or none that can still be read; choose a saved game, "
        "or a file that was written by Export; this one is left as it is",
        "empty.tcgame": "empty.tcgame is empty; delete it and start the game again",
    }
    open_elsewhere.close()
    games = {game.path.name: str(game.fault or "") for game in Shelf(room.folder, rules_of).games()}
    assert games["open.tcgame"] == ""


def test_games_of_another_version_are_listed_with_their_fault(room: Room) -> None:
    session = room.new()
    session.cut_power()

    def none_of(game: str) -> None:
        raise KeyError(game)

    (game,) = Shelf(room.folder, none_of).games()  # type: ignore[arg-type]
    assert "does not have the game 'sample'; update Table Companion" in str(game.fault)


def test_kept_damaged_files_are_no_games_of_their_own(room: Room) -> None:
    session = room.new()
    for _ in range(9):
        press(session)
    session.close()
    data = bytearray(session.path.read_bytes())
    at = data.find(b"s1.t2.allies.move")
    data[at : at + 2] = b"??"
    session.path.write_bytes(data)
    again = room.open()
    assert again.recovery is not None
    again.close()
    assert (room.folder / "game.damaged.tcgame").exists()
    assert [game.path.name for game in Shelf(room.folder, rules_of).games()] == ["game.tcgame"]


def test_deleting_moves_to_the_bin_and_a_game_there_can_be_opened(room: Room) -> None:
    session = room.new()
    press(session)
    shelf = Shelf(room.folder, rules_of)
    with pytest.raises(JournalLockedError, match=r"game\.tcgame is open; close the game first"):
        shelf.delete(session.path)
    live = session.change.state
    session.cut_power()
    kept = shelf.delete(session.path)
    assert kept == room.folder / "bin" / "game.tcgame"
    assert shelf.games() == ()
    assert timeline_of(kept).state == live
    room.new().close()
    assert shelf.delete(room.folder / "game.tcgame").name == "game-2.tcgame"


def test_new_games_get_free_names_by_day_and_scenario(room: Room) -> None:
    shelf = Shelf(room.folder / "games", rules_of)
    setup = replace(sample_setup(), game=GAME)
    first = shelf.new_path(setup, 1_700_000_000_000)
    assert first.name == "2023-11-14 sample italy.tcgame"
    first.touch()
    assert shelf.new_path(setup, 1_700_000_000_000).name == "2023-11-14 sample italy-2.tcgame"


def test_an_empty_shelf_is_no_fault(tmp_path: Path) -> None:
    assert Shelf(tmp_path / "none", rules_of).games() == ()


def test_a_recovery_that_was_cut_off_is_finished_by_looking(room: Room) -> None:
    session = room.new()
    session.close()
    session.path.replace(room.folder / ".game.tcgame.rebuilt")
    (game,) = Shelf(room.folder, rules_of).games()
    assert (game.path.name, game.fault) == ("game.tcgame", None)


def test_games_are_listed_as_they_were_played_though_the_clock_of_day_jumps(room: Room) -> None:
    shelf = Shelf(room.folder, rules_of)
    for name, jump_ms in (("a", 0), ("b", -86_400_000), ("c", -900_000_000), ("d", 5_000)):
        room.time.jump_wall(jump_ms)
        room.time.advance(60_000)
        room.new(f"{name}.tcgame").close()
    assert [game.path.stem for game in shelf.games()] == ["d", "c", "b", "a"]


def test_games_of_a_box_without_a_clock_of_its_own_are_listed_by_their_turn(room: Room) -> None:
    shelf = Shelf(room.folder, rules_of)
    names = ("monday", "tuesday", "wednesday", "cut off")
    for number, name in enumerate(names):
        room.time.reboot(f"boot of {name}", 1_000)
        room.time.jump_wall(-10_000_000 * number)
        session = room.new(f"{name}.tcgame", turn=shelf.next_turn())
        room.time.advance(6_000)
        session.sync()
        session.cut_power() if name == "cut off" else session.close()
    assert [game.path.stem for game in shelf.games()] == ["cut off", "wednesday", "tuesday", "monday"]
    room.open("tuesday.tcgame", turn=shelf.next_turn()).close()
    assert [game.path.stem for game in shelf.games()] == ["tuesday", "cut off", "wednesday", "monday"]
    assert shelf.next_turn() == 6


def test_the_bin_is_counted_and_emptied_for_good(room: Room) -> None:
    shelf = Shelf(room.folder, rules_of)
    assert shelf.bin() == (0, 0)
    shelf.empty_bin()
    room.new().close()
    kept = room.new("kept.tcgame")
    press(kept)
    kept.close()
    shelf.delete(room.folder / "kept.tcgame")
    games, taken = shelf.bin()
    assert games == 1
    assert taken >= 4096
    outside = room.folder / "outside"
    outside.write_text("mine")
    (room.folder / "bin" / "link").symlink_to(outside)
    shelf.empty_bin()
    assert shelf.bin() == (0, 0)
    assert outside.read_text() == "mine"
    assert len(shelf.games()) == 1


def with_photo(room: Room, name: str) -> tuple[Path, Path]:
    """Put a game with a photo away and return both."""
    room.new(name).close()
    path = room.folder / name
    return path, put_picture(path, 1, b"\xff\xd8\xff photo")


def test_photos_come_back_from_the_bin_with_their_game_and_go_with_it_for_good(room: Room) -> None:
    shelf = Shelf(room.folder, rules_of)
    path, photo = with_photo(room, "evening.tcgame")
    empty = shelf.bin().bytes
    kept = shelf.delete(path)
    assert not photo.exists()
    assert shelf.bin().bytes > empty
    assert shelf.restore(kept, path) == path
    assert photo.read_bytes().endswith(b"photo")
    shelf.delete(path)
    shelf.empty_bin()
    assert list((room.folder / "bin").iterdir()) == []


def test_a_refused_delete_leaves_everything_where_it_was(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(room.folder, rules_of)
    path, photo = with_photo(room, "evening.tcgame")
    before = {one for one in room.folder.rglob("*") if one.name != "bin"}
    rename = Path.rename

    def failing(old: Path, new: Path) -> Path:
        if old == path:
            raise OSError(errno.EIO, "the stick fails")
        return rename(old, new)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="the stick fails"):
        shelf.delete(path)
    assert {one for one in room.folder.rglob("*") if one.name != "bin"} == before
    assert photo in before


def test_what_an_older_delete_left_in_the_bin_is_no_part_of_the_next_game(room: Room) -> None:
    shelf = Shelf(room.folder, rules_of)
    path, _photo = with_photo(room, "evening.tcgame")
    left = room.folder / "bin" / "evening.tcgame-witness"
    left.parent.mkdir()
    left.write_bytes(b"of another game")
    witness_path(path).unlink()
    kept = shelf.delete(path)
    assert kept.name == "evening-2.tcgame"
    shelf.restore(kept, path)
    assert not witness_path(path).exists()


def test_a_bin_that_leads_elsewhere_takes_nothing_and_loses_nothing(room: Room, tmp_path: Path) -> None:
    shelf = Shelf(room.folder, rules_of)
    path, photo = with_photo(room, "evening.tcgame")
    outside = tmp_path / "outside"
    (outside / "holiday.photos").mkdir(parents=True)
    (outside / "letter.txt").write_text("mine")
    (room.folder / "bin").symlink_to(outside)
    for act in (lambda: shelf.delete(path), shelf.empty_bin):
        with pytest.raises(NotAFileError):
            act()
    assert path.exists()
    assert photo.exists()
    assert sorted(one.name for one in outside.iterdir()) == ["holiday.photos", "letter.txt"]
