"""Noise at the port, at the socket and as photos: nothing ends, nothing grows, and a healthy phone is served meanwhile."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.phone_photos import keep_photo
from companion.adapters.phones_box import BoxPhones
from companion.core.text import Say
from companion.gateway import wire
from companion.session.pictures import picture_folder
from companion.testing.waiting import until
from tests.phones.crowd import memory_kb
from tests.property.test_phone_wire import SAID

PHOTO = Path(__file__).parents[1] / "ui" / "photos" / "two_d6.jpg"


def many(least: int, most: int) -> Any:
    """A few by default, the whole count in the long run."""
    return pytest.mark.parametrize("count", [least, pytest.param(most, marks=pytest.mark.long)])


def requests_of(table: Any, cookie: str) -> tuple[bytes, ...]:
    """Return sound requests of every kind."""
    head = f"Host: {table.address}\r\nCookie: {cookie}\r\n"
    paths = (
        "/",
        "/table",
        "/seat",
        "/j/ABCDEFGH",
        "/s/ticket",
        "/live/tv?t=x",
        "/symbols.svg",
        "/pulse",
        "/tv?t=x",
    )
    gets = tuple(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode() for path in paths)
    posts = (
        ("/join", "code=ABCDEFGH"),
        ("/act", "act=sit&answer.seat=axis&answer.name=Anna"),
        ("/sealed", "A" * 400),
        ("/photo", "x" * 900),
        ("/s/ticket", "x="),
    )
    return gets + tuple(
        f"POST {path} HTTP/1.1\r\n{head}Origin: {table.url}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        for path, body in posts
    )


def mutated(chance: random.Random, sound: bytes) -> bytes:
    """Return a request with bytes changed, cut, doubled or swapped for noise."""
    data = bytearray(sound)
    match chance.randrange(6):
        case 0:
            return chance.randbytes(chance.randrange(1, 600))
        case 1:
            return bytes(data[: chance.randrange(1, len(data))])
        case 2:
            at = chance.randrange(len(data))
            return bytes(data[:at] + data[chance.randrange(at + 1) :])
        case 3:
            at = chance.randrange(len(data))
            return bytes(data[:at] + chance.randbytes(chance.randrange(1, 40)) + data[at:])
        case _:
            for _n in range(chance.randint(1, 5)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            return bytes(data)


@many(40, 100_000)
def test_noise_at_the_port_ends_and_grows_nothing_and_holds_nobody_up(table: Any, count: int) -> None:
    table.start()
    table.turn_on()
    cookie, chance, waits = table.join(), random.Random(11), list[float]()
    sound = requests_of(table, cookie)
    (pid,) = table.gateways()
    host, _colon, port = table.address.rpartition(":")

    def send(n: int) -> None:
        own = (f"127.1.{n // 200 % 200}.{1 + n % 200}", 0)
        with socket.create_connection((host, int(port)), 10, source_address=own) as made:
            try:
                made.sendall(mutated(chance, chance.choice(sound)))
                made.shutdown(socket.SHUT_WR)
                while made.recv(1 << 16):
                    pass
            except OSError:
                pass

    seq = table.desk.change.seq
    for n in range(count // 10):
        send(n)
    before_kb = memory_kb(pid)
    for n in range(count):
        send(n)
        if n % 25 == 0:
            start = time.monotonic()
            assert table.ask("GET", "/pulse")[0] == 204
            waits.append(time.monotonic() - start)
    p99_s, more_kb = sorted(waits)[int(0.99 * (len(waits) - 1))], memory_kb(pid) - before_kb
    print(f"{count} requests; a healthy phone p99 {1000 * p99_s:.0f} ms; {more_kb} KiB more")
    assert table.gateways() == [pid]
    assert more_kb < 4 << 10
    assert sorted(waits)[len(waits) // 2] < 0.25
    assert table.desk.change.seq == seq
    assert table.ask("GET", "/table", Cookie=cookie)[0] == 200


def is_taken(body: bytes) -> bool:
    """Whether a gateway may say this: it is a frame, and no greeting in another protocol."""
    try:
        said = wire.decode_up(body)
    except wire.WireError:
        return False
    return not isinstance(said, wire.Greeting) or said.protocol == wire.PROTOCOL


@many(60, 100_000)
def test_noise_at_the_socket_is_hung_up_on_and_does_nothing(table: Any, count: int) -> None:
    """A gateway that was taken over: it greets as it should, then says anything."""
    table.start()
    table.link.box = BoxPhones(table.home, lambda _word: True)  # no gateway of our own
    (table.home / "addresses").write_text("127.0.0.1\n")
    table.link.turn_on("127.0.0.1")
    chance, hung_up, seq = random.Random(5), 0, table.desk.change.seq
    greeting = wire.packed(wire.Greeting(wire.PROTOCOL, 1, "127.0.0.1:8765"))
    made: socket.socket | None = None
    for _n in range(count):
        if made is None:
            made = socket.socket(socket.AF_UNIX)
            made.connect(str(table.link.socket_path()))
            made.sendall(greeting)
        body = bytearray(wire.packed(chance.choice(SAID)))
        for _change in range(chance.randrange(4)):
            body[chance.randrange(4, len(body))] = chance.randrange(256)
        made.sendall(body)
        if not is_taken(bytes(body[4:])):
            made.settimeout(60)  # among many other programs a page takes its time
            while made.recv(1 << 16):  # until it is hung up on
                pass
            made.close()
            made, hung_up = None, hung_up + 1
    if made is not None:
        made.close()
    print(f"{count} frames, {hung_up} of them hung up on")
    assert hung_up > count / 10
    assert table.desk.change.seq == seq
    until(lambda: not table.link.state.is_connected)
    table.link.box = None
    table.link.turn_off()
    table.turn_on()
    assert table.ask("GET", "/table", Cookie=table.join())[0] == 200


@many(6, 2_000)
def test_damaged_photos_are_refused_or_kept_and_leave_nothing_behind(tmp_path: Path, count: int) -> None:
    whole, chance, kept = PHOTO.read_bytes(), random.Random(3), 0
    game, folder = tmp_path / "evening.game", tmp_path / "run"
    folder.mkdir()
    for n in range(count):
        data = bytearray(whole)
        for _n in range(chance.randint(0, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if n % 3 == 0:
            data = data[: chance.randrange(len(data))]
        told = keep_photo(folder, game, n, bytes(data))
        assert isinstance(told, Say)
        kept += told.template == "The photo is kept with the evening."
        for one in picture_folder(game).glob("*") if n % 40 == 39 else ():
            one.unlink()
        assert list(folder.iterdir()) == []
    print(f"{count} photos, {kept} of them kept")
    assert 0 < kept < count
