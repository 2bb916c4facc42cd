"""Help for the screens of The Soft Underbelly, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP", "NOT_JUDGED"]

NOT_JUDGED: tuple[tuple[str, str], ...] = (
    (
        N_("What the app does not judge: the map"),
        N_(
            "Where units stand and which areas touch: movement, breakthrough, stacking outside an attack, the areas that "
            "ships and aircraft control, and where who retreats goes."
        ),
    ),
    (
        N_("What the app does not judge: supply"),
        N_("Whether a supply is in reach, and whether a way leads along a road: your word is taken."),
    ),
    (
        N_("What the app does not judge: others on the map"),
        N_(
            "The Red Army's and the garrison's units. Report what an attack, a star or the calendar hangs on."
        ),
    ),
)
"""What a table has to watch by itself; the whole list stands in the sources of the data."""

HELP: Help = {
    "tsu_attack": (
        (
            N_("Plan an attack"),
            N_(
                "Enter the area, who attacks from where, and who defends. The headline shows the "
                "outcome at once."
            ),
        ),
        (
            N_("Result"),
            N_(
                "Every reason against the attack, every legal loss and its consequences, and which "
                "extra unit would win."
            ),
        ),
        (
            N_("Supply"),
            N_("Declare what is used up. One supply may feed several attacks; a landing needs its own."),
        ),
        (
            N_("Fight"),
            N_("In the combat phase, tap an attack, then choose losses, retreats and who advances."),
        ),
    ),
    "tsu_stars": (
        (N_("Replace"), N_("Tap a unit in the box to bring it back. Units you cannot get show the reason.")),
        (
            N_("Stars"),
            N_(
                "Tap a star that changed hands. Ships or aircraft alone control it but do not get its "
                "production."
            ),
        ),
        (
            N_("Boxes"),
            N_(
                "Combat losses are counted automatically; count by hand what was overrun, withdrawn or "
                "lost in movement."
            ),
        ),
    ),
    "tsu_calendar": (
        (
            N_("This turn"),
            N_("What arrives, leaves or changes now, with weather, Vichy, garrison and Italy."),
        ),
        (N_("Reports"), N_("Report what only the map shows; the consequences are carried out or listed.")),
    ),
    "tsu_score": (
        (
            N_("Who would win"),
            N_("The line at the top judges the stars as if the game ended now, with the Axis first."),
        ),
        (
            N_("The chart"),
            N_("Tap a star that changed hands. The list has every condition, and the stars of your map."),
        ),
    ),
    "not_judged": NOT_JUDGED,
    "tsu_units": (
        (
            N_("Figures"),
            N_("Every figure with its source. Enter from your own copy what the rules leave out."),
        ),
    ),
}
"""Screen key to its lines."""
