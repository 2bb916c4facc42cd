"""Help for the screens of the naval card game, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP"]

HELP: Help = {
    "med": (
        (
            N_("Card numbers"),
            N_(
                "Type the letter and two digits. A new card is entered once from its print and remembered;"
                " tap a card that was typed to take it back or to correct it."
            ),
        ),
        (
            N_("Face down"),
            N_(
                "Lay hidden cards without entering them; their numbers are asked for at the reveal, where"
                " invalid ones drop out by themselves."
            ),
        ),
        (
            N_("Storm cards"),
            N_(
                "Type one with your play, or tap Storm card: anybody may lay one. Then tap its line: the"
                " die, the player or the card is asked for."
            ),
        ),
        (
            N_("Destiny"),
            N_("Enter the name in the target. The app says what falls, and asks when no card has that name."),
        ),
        (
            N_("The trick"),
            N_(
                "Roll what has a question mark, type it or read it from a photo. The app counts, says who"
                " takes the trick and why."
            ),
        ),
    ),
    "med_piles": (
        (
            N_("Open and hidden"),
            N_(
                "Operations lie open; the cards under them count at the end of the game. Charts draws what"
                " lies open."
            ),
        ),
        (
            N_("Your pile"),
            N_("Tap your name, take the box so that only you see it, then show your pile."),
        ),
    ),
}
"""Screen key to its lines."""
