"""Which moves the rules allow: whose pieces, what trucks carry, where a piece may end and what it may pass.

Source: rulebook, Phases 1, 3, 5 and 6; Tanks, Mechanized Infantry, and Blitzing; Trucks; Air Units; Sahara Desert.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from companion.core.commands import Command
from companion.core.ids import Millis, Side, SiteId, StepId
from companion.core.judgement import Judgement, judged, unknown
from companion.core.rules import Code, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Count, Say, area, nation, several, unit
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.admission import reach_fault
from companion.games.aana.rules.battle_messages import is_landing_open
from companion.games.aana.rules.conditions import (
    content_need,
    enemies,
    held_by,
    hostile,
    landing,
    neutral,
    route_open,
)
from companion.games.aana.rules.figures import SIDE_OF, Row, enemy_of, no_piece
from companion.games.aana.rules.movement import (
    CARGO_UNITS,
    TRUCK_CAPACITY,
    closed_west,
    distance,
    grounded,
    is_hostile,
    is_hunted,
    is_mined,
    may_land,
    movement_of,
    truck_load,
)
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.pieces import piece as piece_name
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.tables import NO_SPACE
from companion.games.aana.rules.turn import at_phase, not_now, out_of_turn, turn_powers

__all__ = ["MOVE_PHASES", "MakeMove", "length_of", "move_fault", "way_fault"]

MOVE_PHASES: Final = ("convoys", "combat_move", "noncombat", "deploy")


class MakeMove(Command, frozen=True, tag=True):
    """Move pieces of the power whose turn it is as the phase allows."""

    step: StepId
    origin: SiteId
    to: SiteId
    units: dict[Piece, int]
    spaces: int = 0
    """Spaces entered on the way; 0 = worked out where borders are known, else one."""
    via: SiteId = NO_SPACE
    """Blitz: the empty hostile territory that is taken on the way; the same as `to` when they stop there. They may come back."""
    road: bool = False
    """Along the coast road only."""
    riders: dict[Piece, int] = {}
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
        return not_now(state)
    own, book = lg.board(state), lg.figures(state)
    for space in (command.origin, command.to, *([command.via] if command.via else [])):
        if own.type_of(space) not in ("land", "sea", "convoy"):
            return Rejected("unknown_space", lg.no_space(space))
    is_there_and_back = command.via not in ("", command.origin)
    if (command.origin == command.to and not is_there_and_back) or not any(command.units.values()):
        return Rejected(Code.BAD_VALUE, Say("A move needs pieces and another space."))
    for piece, n in (*command.units.items(), *command.riders.items()):
        power, unit, _ = lg.split(piece)
        if power not in turn_powers(state) or n < 1:
            return out_of_turn(state, piece, n)
        if not book.has(power, unit):
            return Rejected("unknown_piece", no_piece(power, unit))
    if command.spaces < 0 or command.supply < 0:
        return Rejected(Code.BAD_VALUE, Say("Spaces and supply cannot be negative."))
    if is_landing_open(state) and f"{command.origin}@landing" in lg.ledger_of(state).supply:
        return Rejected("wrong_place", Say("A landing force does nothing but fight for its territory."))
    return _load_fault(state, command)


def _load_fault(state: GameState, command: MakeMove) -> Rejected | None:
    """Check what trucks carry."""
    if not command.riders and not command.supply:
        return None
    trucks = sum(n for piece, n in command.units.items() if lg.split(piece)[1] == "truck")
    if not trucks or state.step.phase != "noncombat":
        return Rejected("no_truck", Say("Supply and passengers move only with trucks, in phase 5."))
    load, room = truck_load(command.riders, command.supply), trucks * TRUCK_CAPACITY
    if load > room:
        return Rejected(
            "no_room",
            Say(
                "{need} to carry, but only {have} fit: {each} per truck.",
                need=load,
                have=room,
                each=TRUCK_CAPACITY,
            ),
        )
    powers = {lg.split(piece)[0] for piece in command.units if lg.split(piece)[1] == "truck"}
    for piece in command.riders:
        if lg.split(piece)[1] not in CARGO_UNITS:
            return Rejected(
                "no_room", Say("Trucks cannot carry this: {unit}.", unit=unit(lg.split(piece)[1]))
            )
        if lg.split(piece)[0] not in powers:
            return Rejected(
                "no_room", Say("{piece} rides only with trucks of its own power.", piece=piece_name(piece))
            )
    return None


def length_of(state: GameState, command: MakeMove, row: Row) -> int | None:
    """Return the spaces that a piece enters: by the borders, or more where the table says so; None where there is no way.

    Where borders are not known it is as told, or the fewest there can be. A blitz goes through the territory that it takes.
    """
    ways, blitzes = routes(state), command.via not in ("", command.to)
    stops = (command.origin, *([command.via] if blitzes else []), command.to)
    if ways is None or not all(map(ways.knows, stops)):
        return command.spaces or (2 if blitzes else 1)
    if blitzes:
        touch = all(there in ways.neighbours(here) for here, there in pairwise(stops))
        return 2 if touch else None
    least = distance(state, row, command.origin, command.to)
    if least is None or command.spaces < 0:
        return None if least is None else command.spaces
    return max(least, command.spaces)


def way_fault(state: GameState, command: MakeMove, row: Row, side: Side) -> Rejected | None:
    """Say where a piece may not end, or what it may not pass; None when the way is open."""
    own = lg.board(state)
    kind = own.type_of(command.to)
    if row.type in ("land", "truck") and kind != "land":
        return Rejected("wrong_place", Say("{unit} goes to sea only by convoy.", unit=unit(row.unit)))
    if row.is_sea and kind == "land":
        return Rejected("wrong_place", Say("{unit} stays at sea.", unit=unit(row.unit)))
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
        return Rejected("sahara", Say("Only scout cars may enter {space}.", space=area(command.to)))
    if row.type in ("land", "truck"):
        return _land_fault(state, command, row, side)
    if row.type == "air":
        return _air_fault(state, command, row, side)
    return _sea_fault(state, command, row, side)


def _sea_fault(state: GameState, command: MakeMove, row: Row, side: Side) -> Rejected | None:
    far = length_of(state, command, row) if state.step.phase == "combat_move" else None
    fault = reach_fault(row, far) if far is not None else None
    if fault is not None:
        return fault
    is_sub = row.type == "submarine"
    if (
        is_sub
        and is_hunted(state, command.origin, side)
        and _ruled(state, "aana.hunted_sub", "leaves") != "leaves"
    ):
        return Rejected(
            "hunted",
            Say("{unit} stays where an enemy destroyer is.", unit=unit(row.unit)),
        )
    if state.step.phase == "combat_move" and not is_hostile(state, command.origin, side):
        prey = enemies(state, command.to, side) | judged(is_mined(state, command.to, side))
        return _nothing_to_attack(prey)
    if state.step.phase == "noncombat" and is_hostile(state, command.to, side) and not is_sub:
        return Rejected("hostile", Say("{space} is hostile.", space=area(command.to)))
    return None


def _ruled(state: GameState, ruling: str, default: str) -> str:
    return state.rulings.get(ruling, default)


def _nothing_to_attack(prey: Judgement) -> Rejected | None:
    """Refuse a combat move that ends where nothing can be attacked, or ask what is there."""
    if prey.is_unknown:
        return not_known(prey)
    if prey.is_no:
        return Rejected("no_attack", Say("A combat move ends where there is something to attack."))
    return None


def _passage_fault(state: GameState, command: MakeMove, row: Row, side: Side) -> Rejected | None:
    """Say what is closed on the way from one space to another: a strait, a canal, another power's ocean."""
    own, ways = lg.board(state), routes(state)
    zone = own.convoys.get(command.to)
    if zone is not None and zone.powers_only and row.power not in zone.powers:
        return Rejected(
            "closed_zone",
            Say(
                "Only these may enter {space}: {powers}.",
                space=area(command.to),
                powers=several(map(nation, zone.powers)),
            ),
        )
    knows = ways is not None and ways.knows(command.origin) and ways.knows(command.to)
    is_straight = command.spaces == 1 or (command.spaces == 0 and not knows)
    if not own.may_cross(command.origin, command.to) and zone is not None and is_straight:
        doors = several(map(area, zone.entered_from), "or")
        return Rejected(
            "closed_zone",
            Say("{space} is entered only from {spaces}.", space=area(command.to), spaces=doors),
        )
    strait = own.strait(command.origin, command.to)
    if row.is_sea and strait is not None and strait.side != side and is_straight:
        return Rejected(
            "closed_zone",
            Say(
                "Only enemy ships may pass here: {strait}. Count the spaces of the way around.",
                strait=Say(strait.name),
            ),
        )
    return None


def _land_fault(state: GameState, command: MakeMove, row: Row, side: Side) -> Rejected | None:
    own, phase = lg.board(state), state.step.phase
    if own.owner_side(command.to) or own.owner_side(command.origin):
        return Rejected(
            "wrong_place", Say("{space}: no land move leads across the sea.", space=area(command.to))
        )
    if command.via:
        return _blitz_fault(state, command, row, side)
    if is_hostile(state, command.to, side):
        return Rejected(
            "hostile",
            Say("{space} is hostile. Attack it, or blitz it when it is empty.", space=area(command.to)),
        )
    held = held_by(state, command.to, enemy_of(side))
    if held.is_unknown and not grounded(state, command.to, side):
        return not_known(held)
    if command.road and phase != "noncombat":
        return Rejected("wrong_phase", Say("The coast road can be used only in phase 5."))
    if command.to in movement_of(state).blitzed and phase == "combat_move":
        return Rejected(
            "hostile",
            Say("{space} was taken by a blitz: nobody follows in this phase.", space=area(command.to)),
        )
    return None


def _blitz_fault(state: GameState, command: MakeMove, row: Row, side: Side) -> Rejected | None:
    book, space = lg.figures(state), area(command.via)
    if state.step.phase != "combat_move":
        return Rejected("wrong_phase", Say("Tanks blitz only in phase 3."))
    if not row.traits & {"blitz", "blitz_pair"}:
        return Rejected("no_blitz", Say("{unit} cannot blitz.", unit=unit(row.unit)))
    tanks = sum(n for p, n in command.units.items() if "blitz" in book.row(*lg.split(p)[:2]).traits)
    pairs = sum(n for p, n in command.units.items() if "blitz_pair" in book.row(*lg.split(p)[:2]).traits)
    if pairs > tanks:
        return Rejected(
            "no_blitz",
            Say(
                "{riders} cannot blitz with {tanks}: only one goes with each.",
                riders=Count(pairs, unit("mechanized")),
                tanks=Count(tanks, unit("tank")),
            ),
        )
    if lg.board(state).owner_side(command.via):
        return Rejected(
            "permanent", Say("{space} bears an emblem: land units never attack or enter it.", space=space)
        )
    if lg.occupants(lg.ledger_of(state), book, command.via, enemy_of(side)):
        return Rejected("no_blitz", Say("{space} holds enemy combat units.", space=space))
    trucks = any(
        n and SIDE_OF[lg.split(piece)[0]] == enemy_of(side)
        for piece, n in lg.ledger_of(state).units.get(command.via, {}).items()
    )
    at_war = hostile(state, command.via, side) | (judged(trucks) & neutral(state, command.via, side))
    if at_war.is_unknown:
        return not_known(at_war)
    if at_war.is_no:
        return Rejected(
            "no_blitz", Say("{space} is neither hostile nor neutral with enemy trucks.", space=space)
        )
    if command.via not in lg.ledger_of(state).told:
        return not_known(unknown(content_need(command.via)))
    if command.to != command.via and is_hostile(state, command.to, side):
        return Rejected("hostile", Say("{space} is hostile.", space=area(command.to)))
    return None


def _air_fault(state: GameState, command: MakeMove, row: Row, side: Side) -> Rejected | None:
    own, phase = lg.board(state), state.step.phase
    kind = own.type_of(command.to)
    if phase == "deploy":
        zone = own.convoys.get(command.to)
        power = lg.acting_power(state)
        if zone is None or power not in zone.powers:
            return Rejected("wrong_place", Say("Escorts go only to zones of their own power's convoys."))
        is_open = route_open(state, command.to)
        if is_open.is_unknown:
            return not_known(is_open)
        if is_open.is_no:
            return Rejected("wrong_place", Say("{space} is closed.", space=area(command.to)))
        return None
    if phase == "combat_move":
        there = hostile if kind == "land" else enemies
        nothing = _nothing_to_attack(there(state, command.to, side))
        if nothing is not None:
            return nothing
        back = _landing_distance(state, row, command.to, side)
        far = length_of(state, command, row)
        return None if far is None else reach_fault(row, far, back)
    may = landing(state, command.to, side)
    if may.is_unknown:
        return not_known(may)
    if may.is_no:
        return Rejected(
            "no_landing",
            Say(
                "{space}: aircraft land only where their side had control when the turn began.",
                space=area(command.to),
            ),
        )
    return None


def _landing_distance(state: GameState, row: Row, origin: SiteId, side: Side) -> int | None:
    """Return the way from a space to the nearest landing; None where borders are not known."""
    ends = [space.id for space in lg.board(state).territories() if may_land(state, space.id, side)]
    found = [n for space in ends if (n := distance(state, row, origin, space)) is not None]
    return min(found) if found else None
