"""Figures of the game file and the writer; prints a table. Run by hand: ``python tests/bench/bench_journal.py``."""

from __future__ import annotations

import contextlib
import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.codec import Codec
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE, StepId
from companion.core.rules import Context, GameRules
from companion.session.game_session import GameSession, fold
from companion.session.journal import Journal
from companion.session.timesource import SystemTime
from companion.testing.sample import sample_setup

RULES = GameRules()


def rules_of(_game: str) -> GameRules:
    """The sample game goes by its sequence of play alone."""
    return RULES


def entries_of(count: int) -> Iterator[Entry]:
    """Play the sample game round and round: acts, and jumps back to the first step at the end."""
    timeline = Timeline(RULES)
    at_ms = 0
    setup = sample_setup(tournament=False, mode="count_up")
    command: cm.Command = cm.StartGame(setup=setup, at_ms=0)
    while timeline.next_seq <= count:
        handled = timeline.handle(command, Context(TABLE, at_ms))
        if handled.rejected is not None:
            raise RuntimeError(f"the bench's game was refused: {handled.rejected}")
        for draft in handled.drafts:
            entry = Entry(
                seq=timeline.next_seq,
                command=draft.command,
                events=draft.events,
                actor=TABLE,
                source="touch",
                at_ms=at_ms,
                boot_id="0f2c7d0e-6a53-4a8e-9b3e-3b6f1d0c9a11",
                wall_ms=1_795_000_000_000 + at_ms,
                app_version="0.1.0",
            )
            timeline.append(entry)
            yield entry
        at_ms += 1_000
        state = timeline.state
        if state.index == len(state.itinerary) - 1:
            command = cm.JumpTo(step=state.step.id, to=StepId(state.itinerary.steps[0].id), at_ms=at_ms)
        else:
            command = cm.EndAct(step=state.step.id, at_ms=at_ms)


def write_game(path: Path, count: int) -> None:
    """Write a game file of `count` entries as play would, one transaction an entry."""
    codec = Codec(RULES)
    entries = entries_of(count)
    journal = Journal.create(path, [next(entries)], codec)
    for entry in entries:
        journal.append([entry], codec)
        journal.tidy()
    journal.close()


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.iterdir())


def latencies(folder: Path, count: int, each: int) -> Iterator[list[float]]:
    """Yield the milliseconds from handing a command over to its publication, of `each` commands at a time until there were `count`."""
    setup = sample_setup(tournament=False, mode="count_up")
    session = GameSession.create(
        folder / "latency.tcgame", setup, rules_of, SystemTime(), app_version="0.1.0"
    )
    with contextlib.closing(session):
        for _ in range(0, count, each):
            took: list[float] = []
            for _ in range(each):
                state = session.change.state
                now = session.time.now_ms()
                if state.index == len(state.itinerary) - 1:
                    first = StepId(state.itinerary.steps[0].id)
                    command: cm.Command = cm.JumpTo(state.step.id, first, now)
                else:
                    command = cm.EndAct(state.step.id, now)
                start = time.perf_counter()
                session.ask(Envelope(command)).result(10)
                took.append((time.perf_counter() - start) * 1000)
            yield took


def bare_syncs(path: Path, count: int) -> list[float]:
    """Return the milliseconds of writing as many bytes as an act takes in the log, and syncing them."""
    took: list[float] = []
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        for number in range(count):
            start = time.perf_counter()
            os.pwrite(handle, _FRAMES, number % 200 * len(_FRAMES))
            os.fdatasync(handle)
            took.append((time.perf_counter() - start) * 1000)
    finally:
        os.close(handle)
    return took


def bare_loops(count: int) -> list[float]:
    """Return the milliseconds of a loop that does nothing: what is far from its middle is the machine's."""
    took: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        for _number in range(8_000):
            pass
        took.append((time.perf_counter() - start) * 1000)
    return took


_FRAMES = bytes(2 * (4096 + 24))
"""Two pages with their heads: an entry and its copy."""


def told(took: list[float]) -> str:
    """Return middle, 99th and largest of milliseconds."""
    took = sorted(took)
    return f"p50 {statistics.median(took):.2f} ms, p99 {took[int(len(took) * 0.99)]:.2f} ms, max {took[-1]:.2f} ms"


def main() -> int:
    """Measure and print."""
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=where) as scratch:
        folder = Path(scratch)
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # as the window has it
        took: list[float] = []
        syncs: list[float] = []
        loops: list[float] = []
        for some in latencies(folder, 2_000, 200):  # by turns, so that all three have the same machine
            took += some
            syncs += bare_syncs(folder / "bare", 200)
            loops += bare_loops(200)
        print(f"load average                        {os.getloadavg()[0]:.1f}")
        print(f"command to durable and published    {told(took)}")
        print(f"as many bytes written and synced    {told(syncs)}")
        print(f"a loop that does nothing            {told(loops)}")
        five = folder / "five"
        five.mkdir()
        write_game(five / "five.tcgame", 5_000)
        print(f"5,000 acts, put away                {size_of(five) / 1e6:.2f} MB")
        ten = folder / "ten"
        ten.mkdir()
        write_game(ten / "ten.tcgame", 10_000)
        opened: list[float] = []
        opened_cpu: list[float] = []
        folded: list[float] = []
        for _ in range(5):
            gc.collect()
            start, start_cpu = time.perf_counter(), time.process_time()
            with contextlib.closing(Journal.open(ten / "ten.tcgame")) as journal:
                timeline, _ = fold(journal, rules_of)
            opened.append((time.perf_counter() - start) * 1000)
            opened_cpu.append((time.process_time() - start_cpu) * 1000)
            start = time.process_time()
            Timeline(RULES, timeline.entries)
            folded.append((time.process_time() - start) * 1000)
        middle, cpu = statistics.median(opened), statistics.median(opened_cpu)
        print(f"10,000 entries opened               {middle:.0f} ms, {cpu:.0f} ms of them on the core")
        print(f"10,000 entries folded               {statistics.median(folded):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
