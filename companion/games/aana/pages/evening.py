"""The combats of an evening: their course, which side is which, and what each is called."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.history import Entry
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER, DEFENDER
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.figures import NO_SIDE, SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import acting_power
from companion.pages.report_parts import ReportSource

__all__ = ["ROLES", "attacking_side", "combat_key", "course", "side_of", "title_say"]

ROLES = (ATTACKER, DEFENDER)


def combat_key(state: GameState, attack: int) -> str:
    """Return what names a combat in the evening, whose attacks are counted anew in every phase."""
    return f"{state.step.stage}.{state.step.nation or ''}.{attack}"


def course(source: ReportSource) -> Iterator[tuple[Entry, Fight, bool]]:
    """Yield every entry that moved a combat on, with the combat after it and whether it is over."""
    for entry in source.entries:
        if not source.counts(entry.seq):
            continue
        for event in entry.events:
            if isinstance(event, bm.FightChanged | bm.FireRolled | bm.CombatConcluded):
                yield entry, event.fight, isinstance(event, bm.CombatConcluded)


def attacking_side(state: GameState, fight: Fight) -> Side:
    """Return the side that attacks; empty where that is not known."""
    powers = [kind.power for kind in fight.attackers]
    return SIDE_OF.get(powers[0] if powers else acting_power(state), NO_SIDE)


def side_of(state: GameState, fight: Fight, role: str) -> Side:
    """Return the side of a role."""
    attacking = attacking_side(state, fight)
    return attacking if role == "attacker" or not attacking else enemy_of(attacking)


def title_say(fight: Fight) -> Say:
    """Return how a combat is called."""
    return Say("Combat, {space}", space=area(fight.space))
