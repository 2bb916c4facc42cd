"""The director's page as a running process: who may see it, what its forms do to the record, and what a browser shows."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import ipaddress
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from companion.cli import main
from companion.hall.desk.ca import print_of
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.port import NoLink
from companion.hall.errors import HallError
from companion.hall.store import Store
from companion.testing.chromium import CHROMIUM, Browser
from companion.testing.waiting import until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament of four."""
    cup = tmp_path / "cup"
    (tmp_path / "p.csv").write_text("name\nAnna <b>\nBen\nCarl\nDora\n", encoding="utf-8")
    assert main(["hall", "new", str(cup), "--name", "Cup & Co", "--seed", "abc", "--minutes", "90"]) == 0
    assert main(["hall", "import", str(cup), str(tmp_path / "p.csv")]) == 0
    return cup


class Running:
    """A director's process and a browser of few words."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "companion", "hall", "run", str(folder), "--port", "0", "--headless"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://([\d.]+):(\d+)/in   director's code (\w+ \w+)", line)
        assert found is not None, line
        self.port, self.code = int(found[2]), found[3]
        self.host = f"{found[1]}:{self.port}"
        self.cookie = ""

    def ask(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Host": self.host, "Cookie": self.cookie, **headers}
        if method == "POST":
            sent = {
                "Origin": f"http://{self.host}",
                "Content-Type": "application/x-www-form-urlencoded",
                **sent,
            }
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, {name.lower(): value for name, value in answer.getheaders()}

    def enter(self) -> None:
        status, _text, headers = self.ask("POST", "/in", urlencode({"code": self.code.lower()}))
        assert status == 303
        assert "HttpOnly" in headers["set-cookie"]
        assert "SameSite=strict" in headers["set-cookie"]
        self.cookie = headers["set-cookie"].partition(";")[0]

    def act(self, page: str, **fields: object) -> str:
        """Send the form of a page as its browser would, and return what was told."""
        _status, text, _headers = self.ask("GET", page)
        token = re.search(r'name="token" value="(\w+)"', text)
        assert token is not None, text[:500]
        status, _text, headers = self.ask(
            "POST", "/act", urlencode({"token": token[1], **{k: str(v) for k, v in fields.items()}}),
            Referer=f"http://{self.host}{page}",
        )  # fmt: skip
        assert status == 303
        _status, text, _headers = self.ask("GET", headers["location"])
        told = re.search(r'<p id="told"[^>]*>(.*?)</p>', text)
        return "" if told is None else unescape(told[1])

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(20)
        finally:
            self.close()

    def close(self) -> None:
        """End it without asking."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture
def running(folder: Path) -> Iterator[Running]:
    """The folder's page, served."""
    made = Running(folder)
    yield made
    made.close()


def test_a_hall_full_of_open_pages_does_not_shut_the_director_out(running: Running) -> None:
    running.enter()
    crowd = []
    for n in range(104):
        one = socket.socket()
        one.bind((f"127.0.0.{2 + n // 8}", 0))
        one.settimeout(20)
        one.connect(("127.0.0.1", running.port))
        one.sendall(f"GET /live/hall HTTP/1.1\r\nHost: {running.host}\r\n\r\n".encode())
        crowd.append(one)
    with contextlib.suppress(ConnectionError):
        answers = [one.recv(12) for one in crowd[:96]]
    assert answers.count(b"HTTP/1.1 200") == 64 - 8
    assert running.ask("GET", "/")[0] == 200
    live = socket.create_connection(("127.0.0.1", running.port), 20)
    live.sendall(
        f"GET /live/wall HTTP/1.1\r\nHost: {running.host}\r\nCookie: {running.cookie}\r\n\r\n".encode()
    )
    assert live.recv(12) == b"HTTP/1.1 200"
    for one in (*crowd, live):
        one.close()


def test_a_director_with_a_laptop_and_paper_plays_a_round_on_the_page(running: Running, folder: Path) -> None:
    status, _text, headers = running.ask("GET", "/")
    assert (status, headers["location"]) == (303, "/in"), "nothing is seen without the code"
    assert running.ask("POST", "/in", urlencode({"code": "WRONGONE"}))[0] == 403
    running.enter()
    for table in ("9" * 5000, "0", "1", "x", "²", "-1"):
        assert running.ask("GET", f"/t/{quote(table)}")[0] == 404
    assert "is paired: 2 tables" in running.act("/round", act="pair", system="swiss")
    assert "Round 1 runs" in running.act("/round", act="start")
    first = Store(folder).tournament.rounds[0].tables[0].first
    slip = {"round": 1, "table": 1, "winner": first, "how": "played", "vp1": 12, "vp2": 8}
    assert "two different names" in running.act("/t/1", act="paper", eye1="Ann", eye2="ann", **slip)
    assert running.act("/t/1", act="paper", eye1="Ann", eye2="Bob", **slip) == "Table 1: taken."
    assert "same as reported" in running.act("/t/1", act="paper", eye1="Eve", eye2="Bob", **slip)
    told = running.act("/t/1", act="paper", eye1="Eve", eye2="Bob", **{**slip, "winner": "draw"})
    assert "DISPUTE" in told
    assert "In dispute: table 1" in running.ask("GET", "/round")[1]
    assert running.act("/t/1", act="decide", reason="both asked", **slip) == "Table 1: decided."
    assert main(["hall", "result", str(folder), "2", "draw"]) == 0, "other commands go on beside the page"
    assert "Every result is in" in running.ask("GET", "/round")[1]
    assert "of round 1, and round 2" in (
        running.act("/round", act="pair", system="swiss")
        and running.act("/round", act="paper", eye1="a", eye2="b", **slip)
    )
    status, text, headers = running.ask("GET", "/paper")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    hashed = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{hashed}'" in headers["content-security-policy"], (
        "a browser lets its style through"
    )
    status, text, headers = running.ask("GET", "/standings")
    assert "Anna &lt;b&gt;" in text
    assert "<b>" not in text.partition("<main")[2].replace("<b class", "")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert running.act("/round", act="announce", text="Food & drink") == "The hall sees it."
    cookie, running.cookie = running.cookie, ""
    status, text, _headers = running.ask("GET", "/hall")
    assert status == 200
    assert "Food &amp; drink" in text
    assert "where you play" in text
    assert running.ask("POST", "/act", urlencode({"act": "pair"}))[2]["location"] == "/in"
    running.cookie = cookie
    assert running.ask("POST", "/act", urlencode({"act": "pair", "token": "0" * 32}))[0] == 403
    assert running.ask("POST", "/act", "act=pair", Origin="http://evil.example")[0] == 403
    assert running.ask("GET", "/", Host="evil.example")[0] == 400
    assert running.ask("POST", "/act", "a" * 5000)[0] == 413
    assert running.ask("GET", "/live/wall")[0] == 403 if not running.cookie else True
    assert main(["hall", "check", str(folder)]) == 0
    assert running.stop() == 0


@pytest.mark.long
def test_a_folder_is_run_once_and_what_cannot_be_run_is_said_in_a_line(
    running: Running, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        other = tmp_path / "other"
        assert main(["hall", "new", str(other), "--name", "Other"]) == 0
        (tmp_path / "bad").mkdir()
        (tmp_path / "bad" / "tournament.hall").write_bytes(b"SQLite format 3\0 and then nothing")
        for call, why in (
            ((folder, "--port", "0"), f"is run already (process {running.process.pid})"),
            ((other, "--port", port), "cannot be used"),
            ((other, "--address", "0.0.0.0"), "one address of the hall's own network"),
            ((other, "--address", "hall"), "expected an address of this machine"),
            ((tmp_path / "none",), "holds no tournament"),
            ((tmp_path / "bad", "--port", "0"), "is damaged"),
        ):
            capsys.readouterr()
            assert main(["hall", "run", *map(str, call), "--headless"]) == 1
            told = capsys.readouterr().err
            assert why in told
            assert told.count("\n") == 1
    running.close()
    again = Running(folder)
    assert again.stop() == 0, "a killed director's folder is free"


@pytest.mark.long
def test_wrong_codes_and_too_many_streams_are_turned_away(running: Running) -> None:
    for _try in range(5):
        assert running.ask("POST", "/in", urlencode({"code": "AAAAAAAA"}))[0] == 403
    status, text, _headers = running.ask("POST", "/in", urlencode({"code": running.code}))
    assert status == 429
    assert "Wait a minute" in text
    with socket.create_connection(("127.0.0.1", running.port)) as slow:
        slow.settimeout(15)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        began = time.monotonic()
        assert slow.recv(1) == b""
        assert time.monotonic() - began < 10, "a request that never becomes whole is let go"


def test_a_full_disk_is_told_and_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(folder, NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    before = Store(folder).kept

    def full(_file: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("companion.hall.store.os.fsync", full)
    with pytest.raises(HallError, match=r"No space left on device; nothing was changed"):
        desk.act({"act": "pair", "system": "swiss"})
    monkeypatch.undo()
    assert Store(folder).kept == before
    assert str(desk.act({"act": "pair", "system": "swiss"})[0]).startswith("Round 1 is paired")
    (folder / "tournament.hall").write_bytes(b"no record any more")
    assert desk.reread()
    assert "damaged" in str(desk.view().link)
    with pytest.raises(HallError, match="damaged"):
        desk.act({"act": "announce", "text": "x"})


@pytest.mark.parametrize("kind", ["add_time", "adjourn", "end", "ask_log", "retire"])
def test_an_order_of_one_table_goes_to_no_other_with_it(folder: Path, kind: str) -> None:
    desk = Desk(folder, NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    with pytest.raises(HallError, match="to: expected one table, got 'all'"):
        desk.act({"act": "order", "to": "all", "kind": kind, "side": "axis", "seconds": "9", "reason": "x"})


def test_a_blank_reason_changes_nothing_and_fewer_points_are_pointed_at(folder: Path) -> None:
    desk = Desk(folder, NoLink(), now_ms=lambda: 0, wall=lambda: datetime(2026, 5, 2, tzinfo=UTC))
    desk.act({"act": "pair", "system": "swiss"})
    pairing = desk.now.rounds[0].tables[0]
    seats = {"one": str(pairing.first), "other": str(desk.now.rounds[0].tables[1].first)}
    slip = {"round": "1", "table": "1", "winner": str(pairing.second), "vp1": "12", "vp2": "8"}
    before = Store(folder).kept
    for act in ({"act": "cancel"}, {"act": "swap", **seats}, {"act": "decide", **slip}):
        with pytest.raises(HallError, match="a reason is needed"):
            desk.act({**act, "reason": " \t "})
    assert Store(folder).kept == before
    told, _page = desk.act({"act": "paper", "eye1": "Ann", "eye2": "Bob", **slip})
    assert str(told) == "Table 1: taken. Won without more points: correct it if that is wrong."
    told, _page = desk.act({"act": "decide", "reason": "upside down", **slip, "vp1": "8", "vp2": "12"})
    assert str(told) == "Table 1: decided."


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.long
def test_a_real_browser_sees_the_wall_move_by_itself(running: Running, folder: Path) -> None:
    assert main(["hall", "pair", str(folder)]) == 0
    with Browser() as browser:
        tab = browser.open(f"http://{running.host}/in?code={running.code.replace(' ', '')}")
        tab.press("button.main")
        tab.wait(
            "document.querySelectorAll('.tile').length === 2 && document.getElementById('link').textContent === 'Live'"
        )
        assert main(["hall", "result", str(folder), "1", "draw"]) == 0
        tab.wait("document.querySelector('#t1.done') !== null")
        assert tab.eval("[...document.querySelectorAll('.tile')].map(one => one.id).join()") == "t2,t1"
        assert all(url.startswith(f"http://{running.host}/") for url in browser.requests())
        assert browser.complaints() == []


@pytest.mark.long
def test_the_hall_without_its_extra_says_so() -> None:
    """What is missing is named, not a traceback."""
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from companion.cli import main; sys.exit(main(['hall', 'run', 'nowhere', '--headless']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "uvicorn is missing; install table-companion[hall]" in done.stderr


def _own_address() -> str:
    """Return an address of this machine in a network; empty where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking, contextlib.suppress(OSError):
        asking.connect(("198.51.100.1", 9))  # nothing is sent
        found = ipaddress.ip_address(asking.getsockname()[0])
        return str(found) if found.is_private and not found.is_loopback else ""
    return ""


def test_in_a_network_the_page_goes_over_tls_with_the_halls_own_authority_and_never_plain(
    folder: Path,
) -> None:
    pytest.importorskip("cryptography")
    address = _own_address()
    if not address:
        pytest.skip("NOT TESTED: this machine is in no network")
    call = [sys.executable, "-m", "companion", "hall", "run", str(folder), "--port", "0", "--headless"]
    process = subprocess.Popen([*call, "--address", address], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        told = process.stdout.readline() + process.stdout.readline()
        found = re.search(rf"https://{address}:(\d+)/in   director's code (\w+ \w+)", told)
        assert found is not None, told
        ca = folder / "desk" / "broker" / "ca.pem"
        assert print_of(ca.read_bytes()) in told, "what a person compares"
        context = ssl.create_default_context(cafile=str(ca))  # the name is checked too
        connection = http.client.HTTPSConnection(address, int(found[1]), timeout=20, context=context)
        connection.request("GET", "/ca.pem")
        assert connection.getresponse().read() == ca.read_bytes()
        sent = {
            "Origin": f"https://{address}:{found[1]}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        connection.request("POST", "/in", urlencode({"code": found[2]}), sent)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 303
        assert "Secure" in (answer.getheader("set-cookie") or "")
        connection.request("POST", "/in", "", {**sent, "Origin": f"http://{address}:{found[1]}"})
        assert connection.getresponse().status == 403
        connection.close()
        old = ssl.create_default_context(cafile=str(ca))
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        with pytest.raises(ssl.SSLError):
            http.client.HTTPSConnection(address, int(found[1]), timeout=20, context=old).request(
                "GET", "/hall"
            )
        with socket.create_connection((address, int(found[1])), timeout=20) as plain:
            plain.sendall(f"GET /hall HTTP/1.1\r\nHost: {address}:{found[1]}\r\n\r\n".encode())
            with contextlib.suppress(ConnectionError):
                assert b"HTTP" not in plain.recv(4096)
        crowd = [socket.create_connection((address, int(found[1])), timeout=20) for _n in range(60)]
        until(
            lambda: len(select.select(crowd, [], [], 0)[0]) >= 52
        )  # who never shakes hands holds eight at most
        for one in crowd:
            one.close()
        assert all((one.stat().st_mode & 0o077) == 0 for one in (folder / "desk").rglob("*.key"))
    finally:
        process.terminate()
        process.wait(20)
        assert process.stdout is not None
        process.stdout.close()
