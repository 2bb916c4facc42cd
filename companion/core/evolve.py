"""Apply events to a state. Total: never refuses, never logs, reads nothing but the state and the event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import events as ev
from companion.core.control import Turn
from companion.core.flow import Itinerary
from companion.core.rules import GameRules
from companion.core.state import Confirmed, Ending, GameState, Gap
from companion.core.turns import steps_with_clocks

__all__ = ["evolve", "evolve_all"]


def evolve(rules: GameRules, state: GameState, event: ev.Event) -> GameState:
    """Return the state after one event of the core or of the game."""
    handler = _HANDLERS.get(type(event))
    if handler is None:
        return replace(state, game=rules.evolve(state, event))
    return handler(rules, state, event)


def evolve_all(rules: GameRules, state: GameState, events: Iterable[ev.Event]) -> GameState:
    """Return the state after several events, in order."""
    for event in events:
        handler = _HANDLERS.get(type(event))
        if handler is None:
            state = replace(state, game=rules.evolve(state, event))
        else:
            state = handler(rules, state, event)
    return state


def _game_started(rules: GameRules, _state: GameState, event: ev.GameStarted) -> GameState:
    setup = event.setup
    itinerary = Itinerary(steps_with_clocks(setup.steps, setup.clock))
    clocks = ck.make_clocks(setup.clock, tuple(side.id for side in setup.sides))
    if len(itinerary):
        clocks = ck.with_stage(clocks, itinerary.steps[0].stage)
    return GameState(
        setup=setup,
        itinerary=itinerary,
        clocks=replace(clocks, last_ms=event.at_ms),
        rulings=dict(setup.rulings),
        printed=setup.printed,
        game=rules.initial(setup),
    )


def _step_entered(rules: GameRules, state: GameState, event: ev.StepEntered) -> GameState:
    itinerary = state.itinerary
    if event.step not in itinerary:
        return state  # its segment was undone: the fold stays where it is
    index = itinerary.index(event.step)
    clocks = state.clocks
    stage = itinerary.steps[index].stage
    if stage != itinerary.steps[state.index].stage or clocks.ordinal < 0:
        clocks = ck.with_stage(clocks, stage)
    moved = replace(state, index=index, clocks=clocks, flag_prompt=None)
    game = rules.evolve(moved, event)
    return moved if game is moved.game else replace(moved, game=game)


def _clock_started(_r: GameRules, state: GameState, event: ev.ClockStarted) -> GameState:
    return replace(state, clocks=ck.started(state.clocks, event.side, event.at_ms))


def _clock_stopped(_r: GameRules, state: GameState, event: ev.ClockStopped) -> GameState:
    return replace(state, clocks=ck.stopped(state.clocks, event.at_ms))


def _clocks_paused(_r: GameRules, state: GameState, event: ev.ClocksPaused) -> GameState:
    return replace(state, clocks=ck.paused(state.clocks, event.at_ms))


def _clocks_resumed(_r: GameRules, state: GameState, event: ev.ClocksResumed) -> GameState:
    return replace(state, clocks=ck.resumed(state.clocks, event.at_ms), is_adjourned=False)


def _adjourned(_r: GameRules, state: GameState, event: ev.Adjourned) -> GameState:
    return replace(state, clocks=ck.paused(state.clocks, event.at_ms), is_adjourned=True)


def _flag_fell(_r: GameRules, state: GameState, event: ev.FlagFell) -> GameState:
    clocks = state.clocks
    if not ck.fallen(clocks, event.side, event.stage, event.turn or None):
        clocks = ck.with_fall(clocks, ck.Fall(event.side, event.stage, event.at_ms, event.turn or UNSET))
    return replace(state, clocks=clocks, flag_prompt=event.side)


def _turn_began(_r: GameRules, state: GameState, event: ev.TurnBegan) -> GameState:
    clocks = state.clocks
    if clocks.turns is UNSET:
        return state
    turn = Turn(event.side, max(0, clocks.ordinal), event.increment_ms, event.free_ms)
    return replace(state, clocks=replace(clocks, turns=clocks.turns.began(event.turn, turn)))


def _turn_ended(_r: GameRules, state: GameState, event: ev.TurnEnded) -> GameState:
    clocks = state.clocks
    if clocks.turns is UNSET:
        return state
    turns = clocks.turns.ended(event.side, event.turn, event.back_ms)
    return replace(state, clocks=replace(clocks, turns=turns))


def _token_spent(_r: GameRules, state: GameState, event: ev.TokenSpent) -> GameState:
    return replace(state, clocks=ck.with_token(state.clocks, event.side))


def _period_began(_r: GameRules, state: GameState, event: ev.PeriodBegan) -> GameState:
    return replace(state, clocks=ck.with_period(state.clocks, event.side))


def _time_overrun(_r: GameRules, state: GameState, event: ev.TimeOverrun) -> GameState:
    return replace(state, clocks=ck.with_overrun(state.clocks, event.side))


def _flag_acknowledged(_r: GameRules, state: GameState, _event: ev.FlagAcknowledged) -> GameState:
    return replace(state, flag_prompt=None)


def _flag_lifted(_r: GameRules, state: GameState, event: ev.FlagLifted) -> GameState:
    clocks = ck.without_fall(state.clocks, event.side, event.stage)
    prompt = None if state.flag_prompt == event.side else state.flag_prompt
    # A game that was lost on time goes on: the arbiter found the clock to be wrong.
    ending = None if state.ending is not None and state.ending.reason == ck.OUT_OF_TIME else state.ending
    return replace(state, clocks=replace(clocks, is_paused=True), flag_prompt=prompt, ending=ending)


def _time_corrected(_r: GameRules, state: GameState, event: ev.TimeCorrected) -> GameState:
    return replace(state, clocks=ck.corrected(state.clocks, event.side, event.delta_ms))


def _time_kept(_r: GameRules, state: GameState, event: ev.TimeKept) -> GameState:
    # A prompt is about the stage in which the flag fell: it does not follow an undo into an earlier one.
    prompt = state.flag_prompt
    if prompt is not None and not ck.fallen(event.clocks, prompt, state.step.stage):
        prompt = None
    return replace(state, clocks=event.clocks, flag_prompt=prompt)


def _game_resumed(_r: GameRules, state: GameState, event: ev.GameResumed) -> GameState:
    clocks = ck.stopped(state.clocks, event.last_ms)
    timed = clocks.config.mode != "none" and state.ending is None
    clocks = replace(clocks, last_ms=event.at_ms, is_paused=clocks.is_paused or timed)
    gap = state.gap
    # A gap in which no clock ran never hides an older one that still waits for a decision.
    if event.cause != "closed" and state.ending is None and (gap is None or event.was_running is not None):
        gap = Gap(event.cause, event.last_ms, event.gap_ms, event.was_running)
    return replace(state, clocks=clocks, gap=gap)


def _gap_decided(_r: GameRules, state: GameState, event: ev.GapDecided) -> GameState:
    clocks = state.clocks
    if event.charged_to is not None:
        clocks = ck.charged(clocks, event.charged_to, event.charged_ms)
    return replace(state, clocks=clocks, gap=None)


def _arbiter_pin_set(_r: GameRules, state: GameState, event: ev.ArbiterPinSet) -> GameState:
    return replace(state, setup=replace(state.frozen_setup, arbiter_hash=event.pin))


def _coach_locked(_r: GameRules, state: GameState, event: ev.CoachLocked) -> GameState:
    return replace(state, setup=replace(state.frozen_setup, coach_locked=event.is_locked))


def _check_ticked(_r: GameRules, state: GameState, event: ev.CheckTicked) -> GameState:
    before = state.ticked.get(event.step, frozenset())
    after = before | {event.check} if event.done else before - {event.check}
    return replace(state, ticked={**state.ticked, event.step: after})


def _ruling_set(_r: GameRules, state: GameState, event: ev.RulingSet) -> GameState:
    return replace(state, rulings={**state.rulings, event.ruling: event.value})


def _printed_value_entered(_r: GameRules, state: GameState, event: ev.PrintedValueEntered) -> GameState:
    printed = {key: value for key, value in state.printed.items() if key != event.key}
    if event.value is not None:
        printed[event.key] = event.value
    return replace(state, printed=printed)


def _segment_appended(_r: GameRules, state: GameState, event: ev.SegmentAppended) -> GameState:
    return replace(
        state, itinerary=state.itinerary.with_segment(steps_with_clocks(event.steps, state.clocks.config))
    )


def _steps_replaced(_r: GameRules, state: GameState, event: ev.StepsReplaced) -> GameState:
    if event.first not in state.itinerary:
        return state  # only in the fold of a changed log
    start, current = state.itinerary.index(event.first), state.step.id
    steps = steps_with_clocks(event.steps, state.clocks.config)
    itinerary = Itinerary((*state.itinerary.steps[:start], *steps))
    index = itinerary.index(current) if current in itinerary else start
    return replace(state, itinerary=itinerary, index=index)


def _game_ended(_r: GameRules, state: GameState, event: ev.GameEnded) -> GameState:
    return replace(state, ending=Ending(event.winner, event.reason, event.level))


def _result_confirmed(_r: GameRules, state: GameState, event: ev.ResultConfirmed) -> GameState:
    confirmed = {**state.confirmed, event.side: Confirmed(event.told, event.slip)}
    return replace(state, confirmed=confirmed, disputed=state.disputed - {event.side})


def _result_disputed(_r: GameRules, state: GameState, event: ev.ResultDisputed) -> GameState:
    confirmed = {side: one for side, one in state.confirmed.items() if side != event.side}
    return replace(state, confirmed=confirmed, disputed=state.disputed | {event.side})


def _unchanged(_r: GameRules, state: GameState, _event: ev.Event) -> GameState:
    return state


_HANDLERS: dict[type, Callable[[GameRules, GameState, Any], GameState]] = {
    ev.ActEnded: _unchanged,
    ev.Adjourned: _adjourned,
    ev.CheckTicked: _check_ticked,
    ev.ClockStarted: _clock_started,
    ev.ClockStopped: _clock_stopped,
    ev.ClocksPaused: _clocks_paused,
    ev.ClocksResumed: _clocks_resumed,
    ev.FlagAcknowledged: _flag_acknowledged,
    ev.FlagFell: _flag_fell,
    ev.FlagLifted: _flag_lifted,
    ev.GameEnded: _game_ended,
    ev.GameResumed: _game_resumed,
    ev.GameStarted: _game_started,
    ev.ArbiterPinSet: _arbiter_pin_set,
    ev.CoachLocked: _coach_locked,
    ev.GapDecided: _gap_decided,
    ev.NoteAdded: _unchanged,
    ev.PeriodBegan: _period_began,
    ev.PrintedValueEntered: _printed_value_entered,
    ev.Redone: _unchanged,
    ev.ResultConfirmed: _result_confirmed,
    ev.ResultDisputed: _result_disputed,
    ev.RulingSet: _ruling_set,
    ev.SegmentAppended: _segment_appended,
    ev.StepEntered: _step_entered,
    ev.StepsReplaced: _steps_replaced,
    ev.TimeCorrected: _time_corrected,
    ev.TimeKept: _time_kept,
    ev.TimeOverrun: _time_overrun,
    ev.TokenSpent: _token_spent,
    ev.TurnBegan: _turn_began,
    ev.TurnEnded: _turn_ended,
    ev.Undone: _unchanged,
}
