"""The table's words for ids: phases, acts, steps, sides, entries of the log, refusals.

A game's own words go first (`GameWords`).
An id without a word is shown readable (``air_transport`` as "Air transport"), never hidden.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.flow import Step
from companion.core.history import Entry
from companion.core.ids import Millis
from companion.core.rules import Rejected
from companion.core.setup import Setup
from companion.core.state import EMPTY_STATE, GameState
from companion.core.text import Duration, Name, Say, Typed, Value
from companion.pages.i18n import N_, _, current, ngettext
from companion.pages.modules import game_view, words_of
from companion.pages.shared_words import SHARED
from companion.pages.speak import Voice, humanise, sentence, speak
from companion.pages.steps import step_say

__all__ = [
    "has_clocks",
    "nation_name",
    "NO_REASON",
    "PLAYERS",
    "act_name",
    "check_text",
    "correction_why",
    "done_say",
    "done_text",
    "end_command",
    "entry_label",
    "figure_say",
    "after_say",
    "entry_say",
    "humanise",
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

PLAYERS = (
    *(N_("Player 1"), N_("Player 2"), N_("Player 3"), N_("Player 4")),
    *(N_("Player 5"), N_("Player 6"), N_("Player 7"), N_("Player 8")),
)
"""Players' names where none were given, as a game stores them."""


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


def done_say(state: GameState) -> Name | Say:
    """Return what the button says that ends the act at hand, as words."""
    game = state.frozen_setup.game
    too = game_view(game).ends_too(state)
    if too is not None:
        return too[1]
    act = state.step.act
    known = words_of(game).word("done", act) or SHARED.word("done", act)
    return Name("done", act) if known is not None else Say("Done")


def done_text(state: GameState) -> str:
    """Return what the button says that ends the act at hand."""
    return speak(done_say(state), state)


def end_command(state: GameState, at_ms: Millis) -> cm.EndAct:
    """Return the end of the act at hand, and of the one that follows where nothing happens in it."""
    too = game_view(state.frozen_setup.game).ends_too(state)
    return cm.EndAct(state.step.id, at_ms, also="" if too is None else too[0])


def unit_name(unit: str, game: str = "") -> str:
    """Return a unit's name."""
    return speak(Name("unit", unit), game=game)


def side_name(setup: Setup, side: str) -> str:
    """Return a side's name, or a readable id for an actor that is no side."""
    names = {info.id: info.name for info in setup.sides}
    return _(names[side]) if side in names else speak(Name("side", side), game=setup.game)  # type: ignore[index]


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
        parts.append(_(names.get(step.nation, humanise(step.nation))))
    elif len(step.owners) == 1:
        parts.append(side_name(setup, step.owners[0]))
    return tuple(parts)


def step_label(setup: Setup, step: Step) -> str:
    """Return a step on one line, without its stage: ``Step 4, Allies: Move units``."""
    return Voice(current(), setup.game, replace(EMPTY_STATE, setup=setup)).say(step_say(step))


def check_text(state: GameState, check: str) -> str:
    """Return a checklist line; one may name the scenario."""
    item = state.frozen_setup.checks.get(check)
    if item is None:
        return humanise(check.rsplit(".", 1)[-1])
    return _(item.text).replace("{scenario}", _(state.frozen_setup.title))


def refusal(rejected: Rejected, state: GameState | None = None, *, game: str = "") -> str:
    """Return a refusal as one line for the table: what the rules said with its figures, or the code's own words."""
    return sentence(rejected.detail or Name("refusal", rejected.code), state, game=game)


def has_clocks(state: GameState) -> bool:
    """Say whether a game has clocks at all."""
    return state.clocks.config.mode != "none"


NO_REASON = ("", "arbiter")
"""What a correction has for its reason where none was given."""


def correction_why(reason: str) -> Name | Typed:
    """Return why a clock was corrected: one of the usual reasons, or what was typed."""
    is_usual = SHARED.word("correction", reason) is not None
    return Name("correction", reason) if is_usual else Typed(reason)


def entry_label(entry: Entry, state: GameState) -> str:
    """Return what an entry of the log did, so that it can stand behind "Undo"."""
    return speak(entry_say(entry, state), state)


def after_say(entry: Entry, state: GameState) -> Say | None:
    """Return what followed by itself from an entry of the log and was nobody's choice; None where nothing did."""
    words = words_of(state.setup.game if state.setup is not None else "")
    after = words.log_after.get(type(entry.command))
    return None if after is None else after(entry, state)


def entry_say(entry: Entry, state: GameState) -> Say:
    """Return what an entry of the log did: in the game's own words where it has some for this command."""
    command = entry.command
    words = words_of(state.setup.game if state.setup is not None else "")
    of_entry = words.log_entry.get(type(command))
    if of_entry is not None:
        return of_entry(entry, state)
    own = words.log.get(type(command))
    if own is not None:
        return own if isinstance(own, Say) else own(command, state)
    match command:
        case cm.StartGame():
            return Say("Game started: {title}", title=Say(command.setup.title))
        case cm.EndAct():
            step = Name("step", command.step)
            return (
                Say("{step}, nothing left to fight", step=step) if command.also else Say("{step}", step=step)
            )
        case cm.JumpTo():
            return Say("Jumped to {step}", step=Name("step", command.to))
        case cm.TickCheck():
            check = Name("check", command.check)
            return Say("Ticked: {text}", text=check) if command.done else Say("Unticked: {text}", text=check)
        case cm.Pause():
            return Say("Clocks paused") if has_clocks(state) else Say("Paused")
        case cm.Resume():
            return Say("Clocks resumed") if has_clocks(state) else Say("Resumed")
        case cm.Adjourn():
            return Say("Adjourned")
        case cm.SettleClock():
            return _settled(entry)
        case cm.SpendToken():
            return Say("{side}: extension token spent", side=Name("side", command.side))
        case cm.AcknowledgeFlag():
            return Say("{side}: penalty for fallen flag carried out", side=Name("side", command.side))
        case cm.CorrectTime():
            amount, who = Duration(command.delta_ms, "signed"), Name("side", command.side)
            if command.reason in NO_REASON:
                return Say("{side}: time {amount}", side=who, amount=amount)
            why = correction_why(command.reason)
            return Say("{side}: time {amount} ({why})", side=who, amount=amount, why=why)
        case cm.ResumeGame():
            return Say("Game reopened")
        case cm.StopForSleep():
            return (
                Say("The box went to sleep; clocks stopped")
                if has_clocks(state)
                else Say("The box went to sleep")
            )
        case cm.DecideGap():
            if not has_clocks(state):
                return Say("Resumed after the break")
            if command.charged_to is None:
                return Say("Gap charged to nobody")
            return Say(
                "Gap of {amount} charged to {side}",
                amount=Duration(command.charged_ms, "clock"),
                side=Name("side", command.charged_to),
            )
        case cm.LockCoach():
            return Say("The coach was locked") if command.is_locked else Say("The coach was unlocked")
        case cm.SetArbiterPin():
            return Say("A new arbiter's PIN was set")
        case cm.SetRuling():
            return Say("Ruling: {name}", name=Typed(humanise(command.ruling)))
        case cm.EnterPrintedValue():
            return _printed_say(command)
        case cm.AddNote():
            return Say("Note: {text}", text=Typed(command.text))
        case cm.EndGame():
            return Say("Game ended")
        case cm.ConfirmResult():
            return Say("{side}: result confirmed", side=Name("side", command.side))
        case cm.DisputeResult():
            return Say("{side}: result disputed", side=Name("side", command.side))
        case cm.Undo():
            return Say("Undo")
        case cm.Redo():
            return Say("Redo")
        case _:
            return Say("{what}", what=Typed(humanise(type(command).__name__)))


def _settled(entry: Entry) -> Say:
    """Return what a clock did by itself."""
    for event in entry.events:
        match event:
            case ev.TokenSpent():
                return Say("{side}: extension token spent", side=Name("side", event.side))
            case ev.PeriodBegan():
                who = Name("side", event.side)
                return Say.counted("{side}: last period", "{side}: {n} periods left", event.left, side=who)
            case ev.TimeOverrun():
                return Say("{side}: time is up, play continues", side=Name("side", event.side))
            case _:
                pass
    return Say("Flag fell")


def _printed_say(command: cm.EnterPrintedValue) -> Say:
    if command.value is None:
        return Say("Printed value removed: {name}", name=Name("key", command.key))
    return Say("Printed value: {name}", name=figure_say(command))


def figure_say(command: cm.EnterPrintedValue) -> Value:
    """Return which figure was entered, and what it is where that is a number."""
    name = Name("key", command.key)
    is_number = isinstance(command.value, int | float) and not isinstance(command.value, bool)
    return Say("{name} {value}", name=name, value=command.value) if is_number else name
