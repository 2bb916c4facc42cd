"""Whatever happens at the table and to the box, the file folds to the live state and decides to itself again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.history import Timeline
from companion.core.ids import ARBITER, TABLE, Actor, StepId
from companion.core.rules import Context, GameRules
from companion.session.game_session import GameSession, fold
from companion.session.journal import Journal
from companion.session.timesource import ManualTime
from companion.testing.sample import sample_setup

RULES = GameRules()
OPS = (
    "press",
    "press",
    "press",
    "late press",
    "stale press",
    "pause",
    "resume",
    "resume",
    "undo",
    "undo all",
    "redo",
    "correct",
    "jump",
    "acknowledge",
    "note",
    "gap",
    "adjourn",
    "sleep",
    "wall",
    "cut",
    "crash",
    "close",
)
MOVES = st.tuples(st.sampled_from(OPS), st.sampled_from((0, 1, 250, 900, 20_000, 61_000, 180_000)))


def rules_of(_game: str) -> GameRules:
    """The sample game goes by its sequence of play alone."""
    return RULES


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: these tests are about states, not about the disk."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def command_of(op: str, session: GameSession, now: int) -> tuple[cm.Command, Actor] | None:
    """Return what is sent for an operation; None for what happens to the box."""
    state = session.change.state
    step = state.step.id
    match op:
        case "press":
            return cm.EndAct(step, now), TABLE
        case "late press":
            return cm.EndAct(step, max(0, now - 200)), TABLE
        case "stale press":
            return cm.EndAct(StepId(state.itinerary.steps[0].id), now), TABLE
        case "pause":
            return cm.Pause(now), TABLE
        case "resume":
            return cm.Resume(now), TABLE
        case "adjourn":
            return cm.Adjourn(now), TABLE
        case "undo":
            return cm.Undo(now, confirmed=True), TABLE
        case "undo all":
            return cm.Undo(now, to_seq=max(2, len(session.entries()) - 4), confirmed=True), TABLE
        case "redo":
            return cm.Redo(now), TABLE
        case "correct":
            return cm.CorrectTime(state.clocks.sides[now % 2], 45_000, now, "dice"), ARBITER
        case "jump":
            to = state.itinerary.steps[now % len(state.itinerary)].id
            return cm.JumpTo(step, to, now), ARBITER
        case "acknowledge":
            side = state.flag_prompt or state.clocks.sides[0]
            return cm.AcknowledgeFlag(side, step, now), ARBITER
        case "note":
            return cm.AddNote(f"note at {now}"), TABLE
        case "gap":
            return cm.DecideGap(state.clocks.sides[0], 1_000, now), ARBITER
    return None


class Evening:
    """A game and the box that it is played on."""

    def __init__(self, folder: Path, *, tournament: bool) -> None:
        self.path = Path(tempfile.mkdtemp(dir=folder)) / "game.tcgame"
        self.time = ManualTime(1_000)
        setup = sample_setup(tournament=tournament, minutes=2)
        self.session = GameSession.create(self.path, setup, rules_of, self.time, app_version="1")
        self.boots = 1

    def happen(self, op: str, wait_ms: int) -> None:
        """Let time pass, then do one thing."""
        self.time.advance(wait_ms)
        self.session.sync()
        sent = command_of(op, self.session, self.time.now_ms())
        if sent is not None:
            self.session.ask(Envelope(sent[0], sent[1])).result(60)
        elif op == "sleep":
            self.time.sleep_machine(30_000)
            self.session.sync()
        elif op == "wall":
            self.time.jump_wall(-3_600_000)
        else:
            self.restart(op)

    def restart(self, op: str) -> None:
        """Lose the program, and perhaps the machine, and open the game again."""
        before = self.session.change.state
        if op == "close":
            self.session.close()
        else:
            self.session.cut_power()
        if op == "cut":
            self.boots += 1
            self.time.reboot(f"boot-{self.boots}", 7_000, away_ms=40_000)
        self.session = GameSession.open(self.path, rules_of, self.time, app_version="1")
        after = self.session.change.state
        assert after.step == before.step
        assert after.clocks.running is None
        assert self.session.recovery is None

    def check(self) -> None:
        """Hold the file against the live state."""
        live = self.session.change.state
        time_left = [ck.remaining(live.clocks, side, self.time.now_ms()) for side in live.clocks.sides]
        assert all(left is not None and left >= 0 for left in time_left)
        self.session.cut_power()
        journal = Journal.open(self.path)
        try:
            assert [row.seq for row in journal.rows] == list(range(1, len(journal.rows) + 1))
            timeline, _ = fold(journal, rules_of)
        finally:
            journal.close()
        assert timeline.state == live
        again = Timeline(RULES)
        for entry in timeline.entries:
            handled = again.handle(entry.command, Context(entry.actor, entry.at_ms))
            assert [draft.events for draft in handled.drafts] == [entry.events], entry
            again.append(entry)
        assert again.state == live


def run(memory: Path, moves: list[tuple[str, int]], tournament: bool) -> None:
    """Play an evening and hold its file against it."""
    evening = Evening(memory, tournament=tournament)
    try:
        for op, wait_ms in moves:
            evening.happen(op, wait_ms)
        evening.check()
    finally:
        evening.session.close()


QUICK = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@QUICK
@given(moves=st.lists(MOVES, max_size=30), tournament=st.booleans())
def test_the_file_folds_to_the_live_state(
    memory: Path, moves: list[tuple[str, int]], tournament: bool
) -> None:
    run(memory, moves, tournament)


@pytest.mark.long
@settings(QUICK, max_examples=3_000)
@given(moves=st.lists(MOVES, max_size=60), tournament=st.booleans())
def test_the_file_folds_to_the_live_state_many_times(
    memory: Path, moves: list[tuple[str, int]], tournament: bool
) -> None:
    run(memory, moves, tournament)
