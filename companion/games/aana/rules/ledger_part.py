"""The part of the game that keeps the ledger: its first state, what is decided and what an event changes.

Source: rulebook, Component Limits; Spaces on the Game Board; Supply Tokens; Mine Tokens.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Nation, RulingId, SiteId
from companion.core.parts import ForeignKeyError, Part
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, area, several
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.board import POOL, RESERVE_ZONE, Board, board_of, is_zone
from companion.games.aana.rules.counted import COUNTED, pieces_fault, supply_fault
from companion.games.aana.rules.figures import SIDE_OF, SIDES, figure_book
from companion.games.aana.rules.ledger_messages import (
    ControlChanged,
    CorrectSupply,
    CountSpace,
    MarkerForgotten,
    MinesChanged,
    MoveUnits,
    SetMines,
    SpaceCounted,
    SupplyChanged,
    SupplyCounted,
    UnitsMoved,
)
from companion.games.aana.rules.pieces import Piece, is_piece, piece_key, split
from companion.games.aana.rules.pieces import piece as piece_name
from companion.games.aana.rules.tables import Landing, ScenarioFile, SetupLine, UnofficialSetup
from companion.games.aana.rules.turn import turn_of

__all__ = ["LedgerPart"]


def _is_sea(place: str) -> bool:
    """Say whether a place is a sea zone or convoy zone, by its form: the ledger is folded without the board."""
    return "." in place


def _arrived(ledger: lg.Ledger, zone: SiteId, more: Mapping[Piece, int], *, is_new: bool = True) -> lg.Ledger:
    """Note what has come into a sea zone; whatever has left it since is no longer counted.

    Args:
        is_new: Mines of the zone may go off against it; not so a battleship that was only turned on its side.
    """
    if not _is_sea(zone) or (zone not in ledger.arrived and not any(n > 0 for n in more.values())):
        return ledger
    there = dict(ledger.arrived.get(zone, {}))
    for piece, n in more.items():
        there[piece] = there.get(piece, 0) + max(0, n)
    held = ledger.units.get(zone, {})
    for piece, n in there.items():
        power, _dot, unit = piece.partition(".")
        most = ledger.supply.get(f"{zone}@{power}", 0) if unit == "supply" else held.get(piece, 0)
        there[piece] = min(n, most)
    arrived = {**ledger.arrived, zone: {piece: n for piece, n in there.items() if n}}
    detonated = ledger.detonated
    if is_new and any(n > 0 for n in more.values()):
        detonated = frozenset(key for key in detonated if not key.startswith(f"{zone}@"))
    return msgspec.structs.replace(ledger, arrived=arrived, detonated=detonated)


def _placed(ledger: lg.Ledger, own: Board, line: SetupLine, *, inferred: bool) -> lg.Ledger:
    """Place a line; a marker that is only inferred stays unknown where the table goes by its chart."""
    pieces = {piece_key(line.power, unit): n for unit, n in line.units.items()}
    units = lg.moved(ledger.units, POOL, line.space, pieces)
    supply = dict(ledger.supply)
    if line.supply:
        key = lg.supply_key(own, line.space, line.power)
        supply[key] = supply.get(key, 0) + line.supply
    marks = line.control and (inferred or not _is_inferred(line))
    control = {**ledger.control, line.space: line.power} if marks else ledger.control
    return msgspec.structs.replace(ledger, units=units, supply=supply, control=control)


def _is_inferred(line: SetupLine) -> bool:
    """Say whether a line's marker is concluded from the text rather than stated."""
    known = line.status.get("control")
    return known is not None and known[0] == "inferred"


def _landed(ledger: lg.Ledger, landing: Landing) -> lg.Ledger:
    for power, units in landing.units.items():
        pieces = {piece_key(power, unit): n for unit, n in units.items()}
        ledger = msgspec.structs.replace(ledger, units=lg.moved(ledger.units, POOL, landing.space, pieces))
    place = f"{landing.space}@landing"
    return msgspec.structs.replace(ledger, supply={**ledger.supply, place: landing.supply})


def _with_mines(ledger: lg.Ledger, key: str, delta: int) -> lg.Ledger:
    after = ledger.mines.get(key, 0) + delta
    mines = {place: n for place, n in ledger.mines.items() if place != key}
    if after > 0:
        mines[key] = after
    return msgspec.structs.replace(ledger, mines=mines)


def _misplaced(state: GameState, space: SiteId, units: Mapping[Piece, int]) -> Rejected | None:
    """Refuse ships in a territory and land units at sea, where no correction of the ledger puts them either.

    Source: rulebook, Sea Zones; Sea Unit Movement; Convoy Sea Zones
    """
    book, where = lg.figures(state), lg.board(state).type_of(space)
    wrong = {"land": ("surface", "submarine"), "sea": ("land", "truck")}.get(where or "", ())
    for piece, n in units.items():
        if n and book.row(*split(piece)[:2]).type in wrong:
            told, place = piece_name(piece), area(space)
            return Rejected(
                Code.BAD_VALUE,
                Say("Ships are never on land: {piece}, {space}.", piece=told, space=place)
                if where == "land"
                else Say("Land units never stand at sea: {piece}, {space}.", piece=told, space=place),
            )
    return None


def _shared(state: GameState, space: SiteId, *contents: Mapping[Piece, int]) -> Rejected | None:
    """Refuse land units of both sides in one territory: they attack from beside it. Where forces land both stand ashore.

    Source: rulebook, Phase 3: Combat Move and Attack Declaration (Land Unit Attacks); Landings in Northwest Africa
    """
    if lg.board(state).type_of(space) != "land" or any(
        one.space == space for one in lg.scenario_of(state).landings
    ):
        return None
    book = lg.figures(state)
    found = {
        SIDE_OF[split(piece)[0]]: piece
        for content in contents
        for piece, n in content.items()
        if n and is_piece(piece) and book.row(*split(piece)[:2]).type in ("land", "truck")
    }
    if len(found) < 2:
        return None
    return Rejected(
        Code.BAD_VALUE,
        Say(
            "Land units of both sides never stand in one territory: {pieces}, {space}.",
            pieces=several(map(piece_name, found.values())),
            space=area(space),
        ),
    )


def _count_space(state: GameState, command: CountSpace) -> Decision:
    own = lg.board(state)
    if own.type_of(command.space) not in ("land", "sea", "convoy"):
        return Rejected("unknown_space", lg.no_space(command.space))
    fault = (
        pieces_fault(state, command.units)
        or _misplaced(state, command.space, command.units)
        or _shared(state, command.space, command.units)
    )
    if fault is not None:
        return fault
    if command.supply is not None and not 0 <= command.supply <= COUNTED.last:
        return supply_fault(command.supply)
    return Accepted((SpaceCounted(command.space, command.units, command.supply),))


def _move_units(state: GameState, command: MoveUnits) -> Decision:
    own, ledger = lg.board(state), lg.ledger_of(state)
    for space in (command.origin, command.to):
        if own.type_of(space) is None:
            return Rejected("unknown_space", lg.no_space(space))
    fault = pieces_fault(state, command.units) or _misplaced(state, command.to, command.units)
    if fault is not None:
        return fault
    if command.origin in ledger.told or command.origin == RESERVE_ZONE:
        there = ledger.units.get(command.origin, {})
        for piece, n in command.units.items():
            if there.get(piece, 0) < n:
                return lg.not_there(command.origin, piece, there.get(piece, 0), n)
    if command.origin == POOL:
        refused = lg.piece_limit(state, command.units)
        if refused is not None:
            return refused
    there = ledger.units.get(command.to, {}) if command.origin != command.to else {}
    shared = _shared(state, command.to, there, command.units)
    if shared is not None:
        return shared
    for side in SIDES:
        arriving = {p: n for p, n in command.units.items() if SIDE_OF[split(p)[0]] == side}
        over = None if is_zone(command.to) else lg.over_limit(state, command.to, arriving, side)
        if over is not None and not command.confirmed:
            return Rejected("over_limit", over)
    events: list[Event] = []
    if command.units:
        events.append(UnitsMoved(command.origin, command.to, command.units))
    if command.supply:
        spent = lg.supply_spent(state, command.origin, command.supply)
        if isinstance(spent, Rejected):
            return spent
        if spent is not None:
            events.append(spent)
        events.append(SupplyChanged(command.to, command.supply))
    return Accepted(tuple(events))


def _correct_supply(state: GameState, command: CorrectSupply) -> Decision:
    own = lg.board(state)
    base, _at, landing = command.space.partition("@")
    if landing == "landing" and own.type_of(SiteId(base)) == "land" and command.count >= 0:
        return Accepted((SupplyCounted(command.space, command.count),))
    if own.type_of(command.space) not in ("land", "convoy"):
        return Rejected("unknown_space", Say("{space} cannot hold supply.", space=area(command.space)))
    if command.count < 0:
        return supply_fault(command.count)
    if own.type_of(command.space) == "convoy" and command.power not in SIDE_OF:
        return Rejected(Code.BAD_VALUE, Say("Supply in a convoy zone belongs to a power. Choose which."))
    key = lg.supply_key(own, command.space, command.power)
    return Accepted((SupplyCounted(key, command.count),))


def _set_mines(state: GameState, command: SetMines) -> Decision:
    own = lg.board(state)
    if command.count < 0:
        return Rejected(Code.BAD_VALUE, Say("Enter 0 mines or more, not {n}.", n=command.count))
    border = own.type_of(command.place) == "land"
    for place in (command.place, SiteId(command.owner)) if border else (command.place,):
        if own.type_of(place) not in (("land",) if border else ("sea", "convoy")):
            return Rejected("unknown_space", lg.no_space(place))
    if not border and command.owner not in SIDE_OF:
        return Rejected(Code.BAD_VALUE, Say("Sea mines belong to a power. Choose which."))
    key = f"{command.place}{'>' if border else '@'}{command.owner}"
    delta = command.count - lg.ledger_of(state).mines.get(key, 0)
    return Accepted((MinesChanged(command.place, command.owner, delta),) if delta else ())


class LedgerPart(Part):
    """Control, units, supply and mines."""

    name = "ledger"
    deciders = {
        CountSpace: _count_space,
        MoveUnits: _move_units,
        CorrectSupply: _correct_supply,
        SetMines: _set_mines,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (
        ControlChanged,
        MarkerForgotten,
        UnitsMoved,
        SupplyChanged,
        SupplyCounted,
        SpaceCounted,
        MinesChanged,
    )

    def initial(self, setup: Setup) -> lg.Ledger:
        """Place what the legible setup lines, or the unofficial set, give."""
        scenario = msgspec.convert(setup.tables["scenario"], ScenarioFile)
        book = figure_book(setup.tables["units"], setup.printed)
        own = board_of(setup.tables["board"], setup.printed)
        fan = setup.tables.get("unofficial_setup")
        fan_setup = None if fan is None else msgspec.convert(fan, UnofficialSetup)
        ledger = lg.Ledger()
        lines: tuple[SetupLine, ...] = scenario.start.lines if fan_setup is None else fan_setup.lines
        for line in lines:
            ledger = _placed(ledger, own, line, inferred=setup.rulings.get("aana.cairo", "uk") == "uk")
        for mine in scenario.start.mines if fan_setup is None else fan_setup.mines:
            ledger = _with_mines(ledger, f"{mine.space}>{mine.toward}", mine.icons)
        if fan_setup is not None:
            control = {space: power for power, spaces in fan_setup.control.items() for space in spaces}
            told = frozenset(row.id for row in own.territories())
            told |= own.convoys.keys() | frozenset(own.sea_zones())
            for sea in fan_setup.sea_mines:
                ledger = _with_mines(ledger, f"{sea.zone}@{sea.power}", sea.tokens)
            supply = {str(row.id): 0 for row in own.territories()} | ledger.supply
            bare = frozenset(row.id for row in own.territories() if own.is_open_to_capture(row.id)) - set(
                control
            )
            ledger = msgspec.structs.replace(ledger, control=control, unmarked=bare, told=told, supply=supply)
        if "reserve" in setup.options.get("optional", ()):
            for side, tokens in scenario.reserve.items():
                place = own.staging(Nation("germany" if side == "axis" else "uk"))
                supply = {**ledger.supply, place: ledger.supply.get(place, 0) + tokens}
                ledger = msgspec.structs.replace(ledger, supply=supply)
        if scenario.first_round == 7:
            for landing in scenario.landings:
                ledger = _landed(ledger, landing)
        for content in ledger.units.values():
            for piece in content:
                lg.row_of(book, piece)
        return ledger

    def ruled(self, state: GameState, ruling: RulingId) -> tuple[Event, ...]:
        """Put down, or take back, the markers that are only inferred, while the board is being set up."""
        if ruling != "aana.cairo" or state.step.phase != "setup":
            return ()
        events: list[Event] = []
        for line in lg.scenario_of(state).start.lines:
            held = lg.ledger_of(state).control.get(line.space)
            if not line.control or not _is_inferred(line):
                continue
            if state.rulings.get(ruling) == "uk" and held is None:
                events.append(ControlChanged(line.space, line.power, None))
            elif state.rulings.get(ruling) != "uk" and held == line.power:
                events.append(MarkerForgotten(line.space))
        return tuple(events)

    def evolve(self, own: lg.Ledger, event: Event, state: GameState) -> lg.Ledger:  # noqa: ARG002
        """Apply one event."""
        if isinstance(event, MarkerForgotten):
            control = {space: power for space, power in own.control.items() if space != event.territory}
            return msgspec.structs.replace(own, control=control, unmarked=own.unmarked - {event.territory})
        if isinstance(event, ControlChanged):
            control = {space: power for space, power in own.control.items() if space != event.territory}
            unmarked = own.unmarked - {event.territory}
            if event.power is None:
                unmarked |= {event.territory}
            else:
                control[event.territory] = event.power
            return msgspec.structs.replace(own, control=control, unmarked=unmarked)
        if isinstance(event, UnitsMoved):
            after = msgspec.structs.replace(
                own, units=lg.moved(own.units, event.origin, event.to, event.units)
            )
            turned = event.origin == POOL and any(split(piece)[2] for piece in event.units)
            return _arrived(_arrived(after, event.origin, {}), event.to, event.units, is_new=not turned)
        if isinstance(event, SupplyChanged):
            there = lg.known_supply(own, event.place)
            if there is None:
                return own
            left = max(0, there + event.delta)
            after = msgspec.structs.replace(own, supply={**own.supply, event.place: left})
            zone, _at, power = event.place.partition("@")
            return _arrived(after, SiteId(zone), {piece_key(Nation(power), "supply"): max(0, event.delta)})
        if isinstance(event, SupplyCounted):
            return msgspec.structs.replace(own, supply={**own.supply, event.place: event.count})
        if isinstance(event, SpaceCounted):
            units = {**own.units, event.space: {piece: n for piece, n in event.units.items() if n}}
            supply = own.supply if event.supply is None else {**own.supply, event.space: event.supply}
            before = own.units.get(event.space, {})
            new = {piece: n - before.get(piece, 0) for piece, n in event.units.items()}
            own = msgspec.structs.replace(own, units=units, supply=supply, told=own.told | {event.space})
            return _arrived(own, event.space, new)
        if isinstance(event, MinesChanged):
            sign = ">" if not _is_sea(event.place) and event.owner not in SIDE_OF else "@"
            key = f"{event.place}{sign}{event.owner}"
            gone = own.detonated | {key} if event.detonated else own.detonated
            return _with_mines(msgspec.structs.replace(own, detonated=gone), key, event.delta)
        return own

    def step_entered(self, own: lg.Ledger, step: Step, state: GameState) -> lg.Ledger:  # noqa: ARG002
        """Forget who came in when another phase begins, and the borders whose mines went off when a step does."""
        phase = f"{turn_of(step)}.{step.phase}"
        if phase != own.phase:
            return msgspec.structs.replace(own, arrived={}, detonated=frozenset(), phase=phase)
        borders = {key for key in own.detonated if ">" in key}
        return msgspec.structs.replace(own, detonated=own.detonated - borders) if borders else own

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Check unit figures and values of the board; ForeignKeyError for another key."""
        try:
            return lg.figures(state).fault(key, value)
        except KeyError:
            pass
        try:
            return lg.board(state).fault(key, value)
        except KeyError:
            raise ForeignKeyError(key) from None
