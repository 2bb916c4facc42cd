"""Help texts of every screen, in our own words: pairs of what and why. Later screens add theirs to `HELP`."""

from __future__ import annotations

from companion.presenters.i18n import N_, _

__all__ = ["HELP", "lines", "title"]

Line = tuple[str, str]

_EVERYWHERE: tuple[Line, ...] = (
    (
        N_("Undo"),
        N_(
            "The button at the bottom left takes back the newest act and says which one. It works over steps and stages."
        ),
    ),
    (
        N_("Keys"),
        N_("Space: main act. Z: undo. P: pause. Tab: next screen. H: help. A presenter's keys work too."),
    ),
)

HELP: dict[str, tuple[str, tuple[Line, ...]]] = {
    "home": (
        N_("Home"),
        (
            (N_("Resume"), N_("Opens the last game at the very step and time where it stood.")),
            (N_("New game"), N_("Choose the game, the scenario and how you want to play it.")),
            (N_("Saved games"), N_("Open an older game, copy it to a USB stick, or put it in the bin.")),
        ),
    ),
    "new_game": (
        N_("New game"),
        (
            (N_("Scenario"), N_("Each line says how many can play and how long the box says it takes.")),
            (
                N_("Options"),
                N_("Time, seats and rules that your table may choose. What you leave alone stays as it is."),
            ),
            (N_("Arbiter's PIN"), N_("With a PIN only the arbiter corrects clocks and moves the position.")),
        ),
    ),
    "table": (
        N_("Table"),
        (
            (
                N_("Where we are"),
                N_("The line at the top and the strip of cells show stage, phase and movement step."),
            ),
            (
                N_("Checklist"),
                N_("Tap a line when it is done. It only helps you to remember; it never stops you."),
            ),
            (
                N_("Big button"),
                N_(
                    "Ends the current act and goes on to the next. The clock changes sides when the rules say so."
                ),
            ),
            (N_("Clocks"), N_("Tap a clock to see both of them large.")),
        ),
    ),
    "clocks": (
        N_("Clocks"),
        (
            (
                N_("Your half"),
                N_("Press your own half when your act is over. Only the side that acts can end its act."),
            ),
            (
                N_("Colour"),
                N_(
                    "The half in full colour is running. A frame in colour: it is your act, but no clock runs."
                ),
            ),
            (N_("Carried over"), N_("Time you did not use in earlier stages is already in your clock.")),
            (N_("Arbiter"), N_("Corrects a clock to the second, moves the position, shows the time sheet.")),
        ),
    ),
    "log": (
        N_("Log"),
        (
            (
                N_("Entries"),
                N_("Everything that was done, newest first, with its time and where it came from."),
            ),
            (N_("Undo to here"), N_("Tap an act to take back everything down to it, itself included.")),
            (N_("Report"), N_("Writes the whole game as one page that any browser opens.")),
        ),
    ),
    "charts": (
        N_("Charts"),
        (
            (N_("Points"), N_("Victory points over the stages.")),
            (
                N_("Time"),
                N_("How long each side used, by phase or by stage. Time is kept even when an act is undone."),
            ),
        ),
    ),
    "printed": (
        N_("Printed values"),
        (
            (
                N_("What they are"),
                N_(
                    "Figures that the rulebook text leaves to the pieces in your box. Enter them once; they are kept for later games."
                ),
            ),
            (N_("Checks"), N_("Where the rulebook states a sum, the values are compared with it.")),
        ),
    ),
    "settings": (
        N_("Settings"),
        (
            (N_("Look"), N_("Night for dim rooms, day for bright ones, high contrast for tired eyes.")),
            (N_("Clock"), N_("Hidden digits still run. Swapped seats exchange left and right only.")),
        ),
    ),
    "more": (
        N_("More"),
        ((N_("All screens"), N_("Everything that this game offers, one tap away.")),),
    ),
}
"""Screen key to its title and lines, as English source texts."""


def title(key: str) -> str:
    """Return the title of a screen's help."""
    return _(HELP[key][0]) if key in HELP else _("Help")


def lines(key: str) -> tuple[Line, ...]:
    """Return the lines of a screen's help as source texts, those for every screen last."""
    own = HELP[key][1] if key in HELP else ()
    return (*own, *_EVERYWHERE)
