"""The Phones page: turn them on, where they ask, the code as a square to scan, and off again; and the port to what does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from companion.core import clock as ck
from companion.core.ids import ARBITER
from companion.core.state import GameState
from companion.core.text import N_, Say, Typed, side
from companion.pages.desk import Silent, Subscription
from companion.pages.dice_phone import RollSeen, seen_blocks
from companion.pages.page import (
    Act,
    Acts,
    Block,
    Button,
    Code,
    Draft,
    Head,
    Item,
    Notice,
    OnBox,
    Options,
    Page,
    Rows,
    Shown,
    Sight,
    Tiles,
    Words,
)
from companion.pages.parts import side_mark, way_back

__all__ = [
    "DELAYS_S",
    "NoPhones",
    "OwnCode",
    "Phones",
    "PhonesDraft",
    "PhonesState",
    "Sitting",
    "WifiCode",
    "phones_page",
    "phones_word",
]

DELAYS_S = (0, 60, 300, 900)
"""So many seconds late spectators may see the table."""


class Sitting(msgspec.Struct, frozen=True):
    """A phone at a side, or one that asks for it."""

    token: str
    """Names the phone; nothing that it could show."""
    seat: str
    name: str
    is_private: bool = False
    """It has a key of its own."""


class OwnCode(msgspec.Struct, frozen=True):
    """A side's own code that waits to be scanned, until it is used, two minutes are over, or the table puts it away."""

    seat: str
    square: tuple[str, ...]


class WifiCode(msgspec.Struct, frozen=True):
    """How a phone joins the table's own Wi-Fi."""

    name: str
    password: str
    square: tuple[str, ...]


class PhonesState(msgspec.Struct, frozen=True):
    """How phones stand."""

    is_on: bool = False
    is_connected: bool = False
    """Whether the part that phones talk to is there."""
    address: str = ""
    """Where phones ask, such as ``192.168.1.20:8765``."""
    code: str = ""
    tv: str = ""
    """Ticket of the spectators' page."""
    square: tuple[str, ...] = ()
    """The address with the code, to be scanned: rows of ``1`` for dark and ``0``; empty where nothing draws it."""
    watching: int = 0
    """Live pages."""
    wishes: tuple[Sitting, ...] = ()
    """Phones that ask for a side."""
    seats: tuple[Sitting, ...] = ()
    is_locked: bool = False
    """Nobody else may ask for a side."""
    own: OwnCode | None = None
    """The code of one side's own phone, while it is shown."""
    wifi: WifiCode | None = None
    """The table's own Wi-Fi, where phones ask in it."""
    may_tournament: bool = False
    """The arbiter lets both sides' own phones press in a tournament."""
    roll: RollSeen | None = None
    """The photo of dice that a phone sent last."""
    fault: Say | None = None
    """Why they are off though the table wanted them on."""


class Phones(Protocol):
    """What lets phones watch."""

    @property
    def state(self) -> PhonesState:
        """How they stand now."""
        ...

    def addresses(self) -> tuple[str, ...]:
        """Return this machine's addresses that phones could ask at; the last is for this machine alone."""
        ...

    def look(self) -> None:
        """Look again at which addresses there are, every two seconds while the page is up."""
        ...

    def turn_on(self, address: str) -> None:
        """Let phones ask at an address; what comes of it is in `state`."""
        ...

    def turn_off(self) -> None:
        """Let nobody ask anymore; twice is safe."""
        ...

    def seat(self, what: str, token: str = "") -> None:
        """Do what the table says of seats.

        Args:
            what: Let a phone sit or not (``yes``, ``no``), take its side (``kick``), ``lock`` or ``open`` for others, show a
                side's own code (``own``) or put it away (``own_done``), and let phones press in a tournament or not
                (``presses``, ``no_presses``; the caller has made sure that the arbiter wants it).
            token: The phone; the side of an own code.
        """
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever `state` has changed."""
        ...


class NoPhones(Silent):
    """A box that phones cannot watch."""

    state = PhonesState(fault=Say("Phones cannot be used on this machine."))

    def addresses(self) -> tuple[str, ...]:
        """No address."""
        return ()

    def look(self) -> None:
        """Nothing changes."""

    def turn_on(self, address: str) -> None:
        """Nothing happens."""

    def turn_off(self) -> None:
        """Nothing happens."""

    def seat(self, what: str, token: str = "") -> None:
        """Nothing happens."""


class PhonesDraft(msgspec.Struct, frozen=True):
    """What is looked at while they are on: ``join``, ``seats``, ``tv`` or ``dice``."""

    tab: str = "join"


def phones_word(state: PhonesState) -> Words:
    """Return in a word or two how phones stand."""
    if not state.is_on:
        return Say("Off")
    return Say.counted("{n} is watching", "{n} are watching", state.watching) if state.watching else Say("On")


def phones_page(sight: Sight) -> Shown:
    """Return the Phones page: where they shall ask while they are off, and how they come in while they are on."""
    assert sight.box is not None, "phones are the box's"
    acts, phones = Acts(), sight.box.phones
    state, tab = phones.state, sight.entered(PhonesDraft()).tab
    if not state.is_on:
        blocks = _off(state, phones.addresses(), acts)
        page = Page("phones.off", Say("Phones"), blocks=blocks, main=way_back(acts))
        return Shown(page, acts)
    tabs = tuple(
        Item(key, Say(title), act=acts.put(f"tab.{key}", _show(key)))
        for key, title in _TABS.items()
        if key != "dice" or state.roll is not None
    )
    page = Page(
        f"phones.{tab}",
        Say("Phones"),
        phones_word(state),
        "ok",
        tabs=tabs,
        tab=tab,
        tools=(Button(Say("Turn off"), acts.put("off", OnBox("phones_off")), "power"),),
        blocks=_spectators(sight, state, acts)
        if tab == "tv"
        else _seats(sight, state, acts)
        if tab == "seats"
        else seen_blocks(state.roll)
        if tab == "dice" and state.roll is not None
        else _join(state),
        main=way_back(acts),
    )
    return Shown(page, acts)


_TABS: dict[str, str] = {"join": N_("Join"), "seats": N_("Seats"), "tv": N_("Spectators"), "dice": N_("Dice")}


def _show(tab: str) -> Act:
    return Draft(lambda _draft: PhonesDraft(tab), PhonesDraft())


def _off(state: PhonesState, addresses: tuple[str, ...], acts: Acts) -> tuple[Block, ...]:
    """Return the networks to choose from; a tap turns phones on."""
    title = Say("Phones are off. Choose a network to turn them on.")
    told = Say("They may watch the table, nothing else, until you turn them off or the evening ends.")
    if state.fault is not None:
        notice = Notice("off", Say("Phones are off"), state.fault, "danger")
    else:
        notice = Notice("off", title, told)
    rows = tuple(
        Item(
            f"at.{n}",
            Typed(address),
            Say("A browser on this machine only")
            if address == "127.0.0.1"
            else Say("Phones on this network"),
            symbol="power",
            act=acts.put(f"on.{n}", OnBox("phones_on", {"address": address})),
        )
        for n, address in enumerate(addresses)
    )
    return notice, Rows("networks", rows, empty=Say("This machine has no network that a phone could use."))


def _join(state: PhonesState) -> tuple[Block, ...]:
    """Return the square to scan, and what else leads there."""
    code = Code(
        "join",
        state.square,
        Say("1  Put the phone on this network."),
        Say(
            "2  Scan the square, or open {address} and enter this code:",
            address=Typed(f"http://{state.address}"),
        ),
        Typed(f"{state.code[:4]} {state.code[4:]}"),
    )
    if state.wifi is not None:
        wifi = Code(
            "wifi",
            state.wifi.square,
            Say("1  Scan this square to join the Wi-Fi {name}.", name=Typed(state.wifi.name)),
            Say("Password. Stay, even without internet."),
            Typed(state.wifi.password),
        )
        code = msgspec.structs.replace(
            code,
            title=Say(
                "2  Then scan this square, or open {address}.", address=Typed(f"http://{state.address}")
            ),
            sub=Say("Tonight's code"),
        )
        return wifi, code
    if state.is_connected:
        return (code,)
    return Notice("waiting", Say("Phones are not connected yet."), state="danger"), code


def _seats(sight: Sight, state: PhonesState, acts: Acts) -> tuple[Block, ...]:
    """Return who asks for a side, who holds one, each side's own code, and whether more may ask."""
    if state.own is not None:
        return _own(state.own, acts)
    rows = []
    for n, one in enumerate(state.wishes):
        keys = (
            Item(
                "yes",
                Say("Let in"),
                act=acts.put(f"yes.{n}", OnBox("phones_seat", {"what": "yes", "token": one.token})),
            ),
            Item(
                "no",
                Say("No"),
                act=acts.put(f"no.{n}", OnBox("phones_seat", {"what": "no", "token": one.token})),
            ),
        )
        rows.append(
            Item(
                f"wish.{n}",
                Say("{name} asks for: {side}", name=Typed(one.name), side=side(one.seat)),
                facet=Options(keys),
            )
        )
    for n, one in enumerate(state.seats):
        kick = OnBox("phones_seat", {"what": "kick", "token": one.token})
        key = (Item("kick", Say("Take the seat away"), act=acts.put(f"kick.{n}", kick)),)
        named = Say("{name}: {side}", name=Typed(one.name), side=side(one.seat))
        title = Say("{side}: its own phone", side=_seat(one.seat)) if one.is_private else named
        sub = Say("Its pages and presses are sealed.") if one.is_private else None
        rows.append(Item(f"seat.{n}", title, sub, facet=Options(key)))
    below = []
    is_open = sight.change is not None and sight.change.state.setup is not None
    if is_open and ck.is_tournament(sight.state.clocks):
        below.append(_presses(state, acts))
    lock = (
        Item("open", Say("May ask"), act=acts.put("open", OnBox("phones_seat", {"what": "open"}))),
        Item("lock", Say("Locked"), act=acts.put("lock", OnBox("phones_seat", {"what": "lock"}))),
    )
    told = Say("A phone at a side may press that side's clock.")
    below.append(
        Item("lock", Say("Further phones"), told, facet=Options(lock, "lock" if state.is_locked else "open"))
    )
    return (
        *((Rows("seats", tuple(rows)),) if rows else ()),
        *(_codes(sight.state, acts) if is_open else ()),
        Rows("lock", tuple(below)),
    )


def _codes(state: GameState, acts: Acts) -> tuple[Block, ...]:
    """Return who has private pages: a tap shows the code that a phone scans for them."""
    shows, setup = Say("Show the code"), state.frozen_setup
    tiles = tuple(
        Item(
            f"own.{info.id}",
            side(info.id),
            shows,
            mark=side_mark(setup, info.id),
            act=acts.put(f"own.{info.id}", OnBox("phones_seat", {"what": "own", "token": info.id})),
        )
        for info in setup.sides
    )
    act = acts.put("own.arbiter", OnBox("phones_arbiter"))
    arbiter = Item("own.arbiter", _seat(ARBITER), shows, symbol="arbiter", act=act)
    head = Head("codes", Say("Private pages, on a phone that scans its code"))
    return head, Tiles("own", (*tiles, arbiter))


def _seat(seat: str) -> Words:
    return Say("Arbiter") if seat == ARBITER else side(seat)


def _own(own: OwnCode, acts: Acts) -> tuple[Block, ...]:
    """Return a side's own code; its key stands in the square alone, so there is nothing to type."""
    code = Code(
        "own",
        own.square,
        Say("Only for: {side}. Others look away.", side=_seat(own.seat)),
        Say("The code works once, for two minutes. It carries a key that never crosses the network."),
    )
    done = acts.put("own_done", OnBox("phones_seat", {"what": "own_done"}))
    return code, Rows("own", (Item("done", Say("Put the code away"), symbol="hide", act=done),))


def _presses(state: PhonesState, acts: Acts) -> Item:
    """Return the arbiter's switch for presses by phone in a tournament: for both sides or none."""
    keys = tuple(
        Item(key, word, act=acts.put(key, OnBox("phones_presses", {"is_on": key == "presses"})))
        for key, word in (("no_presses", Say("Only the box")), ("presses", Say("Phones too")))
    )
    told = Say("The arbiter decides for both sides. A phone needs its side's own code.")
    chosen = "presses" if state.may_tournament else "no_presses"
    return Item("presses", Say("Clock presses in this tournament"), told, facet=Options(keys, chosen))


def _spectators(sight: Sight, state: PhonesState, acts: Acts) -> tuple[Block, ...]:
    """Return the address for a large screen or a stream, and how much later it shows the table."""
    delay = int(sight.desk.settings().get("phones_delay_s") or 0) if sight.desk is not None else 0
    delays = tuple(
        Item(
            str(one),
            Say("{n} min", n=one // 60) if one else Say("Live"),
            act=acts.put(f"delay.{one}", OnBox("set", {"name": "phones_delay_s", "value": one})),
        )
        for one in DELAYS_S
    )
    address = f"http://{state.address}/tv?t={state.tv}"
    rows = (
        Item("tv", Say("For a large screen"), Typed(address)),
        Item("overlay", Say("For a stream, without a ground"), Typed(f"{address}&overlay=1")),
        Item(
            "delay", Say("Delay"), Say("So much later they see the table"), facet=Options(delays, str(delay))
        ),
    )
    return (Rows("tv", rows),)
