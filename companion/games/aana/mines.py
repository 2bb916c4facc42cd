"""Detonating mines: three dice an icon turn land units back, one die a token sinks ships and transports.

Source: rulebook, Mine Token Detonation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.games.aana.battle_messages import AttackChanged, MinesRolled, RollMines, battles_of
from companion.games.aana.board import POOL
from companion.games.aana.combat import FACES
from companion.games.aana.figures import SIDE_OF, FigureBook, enemy_of
from companion.games.aana.ledger import (
    ControlChanged,
    MinesChanged,
    SupplyChanged,
    UnitsMoved,
    board,
    figures,
    ledger_of,
    occupants,
    split,
)
from companion.games.aana.movement import movement_of
from companion.games.aana.turn import at_step

__all__ = ["MINE_NEED", "dice_of", "mine_side", "mines_fault", "roll_mines"]

MINE_NEED: Final = 3
_DICE_PER_ICON: Final = 3


def mine_side(state: GameState, territory: str) -> str | None:
    """Return the side that owns the land mines of a territory; empty = nobody, None = not told."""
    own, ledger, book = board(state), ledger_of(state), figures(state)
    holder = own.owner_side(territory) or SIDE_OF.get(ledger.control.get(territory, ""), "")
    if holder:
        return holder
    there = [side for side in ("axis", "allies") if occupants(ledger, book, territory, side)]
    if there:
        return there[0]
    return "" if territory in ledger.told else None


def mines_fault(state: GameState, place: str, owner: str) -> Rejected | None:
    """Say why mines may not go off in this turn, their number aside; None when they may.

    Args:
        owner: The territory from which the border is crossed, or the power that owns the sea mines.
    """
    acting, name = SIDE_OF[state.step.nation or "germany"], board(state).name(place)
    if board(state).type_of(place) != "land":
        if SIDE_OF.get(owner) != enemy_of(acting):
            return Rejected("own_mines", "mines are detonated in enemy turns only")
        return None
    side = mine_side(state, place)
    if side == "":
        return Rejected("no_mines", f"{name}: neither marker nor units, its mines are nobody's")
    if side == acting and place not in movement_of(state).blitzed:
        return Rejected("own_mines", f"{name}: its mines are your own")
    return None


def dice_of(state: GameState, place: str, mines: int) -> int:
    """Return how many dice a detonation rolls: three an icon on land, one a token at sea."""
    return mines * (_DICE_PER_ICON if board(state).type_of(place) == "land" else 1)


def roll_mines(state: GameState, command: RollMines) -> Decision:
    """Decide a detonation: dice, hits, and who is turned back or destroyed."""
    refused = at_step(state, command.step)
    if refused is not None:
        return refused
    refused = mines_fault(state, command.place, command.owner)
    if refused is not None:
        return refused
    own, ledger, book = board(state), ledger_of(state), figures(state)
    on_land = own.type_of(command.place) == "land"
    key = f"{command.place}{'>' if on_land else '@'}{command.owner}"
    laid = ledger.mines.get(key, 0)
    if command.mines < 1 or command.mines > laid:
        return Rejected("no_mines", f"{laid} mines there, {command.mines} to detonate")
    dice = dice_of(state, command.place, command.mines)
    if len(command.values) != dice or not all(1 <= value <= FACES for value in command.values):
        return Rejected("bad_dice", f"{dice} ten-sided dice, {len(command.values)} given")
    hits = sum(value <= MINE_NEED for value in command.values)
    fault = _pieces_hit_fault(command.hit, hits, on_land)
    if fault is not None:
        return Rejected("bad_losses", fault)
    fliers = [piece for piece in command.hit if _flies(book, piece)]
    if fliers:
        return Rejected("bad_losses", f"mines never hit aircraft: {', '.join(fliers)}")
    events: list[Event] = [
        MinesRolled(command.place, command.owner, command.values, hits, command.hit, command.origin),
        MinesChanged(command.place, command.owner, -command.mines),
    ]
    if on_land and command.attack is not None:
        attack = next((item for item in battles_of(state).attacks if item.id == command.attack), None)
        if attack is None or attack.space != command.place:
            return Rejected("no_attack", "no attack on this territory crosses the border")
        crossing = sum(
            n
            for group in attack.groups
            if group.origin == command.owner
            for piece, n in group.units.items()
            if book.row(*split(piece)[:2]).type == "land"
        )
        if sum(command.hit.values()) != min(hits, crossing):
            return Rejected(
                "bad_losses", f"{min(hits, crossing)} units turn back, {sum(command.hit.values())} named"
            )
        groups = []
        for group in attack.groups:
            units = dict(group.units)
            if group.origin == command.owner:
                for piece, n in command.hit.items():
                    if units.get(piece, 0) < n:
                        return Rejected(
                            "not_there", f"{units.get(piece, 0)} {piece} cross the border, {n} turned back"
                        )
                    units[piece] -= n
            groups.append(replace(group, units={piece: n for piece, n in units.items() if n}))
        kept = tuple(group for group in groups if group.units)
        events.append(AttackChanged(replace(attack, groups=kept, result="" if kept else "mined")))
    if on_land and command.attack is None:
        # Units that were crossing go back to where they came from.
        there = ledger.units.get(command.place, {})
        back = {piece: min(n, there.get(piece, 0)) for piece, n in command.hit.items() if there.get(piece, 0)}
        if back:
            events.append(UnitsMoved(command.place, command.owner, back))
            events += _not_captured(state, command.place, back)
    if not on_land:
        for piece, n in command.hit.items():
            power, unit, damaged = split(piece)
            if unit == "supply":
                events.append(SupplyChanged(f"{command.place}@{power}", -n))
                continue
            if not book.has(power, unit):
                return Rejected("unknown_piece", f"{power} has no {unit}")
            if ledger.units.get(command.place, {}).get(piece, 0) >= n:
                events.append(UnitsMoved(command.place, POOL, {piece: n}))
                if "two_hits" in book.row(power, unit).traits and not damaged:
                    events.append(UnitsMoved(POOL, command.place, {f"{piece}.damaged": n}))
    return Accepted(tuple(events))


def _flies(book: FigureBook, piece: str) -> bool:
    power, unit, _ = split(piece)
    return book.has(power, unit) and book.row(power, unit).type == "air"


def _not_captured(state: GameState, place: str, back: Mapping[str, int]) -> list[Event]:
    """Return the marker to whom it belonged, where mines turned every unit of a blitz back."""
    ledger, power = ledger_of(state), state.step.nation or ""
    left = dict(occupants(ledger, figures(state), place, SIDE_OF[power]))
    if any(n > back.get(piece, 0) for piece, n in left.items()):
        return []
    before = movement_of(state).blitzed.get(place)
    if before is None or ledger.control.get(place) != power:
        return []
    return [ControlChanged(place, before or None, power)]


def _pieces_hit_fault(hit: Mapping[str, int], hits: int, on_land: bool) -> str | None:
    ships = sum(n for piece, n in hit.items() if split(piece)[1] in ("battleship", "destroyer", "submarine"))
    supply = sum(n for piece, n in hit.items() if split(piece)[1] == "supply")
    others = sum(hit.values()) - ships - supply
    taken = others if on_land else ships + -(-(others + -(-supply // 5)) // 2)
    if any(n < 1 for n in hit.values()) or taken > hits:
        return f"{hits} hits, {taken} taken"
    return None
