"""The words of the naval card game: what its ids are called, in one table."""

from __future__ import annotations

from companion.core.text import N_, Noun
from companion.games.med.help import HELP
from companion.pages.words import GameWords

__all__ = ["WORDS"]

WORDS = GameWords(
    help=HELP,
    stage=N_("Operation"),
    stages=Noun("{n} operation", "{n} operations"),
    names={
        "phase": {"engagement": N_("Engagement"), "count": N_("Count")},
        "act": {
            "operation": N_("Turn over an Operation"),
            "play_hidden": N_("Lay cards face down"),
            "play_again": N_("Intelligence: play again"),
            "draw_cards": N_("Draw cards"),
            "reveal": N_("Turn the cards over"),
            "trick": N_("Roll and take the trick"),
            "refill": N_("Fill the hands"),
        },
        "done": {
            "operation": N_("Operation lies open"),
            "play_hidden": N_("Laid face down"),
            "play_again": N_("Played"),
            "draw_cards": N_("Drawn"),
            "reveal": N_("All cards are open"),
            "trick": N_("Trick taken"),
            "refill": N_("Hands are full"),
        },
        "place_count": {
            "g": N_("Game {n}"),
            "e": N_("Engagement {n}"),
            "r": N_("Round {n}"),
            "p": N_("Player {n}"),
            "again": N_("Replay {n}"),
        },
        "place": {"turn": N_("Operation")},
        "refusal": {
            "already_open": N_("An Operation lies open already."),
            "unknown_card": N_("This card has not been entered yet."),
            "not_an_operation": N_("This is no Operation card."),
            "seen_before": N_("This Operation came up already in this game."),
            "already_played": N_("He has played in this round; undo to change it."),
            "must_play": N_(
                "In a battle every player plays; with nothing valid he discards all and sits out."
            ),
            "not_in_play": N_("This card does not lie on the table."),
            "already_used": N_("This card has done its work already."),
            "bad_dice": N_("Enter exactly the dice that are rolled."),
            "no_dice": N_("Nothing is rolled for this."),
            "dice_missing": N_("Dice are still to be rolled."),
            "already_decided": N_("This engagement is decided."),
            "storm_waits": N_("A Storm card has not done its work yet."),
            "bad_sharing": N_("Share every prize, and nobody gets another before all have as many."),
        },
    },
)
