"""Any sequence of commands at a table: the log folds to the live state, decides the same again, and time adds up."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from core_table import ALLIES, AXIS, Finish, Grow, Roll, Table, check_clocks, check_log, toy_setup
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.control import TimeControl
from companion.core.ids import ARBITER, SYSTEM, TABLE, Actor, Side
from companion.core.rules import Code

SIDES = st.sampled_from((ALLIES, AXIS))
ACTORS = st.sampled_from((TABLE, ARBITER, SYSTEM, Actor("allies"), Actor("axis")))
LATE_MS = st.sampled_from((0, 0, 1, 40, 249, 250, 900, 60_000))
GRANTS = st.lists(st.sampled_from((1, 700, 5_000, 20_000, 60_000)), min_size=3, max_size=3).map(tuple)
CONTROLS = (
    TimeControl(unit="step", increment_ms=2_000, at_zero="lose"),
    TimeControl(unit="turn", delay_ms=3_000, delay="simple", tokens=2, token_ms=5_000, stops_in=("resolve",)),
    TimeControl(
        unit="turn", turn_ms={"allies": 9_000, "axis": 4_000}, tokens=1, token_ms=7_000, token_use="ask"
    ),
    TimeControl(unit="stage", periods=3, period_ms=4_000, at_zero="only_mark"),
    TimeControl(unit="step", periods=2, period_ms=700, tokens=1, token_ms=900, token_rest="kept"),
)


class CoreMachine(RuleBasedStateMachine):
    """A table at which anyone may do anything at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(start=False)
        self.boots = 1

    @initialize(
        mode=st.sampled_from(("limit", "limit", "limit", "count_up", "none")),
        tournament=st.booleans(),
        allies=GRANTS,
        axis=GRANTS,
        grace=st.sampled_from((0, 250)),
        presses=st.integers(0, 20),
        control=st.sampled_from((None, None, *CONTROLS)),
    )
    def start(  # noqa: PLR0917
        self,
        mode: str,
        tournament: bool,
        allies: tuple,
        axis: tuple,
        grace: int,
        presses: int,
        control: TimeControl | None,
    ) -> None:
        allotted = {ALLIES: allies, AXIS: axis}
        setup = toy_setup(mode=mode, tournament=tournament, allotted=allotted, grace_ms=grace)
        if mode == "limit":
            setup = replace(setup, clock=replace(setup.clock, control=control))
        self.table = Table(setup)
        for _ in range(presses):
            self.go_on(100)

    @property
    def step(self):
        return self.table.state.step.id

    def go_on(self, ms: int) -> None:
        """Do what a table does most: answer what is asked, think for a while, and press."""
        table = self.table
        table.now += ms
        table.send(cm.SettleClock(table.now), SYSTEM)
        if table.state.clocks.is_paused:
            table.send(cm.Resume(table.now))
        if table.state.flag_prompt is not None:
            table.send(cm.AcknowledgeFlag(table.state.flag_prompt, self.step, table.now))
        else:
            table.send(cm.EndAct(self.step, table.now, confirmed=True))

    @rule(ms=st.lists(st.sampled_from((0, 1, 400, 6_000, 30_000)), min_size=1, max_size=6))
    def play_on(self, ms: list[int]) -> None:
        for each in ms:
            self.go_on(each)

    @rule(ms=st.sampled_from((1, 5_000, 61_000)))
    def play_one(self, ms: int) -> None:
        self.go_on(ms)

    @rule(ms=st.sampled_from((1, 50, 249, 251, 3_000, 25_000, 90_000)), is_told=st.booleans())
    def time_passes(self, ms: int, is_told: bool) -> None:
        self.table.now += ms
        if is_told:
            self.table.send(cm.SettleClock(self.table.now), SYSTEM)

    @rule(actor=ACTORS, late=LATE_MS)
    def press(self, actor: Actor, late: int) -> None:
        self.table.send(cm.EndAct(self.step, self.table.now - late, confirmed=True), actor)

    @rule(late=LATE_MS)
    def press_twice(self, late: int) -> None:
        table, step = self.table, self.step
        if table.send(cm.EndAct(step, table.now, confirmed=True)) is not None:
            return
        moved = table.state.index
        rejected = table.send(cm.EndAct(step, table.now - late, confirmed=True), SYSTEM)
        assert rejected is not None
        assert rejected.code in (Code.STALE_STEP, Code.GAME_OVER, Code.FLAG_DUE)
        assert table.state.index == moved

    @rule(data=st.data())
    def press_at_any_step(self, data: st.DataObject) -> None:
        steps = self.table.state.itinerary.steps
        aimed = data.draw(st.sampled_from(steps)).id
        before = self.step
        rejected = self.table.send(cm.EndAct(aimed, self.table.now, confirmed=True))
        assert rejected is not None or aimed == before

    @rule(data=st.data(), actor=ACTORS)
    def jump(self, data: st.DataObject, actor: Actor) -> None:
        to = data.draw(st.sampled_from(self.table.state.itinerary.steps)).id
        self.table.send(cm.JumpTo(self.step, to, self.table.now), actor)

    @rule(side=SIDES, late=LATE_MS, actor=ACTORS)
    def spend_a_token(self, side: Side, late: int, actor: Actor) -> None:
        self.table.send(cm.SpendToken(side, self.step, self.table.now - late), actor)

    @rule(done=st.booleans())
    def tick(self, done: bool) -> None:
        checks = self.table.state.step.checks
        self.table.send(cm.TickCheck(self.step, checks[0] if checks else "none", done))

    @rule(late=LATE_MS)
    def pause(self, late: int) -> None:
        self.table.send(cm.Pause(self.table.now - late))

    @rule()
    def resume(self) -> None:
        self.table.send(cm.Resume(self.table.now))

    @rule()
    def adjourn(self) -> None:
        self.table.send(cm.Adjourn(self.table.now))

    @precondition(lambda self: self.table.state.flag_prompt is not None)
    @rule()
    def carry_out_the_flag(self) -> None:
        side = self.table.state.flag_prompt
        self.table.send(cm.Resume(self.table.now))
        assert self.table.send(cm.AcknowledgeFlag(side, self.step, self.table.now)) is None or (
            self.table.state.ending is not None
        )

    @rule(side=SIDES, delta=st.sampled_from((-60_000, -5_000, -1, 0, 1, 4_000, 60_000)), actor=ACTORS)
    def correct(self, side: Side, delta: int, actor: Actor) -> None:
        self.table.send(cm.CorrectTime(side, delta, self.table.now, "because"), actor)

    @rule(
        ruling=st.sampled_from(("resupply", "early", "sudden", "free")),
        value=st.sampled_from(("yes", "no")),
        actor=ACTORS,
    )
    def rule_on(self, ruling: str, value: str, actor: Actor) -> None:
        self.table.send(cm.SetRuling(ruling, value), actor)

    @rule(value=st.one_of(st.none(), st.integers(0, 5)))
    def enter_printed_value(self, value: int | None) -> None:
        self.table.send(cm.EnterPrintedValue("vp.rome", value))

    @rule(value=st.integers(0, 14))
    def roll(self, value: int) -> None:
        self.table.send(Roll(value))

    @rule()
    def grow(self) -> None:
        self.table.send(Grow(f"extra{len(self.table.entries)}"))

    @precondition(lambda self: len(self.table.entries) > 25)
    @rule(which=st.sampled_from(("finish", "end")))
    def end(self, which: str) -> None:
        command = Finish(self.table.now) if which == "finish" else cm.EndGame(self.table.now, None, "x")
        self.table.send(command)

    @rule(late=LATE_MS)
    def undo(self, late: int) -> None:
        self.table.send(cm.Undo(self.table.now - late, confirmed=True))

    @rule(data=st.data())
    def undo_to(self, data: st.DataObject) -> None:
        seq = data.draw(st.integers(1, len(self.table.entries)))
        self.table.send(cm.Undo(self.table.now, to_seq=seq, confirmed=True))

    @rule()
    def redo(self) -> None:
        self.table.send(cm.Redo(self.table.now))

    @rule()
    def do_undo_do_undo(self) -> None:
        """Undo, redo, undo, redo: the same two positions, and no time given back."""
        table = self.table
        table.send(cm.SettleClock(table.now + 250), SYSTEM)
        first = (table.state.index, table.state.game, table.state.ending, table.state.ticked)
        if table.send(cm.Undo(table.now, confirmed=True)) is not None:
            return
        second = (table.state.index, table.state.game, table.state.ending, table.state.ticked)
        used = [table.used(side) for side in (ALLIES, AXIS)]
        for _ in range(2):
            assert table.send(cm.Redo(table.now)) is None
            assert (table.state.index, table.state.game, table.state.ending, table.state.ticked) == first
            assert table.send(cm.Undo(table.now, confirmed=True)) is None
            assert (table.state.index, table.state.game, table.state.ending, table.state.ticked) == second
        assert [table.used(side) for side in (ALLIES, AXIS)] == used

    @rule(
        known=st.integers(0, 70_000),
        gap=st.one_of(st.none(), st.integers(0, 100_000)),
        cause=st.sampled_from(("power", "crash", "closed")),
    )
    def restart(self, known: int, gap: int | None, cause: str) -> None:
        table = self.table
        last = min(table.now, table.state.clocks.last_ms + known)
        table.now = 17 * self.boots
        self.boots += 1
        assert table.send(cm.ResumeGame(table.now, last, gap, cause), SYSTEM) is None
        assert table.state.clocks.running is None

    @rule(known=st.integers(0, 70_000), slept=st.integers(1_000, 100_000))
    def sleep(self, known: int, slept: int) -> None:
        table = self.table
        last = min(table.now, table.state.clocks.last_ms + known)
        assert table.send(cm.StopForSleep(table.now, last, slept), SYSTEM) is None

    @rule(side=st.one_of(st.none(), SIDES), ms=st.sampled_from((0, 1, 5_000, 90_000)), actor=ACTORS)
    def decide_gap(self, side: Side | None, ms: int, actor: Actor) -> None:
        self.table.send(cm.DecideGap(side, ms, self.table.now), actor)

    @invariant()
    def clocks_add_up(self) -> None:
        if self.table.entries:
            check_clocks(self.table)

    @invariant()
    def a_prompt_is_about_this_stage(self) -> None:
        state = self.table.state
        if state.flag_prompt is not None:
            assert ck.fallen(state.clocks, state.flag_prompt, state.step.stage)

    @invariant()
    def the_position_is_a_step_of_the_game(self) -> None:
        state = self.table.state
        if self.table.entries:
            assert 0 <= state.index < len(state.itinerary)

    def teardown(self) -> None:
        if self.table.entries:
            check_log(self.table)


TestCoreMachine = CoreMachine.TestCase
TestCoreMachine.settings = settings(stateful_step_count=40)


@pytest.mark.long
def test_many_more_and_longer_games() -> None:
    """The same over thousands of games, not the same ones each time."""
    run_state_machine_as_test(
        CoreMachine, settings=settings(stateful_step_count=120, max_examples=800, derandomize=False)
    )


WEIGHTS = {
    "play_on": 8, "play_one": 8, "press": 4, "press_twice": 2, "press_at_any_step": 2, "time_passes": 4, "jump": 1,
    "tick": 1, "pause": 2, "resume": 3, "adjourn": 1, "correct": 2, "rule_on": 1, "enter_printed_value": 1, "roll": 1,
    "grow": 1, "undo": 4, "undo_to": 2, "redo": 4, "restart": 1, "sleep": 1, "decide_gap": 2,
    "spend_a_token": 2,
}  # fmt: skip
"""How often a table does what; Hypothesis tries everything equally often and seldom plays far."""


@pytest.mark.parametrize("seed", range(12))
def test_long_evenings(seed: int) -> None:
    play_evenings(seed, games=4, commands=120)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_long_evenings(seed: int) -> None:
    play_evenings(seed, games=25, commands=200)


def play_evenings(seed: int, games: int, commands: int) -> None:
    """Play seeded random games by weight, with every check of the machine."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(games):
        machine = CoreMachine()
        grants = [tuple(chance.choice((700, 5_000, 20_000, 60_000)) for _ in range(3)) for _ in range(2)]
        mode = chance.choice(("limit", "limit", "limit", "limit", "count_up", "none"))
        allotted = dict(zip((ALLIES, AXIS), grants, strict=True))
        setup = toy_setup(
            mode=mode,
            tournament=chance.random() < 0.6,
            allotted=allotted,
            grace_ms=chance.choice((0, 250)),
        )
        if mode == "limit":
            setup = replace(setup, clock=replace(setup.clock, control=chance.choice((None, *CONTROLS))))
        machine.table = Table(setup)
        for _ in range(commands):
            name = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            _do(machine, name, chance)
            machine.clocks_add_up()
            machine.a_prompt_is_about_this_stage()
        machine.teardown()
        seen.update(type(event).__name__ for entry in machine.table.entries for event in entry.events)
    assert seen["ClockStopped"] > 5 * games
    assert seen["TimeKept"] > 2 * games


def _do(machine: CoreMachine, name: str, chance: random.Random) -> None:
    table, pick = machine.table, chance.choice
    side, late = pick((ALLIES, AXIS)), pick((0, 0, 1, 40, 249, 250, 900, 60_000))
    actor = pick((TABLE, ARBITER, SYSTEM, Actor("allies"), Actor("axis")))
    match name:
        case "play_on":
            machine.play_on([pick((0, 1, 400, 6_000, 30_000)) for _ in range(chance.randint(1, 6))])
        case "play_one":
            machine.go_on(pick((1, 5_000, 61_000)))
        case "press":
            machine.press(actor, late)
        case "press_twice":
            machine.press_twice(late)
        case "press_at_any_step":
            table.send(cm.EndAct(pick(table.state.itinerary.steps).id, table.now, confirmed=True))
        case "time_passes":
            machine.time_passes(pick((1, 50, 249, 251, 3_000, 25_000, 90_000)), chance.random() < 0.5)
        case "jump":
            table.send(cm.JumpTo(machine.step, pick(table.state.itinerary.steps).id, table.now), actor)
        case "spend_a_token":
            machine.spend_a_token(side, late, actor)
        case "tick":
            machine.tick(chance.random() < 0.7)
        case "pause":
            machine.pause(late)
        case "correct":
            machine.correct(side, pick((-60_000, -5_000, -1, 0, 1, 4_000, 60_000)), ARBITER)
        case "rule_on":
            machine.rule_on(pick(("resupply", "early", "sudden", "free")), pick(("yes", "no")), actor)
        case "enter_printed_value":
            machine.enter_printed_value(pick((None, 1, 2)))
        case "roll":
            machine.roll(chance.randint(0, 14))
        case "undo":
            machine.undo(late)
        case "undo_to":
            table.send(cm.Undo(table.now, chance.randint(1, len(table.entries)), confirmed=True))
        case "restart":
            machine.restart(
                chance.randint(0, 70_000), pick((None, 5_000, 100_000)), pick(("power", "crash", "closed"))
            )
        case "sleep":
            machine.sleep(chance.randint(0, 70_000), chance.randint(1_000, 100_000))
        case "decide_gap":
            machine.decide_gap(pick((None, side)), pick((0, 1, 5_000, 90_000)), actor)
        case _:
            getattr(machine, name)()
