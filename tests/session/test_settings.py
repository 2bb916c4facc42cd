"""Settings, printed values, PIN, crash files and copies: small files that are always whole."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from companion.core.commands import AddNote, EnterPrintedValue
from companion.core.history import Entry
from companion.core.ids import TABLE
from companion.session import files
from companion.session.crash import CrashFolder
from companion.session.errors import CopyError, FileValueError
from companion.session.files import aside_path, copy_verified, explain, write_beside, write_whole
from companion.session.listeners import Listeners
from companion.session.pin import PinGuard, hash_pin, is_pin, is_pin_hash, public_name
from companion.session.printed import PrintedValues
from companion.session.settings import Settings
from companion.session.timesource import ManualTime

# Settings


def test_settings_survive_and_defaults_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    settings = Settings(path, {"volume": 5, "theme": "dark"})
    settings.change("volume", 2)
    settings.change("seats", ["Ada", "Ben"])
    assert Settings(path, {"volume": 5}).all() == {"volume": 2, "seats": ["Ada", "Ben"]}
    settings.change("volume", None)
    assert Settings(path, {"volume": 5}).all()["volume"] == 5


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff\xff", b'{"a": 1} x', b""])
def test_a_damaged_settings_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    for number in range(2):
        path.write_bytes(content)
        settings = Settings(path, {"volume": 5})
        assert settings.all() == {"volume": 5}
        warning = str(settings.warning)
        assert warning.startswith("settings.json")
        assert "expected" in warning
        kept = tmp_path / f"settings.damaged{'' if number == 0 else '-2'}.json"
        assert kept.read_bytes() == content
        assert warning.endswith(f"The file is kept as {kept.name}. The default settings are used.")
        settings.change("volume", 1)
        assert Settings(path).all() == {"volume": 1}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_settings_and_printed_values_are_read_as_other_editors_save_them(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes('{"language": "de", "name": "Ärger"}'.encode(encoding))
    settings = Settings(path)
    assert settings.warning is None
    assert settings.all() == {"language": "de", "name": "Ärger"}
    values = PrintedValues(tmp_path)
    values.export("med", tmp_path)
    (tmp_path / "med.json").write_bytes((tmp_path / "med.json").read_text().encode(encoding))
    assert values.import_file(tmp_path / "med.json") == ("med", 0)
    assert values.of("med") == {}
    assert values.take_warning() is None


def test_settings_of_a_wrong_kind_are_named_and_count_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"volume": "loud", "theme": 5, "own": [1]}')
    settings = Settings(path, {"volume": 5}, {"volume": int, "theme": str, "language": str})
    assert settings.all() == {"volume": 5, "own": [1]}
    assert str(settings.warning) == (
        "settings.json, volume: expected a whole number, got loud. settings.json, theme: expected a string, got 5. "
        "The default settings are used."
    )
    assert path.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            '{"format": 5, "version": 1, "game": "med", "values": {}}',
            "med.json, format: expected a string, got 5.",
        ),
        (
            '{"format": "x", "version": 1, "game": "med", "values": {}}',
            "med.json, format: expected table-companion",
        ),
        ('{"version": 1}', "med.json, format: expected a string, got nothing."),
        ("[" * 9_000, "med.json: expected an object nested only a few levels deep"),
    ],
)
def test_printed_values_name_the_key_that_is_wrong(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "med.json").write_text(content)
    values = PrintedValues(tmp_path)
    assert values.of("med") == {}
    warning = str(values.take_warning())
    assert warning.startswith(words)
    assert warning.endswith("The file is kept as med.damaged.json. Its printed values are ignored.")
    assert (tmp_path / "med.damaged.json").read_text() == content


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    (tmp_path / ".file.new").mkdir()  # the temporary name is taken: the write fails
    with pytest.raises(OSError, match="Is a directory"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


# Copies


def test_a_copy_is_read_back(tmp_path: Path) -> None:
    source, stick = tmp_path / "game.jsonl", tmp_path / "stick"
    source.write_bytes(b"some text" * 10_000)
    stick.mkdir()
    digest = copy_verified(source, stick / "game.jsonl")
    assert len(digest) == 64
    assert (stick / "game.jsonl").read_bytes() == source.read_bytes()
    assert [p.name for p in stick.iterdir()] == ["game.jsonl"]


def test_a_stick_that_loses_data_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, stick = tmp_path / "game.jsonl", tmp_path / "stick"
    source.write_bytes(b"some text" * 10_000)
    stick.mkdir()
    real = files.shutil.copyfileobj

    def lossy(reader, writer, size):
        real(reader, writer, size)
        writer.seek(4_000)
        writer.write(b"\0\0\0\0")

    monkeypatch.setattr(files.shutil, "copyfileobj", lossy)
    with pytest.raises(CopyError, match="does not read back the way it was written") as fault:
        copy_verified(source, stick / "game.jsonl")
    assert str(fault.value.hint) == "use another stick: this one loses data"
    assert list(stick.iterdir()) == []


def test_a_missing_stick_is_said_plainly(tmp_path: Path) -> None:
    source = tmp_path / "game.jsonl"
    source.write_bytes(b"x")
    with pytest.raises(CopyError, match="no such file or folder; check the name, or plug in the stick"):
        copy_verified(source, tmp_path / "gone" / "game.jsonl")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (28, "the disk is full"),
        (30, "the disk is read-only"),
        (13, "this user may not write there"),
        (5, "the disk or stick reports errors"),
        (2, "no such file or folder"),
        (24, "Too many open files"),
    ],
)
def test_system_errors_are_told_in_the_tables_words(number: int, text: str) -> None:
    assert str(explain(OSError(number, "Too many open files"))[0]) == text


def test_names_that_are_taken_are_counted_up(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    names = []
    for _ in range(3):
        kept = aside_path(path)
        kept.touch()
        names.append(kept.name)
    assert names == ["a.damaged.json", "a.damaged-2.json", "a.damaged-3.json"]


# Printed values


def entry(seq: int, command: object) -> Entry:
    """An entry of a game."""
    return Entry(seq=seq, command=command, events=(), actor=TABLE, source="touch", at_ms=0)  # type: ignore[arg-type]


def test_printed_values_are_remembered_for_later_games(tmp_path: Path) -> None:
    values = PrintedValues(tmp_path / "printed")
    assert values.of("sfw96") == {}
    values.remember("sfw96", (entry(1, AddNote(text="no value")),))
    assert not (tmp_path / "printed").exists()
    values.remember(
        "sfw96", (entry(2, EnterPrintedValue("tank.hit", 7)), entry(3, EnterPrintedValue("x", 1)))
    )
    values.remember(
        "sfw96", (entry(4, EnterPrintedValue("tank.hit", 8)), entry(5, EnterPrintedValue("x", None)))
    )
    values.remember("aana", (entry(1, EnterPrintedValue("x", 3)),))
    assert PrintedValues(tmp_path / "printed").of("sfw96") == {"tank.hit": 8}


def test_printed_values_travel_to_another_box(tmp_path: Path) -> None:
    mine, theirs = PrintedValues(tmp_path / "mine"), PrintedValues(tmp_path / "theirs")
    mine.remember("sfw96", (entry(1, EnterPrintedValue("a", 1)), entry(2, EnterPrintedValue("b", 2))))
    theirs.remember("sfw96", (entry(1, EnterPrintedValue("b", 9)), entry(2, EnterPrintedValue("c", 3))))
    stick = tmp_path / "stick"
    stick.mkdir()
    written = mine.export("sfw96", stick)
    assert written == stick / "sfw96.json"
    assert theirs.import_file(written) == ("sfw96", 2)
    assert theirs.of("sfw96") == {"a": 1, "b": 2, "c": 3}
    assert msgspec.json.decode(written.read_bytes())["version"] == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"nonsense", "expected JSON"),
        (
            b'{"format":"x","version":1,"game":"sfw96","values":{}}',
            "key format: expected table-companion-printed",
        ),
        (
            b'{"format":"table-companion-printed-values","version":2,"game":"sfw96","values":{}}',
            "key version: expected 1 or less, got 2; update Table Companion",
        ),
        (
            b'{"format":"table-companion-printed-values","version":1,"game":"../x","values":{}}',
            "key game: expected the key of a game, got '../x'",
        ),
    ],
)
def test_other_files_are_not_taken_for_printed_values(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "values.json"
    path.write_bytes(content)
    with pytest.raises(FileValueError) as fault:
        PrintedValues(tmp_path / "mine").import_file(path)
    assert text in str(fault.value)
    assert not (tmp_path / "mine").exists()


def test_a_damaged_file_of_printed_values_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "sfw96.json").write_bytes(b"{broken")
    values = PrintedValues(tmp_path)
    assert values.of("sfw96") == {}
    assert "kept as sfw96.damaged.json" in str(values.take_warning())


# PIN


def test_a_pin_is_kept_as_a_salted_hash() -> None:
    first, second = hash_pin("4711"), hash_pin("4711")
    assert first != second
    assert "4711" not in first
    assert is_pin("4711", first)
    assert not is_pin("4712", first)
    assert hash_pin("") == ""


@pytest.mark.parametrize(
    "rubbish",
    ["x", "md5$abc", "scrypt$1073741824$8$1$" + "00" * 16 + "$" + "00" * 32, "scrypt$0$8$1$zz$00", "é" * 200],
)
def test_no_pin_fits_what_is_no_hash_and_its_cost_is_never_paid(rubbish: str) -> None:
    assert not is_pin_hash(rubbish)
    assert not is_pin("4711", rubbish)
    assert is_pin_hash(hash_pin("4711"))


def test_a_pins_name_tells_nothing_and_no_pin_fits_it() -> None:
    for name in ("pin:elsewhere", "pin:0123456789abcdef"):
        assert is_pin_hash(name)
        assert not is_pin("4711", name)
        assert public_name(name) == name
    assert public_name(hash_pin("4711")) == "pin:elsewhere"
    assert public_name("") == ""


def test_wrong_pins_slow_down_and_a_restart_forgives_nothing(tmp_path: Path) -> None:
    time = ManualTime(0)
    stored = hash_pin("4711")
    guard = PinGuard(tmp_path / "tries.json", time)
    for _ in range(2):
        assert not guard.check("game", "0000", stored)
    assert guard.wait_ms("game") == 0
    assert not guard.check("game", "0000", stored)
    assert guard.wait_ms("game") == 5_000
    assert not guard.check("game", "4711", stored), "right, but too early: not looked at"
    time.advance(5_000)
    assert not guard.check("game", "0000", stored)
    assert guard.wait_ms("game") == 10_000
    assert guard.wait_ms("another game") == 0
    time.advance(9_000)
    time.reboot("boot-2", 0)
    guard = PinGuard(tmp_path / "tries.json", time)
    assert guard.wait_ms("game") == 10_000
    time.advance(10_000)
    assert guard.check("game", "4711", stored)
    assert not guard.check("game", "0000", stored)
    assert guard.wait_ms("game") == 0


def test_the_wait_ends_at_five_minutes_and_no_pin_needs_none(tmp_path: Path) -> None:
    time = ManualTime(0)
    guard = PinGuard(tmp_path / "tries.json", time)
    assert guard.check("game", "anything", "")
    stored = hash_pin("1")
    for _ in range(12):
        guard.check("game", "2", stored)
        time.advance(guard.wait_ms("game"))
    guard.check("game", "2", stored)
    assert guard.wait_ms("game") == 300_000


def test_damaged_tries_are_forgotten_not_fatal(tmp_path: Path) -> None:
    path = tmp_path / "tries.json"
    path.write_text('{"game": {"wrong": "many"}}')
    assert PinGuard(path, ManualTime(0)).wait_ms("game") == 0


# Crash files


def test_a_crash_file_tells_where_and_keeps_no_local_values(tmp_path: Path) -> None:
    def fail(pin: str) -> None:
        raise KeyError(f"no such PIN: {pin}")

    folder = CrashFolder(tmp_path / "crashes", "1.2.3")
    try:
        fail(str(4710 + 1))
    except KeyError as fault:
        path = folder.write(fault, "a test")
    assert path is not None
    text = path.read_text()
    assert text.startswith("Table Companion 1.2.3\n")
    assert "where: a test" in text
    assert text.endswith("builtins.KeyError"), "its type, and nothing that it quotes"
    assert "in fail" in text
    assert "4711" not in text.replace(str(tmp_path), "")
    assert stat.S_ISREG(path.stat().st_mode)


def test_only_the_newest_crash_files_stay(tmp_path: Path) -> None:
    folder = CrashFolder(tmp_path, "1")
    for number in range(25):
        folder.write(ValueError(), f"test {number}")
    texts = [path.read_text() for path in tmp_path.glob("crash *.txt")]
    assert len(texts) == 20
    assert any("where: test 24\n" in text for text in texts)


def test_uncaught_exceptions_of_any_thread_leave_a_crash_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", lambda *_args: None)
    monkeypatch.setattr(threading, "excepthook", lambda _args: None)
    before = sys.excepthook, threading.excepthook
    stop = CrashFolder(tmp_path, "1").watch()

    def fail() -> None:
        raise RuntimeError("in a thread")

    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join(10)
    sys.excepthook(ValueError, ValueError("in the main thread"), None)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert len(list(tmp_path.glob("running *.txt"))) == 1
    stop()
    assert list(tmp_path.glob("running *.txt")) == []
    assert (sys.excepthook, threading.excepthook) == before
    texts = [path.read_text() for path in tmp_path.glob("crash *.txt")]
    assert len(texts) == 2
    assert any("where: thread worker" in text and "in a thread" in text for text in texts)


def test_a_crash_below_python_leaves_the_stack(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from companion.session.crash import CrashFolder\n"
        "CrashFolder(Path(sys.argv[1]), '1.2.3').watch()\n"
        "def deep(): os.kill(os.getpid(), signal.SIGSEGV)\n"
        "deep()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGSEGV
    folder = CrashFolder(tmp_path, "1.2.3")
    path = folder.take_ended()
    assert path is not None
    assert list(tmp_path.glob("crash * hard.txt")) == [path]
    assert list(tmp_path.glob("running *")) == []
    assert folder.take_ended() is None, "it is told once"
    text = path.read_text()
    assert text.startswith("Table Companion 1.2.3")
    assert "Segmentation fault" in text
    assert "in deep" in text


def test_no_crash_file_lies_there_while_nothing_crashed(tmp_path: Path) -> None:
    """A running program, and one that was killed, leave no crash file; another start leaves a running one alone."""
    stop = CrashFolder(tmp_path, "1").watch()
    try:
        assert list(tmp_path.glob("crash*")) == []
        assert CrashFolder(tmp_path, "1").take_ended() is None
        assert len(list(tmp_path.glob("running *.txt"))) == 1
    finally:
        stop()
    code = (
        "import os, signal, sys; from pathlib import Path; from companion.session.crash import CrashFolder\n"
        "CrashFolder(Path(sys.argv[1]), '1').watch(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False)
    assert len(list(tmp_path.glob("running *.txt"))) == 1
    assert CrashFolder(tmp_path, "1").take_ended() is None
    assert list(tmp_path.iterdir()) == []


def test_only_a_fault_that_ended_the_program_is_told_at_the_next_start(tmp_path: Path) -> None:
    folder = CrashFolder(tmp_path, "1")
    assert folder.take_ended() is None
    folder.write(ValueError("a screen"), "a screen")
    assert folder.take_ended() is None
    path = folder.write(ValueError("the window"), "the window", ends_program=True)
    assert CrashFolder(tmp_path, "1").take_ended() == path
    assert CrashFolder(tmp_path, "1").take_ended() is None


def test_a_crash_file_that_cannot_be_written_is_no_second_crash_and_is_kept_until_it_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "crashes").touch()
    folder = CrashFolder(tmp_path / "crashes", "1")
    folder.note("sfw96", 41, "EndAct")
    assert folder.write(ValueError("first"), "a test") is None
    assert folder.write(KeyError("second"), "a test") is None
    assert "ValueError" in folder.unsaved
    assert "game: sfw96, entry: 41, last command: EndAct" in folder.unsaved
    assert "KeyError" in capsys.readouterr().err
    (tmp_path / "crashes").unlink()
    assert folder.write(OSError("third"), "a test") is not None
    assert folder.unsaved == ""
    texts = [path.read_text() for path in (tmp_path / "crashes").glob("crash *.txt")]
    assert sorted(text.splitlines()[-1] for text in texts) == ["builtins.OSError", "builtins.ValueError"]


def test_a_crash_file_names_where_the_game_stood(tmp_path: Path) -> None:
    folder = CrashFolder(tmp_path, "1")
    for about, words in (
        (("aana", 7, "RollFire"), "game: aana, entry: 7, last command: RollFire"),
        (("", 0, ""), "game: none"),
    ):
        folder.note(*about)
        path = folder.write(ValueError("x"), "a test")
        assert path is not None
        assert words in path.read_text().splitlines()


def test_a_crash_below_python_names_where_the_game_stood(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from companion.session.crash import CrashFolder\n"
        "folder = CrashFolder(Path(sys.argv[1]), '1'); folder.watch()\n"
        "folder.note('med', 1, 'StartGame'); folder.note('med', 12, 'EndAct')\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False)
    path = CrashFolder(tmp_path, "1").take_ended()
    assert path is not None
    text = path.read_text()
    assert "game: med, entry: 12, last command: EndAct" in text
    assert "StartGame" not in text
    assert "Segmentation fault" in text


# Listeners


def test_listeners_come_and_go_and_one_fault_stops_nobody() -> None:
    faults: list[BaseException] = []
    listeners: Listeners[int] = Listeners(faults.append)
    heard: list[int] = []

    def bad(_value: int) -> None:
        raise ValueError("bad")

    listeners.add(bad)
    held = listeners.add(heard.append)
    listeners.tell(1)
    held.cancel()
    held.cancel()
    listeners.tell(2)
    assert heard == [1]
    assert [str(fault) for fault in faults] == ["bad", "bad"]


def test_many_who_write_at_once_lose_nothing_and_tear_nothing(tmp_path: Path) -> None:
    """Eight write one file, and beside it one each: nobody fails, the one is whole, and the eight are all there."""
    texts = [bytes([letter]) * 200_000 for letter in b"abcdefgh"]

    def write(text: bytes) -> Path:
        write_whole(tmp_path / "settings.json", text)
        return write_beside(tmp_path / "film.html", text)

    with ThreadPoolExecutor(len(texts)) as pool:
        names = list(pool.map(write, texts))
    assert (tmp_path / "settings.json").read_bytes() in texts
    assert [name.read_bytes() for name in names] == texts
    assert len(list(tmp_path.iterdir())) == 1 + len(texts)


def test_one_who_has_stopped_while_it_wrote_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_WAIT_S", 0.02)
    stopped = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(stopped, fcntl.LOCK_EX)
    write_whole(tmp_path / "settings.json", b"{}")
    assert (tmp_path / "settings.json").read_bytes() == b"{}"
    os.close(stopped)
