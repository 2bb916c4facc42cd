"""Journals of every form that was ever written still open and fold to the state that was recorded with them."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from record_corpus import CORPUS, state_of

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.clock import remaining, spent
from companion.session.beats import beat_from
from companion.session.errors import JournalDamagedError
from companion.session.game_session import GameSession, fold
from companion.session.journal import Journal, log_path
from companion.session.timesource import ManualTime

STEMS = sorted(path.stem for path in CORPUS.glob("*.json"))


@pytest.fixture
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of one journal of the corpus; the corpus itself is never opened."""
    for suffix in (".tcgame", ".tcgame-wal"):
        source = CORPUS / f"{request.param}{suffix}"
        if source.exists():
            shutil.copyfile(source, tmp_path / f"old{suffix}")
    return tmp_path / "old.tcgame"


def test_the_corpus_holds_games_put_away_and_cut_off() -> None:
    assert len(STEMS) >= 3
    assert any((CORPUS / f"{stem}.tcgame-wal").exists() for stem in STEMS)
    assert any(not (CORPUS / f"{stem}.tcgame-wal").exists() for stem in STEMS)


@pytest.mark.parametrize(("copied", "stem"), [(stem, stem) for stem in STEMS], indirect=["copied"])
def test_an_old_journal_folds_to_its_recorded_state(copied: Path, stem: str) -> None:
    recorded = json.loads((CORPUS / f"{stem}.json").read_text(encoding="utf-8"))
    catalogue = GameCatalogue()
    with contextlib.closing(Journal.open(copied)) as journal:
        assert journal.recovery is None
        timeline, _ = fold(journal, catalogue.rules_of)
    state, newest = timeline.state, timeline.entries[-1]
    assert len(timeline.entries) == recorded["log"]["entries"]
    assert sum(timeline.counts(entry.seq) for entry in timeline.entries) == recorded["log"]["counting"]
    assert state.step.id == recorded["position"]["step"]
    assert [{"side": fall.side, "stage": fall.stage} for fall in state.clocks.falls] == recorded["flags"]
    clocks = {
        side: {
            "spent_ms": spent(state.clocks, side, newest.at_ms),
            "remaining_ms": remaining(state.clocks, side, newest.at_ms),
        }
        for side in state.clocks.sides
    }
    assert clocks == recorded["clocks"]


@pytest.mark.parametrize("copied", STEMS, indirect=True)
def test_an_old_journal_is_played_on(copied: Path) -> None:
    catalogue, time = GameCatalogue(), ManualTime(5, boot_id="much later")
    session = GameSession.open(copied, catalogue.rules_of, time, app_version="99")
    try:
        before = session.change.seq
        answer = session.ask(Envelope(cm.AddNote("opened again"))).result(60)
        assert answer.rejected is None
        assert answer.seq == before + 1
        assert state_of(session)["log"]["entries"] == before + 1  # type: ignore[index]
    finally:
        session.close()
    assert not log_path(copied).exists()
    with contextlib.closing(Journal.open(copied)) as journal:
        assert journal.recovery is None
        assert len({row.game for row in journal.rows}) == 1
        assert all(row.before for row in journal.rows), "it was written anew, in today's form"


@pytest.mark.parametrize("copied", STEMS, indirect=True)
def test_an_old_journal_that_is_only_read_stays_as_it_is(copied: Path) -> None:
    before = copied.read_bytes()
    has_log = log_path(copied).exists()
    with contextlib.closing(Journal.open(copied)) as journal:
        assert not journal.game
    assert has_log or copied.read_bytes() == before


@pytest.mark.parametrize("copied", STEMS, indirect=True)
def test_an_old_journal_with_a_page_gone_opens_at_its_last_whole_entry(copied: Path, tmp_path: Path) -> None:
    log = log_path(copied).read_bytes() if log_path(copied).exists() else None
    data = copied.read_bytes()
    with contextlib.closing(Journal.open(copied)) as journal:
        whole = [(row.seq, row.command, row.events) for row in journal.rows]
    told = 0
    for at in range(0, len(data), 4096):
        place = tmp_path / f"{at}"
        place.mkdir()
        (place / "old.tcgame").write_bytes(data[:at] + bytes(4096) + data[at + 4096 :])
        if log is not None:
            (place / "old.tcgame-wal").write_bytes(log)
        try:
            journal = Journal.open(place / "old.tcgame")
        except JournalDamagedError:  # its setup stands in one place alone
            continue
        with contextlib.closing(journal):
            found = [(row.seq, row.command, row.events) for row in journal.rows]
            assert found == whole[: len(found)]
            assert journal.recovery is not None or len(found) == len(whole)
            told += journal.recovery is not None
    assert told or log is not None


@pytest.mark.parametrize(
    "change",
    ["at_ms=at_ms+8192", "at_ms=at_ms-1", "wall_ms=wall_ms-65536", "boot_id='boot-3'", "is_closed=3"],
)
@pytest.mark.parametrize("copied", ["2026-11-italy"], indirect=True)
def test_a_heartbeat_without_a_check_sum_that_cannot_be_is_told(copied: Path, change: str) -> None:
    with contextlib.closing(sqlite3.connect(copied)) as connection, connection:
        connection.execute(f"UPDATE heartbeat SET {change}")
    with contextlib.closing(Journal.open(copied)) as journal:
        assert journal.recovery is not None
        assert (journal.recovery.is_beat_lost, journal.recovery.lost) == (True, 0)
        assert journal.heartbeat() is None
        assert journal.last_seq == 307


@pytest.mark.parametrize("copied", ["2026-11-italy", "2026-11-apr43-cut"], indirect=True)
def test_the_first_opening_gives_an_old_heartbeat_its_check_sum(copied: Path) -> None:
    GameSession.open(copied, GameCatalogue().rules_of, ManualTime()).cut_power()
    with contextlib.closing(sqlite3.connect(copied)) as connection:
        (row,) = connection.execute("SELECT * FROM heartbeat").fetchall()
    assert beat_from(list(row[1:])).crc
