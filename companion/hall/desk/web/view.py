"""What the director's pages are made of, in a browser and in a window, as values, and words that several of them need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from companion.core.text import Say, Several, Typed
from companion.hall.happenings import Paired, Pairing
from companion.hall.messages import State
from companion.hall.outcome import Report, Result
from companion.hall.pairing import reasons
from companion.hall.record import Round, Tournament
from companion.hall.standings import points_text
from companion.hall.voice import told
from companion.hall.wall import Live

__all__ = [
    "HOWS",
    "SYSTEMS",
    "Parts",
    "Playable",
    "SentOrder",
    "View",
    "figure_of",
    "numbers",
    "place_of",
    "points_of",
    "reasons_of",
    "round_says",
    "second_of",
    "source_of",
    "told_of",
    "whole_rounds",
]


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
    def refused(self) -> tuple[Say, ...]: ...
    @property
    def open(self) -> tuple[str, ...]: ...


def round_says(number: int) -> Say:
    """Name a round of the tournament; its gap sets it apart from a game's "Round {n}", which French calls otherwise."""
    return Say("Round {round}", round=number)


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


def place_of(state: State) -> str:
    """Return where a table's game stands: stage, phase and act."""
    words = [told(Say("Stage {n}", n=state.stage)) if state.stage else "", state.phase, state.act]
    return " · ".join(word for word in words if word)


def points_of(state: State, sides: Sequence[str]) -> str:
    """Return a table's points, in the order of the tournament's sides, and how far each is from victory; empty where none are counted."""
    if not state.vp:
        return ""
    ids = [side.casefold() for side in sides]
    ids = ids if set(ids) == set(state.vp) else list(state.vp)
    points = " : ".join("–" if (one := state.vp[side]) is None else f"{one:g}" for side in ids)
    far = ", ".join(one for one in state.far.values() if one)
    return f"{points} {told(Say('VP'))}{f' · {far}' if far else ''}"


def source_of(one: Report) -> Say:
    """Return from whom a report comes."""
    if one.box:
        return Say("box {box}, entry {seq}", box=Typed(one.box), seq=one.seq)
    if len(one.eyes) != 2:
        return Say("the desk")
    return Say("{one} and {other}", one=Typed(one.eyes[0]), other=Typed(one.eyes[1]))


def reasons_of(now: Tournament, found: Round) -> dict[int, Say]:
    """Return why each pair of a round sits together, by its table."""
    before = replace(now, rounds=now.rounds[: found.number - 1])
    return {one.table: one.text for one in reasons(before, Paired(found.number, found.system, found.tables))}


def whole_rounds(now: Tournament) -> int:
    """Return how many rounds have all their results."""
    return len(now.rounds) - (1 if now.rounds and now.rounds[-1].missing else 0)


def figure_of(now: Tournament, name: str, value: float) -> str:
    """Return a tie-break's figure as the standings write it."""
    if name in ("head_to_head", "buchholz", "median", "sonneborn_berger"):
        return points_text(int(value), now.rules.score.unit)
    if name == "time_left":
        return f"{int(value) // 60}:{int(value) % 60:02d}"
    return told(Say("by lot")) if name == "lot" else f"{value:g}"
