"""Help for the screens of the naval card game, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP", "NOT_JUDGED"]

NOT_JUDGED: tuple[tuple[str, str], ...] = (
    (
        N_("What the app does not judge: hands"),
        N_(
            "What is in a hand, whether a discarded card came from it, the cards that Fog exchanges, and what players say "
            "to each other."
        ),
    ),
    (
        N_("What the app does not judge: totals"),
        N_("In a game kept by totals: any card at all, and whose turn it is."),
    ),
)
"""What a table has to watch by itself; it stands in the sources of the data too."""

HELP: Help = {
    "med": (
        (
            N_("Card numbers"),
            N_(
                "Type the letter and two digits. Enter a new card once as printed; it is remembered. "
                "Tap a card you typed to take it back or correct it."
            ),
        ),
        (
            N_("Face down"),
            N_(
                "Lay cards face down without entering them. You enter their numbers at the reveal; "
                "invalid ones drop out automatically."
            ),
        ),
        (
            N_("Storm cards"),
            N_(
                "Type one with your play, or tap Storm card: anyone may lay one. Then tap its line to "
                "choose the die, the player or the card."
            ),
        ),
        (
            N_("Destiny"),
            N_("Enter the name in the target. The app says what falls, and asks if no card has that name."),
        ),
        (
            N_("Totals only"),
            N_(
                "Chosen before the game: tap who takes each Operation and enter the points at the end. "
                "No card is entered, so none is checked, and no clock runs."
            ),
        ),
        (
            N_("The trick"),
            N_(
                "Roll anything with a question mark, type it in or read it from a photo. The app adds "
                "up and says who takes the trick, and why."
            ),
        ),
    ),
    "not_judged": NOT_JUDGED,
    "med_score": (
        (
            N_("Who is ahead"),
            N_("The bar shows what lies face up, and everything once the piles are counted."),
        ),
    ),
    "med_piles": (
        (
            N_("Face up and face down"),
            N_(
                "Operations lie face up; the cards under them count at the end of the game. Charts "
                "show what lies face up."
            ),
        ),
        (
            N_("Your pile"),
            N_("Tap your name, hold the box so that only you can see it, then show your pile."),
        ),
    ),
}
"""Screen key to its lines."""
