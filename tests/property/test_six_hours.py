"""Long games against exact arithmetic kept beside them: not one millisecond is lost or made."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from core_table import ALLIES, AXIS, Table, check_log, toy_setup

from companion.core import commands as cm
from companion.core.clock import ClockConfig
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, Actor, Side, StepId
from companion.core.setup import Setup

HOUR = 3_600_000


def long_setup(presses: int) -> Setup:
    """Six stages of equal length with as many steps as there are presses, sides in turn by twos."""
    per_stage = presses // 6
    steps = [Step(StepId("setup"), 0, "setup", "setup")]
    for i in range(presses):
        side = (ALLIES, AXIS)[i // 2 % 2]
        steps.append(Step(StepId(f"x{i}"), 1 + min(5, i // per_stage), "tactical", "act", 1, (side,), side))
    base = toy_setup()
    fields = {name: getattr(base, name) for name in base.__struct_fields__}
    clock = ClockConfig("limit", dict.fromkeys((ALLIES, AXIS), (HOUR,) * 6), (1, 2, 3, 4, 5, 6), True)
    return Setup(**{**fields, "steps": tuple(steps), "clock": clock})


def test_six_hours_and_ten_thousand_presses_are_exact() -> None:
    """Six hours of play; stamps are true, delivery is late, and the reckoning beside is in exact seconds."""
    presses, chance = 10_000, random.Random(6)
    table = Table(long_setup(presses))
    cuts = sorted(chance.sample(range(6 * HOUR), presses - 1))
    table.do(cm.EndAct(StepId("setup"), table.now))
    start = table.now
    used = {ALLIES: Fraction(0), AXIS: Fraction(0)}
    since = Fraction(start, 1000)
    for i, cut in enumerate([*cuts, 6 * HOUR]):
        step = table.state.step
        stamp = start + cut
        table.now = stamp + chance.randint(0, 30)
        side = step.clock
        assert side is not None
        used[side] += Fraction(stamp, 1000) - since
        since = Fraction(stamp, 1000)
        assert table.send(cm.EndAct(step.id, stamp), Actor(side)) is None
        if i % 100 == 0:  # a second finger on the same step, a millisecond later
            assert table.send(cm.EndAct(step.id, stamp + 1), SYSTEM) is not None
    assert table.state.ending is not None
    for side in (ALLIES, AXIS):
        assert Fraction(table.used(side), 1000) == used[side]
        assert Fraction(table.left(side) or 0, 1000) == 6 * HOUR // 1000 - used[side]
    assert sum(used.values()) == 6 * HOUR // 1000
    assert len(table.entries) == presses + 2


class Reckoning:
    """The clocks again, kept naively: one number a side and stage, no events."""

    def __init__(self, stages: int, grant_ms: int) -> None:
        self.used: dict[tuple[Side, int], int] = {}
        self.corrected: dict[tuple[Side, int], int] = {}
        self.grant_ms, self.stages = grant_ms, stages

    def charge(self, side: Side, stage: int, ms: int) -> None:
        self.used[side, stage] = self.used.get((side, stage), 0) + ms

    def left(self, side: Side, stage: int) -> int:
        given = self.grant_ms * stage + sum(
            ms for (who, s), ms in self.corrected.items() if who == side and s <= stage
        )
        return given - sum(ms for (who, s), ms in self.used.items() if who == side and s <= stage)


@pytest.mark.parametrize("seed", range(8))
def test_pauses_power_cuts_sleep_undo_and_corrections_keep_the_reckoning(seed: int) -> None:
    chance = random.Random(seed)
    table = Table(long_setup(600))
    book = Reckoning(6, HOUR)
    table.press()
    for _ in range(900):
        if table.state.ending is not None:
            break
        step, stage = table.state.step, table.state.step.stage
        spent = chance.choice((0, 1, 17, 999, 5_000))
        table.now += spent
        if table.state.clocks.running is not None:
            book.charge(table.state.clocks.running, stage, spent)
        what = chance.random()
        if table.state.clocks.is_paused:
            table.do(cm.Resume(table.now))
        elif what < 0.6:
            table.do(cm.EndAct(step.id, table.now))
        elif what < 0.7:
            table.do(cm.Pause(table.now))
        elif what < 0.8:
            table.do(cm.Undo(table.now, confirmed=True)) if table.line.undo_target() else None
        elif what < 0.85:
            side, delta = chance.choice((ALLIES, AXIS)), chance.choice((-700, 1, 30_000))
            table.do(cm.CorrectTime(side, delta, table.now, "x"), ARBITER)
            book.corrected[side, stage] = book.corrected.get((side, stage), 0) + delta
        elif what < 0.9:
            seen = table.now
            table.now = chance.randint(0, 99)
            table.do(cm.ResumeGame(table.now, seen, chance.choice((None, 77_000)), "power"), SYSTEM)
        elif what < 0.95:
            table.do(cm.StopForSleep(table.now + 60_000, table.now, 60_000), SYSTEM)
            table.now += 60_000
        elif table.state.gap is not None:
            gap = table.state.gap.gap_ms or 5_000
            table.do(cm.DecideGap(AXIS, gap, table.now), ARBITER)
            book.charge(AXIS, stage, gap)
        for side in (ALLIES, AXIS):
            if table.state.step.stage:
                assert table.left(side) == book.left(side, table.state.step.stage)
    check_log(table)


def test_wall_clock_and_boot_change_nothing() -> None:
    """The same intervals on four boots with wild offsets use the same time as on one."""
    used = []
    for boots in (1, 4):
        table = Table(long_setup(60))
        table.press()
        for i in range(40):
            table.press(1_000 + i)
            if boots > 1 and i % 10 == 9:
                last, table.now = table.now, (7, 10**9, 3)[i // 10 % 3]
                table.do(cm.ResumeGame(table.now, last, 10**7, "power"), SYSTEM)
                table.resume()
        used.append((table.used(ALLIES), table.used(AXIS)))
    assert used[0] == used[1]
