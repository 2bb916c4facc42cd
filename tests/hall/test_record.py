"""The record: it only grows, folds to the same, and whatever happens to its file is told in one line and loses nothing."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from hall_table import played, tournament, with_results

from companion.hall.errors import HallError, RecordError
from companion.hall.happenings import (
    HAPPENINGS,
    Adjudicated,
    Entered,
    Paired,
    Pairing,
    Player,
    PlayerCorrected,
    ResultCorrected,
    ResultTaken,
    Rules,
    RulesSet,
    ScoreTable,
    TournamentBegun,
    Withdrawn,
    decode,
    encode,
)
from companion.hall.outcome import Result
from companion.hall.pairing import next_round
from companion.hall.record import code_of, fold, happen, player_named, read_code
from companion.hall.standings import standings
from companion.hall.store import COPY, FILE, Store, repaired

AT = "2026-11-29T10:00:00+00:00"


def begun(folder: Path, players: int = 6) -> Store:
    store = Store.begin(folder, TournamentBegun("t1", "Cup", Rules(), "s"), AT)
    store.add([Entered(Player(n, f"A{n}")) for n in range(1, players + 1)], AT)
    store.add([next_round(store.tournament)], AT)
    for pairing in store.tournament.rounds[-1].tables:
        store.add([ResultTaken(1, pairing.table, Result(pairing.first))], AT)
    return store


def test_a_record_read_again_is_the_same_tournament(tmp_path: Path) -> None:
    store = begun(tmp_path)
    again = Store(tmp_path)
    assert again.tournament == store.tournament == fold(kept.happening for kept in again.kept)
    assert again.check() == ""


def test_every_happening_survives_its_line() -> None:
    pairing = Pairing(1, 1, 2)
    result = Result(1, "played", (3, 2), (10, 20))
    for happening in (
        TournamentBegun("t", "Cup", Rules(score=ScoreTable(by_difference=((1, 22, 18),))), "s"),
        Paired(1, "swiss", (pairing,)),
        ResultTaken(1, 1, result),
        ResultCorrected(1, 1, result, "misread"),
        Adjudicated(1, 1, result, ("a", "b"), "time"),
        RulesSet(Rules(minutes=90), "late"),
    ):
        assert decode(encode(happening, AT), 1) == (happening, AT)
    assert len({kind.__name__ for kind in HAPPENINGS}) == len(HAPPENINGS)


def test_corrections_stay_visible_and_change_the_standings() -> None:
    now = tournament(2)
    now = with_results(happen(now, next_round(now)), (1, Result(1)))
    corrected = happen(now, ResultCorrected(1, 1, Result(2), "slip was misread"))
    assert [row.player.id for row in standings(now)] == [1, 2]
    assert [row.player.id for row in standings(corrected)] == [2, 1]
    with pytest.raises(HallError, match="has a result; correct it with a reason"):
        happen(now, ResultTaken(1, 1, Result(2)))
    with pytest.raises(HallError, match="a correction needs a reason"):
        happen(now, ResultCorrected(1, 1, Result(2), " "))


@pytest.mark.parametrize(
    ("happening", "told"),
    [
        (Entered(Player(9, "a1 ")), "'a1 ' is in already as player 1"),
        (Entered(Player(9, "")), "a name has 1 to 60 letters"),
        (Entered(Player(1, "New")), "player 1 is in already"),
        (PlayerCorrected(Player(2, "A1")), "is in already as player 1"),
        (Withdrawn(77), "there is no player 77"),
        (ResultTaken(2, 1, Result(1)), "round 2 has not been paired; there are 1"),
        (ResultTaken(1, 9, Result(1)), "round 1 has no table 9"),
        (ResultTaken(1, 1, Result(6)), "does not sit at table 1"),
        (Paired(3, "swiss", (Pairing(1, 1, 2),)), "the next round is 2, not 3"),
        (TournamentBegun("t", "Again", Rules(), "s"), "has begun already"),
        (RulesSet(Rules(tie_breaks=("luck",))), "tie-break 'luck' is unknown"),
        (RulesSet(Rules(sides=("Axis", "Axis"))), "two different sides"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_changes_nothing(
    happening, told: str, tmp_path: Path
) -> None:
    store = Store.begin(tmp_path, TournamentBegun("t1", "Cup", Rules(), "s"), AT)
    store.add([Entered(Player(n, f"A{n}")) for n in range(1, 7)], AT)
    store.add([next_round(store.tournament)], AT)
    before = (tmp_path / FILE).read_bytes(), (tmp_path / COPY).read_bytes()
    if isinstance(happening, ResultTaken) and happening.table == 1 and happening.round == 1:
        seats = {store.tournament.rounds[0].tables[0].first, store.tournament.rounds[0].tables[0].second}
        stranger = next(n for n in range(1, 7) if n not in seats)
        happening = ResultTaken(1, 1, Result(stranger))
    with pytest.raises(HallError, match=told) as raised:
        store.add([happening], AT)
    assert "\n" not in str(raised.value)
    assert ((tmp_path / FILE).read_bytes(), (tmp_path / COPY).read_bytes()) == before


def test_happenings_go_in_all_or_none(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with pytest.raises(HallError):
        store.add([Entered(Player(20, "B")), Entered(Player(20, "C"))], AT)
    assert 20 not in Store(tmp_path).tournament.players


def test_a_code_fits_one_pairing_only() -> None:
    now = tournament(4)
    now = happen(now, next_round(now))
    now = with_results(now, (1, Result(None)), (2, Result(None)))
    now = happen(now, next_round(now))
    codes = {code_of(now, one.number, p): (one.number, p) for one in now.rounds for p in one.tables}
    assert len(codes) == 4
    for code, meant in codes.items():
        assert read_code(now, code.lower()) == meant
    of_round_1 = code_of(now, 1, now.rounds[0].tables[0])
    with pytest.raises(
        HallError, match="is not the code of round 2, table 1: the slip is of another pairing"
    ):
        read_code(now, f"2{of_round_1[1:]}")
    for bad in ("", "1", "1-1", "x-1-AAAA", "9-1-AAAA", "1-9-AAAA"):
        with pytest.raises(HallError):
            read_code(now, bad)


def test_a_name_may_be_begun_but_must_fit_one_player() -> None:
    now = tournament(0)
    for n, name in enumerate(("Anna Berg", "Anna Cole", "Ben"), 1):
        now = happen(now, Entered(Player(n, name)))
    assert player_named(now, "anna b").id == 1
    assert player_named(now, "3").name == "Ben"
    with pytest.raises(HallError, match="may be Anna Berg, Anna Cole"):
        player_named(now, "Anna")
    with pytest.raises(HallError, match="nobody is named 'Zoe'"):
        player_named(now, "Zoe")


def test_two_directors_at_one_record_never_write_over_each_other(tmp_path: Path) -> None:
    begun(tmp_path)
    one, other = Store(tmp_path), Store(tmp_path)
    one.add([Entered(Player(20, "B"))], AT)
    with pytest.raises(HallError, match="somebody else has added entry"):
        other.add([Entered(Player(20, "C"))], AT)
    assert Store(tmp_path).tournament.players[20].name == "B"


@pytest.mark.parametrize("at", range(1, 10))
def test_a_changed_line_is_told_and_repaired_from_the_copy(tmp_path: Path, at: int) -> None:
    whole = begun(tmp_path).tournament
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("DROP TRIGGER entries_never_change")
        connection.execute("UPDATE entries SET line = replace(line, 'A', 'B') || ' ' WHERE seq = ?", (at,))
    with pytest.raises(RecordError, match=f"entry {at} .*companion hall repair|lacks entry {at}"):
        Store(tmp_path)
    count, source = repaired(tmp_path, lambda: AT)
    assert source == COPY
    assert Store(tmp_path).tournament == whole
    assert count == len(Store(tmp_path).kept)
    assert any("damaged" in path.name for path in tmp_path.iterdir())


def test_a_record_cut_anywhere_is_told_and_loses_nothing_that_the_copy_holds(tmp_path: Path) -> None:
    whole = begun(tmp_path / "whole").tournament
    content = (tmp_path / "whole" / FILE).read_bytes()
    copy = (tmp_path / "whole" / COPY).read_bytes()
    for cut in sorted({0, 10, 100, 4096, 5000, len(content) // 2, len(content) - 1}):
        folder = tmp_path / f"cut{cut}"
        folder.mkdir()
        (folder / FILE).write_bytes(content[:cut])
        (folder / COPY).write_bytes(copy)
        with pytest.raises(RecordError) as told:
            Store(folder)
        assert "\n" not in str(told.value)
        repaired(folder, lambda: AT)
        found = Store(folder).tournament
        assert found == whole


def test_a_copy_cut_amid_a_line_is_told_and_the_record_stays_whole(tmp_path: Path) -> None:
    store = begun(tmp_path)
    content = (tmp_path / COPY).read_bytes()
    (tmp_path / COPY).write_bytes(content[:-20])
    again = Store(tmp_path)
    assert again.tournament == store.tournament
    assert "differs from the record" in again.check()
    assert repaired(tmp_path, lambda: AT) == (len(store.kept), FILE)
    assert Store(tmp_path).check() == ""


def test_a_kill_between_copy_and_record_counts_nothing_twice(tmp_path: Path) -> None:
    store = begun(tmp_path)
    for rest in (store.kept[-1].line + b"\n", b'{"v":1,'):
        with (tmp_path / COPY).open("ab") as copy:
            copy.write(rest)
        again = Store(tmp_path)
        again.add([Entered(Player(len(again.tournament.players) + 1, f"B{len(again.kept)}"))], AT)
        assert Store(tmp_path).check() == ""
        assert (tmp_path / COPY).read_bytes() == b"".join(kept.line + b"\n" for kept in again.kept)


def test_a_record_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    store = begun(tmp_path)
    line = store.kept[-1].line.replace(b'"v":1', b'"v":2')
    (tmp_path / COPY).write_bytes(b"".join(kept.line + b"\n" for kept in store.kept[:-1]) + line + b"\n")
    (tmp_path / FILE).unlink()
    with pytest.raises(HallError, match="was written by version 2, this program reads 1: update it"):
        repaired(tmp_path, lambda: AT)
    assert (tmp_path / COPY).exists()


def test_a_folder_without_a_tournament_says_how_to_begin_one(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="holds no tournament"):
        Store(tmp_path)
    begun(tmp_path)
    with pytest.raises(HallError, match="holds a tournament already"):
        Store.begin(tmp_path, TournamentBegun("t2", "Other", Rules(), "s"), AT)


def test_random_tournaments_survive_the_disk(tmp_path: Path) -> None:
    for seed in range(5):
        now = played(seed)
        store = Store.begin(tmp_path / str(seed), TournamentBegun("t", "Cup", now.rules, str(seed)), AT)
        store.add([Entered(player) for player in now.players.values()], AT)
        for one in now.rounds:
            if any(now.players[p].id in store.tournament.withdrawn for t in one.tables for p in (t.first,)):
                break
            store.add([Paired(one.number, one.system, one.tables)], AT)
            store.add([ResultTaken(one.number, t, r) for t, r in one.results.items()], AT)
        assert Store(tmp_path / str(seed)).tournament.rounds == now.rounds[: len(store.tournament.rounds)]
