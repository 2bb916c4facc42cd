"""The wall: every table of a round as one value, the one that needs the director most first. Pure: instants come in.

What a table says over the link is a `messages.State`; without a link a tile still says who plays, and whether the result is in.
A clock is only ever counted on while its box is heard: after 15 seconds of silence it stands as it was heard last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from companion.core.text import Say, Typed
from companion.hall.messages import State
from companion.hall.record import Tournament

__all__ = ["NEEDS", "SILENT_MS", "Clock", "Live", "Need", "Tile", "clock_of", "tiles"]

Need = Literal["dispute", "called", "flag", "gap", "lost", "behind", "late", "near", "play", "paper", "done"]
NEEDS: Mapping[Need, Say] = {
    "dispute": Say("In dispute"),
    "called": Say("Called"),
    "flag": Say("Flag"),
    "gap": Say("Gap"),
    "lost": Say("Link lost"),
    "behind": Say("Behind"),
    "late": Say("Late to start"),
    "near": Say("Near a flag"),
    "play": Say("In play"),
    "paper": Say("Result to come"),
    "done": Say("Finished"),
}
"""In the order in which the director is needed, with the word on the tile."""
_CALLS: Mapping[str, Say] = {
    "rule": Say("Call: rule"),
    "clock": Say("Call: clock"),
    "dice": Say("Call: dice"),
    "other": Say("Call: other"),
}
_RANK = {need: rank for rank, need in enumerate(NEEDS)}

SILENT_MS = 15_000
_NEAR_MS, _LATE_MS = 5 * 60_000, 5 * 60_000


class Live(NamedTuple):
    """What is heard of a table."""

    state: State | None = None
    is_up: bool = False
    heard_ms: int = 0
    """When anything came last, by the director's clock."""
    state_ms: int = 0
    """When the state came."""
    offset_ms: int | None = None
    """What the box's clock is ahead of the director's; None: not measured."""
    doubt_ms: int = 0
    """How wrong the offset may be."""
    told: tuple[str, ...] = ()
    """Faults of late, in words."""


class Clock(NamedTuple):
    """A side's clock: what is left, and when it would be at zero by the director's clock."""

    side: str
    left_ms: int
    zero_ms: int | None
    """None: it stands."""


class Tile(NamedTuple):
    """A table on the wall."""

    table: int
    need: Need
    word: Say
    names: tuple[str, ...]
    sides: tuple[str, ...]
    live: Live
    clocks: tuple[Clock, ...]
    is_silent: bool
    rank: tuple[int, int, int]


def clock_of(live: Live, side: str, now_ms: int) -> Clock | None:
    """Return a side's clock; None where the table has none for it."""
    state = live.state
    if state is None or side not in state.limit:
        return None
    left = state.limit[side] + state.grants.get(side, 0) - state.spent.get(side, 0)
    if state.run != side or state.paused:
        return Clock(side, max(0, left), None)
    ahead = state.now - live.state_ms if live.offset_ms is None else live.offset_ms
    zero = state.since + left - ahead
    heard = live.heard_ms if now_ms - live.heard_ms >= SILENT_MS or not live.is_up else now_ms
    is_counted = heard == now_ms
    return Clock(side, max(0, zero - heard), zero if is_counted else None)


def tiles(
    now: Tournament, live: Mapping[str, Live], now_ms: int, left_ms: int | None = None
) -> tuple[Tile, ...]:
    """Return the tables of the newest round, the one that needs the director most first.

    Args:
        now: The record.
        live: What is heard, by the table's id.
        now_ms: The director's clock.
        left_ms: What is left of the round; None where no round clock runs.
    """
    if not now.rounds:
        return ()
    found = now.rounds[-1]
    minutes = now.rules.minutes * 60_000
    made = []
    for pairing in found.tables:
        if pairing.second is None:
            continue
        heard = live.get(str(pairing.table), Live())
        clocks = tuple(
            one for side in now.rules.sides if (one := clock_of(heard, side.casefold(), now_ms)) is not None
        )
        is_silent = heard.state is not None and (not heard.is_up or now_ms - heard.heard_ms >= SILENT_MS)
        spent_ms = None if left_ms is None or not minutes else minutes - left_ms
        need, word, order = _need(
            heard,
            clocks,
            number=found.number,
            is_disputed=pairing.table in found.disputed,
            is_in=pairing.table in found.results,
            is_silent=is_silent,
            left_ms=left_ms,
            spent_ms=spent_ms,
        )
        names = tuple(now.players[one].name for one in (pairing.first, pairing.second))
        made.append(
            Tile(
                pairing.table, need, word, names, now.rules.sides, heard, clocks, is_silent,
                (_RANK[need], order, pairing.table),
            )
        )  # fmt: skip
    return tuple(sorted(made, key=lambda tile: tile.rank))


def _need(
    live: Live,
    clocks: tuple[Clock, ...],
    *,
    number: int,
    is_disputed: bool,
    is_in: bool,
    is_silent: bool,
    left_ms: int | None,
    spent_ms: int | None,
) -> tuple[Need, Say, int]:
    """Return what a table needs, in a word, and its order among those that need the same: less comes first."""
    state = live.state
    if is_disputed:
        return "dispute", NEEDS["dispute"], 0
    if state is not None and state.wants:
        word = _CALLS.get(state.wants, Say("Call: {what}", what=Typed(state.wants)))
        return "called", word, state.wants_at - (live.offset_ms or 0)
    if is_in:
        return "done", NEEDS["done"], 0
    if state is None:
        return "paper", NEEDS["paper"], 0
    least = min((one.left_ms for one in clocks if state.run == one.side), default=None)
    if state.flag and not state.ended:
        return "flag", NEEDS["flag"], 0
    if state.gap and not state.ended:
        return "gap", NEEDS["gap"], 0
    if is_silent and state.run is not None and not state.paused and not state.ended:
        return "lost", NEEDS["lost"], live.heard_ms
    if state.ended:
        return "paper", NEEDS["paper"], 0
    if left_ms is not None and clocks and sum(one.left_ms for one in clocks) > max(0, left_ms):
        return "behind", NEEDS["behind"], -sum(one.left_ms for one in clocks)
    if spent_ms is not None and spent_ms > _LATE_MS and state.round not in (0, number):
        return "late", NEEDS["late"], 0
    if least is not None and least < _NEAR_MS and not state.paused:
        return "near", NEEDS["near"], least
    return "play", NEEDS["play"] if not state.paused else Say("On pause"), 0
