"""The table's words for ids: phases, acts, steps, sides, entries of the log, refusals.

Games add their words to `PHASES`, `ACTS`, `DONE`, `UNITS` and `REFUSALS`, and labels for their own commands
with `label_command`. An id without a word is shown readable (``air_transport`` as "Air transport"), never hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core import commands as cm
from companion.core.flow import Step
from companion.core.history import Entry
from companion.core.rules import Code, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.presenters.i18n import N_, _, ngettext
from companion.presenters.numbers import plain
from companion.presenters.times import short, signed

__all__ = [
    "has_clocks",
    "nation_name",
    "ACTS",
    "DONE",
    "PHASES",
    "PLAYERS",
    "REFUSALS",
    "STAGE_NAMERS",
    "STAGE_WORDS",
    "STRIP_ACTORS",
    "STRIP_WORDS",
    "UNITS",
    "act_name",
    "check_text",
    "done_name",
    "entry_label",
    "humanise",
    "label_command",
    "label_entry",
    "phase_name",
    "refusal",
    "side_name",
    "stage_count",
    "stage_name",
    "step_label",
    "step_path",
    "strip_actor",
    "strip_name",
    "unit_name",
]

STAGE_WORDS: dict[str, str] = {
    "sfw96": N_("Stage"),
    "sfw1": N_("Stage"),
    "aana": N_("Round"),
    "tsu": N_("Turn"),
    "med": N_("Operation"),
}
"""Game to its word for the number printed on the track."""

STAGE_NAMERS: dict[str, Callable[[Setup, int], str]] = {}
"""Game to a function that names a stage otherwise, such as by season and year."""

STRIP_WORDS: dict[str, str] = {"support": N_("Nat. Support"), "national_support": N_("Nat. Support")}
"""Phase to a word short enough for a narrow cell of the strip, where its own is too long."""

STRIP_ACTORS: dict[str, str] = {}
"""Nation to a word short enough for the cell of its turn in the strip, where its own is too long."""

PHASES: dict[str, str] = {
    "tactical": N_("Tactical"),
    "victory": N_("Victory"),
    "support": N_("National Support"),
    "national_support": N_("National Support"),
    "resupply": N_("Resupply"),
    "setup": N_("Set-up"),
    "begin": N_("Start"),
    "operation": N_("Operation"),
    "end": N_("End"),
}

ACTS: dict[str, str] = {
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
}
"""What is done in a step, as its headline."""

DONE: dict[str, str] = {
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
}
"""What the main button says that ends the act."""

UNITS: dict[str, str] = {
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
}

PRINTED: dict[str, Callable[[str, GameState], str]] = {}
"""Game key to what names one of its printed values in the log."""
PLAYERS = (
    *(N_("Player 1"), N_("Player 2"), N_("Player 3"), N_("Player 4")),
    *(N_("Player 5"), N_("Player 6"), N_("Player 7"), N_("Player 8")),
)
"""Players' names where none were given, as a game stores them."""
REFUSALS: dict[str, str] = {
    Code.NOT_STARTED: N_("Start a game first."),
    Code.ALREADY_STARTED: N_("This game has begun already."),
    Code.STALE_STEP: N_("That step was over already; nothing was changed."),
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
    Code.UNDONE: N_("Something of this step is still to do."),
    Code.BAD_VALUE: N_("This value cannot be taken."),
    Code.UNKNOWN_COMMAND: N_("This game does not know that."),
}
"""Refusal code to what the table reads; games add their own codes."""

_COMMANDS: dict[type, Callable[[Any, GameState], str]] = {}
_ENTRIES: dict[type, Callable[[Entry, GameState], str]] = {}


def label_command(
    command: type[cm.Command],
) -> Callable[[Callable[[Any, GameState], str]], Callable[[Any, GameState], str]]:
    """Register the label of a game's command: a function of the command and the current state."""

    def register(function: Callable[[Any, GameState], str]) -> Callable[[Any, GameState], str]:
        _COMMANDS[command] = function
        return function

    return register


def label_entry(
    command: type[cm.Command],
) -> Callable[[Callable[[Entry, GameState], str]], Callable[[Entry, GameState], str]]:
    """Register the label of a game's command that its events tell more about: a function of entry and state."""

    def register(function: Callable[[Entry, GameState], str]) -> Callable[[Entry, GameState], str]:
        _ENTRIES[command] = function
        return function

    return register


def _key_text(key: str) -> str:
    """Return a printed value's key without its dots."""
    return ", ".join(humanise(part) for part in key.split("."))


def humanise(name: str) -> str:
    """Return an id as a readable text."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def _word(table: dict[str, str], key: str) -> str:
    return _(table[key]) if key in table else _(humanise(key))


def phase_name(phase: str) -> str:
    """Return the phase's name."""
    return _word(PHASES, phase)


def strip_name(phase: str) -> str:
    """Return the phase's name as a cell of the strip shows it."""
    return _(STRIP_WORDS[phase]) if phase in STRIP_WORDS else phase_name(phase)


def nation_name(setup: Setup, nation: str) -> str:
    """Return a nation's name."""
    return next((_(info.name) for info in setup.nations if info.id == nation), humanise(nation))


def strip_actor(setup: Setup, step: Step) -> str:
    """Return whose turn a step belongs to as a cell of the strip shows it; empty where no one nation or side acts."""
    if step.nation is not None:
        if step.nation in STRIP_ACTORS:
            return _(STRIP_ACTORS[step.nation])
        return nation_name(setup, step.nation)
    return side_name(setup, step.owners[0]) if len(step.owners) == 1 else ""


def act_name(act: str) -> str:
    """Return what is done in a step, as a headline."""
    return _word(ACTS, act)


def done_name(act: str) -> str:
    """Return what the button says that ends the act."""
    return _(DONE[act]) if act in DONE else _("Done")


def unit_name(unit: str) -> str:
    """Return a unit's name."""
    return _word(UNITS, unit)


def side_name(setup: Setup, side: str) -> str:
    """Return a side's name, or a readable id for an actor that is no side."""
    names = {info.id: info.name for info in setup.sides}
    special = {"arbiter": _("Arbiter"), "table": _("Table"), "system": _("Program")}
    return _(names[side]) if side in names else special.get(side, humanise(side))  # type: ignore[index]


def stage_name(setup: Setup, stage: int) -> str:
    """Return ``Stage 3``, in the game's own word; ``Set-up`` before the first."""
    if stage == 0:
        return _("Set-up")
    if setup.game in STAGE_NAMERS:
        return STAGE_NAMERS[setup.game](setup, stage)
    return f"{_(STAGE_WORDS.get(setup.game, 'Stage'))} {stage}"


def stage_count(game: str, count: int) -> str:
    """Return how many stages there are, in the game's own word."""
    match STAGE_WORDS.get(game, "Stage"):
        case "Round":
            text = ngettext("{n} round", "{n} rounds", count)
        case "Turn":
            text = ngettext("{n} turn", "{n} turns", count)
        case "Operation":
            text = ngettext("{n} operation", "{n} operations", count)
        case _:
            text = ngettext("{n} stage", "{n} stages", count)
    return text.format(n=count)


def step_path(setup: Setup, step: Step) -> tuple[str, ...]:
    """Return where a step lies, from the stage inward, as a breadcrumb."""
    parts = [stage_name(setup, step.stage)]
    if phase_name(step.phase) != parts[0]:
        parts.append(phase_name(step.phase))
    if step.movement_step is not None:
        parts.append(_("Step {n}").format(n=step.movement_step))
    if step.nation is not None:
        names = {nation.id: nation.name for nation in setup.nations}
        parts.append(_(names.get(step.nation, humanise(step.nation))))  # type: ignore[call-overload]
    elif len(step.owners) == 1:
        parts.append(side_name(setup, step.owners[0]))
    return tuple(parts)


def step_label(setup: Setup, step: Step) -> str:
    """Return a step on one line, without its stage: ``Step 4, Allies: Move units``."""
    path = step_path(setup, step)
    inner = path[1:] if step.movement_step is None else path[2:]
    if inner and inner[0] == phase_name("begin"):
        inner = inner[1:]
    return f"{', '.join(inner)}: {act_name(step.act)}" if inner else act_name(step.act)


def check_text(state: GameState, check: str) -> str:
    """Return a checklist line."""
    item = state.frozen_setup.checks.get(check)
    return _(item.text) if item is not None else humanise(check.rsplit(".", 1)[-1])


def refusal(rejected: Rejected) -> str:
    """Return a refusal as one line for the table: the code's words, or the line with the figures that matter."""
    from companion.presenters.details import sentence

    known = REFUSALS.get(rejected.code)
    if rejected.detail and (known is None or rejected.code in (Code.BAD_VALUE, Code.UNDONE)):
        return sentence(rejected.detail)
    return humanise(rejected.code) if known is None else _(known)


def has_clocks(state: GameState) -> bool:
    """Say whether a game has clocks at all."""
    return state.clocks.config.mode != "none"


def _step_text(state: GameState, step_id: str) -> str:
    itinerary = state.itinerary
    if step_id not in itinerary:
        return step_id
    return step_label(state.frozen_setup, itinerary.steps[itinerary.index(step_id)])  # type: ignore[arg-type]


def entry_label(entry: Entry, state: GameState) -> str:
    """Return what an entry of the log did, so that it can stand behind "Undo"."""
    command = entry.command
    of_entry = _ENTRIES.get(type(command))
    if of_entry is not None:
        return of_entry(entry, state)
    own = _COMMANDS.get(type(command))
    if own is not None:
        return own(command, state)
    match command:
        case cm.StartGame():
            return _("Game started: {title}").format(title=_(command.setup.title))
        case cm.EndAct():
            return _step_text(state, command.step)
        case cm.JumpTo():
            return _("Jump to {step}").format(step=_step_text(state, command.to))
        case cm.TickCheck():
            text = check_text(state, command.check)
            return (_("Tick: {text}") if command.done else _("Untick: {text}")).format(text=text)
        case cm.Pause():
            return _("Clocks paused") if has_clocks(state) else _("Paused")
        case cm.Resume():
            return _("Clocks resumed") if has_clocks(state) else _("Resumed")
        case cm.Adjourn():
            return _("Adjourned")
        case cm.SettleClock():
            return _("Flag fell")
        case cm.AcknowledgeFlag():
            side = side_name(state.frozen_setup, command.side)
            return _("{side}: fallen flag carried out").format(side=side)
        case cm.CorrectTime():
            side = side_name(state.frozen_setup, command.side)
            return _("{side}: time {amount}").format(side=side, amount=signed(command.delta_ms))
        case cm.ResumeGame():
            return _("Game opened again")
        case cm.StopForSleep():
            return _("The box slept; clocks stopped") if has_clocks(state) else _("The box slept")
        case cm.DecideGap():
            if not has_clocks(state):
                return _("Went on after the break")
            if command.charged_to is None:
                return _("Gap charged to nobody")
            side = side_name(state.frozen_setup, command.charged_to)
            return _("Gap of {amount} charged to {side}").format(amount=short(command.charged_ms), side=side)
        case cm.SetRuling():
            return _("Ruling: {name}").format(name=humanise(command.ruling))
        case cm.EnterPrintedValue():
            own_label = PRINTED.get(state.setup.game) if state.setup is not None else None
            name = own_label(command.key, state) if own_label is not None else _key_text(command.key)
            if command.value is None:
                return _("Printed value taken back: {name}").format(name=name)
            if isinstance(command.value, int | float) and not isinstance(command.value, bool):
                name = f"{name} {plain(command.value)}"
            return _("Printed value: {name}").format(name=name)
        case cm.AddNote():
            return _("Note: {text}").format(text=command.text)
        case cm.EndGame():
            return _("Game ended")
        case cm.Undo():
            return _("Undo")
        case cm.Redo():
            return _("Redo")
        case _:
            return humanise(type(command).__name__)
