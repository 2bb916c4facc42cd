"""Help of the screens, in our own words: pairs of what and why. A game's own screens have theirs in its words (`GameWords.help`)."""

from __future__ import annotations

from companion.core.text import N_
from companion.pages.modules import words_of
from companion.pages.words import Help, Line

__all__ = ["HELP", "NOT_JUDGED", "lines"]

_EVERYWHERE: tuple[Line, ...] = (
    (
        N_("Undo"),
        N_(
            "The button at the bottom left undoes the last action and says which one. It works "
            "across steps and stages."
        ),
    ),
    (
        N_("Keyboard"),
        N_(
            "Space: main button. Z: undo. P: pause. Tab: next screen. H: help. A presentation "
            "remote works too."
        ),
    ),
)

HELP: Help = {
    "home": (
        (N_("Resume"), N_("Opens the last game at the exact step and time where it stood.")),
        (N_("New game"), N_("Choose the game, the scenario and how you want to play it.")),
        (N_("Saved games"), N_("Open an older game, copy it to a USB stick, or move it to the bin.")),
    ),
    "new_game": (
        (
            N_("Scenario"),
            N_("Each line shows how many can play and how long it takes according to the game box."),
        ),
        (
            N_("Options"),
            N_("Time, seats and rules that your table may choose. What you leave alone stays as it is."),
        ),
        (N_("Arbiter's PIN"), N_("With a PIN only the arbiter corrects clocks and moves the position.")),
    ),
    "table": (
        (
            N_("Where we are"),
            N_("The line at the top and the bar of steps below it show stage, phase and movement step."),
        ),
        (
            N_("Checklist"),
            N_("Tap a line when it is done. It is only a reminder; it never stops you."),
        ),
        (
            N_("Big button"),
            N_(
                "Ends the current step and goes on to the next. The clock changes sides when the rules "
                "say so."
            ),
        ),
        (N_("Clocks"), N_("Tap a clock to see both full size.")),
    ),
    "clocks": (
        (
            N_("Your half"),
            N_("Press your own half when you are done. Only the side to act can end its turn."),
        ),
        (
            N_("Colour"),
            N_(
                "The half in full colour is running. A coloured frame: you are to act, but no clock is "
                "running."
            ),
        ),
        (N_("Carried over"), N_("Time you did not use in earlier stages is already on your clock.")),
        (N_("Arbiter"), N_("Sets a clock to the second, moves the position, shows the time sheet.")),
    ),
    "log": (
        (
            N_("Entries"),
            N_("Everything that was done, newest first, with its time and source."),
        ),
        (N_("Undo to here"), N_("Tap an entry to undo it and everything after it.")),
        (N_("Report"), N_("Writes the whole game as one page that any browser opens.")),
    ),
    "film": (
        (
            N_("Through the evening"),
            N_("Next action and Back, the arrow keys or a swipe. A tap on the strip jumps there."),
        ),
        (N_("Luck"), N_("Where a result lies among all that the same dice might have shown.")),
        (
            N_("What if"),
            N_("Continues from this action as a copy. The game itself stays as it is."),
        ),
    ),
    "players": (
        (
            N_("Players"),
            N_(
                "Games, results, luck and time per action of every named player, from the saved games of this box."
            ),
        ),
    ),
    "charts": (
        (N_("Points"), N_("Victory points by stage.")),
        (
            N_("Time"),
            N_(
                "How much time each side used, by phase or by stage. Time stays used even when an "
                "action is undone."
            ),
        ),
    ),
    "printed": (
        (
            N_("What they are"),
            N_(
                "Figures printed on the pieces of your copy but not in the rulebook. Enter them once; "
                "they are kept for later games."
            ),
        ),
        (
            N_("Pad"),
            N_(
                "One tap enters a figure and moves on. Tap ½ before the number; larger numbers are two digits."
            ),
        ),
        (N_("Checks"), N_("Where the rulebook states a total, the values are checked against it.")),
        (
            N_("Photo"),
            N_(
                "Keeps a photo of the player aid beside the pad. It stays on this box and is part of no game."
            ),
        ),
        (N_("Share"), N_("Carries the values to another box: as a file on a stick, or as a QR code.")),
    ),
    "settings": (
        (N_("Look"), N_("Night for dim rooms, day for bright ones, high contrast for tired eyes.")),
        (N_("Clock"), N_("Hidden clocks keep running. Swapping seats only swaps left and right.")),
    ),
    "dice": (
        (N_("Photo"), N_("Take one with the camera over the tray, or choose one from the photo folder.")),
        (
            N_("Correct"),
            N_(
                "Doubtful dice are marked. Tap a die and then its value; take out anything that is not a die."
            ),
        ),
        (
            N_("Accept"),
            N_("The roll keeps what the camera proposed; the report counts what was corrected."),
        ),
    ),
    "dice_sets": (
        (
            N_("Set"),
            N_("A set is learnt from photos of your own dice and helps to read dice of that kind."),
        ),
        (
            N_("Learn"),
            N_(
                "Show every value of each colour once, in one photo or several. The list says what is missing."
            ),
        ),
        (
            N_("Correct"),
            N_("Tap a die in the photo and say what it shows; this overrides the reading."),
        ),
    ),
    "hardware": (
        (N_("Live"), N_("Press a button on the panel: its tile lights up at once and counts the presses.")),
        (N_("Test"), N_("A lamp blinks, digits light up, the buzzer sounds; then the game is shown again.")),
        (
            N_("Devices"),
            N_("Pins, box and cameras, each with a line on its state; testing a camera takes a picture."),
        ),
        (
            N_("Touch test"),
            N_("Touch the four corners: one tap counts once, and a rotated touch panel is corrected."),
        ),
    ),
    "more": ((N_("All screens"), N_("Everything that this game offers, one tap away.")),),
}
"""Screen key to its lines, of the screens that every game has."""


NOT_JUDGED = "not_judged"
"""Key of a game's lines on what its table has to watch by itself."""
_TELLS_OF_LIMITS = ("table", "order")


def lines(key: str, game: str = "") -> tuple[Line, ...]:
    """Return the lines of a screen's help as source texts, those for every screen last."""
    own = words_of(game).help
    watched = own.get(NOT_JUDGED, ()) if key in _TELLS_OF_LIMITS else ()
    return (*(own.get(key) or HELP.get(key, ())), *watched, *_EVERYWHERE)
