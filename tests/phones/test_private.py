"""A seat's own phone: its key never crosses the network, and what is altered, replayed or another's is refused."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from msgspec.structs import replace

from companion.adapters.phone_evening import Kept, Keyed
from companion.adapters.phone_seal import MOST_SEALED, Act, SealedLine, new_key
from companion.adapters.phone_seats import TICKET_S, Seats
from companion.adapters.phones import PhoneLink
from companion.core.text import Say, Typed
from companion.gateway import wire
from companion.pages.phone_pages import press_act
from companion.pages.phones import Sitting
from companion.testing.chromium import CHROMIUM, Browser
from companion.testing.waiting import until
from tests.phones.own_phone import LIVE, SEATED, gateway_memory, offered, sit

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def token(n: int) -> str:
    return f"{n:064x}"


def sealed_act(
    key: bytes,
    count: int,
    act: str,
    answers: dict[str, str] | None = None,
    *,
    head: bytes = b"\1abc",
    at: str = "",
) -> str:
    """Seal an act as a phone does."""
    told = json.dumps({"act": act, "answers": answers or {}, "at": at}).encode()
    framed = len(told).to_bytes(4, "big") + told
    framed += bytes(-len(framed) % 512)
    nonce = head + count.to_bytes(8, "big")
    return base64.b64encode(nonce + ChaCha20Poly1305(key).encrypt(nonce, framed, None)).decode()


def scan(table: Any, ticket: str, cookie: str = "") -> tuple[int, str]:
    """Scan as a phone does and return the answer's status and the cookie."""
    status, told, _text = table.ask("POST", f"/s/{ticket}", "x=", Origin=table.url, Cookie=cookie or "met=1")
    return status, told.get("set-cookie", "").partition(";")[0]


def send(table: Any, cookie: str, box: str) -> int:
    return int(table.ask("POST", "/sealed", box, Origin=table.url, Cookie=cookie)[0])


# The line itself


def test_nothing_altered_replayed_or_of_another_key_opens_and_no_count_comes_twice() -> None:
    key = new_key()
    line = SealedLine(key, start=3)
    box = sealed_act(key, 5, "press.s1", {"pin": "1234"})
    assert line.open(box) == (5, Act("press.s1", answers={"pin": "1234"}))
    raw = base64.b64decode(box)
    for at in (0, 3, 11, 12, 40, len(raw) - 1):
        changed = bytearray(raw)
        changed[at] ^= 1
        assert line.open(base64.b64encode(changed).decode()) is None, at
    refused = (
        "", "!", "AAAA", box[:-4], box + "AAAA", "A" * (MOST_SEALED + 4), sealed_act(new_key(), 6, "x"),
        sealed_act(key, 6, "x", head=b"\0abc"), sealed_act(key, 6, "x" * 201),
        sealed_act(key, 6, "x", {str(n): "" for n in range(21)}),
    )  # fmt: skip
    assert [one for one in refused if line.open(one) is not None] == []
    assert line.take(5, box)
    assert not line.take(5, box)
    assert not line.take(4, "")
    assert not line.take(1 << 53, "")
    assert line.is_again(box)
    seen = set()
    for start in (0, 1, 2, 1 << 19):
        once = SealedLine(key, start=start)
        for _n in range(50):
            seen.add(base64.b64decode(once.seal("<p>one</p>"))[:12])
    assert len(seen) == 200
    assert len(line.seal("a")) == len(line.seal("b" * 900)), "a page's length is told in steps alone"


def test_a_ticket_is_used_once_in_time_and_by_nobody_who_guesses() -> None:
    seats = Seats()
    offer = seats.offer_own("axis", 10.0)
    assert not seats.scan(token(1), offer.ticket[:-1], "", 10.0)
    assert seats.scan(token(1), offer.ticket, "", 10.0 + TICKET_S)
    assert not seats.scan(token(2), offer.ticket, "", 10.0)
    late = seats.offer_own("axis", 10.0)
    assert not seats.scan(token(2), late.ticket, "", 11.0 + TICKET_S)
    first, second = seats.offer_own("axis", 0.0), seats.offer_own("allies", 0.0)
    assert not seats.scan(token(2), first.ticket, "", 1.0), "only the newest code counts"
    assert seats.scan(token(2), second.ticket, "", 1.0)
    assert seats.page_of(token(1)) == "own-axis"
    again = seats.offer_own("axis", 0.0)
    assert seats.scan(token(3), again.ticket, "", 1.0)
    assert seats.seat_of(token(1)) == ""
    assert seats.line(token(1)) is None
    waiting = seats.offer_own("axis", 0.0)
    seats.lock(is_locked=True)
    assert not seats.scan(token(4), waiting.ticket, "", 1.0)
    seats.kick(token(3))
    assert seats.line(token(3)) is None


def test_a_seat_is_to_be_scanned_again_after_three_altered_acts_in_a_row() -> None:
    seats = Seats()
    offer = seats.offer_own("axis", 0.0)
    seats.scan(token(1), offer.ticket, "", 0.0)
    for _n in range(2):
        assert seats.open(token(1), "AAAA") is False
    assert seats.open(token(1), sealed_act(offer.key, 1, "x")) == Act("x")
    for _n in range(3):
        assert seats.open(token(1), sealed_act(new_key(), 2, "x")) is False
    assert seats.seat_of(token(1)) == ""
    assert seats.open(token(1), sealed_act(offer.key, 2, "x")) is False


# At the table


def test_a_sealed_press_counts_once_and_a_stolen_cookie_presses_nothing(table: Any) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    own = table.desk.change.state.step.owners[0]
    ticket, key = offered(table, own)
    status, cookie = scan(table, ticket)
    assert status == 303
    assert scan(table, ticket)[0] == 403
    until(lambda: table.link.state.seats and table.link.state.own is None)
    act, seq = press_act(table.desk.change.state), table.desk.change.seq
    page = table.ask("GET", "/seat", Cookie=cookie)[2]
    assert "data-sealed" in page
    assert act not in page
    assert table.ask("POST", "/act", f"act={act}", Origin=table.url, Cookie=cookie)[0] == 303
    box = sealed_act(key, 1, act)
    assert send(table, "", box) == 403
    assert send(table, table.join(), box) == 403
    assert send(table, cookie, sealed_act(new_key(), 1, act)) == 403
    assert send(table, cookie, "<html>") == 403
    assert table.ask("POST", "/sealed", box, Origin="http://evil.lan", Cookie=cookie)[0] == 403
    assert table.desk.change.seq == seq
    assert send(table, cookie, box) == 204
    until(lambda: table.desk.change.seq > seq)
    entry = next(one for one in table.desk.entries() if one.seq > seq)
    assert (entry.source, entry.actor) == ("phone", own)
    seq = table.desk.change.seq
    assert send(table, cookie, box) == 204, "sent again for want of an answer: taken already"
    assert send(table, cookie, sealed_act(key, 1, "other")) == 403
    table.ask("GET", "/seat", Cookie=cookie)
    assert table.desk.change.seq == seq
    table.link.seat("kick", table.link.state.seats[0].token)
    until(lambda: not table.link.state.seats)
    assert send(table, cookie, sealed_act(key, 2, act)) == 403


def test_two_keys_that_come_before_the_page_is_sent_again_both_count(table: Any) -> None:
    names = ["Anna", "Ben"]
    table.start("med", "match", players=2, names=names, operations=15, series="single", clock="count_up")
    table.press()
    table.turn_on()
    player = table.desk.change.state.step.owners[0]
    ticket, key = offered(table, player)
    _status, cookie = scan(table, ticket)
    until(lambda: table.link.state.seats)
    count = 0

    def press(act: str) -> None:
        nonlocal count
        count += 1
        own = table.link._serving._own_seat(player)
        assert send(table, cookie, sealed_act(key, count, act, at=own.stamp)) == 204

    table.ask("GET", "/seat", Cookie=cookie)
    press("own.go.med")

    def seen() -> Any:
        table.ask("GET", "/seat", Cookie=cookie)
        return table.link._serving._own_seat(player)._shown

    until(lambda: "key.O" in seen().acts)
    for sign in "O05":
        press(f"key.{sign}")
    until(lambda: "O05" in str(seen().page))


def test_on_a_full_disk_a_sealed_act_is_refused_and_done_when_it_comes_again(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    own = table.desk.change.state.step.owners[0]
    ticket, key = offered(table, own)
    _status, cookie = scan(table, ticket)
    assert "data-sealed" in table.ask("GET", "/seat", Cookie=cookie)[2]
    until(lambda: table.desk.now_ms() > table.link._serving._rests_until_ms)
    box, seq = sealed_act(key, 1, press_act(table.desk.change.state)), table.desk.change.seq

    def full(_kept: Kept) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(table.link, "keep", full)
        for _n in range(2):
            assert send(table, cookie, box) == 403, "sent again it is still not done, and not called done"
        assert table.link.state.is_on
        assert table.link.state.is_connected
        told: list[Say | Typed] = []
        disk.setattr(table.link, "unkept", told.append)
        table.link.seat("presses")
        until(lambda: list(map(str, told)) == ["the disk is full"])
        assert table.desk.change.seq == seq
    assert send(table, cookie, box) == 204
    until(lambda: table.desk.change.seq == seq + 1)
    assert send(table, cookie, box) == 204, "taken already"
    assert table.desk.change.seq == seq + 1


def test_an_evening_whose_file_has_one_wrong_bit_is_not_taken_up(tmp_path: Path) -> None:
    def link_at(keys: Path) -> PhoneLink:
        return PhoneLink(None, keys, post=lambda _call: None, wall_ms=lambda: 0, clock=lambda: 10.0)

    link, begun = link_at(tmp_path), list[Kept]()
    link._start = lambda kept, **_how: begun.append(kept)  # type: ignore[method-assign]
    held = Sitting(token(1), "axis", "Ann", is_private=True)
    kept = Kept("e", "c", "0" * 64, "t", "127.0.0.1:1", 1.0, (held,), (Keyed(token(1), "1" * 64, 7),), 3)
    link.keep(replace(kept, boot=link._boot))
    sound = (tmp_path / "phones.json").read_bytes()
    link.go_on()
    assert begun.pop().starts == 4
    for at in range(len(sound)):
        changed = bytearray(sound)
        changed[at] ^= 1 << at % 8
        (tmp_path / "phones.json").write_bytes(changed)
        link.go_on()
    assert begun == []


@pytest.mark.long
def test_a_killed_program_takes_nothing_twice_and_uses_no_nonce_again(table: Any) -> None:
    table.start(players=2)
    table.turn_on()
    own = table.desk.change.state.frozen_setup.sides[0].id
    ticket, key = offered(table, own)
    _status, cookie = scan(table, ticket)
    box = sealed_act(key, 7, "nothing")
    assert send(table, cookie, box) == 204

    def nonce() -> bytes:
        page = table.ask("GET", "/seat", Cookie=cookie)[2]
        return base64.b64decode(re.findall('data-sealed="([^"]+)"', page)[0])[:12]

    seen = {nonce()}
    for _n in range(2):
        serving, kept = table.link._serving, (table.home / "keys" / "phones.json").read_bytes()
        assert key.hex().encode() in kept
        assert (table.home / "keys" / "phones.json").stat().st_mode & 0o077 == 0
        table.link._stop("killed")
        assert serving is not None
        table.link = table.new_link()
        table.link.go_on()
        until(lambda: table.link.state.is_connected)
        assert send(table, cookie, box) == 403
        found = nonce()
        assert found not in seen
        seen.add(found)
    assert send(table, cookie, sealed_act(key, 8, "nothing")) == 204
    table.link.turn_off()
    assert not (table.home / "keys" / "phones.json").exists()


@pytest.mark.long
def test_a_tournament_is_pressed_by_own_phones_alone_and_only_if_the_arbiter_lets_both(table: Any) -> None:
    table.start()
    table.press()
    table.press()
    table.turn_on()
    own = table.desk.change.state.step.owners[0]
    ticket, key = offered(table, own)
    _status, cookie = scan(table, ticket)
    act, seq = press_act(table.desk.change.state), table.desk.change.seq
    send(table, cookie, sealed_act(key, 1, act))
    table.ask("GET", "/seat", Cookie=cookie)
    assert table.desk.change.seq == seq
    table.link.seat("presses")
    until(lambda: table.link.state.may_tournament)
    send(table, cookie, sealed_act(key, 2, act))
    until(lambda: table.desk.change.seq > seq)


@pytest.mark.long
def test_the_evening_ends_after_twelve_hours_whatever_the_clock_on_the_wall_says(
    table: Any, monkeypatch: Any
) -> None:
    table.start()
    table.turn_on()
    monkeypatch.setattr("time.time", lambda: 4e9)
    serving = table.link._serving
    table.link.clock = lambda: serving._kept.since_s + 12 * 3600 - 1
    serving.wake()
    table.ask("GET", "/")
    assert table.link.state.is_on
    table.link.clock = lambda: serving._kept.since_s + 12 * 3600 + 1
    serving.wake()
    until(lambda: not table.link.state.is_on)
    assert table.link.state.fault == Say("The evening's phones ended after 12 hours.")


def test_an_evening_goes_on_after_another_boot_from_where_it_was(tmp_path: Path) -> None:
    from companion.adapters.phones import PhoneLink

    link = PhoneLink(None, tmp_path, post=lambda call: call(), wall_ms=lambda: 0, clock=lambda: 50.0)
    begun: list[Kept] = []

    def begin(kept: Kept, **_how: bool) -> None:
        begun.append(kept)

    link._start = begin  # type: ignore[method-assign]
    kept = Kept("e", "c", "0" * 64, "t", "127.0.0.1:1", 9_000.0, boot="another")
    link.keep(replace(kept, since_s=50.0 - 3_600))
    link.go_on()
    assert begun[0].since_s == 50.0 - 3_600
    assert begun[0].starts == 1
    link.keep(replace(kept, since_s=50.0 - 12 * 3600))
    link.go_on()
    assert len(begun) == 1
    assert not (tmp_path / "phones.json").exists()


def test_what_cannot_be_a_sealed_act_hangs_up() -> None:
    for bad in (
        b'{"type":"SealedPress","token":"x","sealed":"","at_ms":0}',
        b'{"type":"Scanned","token":1,"ticket":""}',
    ):
        with pytest.raises(wire.WireError):
            wire.decode_up(bad)


# In a real browser


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    """RFC 8439, 2.3.2, 2.4.2, 2.5.2, 2.8.2 and A.3."""
    return dict(json.loads((Path(__file__).parent / "rfc8439.json").read_text()))


@pytest.mark.long
@needs_chromium
def test_the_phones_cipher_is_that_of_rfc_8439_and_agrees_with_the_programs(table: Any, vectors: Any) -> None:
    table.start(players=2)
    table.turn_on()
    with Browser() as browser:
        tab = sit(browser, table, table.desk.change.state.frozen_setup.sides[0].id)
        tab.eval("window.hex = b => Array.from(b, x => (x + 256).toString(16).slice(1)).join('')")
        tab.eval("window.raw = h => Uint8Array.from((h.match(/../g) || []).map(x => parseInt(x, 16)))")
        for one in vectors["chacha20"]:
            asked = f"hex(tableSeal.chacha20(raw('{one['key']}'), {one['count']}, raw('{one['nonce']}'), raw('{one['in']}')))"
            assert tab.eval(asked) == one["out"]
        for one in vectors["poly1305"]:
            assert (
                tab.eval(f"hex(tableSeal.poly1305(raw('{one['key']}'), raw('{one['in']}')))") == one["tag"]
            ), one
        for one in vectors["aead"]:
            call = f"raw('{one['key']}'), raw('{one['nonce']}'), raw('%s'), raw('{one['aad']}')"
            assert tab.eval(f"hex(tableSeal.seal({call % one['in']}))") == one["out"]
            assert tab.eval(f"hex(tableSeal.open({call % one['out']}))") == one["in"]
            for at in range(0, len(one["out"]), 14):
                bad = one["out"][:at] + f"{int(one['out'][at : at + 2], 16) ^ 1:02x}" + one["out"][at + 2 :]
                assert tab.eval(f"tableSeal.open({call % bad}) === null")
        key, nonce = new_key(), bytes(range(12))
        cipher = ChaCha20Poly1305(key)
        for size in (0, 1, 15, 16, 17, 63, 64, 65, 255, 1024, 20_000):
            data = bytes((n * 37 + size) & 255 for n in range(size))
            call = f"raw('{key.hex()}'), raw('{nonce.hex()}'), raw('{data.hex()}')"
            assert tab.eval(f"hex(tableSeal.seal({call}))") == cipher.encrypt(nonce, data, None).hex(), size


@pytest.mark.long
@needs_chromium
def test_a_player_scans_presses_and_the_gateway_never_knows_what(table: Any) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    own = table.desk.change.state.step.owners[0]
    with Browser() as browser:
        tab = sit(browser, table, own)
        key = table.link._serving.seats.keys[0].key
        sent = [
            e["params"]["request"] for e in browser.events if e.get("method") == "Network.requestWillBeSent"
        ]
        fragment = base64.urlsafe_b64encode(bytes.fromhex(key)).decode().rstrip("=")
        assert not [
            one for one in sent if fragment in one["url"] + one.get("postData", "") + str(one["headers"])
        ]
        seq, step = table.desk.change.seq, str(table.desk.change.state.step.id)
        assert tab.eval("document.querySelector('.acts button.main').getBoundingClientRect().height") > 48
        tab.eval(
            "window.fetched = []; window.was = fetch; window.fetch = (u, o) => (fetched.push(o && o.body), was(u, o))"
        )
        tab.press(".acts button.main")
        until(lambda: table.desk.change.seq > seq)
        assert table.desk.entries()[-1].source in ("phone", "app")
        (box,) = [one for one in tab.eval("fetched") if one]
        # What it sent once is worth nothing when another program sends it, also with the phone's own cookie.
        seq = table.desk.change.seq
        replayed = (
            "fetch('/sealed', {method: 'POST', credentials: 'same-origin', body: %s}).then(r => r.status)"
        )
        assert tab.eval(replayed % json.dumps(box)) == 204
        assert tab.eval(replayed % json.dumps(box[:-8] + "AAAAAAA=")) == 403
        assert table.desk.change.seq == seq
        tab.eval("tableSeal.act('x', {pin: '918273645-secret-pin'})")
        tab.eval(replayed % "tableSeal.act('nothing', {pin: '918273645-secret-pin'})")
        (pid,) = table.gateways()
        memory = gateway_memory(pid)
        assert len(memory) > 1 << 20
        assert b"phone.sealed" in memory, "the search finds what is there"
        for secret in (
            b"918273645-secret-pin",
            f'"press.{step}'.encode(),
            key.encode(),
            bytes.fromhex(key),
            fragment.encode(),
        ):
            assert secret not in memory
        # Loaded again it has its key; in another browser with the same cookie it has none.
        tab.go(f"{table.url}/seat")
        tab.wait(SEATED)
        cookies = browser.call("Storage.getCookies")["cookies"]
        with Browser() as thief:
            thief.call("Storage.setCookies", cookies=[{**one, "url": table.url} for one in cookies])
            page = thief.open(f"{table.url}/seat")
            page.wait(LIVE)
            assert "Scan your seat's code" in page.text()
            assert page.eval("document.querySelector('main [name=act]') === null")
        assert [one for one in browser.complaints() if "403" not in one] == []
