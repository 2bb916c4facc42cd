"""What the ids of the ledger are called: kinds of resupply, conditions, pieces, cards, reasons for a reveal."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Word

__all__ = ["CARD_KINDS", "FIRST_LEDGER", "FORCED_TEXTS", "KINDS", "LEDGER_NAMES"]

KINDS: dict[str, str] = {"air": N_("Air"), "sea": N_("Sea"), "land": N_("Land")}
"""Kinds of resupply."""

CARD_KINDS: dict[str, str] = {
    "strategy": N_("Strategy"),
    "event": N_("Event"),
    "upgrade": N_("Unit upgrade"),
    "unique": N_("Unique unit"),
}
"""Kinds of National Support cards."""

FORCED_TEXTS: dict[str, str] = {
    "limits": N_("Limits broken: 3 to 10 Sea Units of one nation in one space, not only Sea Transports"),
    "detected": N_("Found by an enemy search"),
    "left_to_enemy": N_("A member moved into a contested or enemy space"),
    "fought": N_("A member declared, fought or supported a battle"),
    "loaded": N_("Units were loaded onto or unloaded from a member's transport"),
    "joined_near_enemy": N_("Units joined or left with an enemy in or beside the space"),
    "mined": N_("It moved into a space with an enemy mine"),
}
"""What forces a reveal, in the table's words."""

LEDGER_NAMES: dict[str, dict[str, Word]] = {
    "kind": {**KINDS},
    "condition": {
        "contested": N_("contested"),
        "blockade": N_("blockaded"),
        "sea_space": N_("ships among enemies"),
    },
    "condition_tick": {
        "contested": N_("Contested, or enemies only"),
        "blockade": N_("Blockade: every sea space beside it holds only enemy ships"),
        "sea_space": N_("New ships go into a space with only enemy ships"),
    },
    "counter": {
        "battle_markers": N_("Battle markers"),
        "control_markers": N_("Control markers"),
        "fortifications": N_("Fortification tokens"),
        "markers_allies": N_("Declaration markers, white (Allies)"),
        "markers_axis": N_("Declaration markers, black (Axis)"),
        "mines": N_("Mine tokens"),
    },
    "card_kind": {**CARD_KINDS},
    "forced": {**FORCED_TEXTS},
    "opened_by": {
        "side": N_("its side"),
        "arbiter": N_("the arbiter"),
        "recovery": N_("recovery code"),
    },
}
"""Words of the ledger by kind: `condition` stands in a sentence, `condition_tick` beside a box to be ticked."""

FIRST_LEDGER: dict[str, dict[str, Word]] = {"condition_tick": {"contested": N_("Contested")}}
"""Rows in which the first edition has its own words."""
