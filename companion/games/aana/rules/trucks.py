"""What trucks carry on their way: they stop to load more, and cargo stays aboard until their move is over.

Source: rulebook, Trucks (Land Transport).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from companion.core.events import Event
from companion.core.ids import SiteId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Count, Say, several
from companion.core.text import unit as named
from companion.games.aana.rules.ledger import split
from companion.games.aana.rules.movement import TRUCK_CAPACITY, Movement, movement_of
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.used import without_used
from companion.games.aana.rules.ways import MakeMove

__all__ = ["TOKENS", "Loaded", "aboard_before", "loaded", "unloaded"]

TOKENS: Final = Piece("supply")
"""Supply among the cargo of trucks, which is nobody's."""


class Loaded(Event, frozen=True, tag=True):
    """Trucks came to a place with cargo, which stays aboard until their move is over."""

    origin: SiteId
    to: SiteId
    aboard: dict[Piece, int]
    """Piece to count, tokens as ``supply``."""
    before: dict[Piece, int]
    """Of these, what was aboard already where they set out."""


def _going_on(picks: Mapping[Piece, tuple[int, ...]]) -> int:
    """Return how many of the trucks that go have stopped here on their way."""
    return sum(spent > 0 for piece, used in picks.items() if split(piece)[1] == "truck" for spent in used)


def aboard_before(
    state: GameState, command: MakeMove, picks: Mapping[Piece, tuple[int, ...]]
) -> dict[Piece, int]:
    """Return what of a move's cargo was aboard already: with trucks that go on, as much as they brought."""
    if not _going_on(picks):
        return {}
    goes = {**command.riders, TOKENS: command.supply}
    brought = movement_of(state).aboard.get(command.origin, {})
    return {what: min(n, goes[what]) for what, n in brought.items() if goes.get(what)}


def unloaded(state: GameState, command: MakeMove, picks: Mapping[Piece, tuple[int, ...]]) -> Rejected | None:
    """Refuse to leave cargo behind that is aboard: it is unloaded where its truck's move ends.

    Source: rulebook, Trucks (Land Transport).
    """
    going = _going_on(picks)
    if not going:
        return None
    own = movement_of(state)
    brought = own.aboard.get(command.origin, {})
    before = aboard_before(state, command, picks)
    left = {what: n - before.get(what, 0) for what, n in brought.items() if n > before.get(what, 0)}
    stopped = sum(
        spent > 0
        for piece, used in own.late.get(command.origin, {}).items()
        if split(piece)[1] == "truck"
        for spent in used
    )
    if sum(left.values()) <= (stopped - going) * TRUCK_CAPACITY:
        return None
    cargo = several(Count(n, named(what if what == TOKENS else split(what)[1])) for what, n in left.items())
    return Rejected(
        "cargo_aboard", Say("Cargo stays aboard until its truck stops: take {cargo} along.", cargo=cargo)
    )


def loaded(own: Movement, event: Loaded) -> Movement:
    """Take what was aboard along, and note what is aboard now."""
    aboard = {place: dict(cargo) for place, cargo in own.aboard.items()}
    late, here = own.late, aboard.get(event.origin, {})
    for what, n in event.before.items():
        here[what] = here.get(what, 0) - n
        late = late if what == TOKENS else without_used(late, event.origin, what, (0,) * n)
    there = aboard.setdefault(event.to, {})
    for what, n in event.aboard.items():
        there[what] = there.get(what, 0) + n
    kept = {place: {what: n for what, n in cargo.items() if n > 0} for place, cargo in aboard.items()}
    return msgspec.structs.replace(
        own, late=late, aboard={place: cargo for place, cargo in kept.items() if cargo}
    )
