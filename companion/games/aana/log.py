"""What North Africa's commands say in the log, which also stands behind "Undo"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from companion.core.commands import Command
from companion.core.history import Entry
from companion.core.state import GameState
from companion.core.text import Count, Say, area, nation, several, unit
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import ledger_messages
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules import travel as tr
from companion.games.aana.rules import victory as vc
from companion.games.aana.rules.combat import ATTACKER, DEFENDER
from companion.games.aana.rules.fight import taken
from companion.games.aana.rules.pieces import split
from companion.games.aana.rules.vichy import TakeVichyGround
from companion.games.aana.rules.ways import MakeMove
from companion.pages.words import LogLines

__all__ = ["AFTER", "LOG"]


def _set_control(command: vc.SetControl, _state: GameState) -> Say:
    who = nation(command.power) if command.power else Say("nobody")
    return Say("{space}: {power}", space=area(command.territory), power=who)


def _count_space(command: ledger_messages.CountSpace, _state: GameState) -> Say:
    return Say("Counted: {space}", space=area(command.space))


def _move_units(command: ledger_messages.MoveUnits, _state: GameState) -> Say:
    return Say("Moved to {space}", space=area(command.to))


def _make_move(command: MakeMove, _state: GameState) -> Say:
    units = {**command.units}
    for piece, n in command.riders.items():
        units[piece] = units.get(piece, 0) + n
    moved = several((Count(n, unit(split(piece)[1])) for piece, n in units.items()), "comma")
    return Say("{units} to {space}", units=moved, space=area(command.to))


def _air_transport(command: tr.AirTransport, _state: GameState) -> Say:
    return Say("A bomber carries {unit} to {space}", unit=unit(command.unit), space=area(command.to))


def _correct_supply(command: ledger_messages.CorrectSupply, _state: GameState) -> Say:
    return Say(
        "{space}: {supply}",
        space=area(command.space),
        supply=Say.counted("{n} supply", "{n} supply", command.count),
    )


def _set_mines(command: ledger_messages.SetMines, _state: GameState) -> Say:
    return Say("Mines: {space}", space=area(command.place))


def _requisition(command: rf.Requisition, _state: GameState) -> Say:
    return Say("Bought: {units}", units=Count(command.count, unit(command.unit)))


def _take_vichy(command: TakeVichyGround, _state: GameState) -> Say:
    space = area(command.territory)
    if command.take:
        return Say("Control of {space} taken from Vichy France", space=space)
    return Say("{space} stays with Vichy France", space=space)


def _land_mine(command: rf.LayLandMine, _state: GameState) -> Say:
    return Say("Mines: {space}", space=area(command.territory))


def _sea_mine(command: rf.LaySeaMine, _state: GameState) -> Say:
    return Say("Mines: {space}", space=area(command.zone))


def _deploy(command: rf.Deploy, _state: GameState) -> Say:
    units = Count(command.count, unit(command.unit))
    return Say("Deployed: {units}, {space}", units=units, space=area(command.to))


def _place_free(command: rf.PlaceFree, _state: GameState) -> Say:
    return Say("Set up: {units}", units=Count(command.count, unit(command.unit)))


def _declare(command: bm.DeclareAttack, _state: GameState) -> Say:
    return Say("Attack declared: {space}", space=area(command.space))


def _roll(command: bm.RollFire, _state: GameState) -> Say:
    values = (value for roll in command.rolls for value in roll.values)
    return Say("Dice: {values}", values=several(values, "comma"))


def _forced(entry: Entry, _state: GameState) -> Say | None:
    """Return the losses that followed dice and left nobody a choice."""
    fights = [one.fight for one in entry.events if isinstance(one, bm.FireRolled | bm.FightChanged)]
    if len(fights) != 2:
        return None
    rolled, paid = fights
    gone = {**taken(rolled, paid, ATTACKER), **taken(rolled, paid, DEFENDER)}
    lost = several((Count(n, unit(id_)) for id_, n in gone.items()), "comma")
    return Say("Lost: {units}", units=lost) if gone else None


def _orders(command: bm.GiveOrders, _state: GameState) -> Say:
    return Say("Orders: fight") if command.fight else Say("Orders: retreat")


def _mines(command: bm.RollMines, _state: GameState) -> Say:
    return Say("Mines detonated: {space}", space=area(command.place))


LOG: LogLines = {
    vc.SetControl: _set_control,
    ledger_messages.CountSpace: _count_space,
    ledger_messages.MoveUnits: _move_units,
    MakeMove: _make_move,
    tr.AirTransport: _air_transport,
    tr.LoseAircraft: Say("Aircraft with nowhere to land are lost"),
    ledger_messages.CorrectSupply: _correct_supply,
    ledger_messages.SetMines: _set_mines,
    rf.Requisition: _requisition,
    rf.PayMalta: Say("Malta paid"),
    rf.SkipMalta: Say("Malta not paid"),
    TakeVichyGround: _take_vichy,
    rf.RepairBattleship: Say("Battleship repaired"),
    rf.LayLandMine: _land_mine,
    rf.LaySeaMine: _sea_mine,
    rf.AdvanceConvoys: Say("Convoys advanced"),
    rf.Deploy: _deploy,
    rf.LoseUndeployed: Say("Undeployed reinforcements lost"),
    rf.PlaceFree: _place_free,
    bm.DeclareAttack: _declare,
    bm.OpenCombat: Say("Combat begins"),
    bm.RollFire: _roll,
    bm.TakeLosses: Say("Losses taken"),
    bm.GiveOrders: _orders,
    bm.LeaveCombat: Say("Retreats and escapes"),
    bm.Press: Say("Attack pressed"),
    bm.JoinAttack: Say("Attack reinforced"),
    bm.Cease: Say("Attack ceased"),
    bm.Conclude: Say("Combat concluded"),
    bm.RollMines: _mines,
    vc.Claim: Say("No enemy left in North Africa"),
    vc.BreakDraw: Say("Draw broken by cost of land units"),
}
"""Command to its line."""

AFTER: Final[Mapping[type[Command], Callable[[Entry, GameState], Say | None]]] = {bm.RollFire: _forced}
"""Command to what followed by itself from it."""
