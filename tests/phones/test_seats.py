"""A phone at a side: the box says yes, one phone a side, and a press counts as that side's half of the Clocks screen would."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from companion.adapters.phone_seats import MOST_WISHES, Seats
from companion.core import commands as cm
from companion.core.text import Say
from companion.pages.page import OnBox
from companion.pages.phone_pages import may_press, press_act
from companion.pages.phones import Sitting
from companion.testing.chromium import CHROMIUM, Browser
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.waiting import until


def token(n: int) -> str:
    return f"{n:064x}"


def desk_in_act() -> MemoryDesk:
    desk = MemoryDesk(sample_setup(tournament=False))
    while (
        desk.change is None
        or len(desk.change.state.step.owners) != 1
        or desk.change.state.clocks.running is None
    ):
        desk.end_acts(each_ms=1_000)
    return desk


def test_a_press_counts_for_its_own_side_its_own_act_and_a_while_only() -> None:
    desk = desk_in_act()
    state, now = desk.change.state, desk.now_ms()  # type: ignore[union-attr]
    own = state.step.owners[0]
    other = next(info.id for info in state.frozen_setup.sides if info.id != own)
    seats = Seats((Sitting(token(1), own, "Anna"), Sitting(token(2), other, "Ben")))
    act = press_act(state)
    found = seats.press(token(1), act, now - 40, now, state)
    assert found is not None
    command, actor = found
    assert (command.at_ms, actor) == (now - 40, own)  # type: ignore[attr-defined]
    refused = (
        (token(2), act, now),
        (token(3), act, now),
        (token(1), "press.of.another.step", now),
        (token(1), "press.", now),
        (token(1), "sit", now),
        (token(1), act, now - 2_001),
        (token(1), act, now + 1),
        (token(1), act, -(10**12)),
    )
    for who, what, at in refused:
        assert seats.press(who, what, at, now, state) is None, (who, what, at)
    desk.send(command, actor=actor, source="phone")
    after = desk.change.state  # type: ignore[union-attr]
    assert after.step.id != state.step.id
    assert seats.press(token(1), act, desk.now_ms(), desk.now_ms(), after) is None, (
        "a press again does nothing"
    )
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    paused = desk.change.state  # type: ignore[union-attr]
    assert may_press(paused, paused.step.owners[0] if paused.step.owners else own) is not None


def test_wishes_are_bounded_names_are_cleaned_and_a_side_has_one_phone() -> None:
    state = desk_in_act().change.state  # type: ignore[union-attr]
    side = state.frozen_setup.sides[0].id
    seats = Seats()
    assert not seats.wish(token(1), "nobody", "Anna", state)
    assert not seats.wish(token(1), side, " \u202e\x00 ", state)
    assert not seats.wish(token(1), side, "Anna", None)
    assert seats.wish(token(1), side, "Anna\n\x1b[31m  " + "x" * 90, state)
    assert len(seats.wishes[token(1)].name) <= 24
    assert "\n" not in seats.wishes[token(1)].name
    for n in range(2, 20):
        seats.wish(token(n), side, "Ben", state)
    assert len(seats.wishes) == MOST_WISHES
    seats.answer(token(1), is_let_in=True)
    seats.answer(token(2), is_let_in=True)
    assert (seats.seat_of(token(1)), seats.seat_of(token(2))) == ("", side)
    seats.answer(token(3), is_let_in=False)
    assert seats.seat_of(token(3)) == ""
    seats.answer(token(99), is_let_in=True)
    assert len(seats.held) == 1
    seats.kick(token(2))
    assert seats.held == {}
    seats.is_locked = True
    assert not seats.wish(token(30), side, "Cleo", state)


def test_a_tournament_is_pressed_on_the_box_only(table: Any) -> None:
    table.start()
    table.press()
    table.press()
    state = table.desk.change.state
    assert state.clocks.running is not None
    said = may_press(state, state.clocks.running)
    assert said is not None
    assert "tournament" in said.template


def test_the_table_lets_a_phone_in_and_its_press_stands_in_the_log(table: Any) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    cookie, stranger = table.join(), table.join()
    own = table.desk.change.state.step.owners[0]

    def send(who: str, body: str) -> int:
        return int(table.ask("POST", "/act", body, Origin=table.url, Cookie=who)[0])

    assert send("", "act=sit") == 303
    assert table.link.state.wishes == ()
    assert send(cookie, f"act=sit&answer.seat={own}&answer.name=Anna") == 303
    until(lambda: table.link.state.wishes)
    (wish,) = table.link.state.wishes
    assert (wish.seat, wish.name) == (own, "Anna")
    assert cookie.partition("=")[2] not in str(table.link.state)
    act = press_act(table.desk.change.state)
    seq = table.desk.change.seq
    for who in (cookie, stranger):
        assert send(who, f"act={act}") == 303
    assert "Which side are you?" in table.ask("GET", "/seat", Cookie=cookie)[2]
    table.link.seat("yes", wish.token)
    until(lambda: table.link.state.seats)
    until(lambda: act in table.ask("GET", "/seat", Cookie=cookie)[2])
    assert act not in table.ask("GET", "/seat", Cookie=stranger)[2]
    assert table.desk.change.seq == seq
    send(stranger, f"act={act}")
    send(cookie, f"act={act}x")
    send(cookie, f"act={act}")
    until(lambda: table.desk.change.seq > seq)
    entry = next(one for one in table.desk.entries() if one.seq > seq)
    assert (entry.source, entry.actor) == ("phone", own)
    seq = table.desk.change.seq
    send(cookie, f"act={act}")
    send(cookie, "act=%00%3Cscript%3E")
    table.ask("GET", "/seat", Cookie=cookie)
    assert table.desk.change.seq == seq
    kick, told = OnBox("phones_kick", {"seat": own}), list[Any]()
    for _n in range(2):
        table.link._serving.later(lambda: told.append(table.link._serving._for_arbiter(kick)))
    until(lambda: len(told) == 2)
    assert told == [Say("Done"), Say("No phone has this side.")]
    until(lambda: not table.link.state.seats)
    until(lambda: "Which side are you?" in table.ask("GET", "/seat", Cookie=cookie)[2])
    codes = [send(cookie, "act=x") for _n in range(25)]
    assert 429 in codes


def test_garbled_presses_at_the_socket_hang_up_and_do_nothing(table: Any) -> None:
    table.start(players=2)
    table.turn_on()
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(str(table.link.socket_path()))
        from companion.gateway import wire

        made.sendall(wire.packed(wire.Pressed(token(1), "sit", 0, {"seat": "axis", "name": "Eve"})))
        made.settimeout(5)
        assert made.recv(10) == b""
    assert table.link.state.wishes == ()


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_real_phone_sits_down_and_presses_with_its_thumb(table: Any) -> None:
    table.start(players=2)
    table.press()
    table.press()
    table.turn_on()
    own = table.desk.change.state.step.owners[0]
    with Browser() as browser:
        tab = browser.open(f"{table.url}/j/{table.link.state.code}")
        tab.press("button.main")
        tab.wait("location.pathname === '/table' && document.readyState === 'complete'")
        tab.go(f"{table.url}/seat")
        tab.wait("document.getElementById('line').className === 'live'")
        tab.eval("document.querySelector('input[type=text]').value = 'Anna'")
        tab.press(f".pick button[value={own}]")
        until(lambda: table.link.state.wishes)
        tab.wait("document.body.innerText.includes('Wait for its answer')")
        table.link.seat("yes", table.link.state.wishes[0].token)
        tab.wait("!!document.querySelector('.acts button.main:not([disabled])')")
        tab.wait("document.getElementById('line').className === 'live'")
        seq = table.desk.change.seq
        assert tab.eval("document.querySelector('.acts button.main').getBoundingClientRect().height") > 150
        tab.press(".acts button.main")
        until(lambda: table.desk.change.seq > seq)
        assert table.desk.entries()[-1].source in ("phone", "app")
        assert browser.complaints() == []


def test_the_way_in_says_which_table_it_is_and_one_tap_asks_for_a_free_side(table: Any) -> None:
    table.start()
    table.turn_on()
    way = f"/j/{table.link.state.code}"
    until(lambda: 'name="seat"' in table.ask("GET", way)[2])
    for language, words in (
        ("en", ("Italy", "Axis")),
        ("de", ("Italien", "Achse")),
        ("fr", ("Italie", "Axe")),
    ):
        text = table.ask("GET", f"{way}?lang={language}")[2]
        assert all(word in text for word in words), language
    typed = f"typed=1&code={table.link.state.code.lower()}"
    status, told, _text = table.ask("POST", "/join", typed, Origin=table.url)
    assert (status, told["location"].upper()) == (303, way.upper())
    assert "set-cookie" not in told, "typing the code shows the table; the next tap comes in"
    asks = f"code={table.link.state.code}&seat=axis&name=Anna"
    status, told, _text = table.ask("POST", "/join", asks, Origin=table.url, Cookie="met=1")
    assert (status, told["location"]) == (303, "/seat?asked=1")
    until(lambda: len(table.link.state.wishes) == 1)
    (wish,) = table.link.state.wishes
    assert (wish.seat, wish.name) == ("axis", "Anna")
    table.link.seat("yes", wish.token)
    until(lambda: 'value="axis" disabled' in table.ask("GET", way)[2])
    status, told, _text = table.ask("POST", "/join", asks, Origin=table.url, Cookie="met=1")
    assert told["location"] == "/table", "what is taken meanwhile is not asked for: the phone watches"
    nameless = f"code={table.link.state.code}&seat=allies&name="
    assert (
        table.ask("POST", "/join", nameless, Origin=table.url, Cookie="met=1")[1]["location"]
        == "/seat?asked=1"
    )
    until(lambda: len(table.link.state.wishes) == 1)
    assert table.link.state.wishes[0].name == "Allies"


def test_the_way_in_tells_nobody_with_a_wrong_code_what_is_played_and_counts_the_tries(table: Any) -> None:
    table.start()
    table.turn_on()
    until(lambda: 'name="seat"' in table.ask("GET", f"/j/{table.link.state.code}")[2])
    for _n in range(5):
        status, _told, text = table.ask("GET", "/j/AAAAAAAA")
        assert status == 403
        assert "Italy" not in text
    status, _told, text = table.ask("GET", f"/j/{table.link.state.code}")
    assert status == 429
    assert "Italy" not in text
