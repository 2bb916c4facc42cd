"""A battle of the card game with cards that lie face down, played from two phones, from the hand to the reveal."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest

from companion.core.commands import EnterPrintedValue
from companion.games.med.rules import commands as med
from companion.games.med.rules.cards import printed_key
from companion.testing.chromium import CHROMIUM, Browser, Tab
from companion.testing.waiting import until
from tests.games.med.evening import CARDS
from tests.phones.own_phone import gateway_memory, sit
from tests.phones.test_own import fill, tap

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]
HAND = "document.querySelector('h1').innerText === 'Hand'"


def begin(table: Any) -> tuple[str, str]:
    """Start an evening of two, its cards known, at the first Operation; return who acts first, and the other."""
    names = ["Anna", "Ben"]
    table.start("med", "match", players=2, names=names, operations=15, series="single", clock="count_up")
    for card in CARDS:
        seq = table.desk.change.seq
        table.desk.send(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
        until(lambda before=seq: table.desk.change.seq > before)
    table.press()
    table.turn_on()
    first = str(table.desk.change.state.step.owners[0])
    return first, next(info.id for info in table.desk.change.state.frozen_setup.sides if info.id != first)


def hold_hand(tab: Tab, cards: str) -> None:
    tap(tab, "Hand")
    tap(tab, "Add cards")
    fill(tab, cards)
    tap(tab, "Done")


def lay(tab: Tab, n: int, words: str) -> None:
    """Tick a card of the hand by its place, covered as it is, and lay it."""
    if not tab.eval(HAND):
        tap(tab, "Hand")
    tab.wait(f"document.querySelectorAll('.secret button').length > {n}")
    tab.wait("!document.body.innerText.includes('It is not your act')")
    tab.eval(f"document.querySelectorAll('.secret button')[{n}].click()")
    tab.wait("document.querySelectorAll('.tick.on').length === 1")
    tap(tab, words)
    tap(tab, "Lay down")


def _nothing() -> None:
    """The finger is lifted, no more."""


def act(table: Any) -> str:
    return str(table.desk.change.state.step.act)


@pytest.mark.parametrize("has_sound", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_hand_is_read_while_a_finger_holds_and_cards_face_down_are_their_owners_alone(
    table: Any, *, has_sound: bool
) -> None:
    first, other = begin(table)
    with Browser() as one, Browser() as two:
        anna, ben = sit(one, table, first), sit(two, table, other)
        tap(anna, "Engagement")
        for key in "05":
            tap(anna, key)
        tap(anna, "Open the engagement")
        until(lambda: act(table) == "play")
        hold_hand(anna, "A02 A05 A07")
        hold_hand(ben, "X04 X09")
        # Covered, read while held, covered again by whatever takes the finger or the page away.
        assert "A05" not in anna.text()
        for takes_away in (
            _nothing,
            lambda: anna.eval("window.dispatchEvent(new Event('pagehide'))"),
            lambda: anna.eval("window.dispatchEvent(new Event('blur'))"),
        ):
            anna.hold(".hold")
            anna.wait("document.body.innerText.includes('A05')")
            takes_away()
            if takes_away is not _nothing:
                anna.wait("!document.body.innerText.includes('A05')")
            anna.lift()
            anna.wait("!document.body.innerText.includes('A05')")
        tap(ben, "Clock")
        ben.hold("h1")
        ben.lift()
        ben.eval(
            "window.tapped = Date.now(); window.shaken = 0; navigator.vibrate = () => { window.shaken += 1; return true; }"
        )
        ben.eval(
            "window.sounded = 0; OscillatorNode.prototype.start = new Proxy(OscillatorNode.prototype.start, "
            "{apply: (start, tone, args) => { window.sounded += 1; return Reflect.apply(start, tone, args); }})"
        )
        if has_sound:
            ben.press("#sound")
            ben.wait("window.sounded === 1 && document.getElementById('sound').ariaPressed === 'true'")
            ben.eval("window.sounded = 0")
        ben.wait("Date.now() - window.tapped > 800")  # what follows a tap is no news to its hand
        lay(anna, 0, "Lay down")
        until(lambda: table.desk.change.state.step.owners == (other,))
        ben.wait("window.shaken === 1")  # his turn has come
        assert ben.eval("window.sounded") == int(has_sound), "off until it is tapped"
        lay(ben, 0, "Lay down")
        until(lambda: act(table) == "draw_cards")
        table.press()
        until(lambda: act(table) == "play_hidden")
        cookie = table.join()

        def read_log() -> str:
            return str(table.ask("GET", "/log", Cookie=cookie)[2])

        log = read_log()  # its values were entered before the game
        lay(anna, 0, "Lay face down")
        until(lambda: table.desk.change.state.step.owners == (other,))
        laid = [e for e in table.desk.seen(frozenset({first})).entries if isinstance(e.command, med.PlayHand)]
        assert laid[-1].command.cards == ("A05",)
        assert laid[-1].source == "phone"
        assert "A05" not in anna.text()
        anna.hold(".hold")
        anna.wait("document.body.innerText.includes('A05')")
        anna.lift()
        assert "ace down" in ben.text()
        (pid,) = table.gateways()
        memory = gateway_memory(pid)
        watched = [table.ask("GET", f"/{page}", Cookie=cookie)[2] for page in ("table", "score", "clocks")]
        until(lambda: read_log().count("data-k") > log.count("data-k"))  # it says that something was laid
        assert read_log().count("A05") == log.count("A05")
        spectators = table.ask("GET", f"/tv?t={table.link.state.tv}")[2]
        everywhere = (
            ben.eval("document.documentElement.outerHTML"),
            str(two.events),
            *watched,
            spectators,
            str([msgspec.to_builtins(entry.command) for entry in table.desk.entries()[len(CARDS) :]]),
        )
        # Three signs alone stand in any ciphertext, and the log names the card among the printed values.
        for secret in ('name">A05', "['A05']", "Anna: A05"):
            assert not [text[:80] for text in everywhere if secret in text], secret
            assert secret.encode() not in memory
        assert b"phone.sealed" in memory, "the search finds what is there"
        lay(ben, 0, "Lay face down")
        until(lambda: act(table) == "reveal")
        ben.wait("document.body.innerText.includes('A05')")
        until(lambda: read_log().count("A05") > log.count("A05"))  # the reveal shows it
        assert one.complaints() + two.complaints() == []


def test_a_hand_outlives_the_program_and_stands_in_no_file_that_could_be_read(table: Any) -> None:
    first, _other = begin(table)
    with Browser() as one:
        anna = sit(one, table, first)
        hold_hand(anna, "A02 A05 X77")
        table.link._stop("")  # as a program that is killed: the evening's file is left
        path = table.desk.path
        table.desk.close()
        table.link = table.new_link()
        for file in table.home.rglob("*"):
            if file.is_file():
                assert b"X77" not in file.read_bytes(), file
        table.desk.open(path)
        until(lambda: table.desk.change is not None)
        table.link.go_on()
        until(lambda: table.link.state.is_connected)
        anna.wait("document.getElementById('line').className === 'live'", 30)
        tap(anna, "Hand")
        anna.wait("document.querySelectorAll('.secret').length === 3")
        anna.hold(".hold")
        anna.wait("document.body.innerText.includes('X77')")
        held_s = time.monotonic()
        anna.wait("!document.body.innerText.includes('X77')", 30)
        assert 15 < time.monotonic() - held_s < 25, "a finger that stays covers it after 20 s"
        anna.lift()
