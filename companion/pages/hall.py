"""The table in its hall: the line on the Table, the page behind it, and the port to what holds the link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from companion.core.ids import Millis
from companion.core.text import Duration, Say, Typed, Value, several
from companion.pages.desk import Silent, Subscription
from companion.pages.page import (
    Act,
    Acts,
    Banner,
    Block,
    Button,
    Item,
    Mark,
    Notice,
    OnBox,
    Page,
    Rows,
    Shown,
    Sight,
    Tiles,
    Words,
    sure,
)
from companion.pages.parts import way_back

__all__ = [
    "Hall",
    "HallAsk",
    "HallSeat",
    "HallState",
    "NoHall",
    "SeatSide",
    "hall_line",
    "hall_page",
    "order_words",
]


class HallAsk(msgspec.Struct, frozen=True):
    """An order that came late: the table says whether it is done."""

    n: int
    kind: str


class SeatSide(msgspec.Struct, frozen=True):
    """A side of a seat: its id and name, its mark, and who plays it."""

    id: str
    name: str
    mark: Mark
    player: str


class HallSeat(msgspec.Struct, frozen=True):
    """A game that the director has prepared for this table."""

    round: int
    title: str
    game_title: str
    sides: tuple[SeatSide, ...]
    control: str = ""
    """Title of its time control; empty: it has none of its own."""
    each_ms: Millis = 0
    """What a side has at its beginning; 0: the clock sets no limit, or the control says it."""
    is_by_stage: bool = False


class HallState(msgspec.Struct, frozen=True):
    """How a table stands in its hall."""

    is_enrolled: bool = False
    hall: str = ""
    table: str = ""
    is_linked: bool = False
    is_director_there: bool = False
    waiting: int = 0
    """Entries that the hall is not known to hold."""
    since_ms: Millis = 0
    """When the link came or went, by the box's clock."""
    why: str = ""
    """Why there is no link: ``certificate``, ``refused``, ``nothing_there``, ``no_answer``, ``gone``; empty where nobody knows."""
    message: str = ""
    """The director's newest text, until it is tapped."""
    round: int = 0
    """Of the tournament, as the director tells it; 0: he has not."""
    seated_round: int = 0
    """The round for which this table was seated last; 0: it never was."""
    round_left_ms: Millis | None = None
    round_at_ms: Millis = 0
    """When so much was left of the round."""
    is_last_round: bool = False
    wants: Literal["", "rule", "clock", "dice", "other"] = ""
    """Why the table calls the director."""
    wants_ms: Millis = 0
    asks: tuple[HallAsk, ...] = ()
    seat: HallSeat | None = None
    """The game to be begun; None: there is none, or it goes on."""
    slip: str = ""
    """The code of the slip of the game `slip_game`, as the director has given it."""
    slip_game: str = ""


class Hall(Protocol):
    """What holds the table's link to a hall."""

    @property
    def state(self) -> HallState:
        """How it stands now."""
        ...

    def call(self, reason: str) -> None:
        """Call the director for a reason; an empty one: no longer."""
        ...

    def read(self) -> None:
        """The table has read the director's message."""
        ...

    def answer(self, n: int, yes: str) -> None:
        """Say whether a late order is done: ``yes`` or ``no``."""
        ...

    def begin(self) -> None:
        """Begin the game for which the table was seated."""
        ...

    def decline(self) -> None:
        """Others sit here than the director has seated."""
        ...

    def leave(self) -> None:
        """Leave the hall, and forget it."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever `state` has changed."""
        ...


class NoHall(Silent):
    """A table that is in no hall."""

    state = HallState()

    def call(self, reason: str) -> None:
        """Nothing happens."""

    def read(self) -> None:
        """Nothing happens."""

    def answer(self, n: int, yes: str) -> None:
        """Nothing happens."""

    def begin(self) -> None:
        """Nothing happens."""

    def decline(self) -> None:
        """Nothing happens."""

    def leave(self) -> None:
        """Nothing happens."""


def hall_line(state: HallState, now_ms: Millis) -> tuple[Words, str] | None:
    """Return the line on the Table and its tone; None for a table in no hall. What the director says goes first."""
    if not state.is_enrolled:
        return None
    if state.message:
        return Say("Message from the director"), "accent"
    if state.asks:
        return order_words(state.asks[0].kind), "accent"
    table = Typed(state.table)
    if state.seat is not None:
        return Say(
            "Table {table} · Round {round} is ready to begin", table=table, round=state.seat.round
        ), "accent"
    if state.is_last_round:
        return Say("Last round: then the game is counted."), "accent"
    if state.wants:
        return Say("Table {table} · Director called", table=table), "accent"
    if not state.is_linked or not state.is_director_there:
        if state.waiting:
            alone = Say.counted(
                "Table {table} · No link, {n} entry kept",
                "Table {table} · No link, {n} entries kept",
                state.waiting,
                table=table,
            )
        else:
            alone = Say("Table {table} · No link, everything is sent", table=table)
        return alone, "muted"
    number = state.round or state.seated_round
    if state.round_left_ms is not None:
        left = max(0, state.round_left_ms - (now_ms - state.round_at_ms))
        return Say(
            "Table {table} · Round {round} · {left} left",
            table=table,
            round=number,
            left=Duration(left),
        ), "text"
    if number:
        return Say("Table {table} · Round {round} · Linked", table=table, round=number), "text"
    return Say("Table {table} · Linked", table=table), "text"


def order_words(kind: str) -> Words:
    """Return in words what a late order is about."""
    told: dict[str, Words] = {
        "pause": Say("Pause the clocks?"),
        "resume": Say("Let the clocks run on?"),
        "start": Say("Start the game?"),
        "adjourn": Say("Adjourn the game?"),
        "end": Say("End the game?"),
        "add_time": Say("Correct a clock?"),
        "last_round": Say("Make this round the last one?"),
        "retire": Say("Leave the hall?"),
    }
    return told.get(kind, Say("Do what the director has ordered?"))


_REASONS: tuple[tuple[str, Say, str], ...] = (
    ("rule", Say("A rule"), "info"),
    ("clock", Say("The clock"), "clocks"),
    ("dice", Say("The dice"), "dice"),
    ("other", Say("Something else"), "more"),
)


def hall_page(sight: Sight) -> Shown:
    """Return the Hall page: the link, what the director says, calling him with a reason, and leaving."""
    assert sight.box is not None, "the hall is the box's"
    acts, state = Acts(), sight.box.hall.state
    if not state.is_enrolled:
        told = Say("Scan the card of this table: companion hall enrol reads its square or its text.")
        page = Page(
            "hall.none", Say("Hall"), blocks=(Notice("none", Say("This table is in no hall."), told),),
            main=way_back(acts),
        )  # fmt: skip
        return Shown(page, acts)
    now_ms = state.wants_ms if sight.desk is None else sight.desk.now_ms()
    if state.seat is not None and not state.message and not state.asks:
        return _seated(state, state.seat, acts)
    tools = (Button(Say("Leave the hall"), acts.put("leave", _leave(state)), "close"),)
    page = Page(
        "hall",
        Say("Table {table}", table=Typed(state.table)),
        Typed(state.hall),
        tools=tools,
        blocks=(*_said(state, acts), *_call(state, acts, now_ms), *_link(state)),
        main=way_back(acts),
    )
    return Shown(page, acts)


def _seated(state: HallState, seat: HallSeat, acts: Acts) -> Shown:
    """Return who sits at the table and what they play; one tap begins it."""
    told: list[Value] = [Say(seat.game_title)]
    if seat.control:
        told.append(Say(seat.control))
    elif seat.each_ms and seat.is_by_stage:
        told.append(Say("{time} a side and stage", time=Duration(seat.each_ms)))
    elif seat.each_ms:
        told.append(Say("{time} a side", time=Duration(seat.each_ms)))
    sides = (Banner(f"side.{one.id}", Typed(one.player), Say(one.name), mark=one.mark) for one in seat.sides)
    number = Say("Round {round}", round=seat.round)
    others = sure(
        Say("Do others sit here?"),
        OnBox("hall_decline"),
        sub=Say("The director hears that this table is not seated."),
        yes=Say("Others sit here"),
    )
    page = Page(
        "hall.seat",
        Say("Table {table} · Round {round}", table=Typed(state.table), round=seat.round),
        blocks=(Banner("game", Say(seat.title), several(told, "dots"), number), *sides),
        aside=(way_back(acts),),
        second=Button(Say("Not us"), acts.put("decline", others), "close"),
        main=Button(Say("Start the game"), acts.put("begin", OnBox("hall_begin")), "play"),
    )
    return Shown(page, acts)


def _leave(state: HallState) -> Act:
    return sure(
        Say("Leave the hall?"),
        OnBox("hall_leave"),
        sub=Say.counted(
            "{n} entry has not reached it. It stays in this table's file.",
            "{n} entries have not reached it. They stay in this table's file.",
            state.waiting,
        )
        if state.waiting
        else Say("Everything played has reached it."),
        yes=Say("Leave"),
    )


def _said(state: HallState, acts: Acts) -> tuple[Block, ...]:
    """Return what the director says and asks."""
    found: list[Block] = []
    if state.message:
        read = (Button(Say("Read"), acts.put("read", OnBox("hall_read"))),)
        found.append(Notice("message", Say("The director"), Typed(state.message), "chosen", read))
    for one in state.asks:
        keys = tuple(
            Button(title, acts.put(f"{yes}.{one.n}", OnBox("hall_answer", {"n": one.n, "yes": yes})))
            for yes, title in (("yes", Say("Yes")), ("no", Say("No")))
        )
        told = Say("This order came late, so the table decides.")
        found.append(Notice(f"ask.{one.n}", order_words(one.kind), told, "chosen", keys))
    if state.is_last_round:
        last = Say("Play this round to its end; then the game is counted.")
        found.append(Notice("last", Say("Last round"), last, "chosen"))
    return tuple(found)


def _call(state: HallState, acts: Acts, now_ms: Millis) -> tuple[Block, ...]:
    """Return the reasons to call the director for, or that he is called."""
    if state.wants:
        name = next(title for key, title, _symbol in _REASONS if key == state.wants)
        waits = Say("{why} · waiting for {time}", why=name, time=Duration(max(0, now_ms - state.wants_ms)))
        stop = (Button(Say("No longer needed"), acts.put("stop", OnBox("hall_call", {"reason": ""}))),)
        return (Notice("called", Say("The director is called."), waits, "chosen", stop),)
    tiles = tuple(
        Item(key, title, symbol=symbol, act=acts.put(f"call.{key}", OnBox("hall_call", {"reason": key})))
        for key, title, symbol in _REASONS
    )
    return (Tiles("call", tiles, Say("Call the director")),)


_WHYS: dict[str, Words] = {
    "certificate": Say("Its certificate is not of the hall that this table was put into."),
    "refused": Say("It does not let this table in. Ask the director for a new card."),
    "nothing_there": Say("Nothing listens at its address."),
    "no_answer": Say("Nothing answers at its address."),
    "gone": Say("The connection broke."),
}


def _link(state: HallState) -> tuple[Block, ...]:
    """Return how the link stands and how much the hall holds."""
    if state.is_linked and state.is_director_there:
        word: Words = Say("Linked")
    elif state.is_linked:
        word = Say("The director is away")
    else:
        word = Say("No link")
    held = (
        Say("Everything played has reached it.")
        if not state.waiting
        else Say.counted("{n} entry to send", "{n} entries to send", state.waiting)
    )
    why = None if state.is_linked else _WHYS.get(state.why)
    rows = (Item("link", Say("Link"), why, word), Item("held", Say("Log"), value=held))
    return (Rows("link", rows),)
