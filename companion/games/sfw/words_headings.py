"""Headings of battles and units: battle steps, occasions, and what the first edition calls otherwise."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Word

__all__ = ["FIRST_HEADINGS", "HEADINGS"]

HEADINGS: dict[str, dict[str, Word]] = {
    "battle_step": {
        "1": N_("1.\u00a0Anti-air"),
        "2": N_("2.\u00a0Fighters"),
        "3": N_("3.\u00a0Bombers"),
        "4": N_("4.\u00a0Destroyers and submarines"),
        "5": N_("5.\u00a0Artillery and heavy ships"),
        "retreat": N_("Retreat"),
        "6": N_("6.\u00a0Infantry and tanks"),
        "7A": N_("7A.\u00a0Combined fire"),
        "7B": N_("7B.\u00a0Unloading"),
        "7C": N_("7C.\u00a0Landing defence"),
        "line": N_("Defensive line"),
        "bridge": N_("Bridge"),
        "mine": N_("Mine"),
        "push": N_("Push through"),
        "disengage": N_("Disengage"),
        "end": N_("Over"),
    },
    "occasion": {
        "battle": N_("Battle"),
        "movement": N_("Entry or push through"),
        "disengage": N_("Full disengage"),
    },
    "declared": {"movement": N_("Entry under fire")},
    "fire": {
        "combine": N_("Combined fire"),
        "apart": N_("No combined fire"),
        "combined": N_("combined fire"),
    },
}
"""Words by kind; `fire` is the choice to combine, not to, and the note that it was made."""

FIRST_HEADINGS: dict[str, dict[str, Word]] = {
    "ability": {"targeted_bombing": N_("Strategic bombing")},
    "battle_step": {
        "7A": N_("7.\u00a0Concentrated fire"),
        "7B": N_("7.\u00a0Unloading"),
        "7C": N_("7.\u00a0Landing defence"),
    },
    "occasion": {"movement": N_("Push through")},
    "declared": {"movement": N_("Push through")},
    "fire": {
        "combine": N_("Concentrated fire"),
        "apart": N_("No concentrated fire"),
        "combined": N_("concentrated fire"),
    },
}
"""Rows in which the first edition has its own words."""
