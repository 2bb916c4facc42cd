"""Help for the screens of Song for War, in our own words: pairs of what and why."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.words import Help

__all__ = ["HELP", "NOT_JUDGED"]

NOT_JUDGED: tuple[tuple[str, str], ...] = (
    (
        N_("What the app does not judge: moves"),
        N_(
            "Distances, borders, terrain, stacking, loading and the limits of moves. It knows no map; the "
            "reminders at each step name the duties."
        ),
    ),
    (
        N_("What the app does not judge: spaces"),
        N_(
            "Who stands where, which spaces are contested, whether a battle has to be declared, and where a "
            "mobile hub may stand. It knows what you enter."
        ),
    ),
    (
        N_("What the app does not judge: cards and dials"),
        N_("The effects of cards besides their units, and a fleet on the printed dial: your word is taken."),
    ),
)
"""What a table has to watch by itself; the whole list stands in the sources of the data."""

HELP: Help = {
    "battle": (
        (N_("Declare"), N_("Name the space; then tap a tile for each unit that is there or supports.")),
        (
            N_("Roll"),
            N_(
                "The list shows who rolls which dice and what they need to hit. Type them in, read "
                "them or let the box roll."
            ),
        ),
        (N_("Losses"), N_("The cheapest choice is suggested; a tap on another unit changes it.")),
        (N_("Odds"), N_("Exact odds before the roll; afterwards the actual result is marked.")),
        (
            N_("Taken"),
            N_(
                "Attackers that can hold the space are left, and no defenders that can; others may remain. "
                "At sea any unit counts."
            ),
        ),
    ),
    "desert": (
        (
            N_("Who enters"),
            N_("Name the space and count each land unit; a transport counts for itself and its cargo."),
        ),
        (
            N_("The dice"),
            N_(
                "One yellow die per unit, all at once. Each 10 or more sends 2 Infantry back where "
                "there are 2."
            ),
        ),
        (
            N_("Who halts"),
            N_(
                "Without 2 Infantry, a Tank, Artillery or Land Transport halts; you are asked if there "
                "is a choice."
            ),
        ),
    ),
    "score": (
        (
            N_("Who would win"),
            N_(
                "The line at the top judges the game as if it ended now. The dashes on the bar are what wins."
            ),
        ),
        (
            N_("The chart"),
            N_("Tap near a place to report that it changed hands. The list has the same places for keys."),
        ),
        (
            N_("Open points"),
            N_("Tiles whose points are not entered yet are counted on the button, which leads to them."),
        ),
    ),
    "control": (
        (
            N_("Objectives"),
            N_("Tap one to report that it was taken. Contested does not mean lost: the holder keeps it."),
        ),
        (N_("Enter the nation"), N_("Enter once which nation holds it at the start, as your board shows.")),
        (N_("Value"), N_("Enter a tile's points once; the totals then update automatically.")),
    ),
    "resupply": (
        (
            N_("Lanes"),
            N_(
                "Count the sea spaces that one side alone holds; the winner chooses the objective that "
                "is affected."
            ),
        ),
        (N_("Board"), N_("Tick what is contested or blockaded, and note bombing hits.")),
        (
            N_("Baskets"),
            N_(
                "Each nation gets one Air, one Sea and one Land resupply. Units you cannot buy show "
                "the reason."
            ),
        ),
    ),
    "support": (
        (N_("Cards"), N_("Tokens and cards in hand are counted; play a card by its name and cost.")),
        (N_("Mines, lines"), N_("Six tokens per nation: where they are and what is left.")),
        (N_("Supply"), N_("What is in supply, and through which hub alone.")),
    ),
    "sealed": (
        (
            N_("Seal"),
            N_("Write where the fleet is and lock it with your side's PIN. Nobody else can read it."),
        ),
        (N_("Reveal"), N_("Opens it to everyone, with proof that it was not changed.")),
        (N_("Stays hidden"), N_("Before your move ends, confirm that no rule forces a reveal.")),
    ),
    "units": (
        (
            N_("Figures"),
            N_("Every figure with its source. Enter from your own copy what the rules leave out."),
        ),
    ),
    "order": (
        (N_("Who acts first"), N_("Read it from the flags on your board before the stage begins.")),
        (
            N_("Both at once"),
            N_("If your table agrees, both sides act together in a phase; never under tournament time."),
        ),
    ),
    "not_judged": NOT_JUDGED,
}
"""Screen key to its lines."""
