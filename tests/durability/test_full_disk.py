"""A full disk and places that cannot be written: clear texts, nothing corrupted, play goes on when space returns."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from session_helpers import Room, do, press, stored, timeline_of
from small_disk import fill_up, mount

from companion.core import commands as cm
from companion.core.text import Say
from companion.session.errors import CopyError, JournalDamagedError, NotStoredError
from companion.session.files import copy_verified
from companion.session.game_session import NOT_STORED, GameSession, Told
from companion.session.journal import Journal
from companion.session.settings import Settings

NOBODY = 65_534


def test_play_goes_on_when_a_full_disk_has_space_again(small_disk: Path) -> None:
    room = Room(small_disk)
    session = room.new(tournament=False)
    told: list[Told] = []
    session.subscribe_notices(told.append)
    press(session)
    fill_up(small_disk)
    acknowledged, refused = session.change.seq, 0
    for number in range(150):
        room.time.advance(700)
        change = do(session, cm.AddNote(text=f"note {number} " + "x" * 900))
        if change.rejected is None:
            acknowledged = change.seq
        else:
            assert change.rejected.code == NOT_STORED
            assert "the disk is full" in str(change.rejected.detail)
            refused += 1
    assert refused > 50
    levels = [t.level for t in told]
    assert levels == (["error", "info"] * len(levels))[: len(levels)], "one notice whenever it changes"
    assert str(told[0].text) == "Nothing can be saved: game.tcgame cannot be written: the disk is full"
    (small_disk / "filler").unlink()
    room.time.advance(700)
    change = press(session)
    assert change.rejected is None
    assert change.seq == acknowledged + 1
    assert told[-1] == Told("info", Say("Saving works again"))
    live = change.state
    session.cut_power()
    assert timeline_of(session.path).state == live


def test_a_full_disk_while_putting_away_loses_nothing(small_disk: Path) -> None:
    room = Room(small_disk)
    session = room.new(tournament=False)
    for _ in range(20):
        press(session)
    fill_up(small_disk)
    live = session.change.state
    session.close()
    (small_disk / "filler").unlink()
    assert timeline_of(session.path).state == live


def test_a_full_disk_takes_no_new_game_and_leaves_no_half_one(small_disk: Path) -> None:
    fill_up(small_disk)
    with pytest.raises(NotStoredError, match="the disk is full") as fault:
        Room(small_disk).new()
    assert str(fault.value.hint) == "empty the bin (Settings, Box) or delete files, then try again"
    assert [p.name for p in small_disk.iterdir() if p.name.endswith(".tcgame")] == []


def test_a_damaged_game_is_not_touched_when_there_is_no_room_to_keep_it(small_disk: Path) -> None:
    room = Room(small_disk)
    session = room.new()
    for _ in range(50):
        do(session, cm.AddNote(text="some text " * 40))
    session.close()
    data = bytearray(session.path.read_bytes())
    at = data.index(b"some text")
    data[at : at + 512] = bytes(512)
    session.path.write_bytes(data)
    fill_up(small_disk)
    with pytest.raises(NotStoredError, match=r"game\.tcgame cannot be opened safely: the disk is full"):
        Journal.open(session.path)
    assert session.path.read_bytes() == bytes(data)
    (small_disk / "filler").unlink()
    journal = Journal.open(session.path)
    assert journal.recovery is not None
    journal.close()


def test_a_full_stick_says_so_and_keeps_no_half_file(small_disk: Path, tmp_path: Path) -> None:
    source = tmp_path / "game.jsonl"
    source.write_bytes(bytes(1_000_000))
    with pytest.raises(CopyError, match=r"could not be copied to .*: the disk is full") as fault:
        copy_verified(source, small_disk / "game.jsonl")
    assert str(fault.value.hint) == "empty the bin (Settings, Box) or delete files, then try again"
    assert sorted(p.name for p in small_disk.iterdir()) == ["filler"]


def test_settings_keep_their_old_values_on_a_full_disk(small_disk: Path) -> None:
    settings = Settings(small_disk / "settings.json")
    settings.change("volume", 3)
    fill_up(small_disk)
    with pytest.raises(OSError, match="No space left"):
        settings.change("name", "x" * 10_000)
    assert Settings(small_disk / "settings.json").all() == {"volume": 3}


def test_a_read_only_place_is_refused_in_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "locked"
    place.mkdir()
    mount(place, "size=2m")
    try:
        room = Room(place)
        session = room.new()
        session.close()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with pytest.raises(NotStoredError, match="the disk is read-only") as fault:
            room.open()
        assert str(fault.value.hint) == "remove the write protection, or check the card for errors"
        with pytest.raises(NotStoredError, match=r"other\.tcgame cannot be used: the disk is read-only"):
            room.new("other.tcgame")
        subprocess.run(["mount", "-o", "remount,rw", str(place)], check=True)
        assert press_after_resume(room) == 3 + 1
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def press_after_resume(room: Room) -> int:
    """Open the game again, play on, and return how many entries it then has."""
    session = room.open()
    do(session, cm.Resume(at_ms=room.time.now_ms()))
    press(session)
    session.close()
    return len(stored(session.path))


AS_NOBODY = """
import json, os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from companion.session.errors import SessionError
from session_helpers import Room
os.setgid({nobody}); os.setuid({nobody})
room = Room(Path(sys.argv[1]))
texts = []
for name, work in (("game.tcgame", room.open), ("new.tcgame", room.new)):
    try:
        work(name)
        texts.append("taken")
    except SessionError as fault:
        texts.append(str(fault))
print(json.dumps(texts))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_users_folder_is_refused_in_one_sentence() -> None:
    folder = Path("/tmp") / f"another-user-{os.getpid()}"
    folder.mkdir()
    try:
        room = Room(folder)
        room.new().close()
        before = (folder / "game.tcgame").read_bytes()
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                AS_NOBODY.format(nobody=NOBODY),
                str(folder),
                str(Path(__file__).parent.parent / "session"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        hint = "choose another folder or change its permissions"
        assert json.loads(done.stdout) == [
            f"game.tcgame cannot be used: this user may not write there; {hint}",
            f"new.tcgame cannot be used: this user may not write there; {hint}",
        ]
        assert (folder / "game.tcgame").read_bytes() == before
        assert len(stored(folder / "game.tcgame")) == 1
    finally:
        shutil.rmtree(folder)


def test_a_damaged_error_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "x.tcgame").write_bytes(b"no game at all")
    (tmp_path / "x.tcgame-witness").write_bytes(b"x")
    with pytest.raises(JournalDamagedError, match=r"nothing in x\.tcgame can be read anymore"):
        Journal.open(tmp_path / "x.tcgame")


def use_up(session: GameSession) -> None:
    """Play until the disk takes not even the smallest entry."""
    for text in ("x" * 900, "x", "x", "x"):
        while do(session, cm.AddNote(text)).rejected is None:
            pass


def test_pause_stops_the_clock_on_a_full_disk_and_is_saved_when_there_is_room(small_disk: Path) -> None:
    room = Room(small_disk)
    session = room.new()
    told: list[Told] = []
    session.subscribe_notices(told.append)
    fill_up(small_disk)
    use_up(session)
    change = do(session, cm.Pause(at_ms=room.time.now_ms()))
    assert change.rejected is None
    assert change.state.clocks.is_paused
    assert str(told[-1].text).startswith("The clocks are paused, but this is not saved yet: ")
    refused = press(session)
    assert refused.rejected is not None
    room.time.advance(600_000)
    session.sync()
    state = session.change.state
    assert state.clocks == change.state.clocks, "no time runs while the clocks are paused"
    (small_disk / "filler").unlink()
    room.time.advance(5_000)
    session.sync()
    assert told[-1] == Told("info", Say("Saving works again"))
    session.cut_power()
    assert timeline_of(session.path).state == state


def test_an_act_after_an_unsaved_pause_is_saved_together_with_it(small_disk: Path) -> None:
    room = Room(small_disk)
    session = room.new()
    fill_up(small_disk)
    use_up(session)
    paused = do(session, cm.Pause(at_ms=room.time.now_ms()))
    (small_disk / "filler").unlink()
    resumed = do(session, cm.Resume(at_ms=room.time.now_ms()))
    assert resumed.rejected is None
    assert resumed.seq == paused.seq + 1
    session.cut_power()
    assert timeline_of(session.path).state == resumed.state


def test_a_game_opens_on_a_full_disk_and_says_so(small_disk: Path) -> None:
    room = Room(small_disk)
    session = room.new()
    press(session)
    session.close()
    before = timeline_of(session.path)
    fill_up(small_disk)
    again = room.open()
    assert again.trouble is not None
    assert "the disk is full" in str(again.trouble.text)
    assert again.change.state.step == before.state.step
    refused = press(again)
    assert refused.rejected is not None
    (small_disk / "filler").unlink()
    room.time.advance(5_000)
    again.sync()
    assert again.trouble is None
    live = again.change.state
    again.close()
    assert timeline_of(again.path).state == live
