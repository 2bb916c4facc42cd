"""What the game itself asks the table, over any screen: a fallen flag to carry out, a gap to decide."""

from __future__ import annotations

import msgspec

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.ids import Millis, Side
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.core.text import Say
from companion.pages.frame import Mark, mark, marks
from companion.pages.i18n import _
from companion.pages.labels import has_clocks, stage_name
from companion.pages.speak import speak
from companion.pages.times import duration

__all__ = [
    "FlagPrompt",
    "GapPrompt",
    "adjourn_text",
    "flag_command",
    "gap_command",
    "prompt_for",
    "quit_text",
    "restart_text",
]


class FlagPrompt(msgspec.Struct, frozen=True):
    """A flag has fallen: what its side loses, line by line, to be ticked off."""

    mark: Mark
    title: str
    text: str
    losses: tuple[tuple[str, str], ...]
    """Pairs of id and text."""
    is_paused: bool = False


class GapPrompt(msgspec.Struct, frozen=True):
    """Time went by that nobody measured."""

    title: str
    text: str
    gap_ms: Millis | None
    sides: tuple[Mark, ...] = ()
    """Whom the gap may be charged to."""
    needs_arbiter: bool = False
    was_running: str = ""
    done_text: str = ""
    """What the one button says that charges nobody."""


def prompt_for(change: Change | None, rules: GameRules | None) -> FlagPrompt | GapPrompt | None:
    """Return what must be answered before play goes on; None most of the time."""
    if change is None or rules is None or change.state.setup is None or change.state.ending is not None:
        return None
    state = change.state
    if state.gap is not None:
        return _gap(state)
    if state.flag_prompt is not None:
        return _flag(state, rules, state.flag_prompt)
    return None


def _flag(state: GameState, rules: GameRules, side: Side) -> FlagPrompt:
    setup = state.frozen_setup
    who = mark(setup, side)
    losses = tuple((item.id, speak(item.text, state)) for item in rules.flag_losses(state, side))
    if not losses:
        losses = (("core.flag.stop", _("Nothing left to do in this stage")),)
    return FlagPrompt(
        who,
        _("{side}: time is up").format(side=who.name),
        _("{stage}: carry this out, then the other side continues.").format(
            stage=stage_name(setup, state.step.stage)
        ),
        losses,
        state.clocks.is_paused,
    )


_LEAST_MS = 1_000
"""A shorter gap than this is nothing to charge anybody with."""


def _gap(state: GameState) -> GapPrompt:
    gap = state.gap
    if gap is None:
        raise ValueError("no gap waits")
    titles = {
        "power": _("The power was cut"),
        "crash": _("The program stopped"),
        "sleep": _("The box went to sleep"),
    }
    title = titles.get(gap.cause, titles["power"])
    setup = state.frozen_setup
    if not has_clocks(state):
        text = _("Nothing is lost: the game is exactly where you left it.")
        if gap.gap_ms:
            text = _("Nothing is lost: the game is exactly where you left it, {length} ago.").format(
                length=duration(gap.gap_ms)
            )
        return GapPrompt(title, text, gap.gap_ms, done_text=_("Continue"))
    if gap.gap_ms is not None and gap.gap_ms < _LEAST_MS:
        text = _("The clocks are set to the last time seen.")
        return GapPrompt(title, text, gap.gap_ms, done_text=_("Continue"))
    if gap.was_running is None:
        text = _("No clock was running: they have not changed.")
        return GapPrompt(title, text, gap.gap_ms, done_text=_("Continue"))
    length = _("an unknown time") if gap.gap_ms is None else duration(gap.gap_ms)
    text = _("The clocks are set to the last time seen. Nobody is charged for {length}.").format(
        length=length
    )
    can_charge = gap.gap_ms is not None
    return GapPrompt(
        title,
        text,
        gap.gap_ms,
        marks(setup) if can_charge else (),
        state.clocks.config.tournament,
        mark(setup, gap.was_running).name,
        _("Charge nobody"),
    )


def adjourn_text(state: GameState) -> Say:
    """Return what a game does that is laid aside for another day."""
    if has_clocks(state):
        return Say("The clocks stop and the game waits on the Home screen, for another day.")
    return Say("The game waits on the Home screen, for another day.")


def quit_text(change: Change | None) -> Say:
    """Return what happens to the open game when the program ends; without one, to all games."""
    if change is None:
        return Say("All games are saved.")
    if has_clocks(change.state):
        return Say("The game is saved and the clocks stop. It continues from here next time.")
    return Say("The game is saved. It continues from here next time.")


def restart_text(change: Change | None) -> Say:
    """Return what happens to the open game when the program starts again by itself."""
    if change is not None and has_clocks(change.state):
        return Say(
            "The game is saved and the clocks stop; the program restarts automatically. This takes "
            "a few minutes."
        )
    return Say("Games are saved; the program restarts automatically. This takes a few minutes.")


def flag_command(state: GameState, ticked: tuple[str, ...], at_ms: Millis) -> cm.Command:
    """Return the answer to a fallen flag; ValueError when none waits."""
    if state.flag_prompt is None:
        raise ValueError("no fallen flag waits")
    return cm.AcknowledgeFlag(state.flag_prompt, state.step.id, at_ms, ticked)


def gap_command(charged_to: str | None, gap_ms: Millis | None, at_ms: Millis) -> cm.Command:
    """Return the decision on a gap: charge it to a side, or to nobody."""
    if charged_to is None or not gap_ms:
        return cm.DecideGap(None, 0, at_ms)
    return cm.DecideGap(Side(charged_to), gap_ms, at_ms)
