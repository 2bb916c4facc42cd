"""Time controls: what entries at exact instants say is what a clock of one-millisecond ticks shows, and undo loses nothing."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass, field
from importlib import resources

import msgspec
import pytest
from core_table import ALLIES, AXIS, Table, check_log
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.clock import ClockConfig
from companion.core.control import TimeControl
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, StepId
from companion.core.presets import ControlsFile, with_control
from companion.core.rules import Code, GameRules
from companion.core.setup import NationInfo, Setup, SideInfo

SIDES = (ALLIES, AXIS)
NATIONS = {"us": ALLIES, "gb": ALLIES, "de": AXIS, "it": AXIS}


class PlainRules(GameRules):
    """A game that is nothing but its sequence of play."""

    game = "plain"


def random_steps(rng: random.Random) -> tuple[Step, ...]:
    """Return some stages of turns in any order, some of the whole table, some with combat."""
    steps = [Step(StepId("setup"), 0, "setup", "setup")]
    for stage in (1, 2, 3):
        for turn in range(rng.randint(2, 5)):
            nation = rng.choice(list(NATIONS))
            side = NATIONS[nation]
            for act in rng.choice((("move",), ("move", "combat"), ("move", "combat", "place"))):
                steps.append(
                    Step(
                        StepId(f"s{stage}.{turn}.{act}"), stage, "play", act,
                        owners=(side,), clock=side, nation=nation,
                    )
                )  # fmt: skip
            if rng.random() < 0.2:
                steps.append(Step(StepId(f"s{stage}.{turn}.table"), stage, "table", "count"))
    return tuple(steps)


def random_control(rng: random.Random) -> TimeControl:
    """Return any control; its times are small, so that all of them run out."""
    some = rng.choice
    turn: dict[str, int] = some(({}, {}, {"allies": 700, "axis": 500}, {"us": 300, "gb": 900, "axis": 400}))
    tokens, periods = some((0, 0, 2, 5)), some((0, 0, 1, 3))
    return TimeControl(
        unit=some(("step", "turn", "stage")),
        turn_ms=turn,
        increment_ms=some((0, 0, 30, 250)),
        delay_ms=some((0, 0, 50, 400)),
        delay=some(("bronstein", "simple")),
        tokens=tokens,
        token_ms=some((100, 600)) if tokens else 0,
        token_use=some(("auto", "ask")),
        token_rest=some(("lost", "kept")),
        periods=periods,
        period_ms=some((80, 300)) if periods else 0,
        stops_in=some(((), (), ("combat",))),
        at_zero=some(("flag", "flag", "only_mark", "lose")),
    )


def table_of(steps: tuple[Step, ...], control: TimeControl, bank: dict, grace_ms: int, rules=None) -> Table:
    """Return a table at which a game with a control has begun."""
    return Table(
        Setup(
            game="plain",
            scenario="plain",
            title="Plain",
            sides=(SideInfo(ALLIES, "Allies"), SideInfo(AXIS, "Axis")),
            nations=tuple(NationInfo(n, n, side) for n, side in NATIONS.items()),  # type: ignore[arg-type]
            steps=steps,
            clock=ClockConfig("limit", bank, (1, 2, 3), True, grace_ms, control=control),
        ),
        rules or PlainRules(),
    )


@dataclass
class Pools:
    """What a side has, as a clock at the table would hold it."""

    bank: int = 0
    free: int = 0
    token: int = 0
    period: int = 0
    tokens: int = 0
    periods: int = 0
    in_period: bool = False
    is_over: bool = False
    over_by: int = 0

    @property
    def left(self) -> int:
        return self.free + self.bank + self.token + self.period


@dataclass
class Ticker:
    """A clock that ticks each millisecond; knows nothing of entries, sums or stages' books."""

    control: TimeControl
    bank: dict
    now: int
    pools: dict = field(default_factory=dict)
    step: Step | None = None
    stage: int = 0
    turn: dict = field(default_factory=dict)
    running: str | None = None
    fell: list = field(default_factory=list)

    def __post_init__(self) -> None:
        for side in SIDES:
            self.pools[side] = Pools(tokens=self.control.tokens, periods=self.control.periods)

    def enter(self, step: Step, before: Step, running: str | None) -> None:
        """Stand at a step from now on, behind another one in the sequence of play, with this side's clock running."""
        if step is not self.step:
            if step.stage != self.stage:
                for side in list(self.turn):
                    self.end(side)
                self.stage = step.stage
                for side in SIDES:
                    self.pools[side].bank += self.bank[side][step.stage - 1]
            is_same = (step.owners, step.nation) == (before.owners, before.nation)
            if self.control.unit == "step" or (self.control.unit == "turn" and not is_same):
                for side in list(self.turn):
                    self.end(side)
            self.step = step
            side = step.owners[0] if len(step.owners) == 1 else None
            is_clocked = step.clock and step.act not in self.control.stops_in
            if side is not None and is_clocked and side not in self.turn:
                self.turn[side] = True
                pool = self.pools[side]
                pool.bank += self.control.increment_ms
                own_ms = self.control.turn_ms
                pool.free = own_ms.get(step.nation or "", own_ms.get(side, 0)) + self.control.delay_ms
        self.running = running
        self.borders()

    def end(self, side: str) -> None:
        del self.turn[side]
        pool = self.pools[side]
        pool.free = pool.period = 0
        if self.control.token_rest == "lost":
            pool.token = 0
        else:
            pool.bank, pool.token = pool.bank + pool.token, 0
        pool.in_period = pool.is_over = False
        pool.over_by = 0

    def borders(self) -> None:
        """Do what a clock does at zero."""
        side = self.running
        if side is None:
            return
        pool = self.pools[side]
        if pool.left or pool.is_over:
            return
        if pool.tokens and self.control.token_use == "auto":
            pool.tokens -= 1
            self.add_token(pool)
            return
        if pool.in_period:
            pool.periods = max(0, pool.periods - 1)
        if pool.periods > 0:
            pool.in_period, pool.period = True, self.control.period_ms
            return
        self.fell.append((side, self.stage, self.now))
        if self.control.at_zero == "only_mark":
            pool.is_over = True
        else:
            self.running = None

    def add_token(self, pool: Pools) -> None:
        if self.control.token_rest == "lost":
            pool.token += self.control.token_ms
        else:
            pool.bank += self.control.token_ms

    def tick_to(self, at: int) -> None:
        while self.now < at:
            self.now += 1
            if self.running is None:
                continue
            pool = self.pools[self.running]
            for name in ("free", "bank", "token", "period"):
                if getattr(pool, name):
                    setattr(pool, name, getattr(pool, name) - 1)
                    break
            else:
                pool.over_by += 1
            self.borders()

    def correct(self, side: str, delta: int) -> None:
        """Give time, which pays first what was overrun, or take it from the bank."""
        pool = self.pools[side]
        if delta > 0:
            paid = min(pool.over_by, delta)
            pool.over_by -= paid
            pool.bank += delta - paid
            pool.is_over = pool.is_over and not pool.left
            return
        pool.bank += delta


def fallen(table: Table) -> list:
    return [
        (e.side, e.stage, e.at_ms)
        for entry in table.entries
        for e in entry.events
        if isinstance(e, ev.FlagFell | ev.TimeOverrun)
    ]


ALLOWED = (Code.FLAG_DUE, Code.NO_TOKEN, Code.NO_CLOCK, Code.BAD_VALUE, Code.FLAG_PENDING, Code.GAME_OVER)


def settle(table: Table) -> None:
    """Let everything be told that is due now."""
    grace = table.state.clocks.config.grace_ms
    while (due := ck.deadline(table.state.clocks)) is not None and due <= table.now:
        table.send(cm.SettleClock(table.now + grace), SYSTEM)


def compare(table: Table, ticker: Ticker) -> None:
    clocks = table.state.clocks
    for side in SIDES:
        pool = ticker.pools[side]
        if clocks.ordinal < 0:
            continue
        assert ck.remaining(clocks, side, table.now) == pool.left, side
        assert ck.tokens_left(ck.as_of(clocks, table.now), side) == pool.tokens
        assert ck.periods_left(ck.as_of(clocks, table.now), side) == pool.periods
        rests = ck.rests(clocks, side, table.now)
        assert rests is not None
        assert (rests.token_ms, rests.period_ms) == (pool.token, pool.period)
        assert (rests.turn_ms, rests.bank_ms) == (pool.free, pool.bank)
    assert fallen(table) == ticker.fell
    assert clocks.running == ticker.running


def scaled_presets() -> list[TimeControl]:
    """Return every preset that comes with the app, asked figures at 2, a thousand times as fast."""
    file = tomllib.loads((resources.files("scenarios") / "controls.toml").read_text(encoding="utf-8"))
    presets = msgspec.convert(file, ControlsFile).controls
    setup = table_of(random_steps(random.Random(1)), TimeControl(), dict.fromkeys(SIDES, (1, 1, 1)), 0)
    found = []
    for preset in presets:
        asked = dict.fromkeys(preset.ask, 2)
        control = with_control(setup.state.frozen_setup, presets, {"id": preset.id, **asked}).clock.control
        assert control is not None
        names = ("increment_ms", "delay_ms", "token_ms", "period_ms")
        times = {name: getattr(control, name) // 1000 for name in names}
        found.append(
            replace(control, turn_ms={who: ms // 1000 for who, ms in control.turn_ms.items()}, **times)
        )
    return found


@pytest.mark.parametrize("control", scaled_presets(), ids=lambda control: control.id)
def test_every_preset_equals_a_clock_that_ticks_each_millisecond(control: TimeControl) -> None:
    for seed in range(25):
        play(seed, control)


def play(seed: int, control: TimeControl | None = None) -> None:
    """Play a random game on both clocks and compare after everything that happens."""
    rng = random.Random(seed)
    control = control or random_control(rng)
    bank = {side: tuple(rng.choice((0, 300, 1500)) for _ in range(3)) for side in SIDES}
    table = table_of(random_steps(rng), control, bank, rng.choice((0, 250)))
    ticker = Ticker(control, bank, table.now)
    for _ in range(60):
        table.now += rng.choice((0, 1, 17, 80, 240, 600, 1400))
        ticker.tick_to(table.now)
        state, clocks = table.state, table.state.clocks
        act, delta, side = rng.random(), rng.choice((-200, -30, 100, 700)), rng.choice(SIDES)
        # What a correction takes beyond the bank is for the vectors: here a clock that ticks would have to owe time.
        delta = max(delta, -max(0, ticker.pools[side].bank)) or 40
        command: cm.Command
        if state.ending is not None:
            break
        if clocks.is_paused:
            command = cm.Resume(table.now)
        elif state.flag_prompt is not None:
            command = cm.AcknowledgeFlag(state.flag_prompt, state.step.id, table.now)
        elif act < 0.06:
            command = cm.Pause(table.now)
        elif act < 0.14:
            command = cm.CorrectTime(side, delta, table.now, "because")
        elif act < 0.2:
            command = cm.SpendToken(side, state.step.id, table.now)
        elif act < 0.3:
            command = cm.SettleClock(table.now)
        else:
            command = cm.EndAct(state.step.id, table.now, confirmed=True)
        refused = table.send(command, ARBITER)
        assert refused is None or refused.code in ALLOWED, refused
        if refused is None and isinstance(command, cm.CorrectTime) and clocks.ordinal >= 0:
            ticker.correct(side, delta)
        if refused is None and isinstance(command, cm.SpendToken):
            ticker.pools[side].tokens -= 1
            ticker.add_token(ticker.pools[side])
        state = table.state
        if refused is None and state.step.stage and not isinstance(command, cm.SettleClock):
            before = state.itinerary.steps[state.index - 1]
            ticker.enter(state.step, before, state.clocks.running)
        settle(table)
        compare(table, ticker)
    check_log(table)


def test_entries_at_exact_instants_equal_a_clock_that_ticks_each_millisecond() -> None:
    for seed in range(300):
        play(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000, 21_000, 1_000))
def test_twenty_thousand_games_equal_a_clock_that_ticks_each_millisecond(first: int) -> None:
    for seed in range(first, first + 1_000):
        play(seed)


def rests_of(table: Table) -> list:
    clocks = ck.as_of(table.state.clocks, table.now)
    return [
        (ck.rests(clocks, side, table.now), ck.tokens_left(clocks, side), ck.periods_left(clocks, side))
        for side in SIDES
    ]


def undo_and_do_again(seed: int) -> bool:
    """Play on two tables; at one, take some acts back and do them again at once. Return whether it came to that."""
    rng = random.Random(seed)
    control = random_control(rng)
    bank = {side: tuple(rng.choice((300, 1500)) for _ in range(3)) for side in SIDES}
    tables = [table_of(random_steps(random.Random(seed)), control, bank, 0) for _ in range(2)]
    waits = [rng.choice((0, 17, 80, 240, 600)) for _ in range(rng.randint(2, 14))]
    for wait in waits:
        for table in tables:
            table.now += wait
            if fallen(table) or table.send(cm.EndAct(table.state.step.id, table.now, confirmed=True)):
                return False
    table = tables[0]
    presses = [entry for entry in table.entries if isinstance(entry.command, cm.EndAct)]
    back = rng.randint(1, min(6, len(presses)))
    expected = rests_of(table)
    spent = [table.used(side) for side in SIDES]
    had_time = all(table.left(side) for side in SIDES) and not fallen(table)
    if rng.random() < 0.3:
        table.do(cm.Undo(table.now, presses[-back].seq))
        for _ in range(rng.randint(0, 1)):
            table.do(cm.Redo(table.now))
            table.do(cm.Undo(table.now, presses[-back].seq))
    else:
        for _ in range(back):
            table.do(cm.Undo(table.now))
    assert [table.used(side) for side in SIDES] == spent
    table.do(cm.Resume(table.now))
    settle(table)
    assert not had_time or not fallen(table), "an undo lets nobody's flag fall"
    if rng.random() < 0.3:
        while table.line.redo_target() is not None:
            table.do(cm.Redo(table.now))
        if table.state.ending is None:  # a game that has ended again stands
            table.do(cm.Resume(table.now))
    else:
        for _ in range(back):
            rejected = table.send(cm.EndAct(table.state.step.id, table.now, confirmed=True))
            if rejected is not None or fallen(table):
                return False
    assert table.state.step == tables[1].state.step
    assert rests_of(table) == expected == rests_of(tables[1])
    check_log(table)
    return True


def test_taking_acts_back_and_doing_them_again_at_once_costs_nobody_a_millisecond() -> None:
    assert sum(undo_and_do_again(seed) for seed in range(200)) > 80


@pytest.mark.long
def test_many_more_undos_cost_nobody_a_millisecond() -> None:
    assert sum(undo_and_do_again(seed) for seed in range(1_000, 8_000)) > 2_800
