"""Step 6 of a combat: who moves in, what is captured, who surrenders, and which convoy routes open or close.

Source: rulebook, Conclude Combat; Capturing Trucks; French Units; Special Rules for the Scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.events import Event
from companion.core.ids import Millis, Nation, SiteId
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Say
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.fight import Fight, kind_key, kind_name
from companion.games.aana.rules.figures import NO_POWER, SIDE_OF, enemy_of
from companion.games.aana.rules.ledger_messages import ControlChanged, SupplyChanged, UnitsMoved
from companion.games.aana.rules.movement import grounded
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.victory import instant_events

__all__ = ["advance_able", "advance_default", "advance_room", "capture_trucks", "concluded"]


def advance_room(state: GameState, fight: Fight, power: Nation) -> int:
    """Return how many units may move into the space before its stacking limit is met; who is in the air is not there."""
    there = sum(grounded(state, fight.space, SIDE_OF[power]).values())
    return max(0, lg.board(state).limit(fight.space) - there)


def _able(state: GameState, fight: Fight) -> list[int]:
    book = lg.figures(state)
    return [
        i
        for i, kind in enumerate(fight.attackers)
        if fight.a[i] and book.row(kind.power, kind.unit).holds_ground
    ]


def advance_able(state: GameState, fight: Fight) -> dict[str, int]:
    """Return who could move in: land units still in the combat, no scout cars."""
    return {kind_key(fight.attackers[i]): fight.a[i] for i in _able(state, fight)}


def advance_default(state: GameState, fight: Fight, power: Nation) -> dict[str, int]:
    """Return who moves in by default: the strongest defenders first, as many as may."""
    book = lg.figures(state)
    room = advance_room(state, fight, power)
    found: dict[str, int] = {}
    order = sorted(
        _able(state, fight),
        key=lambda i: (-(book.row(fight.attackers[i].power, fight.attackers[i].unit).defence or 0), i),
    )
    for i in order:
        n = min(room, fight.a[i])
        if n:
            found[kind_key(fight.attackers[i])] = n
            room -= n
    return found


def concluded(
    state: GameState,
    fight: Fight,
    *,
    power: Nation,
    is_landing: bool,
    advance: Mapping[str, int] | None,
    at_ms: Millis,
) -> tuple[Event, ...] | Rejected:
    """Return what follows from the end of a combat, or why the advance is not legal."""
    ledger = lg.ledger_of(state)
    events: list[Event] = []
    units = ledger.units
    if fight.leaves == "surrender":
        for kind, n in zip(fight.defenders, fight.d_out, strict=True):
            here = min(n, units.get(fight.space, {}).get(Piece(f"vichy.{kind.unit}"), 0))
            if kind.power == "vichy" and here:
                events.append(UnitsMoved(fight.space, POOL, {Piece(f"vichy.{kind.unit}"): here}))
                events.append(UnitsMoved(POOL, fight.space, {Piece(f"free_french.{kind.unit}"): here}))
    if fight.result == "attacker" and fight.rules.domain == "land":
        for kind, n in zip(fight.defenders, fight.start_d, strict=True):
            aaa = kind.piece
            here = min(n, units.get(fight.space, {}).get(aaa, 0))
            if kind.unit == "aaa" and here and not any(fight.d):
                events.append(UnitsMoved(fight.space, POOL, {aaa: here}))
        taken = _move_in(state, fight, power=power, is_landing=is_landing, advance=advance, events=events)
        if isinstance(taken, Rejected):
            return taken
    if is_landing:
        rest = lg.known_supply(ledger, f"{fight.space}@landing") or 0
        if rest:
            events.append(SupplyChanged(f"{fight.space}@landing", -rest))
            events.append(SupplyChanged(fight.space, rest))
    after = units
    for event in events:
        if isinstance(event, UnitsMoved):
            after = lg.moved(after, event.origin, event.to, event.units)
    control = {**ledger.control}
    for event in events:
        if isinstance(event, ControlChanged):
            control[event.territory] = event.power or NO_POWER
    events.extend(instant_events(state, control, after, at_ms))
    return tuple(events)


def _move_in(
    state: GameState,
    fight: Fight,
    *,
    power: Nation,
    is_landing: bool,
    advance: Mapping[str, int] | None,
    events: list[Event],
) -> Rejected | None:
    own, ledger = lg.board(state), lg.ledger_of(state)
    able = {kind_key(fight.attackers[i]): i for i in _able(state, fight)}
    if is_landing:
        chosen: Mapping[str, int] = {key: fight.a[i] for key, i in able.items()}
    else:
        chosen = advance_default(state, fight, power) if advance is None else advance
        wanted = sum(advance_default(state, fight, power).values())
        for key, n in chosen.items():
            if key not in able or not 0 <= n <= fight.a[able[key]]:
                return Rejected(
                    Code.BAD_VALUE, Say("{piece}: {n} cannot move in.", piece=kind_name(key), n=n)
                )
        if sum(chosen.values()) != wanted:
            return Rejected(
                "bad_advance",
                Say.counted(
                    "{n} unit must move in; you chose {have}.",
                    "{n} units must move in; you chose {have}.",
                    wanted,
                    have=sum(chosen.values()),
                ),
            )
        for key, n in chosen.items():
            kind = fight.attackers[able[key]]
            if n:
                events.append(UnitsMoved(kind.origin, fight.space, {kind.piece: n}))
    if not sum(chosen.values()):
        return None
    capture_trucks(state, fight.space, power, events)
    if own.is_open_to_capture(fight.space):
        before = ledger.control.get(fight.space)
        if before != power:
            events.append(ControlChanged(fight.space, power, before))
    return None


def capture_trucks(state: GameState, space: SiteId, power: Nation, events: list[Event]) -> None:
    """Take over enemy trucks: Allied ones as they are, Axis ones only while the captor's box has a truck."""
    ledger, book = lg.ledger_of(state), lg.figures(state)
    for piece, n in ledger.units.get(space, {}).items():
        owner, unit, _ = lg.split(piece)
        if unit != "truck" or SIDE_OF[owner] != enemy_of(SIDE_OF[power]):
            continue
        events.append(UnitsMoved(space, POOL, {piece: n}))
        kept = n
        if SIDE_OF[owner] == "axis":
            kept = min(n, max(0, book.row(power, "truck").limit - lg.in_play(ledger, power, "truck")))
        if kept:
            events.append(UnitsMoved(POOL, space, {piece_key(power, "truck"): kept}))
