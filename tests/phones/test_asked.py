"""``companion phones`` beside a program that runs: on, off, status, kick, lock, and what it says where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.phones_asked import PhonesAsked, ask_file, told_file
from companion.phones_command import main
from companion.session.files import write_whole
from companion.testing.waiting import until

TOP = Path(__file__).parents[2]


@pytest.fixture
def asked(table: Any) -> Iterator[Any]:
    """A table whose program looks for questions."""
    ends, ends_ok = threading.Event(), []
    looks = PhonesAsked(table.home, table.link)

    def run() -> None:
        while not ends.wait(0.02):
            looks.look()
        ends_ok.append(True)

    (table.home / "keys").mkdir(exist_ok=True)
    thread = threading.Thread(target=run)
    thread.start()
    yield table
    ends.set()
    thread.join()
    assert ends_ok


def test_phones_are_turned_on_looked_at_locked_and_turned_off_from_a_command_line(
    asked: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*args: str) -> tuple[int, str, str]:
        code = main([*args, "--home", str(asked.home)])
        told = capsys.readouterr()
        return code, told.out, told.err

    asked.start()
    assert run("status")[:2] == (0, "Phones are off.\n")
    assert run("lock")[0] == 1
    assert "is no address of this machine" in run("on", "--address", "10.99.99.99")[2]
    code, out, _err = run("on", "--address", "127.0.0.1")
    assert (code, asked.link.state.is_connected) == (0, True), (out, _err)
    assert asked.link.state.code[:4] in out
    cookie = asked.join()
    asked.ask("POST", "/act", "act=sit&answer.seat=axis&answer.name=Anna", Origin=asked.url, Cookie=cookie)
    until(lambda: asked.link.state.wishes)
    assert "Asks:      axis  Anna" in run("status")[1]
    asked.link.seat("yes", asked.link.state.wishes[0].token)
    until(lambda: asked.link.state.seats)
    assert "Seat:      axis  Anna" in run("status")[1]
    assert "no phone holds 'allies'" in run("kick", "allies")[2]
    assert run("kick", "axis")[0] == 0
    until(lambda: not asked.link.state.seats)
    for what, is_locked in (("lock", True), ("open", False)):
        assert run(what)[0] == 0
        until(lambda wanted=is_locked: asked.link.state.is_locked is wanted)
    assert run("off")[:2] == (0, "Phones are off.\n")
    assert asked.gateways() == []
    assert not ask_file(asked.home).exists()
    assert not told_file(asked.home).exists(), "an evening's code stays in no file"
    for bad in (("kick",), ("on", "axis"), ("off", "--address", "127.0.0.1")):
        assert run(*bad)[0] == 2


def test_an_old_or_garbled_question_turns_nothing_on(table: Any) -> None:
    (table.home / "keys").mkdir()
    looks, asks = PhonesAsked(table.home, table.link), ask_file(table.home)
    old = time.time() - 60
    for data, at in (
        (b'{"id":"1","what":"on","value":"127.0.0.1"}', old),
        (b"\xff\xfe{", None),
        (b"[" * 5000, None),
    ):
        asks.write_bytes(data)
        if at is not None:
            os.utime(asks, (at, at))
        looks.look()
        assert not asks.exists() or data.startswith(b"\xff")
        asks.unlink(missing_ok=True)
    assert not table.link.state.is_on
    assert not told_file(table.home).exists()


def test_an_answer_that_has_no_place_ends_nothing(table: Any) -> None:
    (table.home / "keys").mkdir()
    told_file(table.home).mkdir()
    ask_file(table.home).write_bytes(b'{"id":"1","what":"status"}')
    PhonesAsked(table.home, table.link).look()
    assert not ask_file(table.home).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_what_root_asks_belongs_to_whose_program_it_is(tmp_path: Path) -> None:
    tmp_path.joinpath("keys").mkdir()
    os.chown(tmp_path / "keys", 65534, 65534)
    write_whole(ask_file(tmp_path), b"{}", mode=0o600, is_folders=True)
    found = ask_file(tmp_path).stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (65534, 65534, 0o600)


def test_without_a_program_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--home", str(tmp_path / "none")]) == 1
    assert "answers" in capsys.readouterr().err


@pytest.mark.long
def test_the_demos_phones_are_asked_from_another_process(tmp_path: Path, port: int) -> None:
    home = tmp_path / "home"
    command = [sys.executable, "-m", "companion", "browser", "--port", str(port), "--home", str(home)]
    with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True) as shown:
        try:
            assert shown.stdout is not None
            address = shown.stdout.readline()
            asks = [sys.executable, "-m", "companion", "phones", "status", "--home", str(home)]
            told = subprocess.run(
                asks, cwd=TOP, capture_output=True, text=True, timeout=60, check=True
            ).stdout
            code = address.strip().rpartition("/")[2]
            assert f"{code[:4]} {code[4:]}" in told
        finally:
            shown.terminate()
