"""What the director's pages are made of, as values, and words that several of them need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from companion.core.text import Say, Several, Typed
from companion.hall.happenings import Pairing
from companion.hall.outcome import Result
from companion.hall.record import Tournament
from companion.hall.voice import told
from companion.hall.wall import Live

__all__ = ["HOWS", "SYSTEMS", "Parts", "Playable", "SentOrder", "View", "numbers", "second_of", "told_of"]


class View(NamedTuple):
    """All that pages are made of."""

    now: Tournament
    live: Mapping[str, Live]
    now_ms: int
    """The director's clock."""
    zero_ms: int | None = None
    """When the round is over by that clock; None: no round clock."""
    link: Say | str = ""
    """Why tables are not heard; empty: they are."""

    @property
    def left_ms(self) -> int | None:
        """What is left of the round; below zero once it is over."""
        return None if self.zero_ms is None else self.zero_ms - self.now_ms


class Playable(NamedTuple):
    """A scenario that tables can be seated for, with the time controls that it can be played with, by id and title."""

    game: str
    scenario: str
    title: str
    controls: tuple[tuple[str, str], ...] = ()


class Parts(NamedTuple):
    """A live page: pieces by their key, in order, and when the tables among them were heard last."""

    order: tuple[str, ...]
    html: dict[str, str]
    heard: dict[str, int] = {}


class SentOrder(Protocol):
    """An order and what has come of it."""

    @property
    def n(self) -> int: ...
    @property
    def to(self) -> str: ...
    @property
    def text(self) -> Say: ...
    @property
    def asked(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def refused(self) -> tuple[str, ...]: ...
    @property
    def open(self) -> tuple[str, ...]: ...


def second_of(now: Tournament, pairing: Pairing) -> str:
    """Return the second player of a pairing, or that it is a bye."""
    return told(Say("bye")) if pairing.second is None else now.players[pairing.second].name


HOWS: Mapping[str, Say] = {
    "played": Say("played"),
    "conceded": Say("conceded"),
    "forfeit": Say("forfeit"),
    "adjudicated": Say("adjudicated"),
}
"""How a result came about."""
SYSTEMS: Mapping[str, Say] = {
    "swiss": Say("Swiss"),
    "robin": Say("everybody against everybody"),
    "knockout": Say("knock-out"),
}


def numbers(tables: Iterable[object]) -> Several:
    """Return numbers or names with commas."""
    return Several(tuple(Typed(str(one)) for one in tables), "comma")


def told_of(now: Tournament, result: Result) -> str:
    """Return a result in words."""
    won = told(Say("nobody came") if result.how == "double_forfeit" else Say("draw"))
    if result.winner is not None:
        won = now.players[result.winner].name
    points = "" if result.vp is None else f" {result.vp[0]}:{result.vp[1]}"
    how = "" if result.how in ("played", "double_forfeit") else f" ({told(HOWS[result.how])})"
    return f"{won}{points}{how}"
