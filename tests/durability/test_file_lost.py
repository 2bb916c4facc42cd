"""An open game's file is deleted, moved, replaced, changed, or its medium taken away.

It is noticed with the next act, or the next heartbeat, and told; the whole game is written anew. No act is
acknowledged into nothing: what was acknowledged stands in the file that is told.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from session_helpers import Room, do, press, timeline_of
from small_disk import mount, unmount

from companion.core import commands as cm
from companion.session.game_session import NOT_STORED, GameSession, Told
from companion.session.journal import log_path

FOREIGN = b"another program's file " * 400


def delete(path: Path) -> None:
    """Delete the file and its log."""
    path.unlink()
    log_path(path).unlink()


def delete_file_alone(path: Path) -> None:
    """Delete the file; its log stays."""
    path.unlink()


def delete_log_alone(path: Path) -> None:
    """Delete the log; the file stays."""
    log_path(path).unlink()


def cut_log(path: Path) -> None:
    """Empty the log in place."""
    log_path(path).write_bytes(b"")


def delete_folder(path: Path) -> None:
    """Delete the folder and all in it."""
    shutil.rmtree(path.parent)


def move_folder(path: Path) -> None:
    """Give the folder another name."""
    path.parent.rename(path.parent.with_name("elsewhere"))


def move_file(path: Path) -> None:
    """Give the file another name."""
    path.rename(path.with_name("moved.tcgame"))


def replace_file(path: Path) -> None:
    """Put another file in its place in one step, as a copying program does."""
    other = path.with_name("other")
    other.write_bytes(FOREIGN)
    other.replace(path)


def write_over(path: Path) -> None:
    """Write another content into the file itself."""
    path.write_bytes(FOREIGN)


def cut_short(path: Path) -> None:
    """Cut the file off."""
    os.truncate(path, 4096)


HARMS: list[Callable[[Path], None]] = [
    delete,
    delete_file_alone,
    delete_log_alone,
    cut_log,
    delete_folder,
    move_folder,
    move_file,
    replace_file,
    write_over,
    cut_short,
]


def play(room: Room, refuge: Path | None = None) -> tuple[GameSession, list[Told]]:
    """Play some acts in a folder of their own."""
    session = room.new(tournament=False, refuge=refuge)
    told: list[Told] = []
    session.subscribe_notices(told.append)
    for number in range(12):
        room.time.advance(700)
        assert do(session, cm.AddNote(f"note {number}")).rejected is None
    return session, told


def in_games(tmp_path: Path) -> Room:
    """A room in a folder that may be lost."""
    (tmp_path / "games").mkdir()
    return Room(tmp_path / "games")


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_an_act_after_the_loss_stands_in_a_file_that_is_told(
    harm: Callable[[Path], None], tmp_path: Path
) -> None:
    room = in_games(tmp_path)
    session, told = play(room, tmp_path / "data")
    harm(session.path)
    change = press(session)
    assert change.rejected is None
    assert [one.level for one in told] == ["warning"]
    assert str(told[0].text).endswith("The whole game was saved again")
    assert str(session.path.parent) in str(told[0].hint)
    session.cut_power()
    timeline = timeline_of(session.path)
    assert len(timeline.entries) == change.seq == 14
    assert timeline.state == change.state
    assert room.crashes == []


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_heartbeat_notices_the_loss_without_any_act(harm: Callable[[Path], None], tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, told = play(room, tmp_path / "data")
    harm(session.path)
    room.time.advance(5_000)
    session.sync()
    assert [one.level for one in told] == ["warning"]
    live = session.change.state
    session.close()
    assert timeline_of(session.path).state == live


def test_the_place_that_is_still_there_is_taken_before_the_refuge(tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, _told = play(room, tmp_path / "data")
    first = session.path
    delete(first)
    press(session)
    assert session.path == first
    shutil.rmtree(first.parent)
    press(session)
    assert session.path == tmp_path / "data" / first.name


@pytest.mark.parametrize("harm", [replace_file, write_over], ids=lambda harm: harm.__name__)
def test_what_another_program_put_there_is_never_written_over(
    harm: Callable[[Path], None], tmp_path: Path
) -> None:
    room = in_games(tmp_path)
    session, _told = play(room)
    harm(session.path)
    press(session)
    session.close()
    assert FOREIGN in [path.read_bytes() for path in tmp_path.rglob("*.tcgame")]


def test_a_loss_while_nothing_is_played_is_mended_when_the_game_is_put_away(tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, _told = play(room)
    live = session.change.state
    delete(session.path)
    session.close()
    assert timeline_of(session.path).state == live


def test_without_any_place_acts_are_refused_and_the_table_may_choose_one(tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, told = play(room)
    shutil.rmtree(room.folder)
    before = session.change
    for _ in range(3):
        refused = press(session)
        assert refused.rejected is not None
        assert refused.rejected.code == NOT_STORED
        assert refused.state == before.state
        room.time.advance(5_000)
        session.sync()
    assert [one.level for one in told] == ["error"]
    assert str(told[0].hint) == "choose another place for it, such as a USB stick"
    stick = tmp_path / "stick"
    stick.mkdir()
    session.move_to(stick)
    change = press(session)
    assert change.rejected is None
    assert [one.level for one in told] == ["error", "info"]
    session.cut_power()
    assert session.path.parent == stick
    assert timeline_of(session.path).state == change.state


def test_a_place_that_takes_nothing_is_told_and_the_next_choice_counts(tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, told = play(room)
    shutil.rmtree(room.folder)
    (tmp_path / "file").write_bytes(b"")
    session.move_to(tmp_path / "file")
    session.sync()
    assert [one.level for one in told] == ["error"]
    session.move_to(tmp_path / "stick")
    assert press(session).rejected is None


def test_a_game_that_is_whole_may_be_kept_elsewhere_too(tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, _told = play(room)
    first, at_first = session.path, session.change.state
    session.move_to(tmp_path / "stick")
    change = press(session)
    session.close()
    assert timeline_of(session.path).state == change.state
    assert timeline_of(first).state == at_first


def test_a_stick_that_is_pulled_leaves_the_whole_game_in_the_data_folder(tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    mount(stick, "size=2m")
    try:
        room = Room(stick)
        session, told = play(room, tmp_path / "data")
        unmount(stick)
        change = press(session)
        assert change.rejected is None
        assert [one.level for one in told] == ["warning"]
        assert session.path.parent == tmp_path / "data"
        session.cut_power()
        assert timeline_of(session.path).state == change.state
        assert list(stick.iterdir()) == [], "nothing is written below the place of the stick"
    finally:
        unmount(stick)


def test_reading_the_files_disturbs_nothing(tmp_path: Path) -> None:
    room = in_games(tmp_path)
    session, told = play(room, tmp_path / "data")
    subprocess.run(["cp", "-a", str(room.folder), str(tmp_path / "copy")], check=True)
    for path in (session.path, log_path(session.path)):
        path.read_bytes()
        path.chmod(0o600)
    press(session)
    room.time.advance(5_000)
    session.sync()
    assert told == []
