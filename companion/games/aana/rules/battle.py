"""The part of attacks, combats and mines: its commands, events and slice.

Source: rulebook, Declaration of Attacks, Phase 4, Mine Token Detonation, Optional Rules.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Millis, RulingId
from companion.core.parts import Part
from companion.core.rules import Code, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, area, several
from companion.games.aana.rules.battle_messages import (
    AttackChanged,
    AttackDeclared,
    Battles,
    Cease,
    CombatConcluded,
    Conclude,
    DeclareAttack,
    FightChanged,
    FireRolled,
    GiveOrders,
    JoinAttack,
    LeaveCombat,
    MinesRolled,
    OpenCombat,
    Press,
    RollFire,
    RollMines,
    TakeLosses,
    battles_of,
)
from companion.games.aana.rules.combat_acts import give_orders, roll_fire, take_losses
from companion.games.aana.rules.combat_close import (
    cease_attack,
    conclude,
    join_attack,
    leave_combat,
    press_attack,
)
from companion.games.aana.rules.combat_open import aaa_last, open_combat
from companion.games.aana.rules.declare import declare, landings, undeclared
from companion.games.aana.rules.fight_flow import again
from companion.games.aana.rules.figures import SIDE_OF
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.mines import roll_mines
from companion.games.aana.rules.turn import turn_of

__all__ = ["BattlePart"]


class BattlePart(Part):
    """Attacks, combats and mines."""

    name = "battle"
    deciders = {
        DeclareAttack: declare,
        OpenCombat: open_combat,
        RollFire: roll_fire,
        TakeLosses: take_losses,
        GiveOrders: give_orders,
        LeaveCombat: leave_combat,
        Press: press_attack,
        JoinAttack: join_attack,
        Cease: cease_attack,
        Conclude: conclude,
        RollMines: roll_mines,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (
        AttackDeclared,
        AttackChanged,
        FightChanged,
        FireRolled,
        MinesRolled,
        CombatConcluded,
    )

    def initial(self, setup: Setup) -> Battles:  # noqa: ARG002
        """Start without attacks."""
        return Battles()

    def ruled(self, state: GameState, ruling: RulingId) -> tuple[Event, ...]:
        """Let a ruling on lone artillery, or on units beside Vichy French ones, reach the combat under way."""
        fight = battles_of(state).fight
        if fight is None or fight.stage == "over":
            return ()
        rules = fight.rules
        if ruling == "aana.aaa_last" and rules.aaa_last:
            rules = replace(rules, aaa_last=aaa_last(state))
        elif ruling == "aana.vichy_beside":
            rules = replace(rules, vichy_binds=state.rulings.get(ruling) == "bound")
        if rules == fight.rules:
            return ()
        return (FightChanged("ruled", again(figures(state), replace(fight, rules=rules))),)

    def evolve(self, own: Battles, event: Event, state: GameState) -> Battles:  # noqa: ARG002
        """Apply one event."""
        if isinstance(event, AttackDeclared):
            return replace(own, attacks=(*own.attacks, event.attack), next_id=event.attack.id + 1)
        if isinstance(event, AttackChanged):
            attacks = tuple(event.attack if item.id == event.attack.id else item for item in own.attacks)
            return replace(own, attacks=attacks)
        if isinstance(event, FightChanged | FireRolled):
            return replace(own, fight=event.fight)
        if isinstance(event, MinesRolled) and event.owner not in SIDE_OF:
            turned = dict(own.turned.get(event.owner, {}))
            for piece, n in event.hit.items():
                turned[piece] = turned.get(piece, 0) + n
            return replace(own, turned={**own.turned, event.owner: turned})
        if isinstance(event, CombatConcluded):
            stayed = {place: dict(pieces) for place, pieces in own.stayed.items()}
            for place, pieces in event.stayed.items():
                for piece, n in pieces.items():
                    stayed.setdefault(place, {})[piece] = stayed.get(place, {}).get(piece, 0) + n
            return replace(own, fight=None, fought=(*own.fought, event.fight), stayed=stayed)
        return own

    def step_entered(self, own: Battles, step: Step, state: GameState) -> Battles:  # noqa: ARG002
        """Clear the table of attacks when another power's turn begins."""
        turn = turn_of(step)
        return own if turn == own.turn else Battles(next_id=own.next_id, turn=turn)

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Declare the landings of round 7."""
        return landings(state, step)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Who must attack has declared it, and every declared attack is fought for at least one round."""
        if step.phase == "combat_move" and step.act == "declare":
            idle = undeclared(state)
            if not idle:
                return None
            return Rejected(
                Code.STILL_OPEN,
                Say("Units in {spaces} must attack. Declare their attacks.", spaces=several(map(area, idle))),
            )
        if step.phase != "combat":
            return None
        slice_ = battles_of(state)
        if slice_.fight is not None:
            return Rejected(
                Code.STILL_OPEN, Say("The combat in {space} is not over.", space=area(slice_.fight.space))
            )
        waiting = several(area(item.space) for item in slice_.attacks if not item.result)
        if not waiting.items:
            return None
        return Rejected(
            Code.STILL_OPEN, Say("These attacks have not been fought yet: {spaces}.", spaces=waiting)
        )

    def is_irreversible(self, event: Event) -> bool:
        """Dice that fell are taken back only when asked."""
        return isinstance(event, FireRolled | MinesRolled)
