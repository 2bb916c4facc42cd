"""Everything that the program writes, on a full and on a read-only disk: a clear notice, and the game goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from small_disk import fail, fill_up, mount, mount_card, unmount

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.pages.desk import Notice
from companion.session.errors import SessionError
from companion.session.seals import PlainSecret, Vault
from companion.session.timesource import ManualTime

PIN = "4827"


class Table:
    """A desk over a data folder; what is posted runs at once when it is heard."""

    def __init__(self, data: Path, time: ManualTime | None = None) -> None:
        self.time = time if time is not None else ManualTime(1_000)
        self.posted: deque[Callable[[], None]] = deque()
        self.desk = ShellDesk(data, GameCatalogue(), post=self.posted.append, app_version="1", time=self.time)
        self.notices: list[Notice] = []
        self.desk.subscribe_notices(self.notices.append)

    def heard(self) -> list[str]:
        """Return what is told from now on, as level and text, and forget it."""
        if self.desk.path is not None:
            self.desk.session.sync()
        self.desk.wait_for_copy()
        while self.posted:
            self.posted.popleft()()
        told = [f"{notice.level}: {notice.text}" for notice in self.notices]
        self.notices.clear()
        return told

    def start(self) -> None:
        """Start an Italy game."""
        self.desk.start(self.desk.make_setup("sfw96", "italy", {"tournament": True}), arbiter_pin=PIN)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, with a filler that can be deleted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount(place, "size=1500k")
    try:
        (place / "filler").write_bytes(bytes(700_000))
        yield place
    finally:
        unmount(place)


def use_up(table: Table, place: Path) -> None:
    """Leave room for nothing, not even in the game's own log."""
    fill_up(place)
    while True:
        before = table.desk.change
        table.desk.send(cm.AddNote("x"))
        table.desk.session.sync()
        assert before is not None
        assert table.desk.change is not None
        if table.desk.change.seq == before.seq:
            break
    table.heard()


def full(place: Path, _elsewhere: Path) -> Table:
    """A table with an open game on a disk that has just become full."""
    table = Table(place / "data")
    table.start()
    use_up(table, place)
    return table


def read_only(place: Path, tmp_path: Path) -> Table:
    """A table whose data folder has become read-only; the open game lies elsewhere."""
    first = Table(place / "data")
    first.start()
    path = first.desk.path
    assert path is not None
    first.desk.close()
    elsewhere = tmp_path / path.name
    shutil.copy(path, elsewhere)
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    table = Table(place / "data", first.time)
    table.desk.open(elsewhere)
    table.heard()
    return table


@pytest.fixture(params=[full, read_only], ids=["full", "read-only"])
def table(request: pytest.FixtureRequest, disk: Path, tmp_path: Path) -> Iterator[Table]:
    """A table whose disk takes nothing more."""
    found: Table = request.param(disk, tmp_path)
    yield found
    found.desk.close()


def is_told(told: list[str], words: str) -> bool:
    """Whether exactly one thing was told, with these words and why."""
    assert len(told) == 1, told
    assert words in told[0]
    return "the disk is full" in told[0] or "the disk is read-only" in told[0]


def test_a_wrong_pin_counts_and_is_told(table: Table) -> None:
    for number in range(3):
        assert not table.desk.check_arbiter("0000")
        told = table.heard()
        if number == 0:
            assert is_told(told, "Wrong tries cannot be saved")
        elif number == 1:
            assert told == []
    assert told == ["warning: Too many wrong PINs: try again in 5 s"]
    assert not table.desk.check_arbiter(PIN)
    table.time.advance(5_000)
    assert table.desk.check_arbiter(PIN)


def test_sealing_is_refused_in_one_sentence(table: Table) -> None:
    """The box's first note needs a device key that can be kept; later ones need no disk but the game's own."""
    without_key = Vault(table.desk.data_folder / "new", table.time)
    with pytest.raises(SessionError, match=r"the disk is (full|read-only)"):
        without_key.seal(PlainSecret("where"), "a label", side="axis", side_pin=PlainSecret("1234"))
    table.desk.vault.seal("where the fleet is", "a label", side="axis", side_pin="1234")


def test_a_new_arbiters_pin_is_refused_in_one_sentence(table: Table) -> None:
    assert table.desk.new_arbiter_pin("8080") == ""
    assert is_told(table.heard(), "The PIN could not be saved")
    assert table.desk.check_arbiter(PIN), "the one of before still counts"


def test_a_setting_holds_until_the_program_ends(table: Table) -> None:
    table.desk.change_setting("theme", "day")
    assert is_told(table.heard(), "The setting theme holds until the program ends, but could not be saved")
    assert table.desk.settings()["theme"] == "day"


def test_printed_values_are_not_taken_in_silence(table: Table, tmp_path: Path) -> None:
    other = Table(tmp_path / "other")
    other.desk.printed.export("sfw96", tmp_path / "sfw96.json")
    table.desk.import_printed(tmp_path / "sfw96.json")
    assert is_told(table.heard(), "sfw96.json could not be imported")


def test_a_bug_is_shown_where_no_report_can_be_written(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it arises: on a screen, in a thread, in the phones' server; in what shows notices it is not shown for ever."""
    shown = "error: The program met an error and could not save its report"
    failing = True

    def fail(_change: object) -> None:
        if failing:
            raise ZeroDivisionError

    table.desk.subscribe(fail)
    table.desk.send(cm.AddNote("any"))
    assert table.heard().count(shown) == 1
    failing = False
    assert "ZeroDivisionError" in table.desk.crashes.unsaved
    table.desk.crashes.write(ZeroDivisionError(), "phones")
    assert table.heard().count(shown) == 1
    monkeypatch.setattr(threading, "excepthook", lambda _args: None)
    stop = table.desk.crashes.watch()
    thread = threading.Thread(target=fail, args=(None,))
    failing = True
    thread.start()
    thread.join()
    stop()
    assert table.heard().count(shown) == 1
    table.desk.subscribe_notices(fail)
    table.desk.change_setting("theme", "day")
    assert any("theme" in line for line in table.heard())


def test_home_lists_what_there_is_and_a_new_game_is_refused_plainly(table: Table) -> None:
    assert [game.fault for game in table.desk.saved_games()] == [None]
    table.start()
    told = table.heard()
    assert any(line.startswith("error: The game could not be started: ") for line in told)
    assert [game.fault for game in table.desk.saved_games()] == [None]


def test_an_import_is_refused_plainly_and_leaves_nothing(table: Table, tmp_path: Path) -> None:
    other = Table(tmp_path / "other")
    other.start()
    assert other.desk.path is not None
    other.desk.export(other.desk.path, tmp_path / "one.jsonl")
    other.heard()
    other.desk.close()
    before = len(table.desk.saved_games())
    table.desk.import_game(tmp_path / "one.jsonl")
    assert is_told(table.heard(), "one.jsonl could not be imported")
    assert len(table.desk.saved_games()) == before


def test_a_game_is_exported_to_another_place_all_the_same(table: Table, tmp_path: Path) -> None:
    assert table.desk.path is not None
    table.desk.export(table.desk.path, tmp_path / "out.jsonl")
    assert table.heard() == ["info: out.jsonl was written and checked"]


def test_putting_away_and_opening_again_is_no_fault(table: Table) -> None:
    path = table.desk.path
    assert path is not None
    table.desk.close()
    table.heard()
    table.desk.open(path)
    table.heard()
    assert table.desk.change is not None


def test_home_on_a_read_only_disk_lists_a_game_that_was_not_put_away(disk: Path) -> None:
    first = Table(disk / "data")
    first.start()
    path = first.desk.path
    assert path is not None
    first.desk.cut_power()
    os.rename(path, path.with_name(f".{path.name}.rebuilt"))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    table = Table(disk / "data", first.time)
    assert table.desk.saved_games() == ()
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert [game.fault for game in table.desk.saved_games()] == [None]


def test_a_card_that_turns_read_only_under_an_open_game_is_told_and_pause_still_works(tmp_path: Path) -> None:
    place = tmp_path / "card"
    place.mkdir()
    mount_card(tmp_path / "image", place)
    try:
        table = Table(place / "data")
        table.start()
        table.heard()
        before = table.desk.change
        assert before is not None
        fail(place)
        table.desk.send(cm.AddNote("two"))
        told = table.heard()
        change = table.desk.change
        assert change is not None
        assert change.rejected is not None
        assert change.seq == before.seq, "nothing is acknowledged that is not saved"
        assert len(told) == 1
        assert told[0].startswith("error: Nothing can be saved")
        table.time.advance(60_000)
        table.desk.send(cm.Pause(at_ms=table.desk.now_ms()))
        told = table.heard()
        assert len(told) == 1
        assert told[0].startswith("error: The clocks are paused, but this is not saved yet")
        change = table.desk.change
        assert change is not None
        assert change.state.clocks.is_paused
        table.desk.close()
    finally:
        unmount(place)
