"""Torn, truncated, overwritten: a damaged game opens at its last whole entry and nothing is thrown away."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from session_helpers import VERSION, Room, do, press, rules_of, timeline_of

from companion.core import commands as cm
from companion.session.copies import Copy
from companion.session.errors import JournalDamagedError, JournalUnreadableError
from companion.session.game_session import GameSession, fold
from companion.session.journal import Journal, log_path, witness_path
from companion.session.rows import Row
from companion.session.salvage import find_rows, inspect_wal
from companion.session.timesource import ManualTime


class Original:
    """A game file before the damage, with what stands in it."""

    def __init__(self, folder: Path, *, is_cut: bool) -> None:
        room = Room(folder)
        session = room.new(tournament=False)
        for number in range(60):
            room.time.advance(900)
            press(session)
            if number % 9 == 0:
                do(session, cm.AddNote(text=f"note {number} " + "long " * 30))
        self.time = room.time
        if is_cut:
            session.close()
            session = room.open()
            for _ in range(25):
                room.time.advance(900)
                press(session)
            session.cut_power()
        session.close()
        self.path = session.path
        journal = Journal.open(self._copy(folder / "look"))
        self.rows: list[Row] = journal.rows
        journal.close()

    def _copy(self, to: Path) -> Path:
        to.mkdir()
        for path in (self.path, log_path(self.path)):
            if path.exists():
                shutil.copy2(path, to / path.name)
        return to / self.path.name

    def copy(self, to: Path) -> Path:
        """Copy the game and its log into a new folder."""
        return self._copy(to)


@pytest.fixture(scope="module", params=[False, True], ids=["put away", "cut off"])
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """One game that was put away as a single file, one whose newest entries stand in the write-ahead log."""
    return Original(tmp_path_factory.mktemp("original"), is_cut=request.param)


def damage(path: Path, dice: random.Random) -> str:
    """Damage a file or its log; return how."""
    target = log_path(path) if log_path(path).exists() and dice.random() < 0.5 else path
    data = bytearray(target.read_bytes())
    how = dice.choice(("bit", "bytes", "sector", "page", "truncate", "shift"))
    at = dice.randrange(len(data))
    if how == "bit":
        data[at] ^= 1 << dice.randrange(8)
    elif how == "bytes":
        for _ in range(dice.randrange(1, 40)):
            data[dice.randrange(len(data))] = dice.randrange(256)
    elif how == "sector":
        start = at // 512 * 512
        data[start : start + 512] = bytes(512)
    elif how == "page":
        start = at // 4096 * 4096
        data[start : start + 4096] = dice.randbytes(4096)
    elif how == "truncate":
        del data[at:]
    else:
        del data[at : at + dice.randrange(1, 300)]
    target.write_bytes(data)
    return f"{how} at {at} of {target.name}"


def open_damaged(original: Original, folder: Path, dice: random.Random) -> str:
    """Damage a copy, open it, and hold every promise to it. Returns what became of it."""
    path = original.copy(folder)
    how = damage(path, dice)
    before = {p.name: p.read_bytes() for p in (path, log_path(path)) if p.exists()}
    report, readable = inspect_wal(log_path(path)), find_rows((path, log_path(path)))
    try:
        journal = Journal.open(path)
    except (JournalDamagedError, JournalUnreadableError):
        assert 1 not in readable, f"{how}: the first entry could be read"
        after = {p.name: p.read_bytes() for p in (path, log_path(path)) if p.exists()}
        assert after == before, f"{how}: the file was not left as it was"
        return "nothing"
    rows, recovery = journal.rows, journal.recovery
    assert rows == original.rows[: len(rows)], f"{how}: entries changed"
    while len(rows) + 1 in readable and recovery is not None:
        raise AssertionError(f"{how}: entry {len(rows) + 1} was readable and not taken")
    if recovery is not None:
        assert recovery.kept is not None
        kept = {recovery.kept: path, log_path(recovery.kept): log_path(path)}
        for copy, source in kept.items():
            if source.name in before:
                assert copy.read_bytes() == before[source.name], (
                    f"{how}: the damaged file was not kept as it was"
                )
        assert recovery.last_seq == len(rows)
        assert str(recovery.last_seq) in str(recovery.text)
        assert recovery.kept.name in str(recovery.text)
    elif len(rows) < len(original.rows):
        # Only the end of a log can go unnoticed: cut short, it looks like a game that ended there.
        assert "-wal" in how, how
        assert "truncate" in how or report.lost_commits <= 1, how
    timeline, _ = fold(journal, rules_of)
    journal.close()
    time = ManualTime(50, boot_id="boot-9")
    session = GameSession.open(path, rules_of, time, app_version=VERSION)
    assert session.recovery is None, f"{how}: damaged again when opened again"
    assert session.change.state.step == timeline.state.step
    press(session)
    session.close()
    assert len(timeline_of(path).entries) >= len(rows) + 1
    return "whole" if recovery is None else f"{recovery.last_seq == len(original.rows)}"


def many(original: Original, tmp_path: Path, count: int, seed: int) -> dict[str, int]:
    """Damage and open `count` copies."""
    dice = random.Random(seed)
    found: dict[str, int] = {}
    for number in range(count):
        what = open_damaged(original, tmp_path / f"{number}", dice)
        found[what] = found.get(what, 0) + 1
        shutil.rmtree(tmp_path / f"{number}")
    return found


def test_50_damaged_files_open_at_their_last_whole_entry(original: Original, quick_folder: Path) -> None:
    found = many(original, quick_folder, 50, seed=7)
    assert found.get("False", 0) + found.get("True", 0) > 7
    assert found.get("nothing", 0) < 25


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_4000_damaged_files_open_at_their_last_whole_entry(
    original: Original, quick_folder: Path, seed: int
) -> None:
    many(original, quick_folder, 1_000, seed=100 + seed)


def spoil(path: Path, what: bytes) -> None:
    """Change a few bytes wherever a piece of content stands in a game's files."""
    for file in (path, log_path(path)):
        if file.exists():
            data = file.read_bytes()
            file.write_bytes(data.replace(what, what[:4] + bytes(b ^ 1 for b in what[4:8]) + what[8:]))


def test_an_entry_that_is_damaged_is_restored_from_its_copy(original: Original, tmp_path: Path) -> None:
    path = original.copy(tmp_path / "middle")
    spoil(path, str(original.rows[40].events).encode())
    with contextlib.closing(Journal.open(path)) as journal:
        assert journal.rows == original.rows
        recovery = journal.recovery
    assert recovery is not None
    assert (recovery.last_seq, recovery.lost) == (len(original.rows), 0)
    made = datetime.fromtimestamp(original.rows[-1].wall_ms / 1000).strftime("%Y-%m-%d %H:%M:%S")
    assert str(recovery.text) == (
        f"game.tcgame was damaged, but everything up to entry {len(original.rows)} ({made}), the newest known one, "
        "was restored. The original file is kept as game.damaged.tcgame."
    )


def test_damage_to_an_entry_and_its_copy_names_what_was_lost(original: Original, tmp_path: Path) -> None:
    path = original.copy(tmp_path / "middle")
    copies = copies_in(path)
    for copy in copies:
        if copy.first <= 41 <= copy.last:
            spoil(path, copy.packed)
    spoil(path, str(original.rows[40].events).encode())
    with contextlib.closing(Journal.open(path)) as journal:
        recovery = journal.recovery
    assert recovery is not None
    left = recovery.last_seq
    assert left in (39, 40)
    assert recovery.lost == len(original.rows) - left
    made = datetime.fromtimestamp(original.rows[left - 1].wall_ms / 1000).strftime("%Y-%m-%d %H:%M:%S")
    assert str(recovery.text) == (
        f"game.tcgame was damaged: entry {left} ({made}) is the last intact one; at least "
        f"{recovery.lost} after it could not be used. "
        "The time after this entry is not known; the clocks stand as they stood then. "
        "The original file is kept as game.damaged.tcgame."
    )


def copies_in(path: Path) -> list[Copy]:
    """Return the packed copies in a game's files, as SQLite sees them."""
    look = path.with_name("look")
    look.mkdir()
    for file in (path, log_path(path)):
        if file.exists():
            shutil.copy2(file, look / file.name)
    with contextlib.closing(sqlite3.connect(look / path.name)) as connection:
        return [Copy(*row) for row in connection.execute("SELECT * FROM copies")]


def test_entries_on_pages_that_are_gone_are_counted_by_the_heartbeat(
    original: Original, tmp_path: Path
) -> None:
    path = original.copy(tmp_path / "short")
    if log_path(path).exists():  # move the log into the file first, as a game that was put away has it
        Journal.open(path).close()
    witness_path(path).unlink(missing_ok=True)
    copies = [copy for copy in copies_in(path) if copy.last > 60]
    for copy in copies:
        spoil(path, copy.packed)
    for row in original.rows[60:]:
        spoil(path, str(row.events).encode())
    with contextlib.closing(Journal.open(path)) as journal:
        recovery = journal.recovery
    assert recovery is not None
    assert recovery.last_seq <= 60
    assert recovery.lost == len(original.rows) - recovery.last_seq, "the heartbeat knows how many there were"
    assert f"at least {recovery.lost} after it" in str(recovery.text)


def test_a_file_whose_head_is_gone_is_read_page_by_page(original: Original, tmp_path: Path) -> None:
    path = original.copy(tmp_path / "head")
    data = bytearray(path.read_bytes())
    data[:4096] = bytes(4096)
    path.write_bytes(data)
    had_log = log_path(path).exists()
    log_path(path).unlink(missing_ok=True)
    journal = Journal.open(path)
    assert journal.recovery is not None
    assert journal.recovery.lost == 0
    assert ("later ones may be missing" in str(journal.recovery.text)) == had_log
    assert [row.seq for row in journal.rows] == list(range(1, len(journal.rows) + 1))
    assert len(journal.rows) >= 60
    journal.close()


def test_nothing_readable_is_said_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "noise.tcgame"
    path.write_bytes(random.Random(1).randbytes(20_000))
    before = path.read_bytes()
    with pytest.raises(
        JournalUnreadableError, match=r"noise\.tcgame contains no saved game, or none"
    ) as fault:
        Journal.open(path)
    assert "choose a saved game" in str(fault.value.hint)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [".noise.tcgame.lock", "noise.tcgame"]


def test_what_was_a_game_is_told_as_one_by_what_lies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "noise.tcgame"
    path.write_bytes(random.Random(1).randbytes(20_000))
    (tmp_path / "noise.tcgame-witness").write_bytes(b"x")
    with pytest.raises(JournalDamagedError, match=r"nothing in noise\.tcgame can be read anymore") as fault:
        Journal.open(path)
    assert str(fault.value.hint) == "the file is left as it is"


def test_an_empty_file_holds_no_game(tmp_path: Path) -> None:
    path = tmp_path / "empty.tcgame"
    path.touch()
    with pytest.raises(JournalUnreadableError, match=r"empty\.tcgame is empty"):
        Journal.open(path)


@pytest.mark.parametrize("stage", ["partial", "rebuilt", "rebuilt and log"])
def test_a_power_cut_during_the_recovery_loses_nothing(
    original: Original, tmp_path: Path, stage: str
) -> None:
    """The recovery writes a new file, sets the old one aside, and renames; a cut may come between any two steps."""
    path = original.copy(tmp_path / "twice")
    whole = timeline_of(original.copy(tmp_path / "whole"))
    if stage == "partial":
        path.with_name(f".{path.name}.partial").write_bytes(b"half a file")
    else:
        journal = Journal.open(path)
        journal.close()
        path.replace(path.with_name(f".{path.name}.rebuilt"))
        if stage == "rebuilt and log":
            log_path(path).write_bytes(b"an old log that must never meet the new file" * 200)
    assert timeline_of(path).state == whole.state
