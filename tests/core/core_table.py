"""What the core's tests share: a small game of three stages and a table that plays it with a hand-moved clock."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import UNSET

from companion.core.clock import ClockConfig, remaining, spent
from companion.core.codec import Codec
from companion.core.commands import Command, EndAct, EntryKind, Resume, StartGame
from companion.core.events import (
    ClockStopped,
    Event,
    FlagFell,
    FlagLifted,
    GameEnded,
    GapDecided,
    SegmentAppended,
    StepEntered,
    TimeCorrected,
)
from companion.core.flow import CheckItem, Step
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE, Actor, Millis, Side, StepId
from companion.core.rules import Accepted, Code, Context, Decision, GameRules, Loss, Rejected
from companion.core.setup import NationInfo, RulingInfo, Setup, SideInfo
from companion.core.state import GameState
from companion.core.text import Name, Say

ALLIES, AXIS = Side("allies"), Side("axis")
MINUTE = 60_000
STAGES = (1, 2, 3)


class Roll(Command, frozen=True, tag=True):
    """Roll dice: cannot be undone without asking."""

    value: int


class Rolled(Event, frozen=True, tag=True):
    """Dice were rolled."""

    value: int


class Grow(Command, frozen=True, tag=True):
    """Append one step to the sequence of play."""

    name: str


class Finish(Command, frozen=True, tag=True):
    """End the game from within the game's own rules."""

    at_ms: Millis
    kind: ClassVar[EntryKind] = "act"


class ToyRules(GameRules):
    """Rules that use every question of the port."""

    game = "toy"
    commands = (Roll, Grow, Finish)
    events = (Rolled,)

    def initial(self, setup: Setup) -> object:  # noqa: ARG002
        return ()

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        match command:
            case Roll(value):
                return Accepted((Rolled(value),)) if value <= 12 else Rejected("bad_die", f"{value}")
            case Grow(name):
                return Accepted((SegmentAppended((Step(StepId(name), 3, "extra", "act"),)),))
            case Finish(at_ms):
                return Accepted((GameEnded(ALLIES, "finished", "minor", at_ms),))
        return super().decide(state, command, ctx)

    def evolve(self, state: GameState, event: Event) -> object:
        slice_: tuple[Any, ...] = state.game
        match event:
            case Rolled(value):
                return (*slice_, value)
            case StepEntered() if state.step.id == "s2.begin":
                return (*slice_, "stage 2")
        return slice_

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        if step.id == "s3.v.check" and state.rulings.get("sudden") == "yes":
            return (GameEnded(AXIS, "sudden", at_ms=at_ms),)
        return (Rolled(0),) if step.id == "s3.begin" else ()

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        if step.id == "s1.v.check" and "s1.v.check" not in state.ticked:
            return Rejected(Code.STILL_OPEN, "nothing is ticked")
        return None

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        if step.id == "s2.v.check" and state.rulings.get("early") == "yes":
            return (GameEnded(ALLIES, "early", at_ms=at_ms),)
        return ()

    def skips(self, state: GameState, step: Step) -> bool:
        return step.phase == "resupply" and state.rulings.get("resupply") == "no"

    def flag_losses(self, state: GameState, side: Side) -> tuple[Loss, ...]:  # noqa: ARG002
        return (Loss("loss", Say("{side} loses its acts", side=Name("side", side))),)

    def is_irreversible(self, event: Event) -> bool:
        return isinstance(event, Rolled) and event.value > 0

    def printed_fault(self, state: GameState, key: str, value: object) -> str | None:
        if key.startswith("vp."):
            return None if isinstance(value, int) else f"{key}: expected a whole number, got {value!r}"
        return super().printed_fault(state, key, value)


def toy_steps() -> tuple[Step, ...]:
    """Set-up, then three stages of moves, a check and, but for the last, resupply."""
    steps = [Step(StepId("setup"), 0, "setup", "setup", checks=("units",))]
    for stage in STAGES:
        steps.append(Step(StepId(f"s{stage}.begin"), stage, "begin", "begin"))
        order = (ALLIES, AXIS) if stage % 2 else (AXIS, ALLIES)
        for side in order:
            for act in ("move", "resolve"):
                steps.append(
                    Step(StepId(f"s{stage}.t1.{side}.{act}"), stage, "tactical", act, 1, (side,), side)
                )
        steps.append(Step(StepId(f"s{stage}.v.check"), stage, "victory", "check", checks=("vp", "tiles")))
        if stage < STAGES[-1]:
            for side in order:
                steps.append(
                    Step(StepId(f"s{stage}.r.{side}.place"), stage, "resupply", "place", None, (side,), side)
                )
    return tuple(steps)


def toy_setup(
    *,
    mode: str = "limit",
    tournament: bool = True,
    allotted: dict[str, tuple[Millis, ...]] | None = None,
    grace_ms: Millis = 250,
) -> Setup:
    """Return the small game; by default a tournament with one minute a side and stage."""
    if mode != "limit":
        clock = ClockConfig(mode, {}, STAGES)  # type: ignore[arg-type]
    else:
        minutes = allotted or dict.fromkeys((ALLIES, AXIS), (MINUTE,) * len(STAGES))
        clock = ClockConfig("limit", minutes, STAGES, tournament, grace_ms)
    return Setup(
        game="toy",
        scenario="toy",
        title="Toy",
        sides=(SideInfo(ALLIES, "Allies"), SideInfo(AXIS, "Axis")),
        nations=(NationInfo("us", "United States", ALLIES), NationInfo("italy", "Italy", AXIS)),  # type: ignore[arg-type]
        steps=toy_steps(),
        clock=clock,
        checks={"units": CheckItem("units", "Place units", "Set Up")},
        rulings={"resupply": "yes"},
        ruling_infos=(
            RulingInfo("resupply", "Is there resupply?", ("yes", "no"), "yes"),
            RulingInfo("early", "May the game end early?", ("no", "yes"), "no"),
            RulingInfo("sudden", "May the game end at the check?", ("no", "yes"), "no"),
            RulingInfo("free", "Anything", (), ""),
        ),
    )


class Table:
    """A game at a table: sends commands to a timeline and stores what they lead to, as the shell does."""

    def __init__(self, setup: Setup | None = None, rules: Any = None, *, start: bool = True) -> None:
        self.rules = rules or ToyRules()
        self.line = Timeline(self.rules)
        self.now = 1_000
        if start:
            self.do(StartGame(setup or toy_setup(), self.now))

    @property
    def state(self) -> GameState:
        return self.line.state

    @property
    def entries(self) -> list[Entry]:
        return self.line.entries

    def send(self, command: Command, actor: Actor = TABLE, *, now: Millis | None = None) -> Rejected | None:
        """Decide a command now, store what it led to, and return the refusal."""
        decided = self.now if now is None else now
        handled = self.line.handle(command, Context(actor, decided))
        for draft in handled.drafts:
            self.line.append(Entry(self.line.next_seq, draft.command, draft.events, actor, "test", decided))
        assert self.line.state == handled.state, "the state handed out differs from the state after storing"
        return handled.rejected

    def do(self, command: Command, actor: Actor = TABLE) -> tuple[Event, ...]:
        """Send a command that must be taken; return the events of its own entry."""
        before = len(self.entries)
        rejected = self.send(command, actor)
        assert rejected is None, f"{command}: {rejected}"
        return self.entries[-1].events if len(self.entries) > before else ()

    def refused(self, command: Command, actor: Actor = TABLE) -> Rejected:
        """Send a command that must be refused without a trace; return the refusal."""
        before, count = self.state, len(self.entries)
        rejected = self.send(command, actor)
        assert rejected is not None, f"{command} was taken"
        assert (self.state, len(self.entries)) == (before, count)
        return rejected

    def press(self, after_ms: Millis = 0, actor: Actor = TABLE) -> tuple[Event, ...]:
        """End the current step after a while, ticking off what asks."""
        self.now += after_ms
        return self.do(EndAct(self.state.step.id, self.now, confirmed=True), actor)

    def press_to(self, step: str, each_ms: Millis = 0) -> None:
        """End steps until one is reached."""
        while self.state.step.id != step:
            self.press(each_ms)

    def resume(self) -> None:
        """Let the clock run on."""
        self.do(Resume(self.now))

    def left(self, side: Side) -> Millis | None:
        """What a side has left now."""
        return remaining(self.state.clocks, side, self.now)

    def used(self, side: Side) -> Millis:
        """What a side has used in the whole game."""
        return spent(self.state.clocks, side, self.now)

    def folded(self) -> GameState:
        """The state of the stored log, read back through its JSON form."""
        codec = Codec(self.rules)
        entries = [
            Entry(
                e.seq,
                codec.decode_command(codec.encode_command(e.command)),
                codec.decode_events(codec.encode_events(e.events)),
                e.actor,
                e.source,
                e.at_ms,
            )
            for e in self.entries
        ]
        return Timeline(self.rules, entries).state


def check_log(table: Table) -> None:
    """Check what must hold of every log: fold, decisions made again, and the clocks' bookkeeping."""
    assert table.folded() == table.state
    again = Timeline(table.rules)
    for entry in table.entries:
        handled = again.handle(entry.command, Context(entry.actor, entry.at_ms))
        assert [draft.events for draft in handled.drafts] == [entry.events], entry
        again.append(entry)
        acts = (e for e in reversed(again.entries) if e.command.kind == "act" and again.counts(e.seq))
        assert again.undo_target() == next(acts, None)
    check_clocks(table)


def check_clocks(table: Table) -> None:
    """Check the clocks against the log: every millisecond was measured by a stopped interval or charged by the
    arbiter, falls stand in their order, and exactly the clock runs that should."""
    measured = dict.fromkeys((ALLIES, AXIS), 0)
    given = dict.fromkeys((ALLIES, AXIS), 0)
    falls: list[tuple[Side, int]] = []
    for entry in table.entries:
        for event in entry.events:
            match event:
                case ClockStopped(side, _, charged_ms):
                    measured[side] += charged_ms
                case GapDecided(charged_to, charged_ms) if charged_to is not None:
                    measured[charged_to] += charged_ms
                case TimeCorrected(side, delta_ms):
                    given[side] += delta_ms
                case FlagFell(side, stage):
                    falls.append((side, stage))
                case FlagLifted(side, stage):
                    newest = max(i for i, fall in enumerate(falls) if fall == (side, stage))
                    del falls[newest]
    clocks = table.state.clocks
    for side in clocks.sides:
        assert sum(clocks.spent_ms[side]) == measured[side]
        assert sum(clocks.corrected_ms[side]) == given[side]
        assert (remaining(clocks, side, table.now) or 0) >= 0
    assert [(fall.side, fall.stage) for fall in clocks.falls] == falls
    assert clocks.running == _should_run(table.state)
    stage = table.state.step.stage
    assert clocks.config.mode == "none" or clocks.ordinal == (
        clocks.config.stages.index(stage) if stage else -1
    )


def _should_run(state: GameState) -> Side | None:
    """Whose clock the rules of the clocks want to run."""
    side = state.step.clock
    turns = {} if state.clocks.turns is UNSET else state.clocks.turns.open
    out = [
        (fall.side, fall.stage)
        for fall in state.clocks.falls
        if fall.turn is UNSET or fall.turn == turns.get(fall.side)
    ]
    if state.clocks.config.mode == "none" or state.clocks.is_paused or state.ending is not None:
        return None
    if side is None or state.flag_prompt is not None or (side, state.step.stage) in out:
        return None
    return side
