"""The words of the core itself, which every game shares: its refusals, and acts and phases that many games have.

A game's own word goes before one of these.
"""

from __future__ import annotations

from companion.core.rules import Code
from companion.core.text import N_
from companion.pages.words import GameWords

__all__ = ["SHARED"]

_REFUSALS: dict[str, str] = {
    Code.NOT_STARTED: N_("Start a game first."),
    Code.ALREADY_STARTED: N_("This game has already begun."),
    Code.STALE_STEP: N_("That step has already ended. Nothing changed."),
    Code.UNKNOWN_STEP: N_("This game has no such step."),
    Code.UNKNOWN_CHECK: N_("This step has no such line."),
    Code.UNKNOWN_RULING: N_("This game has no such ruling."),
    Code.UNKNOWN_SIDE: N_("This game has no such side."),
    Code.NOT_YOUR_ACT: N_("It is the other side's act."),
    Code.ARBITER_ONLY: N_("Only the arbiter may do this under tournament time."),
    Code.PAUSED: N_("The clocks are paused. Resume first."),
    Code.NOT_PAUSED: N_("The clocks are not paused."),
    Code.GAME_OVER: N_("The game has ended. Undo to go on."),
    Code.FLAG_PENDING: N_("A flag has fallen. Carry out what it costs first."),
    Code.FLAG_DUE: N_("The time is up. The flag falls first."),
    Code.NO_FLAG: N_("No fallen flag waits."),
    Code.NO_GAP: N_("No gap waits for a decision."),
    Code.NO_CLOCK: N_("This game has no time limit."),
    Code.END_OF_PLAY: N_("The sequence of play is over."),
    Code.NOTHING_TO_UNDO: N_("There is nothing to take back."),
    Code.NOTHING_TO_REDO: N_("There is nothing to do again."),
    Code.CONFIRM_UNDO: N_("A roll or a reveal would be taken back."),
    Code.STILL_OPEN: N_("Something of this step is still to do."),
    Code.BAD_VALUE: N_("That value is not allowed here."),
    Code.UNKNOWN_COMMAND: N_("This game does not know that."),
}

SHARED = GameWords(
    names={
        "phase": {
            "tactical": N_("Tactical"),
            "victory": N_("Victory"),
            "support": N_("National Support"),
            "national_support": N_("National Support"),
            "resupply": N_("Resupply"),
            "setup": N_("Set-up"),
            "begin": N_("Start"),
            "operation": N_("Operation"),
            "end": N_("End"),
        },
        "strip": {"support": N_("Nat. Support"), "national_support": N_("Nat. Support")},
        "act": {
            "setup": N_("Set up the game"),
            "begin": N_("Begin the stage"),
            "confirm": N_("Confirm control"),
            "draw": N_("Take tokens and cards"),
            "play": N_("Play cards"),
            "choose": N_("Choose resupply"),
            "turn_over": N_("Turn cards over"),
            "move": N_("Move units"),
            "declare": N_("Declare battles"),
            "resolve": N_("Resolve battles"),
            "return": N_("Return air units"),
            "victory": N_("Count victory points"),
            "count": N_("Count victory points"),
            "check": N_("Check victory"),
            "support": N_("Play cards"),
            "lanes": N_("Check shipping lanes"),
            "place": N_("Buy and place units"),
            "end": N_("End the stage"),
        },
        "done": {
            "setup": N_("Everything is set up"),
            "begin": N_("Begin"),
            "confirm": N_("Control confirmed"),
            "draw": N_("Taken and drawn"),
            "play": N_("Cards played"),
            "choose": N_("Resupply chosen"),
            "turn_over": N_("Cards turned over"),
            "move": N_("Moves done"),
            "declare": N_("Battles declared"),
            "resolve": N_("Battles resolved"),
            "return": N_("Air units are back"),
            "victory": N_("Points counted"),
            "count": N_("Points counted"),
            "check": N_("Victory checked"),
            "support": N_("Cards played"),
            "lanes": N_("Lanes checked"),
            "place": N_("Units placed"),
            "end": N_("Stage done"),
        },
        "unit": {
            "fighter": N_("Fighter"),
            "light_bomber": N_("Light Bomber"),
            "heavy_bomber": N_("Heavy Bomber"),
            "air_transport": N_("Air Transport"),
            "submarine": N_("Submarine"),
            "destroyer": N_("Destroyer"),
            "cruiser": N_("Cruiser"),
            "battleship": N_("Battleship"),
            "aircraft_carrier": N_("Aircraft Carrier"),
            "carrier": N_("Aircraft Carrier"),
            "sea_transport": N_("Sea Transport"),
            "hidden_fleet": N_("Hidden Fleet"),
            "infantry": N_("Infantry"),
            "tank": N_("Tank"),
            "artillery": N_("Artillery"),
            "anti_air": N_("Anti-Air"),
            "land_transport": N_("Land Transport"),
            "mine_layer": N_("Mine layer"),
            "engineer": N_("Engineer"),
            "land": N_("Land Units"),
            "sea": N_("Sea Units"),
            "air": N_("Air Units"),
        },
        "refusal": _REFUSALS,
    },
)
"""Words of the core; `unit` holds kinds that several games have."""
