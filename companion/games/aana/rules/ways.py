"""Which moves the rules allow: whose pieces, what trucks carry, where a piece may end and what it may pass.

Source: rulebook, Phases 1, 3, 5 and 6; Tanks, Mechanized Infantry, and Blitzing; Trucks; Air Units; Sahara Desert.
"""

from __future__ import annotations

from typing import Final

from companion.core.commands import Command
from companion.core.ids import Millis, StepId
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.games.aana.rules.battle_messages import is_landing_open
from companion.games.aana.rules.figures import SIDE_OF, Row, enemy_of
from companion.games.aana.rules.ledger import board, figures, ledger_of, occupants, split
from companion.games.aana.rules.movement import (
    CARGO_UNITS,
    TRUCK_CAPACITY,
    closed_west,
    distance,
    is_hostile,
    is_mined,
    is_neutral,
    may_land,
    movement_of,
    truck_load,
)
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.turn import at_phase, turn_powers

__all__ = ["MOVE_PHASES", "MakeMove", "length_of", "move_fault", "way_fault"]

MOVE_PHASES: Final = ("convoys", "combat_move", "noncombat", "deploy")


class MakeMove(Command, frozen=True, tag=True):
    """Move pieces of the power whose turn it is as the phase allows."""

    step: StepId
    origin: str
    to: str
    units: dict[str, int]
    spaces: int = 0
    """Spaces entered on the way; 0 = worked out where borders are known, else one."""
    via: str = ""
    """Blitz: the empty hostile territory that is taken on the way; the same as `to` when they stop there."""
    road: bool = False
    """Along the coast road only."""
    riders: dict[str, int] = {}
    """Units that trucks among `units` carry."""
    supply: int = 0
    """Tokens that trucks among `units` carry."""
    confirmed: bool = False
    """The table has seen that a stacking limit is passed and goes on."""
    at_ms: Millis = 0


def move_fault(state: GameState, command: MakeMove) -> Rejected | None:
    """Say what is wrong with a move whoever makes it: phase, spaces, whose pieces, what trucks carry."""
    refused = at_phase(state, command.step, *MOVE_PHASES)
    if refused is not None:
        return refused
    if state.step.act == "declare":
        return Rejected("wrong_phase", f"{state.step.id} is not the phase for this")
    own, book = board(state), figures(state)
    for space in (command.origin, command.to, *([command.via] if command.via else [])):
        if own.type_of(space) not in ("land", "sea", "convoy"):
            return Rejected("unknown_space", f"{space} is no space of the board; add it by its name first")
    if command.origin == command.to or not any(command.units.values()):
        return Rejected(Code.BAD_VALUE, "a move needs pieces and another space")
    for piece, n in (*command.units.items(), *command.riders.items()):
        power, unit, _ = split(piece)
        if power not in turn_powers(state) or n < 1:
            return Rejected("not_your_turn", f"{piece}: {n} pieces in the turn of {state.step.nation}")
        if not book.has(power, unit):
            return Rejected("unknown_piece", f"{power} has no {unit}")
    if command.spaces < 0 or command.supply < 0:
        return Rejected(Code.BAD_VALUE, "spaces and supply are not negative")
    if is_landing_open(state) and f"{command.origin}@landing" in ledger_of(state).supply:
        return Rejected("wrong_place", "a landing force does nothing but fight for its territory")
    return _load_fault(state, command)


def _load_fault(state: GameState, command: MakeMove) -> Rejected | None:
    """Check what trucks carry."""
    if not command.riders and not command.supply:
        return None
    trucks = sum(n for piece, n in command.units.items() if split(piece)[1] == "truck")
    if not trucks or state.step.phase != "noncombat":
        return Rejected("no_truck", "supply and passengers move with trucks, in phase 5")
    load, room = truck_load(command.riders, command.supply), trucks * TRUCK_CAPACITY
    if load > room:
        return Rejected("no_room", f"{load} to carry, {room} fit: {TRUCK_CAPACITY} a truck")
    powers = {split(piece)[0] for piece in command.units if split(piece)[1] == "truck"}
    for piece in command.riders:
        if split(piece)[1] not in CARGO_UNITS:
            return Rejected("no_room", f"trucks carry no {split(piece)[1]}")
        if split(piece)[0] not in powers:
            return Rejected("no_room", f"{piece} rides with trucks of its own power only")
    return None


def length_of(state: GameState, command: MakeMove, row: Row) -> int | None:
    """Return the spaces that a piece enters: as told, by the borders, or one; None where there is no way."""
    if command.spaces:
        return command.spaces
    if command.via and command.via != command.to:
        return 2
    ways = routes(state)
    if ways is None or not ways.knows(command.origin) or not ways.knows(command.to):
        return 1
    return distance(state, row, command.origin, command.to)


def way_fault(state: GameState, command: MakeMove, row: Row, side: str) -> Rejected | None:
    """Say where a piece may not end, or what it may not pass; None when the way is open."""
    own, phase = board(state), state.step.phase
    kind = own.type_of(command.to)
    if row.type in ("land", "truck") and kind != "land":
        return Rejected("wrong_place", f"{row.name} goes to sea by convoy only")
    if row.is_sea and kind == "land":
        return Rejected("wrong_place", f"{row.name} stays at sea")
    for space in (command.via, command.to):
        closed = closed_west(state, space, side) if space else None
        if closed is not None:
            return Rejected("closed_west", closed)
    passage = _passage_fault(state, command, row, side)
    if passage is not None:
        return passage
    ways = routes(state)
    desert = ways is not None and command.to in ways.sahara
    if desert and "sahara" not in row.traits:
        return Rejected("sahara", f"{own.name(command.to)}: scout cars only")
    if row.type in ("land", "truck"):
        return _land_fault(state, command, row, side)
    hostile = is_hostile(state, command.to, side)
    if row.type == "air":
        return _air_fault(state, command, row, side)
    if phase == "combat_move":
        foes = _enemies(state, command.to, side)
        stops = is_mined(state, command.to, side)
        if not hostile and not foes and not stops and not is_hostile(state, command.origin, side):
            return Rejected("no_attack", "a combat move ends where there is somebody to attack")
    if phase == "noncombat" and hostile and row.type != "submarine":
        return Rejected("hostile", f"{own.name(command.to)} is hostile")
    return None


def _passage_fault(state: GameState, command: MakeMove, row: Row, side: str) -> Rejected | None:
    """Say what is closed on the way from one space to another: a strait, a canal, another power's ocean."""
    own, ways = board(state), routes(state)
    zone = own.convoys.get(command.to)
    if zone is not None and zone.powers_only and row.power not in zone.powers:
        return Rejected("closed_zone", f"{zone.name}: only {', '.join(zone.powers)} may enter")
    knows = ways is not None and ways.knows(command.origin) and ways.knows(command.to)
    is_straight = command.spaces == 1 or (command.spaces == 0 and not knows)
    if not own.may_cross(command.origin, command.to) and zone is not None and is_straight:
        doors = ", ".join(own.name(space) for space in zone.entered_from)
        return Rejected("closed_zone", f"{zone.name} is entered from {doors} only")
    strait = own.strait(command.origin, command.to)
    if row.is_sea and strait is not None and strait.side != side and is_straight:
        return Rejected("closed_zone", f"{strait.name}: enemy ships only, count the spaces of the way round")
    return None


def _enemies(state: GameState, space: str, side: str) -> bool:
    foe = enemy_of(side)
    there = ledger_of(state).units.get(space, {})
    return any(n and SIDE_OF[split(piece)[0]] == foe for piece, n in there.items()) or any(
        ledger_of(state).supply.get(f"{space}@{power}") for power, of in SIDE_OF.items() if of == foe
    )


def _land_fault(state: GameState, command: MakeMove, row: Row, side: str) -> Rejected | None:
    own, phase = board(state), state.step.phase
    if own.owner_side(command.to) or own.owner_side(command.origin):
        return Rejected("wrong_place", f"{own.name(command.to)}: no land move leads across the sea")
    if command.via:
        return _blitz_fault(state, command, row, side)
    if is_hostile(state, command.to, side):
        return Rejected(
            "hostile", f"{own.name(command.to)} is hostile: attack it, or blitz it when it is empty"
        )
    if command.road and phase != "noncombat":
        return Rejected("wrong_phase", "the coast road serves in phase 5 only")
    if command.to in movement_of(state).blitzed and phase == "combat_move":
        return Rejected(
            "hostile", f"{own.name(command.to)} was taken by a blitz: nobody follows in this phase"
        )
    return None


def _blitz_fault(state: GameState, command: MakeMove, row: Row, side: str) -> Rejected | None:
    own, book = board(state), figures(state)
    name = own.name(command.via)
    if state.step.phase != "combat_move":
        return Rejected("wrong_phase", "tanks blitz in phase 3")
    if not row.traits & {"blitz", "blitz_pair"}:
        return Rejected("no_blitz", f"{row.name} does not blitz")
    tanks = sum(n for p, n in command.units.items() if "blitz" in book.row(*split(p)[:2]).traits)
    pairs = sum(n for p, n in command.units.items() if "blitz_pair" in book.row(*split(p)[:2]).traits)
    if pairs > tanks:
        return Rejected("no_blitz", f"{pairs} mechanized infantry ride with {tanks} tanks: one each")
    if occupants(ledger_of(state), book, command.via, enemy_of(side)):
        return Rejected("no_blitz", f"{name} holds enemy combat units")
    trucks = any(
        n and SIDE_OF[split(piece)[0]] == enemy_of(side)
        for piece, n in ledger_of(state).units.get(command.via, {}).items()
    )
    if not is_hostile(state, command.via, side) and not (is_neutral(state, command.via) and trucks):
        return Rejected("no_blitz", f"{name} is neither hostile nor neutral with enemy trucks")
    if command.to != command.via and is_hostile(state, command.to, side):
        return Rejected("hostile", f"{own.name(command.to)} is hostile")
    return None


def _air_fault(state: GameState, command: MakeMove, row: Row, side: str) -> Rejected | None:
    own, phase = board(state), state.step.phase
    kind = own.type_of(command.to)
    if phase == "deploy":
        zone = own.convoys.get(command.to)
        power = state.step.nation or ""
        if zone is None or power not in zone.powers:
            return Rejected("wrong_place", "escorts go to zones of the power's own convoys")
        if not own.is_convoy_open(command.to, ledger_of(state).control):
            return Rejected("wrong_place", f"{own.name(command.to)} is closed")
        return None
    if phase == "combat_move":
        if not is_hostile(state, command.to, side) and not (
            kind != "land" and _enemies(state, command.to, side)
        ):
            return Rejected("no_attack", "a combat move ends where there is somebody to attack")
        back = _landing_distance(state, row, command.to, side)
        there = length_of(state, command, row)
        if back is not None and there is not None and row.move is not None and there + back > row.move:
            return Rejected(
                "no_landing", f"{row.name} moves {row.move}: {there} there, the nearest landing {back} on"
            )
        return None
    if not may_land(state, command.to, side):
        return Rejected(
            "no_landing", f"{own.name(command.to)}: aircraft land where the side held control at turn start"
        )
    return None


def _landing_distance(state: GameState, row: Row, origin: str, side: str) -> int | None:
    """Return the way from a space to the nearest landing; None where borders are not known."""
    ends = [space.id for space in board(state).territories() if may_land(state, space.id, side)]
    found = [n for space in ends if (n := distance(state, row, origin, space)) is not None]
    return min(found) if found else None
