"""The part of movement: moves by the rules, blitzes, truck loads, air transport, and aircraft without a landing.

Source: rulebook, Phases 1, 3, 5 and 6; Tanks, Trucks, Scout Cars, Air Units; Optional Rules: Air Transport.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Millis, Nation, SiteId, StepId
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, area, several
from companion.core.text import unit as named
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.battle_end import capture_trucks
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.conditions import marker_need
from companion.games.aana.rules.ledger_messages import ControlChanged, SupplyChanged, UnitsMoved
from companion.games.aana.rules.movement import (
    CARGO_UNITS,
    LANDING_PHASES,
    Movement,
    allowance,
    distance,
    free_moves,
    in_the_air,
    is_hostile,
    is_mined,
    landed_where_unknown,
    movement_of,
    standing,
    stranded,
)
from companion.games.aana.rules.pieces import Piece, counted, piece_key
from companion.games.aana.rules.pieces import piece as piece_name
from companion.games.aana.rules.tables import NO_SPACE
from companion.games.aana.rules.trucks import TOKENS, Loaded, aboard_before, loaded, unloaded
from companion.games.aana.rules.turn import at_phase, at_step, missing, turn_of
from companion.games.aana.rules.used import common_used, with_used, without_used
from companion.games.aana.rules.vichy import (
    TakeVichyGround,
    VichyLeft,
    take_vichy_ground,
    vichy_grounds,
    vichy_need,
    vichy_taken,
)
from companion.games.aana.rules.victory import instant_events
from companion.games.aana.rules.ways import MakeMove, length_of, move_fault, way_fault

__all__ = [
    "AirTransport",
    "LoseAircraft",
    "MakeMove",
    "MovementPart",
    "Travelled",
    "carried_out",
]


_ITALY: Final = SiteId("italy")


class AirTransport(Command, frozen=True, tag=True):
    """Fly one unit in an Axis bomber out of Italy (optional rule)."""

    step: StepId
    unit: str
    to: SiteId
    spaces: int = 0
    confirmed: bool = False


class LoseAircraft(Command, frozen=True, tag=True):
    """Take aircraft without a landing back to the box."""

    step: StepId


class Travelled(Event, frozen=True, tag=True):
    """Pieces used some of their move."""

    origin: SiteId
    to: SiteId
    used: dict[Piece, tuple[int, ...]]
    """Piece to the spaces that each of those that went had used before."""
    spaces: int
    late: bool = False
    """Moved in phase 5 or later: they go no further."""
    stopped: bool = False
    """Ships that entered a zone with enemy mines: once these are decided, they may go on."""
    escaped: bool = False
    """Ships that left a hostile zone in phase 3: they owe no attack."""
    road: bool = False
    """Along the coast road alone."""


class Blitzed(Event, frozen=True, tag=True):
    """A territory was blitzed."""

    territory: SiteId
    before: Nation = fg.NO_POWER
    """Who held it."""
    origin: SiteId = NO_SPACE
    """From where they came; empty in games of before."""


def make_move(state: GameState, command: MakeMove) -> Decision:
    """Decide a move."""
    refused = move_fault(state, command)
    return carried_out(state, command) if refused is None else refused


def carried_out(state: GameState, command: MakeMove) -> Decision:
    """Decide where a move leads and what comes of it; whose pieces move, and when, is checked by the caller."""
    book, side = lg.figures(state), fg.SIDE_OF[lg.acting_power(state)]
    picks: dict[Piece, tuple[int, ...]] = {}
    spaces = 0
    for piece, n in command.units.items():
        row = book.row(*lg.split(piece)[:2])
        fault = way_fault(state, command, row, side)
        if fault is not None:
            return fault
        length = length_of(state, command, row)
        if length is None:
            return _no_way(state, command, row)
        spaces = max(spaces, length)
        picked = _pick(state, command, piece, n, length)
        if isinstance(picked, Rejected):
            return picked
        picks[piece] = picked
    riders = _riders(state, command, picks)
    if isinstance(riders, Rejected):
        return riders
    stays = unloaded(state, command, picks)
    if stays is not None:
        return stays
    whole = dict(command.units)
    for piece, n in command.riders.items():
        whole[piece] = whole.get(piece, 0) + n
    # Aircraft that attack are in the air and leave again: they take no room where they fight.
    attacks = state.step.phase == "combat_move"
    standing_there = {
        p: n for p, n in whole.items() if not attacks or book.row(*lg.split(p)[:2]).type != "air"
    }
    aloft = sum(in_the_air(state, command.to).values())
    came = command.origin != command.to
    over = lg.over_limit(state, command.to, standing_there, side, aloft=aloft) if came else None
    if over is not None and not command.confirmed:
        return Rejected("over_limit", over)
    late = state.step.phase in ("noncombat", "deploy")
    events: list[Event] = [UnitsMoved(command.origin, command.to, whole)]
    if state.step.phase != "convoys":
        ships = {piece: used for piece, used in picks.items() if book.row(*lg.split(piece)[:2]).is_sea}
        stops = bool(ships) and is_mined(state, command.to, side)
        others = {piece: used for piece, used in picks.items() if not stops or piece not in ships}
        flees = state.step.phase == "combat_move" and is_hostile(state, command.origin, side)
        if stops:
            events.append(
                Travelled(command.origin, command.to, ships, spaces, late, True, bool(ships) and flees)
            )
        if others:
            escaped = bool(ships) and not stops and flees
            events.append(
                Travelled(
                    command.origin, command.to, others, spaces, late, escaped=escaped, road=command.road
                )
            )
        if riders:
            events.append(Travelled(command.origin, command.to, riders, 0, late))
        cargo = {**command.riders, **({TOKENS: command.supply} if command.supply else {})}
        if cargo:
            events.append(Loaded(command.origin, command.to, cargo, aboard_before(state, command, picks)))
    if command.supply:
        spent = lg.supply_spent(state, command.origin, command.supply)
        if isinstance(spent, Rejected):
            return spent
        events += [] if spent is None else [spent]
        events.append(SupplyChanged(command.to, command.supply))
    events += _taken(state, command, whole)
    return Accepted(tuple(events))


def _no_way(state: GameState, command: MakeMove, row: fg.Row) -> Rejected:
    """Say why there is no way: mines on it, or none at all."""
    hunted = row.type == "submarine" and distance(state, row, command.origin, command.to, hunted=True)
    if hunted:
        return Rejected(
            "hunted",
            Say(
                "Every way to {space} leads through enemy destroyers. A submarine stops in the first zone that has one.",
                space=area(command.to),
            ),
        )
    if row.is_sea and distance(state, row, command.origin, command.to, through_mines=True, hunted=True):
        return Rejected(
            "mined",
            Say(
                "Every way to {space} leads through enemy mines. Stop in the first zone that has them.",
                space=area(command.to),
            ),
        )
    return Rejected(
        "no_way",
        Say(
            "No way for {unit} from {origin} to {space}.",
            unit=named(row.unit),
            origin=area(command.origin),
            space=area(command.to),
        ),
    )


def _riders(
    state: GameState, command: MakeMove, picks: Mapping[Piece, tuple[int, ...]]
) -> dict[Piece, tuple[int, ...]] | Rejected:
    """Pick the passengers: those that have neither moved nor fought, or that are aboard already."""
    found: dict[Piece, tuple[int, ...]] = {}
    before = aboard_before(state, command, picks)
    for piece, n in command.riders.items():
        able = sum(left > 0 for left in free_moves(state, command.origin, piece)) + before.get(piece, 0)
        able -= command.units.get(piece, 0)
        if able < n:
            if able < 1:
                none = Say("None of these can still ride: {unit}.", unit=piece_name(piece))
                return Rejected("has_moved", none)
            few = Say(
                "Only {have} that have not moved or fought can still ride; you chose {need}.",
                have=counted(piece, able),
                need=n,
            )
            return Rejected("has_moved", few)
        found[piece] = (0,) * n
    return found


def _pick(
    state: GameState, command: MakeMove, piece: Piece, n: int, spaces: int
) -> tuple[int, ...] | Rejected:
    """Pick the pieces that go, most used first; a refusal says how far the others may still move."""
    row = lg.figures(state).row(*lg.split(piece)[:2])
    blitzes = bool(command.via) and bool(row.traits & {"blitz", "blitz_pair"})
    try:
        there = standing(state, command.origin, piece, road=command.road)
    except fg.MissingFiguresError as error:
        return missing(error)
    if len(there) < n and command.origin not in lg.ledger_of(state).told:
        # Pieces that the ledger does not know are fresh, as far as it can tell.
        fresh = allowance(state, row, used=0, fought=False, road=command.road)
        there = (*there, *(((fresh, 0),) * (n - len(there))))
    extra = 1 if blitzes else 0
    able = sorted((left, used) for left, used in there if left and left + extra >= spaces)
    if row.type == "truck" and not set(command.riders) & set(
        movement_of(state).aboard.get(command.origin, {})
    ):
        able.sort(key=lambda one: one[1])  # trucks that have stopped here go on only with what they carry
    if len(able) < n:
        best = max((left for left, _ in there), default=0)
        best += extra if best else 0
        return Rejected(
            "too_far",
            Say.counted(
                "{pieces} cannot move {n} space. Pieces there: {have}; none can move more than {most}.",
                "{pieces} cannot move {n} spaces. Pieces there: {have}; none can move more than {most}.",
                spaces,
                pieces=counted(piece, n),
                have=len(there),
                most=best,
            ),
        )
    return tuple(used for _, used in able[:n])


def _taken(state: GameState, command: MakeMove, whole: Mapping[Piece, int]) -> list[Event]:
    """Return what a blitz, or combat units that reach enemy trucks, take at once."""
    power, own, ledger, book = lg.acting_power(state), lg.board(state), lg.ledger_of(state), lg.figures(state)
    events: list[Event] = []
    fights = any(book.row(*lg.split(piece)[:2]).type == "land" for piece in whole)
    if not command.via:
        if fights and lg.board(state).type_of(command.to) == "land":
            capture_trucks(state, command.to, power, events)
        return events
    events.append(Blitzed(command.via, ledger.control.get(command.via, fg.NO_POWER), command.origin))
    capture_trucks(state, command.via, power, events)
    if own.is_open_to_capture(command.via):
        events.append(ControlChanged(command.via, power, ledger.control.get(command.via)))
        control = {**ledger.control, command.via: power}
        after = lg.moved(ledger.units, command.origin, command.to, whole)
        events.extend(instant_events(state, control, after, command.at_ms))
    return events


def air_transport(state: GameState, command: AirTransport) -> Decision:
    """Decide a flight of one unit with an Axis bomber from Italy."""
    refused = at_step(state, command.step)
    if refused is not None:
        return refused
    power = lg.acting_power(state)
    if "air_transport" not in state.frozen_setup.options.get("optional", ()):
        return Rejected(
            "optional_rule", Say("Air transport is an optional advantage that this game does not use.")
        )
    if state.step.phase != "noncombat" or fg.SIDE_OF.get(power) != "axis":
        return Rejected("wrong_phase", Say("Axis bombers carry units only in their noncombat moves."))
    if command.unit not in (*CARGO_UNITS, "mechanized"):
        return Rejected("no_room", Say("Bombers cannot carry this: {unit}.", unit=named(command.unit)))
    ledger = lg.ledger_of(state)
    piece, bomber = piece_key(power, command.unit), piece_key(power, "bomber")
    try:
        able = sum(left > 0 for left in free_moves(state, _ITALY, piece))
    except fg.UnknownPieceError as error:
        return Rejected("unknown_piece", error.say)
    except fg.MissingFiguresError as error:
        return missing(error)
    if not able:
        there = ledger.units.get(_ITALY, {}).get(piece, 0)
        return Rejected(
            "not_there",
            Say(
                "{space}: {have} there, none that can still move.",
                space=area(_ITALY),
                have=counted(piece, there),
            ),
        )
    flight = make_move(
        state, MakeMove(command.step, _ITALY, command.to, {bomber: 1}, command.spaces, confirmed=True)
    )
    if isinstance(flight, Rejected):
        return flight
    side = fg.SIDE_OF[power]
    over = lg.over_limit(state, command.to, {piece: 1, bomber: 1}, side)
    if over is not None and not command.confirmed:
        return Rejected("over_limit", over)
    rides = (
        UnitsMoved(_ITALY, command.to, {piece: 1}),
        Travelled(_ITALY, command.to, {piece: (0,)}, 0, True),
    )
    return Accepted((*flight.events, *rides))


def lose_aircraft(state: GameState, command: LoseAircraft) -> Decision:
    """Decide the loss of aircraft that cannot land."""
    refused = at_phase(state, command.step, *LANDING_PHASES)
    if refused is not None:
        return refused
    lost = stranded(state, lg.acting_power(state))
    if not lost:
        return Rejected("nothing_to_lose", Say("Every aircraft is where it is allowed to be."))
    return Accepted(tuple(UnitsMoved(place, POOL, planes) for place, planes in lost.items()))


class MovementPart(Part):
    """Moves by the rules."""

    name = "movement"
    deciders = {
        MakeMove: make_move,
        AirTransport: air_transport,
        LoseAircraft: lose_aircraft,
        TakeVichyGround: take_vichy_ground,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (Travelled, Loaded, Blitzed, VichyLeft)

    def initial(self, setup: Setup) -> Movement:
        """Nobody has moved."""
        return Movement(turn_of(setup.steps[0]) if setup.steps else "")

    def evolve(self, own: Movement, event: Event, state: GameState) -> Movement:  # noqa: ARG002
        """Keep what each piece has used."""
        if isinstance(event, Blitzed):
            before = own.blitzed.get(event.territory, event.before)
            crossed = own.crossed | ({(event.origin, event.territory)} if event.origin else set())
            blitzed = {**own.blitzed, event.territory: before}
            return msgspec.structs.replace(own, blitzed=blitzed, crossed=crossed)
        if isinstance(event, VichyLeft):
            return msgspec.structs.replace(own, vichy_left=own.vichy_left | {event.territory})
        if isinstance(event, Loaded):
            return loaded(own, event)
        if not isinstance(event, Travelled):
            return own
        used, late, stopped, by_road = own.used, own.late, own.stopped, own.by_road
        escaped = _fled(own.escaped, event)
        for piece, spent in event.used.items():
            after = tuple(n + event.spaces for n in spent)
            went_on = common_used(stopped.get(event.origin, {}).get(piece, ()), spent)
            if went_on:
                stopped = without_used(stopped, event.origin, piece, went_on)
                late = without_used(late, event.origin, piece, went_on)
            used = without_used(used, event.origin, piece, spent)
            if event.late and lg.split(piece)[1] == "truck":
                late = without_used(late, event.origin, piece, tuple(n for n in spent if n))
                by_road = without_used(by_road, event.origin, piece, spent)
                by_road = with_used(by_road, event.to, piece, after) if event.road else by_road
            if event.stopped:
                stopped = with_used(stopped, event.to, piece, after)
            if event.late:
                late = with_used(late, event.to, piece, after)
            else:
                used = with_used(used, event.to, piece, after)
        return msgspec.structs.replace(
            own, used=used, late=late, stopped=stopped, escaped=escaped, by_road=by_road
        )

    def step_entered(self, own: Movement, step: Step, state: GameState) -> Movement:  # noqa: ARG002
        """Begin a new turn: nobody has moved. Ships that stopped before mines go on in the same phase or not at all."""
        turn = turn_of(step)
        if turn != own.turn:
            return Movement(turn)
        return msgspec.structs.replace(own, stopped={}) if own.stopped else own

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Aircraft that have no landing when phase 1 or 5 ends are lost; the table was told before."""
        lost = stranded(state, step.nation or fg.NO_POWER) if step.phase in LANDING_PHASES else {}
        events: list[Event] = [UnitsMoved(place, POOL, planes) for place, planes in lost.items()]
        if state.rulings.get("aana.vichy_ground", "asked") == "at_once":
            for place in vichy_grounds(state):
                events += vichy_taken(state, place, at_ms)
        return tuple(events)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Aircraft without a landing are named before phases 1 and 5 end."""
        if step.phase not in LANDING_PHASES:
            return None
        power = step.nation or fg.NO_POWER
        unsure = tuple(marker_need(place) for place in landed_where_unknown(state, power))
        lost = stranded(state, power)
        if not lost and unsure:
            return Rejected(Code.STILL_OPEN, unsure[0].question, unsure)
        asks = state.rulings.get("aana.vichy_ground", "asked") == "asked"
        vichy = tuple(map(vichy_need, vichy_grounds(state) if asks and not lost else ()))
        if vichy:
            return Rejected(Code.STILL_OPEN, vichy[0].question, vichy)
        if not lost:
            return None
        return Rejected(
            Code.STILL_OPEN, Say("Aircraft must land or are lost: {spaces}.", spaces=several(map(area, lost)))
        )


def _fled(escaped: Mapping[str, Mapping[Piece, int]], event: Travelled) -> dict[str, dict[Piece, int]]:
    """Return who has left a hostile zone, after a move; who goes on after mines has still left it."""
    found = {place: dict(pieces) for place, pieces in escaped.items()}
    for piece, spent in event.used.items():
        before = found.get(event.origin, {}).get(piece, 0)
        going = len(spent) if event.escaped else min(before, len(spent))
        if before:
            found[event.origin][piece] = before - min(before, len(spent))
        if going:
            at = found.setdefault(event.to, {})
            at[piece] = at.get(piece, 0) + going
    return found
