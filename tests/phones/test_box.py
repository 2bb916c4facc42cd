"""Phones on the box: the port is opened outside and handed to a gateway that has no network; the program only says a word."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.adapters import child_server
from companion.adapters.phones_box import BoxPhones
from companion.testing.waiting import until

TOP = Path(__file__).parents[2]


def has_namespaces() -> bool:
    unshare = shutil.which("unshare")
    return (
        unshare is not None
        and not subprocess.run([unshare, "-n", "true"], capture_output=True, check=False).returncode
    )


class System:
    """What systemd and the helper do at a word."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.words = folder, list[str]()
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def ask(self, word: str) -> bool:
        self.words.append(word)
        if word == "addresses":
            (self.folder / "addresses").write_text("127.0.0.2\nnonsense\n8.8.8.8\n192.168.7.9\n")
        elif word == "phoneson" and self.process is None:
            with socket.create_server(("0.0.0.0", self.port)) as made:
                self.port = made.getsockname()[1]
                command = [sys.executable, "-m", "companion", "gateway", "--fd", str(made.fileno())]
                command += ["--socket", str(self.folder / "phones.sock")]
                outside = ["unshare", "-n"] if has_namespaces() else []
                self.process = subprocess.Popen([*outside, *command], cwd=TOP, pass_fds=(made.fileno(),))
        elif word == "phonesoff":
            self.end()
        return True

    def end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


def test_addresses_are_asked_for_and_only_private_ones_are_offered(tmp_path: Path) -> None:
    system = System(tmp_path)
    box = BoxPhones(tmp_path, system.ask)
    assert box.addresses() == ()
    box.look()
    box.look()
    assert system.words == ["addresses"], "not again before it had time to answer"
    assert box.addresses() == ("192.168.7.9",)
    (tmp_path / "addresses").write_bytes(b"\xff\xfe" * 600)
    assert box.addresses() == ()
    assert box.may_call(os.getuid())
    assert not box.may_call(65_533)


@pytest.mark.long
def test_a_gateway_without_a_network_answers_by_the_port_that_was_handed_over(table: Any) -> None:
    system = System(table.home)
    table.start()
    with socket.create_server(("0.0.0.0", 0)) as made:
        system.port = made.getsockname()[1]
    table.link._port = system.port
    table.link.box = BoxPhones(table.home, system.ask)
    try:
        table.turn_on()
        assert system.words == ["phoneson"]
        assert table.address == f"127.0.0.1:{system.port}"
        cookie = table.join()
        assert "Italy" in table.ask("GET", "/table", Cookie=cookie)[2]
        assert table.ask("GET", "/", Host=f"0.0.0.0:{system.port}")[0] == 400
        if has_namespaces():
            assert system.process is not None
            net = os.readlink(f"/proc/{system.process.pid}/ns/net")
            assert net != os.readlink("/proc/self/ns/net")
        table.link.turn_off()
        assert system.words[-1] == "phonesoff"
        assert system.process is None
    finally:
        system.end()


@pytest.mark.long
def test_a_frozen_gateway_of_the_boxs_own_user_is_ended_and_started_again_by_the_system(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program may not end another user's process: it says the word, and the system does it."""
    monkeypatch.setattr(child_server, "_SILENT_S", 2.6)
    monkeypatch.setattr(child_server, "_STOPS_S", 0.5)
    system, told, ends = System(table.home), list[Any](), os.kill
    table.start()
    with socket.create_server(("0.0.0.0", 0)) as made:
        system.port = made.getsockname()[1]
    table.link._port = system.port
    table.link.box = BoxPhones(table.home, system.ask)
    monkeypatch.setattr(table.link, "tell", told.append)
    try:
        table.turn_on()
        cookie = table.join()
        assert system.process is not None
        frozen = system.process.pid
        ends(frozen, signal.SIGSTOP)

        def kill(pid: int, sign: int) -> None:
            if pid == frozen and sign == signal.SIGKILL:
                raise PermissionError(errno.EPERM, "Operation not permitted")
            ends(pid, sign)
            if pid == frozen:  # as systemd does after every end that it asks for
                ends(pid, signal.SIGCONT)

        monkeypatch.setattr(os, "kill", kill)
        until(lambda: system.words == ["phoneson", "phonesoff", "phoneson"], 30)
        until(lambda: table.link.state.is_connected, 30)
        assert system.process.pid != frozen
        assert [one.level for one in told] == ["warning"]
        until(lambda: "Italy" in table.ask("GET", "/table", Cookie=cookie)[2])  # the same evening
        seq = table.desk.change.seq
        table.press()
        assert table.desk.change.seq > seq
    finally:
        table.link.turn_off()
        system.end()
