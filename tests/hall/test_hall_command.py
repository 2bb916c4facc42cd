"""``companion hall``: from nothing to the standings of a round with paper, and what a director types wrongly."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.cli import main
from companion.core import commands as cm
from companion.core.codec import Codec
from companion.hall.adjudicate import SideFigure, propose
from companion.hall.store import Store
from companion.session.portable import PORTABLE_SUFFIX, portable_bytes
from companion.testing.memory_desk import MemoryDesk

PLAYERS = "name,club,rating\nAnna Berg,Lions,50\nBen Cole,Lions,40\nCarl Dorn,Bears,30\nDora Ende,,20\nEmil Frey,Bears,10\n"


def hall(*args: object) -> int:
    return main(["hall", *map(str, args)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament of five players whose first round is paired."""
    cup = tmp_path / "cup"
    (tmp_path / "players.csv").write_text(PLAYERS, encoding="utf-8")
    assert hall("new", cup, "--name", "Autumn Cup", "--rounds", 3, "--seed", "abc", "--minutes", 270) == 0
    assert hall("import", cup, tmp_path / "players.csv") == 0
    assert hall("pair", cup) == 0
    return cup


def test_from_nothing_to_the_standings_of_round_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the README's page for directors says it."""
    capsys.readouterr()
    assert hall("pair", folder, "--dry-run", "--json") == 1, "round 1 has no results yet"
    for pairing in Store(folder).tournament.rounds[0].tables:
        if pairing.second is not None:
            assert (
                hall("result", folder, pairing.table, pairing.first, "--vp", "12:8", "--left", "4:30,0:00")
                == 0
            )
    assert "complete" in capsys.readouterr().out
    assert hall("standings", folder, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["points"] for row in rows] == [1, 1, 1, 0, 0]
    assert rows[0]["tie_breaks"]["buchholz"]["sum"]
    assert hall("pair", folder) == 0
    assert hall("check", folder) == 0


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[str] = []
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.urls += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_paper_is_one_page_with_everything_and_needs_nothing_else(folder: Path) -> None:
    assert hall("add", folder, "<b>Zoe & Co</b>") == 0
    assert hall("paper", folder) == 0
    page = _Page()
    page.feed((folder / "round-1.html").read_text(encoding="utf-8"))
    text = "".join(page.text)
    assert page.tags.count("section") == 5
    assert not page.urls
    assert "script" not in page.tags
    assert "<b>Zoe & Co</b>" in text, "a name is text, whatever it looks like"
    now = Store(folder).tournament
    from companion.hall.record import code_of

    for pairing in now.rounds[0].tables:
        assert (code_of(now, 1, pairing) in text) == (pairing.second is not None)
    for player in now.players.values():
        assert text.count(player.name) >= 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "expected a first line with the column name"),
        ("who\nAnna\n", "expected a first line with the column name"),
        ("name\nZoe\nzoe \n", "line 3: 'zoe' stands on line 2 too"),
        ("name,rating\nZoe,high\n", "line 2, rating: expected a whole number, got 'high'"),
        ("name,club\n,Lions\n", "line 2: expected a name, got nothing"),
        ("name\nZoe\nanna  berg\n", "'anna  berg' is in already as player 1"),
        ("name\n" + "x" * 61 + "\n", "a name has 1 to 60 letters"),
        ("name\n" + "".join(f"P{n}\n" for n in range(2000)), "a tournament has at most 2000 players"),
    ],
)
def test_a_list_of_players_goes_in_whole_or_not_at_all(
    folder: Path, tmp_path: Path, content: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.csv").write_text(content, encoding="utf-8")
    capsys.readouterr()
    assert hall("import", folder, tmp_path / "more.csv") == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert len(Store(folder).tournament.players) == 5


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("result", "1-1-AAAA", "draw"), "is not the code of round 1, table 1"),
        (("result", "2-1-AAAA", "draw"), "round 2 has not been paired"),
        (("result", "7", "draw"), "round 1 has no table 7"),
        (("take", "TC1:" + "A" * 5000), "is no file, and no text of a result"),
        (("add", "Zoe", "--club", "\udcff"), "--club: expected up to 60 letters, got '\\udcff'"),
        (("rules", "--sides", "\udcff,Axis", "--reason", "x"), "expected text, got '\\udcff'"),
        (("rules", "--minutes", "-5"), "--minutes: expected 0 to 1000000, got -5"),
        (("rules", "--points", "inf,0,0,0,0,0"), "--points: expected six numbers"),
        (("rules", "--points", "nan,0,0,0,0,0"), "--points: expected six numbers"),
        (("rules", "--by-difference", f"{10**30}=1:1"), "--by-difference: expected rows like 5=15:5"),
        (("result", "1", "Zoe"), "at table 1 sit"),
        (("result", "1", "draw", "--vp", "12"), "--vp: expected two whole numbers like 12:8, got '12'"),
        (("result", "1", "draw", "--left", "4"), "--left: expected two times like 4:30,0:00"),
        (("result", "1", "draw", "--forfeit"), "a game that is forfeit has a winner"),
        (("correct", "1", "draw", "--reason", "x"), "has no result to correct"),
        (("withdraw", "Zoe"), "nobody is named 'Zoe'"),
        (("cut", "9"), "a cut needs 2 to 5 players, got 9"),
        (("standings", "--round", "9"), "--round: expected 0 to 1, got 9"),
        (("rules", "--tie-breaks", "luck"), "needs --reason"),
        (("rules", "--tie-breaks", "luck", "--reason", "x"), "tie-break 'luck' is unknown"),
        (("rules", "--points", "1,2"), "--points: expected six numbers"),
        (("rules", "--by-difference", "5"), "--by-difference: expected rows like 5=15:5"),
        (("new", "--name", "Again"), "holds a tournament already"),
        (("adjudicate", "1", "--game", "/no/such.tcgame"), "/no/such.tcgame"),
    ],
)
def test_what_is_typed_wrongly_is_told_in_one_line_and_changes_nothing(
    folder: Path, args: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "tournament.jsonl").read_bytes()
    capsys.readouterr()
    assert hall(args[0], folder, *args[1:]) == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.startswith("companion hall: ")
    assert error.count("\n") == 1
    assert (folder / "tournament.jsonl").read_bytes() == before


def test_a_result_is_told_as_it_was_understood(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = Store(folder).tournament
    first, second = (
        now.players[p].name for p in (now.rounds[0].tables[0].first, now.rounds[0].tables[0].second or 0)
    )
    assert hall("result", folder, 1, second.split()[0], "--vp", "3:9") == 0
    assert f"table 1: {first} 3 - {second} 9: {second} wins" in capsys.readouterr().out
    assert hall("correct", folder, 1, first, "--reason", "the slip was read wrongly") == 0
    assert Store(folder).tournament.rounds[0].results[1].winner == now.rounds[0].tables[0].first
    assert hall("rules", folder, "--tie-breaks", "wins,lot", "--reason", "agreed by all") == 0
    assert hall("paper", folder) == 0
    page = (folder / "round-1.html").read_text(encoding="utf-8")
    assert "Round 1, table 1, corrected: the slip was read wrongly" in page
    assert "Rules changed after round 1: agreed by all" in page


def test_the_director_may_exchange_players_before_the_first_result(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Store(folder).tournament.rounds[0].tables[:2]
    assert second.second is not None
    assert hall("swap", folder, first.first, second.second, "--reason", "they drive home together") == 0
    tables = Store(folder).tournament.rounds[0].tables
    assert (tables[0].first, tables[1].second) == (second.second, first.first)
    assert hall("swap", folder, tables[0].first, tables[0].second, "--reason", "sides") == 0
    turned = Store(folder).tournament.rounds[0].tables[0]
    assert (turned.first, turned.second) == (tables[0].second, tables[0].first)
    assert hall("result", folder, 1, "draw") == 0
    capsys.readouterr()
    assert hall("swap", folder, tables[0].first, tables[1].first, "--reason", "late") == 1
    assert "round 1 has results; correct them instead" in capsys.readouterr().err


def test_no_exchange_makes_a_rematch_or_a_forbidden_pair(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = Store(folder).tournament.rounds[0].tables[:2]
    assert hall("forbid", folder, other.first, one.second) == 0
    capsys.readouterr()
    assert hall("swap", folder, one.first, other.first, "--reason", "x") == 1
    assert "must not meet; nothing was changed" in capsys.readouterr().err
    for table in (1, 2):
        assert hall("result", folder, table, "draw") == 0
    assert hall("pair", folder) == 0
    now = Store(folder).tournament
    met = {frozenset((p.first, p.second)) for p in now.rounds[0].tables if p.second is not None}
    before = now.rounds[1].tables
    for a in (p for t in before for p in (t.first, t.second) if p is not None):
        for b in (p for t in before for p in (t.first, t.second) if p is not None):
            if a != b:
                hall("swap", folder, a, b, "--reason", "x")
                after = Store(folder).tournament.rounds[1].tables
                assert not met & {frozenset((p.first, p.second)) for p in after if p.second is not None}


def game_file(tmp_path: Path, game: str, scenario: str, presses: int) -> Path:
    """Write a real game, some steps long, as Export does."""
    catalogue = GameCatalogue()
    rules = catalogue.rules_of(game)
    desk = MemoryDesk(catalogue.make_setup(game, scenario, {}), rules)
    for _ in range(presses):
        assert desk.change is not None
        desk.advance(1_000)
        desk.send(cm.EndAct(desk.change.state.step.id, desk.now_ms(), confirmed=True))
    path = tmp_path / f"{game}{PORTABLE_SUFFIX}"
    path.write_bytes(portable_bytes(desk.entries(), Codec(rules), "test"))
    return path


def test_each_act_says_what_it_did_and_what_looks_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody comes late, somebody goes, a slip is read upside down, and a reason is left blank."""

    def said(*args: object, rc: int = 0) -> str:
        capsys.readouterr()
        assert hall(*args) == rc
        out, err = capsys.readouterr()
        return out + err

    assert "plays from round 2 on; round 1 has no result yet, and companion hall cancel" in said(
        "add", folder, "Zoe"
    )
    assert "a reason is needed" in said("cancel", folder, "--reason", "  ", rc=1)
    assert "round 1 was taken back" in said("cancel", folder, "--reason", "Zoe came late")
    assert "table  Axis - Allies" in said("pair", folder)
    assert "; round 1 still needs a result for this table" in said("withdraw", folder, 2)
    assert "is paired again" in said("return", folder, 2)
    tables = Store(folder).tournament.rounds[0].tables
    first, other = tables[0].first, tables[1].second
    assert "correct it" not in said("result", folder, 1, first, "--vp", "12:8")
    assert "Won without more points" in said("result", folder, 2, other, "--vp", "12:8")
    assert "A draw with different points" in said("result", folder, 3, "draw", "--vp", "12:8")
    again = said("correct", folder, 2, other, "--vp", "8:12", "--reason", "read upside down")
    assert "Won" not in again
    assert "before: table 2" in again
    assert "a reason is needed" in said("correct", folder, 2, other, "--reason", " ", rc=1)
    late = said("add", folder, "Yves")
    assert "plays from round 2 on" in late
    assert "cancel" not in late


def test_time_out_is_judged_by_the_tables_own_figures(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Soft Underbelly at its start: the Axis holds stars, and the game says so itself."""
    path = game_file(tmp_path, "tsu", "campaign", 15)
    capsys.readouterr()
    assert hall("adjudicate", folder, 1, "--game", path) == 0
    out = capsys.readouterr().out
    assert "Figures as of the beginning of stage 2" in out
    assert "the Axis holds a star" in out
    assert "nothing was entered" in out
    assert not Store(folder).tournament.rounds[0].results
    assert hall("adjudicate", folder, 1, "--game", path, "--take") == 0
    now = Store(folder).tournament
    result = now.rounds[0].results[1]
    assert (result.how, result.winner) == ("adjudicated", now.rounds[0].tables[0].first)
    assert hall("log", folder) == 0
    assert "the Axis holds a star" in capsys.readouterr().out, "the sum stands in the record"


def test_a_game_with_missing_values_is_the_directors(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = game_file(tmp_path, "aana", "torch", 2)
    capsys.readouterr()
    assert hall("adjudicate", folder, 1, "--game", path, "--take") == 0
    out = capsys.readouterr().out
    assert "by the director" in out
    assert not Store(folder).tournament.rounds[0].results
    assert hall("adjudicate", folder, 1, "--game", path, "--winner", "draw", "--reason", "even position") == 0
    assert Store(folder).tournament.rounds[0].results[1].winner is None


def test_points_of_italy_are_counted_with_their_difference(tmp_path: Path, folder: Path, capsys) -> None:
    path = game_file(tmp_path, "sfw96", "italy", 3)
    capsys.readouterr()
    assert hall("adjudicate", folder, 1, "--game", path, "--now") == 0
    out = capsys.readouterr().out
    assert "Axis: 31." in out
    assert "Allies: 12; 30 are needed to win." in out
    assert "Axis is ahead by 19." in out


def test_a_proposal_shows_its_sum_and_never_guesses() -> None:
    names = {"axis": "Axis", "allies": "Allies"}
    both = [SideFigure("axis", 12.0), SideFigure("allies", 9.5, ("of 30",))]
    found = propose(both, ("axis", "allies"), names, "now")
    assert (found.winner, found.sum[-1], found.vp) == ("axis", "Axis is ahead by 2.5.", None)
    assert (
        propose([SideFigure("axis", 3), SideFigure("allies", 3)], ("axis", "allies"), names, "now").winner
        is None
    )
    unknown = propose([SideFigure("axis", 3), SideFigure("allies", None)], ("axis", "allies"), names, "now")
    assert (unknown.winner, unknown.is_known) == (None, False)
    assert propose([], ("axis", "allies"), names, "now").is_known is False


def test_without_its_command_nothing_of_the_hall_is_loaded() -> None:
    code = (
        "import sys, companion.cli, companion.adapters.catalogue, companion.session.game_session; "
        "companion.cli.main(['scenarios']); "
        "sys.exit(any(name.startswith(('companion.hall', 'rustworkx')) for name in sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0
    )
