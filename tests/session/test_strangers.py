"""Files from strangers, one kind at a time: what they may cost, what they may name, and where they may lead."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from session_helpers import GAME, VERSION, Room, press, rules_of

from companion.adapters.catalogue import GameCatalogue
from companion.core import events as ev
from companion.core.ids import MOST_MS, Side
from companion.core.sound import setup_misfit, state_misfit
from companion.session.bounds import excess, safe_stem
from companion.session.crash import CrashFolder
from companion.session.device_key import DeviceKeyError, DeviceKeyFile
from companion.session.errors import CopyError, FileValueError, JournalLockedError, JournalUnreadableError
from companion.session.files import NotAFileError, copy_verified, read_source, write_whole
from companion.session.game_session import GameSession
from companion.session.journal import Heartbeat, Journal, log_path, witness_path
from companion.session.pin import ArbiterPins, PinGuard
from companion.session.portable import portable_bytes, read_portable
from companion.session.printed import PrintedValues
from companion.session.sealings import Sealings
from companion.session.seals import PlainSecret, Vault
from companion.session.settings import Settings
from companion.session.shelf import Shelf
from companion.session.signing_key import SigningKeyError, SigningKeyFile
from companion.session.timesource import ManualTime
from companion.session.tries import Tries
from companion.testing.sample import sample_setup

_CATALOGUE = GameCatalogue()


def test_every_scenario_of_this_version_is_sound() -> None:
    scenarios = _CATALOGUE.scenarios()
    assert len({one.game for one in scenarios}) == 5
    for one in scenarios:
        assert setup_misfit(_CATALOGUE.make_setup(one.game, one.scenario, {})) is None


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"scenario": "../../../PWNED"}, "scenario"),
        ({"scenario": ""}, "scenario"),
        ({"scenario": "a/b"}, "scenario"),
        ({"game": "..\x00"}, "game"),
        ({"sides": ()}, "nations.us.side"),
        ({"sides": sample_setup().sides * 2}, "sides"),
        ({"clock": msgspec.structs.replace(sample_setup().clock, grace_ms=10**9)}, "clock.grace_ms"),
        (
            {"clock": msgspec.structs.replace(sample_setup().clock, allotted_ms={"nobody": (1,)})},
            "clock.allotted_ms",
        ),
        ({"steps": sample_setup().steps * 200}, "steps"),
        ({"title": "W" * 201}, "title"),
        (
            {"nations": (msgspec.structs.replace(sample_setup().nations[0], name="\u200b" * 90_000),)},
            f"nations.{sample_setup().nations[0].id}.name",
        ),
    ],
)
def test_a_setup_that_nobody_can_play_is_named(change: dict[str, Any], key: str) -> None:
    misfit = setup_misfit(msgspec.structs.replace(sample_setup(), **change))
    assert misfit is not None
    assert misfit.key == key


def test_what_costs_too_much_is_named_by_its_place() -> None:
    deep: Any = 0
    for _ in range(5_000):
        deep = [deep]
    for value, key in (
        ({"a": {"b": [1, 2**63]}}, "a.b.1"),
        ({"a": -(10**40)}, "a"),
        ({"at_ms": MOST_MS + 1}, "at_ms"),
        ({"spent_ms": {"axis": [2**60]}}, "spent_ms.axis.0"),
        ({"n": 1e300}, "n"),
        ({"text": "x" * 200_000}, "text"),
    ):
        misfit = excess(value)
        assert misfit is not None
        assert misfit.key == key
    assert excess({"deep": deep}) is not None
    assert excess({"at_ms": MOST_MS, "spent_ms": {"axis": [MOST_MS]}, "n": [1, 2.5, "x", None, True]}) is None


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..", "a\nb", "\udcff\u202e", "x" * 300, ".hidden", ""]
)
def test_no_name_leads_out_of_a_folder(tmp_path: Path, name: str) -> None:
    stem = safe_stem(name)
    target = tmp_path / f"{stem}.tcgame"
    target.write_bytes(b"")
    assert target.resolve().parent == tmp_path.resolve()
    assert not stem.startswith(".")
    assert stem.isprintable()


def test_a_pipe_a_folder_and_an_endless_file_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(1 << 33)
    for name, words in (
        ("pipe.jsonl", "expected a file, got something else"),
        ("folder.jsonl", "expected a file, got something else"),
        ("large.jsonl", "expected at most 32 MB, got a larger file"),
    ):
        with pytest.raises(FileValueError, match=words):
            read_portable(tmp_path / name)
        with pytest.raises(FileValueError):
            PrintedValues(tmp_path / "printed").import_file(tmp_path / name)
    with pytest.raises(FileValueError):
        read_portable(Path("/dev/zero"))


def test_a_pipe_serves_where_somebody_writes_into_it_and_nobody_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(NotAFileError, match="a pipe into which nobody writes"):
        read_source(pipe, 100)
    reader, writer = os.pipe()
    os.write(writer, b"a battle")
    os.close(writer)
    assert read_source(Path(f"/proc/self/fd/{reader}"), 100) == b"a battle"
    os.close(reader)
    both = os.open(pipe, os.O_RDWR)
    late = threading.Timer(0.05, lambda: (os.write(both, b"x" * 300), os.close(both)))
    late.start()
    assert read_source(pipe, 100) == b"x" * 101
    late.join()
    assert read_source(Path("/dev/zero"), 100) == bytes(101)
    with pytest.raises(NotAFileError):
        read_source(tmp_path, 100)


@pytest.mark.parametrize("body", [b"[" * 100_000, b"\n" * 300_000, b'{"format": ' + b"[" * 100_000])
def test_nesting_and_lines_without_end_are_refused(tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "deep.jsonl"
    file.write_bytes(body)
    with pytest.raises(FileValueError):
        Shelf(tmp_path / "games", rules_of, VERSION).import_file(file)
    assert not (tmp_path / "games").exists()


def test_an_export_with_an_odd_name_is_imported_into_the_folder(room: Room, tmp_path: Path) -> None:
    session = room.new()
    data = portable_bytes(session.entries(), session.codec, VERSION)
    session.close()
    shelf = Shelf(tmp_path / "games", rules_of, VERSION)
    for name in ("..jsonl", "x.damaged.jsonl", "y" * 240 + ".jsonl", os.fsdecode(b"\xff\xfe.jsonl")):
        (tmp_path / name).write_bytes(data)
        assert shelf.import_file(tmp_path / name).parent == tmp_path / "games"
    assert len(shelf.games()) == 4


def _stored(room: Room, *events: ev.Event) -> Path:
    """Put a game away whose last entry says that something happened which the rules would never say."""
    session = room.new()
    press(session)
    entries, codec = list(session.entries()), session.codec
    session.close()
    last = entries[-1]
    entries[-1] = msgspec.structs.replace(last, events=(*last.events, *events))
    path = room.folder / "hostile.tcgame"
    Journal.create(path, entries, codec).close()
    return path


@pytest.mark.parametrize(
    "event",
    [
        ev.ClockStarted(Side("nowhere"), 5),
        ev.TimeCorrected(Side(""), 5),
        ev.FlagFell(Side("nowhere"), 1, 5, "s1.t1.allies.move"),  # type: ignore[arg-type]
        ev.GameEnded(Side("nowhere"), "draw"),
        ev.ClockStarted(Side("axis"), 2**62),
        ev.SegmentAppended((msgspec.structs.replace(sample_setup().steps[0], id="x", clock="nowhere"),)),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_saved_game_with_a_side_of_nobody_is_refused_by_name(room: Room, event: ev.Event) -> None:
    path = _stored(room, event)
    before = sorted(room.folder.iterdir())
    with pytest.raises(
        JournalUnreadableError, match=r"hostile\.tcgame is intact, but its entries do not fit"
    ):
        GameSession.open(path, rules_of, room.time)
    assert sorted(room.folder.iterdir()) == before
    (listed,) = [game for game in Shelf(room.folder, rules_of).games() if game.path == path]
    assert listed.fault is not None


def test_a_sound_saved_game_is_not_refused(room: Room) -> None:
    session = GameSession.open(_stored(room), rules_of, room.time)
    assert state_misfit(session.change.state) is None
    session.close()


def test_a_saved_game_from_the_end_of_time_is_listed_without_a_date(room: Room) -> None:
    from companion.pages.times import wall

    path = _stored(room)
    journal = Journal.open(path)
    journal.beat(Heartbeat("boot-1", 5, 2**62, 2, True, json.dumps({"title": GAME})))
    journal.close()
    (listed,) = [game for game in Shelf(room.folder, rules_of).games() if game.path == path]
    assert wall(listed.saved_wall_ms, 1_764_000_000_000)


def test_a_link_on_a_stick_leads_no_writing_elsewhere(room: Room, tmp_path: Path) -> None:
    own, stick = tmp_path / "device.key", tmp_path / "stick"
    own.write_bytes(b"mine")
    stick.mkdir()
    for name in (".game.jsonl.part", ".report.html.new", ".sample.json.part", "game.tcgame-witness"):
        (stick / name).symlink_to(own)
    session = room.new()
    Shelf(room.folder, rules_of).export_entries(session.entries(), session.codec, stick, "game")
    PrintedValues(tmp_path / "printed").export(GAME, stick)
    write_whole(stick / "report.html", b"an evening")
    session.move_to(stick)
    press(session)
    assert session.path.parent == stick
    session.close()
    assert own.read_bytes() == b"mine"
    assert not any((stick / name).is_symlink() for name in ("game.jsonl", "report.html", "sample.json"))


def test_nothing_is_written_over_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "one").write_bytes(b"a game")
    with pytest.raises(CopyError, match="is not a file; choose another name"):
        copy_verified(tmp_path / "one", tmp_path / "pipe")
    assert not (tmp_path / "pipe").is_file()


def test_a_pipe_among_the_saved_games_keeps_nobody_waiting(room: Room) -> None:
    for name, pipe_of in (("a", Path), ("b", log_path), ("c", witness_path)):
        room.new(f"{name}.tcgame").close()
        pipe = pipe_of(room.folder / f"{name}.tcgame")
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
    shelf = Shelf(room.folder, rules_of)
    faults = {game.path.stem: game.fault for game in shelf.games()}
    assert faults["a"] is not None
    assert faults["b"] is not None
    assert faults["c"] is None
    with pytest.raises(JournalUnreadableError, match=r"a\.tcgame is not a Table Companion game file"):
        GameSession.open(room.folder / "a.tcgame", rules_of, room.time)
    for act in (
        lambda: GameSession.open(room.folder / "b.tcgame", rules_of, room.time),
        lambda: shelf.read(room.folder / "b.tcgame"),
    ):
        with pytest.raises(JournalUnreadableError, match=r"b\.tcgame-wal is not a file; move away"):
            act()
    assert shelf.read(room.folder / "c.tcgame").loss is None, "a witness that is none costs nothing"
    session = GameSession.open(room.folder / "c.tcgame", rules_of, room.time)
    press(session)
    session.close()
    assert shelf.read(room.folder / "c.tcgame").loss is None


def test_a_saved_game_whose_name_is_no_text_is_listed_with_its_fault(room: Room) -> None:
    session = room.new()
    session.close()
    odd = room.folder / os.fsdecode(b"\xff\xfe.tcgame")
    odd.write_bytes(session.path.read_bytes())
    listed = {game.path: game for game in Shelf(room.folder, rules_of).games()}
    assert listed[session.path].fault is None
    assert str(listed[odd].fault) == "??.tcgame: the name is not text in UTF-8; rename the file"
    assert listed[odd].summary.title == "??"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_in_the_place_of_one_keeps_nobody_waiting_and_is_told(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    for name in ("settings.json", "tries.json", "device.key", f"{GAME}.json", ".ended"):
        make(tmp_path / name)
    make(tmp_path / "running 1.txt")
    settings = Settings(tmp_path / "settings.json")
    assert "settings.json cannot be read: it is not a file" in str(settings.warning)
    told: list[str] = []
    tries = Tries(tmp_path / "tries.json", ManualTime(), lambda text, _hint: told.append(str(text)))
    assert tries.wrong("arbiter") > 0, "what cannot be read forgives nothing"
    assert "tries.json cannot be read: it is not a file" in told[0]
    with pytest.raises(DeviceKeyError, match=r"device\.key cannot be read: it is not a file"):
        DeviceKeyFile(tmp_path).ensure()
    values = PrintedValues(tmp_path)
    assert values.of(GAME) == {}
    assert CrashFolder(tmp_path, VERSION).take_ended() is None
    with pytest.raises(FileValueError, match="expected a file, got something else"):
        values.import_file(tmp_path / f"{GAME}.damaged.json")


def test_a_link_in_the_place_of_a_game_is_the_game_that_it_stands_for(room: Room, tmp_path: Path) -> None:
    session = room.new()
    session.close()
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    link = shelf / "linked.tcgame"
    link.symlink_to(session.path)
    by_link = GameSession.open(link, rules_of, room.time)
    with pytest.raises(JournalLockedError):
        GameSession.open(session.path, rules_of, room.time)
    press(by_link)
    press(by_link)
    played = len(by_link.entries())
    by_link.cut_power()
    (listed,) = Shelf(shelf, rules_of).games()
    assert listed.fault is None
    assert len(Shelf(shelf, rules_of).read(link).timeline.entries) == played
    again = GameSession.open(link, rules_of, room.time)
    assert len(again.entries()) >= played
    assert again.recovery is None
    again.close()
    assert link.is_symlink()
    assert sorted(path.name for path in shelf.iterdir()) == ["linked.tcgame"]


def test_two_hard_links_of_a_game_never_have_two_writers(room: Room) -> None:
    session = room.new()
    press(session)
    played = session.entries()
    session.close()
    second, backup = room.folder / "second.tcgame", room.folder / "backup"
    backup.mkdir()
    for other in (second, backup / "game.tcgame"):
        other.hardlink_to(session.path)
    kept = second.read_bytes()
    again = room.open()
    again.sync(30)
    for other in (second, backup / "game.tcgame"):
        assert not other.samefile(session.path), "what is played has a file of its own"
        assert other.read_bytes() == kept, "a copy that somebody made by a link stays as it is"
    late = room.folder / "late.tcgame"
    late.hardlink_to(session.path)
    with pytest.raises(
        JournalLockedError, match=r"late\.tcgame is a second name of game\.tcgame, which is open"
    ):
        GameSession.open(late, rules_of, room.time)
    press(again)
    again.close()
    copy = room.open("second.tcgame")
    assert copy.recovery is None
    assert copy.entries()[: len(played)] == played
    assert second.stat().st_nlink == 1
    assert (backup / "game.tcgame").read_bytes() == kept


def test_a_backup_of_links_keeps_file_log_and_witness_as_they_were(room: Room) -> None:
    session = room.new()
    press(session)
    session.cut_power()
    backup = room.folder / "backup"
    backup.mkdir()
    names = {path.name: path.read_bytes() for path in room.folder.glob("game.tcgame*")}
    assert len(names) == 3
    for name in names:
        (backup / name).hardlink_to(room.folder / name)
    again = room.open()
    press(again)
    again.close()
    assert {path.name: path.read_bytes() for path in backup.iterdir()} == names
    kept = GameSession.open(backup / "game.tcgame", rules_of, room.time)
    assert kept.recovery is None
    kept.close()


def test_a_hard_link_is_not_opened_where_no_copy_finds_room(room: Room) -> None:
    session = room.new()
    session.close()
    second = room.folder / "second.tcgame"
    second.hardlink_to(session.path)
    (room.folder / ".second.tcgame.part").mkdir()
    with pytest.raises(CopyError, match=r"second\.tcgame could not be copied"):
        room.open("second.tcgame")
    assert second.samefile(session.path)


def test_a_file_in_the_place_of_the_folder_of_keys_is_called_that(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    cure = f"something else has the name of a folder; move away {folder}"
    folder.write_text("not a folder")
    time, told = ManualTime(), list[str]()
    vault = Vault(folder, time, kdf_n=1 << 10)
    with pytest.raises(DeviceKeyError, match=f"keys/device.key cannot be read: {cure}, then try again$"):
        vault.seal(PlainSecret("U-boat"), "label", side="axis", side_pin=PlainSecret("1234"))
    with pytest.raises(DeviceKeyError, match=f"{cure}, then try again$"):
        ArbiterPins(folder, PinGuard(tmp_path / "tries.json", time)).new("1234")
    with pytest.raises(DeviceKeyError, match=f"{cure}, then try again, or use the recovery code$"):
        DeviceKeyFile(folder).read()
    with pytest.raises(SigningKeyError, match=cure):
        SigningKeyFile(folder).ensure()
    Sealings(folder / "sealings.json", lambda text, hint: told.append(f"{text}; {hint}")).note(
        "axis", "c" * 64
    )
    assert cure in told[-1]
    assert folder.read_text() == "not a folder"
