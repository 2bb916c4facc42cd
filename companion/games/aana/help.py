"""Help for the screens of North Africa, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP", "NOT_JUDGED"]

NOT_JUDGED: tuple[tuple[str, str], ...] = (
    (
        N_("What the app does not judge: the map"),
        N_(
            "Where borders are unknown, the app cannot tell which spaces touch, how far it is, what a way crosses, where "
            "the Sahara begins, or where defenders can retreat to. It never checks the coast road."
        ),
    ),
    (
        N_("What the app does not judge: agreements"),
        N_(
            "What allied players agree on: who loses what in a force of several powers, and mines that two own together."
        ),
    ),
    (
        N_("What the app does not judge: pieces"),
        N_("How many chips lie under a figure, and whether a ship enters a zone twice in one phase."),
    ),
)
"""What a table has to watch by itself; it stands in the sources of the data too."""

HELP: Help = {
    "aana_setup": (
        (
            N_("Order"),
            N_("Markers first, then pieces, the free units of the United Kingdom, and printed values."),
        ),
        (
            N_("Left out"),
            N_(
                "Whatever you leave out is asked for as soon as it decides something; the act is then repeated."
            ),
        ),
        (N_("Cairo"), N_("Its marker is inferred; the line below says so, and a tap changes it.")),
    ),
    "aana_combat": (
        (
            N_("Declaring"),
            N_("Choose the space, then how many of each unit attack; the supply cost is worked out for you."),
        ),
        (N_("Dice"), N_("Roll, make the rerolls shown, then enter the final results.")),
        (
            N_("Targeted hits"),
            N_(
                "Where hits may be targeted, the line below the dice says at what; tap it to choose or "
                "to waive."
            ),
        ),
        (N_("Losses"), N_("A choice is suggested; change it if the owner chooses otherwise.")),
        (
            N_("Press or cease"),
            N_("Say how many retreat; the supply for the others is paid when you press the attack."),
        ),
    ),
    "aana_board": (
        (N_("Count"), N_("Enter everything in a space once; from then on the app keeps track.")),
        (
            N_("Move from here"),
            N_(
                "Choose what moves, then where. The app tracks how far each piece has moved; where "
                "borders are unknown, you count the spaces. A tank that blitzes names what it takes; "
                "trucks carry whatever else you choose and may stop to load more. Correct instead moves anything."
            ),
        ),
        (N_("Control marker"), N_("Income, convoy routes and the victory chart follow the markers.")),
    ),
    "aana_score": (
        (
            N_("Who would win"),
            N_(
                "The line at the top judges the victory chart as if the campaign ended now; it counts after "
                "the last round."
            ),
        ),
        (
            N_("The chart"),
            N_(
                "Tap near a place to change its control marker. The list has every line of the victory chart."
            ),
        ),
        (N_("Claim victory"), N_("In the list: no enemy combat unit is left in North Africa.")),
    ),
    "aana_units": (
        (
            N_("Figures"),
            N_("Every figure with its source. Enter from your own copy what the rules leave out."),
        ),
    ),
    "aana_reinforce": (
        (
            N_("Convoys"),
            N_("One tap lands the convoys, sends back those without a port, and moves the southern route."),
        ),
        (N_("Basket"), N_("Tap a unit to buy one. Units you cannot buy show the reason.")),
        (N_("Deploy"), N_("Tap a waiting line and choose where it goes.")),
    ),
    "not_judged": NOT_JUDGED,
}
"""Screen key to its lines."""
