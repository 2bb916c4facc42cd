"""``companion replay``, ``export`` and ``import``, and the recorded demo."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.cli import main
from companion.core import events as ev
from companion.places import DEMO, default_data_folder
from companion.session.game_session import fold
from companion.session.journal import Journal
from companion.session.portable import read_portable
from companion.session.replay import FileHost, Played, Player
from companion.session.shelf import Shelf
from companion.session.timesource import ManualTime

MINUTE_MS = 60_000


def play_demo(folder: Path) -> tuple[FileHost, list[Played]]:
    """Play the demo through the writer into a game file."""
    time, catalogue = ManualTime(), GameCatalogue()
    host = FileHost(folder, catalogue.rules_of, time, "1.2.3")
    player = Player(read_portable(DEMO), host, time, catalogue.rules_of, catalogue.make_setup)
    return host, list(player.play())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileHost, list[Played]]:
    """The demo, played once."""
    host, played = play_demo(tmp_path_factory.mktemp("demo"))
    host.close()
    return host, played


def test_the_demo_is_a_whole_italy_tournament_game(demo: tuple[FileHost, list[Played]]) -> None:
    """Issue 2: four stages, bank, a flag fall, a correction, an undo, a power cut and resume, the right state."""
    host, played = demo
    state = host.session().change.state
    assert [item for item in played if item.change.rejected is not None] == []
    assert state.ending is not None
    assert state.step.id == "s4.v.check"
    assert state.frozen_setup.clock.tournament
    assert state.itinerary.stages() == (1, 2, 3, 4)
    ended = {item.line.args["step"] for item in played if item.line.command == "EndAct"}
    assert {f"s{stage}.v.check" for stage in (1, 2, 3, 4)} <= ended
    events = [event for entry in host.session().entries() for event in entry.events]
    falls = [event for event in events if isinstance(event, ev.FlagFell)]
    assert [(fall.side, fall.stage) for fall in falls] == [("axis", 2)]
    corrections = [event for event in events if isinstance(event, ev.TimeCorrected)]
    assert [(item.side, item.delta_ms, item.reason) for item in corrections] == [
        ("allies", 45_000, "a die under the table")
    ]
    assert len([event for event in events if isinstance(event, ev.Undone)]) == 1
    resumed = [event for event in events if isinstance(event, ev.GameResumed)]
    assert [(event.cause, event.gap_ms) for event in resumed] == [("power", 95_000)]
    assert {entry.source for entry in host.session().entries()} >= {"touch", "gpio", "app"}


def test_unused_time_is_banked_and_the_fallen_side_skips_the_rest_of_its_stage(
    demo: tuple[FileHost, list[Played]],
) -> None:
    host, played = demo
    clocks = host.session().change.state.clocks
    first, second, _third, _fourth = clocks.spent_ms["axis"]
    assert first < 22 * MINUTE_MS < second, "the unused rest of stage 1 was used in stage 2"
    assert first + second == 44 * MINUTE_MS, "to the millisecond"
    ended = [item.line.args["step"] for item in played if item.line.command == "EndAct"]
    assert not [step for step in ended if step.startswith("s2.t5.axis")]
    assert [step for step in ended if step.startswith("s2.t5.allies")]
    assert [step for step in ended if step.startswith("s3.t1.axis")]


def test_the_demos_time_is_conserved(demo: tuple[FileHost, list[Played]]) -> None:
    """All running time goes to one side or the other; the power cut and pauses to nobody."""
    host, _played = demo
    running, measured, runs = None, 0, 0
    for entry in host.session().entries():
        for event in entry.events:
            if isinstance(event, ev.ClockStarted):
                running, runs = event.at_ms, runs + 1
            elif isinstance(event, ev.ClockStopped):
                assert running is not None
                assert event.charged_ms == event.at_ms - running
                measured, running = measured + event.charged_ms, None
            elif isinstance(event, ev.TimeKept):  # an undo keeps what was used up to its press
                kept = sum(sum(spent) for spent in event.clocks.spent_ms.values())
                assert kept == measured + (0 if running is None else event.clocks.last_ms - running)
                measured, running = kept, None
    clocks = host.session().change.state.clocks
    assert sum(sum(clocks.spent_ms[side]) for side in clocks.sides) == measured
    assert runs > 40


def test_the_demo_plays_the_same_twice(demo: tuple[FileHost, list[Played]], tmp_path: Path) -> None:
    host, _played = demo
    again, _ = play_demo(tmp_path)
    again.close()
    assert again.session().change.state == host.session().change.state
    journal = Journal.open(again.session().path)
    with contextlib.closing(journal):
        assert fold(journal, GameCatalogue().rules_of)[0].state == host.session().change.state


def test_replay_prints_the_final_state_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(DEMO), "--json"]) == 0
    final = json.loads(capsys.readouterr().out)
    assert final["scenario"] == "italy"
    assert final["position"]["step"] == "s4.v.check"
    assert final["flags"] == [{"side": "axis", "stage": 2}]
    assert final["refused"] == []
    assert final["log"]["commands"]["Undo"] == 1
    assert final["ending"] is not None


def test_replay_without_a_file_plays_the_demo_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Italy (sfw96/italy)\nstep s4.v.check (157 of 157)\n")
    assert "flag of axis fell in stage 2" in text
    assert "0 inputs refused" in text


def test_export_and_import_on_the_command_line(
    demo: tuple[FileHost, list[Played]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host, _played = demo
    file = tmp_path / "evening.jsonl"
    home = tmp_path / "home"
    assert main(["export", str(host.session().path), str(file)]) == 0
    assert capsys.readouterr().out.strip() == str(file)
    assert main(["import", str(file), "--home", str(home)]) == 0
    taken = Path(capsys.readouterr().out.strip())
    assert taken.parent == home / "games"
    again = tmp_path / "again.jsonl"
    assert main(["export", taken.name, str(again), "--home", str(home)]) == 0
    first, second = read_portable(file), read_portable(again)
    assert [line for _n, line in first.lines] == [line for _n, line in second.lines]
    capsys.readouterr()
    assert main(["replay", str(again), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["refused"] == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "expected a readable file, got no such file or folder"),
        ('{"at_ms": 1, "command": "Pause"}', "line 1, key command: expected 'StartGame', got 'Pause'"),
        ("", "expected at least one line, got none"),
        (
            '{"at_ms": 1, "command": "StartGame", "args": {"game": "sfw96", "scenario": "narvik"}}',
            "line 1, key args: expected a scenario that can be started, got options: scenario: expected one of",
        ),
    ],
)
def test_bad_files_end_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, text: str
) -> None:
    file = tmp_path / "bad.jsonl"
    if content is not None:
        file.write_text(content)
    assert main(["replay", str(file)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"companion replay: {file}")
    assert text in error


def test_bad_imports_and_exports_end_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(DEMO), "--home", str(tmp_path)]) == 1
    assert "only files written by Export can be imported" in capsys.readouterr().err
    assert main(["export", "none.tcgame", str(tmp_path), "--home", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"companion export: there is no saved game {tmp_path / 'games' / 'none.tcgame'}; "
        "none is saved there; --home names another folder\n"
    )


def test_an_export_of_a_folder_or_another_file_is_refused_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["export", str(tmp_path), str(out), "--home", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"companion export: {tmp_path}: expected a saved game (a file that ends in .tcgame), got a folder; "
        "name the file inside it\n"
    )
    text = tmp_path / "README.md"
    text.write_text("# not a game")
    assert main(["export", str(text), str(out), "--home", str(tmp_path)]) == 1
    assert "README.md" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [text], "no lock and no half export stays behind"


def test_a_saved_game_is_found_without_its_ending_and_a_wrong_name_lists_what_is_there(
    demo: tuple[FileHost, list[Played]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games"
    games.mkdir()
    (games / "2026-11-28 sfw96 italy.tcgame").write_bytes(demo[0].session().path.read_bytes())
    out = tmp_path / "out.jsonl"
    assert main(["export", "2026-11-28 sfw96 italy", str(out), "--home", str(tmp_path)]) == 0
    assert read_portable(out).lines
    capsys.readouterr()
    assert main(["export", "italy", str(out), "--home", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"companion export: there is no saved game {games / 'italy.tcgame'}; "
        "games saved there: '2026-11-28 sfw96 italy'\n"
    )


def test_an_export_writes_over_nothing_unless_it_is_told_to(
    demo: tuple[FileHost, list[Played]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, out = str(demo[0].session().path), tmp_path / "notes.txt"
    out.write_text("mine")
    assert main(["export", game, str(out)]) == 1
    assert capsys.readouterr().err == (
        f"companion export: {out} already exists; choose another name, or overwrite it with --force\n"
    )
    assert out.read_text() == "mine"
    assert main(["export", game, str(out), "--force"]) == 0
    assert read_portable(out).lines


def test_an_export_of_a_damaged_game_says_what_is_lost(
    demo: tuple[FileHost, list[Played]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(demo[0].session().path)
    game, out = tmp_path / "short.tcgame", tmp_path / "short.jsonl"
    data = source.read_bytes()
    game.write_bytes(data[: len(data) // 3])
    before = game.read_bytes()
    assert main(["export", str(game), str(out)]) == 3
    told = capsys.readouterr()
    assert told.out.strip() == str(out)
    assert f"{out} holds only what could be read of the saved game, which is left as it is" in told.err
    entries = len(read_portable(out).lines)
    found = re.search(r"entry (\d+) \([-0-9: ]+\) is the last intact one; at least (\d+) after it", told.err)
    assert found is not None, told.err
    assert (int(found[1]), int(found[1]) + int(found[2])) == (entries, len(demo[0].session().entries()))
    assert "damaged.tcgame" not in told.err, "no copy is kept: the game is where it was"
    assert game.read_bytes() == before


def test_a_folder_that_is_named_like_a_game_is_no_saved_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "games" / "attic.tcgame"
    folder.mkdir(parents=True)
    assert main(["export", "attic", str(tmp_path / "out"), "--home", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"companion export: {folder}: expected a saved game (a file that ends in .tcgame), got a folder; "
        "name the file inside it\n"
    )
    assert main(["export", "other", str(tmp_path / "out"), "--home", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "none is saved there" in told
    assert "attic" not in told


def test_a_recording_cut_short_is_played_and_told(
    demo: tuple[FileHost, list[Played]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "whole.jsonl"
    assert main(["export", str(demo[0].session().path), str(out)]) == 0
    lines = out.read_text(encoding="utf-8").splitlines(keepends=True)
    short = tmp_path / "short.jsonl"
    short.write_text("".join(lines[:21]), encoding="utf-8")
    capsys.readouterr()
    assert main(["replay", str(short), "--json"]) == 3
    told = capsys.readouterr()
    assert json.loads(told.out)["log"]["entries"] == 20
    assert f"expected {len(lines) - 1} entries, got 20" in told.err


def test_a_data_folder_that_is_a_file_is_one_line(
    demo: tuple[FileHost, list[Played]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, home = tmp_path / "out.jsonl", tmp_path / "home"
    home.write_text("")
    assert main(["export", str(demo[0].session().path), str(out)]) == 0
    capsys.readouterr()
    assert main(["import", str(out), "--home", str(home)]) == 1
    assert capsys.readouterr().err.startswith(f"companion import: {home}")


def test_replay_opens_no_window(tmp_path: Path) -> None:
    file = tmp_path / "start.jsonl"
    file.write_text(DEMO.read_text(encoding="utf-8").splitlines()[0])
    code = (
        "import sys; from companion.cli import main; "
        f"main(['replay', {str(file)!r}]); "
        "sys.exit(bool({'kivy', 'cv2', 'gpiozero'} & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_saved_games_have_a_place_of_their_own() -> None:
    assert default_data_folder().name == "table-companion"
    assert Shelf(default_data_folder() / "games", GameCatalogue().rules_of).folder.name == "games"


def test_an_export_never_takes_the_place_of_a_saved_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = tmp_path / "evening.tcgame"
    game.write_bytes(b"an evening")
    assert main(["export", str(game), str(game), "--force", "--home", str(tmp_path)]) == 1
    assert "is the name of a saved game" in capsys.readouterr().err
    assert game.read_bytes() == b"an evening"
