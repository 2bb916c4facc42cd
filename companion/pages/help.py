"""Help texts of every screen, in our own words: pairs of what and why. Later screens add theirs to `HELP`."""

from __future__ import annotations

from companion.pages.i18n import N_, _

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
    "med": (
        N_("Engagement"),
        (
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
                N_(
                    "Enter the name in the target. The app says what falls, and asks when no card has that name."
                ),
            ),
            (
                N_("The trick"),
                N_(
                    "Roll what has a question mark, type it or read it from a photo. The app counts, says who"
                    " takes the trick and why."
                ),
            ),
        ),
    ),
    "med_piles": (
        N_("Piles"),
        (
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
    ),
    "aana_combat": (
        N_("Combat"),
        (
            (
                N_("Declaring"),
                N_("Choose the space, then how many of each unit attack; the supply is worked out."),
            ),
            (N_("Dice"), N_("Roll, carry out the rerolls that are named, then enter the final results.")),
            (
                N_("Aims"),
                N_(
                    "Where hits may be aimed, the line of the dice says at what; tap it to choose or to waive."
                ),
            ),
            (N_("Losses"), N_("A proposal stands there; change it where the owner chooses otherwise.")),
            (
                N_("Press or cease"),
                N_("Say how many retreat; the supply for the others is paid when you press."),
            ),
        ),
    ),
    "aana_board": (
        N_("Board"),
        (
            (N_("Count"), N_("Tell all that stands in a space once; from then on the app checks it.")),
            (
                N_("Move"),
                N_(
                    "Choose what goes, then where. The app keeps what each piece has moved; without known borders"
                    " you count the spaces. A tank that blitzes names what it takes; trucks take along what else"
                    " is chosen. Move freely moves anything."
                ),
            ),
            (N_("Marker"), N_("Income, convoy routes and the victory chart follow the markers.")),
        ),
    ),
    "aana_units": (
        N_("Units"),
        (
            (
                N_("Figures"),
                N_(
                    "Every figure with where it comes from. What the rules leave out you enter from your box."
                ),
            ),
        ),
    ),
    "aana_reinforce": (
        N_("Reinforce"),
        (
            (
                N_("Convoys"),
                N_(
                    "One tap brings convoys in, sends back those without a port, and moves the southern route."
                ),
            ),
            (N_("Basket"), N_("Tap a unit to buy one. A tap on one that cannot be bought says why.")),
            (N_("Deploy"), N_("Tap a waiting line and choose where it goes.")),
        ),
    ),
    "tsu_attack": (
        N_("Attack"),
        (
            (
                N_("Work it out"),
                N_(
                    "Enter the area, who attacks from where, who defends. The headline says at once what comes of it."
                ),
            ),
            (
                N_("Result"),
                N_(
                    "Every reason against the attack, every legal loss with what follows, and which unit more would win."
                ),
            ),
            (
                N_("Supply"),
                N_("Name what is used up. One supply may feed several attacks; a landing needs its own."),
            ),
            (N_("Fight"), N_("In the combat phase tap an attack, choose losses, retreats and who advances.")),
        ),
    ),
    "tsu_stars": (
        N_("Stars"),
        (
            (N_("Replace"), N_("Tap a unit of the box to bring it back. What cannot be had says why.")),
            (
                N_("Stars"),
                N_(
                    "Tap a star that changed hands. Ships or aircraft alone control it without its production."
                ),
            ),
            (
                N_("Boxes"),
                N_(
                    "Losses come by themselves; count by hand what was overrun, withdrawn or lost in movement."
                ),
            ),
        ),
    ),
    "tsu_calendar": (
        N_("Calendar"),
        (
            (
                N_("This turn"),
                N_("What arrives, leaves or changes now, with weather, Vichy, garrison and Italy."),
            ),
            (N_("Reports"), N_("Tell what only the map shows; what follows is carried out or named.")),
            (N_("Victory"), N_("Each condition as it stands, and how the game would end now.")),
        ),
    ),
    "tsu_units": (
        N_("Units"),
        (
            (
                N_("Figures"),
                N_(
                    "Every figure with where it comes from. What the rules leave out you enter from your box."
                ),
            ),
        ),
    ),
    "desert": (
        N_("Desert roll"),
        (
            (
                N_("Who enters"),
                N_(
                    "Name the space and count each land unit; a transport goes for itself and what is aboard."
                ),
            ),
            (
                N_("The dice"),
                N_(
                    "One yellow die a unit, at once. Each 10 or more sends 2 Infantry back where there are 2."
                ),
            ),
            (
                N_("Who halts"),
                N_(
                    "Without 2 Infantry a Tank, Artillery or Land Transport halts; you are asked where that is a choice."
                ),
            ),
        ),
    ),
    "control": (
        N_("Control"),
        (
            (
                N_("Objectives"),
                N_("Tap one to report that it was taken. Contested is not lost: the holder keeps it."),
            ),
            (N_("Which nation?"), N_("Enter once which nation holds it at the start, as your board shows.")),
            (N_("Value"), N_("Enter a tile's points once; totals then follow by themselves.")),
            (N_("Victory"), N_("How far each side is from each condition, and the points over the stages.")),
        ),
    ),
    "resupply": (
        N_("Resupply"),
        (
            (
                N_("Lanes"),
                N_("Count the sea spaces that one side alone holds; the winner names who suffers."),
            ),
            (N_("Board"), N_("Tick what is contested or blockaded, and note bombing hits.")),
            (
                N_("Baskets"),
                N_("One Air, one Sea and one Land resupply a nation. What cannot be bought says why."),
            ),
        ),
    ),
    "support": (
        N_("Support"),
        (
            (N_("Cards"), N_("Tokens and cards in hand are counted; play a card by its name and cost.")),
            (N_("Mines, lines"), N_("Six tokens a nation: where they stand and what is left.")),
            (N_("Supply"), N_("What is in supply, and what the loss of a hub would cut off.")),
        ),
    ),
    "sealed": (
        N_("Sealed"),
        (
            (
                N_("Seal"),
                N_("Write where the fleet is and close it with your side's PIN. Nobody else can read it."),
            ),
            (N_("Reveal"), N_("Opens it for all, with a proof that it was not changed.")),
            (N_("Stays hidden"), N_("Before your move ends, confirm that no rule forces a reveal.")),
        ),
    ),
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
    "order": (
        N_("Order of play"),
        (
            (N_("Who acts first"), N_("Read it from the flags on your board before the stage begins.")),
            (
                N_("Both at once"),
                N_(
                    "Where your table agrees, both sides act together in a phase; never under tournament time."
                ),
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
    "dice": (
        N_("Dice"),
        (
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
    ),
    "dice_sets": (
        N_("Dice sets"),
        (
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
    ),
    "battle": (
        N_("Battle"),
        (
            (N_("Declare"), N_("Name the space; then tap a tile for each unit that is there or supports.")),
            (
                N_("Roll"),
                N_(
                    "The list says who rolls which dice at which number. Type them, read them or let the box roll."
                ),
            ),
            (N_("Losses"), N_("A cheapest choice is proposed; change it with minus and plus.")),
            (N_("Odds"), N_("Exact chances before the roll; afterwards the real result is marked.")),
        ),
    ),
    "units": (
        N_("Units"),
        (
            (
                N_("Figures"),
                N_(
                    "Every figure with where it comes from. What the rules leave out you enter from your box."
                ),
            ),
        ),
    ),
    "hardware": (
        N_("Hardware"),
        (
            (N_("Live"), N_("Press a button on the panel: its tile lights up at once and counts.")),
            (N_("Test"), N_("A lamp blinks, digits light up, the buzzer sounds; then the game shows again.")),
            (
                N_("Devices"),
                N_(
                    "Pins, box and cameras, each with one line on how it is; a camera's test takes a picture."
                ),
            ),
            (
                N_("Touch test"),
                N_("Touch the four corners: one tap counts once, and a turned touch is set right."),
            ),
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
