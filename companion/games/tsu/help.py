"""Help for the screens of The Soft Underbelly, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP"]

HELP: Help = {
    "tsu_attack": (
        (
            N_("Work it out"),
            N_(
                "Enter the area, who attacks from where, who defends. The headline says at once what comes of it."
            ),
        ),
        (
            N_("Result"),
            N_(
                "Every reason against the attack, every legal loss with what follows, and which unit more would win."
            ),
        ),
        (
            N_("Supply"),
            N_("Name what is used up. One supply may feed several attacks; a landing needs its own."),
        ),
        (N_("Fight"), N_("In the combat phase tap an attack, choose losses, retreats and who advances.")),
    ),
    "tsu_stars": (
        (N_("Replace"), N_("Tap a unit of the box to bring it back. What cannot be had says why.")),
        (
            N_("Stars"),
            N_("Tap a star that changed hands. Ships or aircraft alone control it without its production."),
        ),
        (
            N_("Boxes"),
            N_("Losses come by themselves; count by hand what was overrun, withdrawn or lost in movement."),
        ),
    ),
    "tsu_calendar": (
        (
            N_("This turn"),
            N_("What arrives, leaves or changes now, with weather, Vichy, garrison and Italy."),
        ),
        (N_("Reports"), N_("Tell what only the map shows; what follows is carried out or named.")),
        (N_("Victory"), N_("Each condition as it stands, and how the game would end now.")),
    ),
    "tsu_units": (
        (
            N_("Figures"),
            N_("Every figure with where it comes from. What the rules leave out you enter from your box."),
        ),
    ),
}
"""Screen key to its lines."""
