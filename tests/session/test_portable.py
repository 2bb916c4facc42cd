"""Games as text files: export, import, replay, and bad lines by file, line, key, expected and got."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from session_helpers import GAME, RULES, VERSION, Room, do, press, rules_of, stored, timeline_of

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.ids import ARBITER, Side
from companion.core.rules import GameRules
from companion.session.errors import CopyError, FileValueError, JournalLockedError, SessionError
from companion.session.game_file import lock_path, take_lock
from companion.session.portable import portable_bytes, read_portable
from companion.session.replay import FileHost, Played, Player, report
from companion.session.shelf import Imported, Shelf
from companion.session.timesource import ManualTime
from companion.testing.sample import sample_setup


def eventful(room: Room) -> Path:
    """Play a game with a flag, a correction, undo and redo, sleep, a crash, a power cut and an orderly end."""
    session = room.new(minutes=2)
    for index in range(40):
        room.time.advance(11_000)
        session.sync()
        state = session.change.state
        now = room.time.now_ms()
        if state.flag_prompt is not None:
            do(session, cm.AcknowledgeFlag(state.flag_prompt, state.step.id, now), ARBITER)
        elif state.clocks.is_paused:
            do(session, cm.Resume(at_ms=now))
        elif index == 6:
            do(session, cm.Undo(at_ms=now))
            do(session, cm.Redo(at_ms=now))
        elif index == 9:
            do(session, cm.CorrectTime(Side("axis"), 30_000, now, "dice"), ARBITER)
        elif index == 12:
            room.time.sleep_machine(5_000)
        elif index in (15, 22, 28):
            if index == 15:
                session.cut_power()
            elif index == 22:
                session.cut_power()
                room.time.reboot("boot-2", 4_321, away_ms=77_000)
            else:
                session.close()
                room.time.advance(5_000)
            session = room.open()
        else:
            do(session, cm.EndAct(step=state.step.id, at_ms=now - 40))
    session.close()
    return session.path


def shelf_of(folder: Path, version: str = VERSION) -> Shelf:
    """The shelf of another box."""
    return Shelf(folder, rules_of, version)


def test_an_exported_game_comes_back_as_the_same_game(room: Room, tmp_path: Path) -> None:
    path = eventful(room)
    file = shelf_of(room.folder).export(path, tmp_path).path
    assert file.name == "game.jsonl"
    taken = shelf_of(tmp_path / "other").import_file(file)
    assert taken.name == "game.tcgame"
    assert stored(taken) == stored(path)
    assert timeline_of(taken).state == timeline_of(path).state
    again = shelf_of(tmp_path / "other").export(taken, tmp_path / "again.jsonl").path
    assert again.read_bytes() == file.read_bytes()


def test_a_game_whose_arbiter_locked_the_coach_and_set_another_pin_comes_back_as_the_same_game(
    room: Room, tmp_path: Path
) -> None:
    session = room.new(arbiter_pin="pin:0123456789abcdef")
    press(session)
    do(session, cm.LockCoach(is_locked=True), ARBITER)
    do(session, cm.SetArbiterPin("pin:fedcba9876543210"), ARBITER)
    press(session)
    do(
        session, cm.Undo(at_ms=room.time.now_ms())
    )  # folded anew, its setup is equal and no longer the same value
    session.close()
    file = shelf_of(room.folder).export(session.path, tmp_path).path
    taken = shelf_of(tmp_path / "other").import_file(file)
    assert stored(taken) == stored(session.path)
    setup = timeline_of(taken).state.frozen_setup
    assert (setup.coach_locked, setup.arbiter_hash) == (True, "pin:fedcba9876543210")


def test_a_pin_that_another_version_set_in_the_middle_is_asked_like_that_of_the_start(
    room: Room, tmp_path: Path
) -> None:
    session = room.new(arbiter_pin="pin:0123456789abcdef")
    do(session, cm.SetArbiterPin("pin:fedcba9876543210"), ARBITER)
    start, pin = session.entries()
    entries = (start, msgspec.structs.replace(pin, events=(ev.ArbiterPinSet("1234"),), app_version="0"))
    file = tmp_path / "game.jsonl"
    file.write_bytes(portable_bytes(entries, session.codec, "0"))
    with pytest.raises(FileValueError, match=r"line 3, key events\.pin: expected the hash of a PIN"):
        shelf_of(tmp_path / "other").import_file(file)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_an_export_that_an_editor_saved_is_the_same_game(room: Room, tmp_path: Path, encoding: str) -> None:
    path = eventful(room)
    file = shelf_of(room.folder).export(path, tmp_path).path
    file.write_bytes(file.read_text(encoding="utf-8").encode(encoding))
    assert stored(shelf_of(tmp_path / "other").import_file(file)) == stored(path)


def test_an_imported_game_can_be_played_on_without_another_gap(room: Room, tmp_path: Path) -> None:
    path = eventful(room)
    taken = shelf_of(room.folder / "games").import_file(shelf_of(room.folder).export(path, tmp_path).path)
    session = room.open(f"games/{taken.name}")
    assert session.change.state.gap == timeline_of(path).state.gap
    do(session, cm.Resume(at_ms=room.time.now_ms()))
    assert press(session).rejected is None


def test_every_line_reads_as_a_recorded_input(room: Room, tmp_path: Path) -> None:
    file = shelf_of(room.folder).export(eventful(room), tmp_path).path
    header, first, *rest = [json.loads(line) for line in file.read_text().splitlines()]
    assert {k: header[k] for k in ("format", "game", "scenario", "entries")} == {
        "format": "table-companion-game",
        "game": GAME,
        "scenario": "italy",
        "entries": len(rest) + 1,
    }
    assert first["command"] == "StartGame"
    assert first["args"]["setup"]["title"] == "Italy"
    line = rest[0]
    assert list(line)[:5] == ["at_ms", "source", "actor", "command", "args"]
    assert line["args"] == {"step": "s1.t1.allies.move", "at_ms": line["at_ms"] - 40}


def play(path: Path, folder: Path) -> tuple[dict, list[Played]]:
    """Replay a file and report."""
    folder.mkdir()
    time = ManualTime()
    host = FileHost(folder, rules_of, time, VERSION)
    player = Player(read_portable(path), host, time, rules_of, lambda _g, _s, _o: sample_setup())
    try:
        played = list(player.play())
        return report(host.session(), played), played
    finally:
        host.close()


def test_replaying_an_export_ends_in_the_same_state_through_the_writer(room: Room, tmp_path: Path) -> None:
    """Flags, sleep, crashes and power cuts are the session's own doing in the replay, and come out the same."""
    path = eventful(room)
    state = timeline_of(path).state
    file = shelf_of(room.folder).export(path, tmp_path).path
    final, _played = play(file, tmp_path / "replay")
    assert final["refused"] == []
    assert final["log"]["entries"] == len(stored(path))
    kinds = [type(entry.command).__name__ for entry in stored(path)]
    assert final["log"]["commands"] == {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    assert {"SettleClock", "StopForSleep", "ResumeGame", "Undo", "Redo", "CorrectTime"} <= set(kinds)
    assert final["position"]["step"] == state.step.id
    assert final["flags"] == [{"side": fall.side, "stage": fall.stage} for fall in state.clocks.falls]
    replayed = timeline_of(tmp_path / "replay" / "replay.tcgame")
    assert [entry.events for entry in replayed.entries] == [entry.events for entry in stored(path)]
    assert replayed.state.clocks == state.clocks


def write(path: Path, *lines: object) -> Path:
    """Write a recording."""
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


START = {"at_ms": 1_000, "command": "StartGame", "args": {"game": GAME, "scenario": "italy"}}


def test_a_recording_names_its_scenario_and_leaves_stamps_out(tmp_path: Path) -> None:
    file = write(
        tmp_path / "short.jsonl",
        START,
        "",
        {
            "at_ms": 4_000,
            "source": "gpio",
            "actor": "allies",
            "command": "EndAct",
            "args": {"step": "s1.t1.allies.move"},
        },
        {"at_ms": 4_001, "source": "touch", "command": "EndAct", "args": {"step": "s1.t1.allies.move"}},
    )
    final, played = play(file, tmp_path / "replay")
    assert final["position"]["step"] == "s1.t1.allies.declare"
    assert final["clocks"]["allies"] == {"spent_ms": 3_001, "remaining_ms": 22 * 60_000 - 3_001}
    assert final["refused"] == [{"line": 4, "command": "EndAct", "code": "stale_step"}]
    assert [item.number for item in played] == [1, 3, 4]
    assert final["running"] == "allies"
    assert len(final["state_sha256"]) == 64


BAD_LINES = [
    ('{"at_ms": 2}', "line 2, key command: expected a value, got nothing"),
    ('{"at_ms": "2", "command": "Pause"}', "line 2, key at_ms: expected `int`, got `str`"),
    ('{"at_ms": 2, "command": "Pause", "x": 1}', "line 2, key x: expected no such key, got one"),
    ('{"at_ms": 2', "line 2: expected one JSON object, got a line that is damaged or cut off"),
    ('"Pause"', "line 2: expected `object`, got `str`"),
    ('{"at_ms": 2000, "command": "Fly"}', "line 2, key command: expected one of AcknowledgeFlag, AddNote,"),
    ('{"at_ms": 2000, "command": "EndAct"}', "line 2, key args.step: expected a value, got nothing"),
    (
        '{"at_ms": 2000, "command": "EndAct", "args": {"step": 7}}',
        "line 2, key args.step: expected `str`, got `int`",
    ),
    (
        '{"at_ms": 2000, "command": "Pause", "args": {"why": "tea"}}',
        "line 2, key args.why: expected at_ms, reason, got 'why'",
    ),
    ('{"at_ms": 5, "command": "Pause"}', "line 2, key at_ms: expected at least 1000, got 5"),
]


@pytest.mark.parametrize(("line", "text"), BAD_LINES)
def test_a_bad_line_is_named(tmp_path: Path, line: str, text: str) -> None:
    file = write(tmp_path / "bad.jsonl", START, line)
    with pytest.raises(FileValueError) as fault:
        play(file, tmp_path / "replay")
    assert f"{file}, {text}" in str(fault.value)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({}, "line 1, key args.game: expected a text, or a complete setup, got None"),
        ({"game": GAME, "scenario": 3}, "line 1, key args.scenario: expected a text"),
        (
            {"game": GAME, "scenario": "x", "options": []},
            "line 1, key args.options: expected an object, got []",
        ),
        ({"setup": {"game": GAME}}, "line 1, key args.setup.scenario: expected a value, got nothing"),
        ({"setup": 4}, "does not have the game ''"),
    ],
)
def test_a_bad_start_is_named(tmp_path: Path, args: dict, text: str) -> None:
    file = write(tmp_path / "bad.jsonl", {**START, "args": args})
    with pytest.raises(SessionError) as fault:
        play(file, tmp_path / "replay")
    assert text in str(fault.value)


def test_a_recording_must_start_a_game(tmp_path: Path) -> None:
    file = write(tmp_path / "bad.jsonl", {"at_ms": 1, "command": "Pause"})
    with pytest.raises(FileValueError, match="line 1, key command: expected 'StartGame', got 'Pause'"):
        play(file, tmp_path / "replay")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        FileValueError, match=r"none\.jsonl: expected a readable file, got no such file or folder"
    ):
        read_portable(tmp_path / "none.jsonl")


def tampered(file: Path, old: str, new: str) -> Path:
    """Change a file after its export."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return file


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"entries":', '"entries":1', "line 1, key entries: expected"),
        ("dice", "mice", "line 1, key sha256: expected"),
        ('"version":1', '"version":9', "key version: expected at most 1, got 9; update Table Companion"),
        (
            "table-companion-game",
            "another-game",
            "key format: expected table-companion-game, got 'another-game'",
        ),
        ('"title":', '"titel":', "line 1, key titel: expected no such key, got one"),
    ],
)
def test_a_changed_or_foreign_file_is_not_imported(
    room: Room, tmp_path: Path, old: str, new: str, text: str
) -> None:
    file = tampered(shelf_of(room.folder).export(eventful(room), tmp_path).path, old, new)
    other = shelf_of(tmp_path / "other")
    with pytest.raises(FileValueError) as fault:
        other.import_file(file)
    assert text in str(fault.value)
    assert other.games() == ()


@pytest.mark.parametrize("is_line", [True, False])
def test_a_file_cut_off_is_not_imported(room: Room, tmp_path: Path, is_line: bool) -> None:
    file = shelf_of(room.folder).export(eventful(room), tmp_path).path
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1] if is_line else whole[:-900])
    with pytest.raises(FileValueError, match="copy the file again from where it was exported"):
        shelf_of(tmp_path / "other").import_file(file)


@pytest.mark.parametrize(
    "changed",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.rstrip(b"\n"),
        lambda data: data + b"\r\n\r\n",
    ],
)
def test_an_export_whose_lines_end_otherwise_is_the_same_game(
    room: Room, tmp_path: Path, changed: Callable[[bytes], bytes]
) -> None:
    file = shelf_of(room.folder).export(eventful(room), tmp_path).path
    whole = file.read_bytes()
    file.write_bytes(changed(whole))
    other = shelf_of(tmp_path / "other")
    path = other.import_file(file)
    assert other.export(path, tmp_path / "again.jsonl").path.read_bytes() == whole
    file.write_bytes(changed(whole.replace(b"dice", b"mice")))
    with pytest.raises(FileValueError, match="key sha256"):
        shelf_of(tmp_path / "third").import_file(file)


def resealed(file: Path, change) -> Path:
    """Change entries and make header and check sum fit again, as another program would."""
    import hashlib

    header, *lines = file.read_bytes().splitlines()
    found = [json.loads(line) for line in lines]
    change(found)
    body = b"".join(msgspec.json.encode(line) + b"\n" for line in found)
    head = {**json.loads(header), "entries": len(found), "sha256": hashlib.sha256(body).hexdigest()}
    file.write_bytes(msgspec.json.encode(head) + b"\n" + body)
    return file


def test_a_command_that_the_game_refuses_is_named(room: Room, tmp_path: Path) -> None:
    def change(lines) -> None:
        lines[1]["args"]["step"] = "s4.victory"

    file = resealed(shelf_of(room.folder).export(eventful(room), tmp_path).path, change)
    with pytest.raises(
        FileValueError, match="line 3, key command: expected a command that the game accepts"
    ) as fault:
        shelf_of(tmp_path / "other").import_file(file)
    assert "EndAct, refused: stale_step" in str(fault.value)


def test_what_the_game_has_not_is_refused_in_words(room: Room, tmp_path: Path) -> None:
    exported = shelf_of(room.folder).export(eventful(room), tmp_path).path
    whole, told = exported.read_bytes(), list[str]()
    kinds = set()
    for at, line in enumerate(whole.splitlines()[2:], 1):
        for n, event in enumerate(json.loads(line).get("events", [])):
            for key in {"side", "step", "stage"} & set(event):
                if (event["type"], key) in kinds:
                    continue
                kinds.add((event["type"], key))

                def change(lines, at=at, n=n, key=key) -> None:
                    lines[at]["app_version"] = "0.0.1"  # its events are taken as they stand
                    lines[at]["events"][n][key] = "nowhere"

                exported.write_bytes(whole)
                try:
                    shelf_of(tmp_path / "other").import_file(resealed(exported, change))
                except SessionError as fault:
                    told.append(str(fault))
    assert any(
        "expected a game that fits together, got 'nowhere', which this game does not have" in one
        for one in told
    )
    assert not [one for one in told if re.search(r"[A-Z][a-z]+Error", one)]


def test_events_that_the_commands_do_not_lead_to_are_named(room: Room, tmp_path: Path) -> None:
    def change(lines) -> None:
        lines[1]["events"][0]["at_ms"] += 1

    file = resealed(shelf_of(room.folder).export(eventful(room), tmp_path).path, change)
    with pytest.raises(FileValueError, match="line 3, key events: expected what the command leads to"):
        shelf_of(tmp_path / "other").import_file(file)


def test_events_of_another_version_are_taken_as_they_stand(room: Room, tmp_path: Path) -> None:
    """A corrected rule must not rewrite an old evening."""

    def change(lines) -> None:
        lines[1]["events"][0]["at_ms"] += 1

    file = resealed(shelf_of(room.folder).export(eventful(room), tmp_path).path, change)
    taken = shelf_of(tmp_path / "other", "9.9.9").import_file(file)
    assert stored(taken)[1].events[0].at_ms == stored(room.folder / "game.tcgame")[1].events[0].at_ms + 1  # type: ignore[attr-defined]


def test_a_game_played_by_other_rules_says_so_when_it_comes_in(room: Room, tmp_path: Path) -> None:
    """The program's version alone told nothing of rules that had changed: each entry says by which rules it was made."""
    exported = shelf_of(room.folder).export(eventful(room), tmp_path).path
    assert shelf_of(tmp_path / "same").import_game(exported).told is None
    played = tuple(dict.fromkeys(entry.app_version for entry in stored(room.folder / "game.tcgame")))

    rules = GameRules()
    rules.version = "12345678"
    told = Shelf(tmp_path / "later", lambda _game: rules, VERSION).import_game(exported)
    assert told.others == played
    assert told.own == f"{VERSION}/12345678"
    assert str(told.told).startswith(f"played by the rules of version {played[0]}, here {VERSION}/12345678")


def test_a_game_by_hundreds_of_rules_names_a_few(tmp_path: Path) -> None:
    """Each line of a strange file may name its own; the notice stays one that can be shown."""
    told = str(Imported(tmp_path, VERSION, tuple(f"{n}" + "v" * 70 for n in range(300))).told)
    assert "0vvv" in told
    assert "2vvv" in told
    assert "…, here" in told
    assert "3vvv" not in told
    few = str(Imported(tmp_path, VERSION, ("1.0", "", "2.0")).told)
    assert few == f"played by the rules of version 1.0, ?, 2.0, here {VERSION}; what they decided stays"


def test_unknown_events_are_named(room: Room, tmp_path: Path) -> None:
    def change(lines) -> None:
        lines[2]["events"][0]["type"] = "Teleported"

    file = resealed(shelf_of(room.folder).export(eventful(room), tmp_path).path, change)
    with pytest.raises(FileValueError, match="line 4, key events: expected events of this game"):
        shelf_of(tmp_path / "other").import_file(file)


def test_only_exports_are_imported(tmp_path: Path) -> None:
    file = write(tmp_path / "recording.jsonl", START)
    with pytest.raises(FileValueError, match="play recordings with companion replay"):
        shelf_of(tmp_path / "other").import_file(file)


def test_an_open_game_is_not_exported_from_its_file(room: Room, tmp_path: Path) -> None:
    session = room.new()
    with pytest.raises(JournalLockedError, match="open in another Table Companion"):
        shelf_of(room.folder).export(session.path, tmp_path)
    data = portable_bytes(session.entries(), session.codec, VERSION)
    assert data.count(b"\n") == 2


def test_exporting_to_a_missing_stick_is_said_plainly(room: Room, tmp_path: Path) -> None:
    room.new().close()
    with pytest.raises(CopyError, match="no such file or folder; check the name"):
        shelf_of(room.folder).export(room.folder / "game.tcgame", tmp_path / "stick" / "game.jsonl")


def test_no_entries_make_no_file() -> None:
    from companion.core.codec import Codec

    with pytest.raises(ValueError, match="a game begins with StartGame"):
        portable_bytes((), Codec(RULES), VERSION)


def test_imports_at_once_are_each_a_game_of_their_own(room: Room, tmp_path: Path) -> None:
    file = shelf_of(room.folder).export(eventful(room), tmp_path).path
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: shelf_of(tmp_path / "other").import_file(file), range(4)))
    assert len(set(taken)) == 4
    assert all(game.is_file() for game in taken)


def test_an_import_takes_nothing_away_from_a_game_that_another_program_is_making(
    room: Room, tmp_path: Path
) -> None:
    file = shelf_of(room.folder).export(eventful(room), tmp_path).path
    other = tmp_path / "other"
    other.mkdir()
    made = other / f"{file.stem}.tcgame"
    lock = take_lock(made)
    try:
        with pytest.raises(JournalLockedError):
            shelf_of(other).import_file(file)
        assert lock_path(made).exists()
    finally:
        os.close(lock)
