"""What the key says that takes an entry of The Soft Underbelly back: in two or three words, since it has one line."""

from __future__ import annotations

from companion.core.text import N_

__all__ = ["UNDONE"]

UNDONE: dict[str, str] = {
    "ChangeBox": N_("the replacements"),
    "ClearOverstack": N_("the losses"),
    "ControlStar": N_("the star"),
    "DeclareAttack": N_("the attack"),
    "DeclareReorganization": N_("the reorganization"),
    "DropAttack": N_("the dropped attack"),
    "Replace": N_("the replacement"),
    "ReportHappening": N_("the report"),
    "ResolveAttack": N_("the result"),
    "RetreatBefore": N_("the retreat"),
    "TakeStar": N_("the star"),
}
"""Command to what it did, by the name of its class."""
