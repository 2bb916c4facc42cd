"""Help of the screens, in our own words: pairs of what and why. A game's own screens have theirs in its words (`GameWords.help`)."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.modules import words_of
from companion.pages.words import Help, Line

__all__ = ["HELP", "lines"]

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

HELP: Help = {
    "home": (
        (N_("Resume"), N_("Opens the last game at the very step and time where it stood.")),
        (N_("New game"), N_("Choose the game, the scenario and how you want to play it.")),
        (N_("Saved games"), N_("Open an older game, copy it to a USB stick, or put it in the bin.")),
    ),
    "new_game": (
        (N_("Scenario"), N_("Each line says how many can play and how long the box says it takes.")),
        (
            N_("Options"),
            N_("Time, seats and rules that your table may choose. What you leave alone stays as it is."),
        ),
        (N_("Arbiter's PIN"), N_("With a PIN only the arbiter corrects clocks and moves the position.")),
    ),
    "table": (
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
    "clocks": (
        (
            N_("Your half"),
            N_("Press your own half when your act is over. Only the side that acts can end its act."),
        ),
        (
            N_("Colour"),
            N_("The half in full colour is running. A frame in colour: it is your act, but no clock runs."),
        ),
        (N_("Carried over"), N_("Time you did not use in earlier stages is already in your clock.")),
        (N_("Arbiter"), N_("Corrects a clock to the second, moves the position, shows the time sheet.")),
    ),
    "log": (
        (
            N_("Entries"),
            N_("Everything that was done, newest first, with its time and where it came from."),
        ),
        (N_("Undo to here"), N_("Tap an act to take back everything down to it, itself included.")),
        (N_("Report"), N_("Writes the whole game as one page that any browser opens.")),
    ),
    "charts": (
        (N_("Points"), N_("Victory points over the stages.")),
        (
            N_("Time"),
            N_("How long each side used, by phase or by stage. Time is kept even when an act is undone."),
        ),
    ),
    "printed": (
        (
            N_("What they are"),
            N_(
                "Figures that the rulebook text leaves to the pieces in your box. Enter them once; they are kept for later games."
            ),
        ),
        (N_("Checks"), N_("Where the rulebook states a sum, the values are compared with it.")),
    ),
    "settings": (
        (N_("Look"), N_("Night for dim rooms, day for bright ones, high contrast for tired eyes.")),
        (N_("Clock"), N_("Hidden digits still run. Swapped seats exchange left and right only.")),
    ),
    "dice": (
        (N_("Photo"), N_("Take one with the camera over the tray, or choose one from the photo folder.")),
        (
            N_("Correct"),
            N_("Doubtful dice are marked. Tap a die and then its value; take out what is no die."),
        ),
        (
            N_("Accept"),
            N_("The roll keeps what the camera proposed; the report counts what was corrected."),
        ),
    ),
    "dice_sets": (
        (
            N_("Set"),
            N_("A set is learnt from photos of your own dice and helps to read dice of its kind."),
        ),
        (
            N_("Learn"),
            N_(
                "Show every value of each colour once, in one photo or several. The list says what is missing."
            ),
        ),
        (
            N_("Correct"),
            N_("Tap a die in the photo and say what it shows; this outweighs the reading."),
        ),
    ),
    "hardware": (
        (N_("Live"), N_("Press a button on the panel: its tile lights up at once and counts.")),
        (N_("Test"), N_("A lamp blinks, digits light up, the buzzer sounds; then the game shows again.")),
        (
            N_("Devices"),
            N_("Pins, box and cameras, each with one line on how it is; a camera's test takes a picture."),
        ),
        (
            N_("Touch test"),
            N_("Touch the four corners: one tap counts once, and a turned touch is set right."),
        ),
    ),
    "more": ((N_("All screens"), N_("Everything that this game offers, one tap away.")),),
}
"""Screen key to its lines, of the screens that every game has."""


def lines(key: str, game: str = "") -> tuple[Line, ...]:
    """Return the lines of a screen's help as source texts, those for every screen last."""
    return (*(words_of(game).help.get(key) or HELP.get(key, ())), *_EVERYWHERE)
