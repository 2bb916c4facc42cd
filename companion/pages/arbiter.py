"""What the arbiter may do, and the sheet of time that goes with it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.change import Change
from companion.core.decide import skipped
from companion.core.history import Entry
from companion.core.ids import Millis, Side, StepId
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.pages.frame import Mark, mark
from companion.pages.i18n import _, ngettext
from companion.pages.labels import NO_REASON, correction_why, stage_name, step_label
from companion.pages.plots import time_used
from companion.pages.speak import speak
from companion.pages.times import countdown, countup, signed, wall

__all__ = [
    "ArbiterView",
    "JumpRow",
    "SheetRow",
    "arbiter_view",
    "correct_command",
    "jump_rows",
    "needs_pin",
    "sheet_rows",
    "step_back_command",
]


class ArbiterView(msgspec.Struct, frozen=True):
    """The arbiter's acts in the current state."""

    is_paused: bool
    can_correct: bool
    sides: tuple[Mark, ...]
    remaining: tuple[str, ...]
    """Digits of each side, now."""
    back_text: str
    """The step before this one; empty at the start."""
    is_coach_locked: bool = False
    may_lock_coach: bool = True
    """Not in a tournament, where it is locked already."""


class JumpRow(msgspec.Struct, frozen=True):
    """A step to jump to."""

    step: StepId
    text: str
    is_here: bool


class SheetRow(msgspec.Struct, frozen=True):
    """One line of the arbiter's sheet."""

    when: str
    text: str
    amount: str = ""


def needs_pin(change: Change) -> bool:
    """Say whether the open game has an arbiter's PIN."""
    return bool(change.state.frozen_setup.arbiter_hash)


def arbiter_view(change: Change, rules: GameRules, now_ms: Millis) -> ArbiterView:
    """Return the arbiter's acts at an instant."""
    state = change.state
    sides = tuple(mark(state.frozen_setup, info.id) for info in state.frozen_setup.sides)
    lefts = [ck.remaining(state.clocks, side, now_ms) for side in state.clocks.sides]
    before = state.itinerary.preceding(state.index, skipped(rules, state))
    return ArbiterView(
        state.clocks.is_paused,
        any(left is not None for left in lefts)
        and (state.ending is None or state.ending.reason == ck.OUT_OF_TIME),
        sides,
        tuple("" if left is None else countdown(left) for left in lefts),
        "" if before is None else step_label(state.frozen_setup, state.itinerary.steps[before]),
        state.frozen_setup.coach_locked,
        not ck.is_tournament(state.clocks),
    )


def correct_command(side: str, delta_ms: Millis, at_ms: Millis, reason: str) -> cm.Command:
    """Return the correction of a side's clock, with its reason."""
    return cm.CorrectTime(Side(side), delta_ms, at_ms, reason or "arbiter")


def step_back_command(state: GameState, rules: GameRules, at_ms: Millis) -> cm.Command | None:
    """Return the jump to the step before this one; None at the start."""
    before = state.itinerary.preceding(state.index, skipped(rules, state))
    if before is None:
        return None
    return cm.JumpTo(state.step.id, state.itinerary.steps[before].id, at_ms)


def jump_rows(state: GameState, stage: int) -> tuple[JumpRow, ...]:
    """Return the steps of a stage to jump to."""
    setup = state.frozen_setup
    return tuple(
        JumpRow(step.id, step_label(setup, step), step.id == state.step.id)
        for step in state.itinerary.steps
        if step.stage == stage
    )


def jump_stages(state: GameState) -> tuple[tuple[int, str], ...]:
    """Return the stages, with a text each, the one before the first included."""
    numbers = dict.fromkeys(step.stage for step in state.itinerary.steps)
    return tuple((n, stage_name(state.frozen_setup, n)) for n in numbers)


def sheet_rows(change: Change, entries: Sequence[Entry], now_wall_ms: int) -> tuple[SheetRow, ...]:
    """Return time used per step, corrections, undos, falls and gaps, oldest first."""
    state = change.state
    setup = state.frozen_setup
    steps = {step.id: step for step in state.itinerary.steps}
    rows = []
    for entry in entries:
        when = wall(entry.wall_ms, now_wall_ms)
        for event in entry.events:
            match event:
                case ev.ClockStopped() if event.charged_ms >= 1000:
                    step = steps.get(event.step)
                    text = step_label(setup, step) if step else str(event.step)
                    if step is not None:
                        text = f"{stage_name(setup, step.stage)}, {text}"
                    rows.append(SheetRow(when, text, countup(event.charged_ms)))
                case ev.TimeCorrected():
                    who = mark(setup, event.side).name
                    text = _("Correction: {side}").format(side=who)
                    why = speak(correction_why(event.reason), state) if event.reason not in NO_REASON else ""
                    rows.append(SheetRow(when, f"{text} ({why})" if why else text, signed(event.delta_ms)))
                case ev.FlagFell():
                    who = mark(setup, event.side).name
                    rows.append(SheetRow(when, _("Flag fell: {side}").format(side=who)))
                case ev.TurnBegan() if event.increment_ms:
                    who = mark(setup, event.side).name
                    rows.append(
                        SheetRow(when, _("Increment: {side}").format(side=who), signed(event.increment_ms))
                    )
                case ev.TurnEnded() if event.back_ms < 0:
                    who = mark(setup, event.side).name
                    rows.append(
                        SheetRow(when, _("Time overrun: {side}").format(side=who), countdown(-event.back_ms))
                    )
                case ev.TokenSpent():
                    who = mark(setup, event.side).name
                    rows.append(SheetRow(when, _token_text(state, who, event.left)))
                case ev.PeriodBegan():
                    who = mark(setup, event.side).name
                    text = _("{side}: a period begins, {n} left").format(side=who, n=event.left)
                    rows.append(SheetRow(when, text))
                case ev.TimeOverrun():
                    who = mark(setup, event.side).name
                    rows.append(SheetRow(when, _("Time is up, play continues: {side}").format(side=who)))
                case ev.ArbiterPinSet():
                    rows.append(SheetRow(when, _("A new arbiter's PIN was set")))
                case ev.Undone():
                    rows.append(
                        SheetRow(
                            when,
                            ngettext("{n} entry undone", "{n} entries undone", len(event.seqs)).format(
                                n=len(event.seqs)
                            ),
                        )
                    )
                case ev.GameResumed() if event.cause != "closed":
                    gap = "" if event.gap_ms is None else countup(event.gap_ms)
                    rows.append(SheetRow(when, _("Gap: the box was off"), gap))
                case ev.GapDecided() if event.charged_to is not None:
                    who = mark(setup, event.charged_to).name
                    rows.append(
                        SheetRow(when, _("Gap charged: {side}").format(side=who), countup(event.charged_ms))
                    )
                case _:
                    pass
    return tuple(rows)


def _token_text(state: GameState, who: str, left: int) -> str:
    control = state.clocks.config.control
    points = control.tokens_gone_vp if control is not None and not left else 0
    if points:
        return ngettext(
            "{side}: last extension token spent, {n} victory point to the other side",
            "{side}: last extension token spent, {n} victory points to the other side",
            points,
        ).format(side=who, n=points)
    return _("{side}: extension token spent, {n} left").format(side=who, n=left)


def total_used(change: Change, entries: Sequence[Entry]) -> dict[str, Millis]:
    """Return the time used by side, without the running interval."""
    out: dict[str, Millis] = {info.id: 0 for info in change.state.frozen_setup.sides}
    for (_stage, _phase, side), ms in time_used(entries, change.state).items():
        out[side] = out.get(side, 0) + ms
    return out
