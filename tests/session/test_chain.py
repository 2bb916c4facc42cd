"""The chain of entries, the packed copies and the witness, each by itself."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from pathlib import Path

import pytest
from session_helpers import RULES, Room, do, press, rules_of, stored

from companion.core import commands as cm
from companion.core.codec import Codec
from companion.session.chain import Claim, best_course, chained, digest_of, line_of, start_of
from companion.session.copies import Copy, batches, copy_of, rows_in
from companion.session.game_session import fold
from companion.session.journal import Journal, log_path, witness_path
from companion.session.portable import portable_bytes
from companion.session.rows import Row
from companion.session.shelf import Shelf
from companion.session.witness import Witness, read_witness


@pytest.fixture
def path(room: Room) -> Path:
    """A game of some presses and notes, put away."""
    session = room.new()
    for number in range(200):
        room.time.advance(1_000)
        if number % 10 == 3:
            do(session, cm.AddNote('a "note", of some \\ length, «über» ' * (number // 4)))
        press(session)
    session.close()
    return session.path


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a game."""
    with contextlib.closing(Journal.open(path)) as journal:
        return journal.rows


def test_each_row_names_the_game_and_the_digest_of_the_one_before(path: Path) -> None:
    rows = rows_of(path)
    assert len({row.game for row in rows}) == 1
    assert len(rows[0].game) == 16
    digest = hashlib.sha256(rows[0].game).digest()
    for row in rows:
        assert row.before == digest
        digest = hashlib.sha256(digest + line_of(row)).digest()
    with contextlib.closing(Journal.open(path)) as journal:
        assert (journal.game, journal.digest) == (rows[0].game, digest)


def test_the_digest_can_be_told_from_an_export_and_the_games_id(path: Path) -> None:
    with contextlib.closing(Journal.open(path)) as journal:
        game, digest = journal.game, journal.digest
        timeline, codec = fold(journal, rules_of)
    told = hashlib.sha256(game).digest()
    for line in portable_bytes(timeline.entries, codec, "1.2.3").splitlines()[1:]:
        told = hashlib.sha256(told + line).digest()
    assert told == digest


def test_two_games_that_were_played_alike_have_nothing_of_the_chain_in_common(room: Room) -> None:
    tips = []
    for name in ("one.tcgame", "two.tcgame"):
        session = room.new(name)
        press(session)
        session.close()
        tips.append({row.before for row in rows_of(session.path)})
    assert not tips[0] & tips[1]


@pytest.mark.parametrize("field", ["command", "events", "source", "actor", "at_ms", "wall_ms", "app_version"])
def test_a_changed_entry_breaks_the_chain(path: Path, field: str) -> None:
    rows = rows_of(path)
    value = getattr(rows[5], field)
    other = value + 1 if isinstance(value, int) else value.replace(value[-3:-1], "1")
    assert digest_of(rows[5]) == rows[6].before
    assert digest_of(rows[5]._replace(**{field: other})) != rows[6].before


def test_a_course_is_laid_out_of_rows_in_any_order(path: Path) -> None:
    rows = rows_of(path)
    mixed = [*rows, *rows[::3]]
    random.Random(3).shuffle(mixed)
    assert best_course(mixed, [], b"") == rows
    assert best_course([row for row in mixed if row.seq != 50], [], b"") == rows[:49]
    assert best_course(mixed[: len(mixed) // 9], [], b"") in ([], rows[:1], rows[:2], rows[:3])


def test_of_two_courses_the_claimed_one_is_taken_and_then_the_longer(path: Path) -> None:
    rows = rows_of(path)
    fork = list(chained((row._replace(wall_ms=7) for row in rows[60:120]), rows[0].game, rows[60].before))
    claim = Claim(rows[0].game, 120, digest_of(fork[-1]), 1)
    assert best_course([*fork, *rows], [], b"") == rows
    assert best_course([*rows, *fork], [claim], b"") == [*rows[:60], *fork]


def test_of_two_games_the_named_one_is_taken(path: Path) -> None:
    rows = rows_of(path)
    other = list(chained(rows[:40], os.urandom(16)))
    assert other[0].before == start_of(other[0].game)
    assert best_course([*rows, *other], [], b"") == rows
    assert best_course([*rows, *other], [], other[0].game) == other


def test_copies_hold_every_row(path: Path) -> None:
    rows = rows_of(path)
    copies = list(batches(rows))
    assert [copy.first for copy in copies] == [1, *(copy.last + 1 for copy in copies[:-1])]
    assert [row for copy in copies for row in rows_in(copy)] == rows
    assert sum(len(copy.packed) for copy in copies[1:]) < sum(len(str(row)) for row in rows) / 3


def test_a_changed_copy_holds_nothing(path: Path) -> None:
    copy = copy_of(rows_of(path)[3:30])
    assert len(rows_in(copy)) == 27
    for field in Copy._fields:
        value = getattr(copy, field)
        other = value + 1 if isinstance(value, int) else value[:-1] + bytes([value[-1] ^ 1])
        assert rows_in(copy._replace(**{field: other})) == [], field


def test_the_file_holds_a_whole_copy_of_every_entry_at_every_time(room: Room) -> None:
    session = room.new()
    for number in range(700):
        do(session, cm.AddNote(f"note {number}"))
        if number in (3, 66, 400):
            session.close()
            session = room.open()
    seq = session.change.seq
    session.cut_power()
    assert len(rows_of(session.path)) == seq
    with contextlib.closing(Journal.open(session.path)) as journal:
        connection = journal._open_connection()
        found = [Copy(*row) for row in connection.execute("SELECT * FROM copies ORDER BY first")]
        assert journal.recovery is None
    assert [row for copy in found for row in rows_in(copy)] == rows_of(session.path)
    assert len(found) < 40, "small ones are put together"


CLAIM = Claim(b"g" * 16, 7, b"d" * 32, 3)


def test_a_witness_tells_what_it_was_told_last(tmp_path: Path) -> None:
    path = tmp_path / "x.tcgame"
    assert read_witness(path) is None
    for number in range(1, 6):
        witness = Witness(path)
        witness.tell(CLAIM._replace(seq=number), is_synced=number % 2 == 0)
        witness.close()
        witness.close()
        assert read_witness(path) == CLAIM._replace(seq=number)
    data = witness_path(path).read_bytes()
    for place in (0, 512):  # half an overwritten place leaves the other
        witness_path(path).write_bytes(data[: place + 40] + bytes(30) + data[place + 70 :])
        assert read_witness(path) in (CLAIM._replace(seq=4), CLAIM._replace(seq=5))
    witness_path(path).write_bytes(bytes(1024))
    assert read_witness(path) is None


def test_a_place_that_takes_no_witness_takes_the_game(room: Room) -> None:
    witness_path(room.folder / "game.tcgame").mkdir()
    session = room.new()
    assert press(session).rejected is None
    session.close()
    assert len(stored(session.path)) == 2


def test_a_game_in_the_bin_takes_its_witness_along(room: Room, path: Path) -> None:
    binned = Shelf(room.folder, rules_of).delete(path)
    assert witness_path(binned).exists()
    assert not witness_path(path).exists()
    assert not log_path(path).exists()
    again = room.new(path.name)
    again.close()
    assert room.open(path.name).recovery is None, "a new game under the old name"


def test_a_reading_that_writes_nothing_sees_what_the_witness_says(room: Room, path: Path) -> None:
    old = path.read_bytes()
    session = room.open()
    do(session, cm.AddNote("later"))
    session.close()
    path.write_bytes(old)
    loss = Shelf(room.folder, rules_of).read(path).loss
    assert loss is not None
    assert "missing after it: at least 2." in str(loss)


def test_a_row_of_any_content_has_a_line() -> None:
    codec = Codec(RULES)
    assert codec.command_types
    odd = Row(1, b"\x78junk", b"\x78", "s", "a", 1, "b", 2, "v", 1, b"g", b"d", 0)
    assert line_of(odd).startswith(b'{"at_ms":1,')
    assert len(digest_of(odd)) == 32
