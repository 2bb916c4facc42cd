"""Help for the screens of North Africa, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP"]

HELP: Help = {
    "aana_combat": (
        (
            N_("Declaring"),
            N_("Choose the space, then how many of each unit attack; the supply is worked out."),
        ),
        (N_("Dice"), N_("Roll, carry out the rerolls that are named, then enter the final results.")),
        (
            N_("Aims"),
            N_(
                "Where hits may be aimed, the line below the dice says at what; tap it to choose or to waive."
            ),
        ),
        (N_("Losses"), N_("A proposal stands there; change it where the owner chooses otherwise.")),
        (
            N_("Press or cease"),
            N_("Say how many retreat; the supply for the others is paid when you press."),
        ),
    ),
    "aana_board": (
        (N_("Count"), N_("Tell all that stands in a space once; from then on the app checks it.")),
        (
            N_("Move from here"),
            N_(
                "Choose what goes, then where. The app keeps what each piece has moved; without known borders"
                " you count the spaces. A tank that blitzes names what it takes; trucks take along what else"
                " is chosen. Correct instead moves anything."
            ),
        ),
        (N_("Control marker"), N_("Income, convoy routes and the victory chart follow the markers.")),
    ),
    "aana_units": (
        (
            N_("Figures"),
            N_("Every figure with where it comes from. What the rules leave out you enter from your box."),
        ),
    ),
    "aana_reinforce": (
        (
            N_("Convoys"),
            N_("One tap brings convoys in, sends back those without a port, and moves the southern route."),
        ),
        (N_("Basket"), N_("Tap a unit to buy one. What cannot be bought says why.")),
        (N_("Deploy"), N_("Tap a waiting line and choose where it goes.")),
    ),
}
"""Screen key to its lines."""
