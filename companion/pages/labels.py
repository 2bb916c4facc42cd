"""The table's words for ids: phases, acts, steps, sides, entries of the log, refusals.

A game's own words go first (`GameWords`); it labels its own commands with `label_command`.
An id without a word is shown readable (``air_transport`` as "Air transport"), never hidden.
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
from companion.core.text import Name, Say
from companion.pages.i18n import N_, _, ngettext
from companion.pages.modules import words_of
from companion.pages.numbers import plain
from companion.pages.shared_words import SHARED
from companion.pages.speak import humanise, sentence, speak
from companion.pages.times import short, signed

__all__ = [
    "has_clocks",
    "nation_name",
    "PLAYERS",
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

PRINTED: dict[str, Callable[[str, GameState], str]] = {}
"""Game key to what names one of its printed values in the log."""
PLAYERS = (
    *(N_("Player 1"), N_("Player 2"), N_("Player 3"), N_("Player 4")),
    *(N_("Player 5"), N_("Player 6"), N_("Player 7"), N_("Player 8")),
)
"""Players' names where none were given, as a game stores them."""
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


def phase_name(phase: str, game: str = "") -> str:
    """Return the phase's name."""
    return speak(Name("phase", phase), game=game)


def strip_name(phase: str, game: str = "") -> str:
    """Return the phase's name as a cell of the strip shows it."""
    word = words_of(game).word("strip", phase) or SHARED.word("strip", phase)
    return speak(Name("strip", phase), game=game) if word is not None else phase_name(phase, game)


def nation_name(setup: Setup, nation: str) -> str:
    """Return a nation's name."""
    return next((_(info.name) for info in setup.nations if info.id == nation), humanise(nation))


def strip_actor(setup: Setup, step: Step) -> str:
    """Return whose turn a step belongs to as a cell of the strip shows it; empty where no one nation or side acts."""
    if step.nation is not None:
        if words_of(setup.game).word("strip_nation", step.nation) is not None:
            return speak(Name("strip_nation", step.nation), game=setup.game)
        return nation_name(setup, step.nation)
    return side_name(setup, step.owners[0]) if len(step.owners) == 1 else ""


def act_name(act: str, game: str = "") -> str:
    """Return what is done in a step, as a headline."""
    return speak(Name("act", act), game=game)


def done_name(act: str, game: str = "") -> str:
    """Return what the button says that ends the act."""
    known = words_of(game).word("done", act) or SHARED.word("done", act)
    return speak(Name("done", act), game=game) if known is not None else _("Done")


def unit_name(unit: str, game: str = "") -> str:
    """Return a unit's name."""
    return speak(Name("unit", unit), game=game)


def side_name(setup: Setup, side: str) -> str:
    """Return a side's name, or a readable id for an actor that is no side."""
    names = {info.id: info.name for info in setup.sides}
    special = {"arbiter": _("Arbiter"), "table": _("Table"), "system": _("Program")}
    return _(names[side]) if side in names else special.get(side, humanise(side))  # type: ignore[index]


def stage_name(setup: Setup, stage: int) -> str:
    """Return ``Stage 3``, in the game's own word; ``Set-up`` before the first."""
    if stage == 0:
        return _("Set-up")
    words = words_of(setup.game)
    if words.stage_name is not None:
        return speak(words.stage_name(setup, stage), game=setup.game)
    return f"{_(words.stage)} {stage}"


def stage_count(game: str, count: int) -> str:
    """Return how many stages there are, in the game's own word."""
    stages = words_of(game).stages
    return ngettext(stages.one, stages.many, count).format(n=count)


def step_path(setup: Setup, step: Step) -> tuple[str, ...]:
    """Return where a step lies, from the stage inward, as a breadcrumb."""
    parts = [stage_name(setup, step.stage)]
    if phase_name(step.phase, setup.game) != parts[0]:
        parts.append(phase_name(step.phase, setup.game))
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
    if inner and inner[0] == phase_name("begin", setup.game):
        inner = inner[1:]
    return (
        f"{', '.join(inner)}: {act_name(step.act, setup.game)}" if inner else act_name(step.act, setup.game)
    )


def check_text(state: GameState, check: str) -> str:
    """Return a checklist line."""
    item = state.frozen_setup.checks.get(check)
    return _(item.text) if item is not None else humanise(check.rsplit(".", 1)[-1])


def refusal(rejected: Rejected, state: GameState | None = None, *, game: str = "") -> str:
    """Return a refusal as one line for the table: what the rules said with its figures, or the code's own words."""
    from companion.pages.details import sentence as old_sentence

    if not game and state is not None and state.setup is not None:
        game = state.setup.game
    if isinstance(rejected.detail, Say):
        return sentence(rejected.detail, state, game=game)
    own = words_of(game).word("refusal", rejected.code) if game else None
    known = own if own is not None else SHARED.word("refusal", rejected.code)
    if rejected.detail and (known is None or rejected.code in (Code.BAD_VALUE, Code.UNDONE)):
        return old_sentence(rejected.detail)
    return (
        sentence(Name("refusal", rejected.code), state, game=game)
        if known is not None
        else humanise(rejected.code)
    )


def has_clocks(state: GameState) -> bool:
    """Say whether a game has clocks at all."""
    return state.clocks.config.mode != "none"


def _step_text(state: GameState, step_id: str) -> str:
    itinerary = state.itinerary
    if step_id not in itinerary:
        return step_id
    return step_label(state.frozen_setup, itinerary.steps[itinerary.index(step_id)])  # type: ignore[arg-type]


def _printed_name(key: str, state: GameState) -> str:
    game = state.setup.game if state.setup is not None else ""
    named = words_of(game).name
    own = named(Name("key", key), state) if named is not None else None
    if own is not None:
        return speak(own, state)
    old = PRINTED.get(game)
    return old(key, state) if old is not None else _key_text(key)


def entry_label(entry: Entry, state: GameState) -> str:
    """Return what an entry of the log did, so that it can stand behind "Undo"."""
    command = entry.command
    words = words_of(state.setup.game if state.setup is not None else "")
    if type(command) in words.log_entry:
        return speak(words.log_entry[type(command)](entry, state), state)
    if type(command) in words.log:
        return speak(words.log[type(command)](command, state), state)
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
            name = _printed_name(command.key, state)
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
