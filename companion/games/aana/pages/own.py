"""What a side of North Africa sees and does on its own phone: the combat with its dice and losses, its requisitions."""

from __future__ import annotations

from companion.core.commands import Command, EnterPrintedValue
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import N_
from companion.games.aana.pages.combat import combat_page
from companion.games.aana.pages.reinforce import reinforce_page
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.combat import ATTACKER, DEFENDER
from companion.games.aana.rules.fight import firing
from companion.games.aana.rules.fight_losses import loser
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.pages.modules import OwnPages
from companion.pages.page import ScreenEntry

__all__ = ["OWN"]

_FIGHTS = (
    bm.DeclareAttack,
    bm.OpenCombat,
    bm.GiveOrders,
    bm.LeaveCombat,
    bm.Press,
    bm.JoinAttack,
    bm.Cease,
    bm.Conclude,
    bm.RollMines,
)
_BUYS = (
    rf.PayMalta,
    rf.SkipMalta,
    rf.RepairBattleship,
    rf.LayLandMine,
    rf.LaySeaMine,
    rf.AdvanceConvoys,
    rf.LoseUndeployed,
    EnterPrintedValue,
)


def may(state: GameState, side: Side, command: Command) -> bool:
    """Say whether a command is this side's own: its requisitions, its dice, its units' losses, what it attacks."""
    if isinstance(command, bm.RollFire | bm.TakeLosses):
        fight = bm.fight_of(state)
        if fight is None:
            return False
        if isinstance(command, bm.TakeLosses):
            return fight.stage == "losses" and _side_of(state, loser(fight)) == side
        return _side_of(state, DEFENDER if fight.stage == "air_defence" else firing(fight.stage)) == side
    if side not in state.step.owners:
        return False
    if isinstance(command, rf.Requisition | rf.Deploy | rf.PlaceFree):
        return SIDE_OF.get(command.power) == side
    return isinstance(command, (*_FIGHTS, *_BUYS))


def _side_of(state: GameState, role: str) -> Side:
    """Return the side that attacks, or defends, in the combat under way."""
    fight = bm.fight_of(state)
    assert fight is not None, "a role belongs to a combat"
    attacker = SIDE_OF[bm.attack_of(state, fight).power]
    return attacker if role == ATTACKER else enemy_of(attacker)


def can_act(state: GameState, side: Side, screen: str) -> bool:
    """Say whether a side can do anything on a page: in a combat both roll and lose."""
    return side in state.step.owners or (screen == "aana_combat" and bm.fight_of(state) is not None)


OWN = OwnPages(
    screens=(
        ScreenEntry(key="aana_combat", title=N_("Combat"), icon="battle", make=lambda: combat_page),
        ScreenEntry(
            key="aana_reinforce", title=N_("Reinforce"), icon="resupply", make=lambda: reinforce_page
        ),
    ),
    may=may,
    can_act=can_act,
)
