"""The desk of the running program over real files, real games and a hand-moved clock."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.core import commands as cm
from companion.core.change import Change
from companion.core.ids import ARBITER, Side
from companion.core.rules import Code
from companion.core.text import Say, Typed
from companion.pages.desk import Desk, Notice, Watched
from companion.session.timesource import ManualTime

VERSION = "1.2.3"


class Thread:
    """Stands for the interface thread: what is posted runs when the test lets it."""

    def __init__(self) -> None:
        self.posted: deque[Callable[[], None]] = deque()

    def run(self) -> None:
        """Run what was posted."""
        while self.posted:
            self.posted.popleft()()


class Table:
    """A desk with ears."""

    def __init__(self, folder: Path, time: ManualTime | None = None, data: Path | None = None) -> None:
        self.time = time if time is not None else ManualTime(1_000)
        self.thread = Thread()
        self.desk = ShellDesk(
            folder,
            GameCatalogue(data),
            post=self.thread.posted.append,
            app_version=VERSION,
            time=self.time,
            settings_defaults={"volume": 5},
        )
        self.changes: list[Change] = []
        self.notices: list[Notice] = []
        self.desk.subscribe(self.changes.append)
        self.desk.subscribe_notices(self.notices.append)

    def hear(self) -> None:
        """Wait for the writer, then let the interface thread run."""
        if self.desk.path is not None:
            self.desk.session.sync()
        self.thread.run()

    def start(self, pin: str = "", **options: object) -> None:
        """Start an Italy game."""
        self.desk.start(
            self.desk.make_setup("sfw96", "italy", {"tournament": True, **options}), arbiter_pin=pin
        )
        self.hear()

    def press(self) -> Change:
        """End the step."""
        assert self.desk.change is not None
        self.desk.send(cm.EndAct(self.desk.change.state.step.id, self.desk.now_ms(), confirmed=True))
        self.hear()
        return self.changes[-1]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A desk over an empty data folder."""
    table = Table(tmp_path / "data")
    yield table
    table.desk.close()


def test_the_desk_is_a_desk(table: Table) -> None:
    desk: Desk = table.desk
    assert desk.rules is None
    assert desk.change is None
    assert desk.entries() == ()
    assert desk.saved_games() == ()
    assert not desk.counts(1)
    desk.send(cm.Pause(at_ms=1))
    assert "italy" in {info.scenario for info in desk.scenarios()}


def test_a_game_starts_and_changes_arrive_on_the_interface_thread(table: Table) -> None:
    table.start()
    assert [change.seq for change in table.changes] == [1]
    assert table.desk.rules is not None
    step = table.changes[0].state.step.id
    table.desk.send(cm.EndAct(step, table.time.now_ms()))
    table.desk.session.sync()
    assert len(table.changes) == 1, "nothing is heard before the interface thread runs"
    table.thread.run()
    assert [change.seq for change in table.changes] == [1, 2]
    assert table.desk.counts(2)
    assert len(table.desk.entries()) == 2


def test_nothing_is_heard_of_a_game_that_was_put_away(table: Table) -> None:
    table.start()
    table.desk.send(cm.AddNote("late"))
    table.desk.close()
    table.desk.close()
    table.thread.run()
    assert [change.seq for change in table.changes] == [1]
    assert table.desk.change is None


def test_a_saved_game_is_opened_again(table: Table) -> None:
    table.start()
    table.press()
    path = table.desk.path
    assert path is not None
    (saved,) = table.desk.saved_games()
    assert (saved.path, saved.scenario, saved.step, saved.fault) == (path, "italy", "s1.begin", None)
    table.desk.close()
    assert table.desk.left_open() is None
    table.desk.open(path)
    table.hear()
    assert table.changes[-1].state.step.id == "s1.begin"
    assert table.notices == []


def test_after_a_power_cut_the_next_start_finds_the_game_and_stands_on_the_same_step(
    table: Table, tmp_path: Path
) -> None:
    table.start()
    for _ in range(4):
        table.time.advance(5_000)
        step = table.press().state.step.id
    path = table.desk.path
    table.desk.cut_power()
    table.time.reboot("boot-2", 20_000, away_ms=60_000)
    again = Table(tmp_path / "data", table.time)
    assert again.desk.left_open() == path
    assert path is not None
    again.desk.open(path)
    again.hear()
    state = again.changes[-1].state
    assert state.step.id == step
    assert state.clocks.is_paused
    assert state.gap is not None
    assert state.gap.gap_ms is not None
    again.desk.close()
    assert again.desk.left_open() is None


def test_broken_data_files_are_named_once_and_the_others_can_be_played(tmp_path: Path) -> None:
    place = tmp_path / "own" / "sfw96"
    place.mkdir(parents=True)
    (place / "italy.toml").write_text("title = 7")
    table = Table(tmp_path / "data", data=tmp_path / "own")
    scenarios = {info.scenario for info in table.desk.scenarios()}
    assert "italy" not in scenarios
    assert "apr43" in scenarios
    table.thread.run()
    assert table.notices
    assert all(
        "sfw96/italy.toml" in str(notice.text) and "expected" in str(notice.text) for notice in table.notices
    )
    count = len(table.notices)
    table.desk.scenarios()
    table.thread.run()
    assert len(table.notices) == count


def test_what_cannot_be_opened_is_told(table: Table, tmp_path: Path) -> None:
    table.desk.open(tmp_path / "gone.tcgame")
    (tmp_path / "noise.tcgame").write_bytes(os.urandom(5_000))
    table.desk.open(tmp_path / "noise.tcgame")
    table.thread.run()
    assert [notice.level for notice in table.notices] == ["error", "error"]
    assert "The game could not be opened: there is no game file" in str(table.notices[0].text)
    assert "noise.tcgame contains no saved game" in str(table.notices[1].text)
    assert "this one is left as it is" in str(table.notices[1].hint)
    assert table.desk.change is None


def test_a_second_desk_on_the_same_game_is_refused(table: Table, tmp_path: Path) -> None:
    table.start()
    other = Table(tmp_path / "data")
    assert table.desk.path is not None
    other.desk.open(table.desk.path)
    other.thread.run()
    assert "is open in another Table Companion" in str(other.notices[0].text)
    (listed,) = other.desk.saved_games()
    assert "open in another Table Companion" in str(listed.fault)


def damaged_game(table: Table) -> Path:
    """Play a dozen acts, close the game and spoil its newest step on the disk, and every copy; return the file."""
    table.start()
    for _ in range(12):
        table.press()
    path = table.desk.path
    assert path is not None
    table.desk.close()
    data = bytearray(path.read_bytes())
    at = data.rfind(b'"type":"StepEntered"')
    data[at + 8 : at + 10] = b"??"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        copies = [row[0] for row in connection.execute("SELECT packed FROM copies WHERE last > 1")]
    connection.close()
    for copy in copies:
        start = data.find(copy[:200])
        data[start + 20 : start + 30] = bytes(10)
    path.write_bytes(data)
    return path


def test_a_damaged_game_opens_with_a_warning(table: Table) -> None:
    path = damaged_game(table)
    table.desk.open(path)
    table.hear()
    (notice,) = table.notices
    assert notice.level == "warning"
    assert "was damaged" in str(notice.text)
    assert ".damaged.tcgame" in str(notice.text)


def test_export_import_and_delete_say_how_it_went(table: Table, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    table.start()
    table.press()
    path = table.desk.path
    assert path is not None
    table.desk.export(path, stick)  # while it is played
    table.desk.wait_for_copy()
    table.desk.close()
    table.desk.export(path, stick)
    table.desk.wait_for_copy()
    table.desk.delete(path)
    written = sorted(stick.iterdir())
    table.desk.import_game(written[0])
    table.desk.import_game(tmp_path / "none.jsonl")
    table.desk.export(path, stick)
    table.desk.wait_for_copy()
    table.thread.run()
    assert [notice.level for notice in table.notices] == ["info", "info", "info", "info", "error", "error"]
    assert [file.read_bytes() for file in written[:1]] == [file.read_bytes() for file in written[1:]]
    assert "was moved to the bin" in str(table.notices[2].text)
    assert "was imported" in str(table.notices[3].text)
    assert "none.jsonl could not be imported" in str(table.notices[4].text)
    assert "could not be exported: there is no game file" in str(table.notices[5].text)
    (game,) = table.desk.saved_games()
    assert game.step == "s1.begin"


def test_the_open_game_is_put_away_when_it_is_deleted(table: Table) -> None:
    table.start()
    assert table.desk.path is not None
    table.desk.delete(table.desk.path)
    assert table.desk.change is None
    assert table.desk.saved_games() == ()


def test_the_arbiters_pin_is_checked_and_slows_down(table: Table) -> None:
    assert not table.desk.check_arbiter("4711")
    table.start(pin="4711")
    assert table.desk.check_arbiter("4711")
    for _ in range(3):
        assert not table.desk.check_arbiter("0000")
    assert not table.desk.check_arbiter("4711")
    table.thread.run()
    assert str(table.notices[-1].text) == "Too many wrong PINs: try again in 5 s"
    table.time.advance(5_000)
    assert table.desk.check_arbiter("4711")
    stored = "".join(
        path.read_bytes().decode("latin1") for path in table.desk.data_folder.rglob("*") if path.is_file()
    )
    assert "4711" not in stored


def test_corrections_need_the_arbiter(table: Table) -> None:
    table.start()
    correction = cm.CorrectTime(Side("axis"), 60_000, table.time.now_ms(), "dice")
    table.desk.send(correction)
    table.hear()
    assert table.changes[-1].rejected is not None
    assert table.changes[-1].rejected.code == Code.ARBITER_ONLY
    table.press()
    table.desk.send(correction, actor=ARBITER)
    table.hear()
    assert table.changes[-1].rejected is None


def test_settings_are_kept(table: Table, tmp_path: Path) -> None:
    assert table.desk.settings() == {"volume": 5}
    table.desk.change_setting("volume", 2)
    assert Table(tmp_path / "data").desk.settings() == {"volume": 2}


def test_a_damaged_settings_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{")
    table = Table(tmp_path)
    table.thread.run()
    assert str(table.notices[0].text).startswith("settings.json: expected JSON")


def test_printed_values_are_remembered_for_the_next_game(table: Table) -> None:
    """What the table enters from its own box stands in the next setup; what the rules refuse stays out."""
    table.start()
    key, value, bad = "tank.number", 5, 99
    table.desk.send(cm.EnterPrintedValue(key, value))
    table.hear()
    assert table.changes[-1].rejected is None, table.changes[-1].rejected
    assert table.desk.printed.of("sfw96") == {key: value}
    setup = table.desk.make_setup("sfw96", "italy", {})
    assert setup.printed[key] == value
    (table.desk.data_folder / "printed" / "sfw96.json").write_bytes(
        (table.desk.data_folder / "printed" / "sfw96.json")
        .read_bytes()
        .replace(f'"{key}": {value}'.encode(), f'"{key}": {bad}'.encode())
    )
    assert key not in table.desk.make_setup("sfw96", "italy", {}).printed
    table.thread.run()
    assert str(table.notices[-1].text) == (
        "Remembered printed values that do not fit this game were skipped: tank.number"
    )


@pytest.mark.parametrize("content", ["garbage", "[]", ""])
def test_damaged_printed_values_are_set_aside_with_a_notice(table: Table, content: str) -> None:
    folder = table.desk.data_folder / "printed"
    folder.mkdir(parents=True)
    (folder / "sfw96.json").write_text(content)
    table.start()
    (notice,) = table.notices
    assert notice.level == "warning"
    assert str(notice.text).startswith("sfw96.json: expected ")
    assert str(notice.text).endswith(
        "The file is kept as sfw96.damaged.json. Its printed values are ignored."
    )
    assert (folder / "sfw96.damaged.json").read_text() == content
    table.desk.make_setup("sfw96", "italy", {})
    table.thread.run()
    assert len(table.notices) == 1, "told once"


def test_values_entered_while_the_file_is_damaged_say_so_too(table: Table) -> None:
    table.start()
    folder = table.desk.data_folder / "printed"
    folder.mkdir(parents=True)
    (folder / "sfw96.json").write_text("garbage")
    table.desk.send(cm.EnterPrintedValue("tank.number", 5))
    table.hear()
    assert [str(notice.text).partition(":")[0] for notice in table.notices] == ["sfw96.json"]
    assert table.desk.printed.of("sfw96") == {"tank.number": 5}


def test_a_second_companion_leaves_the_note_of_the_first_ones_game_alone(
    table: Table, tmp_path: Path
) -> None:
    table.start()
    path = table.desk.path
    second = Table(tmp_path / "data", table.time)
    second.start()
    assert second.desk.path is not None
    assert second.desk.path != path
    second.desk.close()
    table.desk.cut_power()
    again = Table(tmp_path / "data", table.time)
    assert again.desk.left_open() == path, "the first one ended without putting its game away"


def test_the_copy_of_a_damaged_game_says_what_it_lacks(table: Table, tmp_path: Path) -> None:
    path = damaged_game(table)
    data = path.read_bytes()
    table.desk.export(path, tmp_path)
    table.desk.wait_for_copy()
    table.hear()
    (notice,) = table.notices
    assert notice.level == "warning"
    assert str(notice.text) == f"{path.stem}.jsonl contains only what could be read"
    found = re.search(
        r"entry (\d+) .* is the last intact one; at least (\d+) after it could", str(notice.hint)
    )
    assert found is not None
    assert sum(map(int, found.groups())) == 13
    assert path.read_bytes() == data, "the game itself is left as it is"


def test_devices_hear_of_a_change_without_the_interface_thread(tmp_path: Path) -> None:
    """A lamp must not wait for a frame: it is told in the writer's thread, after the commit, also of a game just opened."""
    table = Table(tmp_path)
    heard: list[Change] = []
    held = table.desk.subscribe_at_once(heard.append)
    table.desk.start(table.desk.make_setup("sfw96", "italy", {}))
    assert [change.seq for change in heard] == [table.desk.session.change.seq]
    step = heard[-1].state.step.id
    table.desk.send(cm.EndAct(step=step, at_ms=table.desk.now_ms(), confirmed=True))
    table.desk.session.sync()
    assert heard[-1].state.step.id != step
    assert table.changes == [], "the interface thread has not run"
    held.cancel()
    told = len(heard)
    table.desk.send(cm.Pause(at_ms=table.desk.now_ms()))
    table.desk.session.sync()
    assert len(heard) == told
    table.desk.close()


def test_saved_games_are_listed_as_they_were_opened_whatever_the_clock_of_day_says(table: Table) -> None:
    paths = []
    for boot in ("boot-2", "boot-3", "boot-4"):
        table.time.reboot(boot, 1_000)
        table.time.jump_wall(-86_400_000)
        table.start()
        paths.append(table.desk.path)
        table.desk.close()
    assert [game.path for game in table.desk.saved_games()] == paths[::-1]
    assert paths[0] is not None
    table.desk.open(paths[0])
    assert [game.path for game in table.desk.saved_games()] == [paths[0], paths[2], paths[1]]
    table.desk.close()
    assert [game.path for game in table.desk.saved_games()] == [paths[0], paths[2], paths[1]]


def _fail_once(table: Table) -> None:
    def fail(_change: Change) -> None:
        raise ZeroDivisionError("".join(("a screen's", " bug")))

    held = table.desk.subscribe(fail)
    table.press()
    held.cancel()


def test_a_crash_file_names_game_entry_and_command_but_nothing_that_was_entered(
    table: Table, tmp_path: Path
) -> None:
    table.start()
    table.press()
    table.desk.send(cm.AddNote(text="meet me at the harbour"))
    table.hear()
    _fail_once(table)
    (path,) = tmp_path.rglob("crash *.txt")
    text = path.read_text()
    assert f"game: sfw96, entry: {len(table.desk.entries())}, last command: EndAct" in text
    assert "harbour" not in text
    assert "where: a screen" in text
    assert table.notices == []


def test_a_crash_report_that_the_disk_does_not_take_is_shown(table: Table, tmp_path: Path) -> None:
    table.start()
    folder = next(tmp_path.rglob("games")).parent / "crashes"
    folder.write_bytes(b"no folder can be made here")
    _fail_once(table)
    table.hear()
    notice = next(notice for notice in table.notices if notice.report)
    assert notice.level == "error"
    assert "could not save its report" in str(notice.text)
    assert "ZeroDivisionError" in notice.report
    assert "a screen's bug" not in notice.report, "what a fault says may quote what was typed"
    assert "game: sfw96, entry: 2, last command: EndAct" in notice.report
    assert table.press().rejected is None


@pytest.mark.parametrize("path", ["x" * 5_000, "\0", "/", "/dev/zero", 7, None])
def test_a_note_of_the_open_game_that_names_no_file_is_passed_over(table: Table, path: object) -> None:
    table.desk.data_folder.mkdir(exist_ok=True)
    (table.desk.data_folder / "open-game.json").write_text(json.dumps({"path": path}))
    assert table.desk.left_open() is None
    table.start()
    assert table.desk.left_open() == table.desk.path


def test_a_game_is_watched_open_or_put_away_and_nothing_is_changed_by_it(table: Table) -> None:
    table.start()
    for _n in range(4):
        table.press()
    path = table.desk.path
    assert path is not None
    open_now = table.desk.watch(path)
    assert isinstance(open_now, Watched)
    assert len(open_now.entries) == len(table.desk.entries())
    table.desk.close()
    before = path.read_bytes()
    shut = table.desk.watch(path)
    assert isinstance(shut, Watched)
    assert [entry.seq for entry in shut.entries] == [entry.seq for entry in open_now.entries]
    assert shut.loss is None
    assert path.read_bytes() == before
    why = table.desk.watch(path.with_name("gone.tcgame"))
    assert isinstance(why, Say)
    assert "there is no game file" in str(why)


def test_a_copy_of_the_open_game_goes_on_from_an_earlier_act(table: Table) -> None:
    table.start()
    for _n in range(5):
        table.press()
    path = table.desk.path
    assert path is not None
    step = table.changes[2].state.step.id
    made = table.desk.branch(path, 3)
    table.hear()
    assert made is not None
    assert made != path
    assert table.notices[-1].hint == Say("{file} stays as it was", file=Typed(path.stem))
    table.desk.open(made)
    table.hear()
    assert table.changes[-1].state.step.id == step
    assert table.changes[-1].state.frozen_setup.what_if == path.stem
    (copy,) = (game for game in table.desk.saved_games() if game.path == made)
    assert copy.what_if == path.stem
    table.desk.open(path)
    table.hear()
    assert table.desk.change is not None
    assert table.desk.change.state.frozen_setup.what_if == ""
    assert sum(type(entry.command).__name__ == "EndAct" for entry in table.desk.entries()) == 5


def test_what_cannot_be_copied_is_told(table: Table) -> None:
    table.start()
    path = table.desk.path
    assert path is not None
    assert table.desk.branch(path, 99) is None
    table.hear()
    assert "has no entry 99" in str(table.notices[-1].text)
