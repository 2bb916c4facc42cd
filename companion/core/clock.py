"""Clocks as values that are asked, never ticked.

A clock is a record of time spent and "running since"; `remaining` and `spent` answer for any instant.
Time used is kept by the stage in which it was used, so that an unused rest banks by itself and an undo
across stages keeps every millisecond in its place. All amounts are whole milliseconds; instants are
monotonic and belong to the boot that the last `Clocks.last_ms` came from.

Song for War v0.96, Tournament Time: a limit per stage and side, unused time is added to the next stage and
stacks, never both clocks at once, both stopped in Victory and between stages.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.ids import Millis, Side

__all__ = [
    "ClockConfig",
    "Clocks",
    "Fall",
    "charged",
    "corrected",
    "deadline",
    "fallen",
    "is_tournament",
    "lifted_by",
    "make_clocks",
    "paused",
    "remaining",
    "resumed",
    "spent",
    "started",
    "stopped",
    "with_fall",
    "with_stage",
    "without_fall",
]

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


class Fall(msgspec.Struct, frozen=True):
    """A flag that fell: who, in which stage, when. Falls are kept in their order."""

    side: Side
    stage: int
    at_ms: Millis


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


def make_clocks(config: ClockConfig, sides: tuple[Side, ...]) -> Clocks:
    """Build stopped clocks at zero for the given sides."""
    zeros = (0,) * max(1, len(config.stages))
    return Clocks(
        config=config,
        sides=sides,
        spent_ms=dict.fromkeys(sides, zeros),
        corrected_ms=dict.fromkeys(sides, zeros),
    )


def is_tournament(clocks: Clocks) -> bool:
    """Say whether tournament rules hold."""
    return clocks.config.tournament


def _slot(clocks: Clocks) -> int:
    return max(0, clocks.ordinal)


def _running_ms(clocks: Clocks, side: Side, now_ms: Millis) -> Millis:
    return max(0, now_ms - clocks.since_ms) if clocks.running == side else 0


def spent(clocks: Clocks, side: Side, now_ms: Millis) -> Millis:
    """Return all time that a side has used in the game, the running interval included."""
    return sum(clocks.spent_ms[side]) + _running_ms(clocks, side, now_ms)


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
    return given - sum(clocks.spent_ms[side][:upto])


def remaining(clocks: Clocks, side: Side, now_ms: Millis) -> Millis | None:
    """Return the time left, bank included, never below zero; None where nothing counts down.

    Only stages up to the current one count, for what was given and for what was used: a return to an
    earlier stage takes back the later stage's grant together with the time used in it.
    """
    left = _allowance(clocks, side)
    return None if left is None else max(0, left - _running_ms(clocks, side, now_ms))


def deadline(clocks: Clocks) -> Millis | None:
    """Return the instant at which the running side's flag falls, or None when none can fall."""
    if clocks.running is None:
        return None
    left = _allowance(clocks, clocks.running)
    return None if left is None else clocks.since_ms + max(0, left)


def fallen(clocks: Clocks, side: Side, stage: int) -> bool:
    """Say whether a side's flag fell in a stage and was not lifted."""
    return any(fall.side == side and fall.stage == stage for fall in clocks.falls)


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
        and fall.stage in config.stages
        and (at := config.stages.index(fall.stage)) >= clocks.ordinal
        and (at == clocks.ordinal or (_allowance(clocks, side, at) or 0) + delta_ms > 0)
    )


def started(clocks: Clocks, side: Side, at_ms: Millis) -> Clocks:
    """Start a side's clock.

    A clock that still runs is dropped without charge. Only a fold over entries that an undo took out gets
    there, and the `TimeKept` that follows sets every clock right; live play always stops first.
    """
    return msgspec.structs.replace(clocks, running=side, since_ms=at_ms, last_ms=at_ms)


def stopped(clocks: Clocks, at_ms: Millis) -> Clocks:
    """Stop the running clock, if any, and charge its interval to the current stage."""
    side = clocks.running
    if side is None:
        return msgspec.structs.replace(clocks, last_ms=at_ms)
    used = list(clocks.spent_ms[side])
    used[_slot(clocks)] += max(0, at_ms - clocks.since_ms)
    return msgspec.structs.replace(
        clocks, running=None, last_ms=at_ms, spent_ms={**clocks.spent_ms, side: tuple(used)}
    )


def paused(clocks: Clocks, at_ms: Millis) -> Clocks:
    """Stop and mark all clocks as paused."""
    return msgspec.structs.replace(stopped(clocks, at_ms), is_paused=True)


def resumed(clocks: Clocks, at_ms: Millis) -> Clocks:
    """Lift the pause; the caller starts the clock that is due."""
    return msgspec.structs.replace(clocks, is_paused=False, last_ms=at_ms)


def corrected(clocks: Clocks, side: Side, delta_ms: Millis) -> Clocks:
    """Give (positive) or take (negative) time in the current stage."""
    given = list(clocks.corrected_ms[side])
    given[_slot(clocks)] += delta_ms
    return msgspec.structs.replace(clocks, corrected_ms={**clocks.corrected_ms, side: tuple(given)})


def charged(clocks: Clocks, side: Side, charged_ms: Millis) -> Clocks:
    """Charge time that no running interval measured (a gap, by the arbiter's word) to the current stage."""
    used = list(clocks.spent_ms[side])
    used[_slot(clocks)] += charged_ms
    return msgspec.structs.replace(clocks, spent_ms={**clocks.spent_ms, side: tuple(used)})


def with_stage(clocks: Clocks, stage: int) -> Clocks:
    """Move to a stage; its time becomes available. Stage 0 lies before the first; unknown ones change nothing."""
    if stage == 0:
        ordinal = -1
    elif stage in clocks.config.stages:
        ordinal = clocks.config.stages.index(stage)
    else:
        return clocks
    return clocks if ordinal == clocks.ordinal else msgspec.structs.replace(clocks, ordinal=ordinal)


def with_fall(clocks: Clocks, fall: Fall) -> Clocks:
    """Record a flag fall; the running interval has been stopped by the caller."""
    return msgspec.structs.replace(clocks, falls=(*clocks.falls, fall))


def without_fall(clocks: Clocks, side: Side, stage: int) -> Clocks:
    """Lift a flag after the arbiter gave time back."""
    kept = tuple(fall for fall in clocks.falls if (fall.side, fall.stage) != (side, stage))
    return msgspec.structs.replace(clocks, falls=kept)
