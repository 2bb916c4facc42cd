"""Detonating mines: three dice an icon turn land units back, one die a token sinks ships and transports.

Source: rulebook, Mine Token Detonation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.ids import Nation, Side, SiteId
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, area, several
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.battle_messages import AttackChanged, MinesRolled, RollMines, battles_of
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.casualties import BAYS, Cargo, in_bundles
from companion.games.aana.rules.combat import FACES
from companion.games.aana.rules.combat_acts import less_cargo
from companion.games.aana.rules.fight_dice import no_face
from companion.games.aana.rules.fight_losses import not_assigned
from companion.games.aana.rules.ledger_messages import ControlChanged, MinesChanged, SupplyChanged, UnitsMoved
from companion.games.aana.rules.movement import grounded, movement_of
from companion.games.aana.rules.pieces import Piece, counted, piece_key
from companion.games.aana.rules.pieces import piece as named
from companion.games.aana.rules.turn import at_step, turn_powers

__all__ = ["MINE_NEED", "crossing", "dice_of", "mine_side", "mines_fault", "mines_key", "roll_mines"]

MINE_NEED: Final = 3
_DICE_PER_ICON: Final = 3


def mine_side(state: GameState, territory: SiteId) -> Side | None:
    """Return the side that owns the land mines of a territory; empty = nobody, None = not told.

    Without a marker they are whose combat units stand there, aircraft that attack it left out.
    """
    ledger = lg.ledger_of(state)
    holder = lg.holding_side(state, territory)
    if holder:
        return holder
    there = {side: sum(grounded(state, territory, side).values()) for side in fg.SIDES}
    if any(there.values()):
        return max(there, key=lambda side: there[side])
    return fg.NO_SIDE if territory in ledger.told else None


def mines_fault(state: GameState, place: SiteId, owner: str) -> Rejected | None:
    """Say why mines may not go off in this turn, their number aside; None when they may.

    Args:
        owner: The territory from which the border is crossed, or the power that owns the sea mines.
    """
    acting, space = lg.acting_side(state), area(place)
    done = mines_key(state, place, owner) in lg.ledger_of(state).detonated
    if lg.board(state).type_of(place) != "land":
        if fg.SIDE_OF.get(Nation(owner)) != fg.enemy_of(acting):
            return Rejected("own_mines", Say("Mines go off only in enemy turns."))
        if state.step.phase == "combat" or not crossing(state, place, owner):
            return Rejected(
                "nobody_entered", Say("{space}: no ship or transport entered during this phase.", space=space)
            )
        return (
            Rejected("decided", Say("{space}: its mines have already been resolved.", space=space))
            if done
            else None
        )
    if done:
        return Rejected(
            "decided", Say("{space}: the mines of this border have already been resolved.", space=space)
        )
    side = mine_side(state, place)
    if side == "":
        return Rejected(
            "no_mines",
            Say("{space}: with neither a marker nor units there, its mines belong to nobody.", space=space),
        )
    if side == acting and place not in movement_of(state).blitzed:
        return Rejected("own_mines", Say("{space}: its mines are your own.", space=space))
    laid = lg.ledger_of(state).mines.get(mines_key(state, place, owner), 0)
    if laid and not _is_crossed(state, place, SiteId(owner)):
        return Rejected(
            "nobody_entered",
            Say("{space}: no land unit attacks or blitzes from {origin}.", space=space, origin=area(owner)),
        )
    return None


def _is_crossed(state: GameState, territory: SiteId, origin: SiteId) -> bool:
    """Say whether land units cross a border: in a declared attack that is still to be fought, or in a blitz of this phase.

    Source: rulebook, Mine Token Detonation, Land Mine Tokens, Detonation Triggers.
    """
    attacks = (item for item in battles_of(state).attacks if item.space == territory and not item.result)
    if any(crossing(state, territory, origin, item.id) for item in attacks):
        return True
    own = movement_of(state)
    if state.step.phase != "combat_move" or territory not in own.blitzed:
        return False
    came_from = {start for start, end in own.crossed if end == territory}
    return not came_from or origin in came_from


def mines_key(state: GameState, place: SiteId, owner: str) -> str:
    """Return the ledger's key of mines: a border of a territory, or a power's in a sea zone."""
    return f"{place}{'>' if lg.board(state).type_of(place) == 'land' else '@'}{owner}"


def crossing(state: GameState, place: SiteId, owner: str, attack: int | None = None) -> dict[Piece, int]:
    """Return the acting side's pieces that a detonation may fall on, as far as is known.

    At sea that is who was moved or deployed into the zone in this phase, supply as POWER.supply; on land whoever
    attacks across the border, or has crossed it, or stands behind it.
    """
    ledger, book, powers = lg.ledger_of(state), lg.figures(state), turn_powers(state)
    if lg.board(state).type_of(place) != "land":
        return {
            piece: n
            for piece, n in ledger.arrived.get(place, {}).items()
            if lg.split(piece)[0] in powers and not _flies(book, piece)
        }
    declared = next((item for item in battles_of(state).attacks if item.id == attack), None)
    if declared is not None:
        groups = [group.units for group in declared.groups if group.origin == owner]
    else:
        crossed = lg.held_units(ledger, place, powers)
        groups = [crossed or lg.held_units(ledger, SiteId(owner), powers)]
    found: dict[Piece, int] = {}
    for piece, n in (pair for group in groups for pair in group.items()):
        if book.row(*lg.split(piece)[:2]).type == "land":
            found[piece] = found.get(piece, 0) + n
    return found


def dice_of(state: GameState, place: SiteId, mines: int) -> int:
    """Return how many dice a detonation rolls: three an icon on land, one a token at sea."""
    return mines * (_DICE_PER_ICON if lg.board(state).type_of(place) == "land" else 1)


def roll_mines(state: GameState, command: RollMines) -> Decision:
    """Decide a detonation: dice, hits, and who is turned back or destroyed."""
    refused = at_step(state, command.step)
    if refused is not None:
        return refused
    refused = mines_fault(state, command.place, command.owner)
    if refused is not None:
        return refused
    ledger, book = lg.ledger_of(state), lg.figures(state)
    on_land = lg.board(state).type_of(command.place) == "land"
    laid = ledger.mines.get(mines_key(state, command.place, command.owner), 0)
    if command.mines < 1 or command.mines > laid:
        return Rejected(
            "no_mines",
            Say.counted(
                "{n} mine there; you chose {need}.",
                "{n} mines there; you chose {need}.",
                laid,
                need=command.mines,
            ),
        )
    dice = dice_of(state, command.place, command.mines)
    if len(command.values) != dice:
        return Rejected(
            "wrong_dice",
            Say.counted(
                "Roll {n} ten-sided die; you entered {have}.",
                "Roll {n} ten-sided dice; you entered {have}.",
                dice,
                have=len(command.values),
            ),
        )
    odd = next((value for value in command.values if not 1 <= value <= FACES), None)
    if odd is not None:
        return Rejected("wrong_dice", no_face(odd))
    hits = sum(value <= MINE_NEED for value in command.values)
    if any(n < 1 for n in command.hit.values()) or (on_land and sum(command.hit.values()) > hits):
        return Rejected("bad_losses", not_assigned(hits, sum(command.hit.values())))
    fliers = [piece for piece in command.hit if _flies(book, piece)]
    if fliers:
        return Rejected(
            "bad_losses", Say("Mines never hit aircraft: {pieces}.", pieces=several(map(named, fliers)))
        )
    events: list[Event] = [
        MinesRolled(command.place, command.owner, command.values, hits, command.hit, command.origin),
    ]
    gone = MinesChanged(command.place, command.owner, -command.mines, detonated=True)
    if on_land and command.attack is not None:
        attack = next((item for item in battles_of(state).attacks if item.id == command.attack), None)
        if attack is None or attack.space != command.place:
            return Rejected("no_attack", Say("No attack on this territory crosses the border."))
        most = min(hits, sum(crossing(state, command.place, command.owner, command.attack).values()))
        if sum(command.hit.values()) != most:
            return Rejected(
                "bad_losses",
                Say.counted(
                    "{n} unit must turn back; you chose {have}.",
                    "{n} units must turn back; you chose {have}.",
                    most,
                    have=sum(command.hit.values()),
                ),
            )
        groups = []
        for group in attack.groups:
            units = dict(group.units)
            if group.origin == command.owner:
                for piece, n in command.hit.items():
                    able = units.get(piece, 0)
                    if able < n:
                        if not able:
                            none = Say("None of these crossed the border: {unit}.", unit=named(piece))
                            return Rejected("not_there", none)
                        few = Say(
                            "Only {have} crossed the border; you chose {need}.",
                            have=counted(piece, able),
                            need=n,
                        )
                        return Rejected("not_there", few)
                    units[piece] -= n
            groups.append(replace(group, units={piece: n for piece, n in units.items() if n}))
        kept = tuple(group for group in groups if group.units)
        events.append(AttackChanged(replace(attack, groups=kept, result="" if kept else "mined")))
    if on_land and command.attack is None:
        # Units that were crossing go back to where they came from.
        there = ledger.units.get(command.place, {})
        back = {piece: min(n, there.get(piece, 0)) for piece, n in command.hit.items() if there.get(piece, 0)}
        if back:
            events.append(UnitsMoved(command.place, SiteId(command.owner), back))
            events += _not_captured(state, command.place, back)
    if not on_land:
        lost = _sea_losses(state, command, hits)
        if isinstance(lost, Rejected):
            return lost
        events += lost
    return Accepted((*events, gone))


def _sea_losses(state: GameState, command: RollMines, hits: int) -> list[Event] | Rejected:
    """Return what a detonation at sea destroys: ships by hits, transports two bays a hit; all hits are taken."""
    book, place = lg.figures(state), command.place
    there = crossing(state, place, command.owner)
    lost: list[Event] = []
    ships = points = 0
    ship_pieces = set()
    for piece in sorted({**there, **command.hit}, key=lambda piece: lg.split(piece)[2]):
        power, unit, damaged = lg.split(piece)
        if unit == "supply" or not book.has(power, unit) or not book.row(power, unit).is_sea:
            continue
        ship_pieces.add(piece)
        turns = "two_hits" in book.row(power, unit).traits and not damaged
        taken, able = command.hit.get(piece, 0), there.get(piece, 0)
        points += able * (2 if turns else 1)
        if damaged:
            able += command.hit.get(piece_key(power, unit), 0)
        ships += taken
        if taken > able:
            if not able:
                return Rejected("not_there", Say("None of these entered: {unit}.", unit=named(piece)))
            few = Say("Only {have} entered; you chose {need}.", have=counted(piece, able), need=taken)
            return Rejected("not_there", few)
        if taken:
            lost.append(UnitsMoved(place, POOL, {piece: taken}))
            lost += [UnitsMoved(POOL, place, {Piece(f"{piece}.damaged"): taken})] if turns else []
    before = _cargo(book, there)
    gone = _cargo(book, command.hit)
    after = less_cargo(before, {piece: n for piece, n in command.hit.items() if piece not in ship_pieces})
    if isinstance(after, Rejected):
        return after
    if not in_bundles(before, after):
        return Rejected("bad_losses", Say("Supply is lost in fives, fewer only when that is all there is."))
    bays = before.count - after.count
    sunk = -(-bays // BAYS)
    wanted = min(hits, points + before.transports)
    if ships + sunk != wanted or bays != min(before.count, sunk * BAYS):
        return Rejected(
            "bad_losses",
            Say.counted(
                "{n} hit to assign; you chose {ships} on ships and {bays} bays of transports.",
                "{n} hits to assign; you chose {ships} on ships and {bays} bays of transports.",
                wanted,
                ships=ships,
                bays=bays,
            ),
        )
    lost += [UnitsMoved(place, POOL, {piece_key(power, unit): n}) for power, unit, n in gone.units]
    lost += [SupplyChanged(f"{place}@{power}", -n) for power, n in gone.supply]
    return lost


def _cargo(book: fg.FigureBook, pieces: Mapping[Piece, int]) -> Cargo:
    """Return the reinforcements among some pieces: land units, trucks and supply."""
    units, supply = [], []
    for piece, n in sorted(pieces.items()):
        power, unit, _ = lg.split(piece)
        if unit == "supply":
            supply.append((power, n))
        elif book.has(power, unit) and not book.row(power, unit).is_sea:
            units.append((power, unit, n))
    return Cargo(tuple(units), tuple(supply))


def _flies(book: fg.FigureBook, piece: Piece) -> bool:
    power, unit, _ = lg.split(piece)
    return book.has(power, unit) and book.row(power, unit).type == "air"


def _not_captured(state: GameState, place: SiteId, back: Mapping[Piece, int]) -> list[Event]:
    """Return the marker to whom it belonged, where mines turned every unit of a blitz back."""
    ledger, power = lg.ledger_of(state), lg.acting_power(state)
    left = dict(lg.occupants(ledger, lg.figures(state), place, fg.SIDE_OF[power]))
    if any(n > back.get(piece, 0) for piece, n in left.items()):
        return []
    before = movement_of(state).blitzed.get(place)
    if before is None or ledger.control.get(place) != power:
        return []
    return [ControlChanged(place, before or None, power)]
