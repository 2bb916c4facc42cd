"""What the battle commands ask of a running game: who acts, the table's rules of battle, the fight of a battle.

Source: rulebook v0.96, Declaring Battles; Resolving Battles; Battle Steps.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core import clock
from companion.core.ids import Side
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.sfw.rules.battle import ATTACKING, SIDES, Battle, Fight, Problem
from companion.games.sfw.rules.battle_edition import EDITIONS, Edition, with_rulings
from companion.games.sfw.rules.battle_known import with_ledger
from companion.games.sfw.rules.battle_losses import LossTable
from companion.games.sfw.rules.battle_progress import Conduct
from companion.games.sfw.rules.battle_record import BattleSlice, Declared
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import sentences
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitTable
from companion.games.sfw.rules.upgrades import owned_battle

__all__ = [
    "ACTS",
    "RETURN",
    "acting_side",
    "are_over",
    "as_now",
    "battles_of",
    "conduct_of",
    "edition_of",
    "fight_of",
    "loss_tables",
    "problems_of",
    "resolved",
    "returning_side",
    "side_id",
]

ACTS = ("move", "declare", "resolve")
"""Acts of a movement step in which battles belong."""

RETURN = "return"
"""The act of movement step 6, on which there are push throughs but no battles."""


def battles_of(state: GameState) -> BattleSlice:
    """Return the battle slice of a running game."""
    own: BattleSlice = state.game["battle"]
    return own


def are_over(state: GameState) -> bool:
    """Say whether no battle of the movement step at hand is left to fight; true where none was declared."""
    return all(one.status in ("over", "broken_off") for one in battles_of(state).battles)


def edition_of(state: GameState) -> Edition:
    """Return the battle rules as this table has settled them."""
    edition = with_rulings(EDITIONS[state.frozen_setup.game], state.rulings)
    return edition if tables(state).has_bridges else replace(edition, has_bridges=False)


def acting_side(state: GameState) -> Side | None:
    """Return the side that attacks in the current step; None where nobody may."""
    step = state.step
    if step.movement_step is None or not 1 <= step.movement_step <= 5 or step.act not in ACTS:
        return None
    return step.owners[0] if len(step.owners) == 1 else None


def returning_side(state: GameState) -> Side | None:
    """Return the side whose air units return now: on movement step 6 push through still applies."""
    step = state.step
    if step.movement_step != 6 or step.act != RETURN or len(step.owners) != 1:
        return None
    return step.owners[0]


def side_id(state: GameState, attacker: Side, side: str) -> Side:
    """Return the game's side that is attacking or defending."""
    if side == ATTACKING:
        return attacker
    return next(info.id for info in state.frozen_setup.sides if info.id != attacker)


def fight_of(state: GameState, declared: Declared) -> Fight | Rejected:
    """Return the fight of a declared battle, or why it cannot be fought as it stands."""
    battle = _composition(state, declared)
    if isinstance(battle, Rejected):
        return battle
    return resolved(battle, edition_of(state), unit_table_of(state), _begun(declared))


def _begun(declared: Declared) -> bool:
    return declared.started is not None


def _composition(state: GameState, declared: Declared) -> Battle | Rejected:
    """Return a battle as it was begun, or as it stands before: its units as their nations have them now, the ledger known."""
    return declared.started or with_ledger(state, as_now(state, declared))


def as_now(state: GameState, declared: Declared) -> Declared:
    """Return a declared battle with its units as their nations have them now; one that has begun as it is."""
    if declared.status != "declared":
        return declared
    return replace(declared, battle=owned_battle(unit_table_of(state), declared.battle))


_FIGHTS: list[tuple[Battle, Edition, UnitTable, Fight, dict[str, LossTable], bool]] = []
"""The fights worked on last: the same battle is asked for again with every die."""


def problems_of(state: GameState, declared: Declared) -> tuple[Problem, ...]:
    """Return everything that keeps a declared battle from being fought as it stands."""
    battle = declared.started or as_now(state, declared).battle
    found = _checked(battle, edition_of(state), unit_table_of(state), _begun(declared))
    return () if isinstance(found, Fight) else found


def resolved(battle: Battle, edition: Edition, table: UnitTable, has_begun: bool = False) -> Fight | Rejected:
    """Return the fight of a battle, or why it cannot be fought as it stands."""
    found = _checked(battle, edition, table, has_begun)
    if isinstance(found, Fight):
        return found
    return Rejected(found[0].code, sentences(problem.sentence() for problem in found))


def _checked(
    battle: Battle, edition: Edition, table: UnitTable, has_begun: bool
) -> Fight | tuple[Problem, ...]:
    for known in _FIGHTS:
        if known[0] == battle and known[2] is table and known[1] == edition and known[5] == has_begun:
            return known[3]
    found = set_up(battle, edition, table, has_begun=has_begun)
    if not isinstance(found, Fight):
        return found
    tables = {side: LossTable(found, side) for side in SIDES}
    _FIGHTS[:] = [(battle, edition, table, found, tables, has_begun), *_FIGHTS[:3]]
    return found


def loss_tables(fight: Fight) -> dict[str, LossTable]:
    """Return the casualties of both sides of a fight, under the policy that proposals follow."""
    for known in _FIGHTS:
        if known[3] is fight:
            return known[4]
    return {side: LossTable(fight, side) for side in SIDES}


def conduct_of(state: GameState, declared: Declared) -> Conduct:
    """Return how this table conducts its battles at the moment."""
    silent: tuple[str, ...] = ()
    if state.rulings.get("fallen_side") == "no_defence":
        silent = tuple(
            side
            for side in SIDES
            if clock.fallen(state.clocks, side_id(state, declared.attacker, side), state.step.stage)
        )
    return Conduct(state.rulings.get("battle_end") == "all_steps", silent)
