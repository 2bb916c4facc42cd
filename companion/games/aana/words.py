"""The words of North Africa: what its ids are called, in one table."""

from __future__ import annotations

from companion.core.text import N_, Noun
from companion.pages.words import GameWords

__all__ = ["WORDS"]

WORDS = GameWords(
    stage=N_("Round"),
    stages=Noun("{n} round", "{n} rounds"),
    names={
        "phase": {
            "convoys": N_("Convoys"),
            "requisition": N_("Requisition"),
            "combat_move": N_("Combat Move"),
            "combat": N_("Conduct Combat"),
            "noncombat": N_("Noncombat Move"),
            "deploy": N_("Deployment"),
            "event": N_("Special event"),
        },
        "act": {"advance": N_("Advance convoys"), "buy": N_("Buy reinforcements")},
        "done": {"advance": N_("Convoys advanced"), "buy": N_("Nothing more to buy")},
        "strip": {"combat": N_("Combat"), "noncombat": N_("Noncombat")},
        "strip_nation": {"uk": N_("UK"), "us": N_("US")},
    },
)
