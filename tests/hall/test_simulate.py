"""A hall in fast motion with everything that can die, and the comparison of what it holds with the tables' own files."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from itertools import chain, repeat
from pathlib import Path

import pytest
from hall_net import needs_mosquitto

from companion import hall_command
from companion.hall.errors import HallError

FAULTS = """
4 kill-broker
7 cut 1..4 6      # a black hole
9 restart 5..8
11 kill-director 3
17 restore 9..10  # boxes go on from an old copy of themselves
20 freeze-broker 5
13 half 11..14 12   # what the table says comes through, what it hears does not
14 black 15..18 12
15 slow 19..22 12
16 two-directors 6
22 reset 23..40 1
24 down 41..60 8
28 freeze-director 5
36 kill-broker
37 kill-director 4
"""


def _run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = hall_command.main([str(one) for one in args])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.mark.long
@pytest.mark.filterwarnings(  # the client's library leaves the socket of a handshake that is cut to the collector
    "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)
@needs_mosquitto
def test_a_hall_in_which_everything_dies_loses_doubles_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "faults").write_text(FAULTS)
    hall = tmp_path / "hall"
    code, out, err = _run(
        capsys, "simulate", "--tables", 60, "--minutes", 0.8, "--speed", 2.5, "--faults", tmp_path / "faults",
        "--folder", hall, "--json",
    )  # fmt: skip
    figures = json.loads(out)
    assert (figures["lost"], figures["doubled"], figures["differing"]) == (0, 0, 0), figures
    assert code == 0, err
    assert figures["acts"] > 2_000
    assert figures["branches"] >= 1, "what a restored box had lost is at the hall"
    assert figures["restored_away"] > 0
    assert figures["files_compared"] >= 20

    code, out, err = _run(capsys, "check", hall, "--games", hall / "games", "--json")
    rows = json.loads(out)
    with_files = [row for row in rows if row["file"]]
    assert all(row["is_equal"] for row in with_files), [
        row["text"] for row in with_files if not row["is_equal"]
    ]

    path = hall / "games" / with_files[0]["file"]
    path.unlink()
    code, out, err = _run(capsys, "check", hall, "--games", hall / "games")
    assert code == 3
    assert (
        f"table {with_files[0]['table']}: {with_files[0]['entries']} entries, and no file of the table" in out
    )

    code, out, err = _run(capsys, "check", hall, "--out", tmp_path / "spare")
    spare = sorted((tmp_path / "spare").glob("*.jsonl"))
    assert len(spare) == len(rows), "each course of play goes to a spare box as a portable game"


def test_a_course_that_went_on_at_a_spare_box_has_lost_nothing() -> None:
    from companion.hall_check import _told

    first, whole = [b"1", b"2"], [b"1", b"2", b"3"]
    assert _told(first, whole, has_whole=True) == (
        True,
        "the first 2 of 3 entries, equal; the game went on at another box",
    )
    assert _told([*first, b"x"], whole, has_whole=True)[1].startswith("a branch: 1 entries after entry 2")
    assert _told(first, whole, has_whole=False) == (False, "the hall lacks the last 1 of 3 entries")


def test_a_fault_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    pytest.importorskip("aiomqtt")
    from companion.hall_faults import Fault, faults_in

    path = tmp_path / "faults"
    path.write_text(FAULTS)
    assert faults_in(path)[1] == Fault(7, "cut", (1, 2, 3, 4), 6)
    for line in ("7 explode", "soon kill-broker", "7 cut", "7 cut x", "7"):
        path.write_text(f"# nothing\n{line}\n")
        with pytest.raises(HallError, match="line 2: expected SECOND KIND"):
            faults_in(path)


def test_two_kills_of_a_director_at_once_leave_one_director(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that run one is refused, and then nobody would end the other."""
    pytest.importorskip("aiomqtt")
    from companion.hall_simulation import _Desk

    made: list[subprocess.Popen[bytes]] = []

    def run(_folder: Path) -> subprocess.Popen[bytes]:
        made.append(subprocess.Popen(["sleep", "60"]))
        return made[-1]

    monkeypatch.setattr(_Desk, "_run", staticmethod(run))
    desk = _Desk(tmp_path)
    desk.start()
    desk.kill()
    desk.kill()
    desk.start()
    desk.start()
    assert [one.poll() is None for one in made] == [False, True]
    desk.stop()
    assert all(one.poll() is not None for one in made)


def test_a_hall_is_waited_for_as_long_as_it_comes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("aiomqtt")
    from companion import hall_simulation as hs

    monkeypatch.setattr(hs, "_STILL_S", 0.02)
    monkeypatch.setattr(hs, "_LOOK_S", 0.004)
    began_s, slow = time.monotonic(), iter(range(20, -1, -1))
    assert asyncio.run(hs._none_left(lambda: next(slow)))
    assert time.monotonic() - began_s > 0.04, "it took longer than it may stand still"
    stuck, looked = chain((9, 8), repeat(7)), list[int]()
    assert not asyncio.run(hs._none_left(lambda: next(stuck), lambda: looked.append(1)))
    assert asyncio.run(hs._none_left(lambda: 0, lambda: looked.append(2)))
    assert looked[-1] == 2, "a hall that has all at once is measured, too"
