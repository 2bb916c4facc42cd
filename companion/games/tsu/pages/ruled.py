"""What speaks against an attack that is being entered, and the table's rulings that decide about it."""

from __future__ import annotations

from functools import partial

from companion.core.state import GameState
from companion.core.text import Say
from companion.games.tsu.pages.attack_list import can_declare
from companion.games.tsu.pages.draft import AttackDraft, attack_of, spent_units
from companion.games.tsu.rules.attack import supply_needed, verdict
from companion.games.tsu.rules.combat import declared_faults, judged, war_faults
from companion.games.tsu.rules.legality import attack_faults
from companion.games.tsu.rules.state import slice_of
from companion.pages import rulings

__all__ = ["deciding", "faults_of"]

_RULINGS = (
    "landing_supply",
    "parachute_supply",
    "port_landing",
    "us_attacks",
    "french_attacks",
    "italian_supply",
    "neutral_target",
    "vichy_target",
)


def faults_of(state: GameState, draft: AttackDraft) -> tuple[Say, ...]:
    """Return the reasons against what was entered, with its supply where it can be declared."""
    attack = attack_of(draft)
    if can_declare(state):
        return declared_faults(state, attack, spent_units(draft), draft.shared)
    return verdict(judged(state, attack), slice_of(state).tables).faults


def deciding(state: GameState, draft: AttackDraft) -> tuple[str, ...]:
    """Return the rulings without which something else would be said of what was entered: its faults, or its supply."""
    if not draft.attackers:
        return ()
    return rulings.deciding(state, _RULINGS, partial(_said, draft=draft))


def _said(state: GameState, draft: AttackDraft) -> tuple[tuple[Say, ...], int]:
    attack, tables = judged(state, attack_of(draft)), slice_of(state).tables
    known = all(a.unit.kind in tables.units for a in attack.attackers)
    needed = supply_needed(attack, tables) if known else 0
    return (*war_faults(state, attack, spent_units(draft)), *attack_faults(attack, tables)), needed
