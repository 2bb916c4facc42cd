"""The game file: its columns, append-only, one transaction a command, sizes, older and newer forms."""

from __future__ import annotations

import contextlib
import errno
import gc
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from session_helpers import GAME, RULES, VERSION, Room, do, press, put_rows, rules_of, stored, timeline_of

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.codec import SCHEMA, Codec
from companion.session import journal as journal_module
from companion.session import rows
from companion.session.chain import digest_if_whole, digest_of, line_of
from companion.session.errors import (
    JournalLockedError,
    JournalLostError,
    JournalMissingError,
    JournalUnreadableError,
    NotStoredError,
)
from companion.session.game_session import GameSession, fold
from companion.session.journal import Journal, is_open_elsewhere, log_path, witness_path
from companion.session.limits import unpack
from companion.session.memory import uncollected
from companion.session.outcome import size_of
from companion.session.rows import Row, entry_of, game_of, linked, mended, row_of, size_of_rows, unpacked
from companion.session.salvage import find_rows, inspect_wal
from companion.session.shelf import Shelf
from companion.session.timesource import ManualTime

ITALY_RULES = GameCatalogue().rules_of


@pytest.fixture
def path(room: Room) -> Path:
    """A game of some presses and notes, put away."""
    session = room.new()
    for _ in range(30):
        room.time.advance(1_000)
        press(session)
    do(session, cm.AddNote(text="Rome fell — Ade's note: “über”"))
    session.close()
    return session.path


def test_the_columns_are_those_of_the_house(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(entries)")]
        row = connection.execute("SELECT * FROM entries WHERE seq = 2").fetchone()
    assert columns == [
        "seq",
        "command",
        "events",
        "source",
        "actor",
        "at_ms",
        "boot_id",
        "wall_ms",
        "app_version",
        "schema",
        "game",
        "before",
        "crc",
    ]
    assert row[1] == '{"type":"EndAct","step":"s1.t1.allies.move","at_ms":2000}'
    assert row[3:10] == ("touch", "table", 2_000, "boot-1", 1_700_000_001_000, VERSION, SCHEMA)


@pytest.mark.parametrize("sql", ["UPDATE entries SET actor = 'x' WHERE seq = 2", "DELETE FROM entries"])
def test_the_log_only_grows(path: Path, sql: str) -> None:
    with (
        contextlib.closing(sqlite3.connect(path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="the log only grows"),
    ):
        connection.execute(sql)


def test_the_write_ahead_log_is_synced_at_every_commit(room: Room) -> None:
    connection = room.new()._journal._connection
    assert connection is not None
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)


def test_the_setup_is_packed_and_reads_back(path: Path) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        first = journal.rows[0]
    assert isinstance(first.command, bytes)
    assert len(first.command) < len(zlib.decompress(first.command)) / 5
    assert game_of(first) == GAME
    assert linked(row_of(entry_of(first, Codec(RULES)), Codec(RULES)), first.game, first.before) == first


def test_a_game_put_away_is_one_file(path: Path) -> None:
    assert not log_path(path).exists()
    assert sorted(p.name for p in path.parent.iterdir()) == [
        ".game.tcgame.lock",
        "game.tcgame",
        "game.tcgame-witness",
    ]
    witness_path(path).unlink()
    with contextlib.closing(Journal.open(path)) as journal:
        assert journal.recovery is None, "the file alone is complete"
        assert len(journal.rows) == 32


def test_the_log_does_not_grow_without_end(room: Room) -> None:
    session = room.new()
    for _ in range(900):
        do(session, cm.AddNote(text="x"))
    assert log_path(session.path).stat().st_size < 4_000_000
    session.close()
    assert session.path.stat().st_size < 600_000


def test_opening_what_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(
        JournalMissingError, match=r"there is no game file .*gone\.tcgame; it may have been moved"
    ):
        Journal.open(tmp_path / "gone.tcgame")


def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.tcgame"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE recipes (name)")
        connection.commit()
    before = other.read_bytes()
    with pytest.raises(
        JournalUnreadableError, match=r"other\.tcgame is not a Table Companion game file"
    ) as fault:
        Journal.open(other)
    assert str(fault.value.hint) == "another program wrote it; open a saved game instead"
    assert other.read_bytes() == before


def test_a_name_that_is_taken_is_not_overwritten(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="exists already"):
        Journal.create(path, stored(path), Codec(RULES))
    assert path.read_bytes()[:100] == before[:100]
    assert len(stored(path)) == 32


def test_the_lock_is_told_and_let_go(path: Path) -> None:
    assert not is_open_elsewhere(path)
    journal = Journal.open(path)
    assert is_open_elsewhere(path)
    with pytest.raises(JournalLockedError, match="open in another Table Companion"):
        Journal.open(path)
    journal.close()
    journal.close()
    assert not is_open_elsewhere(path)
    with pytest.raises(ValueError, match="is closed"):
        journal.heartbeat()


def _rewritten(path: Path, change: dict[int, Row]) -> None:
    """Put whole rows of another form in place, as another version would have written them."""
    with contextlib.closing(Journal.open(path)) as journal:
        rows = [change.get(row.seq, row) for row in journal.rows]
    put_rows(path, rows)


def test_a_newer_form_is_refused_and_nothing_is_lost(path: Path) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        row = journal.rows[9]
    _rewritten(path, {10: row._replace(schema=SCHEMA + 1)})
    before = path.read_bytes()
    with (
        contextlib.closing(Journal.open(path)) as journal,
        pytest.raises(
            JournalUnreadableError, match="entry 10 is intact, but this version cannot read it"
        ) as fault,
    ):
        fold(journal, rules_of)
    assert str(fault.value.hint) == "update Table Companion"
    assert path.read_bytes() == before


def test_an_unknown_event_is_not_taken_for_damage(path: Path) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        row = journal.rows[9]
    _rewritten(path, {10: row._replace(events='[{"type":"Teleported"}]')})
    with (
        contextlib.closing(Journal.open(path)) as journal,
        pytest.raises(JournalUnreadableError, match="Teleported") as fault,
    ):
        fold(journal, rules_of)
    assert journal.recovery is None
    assert "1.2.3" in str(fault.value.hint)


def test_an_older_form_is_lifted_step_by_step(path: Path) -> None:
    """Form -1 called the step `where`; form 0 called it `square`; form 1 is today's."""
    lifts = {
        ("EndAct", -1): lambda item: {
            **{k: v for k, v in item.items() if k != "where"},
            "square": item["where"],
        },
        ("EndAct", 0): lambda item: {
            **{k: v for k, v in item.items() if k != "square"},
            "step": item["square"],
        },
    }
    codec = Codec(RULES, lifts)
    with contextlib.closing(Journal.open(path)) as journal:
        row = journal.rows[1]
    for schema, name in ((-1, "where"), (0, "square")):
        old = row._replace(
            command=f'{{"type":"EndAct","{name}":"s1.t1.allies.move","at_ms":2000}}', schema=schema
        )
        assert entry_of(old, codec) == entry_of(row, codec)


def test_find_rows_reads_what_sqlite_reads(path: Path, room: Room) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        rows = journal.rows
    assert list(find_rows((path, log_path(path))).values()) == rows
    session = room.open()
    press_after_pause = do(session, cm.Resume(at_ms=room.time.now_ms()))
    session.cut_power()
    found = find_rows((path, log_path(path)))
    assert max(found) == press_after_pause.seq
    report = inspect_wal(log_path(path))
    assert report.kept_commits >= 2
    assert not report.is_suspect


def test_a_cut_log_is_suspect_when_more_than_one_transaction_is_behind_the_break(room: Room) -> None:
    session = room.new()
    for _ in range(6):
        press(session)
    session.cut_power()
    log = log_path(session.path)
    whole = log.read_bytes()
    frame = 24 + 4096
    broken = bytearray(whole)
    broken[32 + 3 * frame + 40] ^= 1
    log.write_bytes(broken)
    assert inspect_wal(log).lost_commits >= 2
    assert inspect_wal(log).is_suspect
    broken = bytearray(whole)
    broken[-1] ^= 1
    log.write_bytes(broken)
    assert inspect_wal(log).lost_commits == 1
    assert not inspect_wal(log).is_suspect


def test_entries_behind_a_break_in_the_log_are_found_in_its_pages(room: Room) -> None:
    """SQLite stops at the first bad frame without a word; later frames hold the same page with more entries."""
    session = room.new()
    for _ in range(12):
        press(session)
    live = session.change.state
    session.cut_power()
    log = log_path(session.path)
    data = bytearray(log.read_bytes())
    data[32 + 4 * (24 + 4096) + 200] ^= 0xFF
    log.write_bytes(data)
    silent = session.path.parent / "silent"
    silent.mkdir()
    for file in (session.path, log):
        shutil.copy2(file, silent / file.name)
    with contextlib.closing(sqlite3.connect(silent / session.path.name)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    assert count < 13
    journal = Journal.open(session.path)
    assert journal.recovery is not None
    assert (journal.recovery.last_seq, journal.recovery.lost) == (13, 0)
    journal.close()
    assert timeline_of(session.path).state == live


def test_a_row_whose_value_changed_is_not_whole(path: Path) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        row = journal.rows[5]
    assert row.is_whole()
    assert digest_if_whole(row) == digest_of(row)
    changed = [row._replace(actor=None), row._replace(at_ms=float(row.at_ms))]  # type: ignore[arg-type]
    for field in Row._fields:
        value = getattr(row, field)
        other = value + {str: "x", bytes: b"x", int: 1}[type(value)]
        changed.append(row._replace(**{field: other}))
        kind: Any = other.encode() if isinstance(other, str) else "5"
        changed.append(row._replace(**{field: kind}))
    for one in changed:
        assert not one.is_whole(), one
        assert digest_if_whole(one) is None, one


@pytest.mark.parametrize("text", ["", "touch", 'a "quote" \\ \n\x01', "über €", "x" * 79])
def test_labels_are_chained_as_json_whatever_stands_in_them(path: Path, text: str) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        row = journal.rows[5]._replace(
            source=text, actor=text[::-1], boot_id=f"b{text}", app_version=f"{text}v"
        )
    for _ in range(2):  # the second time they are remembered
        found = msgspec.json.decode(line_of(row))
        assert (found["source"], found["actor"], found["boot_id"]) == (text, text[::-1], f"b{text}")
        assert found["app_version"] == f"{text}v"
        linked_ = linked(row, row.game, row.before)
        assert digest_if_whole(linked_) == digest_of(linked_)


def test_an_entry_whose_label_no_import_would_take_is_not_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        row = journal.rows[5]
    for name in ("source", "actor", "boot_id", "app_version"):
        with monkeypatch.context() as patch:
            patch.setattr(rows, "MOST_LABEL", 100)  # as another program would write it
            long = linked(row._replace(**{name: "é" * 81}), row.game, row.before)  # type: ignore[arg-type]
            assert long.is_whole()
            longest = linked(row._replace(**{name: "é" * 80}), row.game, row.before)  # type: ignore[arg-type]
        monkeypatch.setattr(rows, "_KEPT", {})
        assert longest.is_whole()
        assert not long.is_whole()
        assert digest_if_whole(long) is None


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"x"], ids=("cut", "longer"))
def test_a_packed_value_stands_alone_and_whole(change: Callable[[bytes], bytes]) -> None:
    packed = zlib.compress(b'{"type":"Note"}' * 200)
    assert unpack(packed)
    with pytest.raises(zlib.error):
        unpack(change(packed))


def test_a_file_that_was_let_go_is_not_tidied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "_MOST_LOOSE", 1)
    journal = Journal.open(path)
    entries = [entry_of(row, Codec(RULES)) for row in journal.rows]
    for seq in (len(entries) + 1, len(entries) + 2):
        journal.append([msgspec.structs.replace(entries[-1], seq=seq)], Codec(RULES))
    assert journal.is_untidy
    path.unlink()
    journal.abandon()
    assert not journal.is_untidy
    journal.tidy()


def test_tidying_hides_nothing_that_another_program_did(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "_MOST_LOOSE", 1)
    journal = Journal.open(path)
    newest = entry_of(journal.rows[-1], Codec(RULES))
    journal.append([msgspec.structs.replace(newest, seq=newest.seq + 1)], Codec(RULES))
    with path.open("ab") as file:
        file.write(b"x")
    journal.tidy()
    with pytest.raises(JournalLostError, match="changed by another program"):
        journal.check()
    journal.abandon()


def test_the_size_of_stored_rows_is_that_of_the_entries(path: Path, italy: Path) -> None:
    for file, rules in ((path, rules_of), (italy, ITALY_RULES)):
        with contextlib.closing(Journal.open(file)) as journal:
            size = size_of_rows(journal.rows)
            timeline, codec = fold(journal, rules)
        assert size == size_of(timeline.entries, codec)


def test_the_collector_is_as_it_was_after_an_opening(path: Path) -> None:
    assert gc.isenabled()
    with uncollected(), uncollected():
        assert not gc.isenabled()
        with contextlib.closing(Journal.open(path)):
            assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(JournalMissingError):
        Journal.open(path.with_name("other.tcgame"))
    assert gc.isenabled()


def test_events_are_stored_as_they_were_decided(path: Path) -> None:
    entry = stored(path)[1]
    assert entry.events == (
        ev.ActEnded(step="s1.t1.allies.move", at_ms=2_000),
        ev.StepEntered(step="s1.t1.allies.declare"),
    )
    with contextlib.closing(Journal.open(path)) as journal:
        text = journal.rows[1].events
    assert isinstance(text, str)
    assert msgspec.json.decode(text)[1] == {"type": "StepEntered", "step": "s1.t1.allies.declare"}


@pytest.fixture
def italy(tmp_path: Path) -> Path:
    """A real game, which like all real ones begins at its set-up, ten acts on and put away."""
    time = ManualTime(1_000)
    setup = GameCatalogue().make_setup("sfw96", "italy", {"tournament": True})
    session = GameSession.create(tmp_path / "italy.tcgame", setup, ITALY_RULES, time, app_version=VERSION)
    for _ in range(10):
        time.advance(1_000)
        press(session, confirmed=True)
    session.close()
    return session.path


def setup_blobs(path: Path) -> tuple[bytes, bytes]:
    """Return both copies of the setup as the first row stores them."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        command, events = connection.execute("SELECT command, events FROM entries WHERE seq = 1").fetchone()
    return command, events


def flip(path: Path, blob: bytes, at: int, copy: int) -> None:
    """Flip one bit of the file in a snippet of the setup, in the first or second half of its row.

    The snippet is the next one that no border of two pages cuts: then both halves hold it whole.
    """
    data = bytearray(path.read_bytes())
    cuts = (blob[start : start + 12] for start in range(at, at + 64))
    snippet = next(cut for cut in cuts if data.count(cut) in (2, 3))  # the row's own copy may show it too
    at = data.index(snippet)
    if copy:
        at = data.index(snippet, at + 1)
    data[at + len(snippet) // 2] ^= 0x10
    path.write_bytes(data)


@pytest.mark.parametrize("half", [0, 1], ids=["command", "events"])
def test_a_flipped_bit_in_one_copy_of_the_setup_loses_no_entry(italy: Path, half: int) -> None:
    blob = setup_blobs(italy)[half]
    middle = len(blob) // 2
    flip(italy, blob, middle, half)
    no_entry_is_lost(italy)


def test_flipped_bits_in_both_copies_of_the_setup_lose_no_entry(italy: Path) -> None:
    for half, blob in enumerate(setup_blobs(italy)):
        for part in (3, 5, 8):
            at = len(blob) // part + 40 * half
            flip(italy, blob, at, half)
    no_entry_is_lost(italy)


def no_entry_is_lost(italy: Path) -> None:
    """Open the damaged game and hold it to its promise."""
    journal = Journal.open(italy)
    try:
        timeline, _codec = fold(journal, ITALY_RULES)
        assert [entry.seq for entry in timeline.entries] == list(range(1, 12))
        assert timeline.state.step.id == "s1.t2.allies.resolve"
        assert journal.recovery is not None
        assert journal.recovery.kept is not None
        assert journal.recovery.kept.is_file()
    finally:
        journal.close()


def test_a_first_row_is_mended_only_when_its_check_sum_proves_it(italy: Path) -> None:
    with contextlib.closing(sqlite3.connect(italy)) as connection:
        row = Row(*connection.execute("SELECT * FROM entries WHERE seq = 1").fetchone())
        other = Row(*connection.execute("SELECT * FROM entries WHERE seq = 2").fetchone())
    assert mended(row._replace(command=b"\x00")) == row
    assert mended(row._replace(events=b"\x00")) == row
    assert mended(row._replace(command=b"\x00", events=b"\x00")) is None
    assert mended(row._replace(events=b"\x00", at_ms=row.at_ms + 1)) is None
    assert mended(other._replace(events="[]")) is None


def test_a_setup_damaged_in_both_copies_is_put_together(italy: Path) -> None:
    with contextlib.closing(Journal.open(italy)) as journal:
        row = journal.rows[0]
    assert isinstance(row.command, bytes)
    assert isinstance(row.events, bytes)
    command, events = bytearray(row.command), bytearray(row.events)
    for at in (0, 15, 200, 5_000, len(command) - 1):
        command[at] ^= 0xFF
    for at in (300, 4_900, 9_000):
        events[at] ^= 0x55
    events[6_000:6_512] = bytes(512)
    damaged = row._replace(command=bytes(command), events=bytes(events))
    assert mended(damaged) == row
    command[6_100] ^= 1  # the same place in both copies: nothing can tell what stood there
    assert mended(damaged._replace(command=bytes(command))) is None


def test_a_setup_as_older_versions_packed_it_is_still_mended(italy: Path) -> None:
    with contextlib.closing(Journal.open(italy)) as journal:
        row = journal.rows[0]
    packed = row._replace(
        command=zlib.compress(bytes(unpacked(row.command)), 6),  # type: ignore[arg-type]
        events=zlib.compress(bytes(unpacked(row.events)), 6),  # type: ignore[arg-type]
    )
    old = packed._replace(crc=rows._crc(packed))
    assert old.is_whole()
    assert mended(old._replace(command=b"\x00")) == old
    assert mended(old._replace(events=b"\x00")) == old


@pytest.mark.parametrize("place", [".new.tcgame.rebuilt", "new.tcgame"])
def test_a_new_game_that_the_disk_refuses_at_its_last_step_is_not_listed_later(
    place: str, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if Path(target).name == place:
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(self, target)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", refuse)
        with pytest.raises(NotStoredError, match="the disk is full"):
            room.new("new.tcgame")
    assert Shelf(room.folder, rules_of).games() == ()
    assert [path.name for path in room.folder.iterdir() if not path.name.endswith(".lock")] == []
