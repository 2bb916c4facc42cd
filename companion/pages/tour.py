"""The first-run tour: eight short stops that fit into two minutes, and can be skipped at any of them."""

from __future__ import annotations

from dataclasses import dataclass

from companion.pages.i18n import N_

__all__ = ["STOPS", "Stop"]


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop: an icon, a headline and two sentences, as English source texts."""

    icon: str
    title: str
    text: str


STOPS: tuple[Stop, ...] = (
    Stop(
        "home",
        N_("Welcome"),
        N_(
            "This box keeps the sequence of play, the clocks and the score of your game. The board "
            "stays on your table."
        ),
    ),
    Stop(
        "check",
        N_("One big button"),
        N_(
            "The button at the bottom right ends the current step. It is always in the same place "
            "and always says what it does."
        ),
    ),
    Stop(
        "undo",
        N_("Nothing gets lost"),
        N_(
            "Undo at the bottom left takes back the last action and names it. Everything is saved "
            "as you go, even if the plug is pulled."
        ),
    ),
    Stop(
        "table",
        N_("Table"),
        N_(
            "Where you are, what is active, what to do and what comes next. The bar of steps is the whole stage."
        ),
    ),
    Stop(
        "clocks",
        N_("Clocks"),
        N_(
            "Two halves for two sides. Press your own half when you are done; full colour shows "
            "whose clock is running."
        ),
    ),
    Stop(
        "arbiter",
        N_("The arbiter"),
        N_(
            "Pauses, corrects a clock to the second, and moves the position. With a PIN set, only "
            "the arbiter can."
        ),
    ),
    Stop(
        "help",
        N_("Help"),
        N_(
            "Help, here or under More, explains the screen you come from. You can restart this tour "
            "from there."
        ),
    ),
)
