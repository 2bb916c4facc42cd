"""What the key says that takes an entry of the naval card game back: in two or three words, since it has one line."""

from __future__ import annotations

from companion.core.text import N_

__all__ = ["UNDONE"]

UNDONE: dict[str, str] = {
    "CountPoints": N_("the points"),
    "DiscardHand": N_("the discard"),
    "DropInvalid": N_("the invalid card"),
    "LayStorm": N_("the Storm card"),
    "NoteOperation": N_("the Operation"),
    "PlayHand": N_("the cards"),
    "RollDice": N_("the dice"),
    "TakeTrick": N_("the result"),
    "TurnOver": N_("the Operation"),
    "UseEffect": N_("the effect"),
}
"""Command to what it did, by the name of its class."""
