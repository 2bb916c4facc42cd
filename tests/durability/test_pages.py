"""No single page or bit of a game's file costs an entry, and what a log or a whole file has lost is told."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from session_helpers import Room, do, press

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.session.beats import Heartbeat
from companion.session.errors import SessionError
from companion.session.game_session import GameSession
from companion.session.journal import Journal, Recovery, log_path, witness_path
from companion.session.rows import Row
from companion.session.timesource import ManualTime

PAGE = 4096
FRAME = 24 + PAGE
NAME = "game.tcgame"
IS_LONG = "COMPANION_LONG" in os.environ
Files = dict[str, bytes]


class Opened(NamedTuple):
    """What opening some files gave."""

    rows: list[Row]
    beat: Heartbeat | None
    recovery: Recovery | None


class Played(NamedTuple):
    """A game, the files of its earlier states, and another game."""

    files: Files
    whole: Opened
    earlier: list[Files]
    other: Files


def files_in(folder: Path) -> Files:
    """Return the files of the game: itself, its log, its witness."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name.startswith(NAME)}


def opened(folder: Path, files: Files) -> Opened:
    """Open files in an empty folder; hold the opening to what is true of every one."""
    for path in folder.iterdir():
        path.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    journal = Journal.open(folder / NAME)
    found = Opened(journal.rows, journal.heartbeat(), journal.recovery)
    journal.close()
    if found.recovery is not None:
        kept = found.recovery.kept
        assert kept is not None
        assert kept.read_bytes() == files[NAME], "the file is kept as it was"
        with contextlib.closing(Journal.open(folder / NAME)) as again:
            assert again.recovery is None, "a recovered file is sound"
            assert again.rows == found.rows
    return found


def play(folder: Path, name: str, sittings: int, *, is_cut: bool) -> list[Files]:
    """Play some sittings; return the files after each."""
    room = Room(folder)
    session = room.new(tournament=False, mode="count_up")
    states = []
    for sitting in range(sittings):
        if sitting:
            session = room.open()
            do(session, cm.Resume(room.time.now_ms()))
        for number in range(30):
            room.time.advance(1_300)
            press(session)
            if number % 7 == 3:
                do(
                    session,
                    cm.AddNote(f"{name} {sitting} {number} " + "a longer note " * (40 * (number % 4))),
                )
        if is_cut and sitting == sittings - 1:
            session.sync(beat=True)
            for _number in range(20):
                press(session)
            session.cut_power()
        else:
            session.close()
        states.append(files_in(folder))
    return states


@pytest.fixture(scope="module", params=[False, True], ids=["put away", "cut off"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A game of four sittings, put away at the last or cut off in it, and another game like it."""
    is_cut = request.param
    *earlier, files = play(tmp_path_factory.mktemp("one"), "one", 4, is_cut=is_cut)
    other = play(tmp_path_factory.mktemp("other"), "other", 4, is_cut=is_cut)[-1]
    whole = opened(tmp_path_factory.mktemp("look"), files)
    assert whole.recovery is None
    return Played(files, whole, earlier, other)


@pytest.fixture
def alone(played: Played) -> Played:
    """The same without its witness, as a copied file is; only of a game that was put away."""
    if log_name() in played.files:
        pytest.skip("a game that was cut off is three files")
    return played._replace(files={NAME: played.files[NAME]})


def log_name() -> str:
    """The name of the game's log."""
    return log_path(Path(NAME)).name


def witness_name() -> str:
    """The name of the game's witness."""
    return witness_path(Path(NAME)).name


def put_page(data: bytes, page: int, content: bytes) -> bytes:
    """Put other content in place of a page."""
    return data[: page * PAGE] + content + data[(page + 1) * PAGE :]


def broken(played: Played, how: str) -> Iterator[tuple[str, bytes]]:
    """Yield the file with one page of it broken, for every page."""
    data = played.files[NAME]
    pages = len(data) // PAGE
    others = {"older": [state[NAME] for state in played.earlier], "foreign": [played.other[NAME]]}
    for page in range(pages):
        if how == "lost":
            yield f"page {page}", put_page(data, page, b"")
        elif how == "zeroed":
            yield f"page {page}", put_page(data, page, bytes(PAGE))
        elif how == "another":
            for further in (1, 2, 5):
                other_page = (page + further) % pages * PAGE
                yield (
                    f"page {page} as {further} further",
                    put_page(data, page, data[other_page : other_page + PAGE]),
                )
        for number, other in enumerate(others.get(how, [])):
            content = other[page * PAGE : (page + 1) * PAGE]
            if content and content != data[page * PAGE : (page + 1) * PAGE]:
                yield f"page {page} as in {number}", put_page(data, page, content)


def hold(played: Played, found: Opened, where: str) -> None:
    """Every entry is there, and clocks are as they were or it was told."""
    assert found.rows == played.whole.rows, f"{where}: {found.recovery and str(found.recovery.text)}"
    assert found.recovery is not None or found.beat == played.whole.beat, f"{where}: a wrong clock"
    if found.recovery is not None:
        assert found.recovery.is_beat_lost == (found.beat is None), where
        assert found.beat in (None, played.whole.beat), where
        assert "the clocks stand" not in str(found.recovery.text) or found.beat is None


@pytest.mark.parametrize("how", ["lost", "zeroed", "another", "older", "foreign"])
def test_no_single_page_costs_an_entry(played: Played, quick_folder: Path, how: str) -> None:
    told = 0
    for where, data in broken(played, how):
        found = opened(quick_folder, {**played.files, NAME: data})
        hold(played, found, where)
        told += found.recovery is not None
    assert told > 5


@pytest.mark.parametrize("how", ["lost", "zeroed", "older", "foreign"])
def test_no_single_page_costs_an_entry_of_a_file_that_is_alone(
    alone: Played, quick_folder: Path, how: str
) -> None:
    for where, data in broken(alone, how):
        hold(alone, opened(quick_folder, {NAME: data}), where)


@pytest.mark.parametrize("is_cut", [False, True], ids=["put away", "cut off"])
def test_no_single_page_costs_a_real_games_setup(tmp_path: Path, quick_folder: Path, is_cut: bool) -> None:
    """A real setup is several pages long; without it nothing of the evening can be read."""
    time = ManualTime(1_000)
    setup = GameCatalogue().make_setup("sfw96", "italy", {"tournament": True})
    session = GameSession.create(tmp_path / NAME, setup, GameCatalogue().rules_of, time)
    for _ in range(12):
        time.advance(1_000)
        press(session, confirmed=True)
    if is_cut:
        session.sync(beat=True)
        session.cut_power()
    else:
        session.close()
    files = files_in(tmp_path) if is_cut else {NAME: (tmp_path / NAME).read_bytes()}
    played = Played(files, opened(quick_folder, files), [], files)
    assert len(files[NAME]) > 9 * PAGE
    for how in ("lost", "zeroed"):
        for where, data in broken(played, how):
            hold(played, opened(quick_folder, {**files, NAME: data}), f"{how} {where}")


def page_of_the_heartbeat(played: Played) -> int:
    """Return where the heartbeat's page lies, from 0."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection, connection:
        connection.deserialize(played.files[NAME][:18] + b"\1\1" + played.files[NAME][20:])
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name='heartbeat'").fetchone()
    connection.close()
    return int(root) - 1


def bits(played: Played, every: int) -> Iterator[tuple[str, bytes]]:
    """Flip every so-manieth bit of the pages of the head and of the heartbeat, more of those that lead to others."""
    data = played.files[NAME]
    for page in (0, page_of_the_heartbeat(played)):
        for at in range(page * PAGE, (page + 1) * PAGE):
            for bit in range(8):
                is_structure = at % PAGE < (100 if page == 0 else 12)
                if (8 * at + bit) % (min(every, 5) if is_structure else every):
                    continue
                changed = bytearray(data)
                changed[at] ^= 1 << bit
                yield f"byte {at} bit {bit}", bytes(changed)


def test_no_bit_of_head_and_heartbeat_costs_an_entry_or_moves_a_clock(
    alone: Played, quick_folder: Path
) -> None:
    for where, data in bits(alone, 397):
        hold(alone, opened(quick_folder, {NAME: data}), where)


@pytest.mark.long
def test_no_bit_at_all_of_head_and_heartbeat_costs_an_entry_or_moves_a_clock(
    alone: Played, quick_folder: Path
) -> None:
    for where, data in bits(alone, 1):
        hold(alone, opened(quick_folder, {NAME: data}), where)


def test_no_bit_of_any_page_costs_an_entry(alone: Played, quick_folder: Path) -> None:
    dice, data = random.Random(4), alone.files[NAME]
    for _ in range(2_000 if IS_LONG else 40):
        at, bit = dice.randrange(len(data)), dice.randrange(8)
        changed = bytearray(data)
        changed[at] ^= 1 << bit
        hold(alone, opened(quick_folder, {NAME: bytes(changed)}), f"byte {at} bit {bit}")


def is_all_told(played: Played, found: Opened, where: str) -> None:
    """What is missing is told: that it is, from when, and how many entries at least."""
    whole = played.whole.rows
    assert found.rows == whole[: len(found.rows)], where
    if len(found.rows) == len(whole) and found.recovery is None:
        assert found.beat == played.whole.beat, where
        return
    assert found.recovery is not None, f"{where}: {len(whole) - len(found.rows)} entries gone without a word"
    assert found.recovery.last_seq + found.recovery.lost == len(whole), where
    assert found.recovery.last_wall_ms == found.rows[-1].wall_ms, where


@pytest.fixture
def cut(played: Played) -> Played:
    """A game that was cut off: three files."""
    if log_name() not in played.files:
        pytest.skip("a game that was put away has no log")
    return played


def test_a_log_that_is_cut_at_any_frame_is_told(cut: Played, quick_folder: Path) -> None:
    log = cut.files[log_name()]
    cuts = [*range(32, len(log), FRAME), *range(2_000, len(log), 9 * FRAME)]
    assert len(cuts) > 40
    for at in cuts:
        is_all_told(cut, opened(quick_folder, {**cut.files, log_name(): log[:at]}), f"cut at {at}")


def test_a_cut_or_missing_log_costs_nothing_that_a_heartbeat_had_seen(
    cut: Played, quick_folder: Path
) -> None:
    """Without the witness too, as on another box: when a heartbeat is written, all that it has seen stands in the file."""
    log, whole = cut.files[log_name()], cut.whole
    assert whole.beat is not None
    assert len(whole.rows) > whole.beat.seq + 10
    for at in range(0, len(log), FRAME // 2):
        found = opened(quick_folder, {NAME: cut.files[NAME], log_name(): log[:at]})
        assert found.rows == whole.rows[: len(found.rows)], f"cut at {at}"
        assert len(found.rows) >= whole.beat.seq, f"cut at {at}"
    assert opened(quick_folder, {NAME: cut.files[NAME]}).rows == whole.rows[: whole.beat.seq]


def test_a_frame_of_the_log_that_is_gone_is_told(cut: Played, quick_folder: Path) -> None:
    log = cut.files[log_name()]
    for at in range(32, len(log), FRAME):
        changed = log[:at] + bytes(FRAME) + log[at + FRAME :]
        is_all_told(cut, opened(quick_folder, {**cut.files, log_name(): changed}), f"frame at {at}")


def test_a_log_that_is_gone_is_told(cut: Played, quick_folder: Path) -> None:
    files = {name: data for name, data in cut.files.items() if name != log_name()}
    found = opened(quick_folder, files)
    is_all_told(cut, found, "no log")
    assert found.recovery is not None
    assert f"missing after it: at least {found.recovery.lost}." in str(found.recovery.text)


def test_a_file_copied_without_its_log_is_told(cut: Played, quick_folder: Path) -> None:
    found = opened(quick_folder, {NAME: cut.files[NAME]})
    assert found.recovery is not None
    assert "was not put away, and its log is missing" in str(found.recovery.text)
    assert "later ones may be missing" in str(found.recovery.text)


def test_another_games_log_beside_a_file_costs_nothing(played: Played, quick_folder: Path) -> None:
    if log_name() in played.files:
        pytest.skip("the log of such a game is its own")
    for number in range(4):  # how two games' pages lie in each other's places is chance
        room = Room(quick_folder)
        session = room.new(f"{number}.tcgame", tournament=False, mode="count_up")
        for _ in range(9):
            press(session)
        session.cut_power()
        log = log_path(session.path).read_bytes()
        for files in (played.files, {NAME: played.files[NAME]}):
            found = opened(quick_folder, {**files, log_name(): log})
            assert found.rows == played.whole.rows
            assert found.recovery is not None


def test_the_log_of_an_older_copy_costs_nothing(tmp_path: Path, quick_folder: Path) -> None:
    room = Room(tmp_path)
    session = room.new(tournament=False, mode="count_up")
    for _ in range(9):
        press(session)
    session.cut_power()
    old = files_in(tmp_path)
    session = room.open()
    do(session, cm.Resume(room.time.now_ms()))
    for _ in range(40):
        press(session)
    session.close()
    new = files_in(tmp_path)
    whole = opened(quick_folder, new)
    for files in (new, {NAME: new[NAME]}):
        found = opened(quick_folder, {**files, log_name(): old[log_name()]})
        assert found.rows == whole.rows
        assert found.recovery is not None


def test_an_older_copy_of_the_whole_file_is_told(played: Played, quick_folder: Path) -> None:
    whole = played.whole.rows
    for state in played.earlier:
        found = opened(quick_folder, {NAME: state[NAME], witness_name(): played.files[witness_name()]})
        assert found.recovery is not None
        assert found.rows == whole[: len(found.rows)]
        assert found.recovery.last_seq + found.recovery.lost == len(whole)
        assert "is older than what was last stored here" in str(found.recovery.text)


def test_another_game_under_the_same_name_is_told(played: Played, quick_folder: Path) -> None:
    files = {**played.other, witness_name(): played.files[witness_name()]}
    found = opened(quick_folder, files)
    assert found.recovery is not None
    assert found.rows == opened(quick_folder, played.other).rows
    assert f"which had reached entry {len(played.whole.rows)};" in str(found.recovery.text)


def test_an_older_copy_that_was_played_on_elsewhere_is_told(tmp_path: Path, quick_folder: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    rooms = [Room(here), Room(there)]
    session = rooms[0].new(tournament=False, mode="count_up")
    press(session)
    session.close()
    shutil.copytree(here, there)
    for room, presses in zip(rooms, (3, 9), strict=True):
        session = room.open()
        do(session, cm.Resume(room.time.now_ms()))
        for _ in range(presses):
            room.time.advance(100 * presses)
            press(session)
        session.close()
    found = opened(quick_folder, {**files_in(there), witness_name(): files_in(here)[witness_name()]})
    assert found.recovery is not None
    assert "does not hold the entries that were last stored under this name" in str(found.recovery.text)
    assert len(found.rows) > 9


def test_a_log_that_another_program_has_folded_in_is_no_loss(cut: Played, quick_folder: Path) -> None:
    for name, data in cut.files.items():
        (quick_folder / name).write_bytes(data)
    with contextlib.closing(sqlite3.connect(quick_folder / NAME)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    files = files_in(quick_folder)
    assert not files.get(log_name())
    assert opened(quick_folder, files) == cut.whole


def test_both_copies_of_the_setup_share_no_page(alone: Played, quick_folder: Path) -> None:
    """Half of the file, cut where the second copy of the setup begins, holds the game's beginning either way."""
    path = quick_folder / NAME
    path.write_bytes(alone.files[NAME])
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            "SELECT name, pageno FROM dbstat WHERE name IN ('entries', 'copies')"
        ).fetchall()
    pages = {name: {page for other, page in found if other == name} for name in ("entries", "copies")}
    assert pages["entries"]
    assert pages["copies"]
    assert not pages["entries"] & pages["copies"]


def test_pages_that_changed_places_are_told_in_words(alone: Played, quick_folder: Path) -> None:
    data = alone.files[NAME]
    places = range(0, len(data), PAGE)
    for further in (1, 2, 3, 5) if IS_LONG else (1, 5):
        for one, other in zip(places, places[further:], strict=False):
            swapped = bytearray(data)
            swapped[one : one + PAGE], swapped[other : other + PAGE] = (
                data[other : other + PAGE],
                data[one : one + PAGE],
            )
            with contextlib.suppress(SessionError):
                assert opened(quick_folder, {NAME: bytes(swapped)}).recovery is not None
