"""A table with phones on: a real desk over a real folder, and a real gateway process on loopback."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.phones import PhoneLink
from companion.adapters.shell import ShellDesk
from companion.pages.table import main_command
from companion.testing.waiting import until

collect_ignore_glob = [] if find_spec("uvicorn") else ["test_*.py"]
"""Without the extra for phones none of these tests can run."""


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


class Table:
    """A desk, and what lets phones watch it."""

    def __init__(self, home: Path) -> None:
        self.home, self.faults = home, []
        self.desk = ShellDesk(home / "data", GameCatalogue(), post=lambda call: call())
        self.link = self.new_link()

    faults: list[BaseException]

    def new_link(self) -> PhoneLink:
        return PhoneLink(
            self.desk,
            self.home / "keys",
            post=lambda call: call(),
            wall_ms=self.desk.time.wall_ms,
            on_fault=self.faults.append,
            folder=lambda: self.home,
            port=free_port(),
        )

    def start(self, game: str = "sfw96", scenario: str = "italy", **options: Any) -> None:
        self.desk.start(self.desk.make_setup(game, scenario, options or {"players": 2, "tournament": True}))
        until(lambda: self.desk.change is not None)

    def turn_on(self) -> None:
        self.link.turn_on("127.0.0.1")
        until(lambda: self.link.state.is_connected)

    def press(self) -> None:
        change = self.desk.change
        assert change is not None
        seq = change.seq
        self.desk.send(main_command(change.state, self.desk.now_ms()))
        until(lambda: self.desk.change is not None and self.desk.change.seq > seq)

    @property
    def address(self) -> str:
        return self.link.state.address

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def ask(
        self, method: str, path: str, body: str | bytes = b"", **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Ask the gateway once and return status, headers and text."""
        host, _colon, port = self.address.rpartition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=20)
        try:
            connection.request(
                method, path, body or None, {k.replace("_", "-"): v for k, v in headers.items()}
            )
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read().decode()
        finally:
            connection.close()

    def join(self) -> str:
        """Come in with tonight's code and return the cookie."""
        status, told, _text = self.ask(
            "POST", "/join", f"code={self.link.state.code}", Origin=self.url, Cookie="met=1"
        )
        assert status == 303
        return told["set-cookie"].partition(";")[0]

    def gateways(self) -> list[int]:
        """Return the processes that serve this table."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                try:
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"gateway" in words and str(self.link.socket_path()).encode() in words:
                    found.append(int(folder.name))
        return found

    def close(self) -> None:
        self.link.close()
        self.desk.close()
        for pid in self.gateways():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def table() -> Iterator[Table]:
    with tempfile.TemporaryDirectory(prefix="companion-phones-") as home:  # a socket's path must be short
        made = Table(Path(home))
        yield made
        made.close()
        assert made.faults == []
