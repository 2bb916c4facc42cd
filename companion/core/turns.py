"""Turns of a time control along the sequence of play: which one goes on, what begins and ends it, what an undo keeps.

`clock` and `control` count; this module knows which steps make a turn and returns the events of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import assert_never

from msgspec import UNSET
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import events as ev
from companion.core.control import Turn
from companion.core.flow import Step
from companion.core.ids import Millis, Side
from companion.core.state import GameState

__all__ = [
    "at_border",
    "begun_in",
    "has_changed",
    "is_out_of_time",
    "is_stopped",
    "kept",
    "steps_with_clocks",
    "turn_events",
]


def steps_with_clocks(steps: Iterable[Step], config: ck.ClockConfig) -> tuple[Step, ...]:
    """Return steps as a time control plays them: in the phases and acts in which it stops, no clock runs."""
    return tuple(replace(step, clock=None) if is_stopped(config, step) else step for step in steps)


def is_stopped(config: ck.ClockConfig, step: Step) -> bool:
    """Say whether a time control stops every clock in a step."""
    control = config.control
    return control is not None and (step.phase in control.stops_in or step.act in control.stops_in)


def _turns_at(state: GameState, index: int) -> dict[Side, str]:
    """Return side to the key of the turn that it has at a position; the key is the id of the turn's first step.

    So an undo or a jump finds the same turn again.
    """
    control = state.clocks.config.control
    if control is None:
        return {}
    steps = state.itinerary.steps
    step, first = steps[index], index
    if control.unit == "stage":
        while first > 0 and steps[first - 1].stage == step.stage:
            first -= 1
        return {side: f"{steps[first].id}:{side}" for side in state.clocks.sides}
    if len(step.owners) != 1:
        return {}
    while control.unit == "turn" and first > 0 and _is_same_turn(steps[first - 1], step):
        first -= 1
    return {step.owners[0]: steps[first].id}


def _is_same_turn(one: Step, other: Step) -> bool:
    return (one.stage, one.owners, one.nation) == (other.stage, other.owners, other.nation)


def has_changed(state: GameState, index: int) -> bool:
    """Say whether a turn that goes on ends at a position, or another one begins there."""
    turns = state.clocks.turns
    if turns is UNSET:
        return False
    here, side = _turns_at(state, index), state.itinerary.steps[index].clock
    if any(here.get(who) != key for who, key in turns.open.items()):
        return True
    is_timed = side is not None and side in here and side in state.clocks.config.allotted_ms
    return is_timed and side not in turns.open and state.itinerary.steps[index].stage > 0


def turn_events(state: GameState, at_ms: Millis) -> tuple[ev.Event, ...]:
    """Return the turns that end and begin at the state's position; a clock that such a turn had has been stopped.

    A turn begins at its first step on the clock. What was spent in it before an undo or a jump counts.
    """
    clocks, turns, step = state.clocks, state.clocks.turns, state.step
    if turns is UNSET or clocks.ordinal < 0 or state.ending is not None:
        return ()
    here, side, control = _turns_at(state, state.index), step.clock, clocks.config.control
    events: list[ev.Event] = [
        ev.TurnEnded(who, key, at_ms, ck.closing_ms(clocks, key))
        for who, key in turns.open.items()
        if here.get(who) != key
    ]
    if control is None or side is None or side not in here or turns.open.get(side) == here[side]:
        return tuple(events)
    if side in clocks.config.allotted_ms:
        free = control.free_ms(side, step.nation)
        events.append(ev.TurnBegan(side, here[side], at_ms, control.increment_ms, free))
    return tuple(events)


def is_out_of_time(state: GameState, step: Step) -> bool:
    """Say whether the side whose clock a step runs has no time for it any more.

    So it is too in a step in which only the control stops the clock: whoever has no time left fights no battles either.
    """
    side, clocks = step.clock, state.clocks
    if side is None and is_stopped(clocks.config, step) and len(step.owners) == 1:
        side = step.owners[0]
    if side is None:
        return False
    turn = None
    if ck.is_turn_scoped(clocks.config) and step.id in state.itinerary:
        turn = _turns_at(state, state.itinerary.index(step.id)).get(side, "none")
    return ck.fallen(clocks, side, step.stage, turn)


def at_border(state: GameState, due: ck.Border) -> tuple[ev.Event, ...]:
    """Return what happens when the running clock reaches a border, at exactly its instant."""
    clocks, side, at = state.clocks, due.side, due.at_ms
    stage, step = state.step.stage, state.step.id
    stopped = ev.ClockStopped(side, at, max(0, at - clocks.since_ms), step)
    match due.kind:
        case "token":
            return (ev.TokenSpent(side, ck.tokens_left(clocks, side) - 1, at),)
        case "period":
            left = ck.periods_left(clocks, side)
            in_one = clocks.turns is not UNSET and (turn := clocks.turns.current(side)) and turn.period_ms
            return (ev.PeriodBegan(side, left - bool(in_one), at),)
        case "mark":
            return (ev.TimeOverrun(side, stage, at, step),)
        case "flag" | "lose":
            turn_key = ""
            if ck.is_turn_scoped(clocks.config) and clocks.turns is not UNSET:
                turn_key = clocks.turns.open.get(side, "")
            fell = ev.FlagFell(side, stage, at, step, turn_key)
            if due.kind == "flag":
                return (stopped, fell)
            others = [who for who in clocks.sides if who != side]
            winner = others[0] if len(others) == 1 else None
            return (stopped, fell, ev.GameEnded(winner, ck.OUT_OF_TIME, at_ms=at))
        case _:
            assert_never(due.kind)


def begun_in(events: Iterable[ev.Event]) -> set[str]:
    """Return the keys of the turns that begin in some events."""
    return {event.turn for event in events if isinstance(event, ev.TurnBegan)}


def kept(clocks: ck.Clocks, target: GameState, begun: Collection[str]) -> ck.Clocks:
    """Return stopped clocks with the turns as they are at the position that an undo or redo leads to.

    What was spent stays in the turn in which it was spent, and tokens and periods stay spent. Turns that are taken back give no
    increment and no time of their own; one that goes on again has its rests back; one that is over again ends now.

    Args:
        clocks: The live clocks; nothing runs.
        target: The state at the new position; of its clocks nothing is read but the settings.
        begun: Keys of the turns that had begun there.
    """
    turns = clocks.turns
    if turns is UNSET:
        return clocks
    here = {side: key for side, key in _turns_at(target, target.index).items() if key in begun}
    for key, turn in turns.ledger.items():
        if key not in begun:
            changed = replace(turn, is_begun=False, back_ms=0)
        elif here.get(turn.side) == key:
            changed = replace(turn, is_begun=True, back_ms=0)
        elif not turn.is_begun or turns.open.get(turn.side) == key:
            changed = replace(turn, is_begun=True, back_ms=0)
            clocks = _with(clocks, key, changed)
            changed = replace(changed, back_ms=ck.closing_ms(clocks, key))
        else:
            continue
        clocks = _with(clocks, key, changed)
    ledger = turns if clocks.turns is UNSET else clocks.turns
    open_again = replace(clocks, turns=replace(ledger, open=here, over=()))
    over = tuple(
        who for who in turns.over if who in here and not ck.remaining(open_again, who, clocks.last_ms)
    )
    return replace(clocks, turns=replace(ledger, open=here, over=over))


def _with(clocks: ck.Clocks, key: str, turn: Turn) -> ck.Clocks:
    return clocks if clocks.turns is UNSET else replace(clocks, turns=clocks.turns.put(key, turn))
