"""Decide what a command leads to: events, or a refusal with a code.

`handle` is the door for the shell: it first settles every border of the clock (a token, a period, the fall of the
flag) that was due before the command's stamp, each as an entry of its own, and then decides the command against the
state after it. Undo and redo need the log and are decided in `companion.core.history`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.evolve import evolve, evolve_all
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, TABLE, Actor, Millis, Side, StepId
from companion.core.rules import Accepted, Code, Context, Decision, GameRules, Rejected
from companion.core.state import Confirmed, GameState
from companion.core.text import Duration, Name, Say, Typed, several, side
from companion.core.turns import at_border, has_changed, is_out_of_time, turn_events

_PIN_NAME = re.compile(r"pin:[0-9a-f]{16}")

__all__ = ["Draft", "Handled", "decide", "handle", "is_ruling_locked", "settled", "skipped", "stopping"]


class Draft(msgspec.Struct, frozen=True):
    """An entry about to be stored: a command and what it led to."""

    command: cm.Command
    events: tuple[ev.Event, ...]


class Handled(msgspec.Struct, frozen=True):
    """What one command led to: entries to store, in order, and the refusal if it was refused."""

    drafts: tuple[Draft, ...]
    state: GameState
    rejected: Rejected | None = None


def handle(rules: GameRules, state: GameState, command: cm.Command, ctx: Context) -> Handled:
    """Settle the clock, then decide a command; the state given back has every draft applied."""
    before = settled(rules, state, command, ctx)
    if before.rejected is not None:
        return before
    decision = decide(rules, before.state, command, ctx)
    if isinstance(decision, Rejected):
        return replace(before, rejected=decision)
    if not decision.events:
        return before
    drafts = (*before.drafts, Draft(command, decision.events))
    return Handled(drafts, evolve_all(rules, before.state, decision.events))


def settled(rules: GameRules, state: GameState, command: cm.Command, ctx: Context) -> Handled:
    """Let everything happen to the running clock that was due before a command's stamp, in order.

    While the grace of a flag has not run out, a press from before its deadline may still be on its way: until then a
    command from after the deadline is refused with FLAG_DUE, so that it cannot get in front of that press.
    """
    stamp = _settle_stamp(command, ctx)
    drafts: tuple[Draft, ...] = ()
    while stamp is not None and (due := ck.border(state.clocks)) is not None and due.at_ms <= stamp:
        until = due.at_ms + state.clocks.config.grace_ms
        is_news = isinstance(command, cm.ResumeGame | cm.StopForSleep)
        is_final = due.kind in ("flag", "lose")
        if is_final and ctx.now_ms is not None and ctx.now_ms < until and not is_news:
            return Handled(drafts, state, Rejected(Code.FLAG_DUE))
        events = at_border(state, due)
        drafts = (*drafts, Draft(cm.SettleClock(at_ms=until), events))
        state = evolve_all(rules, state, events)
    return Handled(drafts, state)


def _settle_stamp(command: cm.Command, ctx: Context) -> Millis | None:
    """Return the instant up to which flags fall before a command, or None when it stands outside time."""
    if isinstance(command, cm.SettleClock | cm.StartGame):
        return None
    if isinstance(command, cm.ResumeGame | cm.StopForSleep):
        return command.last_ms
    at_ms: Millis | None = getattr(command, "at_ms", None)
    return at_ms if at_ms is None or ctx.now_ms is None else min(at_ms, ctx.now_ms)


def decide(rules: GameRules, state: GameState, command: cm.Command, ctx: Context) -> Decision:
    """Decide one command of the core or of the game; settles nothing and handles no undo."""
    if isinstance(command, cm.StartGame):
        return _start_game(rules, state, command)
    if state.setup is None:
        return Rejected(Code.NOT_STARTED)
    decider = _DECIDERS.get(type(command))
    if decider is not None:
        return decider(rules, state, command, ctx)
    if type(command) not in rules.commands:
        return Rejected(Code.UNKNOWN_COMMAND)
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    decision = rules.decide(state, command, ctx)
    if isinstance(decision, Rejected):
        return decision
    # The game may have ended, or the position may have become someone else's: the clocks follow.
    asked = getattr(command, "at_ms", None)
    at, _ = _stamp(state, ctx.now_ms or 0 if asked is None else asked, ctx)
    return Accepted((*decision.events, *_with_clock(evolve_all(rules, state, decision.events), at)))


def skipped(rules: GameRules, state: GameState) -> Callable[[Step], bool]:
    """Return the predicate of steps that do not take place: fallen flags, and what the game says."""

    def skips(step: Step) -> bool:
        if step.clock in (None, *step.owners) and len(step.owners) == 1 and is_out_of_time(state, step):
            return True
        return rules.skips(state, step)

    return skips


def _start_game(rules: GameRules, state: GameState, command: cm.StartGame) -> Decision:
    if state.setup is not None:
        return Rejected(Code.ALREADY_STARTED)
    setup = command.setup
    if not setup.steps:
        return Rejected(
            Code.BAD_VALUE, Say("The scenario {scenario} has no steps.", scenario=Typed(setup.scenario))
        )
    started = ev.GameStarted(setup, command.at_ms)
    after = evolve(rules, state, started)
    own = rules.entering(after, after.step, command.at_ms)
    after = evolve_all(rules, after, own)
    return Accepted((started, *own, *_with_clock(after, command.at_ms)))


def _stamp(state: GameState, at_ms: Millis, ctx: Context) -> tuple[Millis, Millis]:
    """Clamp a stamp to the last clock event and to now; also return how far it was moved forward."""
    at = at_ms if ctx.now_ms is None else min(at_ms, ctx.now_ms)
    clamped = max(at, state.clocks.last_ms)
    return clamped, max(0, state.clocks.last_ms - at)


def _is_clock_due(state: GameState) -> Side | None:
    """Return the side whose clock should run at the current step."""
    clocks, side = state.clocks, state.step.clock
    if clocks.config.mode == "none" or clocks.is_paused or side is None or state.ending is not None:
        return None
    if state.flag_prompt is not None or is_out_of_time(state, state.step):
        return None
    return side


def _with_clock(state: GameState, at_ms: Millis) -> tuple[ev.Event, ...]:
    """Return the events that make the right clock run at the state's step."""
    due, running = _is_clock_due(state), state.clocks.running
    is_new_turn = has_changed(state, state.index)
    if due == running and not is_new_turn:
        return ()
    start = () if due is None else (ev.ClockStarted(due, at_ms),)
    if not is_new_turn:
        return (*stopping(state, at_ms), *start)
    turns = turn_events(replace(state, clocks=ck.stopped(state.clocks, at_ms)), at_ms)
    return (*stopping(state, at_ms), *turns, *start)


def stopping(state: GameState, at_ms: Millis) -> tuple[ev.Event, ...]:
    """Return the event that stops the running clock, if one runs."""
    clocks = state.clocks
    if clocks.running is None:
        return ()
    return (ev.ClockStopped(clocks.running, at_ms, max(0, at_ms - clocks.since_ms), state.step.id),)


def _enter(rules: GameRules, state: GameState, to: int, at_ms: Millis, how: Any) -> tuple[ev.Event, ...]:
    """Return the events of moving to a position: the old clock stops before the stage can change."""
    step = state.itinerary.steps[to]
    events: list[ev.Event] = []
    running = state.clocks.running
    if running is not None and (
        running != step.clock or step.stage != state.step.stage or has_changed(state, to)
    ):
        events.extend(stopping(state, at_ms))
        state = evolve_all(rules, state, events)
    events.append(ev.StepEntered(step.id, how))
    state = evolve(rules, state, events[-1])
    own = rules.entering(state, step, at_ms)
    state = evolve_all(rules, state, own)
    return (*events, *own, *_with_clock(state, at_ms))


def _end_act(rules: GameRules, state: GameState, command: cm.EndAct, ctx: Context) -> Decision:
    """End the step, and the one that follows where the command says so: both, or neither where the second may not be ended."""
    first = _end_step(rules, state, command, ctx)
    if isinstance(first, Rejected) or not command.also:
        return first
    after = evolve_all(rules, state, first.events)
    if after.ending is not None or after.step.id != command.also:
        return first  # it does not take place
    second = _end_step(rules, after, replace(command, step=after.step.id), ctx)
    return second if isinstance(second, Rejected) else Accepted((*first.events, *second.events))


def _end_step(rules: GameRules, state: GameState, command: cm.EndAct, ctx: Context) -> Decision:
    refused = _refuse_move(state, command.step)
    if refused is not None:
        return refused
    step = state.step
    if state.clocks.is_paused:
        return Rejected(Code.PAUSED)
    if step.owners and ctx.actor not in (TABLE, ARBITER, SYSTEM, *step.owners):
        return Rejected(
            Code.NOT_YOUR_ACT,
            Say("Only {owners} can do this.", owners=several((side(owner) for owner in step.owners), "or")),
        )
    still_open = rules.leaving(state, step)
    if still_open is not None and (not command.confirmed or still_open.code == Code.NOT_KNOWN):
        return still_open
    at, clamped = _stamp(state, command.at_ms, ctx)
    ended = ev.ActEnded(step.id, at, clamped)
    own = rules.ending(state, step, at)
    state = evolve_all(rules, state, own)
    if state.ending is not None:
        return Accepted((ended, *own, *_with_clock(state, at)))
    following = state.itinerary.following(state.index, skipped(rules, state))
    if following is None:
        over = ev.GameEnded(None, "end_of_play", at_ms=at)
        return Accepted((ended, *own, *stopping(state, at), over))
    return Accepted((ended, *own, *_enter(rules, state, following, at, "next")))


def _refuse_move(state: GameState, step: StepId) -> Rejected | None:
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    if step not in state.itinerary:
        return Rejected(Code.UNKNOWN_STEP, _no_step(step))
    if step != state.step.id:
        return Rejected(Code.STALE_STEP)
    if state.flag_prompt is not None:
        return Rejected(
            Code.FLAG_PENDING,
            Say("{side}: the flag has fallen. Apply the penalty first.", side=side(state.flag_prompt)),
        )
    return None


def _no_step(step: StepId) -> Say:
    return Say("This game has no step {step}.", step=Typed(step))


def _no_side(named: str) -> Say:
    return Say("This game has no side {side}.", side=Typed(named))


def _jump_to(rules: GameRules, state: GameState, command: cm.JumpTo, ctx: Context) -> Decision:
    if state.clocks.config.tournament and ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    if command.step != state.step.id:
        return Rejected(Code.STALE_STEP)
    if command.to not in state.itinerary:
        return Rejected(Code.UNKNOWN_STEP, _no_step(command.to))
    at, _ = _stamp(state, command.at_ms, ctx)
    return Accepted(_enter(rules, state, state.itinerary.index(command.to), at, "jump"))


def _tick_check(_r: GameRules, state: GameState, command: cm.TickCheck, _ctx: Context) -> Decision:
    if command.step != state.step.id:
        return Rejected(Code.STALE_STEP)
    if command.check not in state.step.checks:
        return Rejected(Code.UNKNOWN_CHECK, Say("This step has no line {check}.", check=Typed(command.check)))
    if (command.check in state.ticked.get(command.step, ())) == command.done:
        return Accepted(())
    return Accepted((ev.CheckTicked(command.step, command.check, command.done),))


def _pause(_r: GameRules, state: GameState, command: cm.Pause, ctx: Context) -> Decision:
    if state.clocks.is_paused:
        return Rejected(Code.PAUSED, Say("The game is already paused."))
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    at, _ = _stamp(state, command.at_ms, ctx)
    return Accepted((*stopping(state, at), ev.ClocksPaused(at, command.reason)))


def _adjourn(_r: GameRules, state: GameState, command: cm.Adjourn, ctx: Context) -> Decision:
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    if state.is_adjourned:
        return Rejected(Code.PAUSED, Say("The game is already adjourned."))
    at, _ = _stamp(state, command.at_ms, ctx)
    return Accepted((*stopping(state, at), ev.Adjourned(at)))


def _resume(rules: GameRules, state: GameState, command: cm.Resume, ctx: Context) -> Decision:
    if not state.clocks.is_paused:
        return Rejected(Code.NOT_PAUSED)
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    at, _ = _stamp(state, command.at_ms, ctx)
    resumed = ev.ClocksResumed(at)
    return Accepted((resumed, *_with_clock(evolve(rules, state, resumed), at)))


def _settle_clock(_r: GameRules, state: GameState, command: cm.SettleClock, _ctx: Context) -> Decision:
    due = ck.border(state.clocks)
    if due is None or due.at_ms + state.clocks.config.grace_ms > command.at_ms:
        return Accepted(())
    return Accepted(at_border(state, due))


def _spend_token(_r: GameRules, state: GameState, command: cm.SpendToken, ctx: Context) -> Decision:
    clocks, who = state.clocks, command.side
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    if who not in clocks.sides:
        return Rejected(Code.UNKNOWN_SIDE, _no_side(who))
    if command.step != state.step.id:
        return Rejected(Code.STALE_STEP)
    if ctx.actor not in (TABLE, ARBITER, SYSTEM, who):
        return Rejected(Code.NOT_YOUR_ACT, Say("Only {owners} can do this.", owners=side(who)))
    if clocks.is_paused:
        return Rejected(Code.PAUSED)
    control, left = clocks.config.control, ck.tokens_left(clocks, who)
    if control is None or left == 0:
        return Rejected(Code.NO_TOKEN, Say("{side}: no extension tokens left.", side=side(who)))
    if control.token_use != "ask":
        return Rejected(Code.NO_TOKEN, Say("Extension tokens are spent automatically in this game."))
    if clocks.running != who:
        return Rejected(Code.NO_TOKEN, Say("{side}: this clock is not running.", side=side(who)))
    at, _ = _stamp(state, command.at_ms, ctx)
    if not ck.remaining(clocks, who, at):
        return Rejected(
            Code.NO_TOKEN, Say("{side}: time is up. A token must be spent before that.", side=side(who))
        )
    return Accepted((*stopping(state, at), ev.TokenSpent(who, left - 1, at), ev.ClockStarted(who, at)))


def _acknowledge_flag(
    rules: GameRules, state: GameState, command: cm.AcknowledgeFlag, ctx: Context
) -> Decision:
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    if state.flag_prompt is None or state.flag_prompt != command.side:
        return Rejected(Code.NO_FLAG, Say("{side}: no fallen flag to settle.", side=side(command.side)))
    if command.step != state.step.id:
        return Rejected(Code.STALE_STEP)
    if state.clocks.is_paused:
        return Rejected(Code.PAUSED)
    at, _ = _stamp(state, command.at_ms, ctx)
    acknowledged = ev.FlagAcknowledged(command.side, command.ticked)
    after = evolve(rules, state, acknowledged)
    skips = skipped(rules, after)
    if not skips(after.step):
        return Accepted((acknowledged, *_with_clock(after, at)))
    following = after.itinerary.following(after.index, skips)
    if following is None:
        return Accepted((acknowledged, ev.GameEnded(None, "end_of_play", at_ms=at)))
    return Accepted((acknowledged, *_enter(rules, after, following, at, "flag")))


def _correct_time(_r: GameRules, state: GameState, command: cm.CorrectTime, ctx: Context) -> Decision:
    clocks = state.clocks
    if clocks.config.tournament and ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    if command.side not in clocks.sides:
        return Rejected(Code.UNKNOWN_SIDE, _no_side(command.side))
    at, _ = _stamp(state, command.at_ms, ctx)
    left = ck.remaining(clocks, command.side, at)
    if left is None:
        return Rejected(Code.NO_CLOCK)
    if command.delta_ms == 0:
        return Rejected(Code.BAD_VALUE, Say("A correction of 0:00 changes nothing."))
    if left + command.delta_ms < 0:
        why = Say(
            "{side}: only {left} left; {asked} cannot be deducted.",
            side=side(command.side),
            left=Duration(-(-left // 1000) * 1000, "clock"),  # as the clock shows what is left
            asked=Duration(-command.delta_ms, "clock"),
        )
        return Rejected(Code.BAD_VALUE, why)
    if clocks.config.tournament and not command.reason.strip():
        return Rejected(Code.BAD_VALUE, Say("Under tournament time a correction needs a reason."))
    corrected = ev.TimeCorrected(command.side, command.delta_ms, command.reason)
    lifted = ck.lifted_by(ck.stopped(clocks, at), command.side, command.delta_ms)
    if lifted:
        lifts = (ev.FlagLifted(command.side, stage) for stage in lifted)
        return Accepted((*stopping(state, at), corrected, *lifts))
    return Accepted(_measured(state, corrected, at))


def _measured(state: GameState, event: ev.Event, at_ms: Millis) -> tuple[ev.Event, ...]:
    """Return an event that changes a bank; a time control has the running clock measured up to it first.

    What is used before a token or a period is used first: how much of these is left hangs on the order.
    """
    running = state.clocks.running
    if running is None or state.clocks.config.control is None:
        return (event,)
    return (*stopping(state, at_ms), event, ev.ClockStarted(running, at_ms))


def _resume_game(
    _r: GameRules, state: GameState, command: cm.ResumeGame | cm.StopForSleep, _ctx: Context
) -> Decision:
    last = max(command.last_ms, state.clocks.last_ms)
    cause = command.cause if isinstance(command, cm.ResumeGame) else "sleep"
    running = state.clocks.running
    return Accepted(
        (*stopping(state, last), ev.GameResumed(command.at_ms, last, command.gap_ms, cause, running))
    )


def _decide_gap(_r: GameRules, state: GameState, command: cm.DecideGap, ctx: Context) -> Decision:
    gap, who, asked = state.gap, command.charged_to, command.charged_ms
    if gap is None:
        return Rejected(Code.NO_GAP)
    if asked < 0 or (who is None) != (asked == 0):
        return Rejected(Code.BAD_VALUE, Say("To charge a gap, choose a side and a time above 0:00."))
    if who is None:
        return Accepted((ev.GapDecided(None, 0),))
    if state.clocks.config.tournament and ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    if who not in state.clocks.sides:
        return Rejected(Code.UNKNOWN_SIDE, _no_side(who))
    if state.clocks.config.mode == "none":
        return Rejected(Code.NO_CLOCK)
    if gap.gap_ms is not None and asked > gap.gap_ms:
        return Rejected(
            Code.BAD_VALUE,
            Say(
                "The gap is only {gap} long: {asked} cannot be charged.",
                gap=Duration(gap.gap_ms, "clock"),
                asked=Duration(asked, "clock"),
            ),
        )
    at, _ = _stamp(state, command.at_ms, ctx)
    left = ck.remaining(state.clocks, who, at)
    # A clock stops at 00:00: what the side no longer has is not carried into its next stage.
    decided = ev.GapDecided(who, asked if left is None else min(asked, left))
    return Accepted(_measured(state, decided, at))


def _set_arbiter_pin(_r: GameRules, state: GameState, command: cm.SetArbiterPin, ctx: Context) -> Decision:
    if ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    if not state.frozen_setup.arbiter_hash:
        return Rejected(Code.BAD_VALUE, Say("This game has no arbiter's PIN."))
    if _PIN_NAME.fullmatch(command.pin) is None:
        return Rejected(
            Code.BAD_VALUE,
            Say(
                "An arbiter's PIN is stored as {wanted}, not as {got}.",
                wanted=Typed("pin:0123456789abcdef"),
                got=Typed(command.pin[:40]),
            ),
        )
    return Accepted((ev.ArbiterPinSet(command.pin),))


def _lock_coach(_r: GameRules, state: GameState, command: cm.LockCoach, ctx: Context) -> Decision:
    if ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY, Say("Only the arbiter can lock the coach or unlock it."))
    if state.frozen_setup.coach_locked == command.is_locked:
        return Accepted(())
    return Accepted((ev.CoachLocked(command.is_locked),))


def _set_ruling(rules: GameRules, state: GameState, command: cm.SetRuling, ctx: Context) -> Decision:
    if is_ruling_locked(state) and ctx.actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    infos = {info.id: info for info in state.frozen_setup.ruling_infos}
    info = infos.get(command.ruling)
    if info is None:
        return Rejected(
            Code.UNKNOWN_RULING, Say("This game has no ruling {ruling}.", ruling=Typed(command.ruling))
        )
    if info.choices and command.value not in info.choices:
        why = Say(
            "{ruling} The answer must be one of {choices}, not {value}.",
            ruling=Name("ruling", info.id),
            choices=several((Typed(choice) for choice in info.choices), "comma"),
            value=Typed(str(command.value)),
        )
        return Rejected(Code.BAD_VALUE, why)
    before = state.rulings.get(command.ruling, info.default)
    if before == command.value:
        return Accepted(())
    settled_now = ev.RulingSet(command.ruling, command.value, before)
    return Accepted((settled_now, *rules.ruled(evolve(rules, state, settled_now), command.ruling)))


def is_ruling_locked(state: GameState) -> bool:
    """Say whether only the arbiter settles open points of the rulebook: under tournament time, once play has begun."""
    return state.clocks.config.tournament and state.index > 0


def _enter_printed_value(
    rules: GameRules, state: GameState, command: cm.EnterPrintedValue, _ctx: Context
) -> Decision:
    if command.value is not None:
        fault = rules.printed_fault(state, command.key, command.value)
        if fault is not None:
            return Rejected(Code.BAD_VALUE, fault)
    elif command.key not in state.printed:
        return Accepted(())
    return Accepted((ev.PrintedValueEntered(command.key, command.value),))


def _add_note(_r: GameRules, _s: GameState, command: cm.AddNote, _ctx: Context) -> Decision:
    if not command.text.strip():
        return Rejected(Code.BAD_VALUE, Say("A note needs text."))
    return Accepted((ev.NoteAdded(command.text),))


def _end_game(_r: GameRules, state: GameState, command: cm.EndGame, ctx: Context) -> Decision:
    if state.ending is not None:
        return Rejected(Code.GAME_OVER)
    if command.winner is not None and command.winner not in state.clocks.sides:
        return Rejected(Code.UNKNOWN_SIDE, _no_side(command.winner))
    at, _ = _stamp(state, command.at_ms, ctx)
    return Accepted((*stopping(state, at), ev.GameEnded(command.winner, command.reason, at_ms=at)))


def _confirm_result(_r: GameRules, state: GameState, command: cm.ConfirmResult, ctx: Context) -> Decision:
    fault = _refuse_result(state, command.side, ctx)
    if fault is not None:
        return fault
    if not command.told or len(command.told) > _LONGEST_RESULT or len(command.slip) > _LONGEST_RESULT:
        return Rejected(Code.BAD_VALUE, Say("A result has figures."))
    now = state.confirmed.get(command.side)
    if now == Confirmed(command.told, command.slip) and command.side not in state.disputed:
        return Accepted(())
    return Accepted((ev.ResultConfirmed(command.side, command.told, command.slip),))


def _dispute_result(_r: GameRules, state: GameState, command: cm.DisputeResult, ctx: Context) -> Decision:
    fault = _refuse_result(state, command.side, ctx)
    if fault is not None:
        return fault
    return Accepted(() if command.side in state.disputed else (ev.ResultDisputed(command.side),))


_LONGEST_RESULT = 400


def _refuse_result(state: GameState, side: Side, ctx: Context) -> Rejected | None:
    if state.ending is None:
        return Rejected(Code.BAD_VALUE, Say("The game is not over yet."))
    if side not in state.clocks.sides:
        return Rejected(Code.UNKNOWN_SIDE, _no_side(side))
    if ctx.actor in {Actor(one) for one in state.clocks.sides if one != side}:
        return Rejected(Code.NOT_YOUR_ACT)
    return None


_DECIDERS: dict[type, Callable[[GameRules, GameState, Any, Context], Decision]] = {
    cm.AcknowledgeFlag: _acknowledge_flag,
    cm.AddNote: _add_note,
    cm.Adjourn: _adjourn,
    cm.ConfirmResult: _confirm_result,
    cm.CorrectTime: _correct_time,
    cm.DecideGap: _decide_gap,
    cm.DisputeResult: _dispute_result,
    cm.EndAct: _end_act,
    cm.EndGame: _end_game,
    cm.EnterPrintedValue: _enter_printed_value,
    cm.JumpTo: _jump_to,
    cm.Pause: _pause,
    cm.Resume: _resume,
    cm.ResumeGame: _resume_game,
    cm.LockCoach: _lock_coach,
    cm.SetArbiterPin: _set_arbiter_pin,
    cm.SetRuling: _set_ruling,
    cm.SettleClock: _settle_clock,
    cm.SpendToken: _spend_token,
    cm.StopForSleep: _resume_game,
    cm.TickCheck: _tick_check,
}
