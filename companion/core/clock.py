"""Clocks as values that are asked, never ticked.

A clock is a record of time spent and "running since"; `remaining` and `spent` answer for any instant.
Time used is kept by the stage in which it was used, so that an unused rest banks by itself and an undo
across stages keeps every millisecond in its place. All amounts are whole milliseconds; instants are
monotonic and belong to the boot that the last `Clocks.last_ms` came from.

Song for War v0.96, Tournament Time: a limit per stage and side, unused time is added to the next stage and
stacks, never both clocks at once, both stopped in Victory and between stages. What a `TimeControl` gives beyond that is kept
by turn in `Clocks.turns`; the next border of a running clock is a token, a period or the fall of the flag.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from companion.core.control import TimeControl, Turns
from companion.core.ids import Millis, Side

__all__ = [
    "Border",
    "ClockConfig",
    "Clocks",
    "OUT_OF_TIME",
    "Fall",
    "Rests",
    "as_of",
    "border",
    "charged",
    "closing_ms",
    "corrected",
    "deadline",
    "fallen",
    "is_tournament",
    "is_turn_scoped",
    "lifted_by",
    "make_clocks",
    "paused",
    "periods_left",
    "remaining",
    "rests",
    "resumed",
    "running_ms",
    "spent",
    "started",
    "stopped",
    "tokens_left",
    "with_fall",
    "with_overrun",
    "with_period",
    "with_stage",
    "with_token",
    "without_fall",
]

OUT_OF_TIME = "time"
"""Reason of the end of a game that was lost because a side's time was up; a correction of its clock reopens it."""

GRACE_MS = 250
"""The longest accepted delivery of a press: a flag is settled this long after its deadline, so that a press
stamped before the deadline still counts."""


class ClockConfig(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a game keeps time."""

    mode: Literal["none", "count_up", "limit"] = "none"
    """``limit`` counts down and flags fall; ``count_up`` only measures; ``none`` shows no clock."""
    allotted_ms: dict[str, tuple[Millis, ...]] = {}
    """Per side the new time of each stage, in playing order of `stages`. Empty unless mode is ``limit``."""
    stages: tuple[int, ...] = ()
    tournament: bool = False
    """Tournament rules: undo keeps the time used and pauses, only the arbiter corrects, no acting together."""
    grace_ms: Millis = GRACE_MS
    warnings_ms: tuple[Millis, ...] = (300_000, 60_000)
    """Remaining times at which the table is warned by sight and sound."""
    control: TimeControl | None = None
    """What a convention's time control gives beyond the time of a stage; only where mode is ``limit``."""


class Fall(msgspec.Struct, frozen=True):
    """A flag that fell: who, in which stage, when. Falls are kept in their order."""

    side: Side
    stage: int
    at_ms: Millis
    turn: str | UnsetType = UNSET
    """The one turn that it is about, where a turn has time of its own; absent: the whole stage."""


BorderKind = Literal["token", "period", "flag", "lose", "mark"]
"""What a border is: a token or a period begins, or the time is up and costs what the control says."""


class Border(NamedTuple):
    """The next instant at which the running clock does something by itself."""

    side: Side
    at_ms: Millis
    kind: BorderKind


class Rests(NamedTuple):
    """What a side's time left is made of, in the order in which it is used."""

    turn_ms: Millis
    """Turn time and delay of the turn that goes on."""
    bank_ms: Millis
    token_ms: Millis
    period_ms: Millis


class Clocks(msgspec.Struct, frozen=True):
    """All clocks of a game at once; at most one runs."""

    config: ClockConfig
    sides: tuple[Side, ...]
    ordinal: int = -1
    """Position of the current stage in `config.stages`; -1 before the first."""
    spent_ms: dict[str, tuple[Millis, ...]] = {}
    """Per side and stage position: time charged so far, without the running interval."""
    corrected_ms: dict[str, tuple[Millis, ...]] = {}
    """Per side and stage position: time given (positive) or taken (negative) by the arbiter."""
    running: Side | None = None
    since_ms: Millis = 0
    """Start of the running interval; meaningless while nothing runs."""
    last_ms: Millis = 0
    """Instant of the last clock event; earlier stamps are clamped to it."""
    is_paused: bool = False
    falls: tuple[Fall, ...] = ()
    turns: Turns | UnsetType = UNSET
    """The ledger of turns; absent in a game without a time control."""


def make_clocks(config: ClockConfig, sides: tuple[Side, ...]) -> Clocks:
    """Build stopped clocks at zero for the given sides."""
    zeros = (0,) * max(1, len(config.stages))
    return Clocks(
        config=config,
        sides=sides,
        spent_ms=dict.fromkeys(sides, zeros),
        corrected_ms=dict.fromkeys(sides, zeros),
        turns=UNSET if config.control is None else Turns(),
    )


def is_tournament(clocks: Clocks) -> bool:
    """Say whether tournament rules hold."""
    return clocks.config.tournament


def _slot(clocks: Clocks) -> int:
    return max(0, clocks.ordinal)


def running_ms(clocks: Clocks, side: Side, now_ms: Millis) -> Millis:
    """Return the interval that is running, not charged yet; 0 while a side's clock stands."""
    return max(0, now_ms - clocks.since_ms) if clocks.running == side else 0


def spent(clocks: Clocks, side: Side, now_ms: Millis) -> Millis:
    """Return all time that a side has used in the game, the running interval included."""
    return sum(clocks.spent_ms[side]) + running_ms(clocks, side, now_ms)


def _allowance(clocks: Clocks, side: Side, ordinal: int | None = None) -> Millis | None:
    """Return what a side has left before its running interval, or None where nothing counts down.

    In the current stage, or in the one at a position.
    """
    config = clocks.config
    ordinal = clocks.ordinal if ordinal is None else ordinal
    if config.mode != "limit" or ordinal < 0 or side not in config.allotted_ms:
        return None
    upto = ordinal + 1
    given = sum(config.allotted_ms[side][:upto]) + sum(clocks.corrected_ms[side][:upto])
    if clocks.turns is not UNSET:
        given += clocks.turns.given_ms(side, ordinal)
    return given - sum(clocks.spent_ms[side][:upto])


def remaining(clocks: Clocks, side: Side, now_ms: Millis) -> Millis | None:
    """Return the time left, bank included, never below zero; None where nothing counts down.

    Only stages up to the current one count, for what was given and for what was used: a return to an
    earlier stage takes back the later stage's grant together with the time used in it.
    """
    clocks = as_of(clocks, now_ms)
    left = _allowance(clocks, side)
    return None if left is None else max(0, left - running_ms(clocks, side, now_ms))


def rests(clocks: Clocks, side: Side, now_ms: Millis) -> Rests | None:
    """Return what the time left is made of; None where nothing counts down. All zero once it is used up."""
    clocks = as_of(clocks, now_ms)
    left = _allowance(clocks, side)
    if left is None:
        return None
    used = running_ms(clocks, side, now_ms)
    turn = None if clocks.turns is UNSET else clocks.turns.current(side)
    if turn is None:
        return Rests(0, max(0, left - used), 0, 0)
    turn = turn.charged(used, left - used)
    own = max(0, left - used)
    free = min(own, turn.free_rest_ms)
    return Rests(
        free, own - free - turn.token_rest_ms - turn.period_rest_ms, turn.token_rest_ms, turn.period_rest_ms
    )


def border(clocks: Clocks) -> Border | None:
    """Return the next border of the running clock, or None when nothing can happen by itself."""
    side = clocks.running
    if side is None:
        return None
    left = _allowance(clocks, side)
    if left is None:
        return None
    at_ms, control = clocks.since_ms + max(0, left), clocks.config.control
    if control is None or clocks.turns is UNSET:
        return Border(side, at_ms, "flag")
    turn = clocks.turns.current(side)
    if side in clocks.turns.over:
        return None
    if turn is not None and control.token_use == "auto" and tokens_left(clocks, side) > 0:
        return Border(side, at_ms, "token")
    if turn is not None and _periods_after(clocks, side) > 0:
        return Border(side, at_ms, "period")
    match control.at_zero:
        case "lose":
            return Border(side, at_ms, "lose")
        case "only_mark":
            return Border(side, at_ms, "mark")
    return Border(side, at_ms, "flag")


def deadline(clocks: Clocks) -> Millis | None:
    """Return the instant of the next border (without a time control: the fall of the flag), or None."""
    due = border(clocks)
    return None if due is None else due.at_ms


def tokens_left(clocks: Clocks, side: Side) -> int:
    """Return how many extension tokens a side has left."""
    control = clocks.config.control
    if control is None or clocks.turns is UNSET:
        return 0
    return max(0, control.tokens - clocks.turns.tokens_spent(side))


def periods_left(clocks: Clocks, side: Side) -> int:
    """Return how many periods of byo-yomi a side has left, one that goes on included."""
    control = clocks.config.control
    if control is None or clocks.turns is UNSET:
        return 0
    return max(0, control.periods - clocks.turns.periods_gone(side))


def _is_in_period(clocks: Clocks, side: Side) -> bool:
    turn = None if clocks.turns is UNSET else clocks.turns.current(side)
    return turn is not None and turn.period_ms > 0


def _periods_after(clocks: Clocks, side: Side) -> int:
    """Return how many periods a side has once what it has left is used up."""
    return periods_left(clocks, side) - _is_in_period(clocks, side)


def as_of(clocks: Clocks, now_ms: Millis) -> Clocks:
    """Return the clocks as they are at an instant, tokens and periods that began by then included.

    Only for showing them: the entries that say so follow once the grace has run out.
    """
    while (
        clocks.turns is not UNSET
        and (due := border(clocks)) is not None
        and due.at_ms <= now_ms
        and due.kind in ("token", "period")
    ):
        clocks = with_token(clocks, due.side) if due.kind == "token" else with_period(clocks, due.side)
    return clocks


def with_token(clocks: Clocks, side: Side) -> Clocks:
    """Spend one of a side's tokens in its turn; without a turn that goes on nothing changes."""
    control, turns = clocks.config.control, clocks.turns
    if control is None or turns is UNSET or (turn := turns.current(side)) is None:
        return clocks
    rest = control.token_ms if control.token_rest == "lost" else 0
    spent_one = replace(
        turn,
        tokens=turn.tokens + 1,
        token_ms=turn.token_ms + control.token_ms,
        token_rest_ms=turn.token_rest_ms + rest,
    )
    return replace(clocks, turns=turns.put(turns.open[side], spent_one))


def with_period(clocks: Clocks, side: Side) -> Clocks:
    """Begin a period in a side's turn; one that went on there is gone. Without a turn nothing changes."""
    control, turns = clocks.config.control, clocks.turns
    if control is None or turns is UNSET or (turn := turns.current(side)) is None:
        return clocks
    begun = replace(
        turn,
        periods_gone=turn.periods_gone + (turn.period_ms > 0),
        period_ms=turn.period_ms + control.period_ms,
        period_rest_ms=control.period_ms,
    )
    return replace(clocks, turns=turns.put(turns.open[side], begun))


def with_overrun(clocks: Clocks, side: Side) -> Clocks:
    """Mark that a side's time ran out while play goes on."""
    clocks = _without_period(clocks, side)
    if clocks.turns is UNSET or side in clocks.turns.over:
        return clocks
    return replace(clocks, turns=replace(clocks.turns, over=(*clocks.turns.over, side)))


def _without_period(clocks: Clocks, side: Side) -> Clocks:
    """Use up the period that goes on, as the time that is up was its last."""
    turns = clocks.turns
    if turns is UNSET or (turn := turns.current(side)) is None or not turn.period_ms:
        return clocks
    gone = replace(turn, periods_gone=turn.periods_gone + 1)
    return replace(clocks, turns=turns.put(turns.open[side], gone))


def closing_ms(clocks: Clocks, key: str) -> Millis:
    """Return what a turn takes back if it ends now, its clock stopped; 0 for a turn that there is not."""
    turn = None if clocks.turns is UNSET else clocks.turns.ledger.get(key)
    if turn is None:
        return 0
    left = _allowance(clocks, turn.side, max(0, turn.slot))
    return 0 if left is None else turn.closing_ms(left)


def is_turn_scoped(config: ClockConfig) -> bool:
    """Say whether a fallen flag is about one turn instead of a stage: where turns have time of their own."""
    return config.control is not None and bool(config.control.turn_ms)


def _holds(clocks: Clocks, fall: Fall, turn: str | None = None) -> bool:
    """Say whether a fall is about what goes on: always where falls are about stages."""
    if fall.turn is UNSET:
        return True
    key = turn or ("" if clocks.turns is UNSET else clocks.turns.open.get(fall.side, ""))
    return fall.turn == key


def fallen(clocks: Clocks, side: Side, stage: int, turn: str | None = None) -> bool:
    """Say whether a side's flag fell in a stage and was not lifted.

    Where falls are about turns it is asked for the side's turn that goes on, or for the one with the key `turn`.
    """
    return any(
        fall.side == side and fall.stage == stage and _holds(clocks, fall, turn) for fall in clocks.falls
    )


def lifted_by(clocks: Clocks, side: Side, delta_ms: Millis) -> tuple[int, ...]:
    """Return the stages in which a side's flag has fallen and would have time again if it were given some now.

    Time given in a stage is banked for those after it: after a return to an earlier stage a correction there
    reaches a flag that fell later.
    """
    config = clocks.config
    if delta_ms <= 0:
        return ()
    return tuple(
        fall.stage
        for fall in clocks.falls
        if fall.side == side
        and _holds(clocks, fall)
        and fall.stage in config.stages
        and (at := config.stages.index(fall.stage)) >= clocks.ordinal
        and (at == clocks.ordinal or (_allowance(clocks, side, at) or 0) + delta_ms > 0)
    )


def started(clocks: Clocks, side: Side, at_ms: Millis) -> Clocks:
    """Start a side's clock.

    A clock that still runs is dropped without charge. Only a fold over entries that an undo took out gets
    there, and the `TimeKept` that follows sets every clock right; live play always stops first.
    """
    return replace(clocks, running=side, since_ms=at_ms, last_ms=at_ms)


def stopped(clocks: Clocks, at_ms: Millis) -> Clocks:
    """Stop the running clock, if any, and charge its interval to the current stage."""
    side = clocks.running
    if side is None:
        return replace(clocks, last_ms=at_ms)
    ms = max(0, at_ms - clocks.since_ms)
    used = list(clocks.spent_ms[side])
    used[_slot(clocks)] += ms
    after = replace(clocks, running=None, last_ms=at_ms, spent_ms={**clocks.spent_ms, side: tuple(used)})
    return _with_charge(after, side, ms)


def _with_charge(clocks: Clocks, side: Side, used_ms: Millis) -> Clocks:
    """Follow a change of a side's time in its turn that goes on."""
    turns, left = clocks.turns, _allowance(clocks, side)
    if turns is UNSET or left is None or (turn := turns.current(side)) is None:
        return clocks
    after = turns.put(turns.open[side], turn.charged(used_ms, left))
    if left > 0:
        after = replace(after, over=tuple(who for who in after.over if who != side))
    return replace(clocks, turns=after)


def paused(clocks: Clocks, at_ms: Millis) -> Clocks:
    """Stop and mark all clocks as paused."""
    return replace(stopped(clocks, at_ms), is_paused=True)


def resumed(clocks: Clocks, at_ms: Millis) -> Clocks:
    """Lift the pause; the caller starts the clock that is due."""
    return replace(clocks, is_paused=False, last_ms=at_ms)


def corrected(clocks: Clocks, side: Side, delta_ms: Millis) -> Clocks:
    """Give (positive) or take (negative) time in the current stage."""
    given = list(clocks.corrected_ms[side])
    given[_slot(clocks)] += delta_ms
    return _with_charge(replace(clocks, corrected_ms={**clocks.corrected_ms, side: tuple(given)}), side, 0)


def charged(clocks: Clocks, side: Side, charged_ms: Millis) -> Clocks:
    """Charge time that no running interval measured (a gap, by the arbiter's word) to the current stage."""
    used = list(clocks.spent_ms[side])
    used[_slot(clocks)] += charged_ms
    return _with_charge(replace(clocks, spent_ms={**clocks.spent_ms, side: tuple(used)}), side, 0)


def with_stage(clocks: Clocks, stage: int) -> Clocks:
    """Move to a stage; its time becomes available. Stage 0 lies before the first; unknown ones change nothing."""
    if stage == 0:
        ordinal = -1
    elif stage in clocks.config.stages:
        ordinal = clocks.config.stages.index(stage)
    else:
        return clocks
    return clocks if ordinal == clocks.ordinal else replace(clocks, ordinal=ordinal)


def with_fall(clocks: Clocks, fall: Fall) -> Clocks:
    """Record a flag fall; the running interval has been stopped by the caller."""
    return replace(_without_period(clocks, fall.side), falls=(*clocks.falls, fall))


def without_fall(clocks: Clocks, side: Side, stage: int) -> Clocks:
    """Lift a flag after the arbiter gave time back."""
    kept = tuple(
        fall for fall in clocks.falls if (fall.side, fall.stage) != (side, stage) or not _holds(clocks, fall)
    )
    return replace(clocks, falls=kept)
