"""What a side of Song for War sees and does on its own phone: its sealed notes, the battle, its purchases."""

from __future__ import annotations

from companion.core.commands import Command, EnterPrintedValue
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import N_
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.resupply import resupply_page
from companion.games.sfw.pages.sealed import sealed_page
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import seal_messages as se
from companion.games.sfw.rules.battle import DEFENDING
from companion.games.sfw.rules.battle_state import acting_side, as_now, battles_of, returning_side, side_id
from companion.games.sfw.rules.ledger import nation_side
from companion.pages.modules import OwnPages
from companion.pages.page import ScreenEntry

__all__ = ["OWN"]

_BUYS = (rs.ChooseResupply, rs.Purchase, rs.Place, rs.ResolveMines, rs.PassResupply, rs.SetReserve)
_LEDGER = (
    rs.ReportCondition,
    rs.EnterLane,
    rs.CutLane,
    rs.RecordBombing,
    rs.RecordCardEffect,
    rs.ReportAtSea,
    rs.PickAbility,
    EnterPrintedValue,
)
_COMPOSES = (
    bc.DeclareBattle,
    bc.ChangeUnits,
    bc.SetGroup,
    bc.SplitGroup,
    bc.SetCircumstances,
    bc.RepeatComposition,
    bc.WithdrawBattle,
    bc.BeginBattle,
    bc.PassStep,
)
_FIGHTS = (bc.RecordRoll, bc.CombineHits, bc.ChooseLosses, bc.RetreatUnits, bc.StandFast)


def may(state: GameState, side: Side, command: Command) -> bool:
    """Say whether a command is this side's own: its notes, its nations' purchases, its rolls, its units' losses."""
    match command:
        case se.SealSecret():
            return nation_side(state.frozen_setup, command.nation) == side
        case se.RecordOpening() | se.RevealSecret():
            secret = state.game["seals"].secrets.get(command.secret)
            is_by_side = not isinstance(command, se.RecordOpening) or command.by != "arbiter"
            return (
                secret is not None and is_by_side and nation_side(state.frozen_setup, secret.nation) == side
            )
        case se.ConfirmHidden():
            return command.side == side
        case (
            rs.ChooseResupply()
            | rs.Purchase()
            | rs.Place()
            | rs.ResolveMines()
            | rs.PassResupply()
            | rs.SetReserve()
        ):
            return side in state.step.owners and nation_side(state.frozen_setup, command.nation) == side
        case bc.RecordRoll() | bc.CombineHits() | bc.ChooseLosses() | bc.RetreatUnits() | bc.StandFast():
            return _fights(state, side, command)
        case _:
            return side in state.step.owners and isinstance(command, (*_LEDGER, *_COMPOSES))


def _fights(state: GameState, side: Side, command: Command) -> bool:
    """Say whether what a battle asks for now is this side's to answer."""
    found = next((one for one in battles_of(state).battles if one.id == command.battle), None)  # type: ignore[attr-defined]
    attacker = acting_side(state) or returning_side(state)
    if found is None or attacker is None:
        return False
    view = battle_view(state, as_now(state, found))

    def is_own(role: str) -> bool:
        return side_id(state, attacker, role) == Side(side)

    match command:
        case bc.RecordRoll():
            lines = [one for one in view.lines if one.index in command.lines]
            return bool(lines) and all(is_own(one.side) for one in lines)
        case bc.CombineHits():
            owed = (
                next((one for one in found.progress.owed if one.to_combine), None) if found.progress else None
            )
            return owed is not None and not is_own(owed.side)  # those who shot
        case bc.ChooseLosses():
            choice = next((one for one in view.losses if one.side == command.side), None)
            return choice is not None and is_own(choice.side) != choice.by_shooter
        case _:
            return is_own(DEFENDING)


def can_act(state: GameState, side: Side, screen: str) -> bool:
    """Say whether a side can do anything on a page: its notes are its own, and in a battle both sides roll and lose."""
    return screen != "resupply" or side in state.step.owners


OWN = OwnPages(
    screens=(
        ScreenEntry(key="battle", title=N_("Battle"), icon="battle", make=lambda: battle_page),
        ScreenEntry(key="sealed", title=N_("Sealed"), icon="sealed", make=lambda: sealed_page),
        ScreenEntry(key="resupply", title=N_("Resupply"), icon="resupply", make=lambda: resupply_page),
    ),
    may=may,
    can_act=can_act,
)
