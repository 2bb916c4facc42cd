"""The gateway from outside, as a real process: who may ask, what it costs, and what it survives."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from companion.adapters import child_server
from companion.gateway import wire
from companion.testing.waiting import until
from tests.phones.crowd import fetched

TOP = Path(__file__).parents[2]


def is_dropped(one: socket.socket) -> bool:
    """Whether the other side has hung up; nothing is ever sent on it."""
    one.settimeout(0.05)
    try:
        return one.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def raw(address: str, data: bytes, timeout_s: float = 12.0) -> bytes:
    """Send bytes and return all that comes back until the other side hangs up."""
    host, _colon, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout_s) as made:
        made.sendall(data)
        found = b""
        try:
            while chunk := made.recv(1 << 16):
                found += chunk
        except OSError:
            pass
        return found


def hangs_up_after(address: str, first: bytes, drop: bytes = b"") -> float:
    """Send bytes, then some more each half second, and return after how long the other side hangs up."""
    host, _colon, port = address.rpartition(":")
    start = time.monotonic()
    with socket.create_connection((host, int(port)), 15) as made:
        made.settimeout(0.5)
        try:
            made.sendall(first)
            while time.monotonic() - start < 15:
                try:
                    if not made.recv(1 << 16):
                        break
                except TimeoutError:
                    made.sendall(drop)
        except OSError:
            pass
    return time.monotonic() - start


def stream(table: Any, path: str, cookie: str) -> socket.socket:
    """Open a stream."""
    host, _colon, port = table.address.rpartition(":")
    made = socket.create_connection((host, int(port)), 15)
    made.sendall(f"GET {path} HTTP/1.1\r\nHost: {table.address}\r\nCookie: {cookie}\r\n\r\n".encode())
    return made


def read_until(made: socket.socket, wanted: bytes, timeout_s: float = 15.0) -> bytes:
    """Read a stream until something stands in it."""
    made.settimeout(timeout_s)
    found = b""
    while wanted not in found:
        chunk = made.recv(1 << 16)
        assert chunk, found
        found += chunk
    return found


def test_who_may_ask_and_what_every_answer_carries(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    until(lambda: "appears here in a moment" not in table.ask("GET", "/table", Cookie=cookie)[2])
    status, told, text = table.ask("GET", "/table", Cookie=cookie)
    assert status == 200
    assert "Stage 1 of 4" in text or "Set-up" in text
    policy = told["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "same-origin"
    assert told["cache-control"] == "no-store"
    assert not {"server", "access-control-allow-origin"} & set(told)
    port = table.address.rpartition(":")[2]
    for host in (
        "evil.lan",
        f"evil.lan:{port}",
        "127.0.0.1",
        f"127.0.0.1.evil.lan:{port}",
        f"a@127.0.0.1:{port}",
        f"[::1]:{port}",
        "",
    ):
        assert table.ask("GET", "/", Host=host)[0] == 400, host
    two = f"GET / HTTP/1.1\r\nHost: {table.address}\r\nHost: evil.lan\r\n\r\n".encode()
    assert b" 400 " in raw(table.address, two).split(b"\r\n")[0]
    code = f"code={table.link.state.code}"
    for origin in (
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.lan"},
        {"Origin": f"https://{table.address}"},
    ):
        assert table.ask("POST", "/join", code, **origin)[0] == 403, origin
    seq = table.desk.change.seq
    assert table.ask("POST", "/act", "act=end", Origin=table.url, Cookie=cookie)[0] == 303
    assert table.desk.change.seq == seq
    german = {"Cookie": cookie, "Accept-Language": "de-AT,de;q=0.9"}
    for method, path, status in (("DELETE", "/table", 405), ("GET", "/nothing", 404), ("GET", "/act", 404)):
        found, _told, text = table.ask(method, path, **german)
        assert found == status
        assert "Diese Seite gibt es nicht." in text, "in the phone's own language"
    crowded = "&".join("a=1" for _n in range(40))
    assert table.ask("POST", "/join", crowded, Origin=table.url)[0] == 403
    assert table.ask("POST", "/act", crowded, Origin=table.url, Cookie=cookie)[0] == 400
    fast = [table.ask("POST", "/act", "act=end", Origin=table.url, **german)[0::2] for _n in range(25)]
    assert {status for status, _text in fast} == {303, 429}
    assert "Zu viele Tasten auf einmal." in fast[-1][1]
    forged = cookie[:-4] + ("0000" if not cookie.endswith("0000") else "1111")
    for other in ("", "phone=", "phone=x.y", forged, "phone=" + "é" * 30):
        status, told, _text = table.ask("GET", "/table", Cookie=other.encode().decode("latin-1"))
        assert (status, told.get("location")) == (303, "/"), other
        assert table.ask("GET", "/live/table", Cookie=other.encode().decode("latin-1"))[0] == 403
    assert table.ask("GET", "/tv?t=x")[0] == 404
    assert table.ask("GET", f"/tv?t={table.link.state.tv}")[0] == 200
    for path in ("/nothing", "/live/nothing", "/../etc/passwd", "/static/phone.js", "/live/tv"):
        assert table.ask("GET", path, Cookie=cookie)[0] in (403, 404), path
    assert table.ask("GET", f"/j/{table.link.state.code}")[0] == 200
    assert table.ask("GET", "/j/%3Cscript%3E")[2].count("<script") == 0
    # Who keeps no cookies watches by the code, and is told why he has no seat.
    code = table.link.state.code
    for path in ("/", f"/j/{code}", "/s/ticket"):
        assert table.ask("GET", path)[1]["set-cookie"].startswith("met=1; HttpOnly"), path
    status, told, _text = table.ask("POST", "/join", f"code={code}", Origin=table.url)
    assert (status, told["location"], "set-cookie" in told) == (303, f"/table?c={code}", False)
    until(lambda: "appears here in a moment" not in table.ask("GET", told["location"])[2])
    text = table.ask("GET", told["location"])[2]
    assert "Set-up" in text or "Stage 1 of 4" in text
    assert f'href="/log?c={code}"' in text
    assert f'data-live="/live/table?lang=en&amp;c={code}"' in text
    live = stream(table, f"/live/table?lang=en&c={code}", "")
    assert b"<main" in read_until(live, b"</main>")
    live.close()
    asks = f"code={code}&seat=axis&name=Anna"
    status, told, _text = table.ask("POST", "/join", asks, Origin=table.url)
    assert (status, told["location"]) == (303, f"/seat?c={code}")
    assert "keeps no cookies" in table.ask("GET", told["location"])[2]
    assert table.link.state.wishes == ()
    table.link.seat("own", "axis")
    until(lambda: table.link.state.own is not None)
    ticket = table.link._serving.seats.offer.ticket
    status, _told, text = table.ask("POST", f"/s/{ticket}", "x=", Origin=table.url)
    assert (status, "keeps no cookies" in text) == (403, True)
    assert table.link._serving.seats.offer is not None, "the code is not used up"
    assert table.ask("GET", f"/log?c={code}", Cookie=cookie)[1]["location"] == "/log"
    for path in (f"/live/seat?c={code}", "/live/table", "/live/table?c=AAAAAAAA"):
        assert table.ask("GET", path)[0] == 403, path
    assert {table.ask("GET", "/table?c=AAAAAAAA")[0] for _n in range(6)} == {403, 429}


def test_five_wrong_codes_of_an_address_have_to_wait_and_looking_uses_nothing_up(table: Any) -> None:
    table.turn_on()
    for _n in range(5):
        assert table.ask("POST", "/join", "code=AAAAAAAA", Origin=table.url)[0] == 403
    status, _told, text = table.ask("POST", "/join", f"code={table.link.state.code}", Origin=table.url)
    assert status == 429
    assert "Wait a minute" in text


def test_slow_large_and_many_requests_are_bounded(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    took: dict[str, float] = {}
    head = f"POST /join HTTP/1.1\r\nHost: {table.address}\r\nOrigin: {table.url}\r\nConnection: close\r\n".encode()
    cases = {
        "silent": (b"", b""),
        "header": (b"GET / HTTP/1.1\r\n", b"X: y\r\n"),
        "body": (head + b"Content-Length: 400\r\n\r\n", b"x"),
    }
    threads = [
        threading.Thread(target=lambda n=name, c=case: took.update({n: hangs_up_after(table.address, *c)}))
        for name, case in cases.items()
    ]
    for thread in threads:
        thread.start()
    # Meanwhile a healthy phone is served.
    for _n in range(20):
        start = time.monotonic()
        assert table.ask("GET", "/phone.css")[0] == 200
        assert time.monotonic() - start < 2
    assert b" 413 " in raw(table.address, head + b"Content-Length: 314572800\r\n\r\n").split(b"\r\n")[0]
    assert b" 413 " in raw(table.address, head + b"Transfer-Encoding: chunked\r\n\r\n").split(b"\r\n")[0]
    assert b" 413 " in raw(table.address, head + b"Content-Length: 5000\r\n\r\n").split(b"\r\n")[0]
    large = f"GET / HTTP/1.1\r\nHost: {table.address}\r\nX: {'y' * 80_000}\r\n\r\n".encode()
    answer = raw(table.address, large).split(b"\r\n")[0]
    assert b" 400 " in answer
    for size in (9_000, 200_000):  # in one piece and in many
        assert b" 200 " not in raw(table.address, large[:60] + b"y" * size + b"\r\n\r\n")
    for thread in threads:
        thread.join()
    assert {name for name, seconds in took.items() if not 4 < seconds < 8} == set(), took
    host, _colon, port = table.address.rpartition(":")
    held = [socket.create_connection((host, int(port)), 5) for _n in range(12)]
    until(lambda: sum(map(is_dropped, held)) >= 4)
    assert sum(map(is_dropped, held)) == 4
    for one in held:
        one.close()
    live = stream(table, "/live/table", cookie)
    read_until(live, b"event: frame")
    live.close()


@pytest.mark.long
def test_garbage_at_the_port_changes_nothing(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    (before,) = table.gateways()
    seed = b"GET /live/table HTTP/1.1\r\nHost: x\r\nCookie: y\r\n\r\n"
    for n in range(60):
        noise = bytes(
            (byte * 31 + n * 7) % 256 if (byte + n) % 5 == 0 else byte for byte in seed * (1 + n % 3)
        )
        host, _colon, port = table.address.rpartition(":")
        with socket.create_connection((host, int(port)), 5) as made, contextlib.suppress(OSError):
            made.sendall(noise)
            made.shutdown(socket.SHUT_WR)
            while made.recv(1 << 16):
                pass
    assert table.ask("GET", "/table", Cookie=cookie)[0] == 200
    assert table.gateways() == [before]


@pytest.mark.long
def test_a_new_page_of_a_phone_ends_its_older_one_and_a_beat_is_a_named_event(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    first = stream(table, "/live/table", cookie)
    told = read_until(first, b"event: frame")
    assert b"HTTP/1.1 200" in told
    second = stream(table, "/live/log", cookie)
    assert b"event: elsewhere" in read_until(first, b"event: elsewhere")
    read_until(second, b"event: frame")
    table.press()
    read_until(second, b"event: frame")
    assert b"event: beat" in read_until(second, b"event: beat", 12)
    for one in (first, second):
        one.close()


def test_a_killed_gateway_comes_again_with_the_same_evening(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    (pid,) = table.gateways()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not table.link.state.is_connected)
    seconds = until(lambda: table.link.state.is_connected)
    assert table.gateways() != [pid]
    assert seconds < 8
    assert table.ask("GET", "/table", Cookie=cookie)[0] == 200


@pytest.mark.long
def test_a_frozen_gateway_holds_up_nothing_and_gets_the_newest_when_it_wakes(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    live = stream(table, "/live/log", cookie)
    read_until(live, b"event: frame")
    (pid,) = table.gateways()
    os.kill(pid, signal.SIGSTOP)
    start = time.monotonic()
    for _n in range(10):
        table.press()
    assert time.monotonic() - start < 5
    newest = table.desk.entries()[-1].seq
    os.kill(pid, signal.SIGCONT)
    read_until(live, f'data-k="{newest}"'.encode())
    live.close()


@pytest.mark.long
def test_a_gateway_that_stays_frozen_is_told_and_started_again(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_server, "_SILENT_S", 2.6)
    told: list[Any] = []
    table.start()
    monkeypatch.setattr(table.link, "tell", told.append)
    table.turn_on()
    cookie = table.join()
    (pid,) = table.gateways()
    os.kill(pid, signal.SIGSTOP)
    table.press()
    until(lambda: table.link.state.is_connected and pid not in table.gateways())
    assert [str(one.text) for one in told] == [
        "The phones' server stood still. It was started again; play goes on."
    ]
    assert table.ask("GET", "/table", Cookie=cookie)[0] == 200


def test_a_second_gateway_is_told_why_and_ends_and_garbage_at_the_socket_is_hung_up_on(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie = table.join()
    before = table.gateways()
    command = [sys.executable, "-m", "companion", "gateway", "--socket", str(table.link.socket_path())]
    command += ["--bind", "127.0.0.1:0", "--log-level", "info"]
    second = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=30, check=False)
    assert second.returncode == 0
    assert "another gateway serves this app already" in second.stderr
    greeting = wire.packed(wire.Greeting(wire.PROTOCOL, 1, "x"))
    wrong = (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\0\0\0\x02{}",
        wire.packed(wire.Wanted(("table.en",), 1)),
        wire.packed(wire.Greeting(99, 1, "x")),
        greeting[:6] + b"\0" + greeting[7:],
        b"\0\0\0\x20" + b"[" * 32,
        b'\0\0\0\x04"\xcb\x20"',
    )
    for data in wrong:
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(str(table.link.socket_path()))
            made.settimeout(10)
            made.sendall(data)
            found = b""
            while chunk := made.recv(1 << 16):
                found += chunk
        assert table.link.state.code.encode() not in found, data
    assert table.gateways() == before
    assert table.link.state.is_connected
    assert table.ask("GET", "/table", Cookie=cookie)[0] == 200


def test_the_next_program_goes_on_with_the_evening_of_one_that_was_killed(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie, state = table.join(), table.link.state
    before = table.gateways()
    # As a kill leaves it: the file and the gateway stay, the socket's other end is gone.
    serving = table.link._serving
    orphan, serving._child = serving._child, None
    kept = (table.home / "keys" / "phones.json").read_bytes()
    assert oct((table.home / "keys" / "phones.json").stat().st_mode & 0o777) == "0o600"
    serving._caller._socket.shutdown(socket.SHUT_RDWR)
    serving._why = ""
    serving._caller = None
    table.link._stop("")
    (table.home / "keys" / "phones.json").write_bytes(kept)
    table.link = table.new_link()
    assert not table.link.state.is_on
    table.link.go_on()
    until(lambda: table.link.state.is_connected)
    assert (table.link.state.code, table.link.state.address) == (state.code, state.address)
    assert table.gateways() == before
    assert table.ask("GET", "/table", Cookie=cookie)[0] == 200
    table.link.turn_off()
    until(lambda: not table.gateways())
    assert not (table.home / "keys" / "phones.json").exists()
    assert not table.link.socket_path().exists()
    again = table.new_link()
    again.go_on()
    assert not again.state.is_on
    orphan.wait(10)


@pytest.mark.long
def test_spectators_see_nothing_before_its_time(table: Any) -> None:
    table.start()
    table.press()
    table.press()
    table.desk.change_setting("phones_delay_s", 2)
    table.turn_on()
    live = stream(table, f"/live/tv?t={table.link.state.tv}", "")
    start = time.monotonic()
    told = read_until(live, b"event: frame")
    assert time.monotonic() - start > 1.5
    table.press()
    start, act = time.monotonic(), table.desk.change.state.step.act
    told = read_until(live, b"event: frame")
    assert time.monotonic() - start > 1.5, (act, told[-300:])
    live.close()


@pytest.mark.parametrize(
    "args",
    [("--give-up", "nan"), ("--give-up", "inf"), ("--give-up", "-1"), ("--fd", "-1"), ("--fd", "9" * 12)],
)
def test_numbers_that_are_none_are_refused_at_once(
    args: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    from companion.gateway.command import main

    assert main(("--socket", "none.sock", *args)) == 2
    assert f"{args[0]}: expected" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("", "the path of a socket"),
        ("/" + "x" * 107, "at most 107 bytes, got 108"),
        (__file__, "something else"),
    ],
)
def test_a_path_at_which_nobody_can_listen_is_refused_at_once(
    path: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from companion.gateway.command import main
    from companion.hall.link.command import main as main_link

    assert main(("--socket", path)) == 2
    assert told in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main_link(("--socket", path))
    assert told in capsys.readouterr().err


@pytest.mark.long
def test_a_taken_port_gives_way_to_the_next(table: Any) -> None:
    port = table.link._port
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen(1)
        table.turn_on()
        assert table.address == f"127.0.0.1:{port + 1}"
        assert table.ask("GET", "/")[0] == 200


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("--bind", "0.0.0.0:8765"), 2, "every network"),
        pytest.param(("--bind", "8.8.8.8:8765"), 2, "a public address", marks=pytest.mark.long),
        pytest.param(("--bind", "here"), 2, "expected ADDRESS:PORT", marks=pytest.mark.long),
        pytest.param(("--bind", "127.0.0.1:99999"), 2, "expected ADDRESS:PORT", marks=pytest.mark.long),
        (("--bind", "127.0.0.1:0", "--give-up", "0.2"), 4, "the app does not answer"),
        (("--bind", "127.0.0.1:0", "--check"), 0, "answers 200"),
    ],
)
def test_the_command_says_in_one_line_why_it_cannot(
    tmp_path: Path, args: tuple[str, ...], code: int, told: str
) -> None:
    command = [sys.executable, "-m", "companion", "gateway", "--socket", str(tmp_path / "none.sock"), *args]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    assert told in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


_NO_SQUARE = (
    b'{"evening": "e", "code": "%s", "key": "%s", "tv": "t", "address": "127.0.0.1:8099", "since_s": 0}'
    % (b"A" * 9000, b"0" * 64)
)


@pytest.mark.parametrize(
    "left", [b"", b"{}", b'"\xcb\xff"', b"[" * 5000, b'{"evening": 1}', b"\0" * 64, _NO_SQUARE]
)
def test_a_garbled_file_of_an_evening_leaves_phones_off(table: Any, left: bytes) -> None:
    (table.home / "keys").mkdir()
    (table.home / "keys" / "phones.json").write_bytes(left)
    table.link.go_on()
    assert not table.link.state.is_on


def test_files_come_packed_and_whole_and_what_may_hold_a_secret_never_does(table: Any) -> None:
    table.start()
    table.turn_on()
    cookie, weight = table.join(), 0
    for path in ("/phone.css", "/phone.js", "/seal.js", "/favicon.svg", "/symbols.svg"):
        packing, data = fetched(table.address, path, cookie)
        weight += len(data)
        assert packing == "gzip", path
        _status, told, plain = table.ask("GET", path, Accept_Encoding="identity")
        assert gzip.decompress(data).decode() == plain, path
        assert "content-encoding" not in told
        assert told["vary"] == "accept-encoding"
    for path in ("/table", "/clocks", "/log", "/seat"):
        packing, data = fetched(table.address, path, cookie)
        assert packing is None, path
    assert weight + len(data) < 20 << 10, "README: the first load"
    assert weight < (20 << 10) - 2800, "what is left for a seat's page with its tiles in the longest language"
