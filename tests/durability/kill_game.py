"""Play a scripted game in child processes and kill each with SIGKILL at a random moment; print what was found.

Run as a program: ``kill_game.py FOLDER COUNT SEED``. It forks its children itself, so that a kill costs
milliseconds. A child tells through a pipe every entry that was published, with the check sum of its row.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from pathlib import Path
from zlib import crc32

from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.codec import Codec
from companion.core.ids import Side, StepId
from companion.core.rules import GameRules
from companion.session.chain import line_of
from companion.session.errors import JournalMissingError, JournalUnreadableError
from companion.session.game_session import GameSession, fold
from companion.session.journal import Journal
from companion.session.rows import row_of
from companion.session.timesource import ManualTime
from companion.testing.sample import sample_setup

RULES = GameRules()
CODEC = Codec(RULES)


def rules_of(_game: str) -> GameRules:
    """The scripted game goes by its sequence of play alone."""
    return RULES


def next_command(session: GameSession, time_: ManualTime, number: int) -> cm.Command:
    """Return the script's command number so-and-so."""
    state, now = session.change.state, time_.now_ms()
    if state.clocks.is_paused:
        return cm.Resume(at_ms=now)
    if number % 11 == 5:
        return cm.Undo(at_ms=now)
    if number % 13 == 7:
        return cm.AddNote(text="a note of some length " * (number % 7 + 1))
    if number % 17 == 3:
        return cm.CorrectTime(side=Side("axis"), delta_ms=1_000, at_ms=now, reason="slow dice")
    if state.index == len(state.itinerary) - 1:
        return cm.JumpTo(step=state.step.id, to=StepId(state.itinerary.steps[0].id), at_ms=now)
    return cm.EndAct(step=state.step.id, at_ms=now)


def play(path: Path, boot: int, pipe: int) -> None:
    """Play without end, and tell every published entry."""
    time_ = ManualTime(1_000, boot_id=f"boot-{boot}")
    if path.exists():
        session = GameSession.open(path, rules_of, time_, app_version="1.2.3")
    else:
        setup = sample_setup(tournament=False, mode="count_up")
        session = GameSession.create(path, setup, rules_of, time_, app_version="1.2.3")

    def tell(change: Change) -> None:
        for entry in change.entries:
            os.write(pipe, f"{entry.seq} {crc32(line_of(row_of(entry, CODEC)))}\n".encode())

    tell(session.change)
    session.subscribe(tell)
    number = 0
    while True:
        number += 1
        time_.advance(700)
        session.ask(Envelope(next_command(session, time_, number))).result(60)
        if number % 5 == 0:
            session.sync(60)
        if number % 90 == 89:
            session.close()
            session = GameSession.open(path, rules_of, time_, app_version="1.2.3")
            tell(session.change)
            session.subscribe(tell)


def kill_once(path: Path, boot: int, after: int, more_s: float) -> dict[int, int]:
    """Let a child play until `after` entries were published and a little longer; kill it; return what it told."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            play(path, boot, writer)
        finally:
            os._exit(3)
    os.close(writer)
    told = b""
    end = time.monotonic() + 60
    while told.count(b"\n") < after:
        ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
        chunk = os.read(reader, 4096) if ready else b""
        if not chunk:
            break
        told += chunk
    end = time.monotonic() + more_s
    while (left := end - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        chunk = os.read(reader, 4096)
        if not chunk:
            break
        told += chunk
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while chunk := os.read(reader, 4096):
        told += chunk
    os.close(reader)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"the child ended by itself with status {status}")
    lines = [line.split() for line in told.decode().splitlines(keepends=True) if line.endswith("\n")]
    return {int(seq): int(crc) for seq, crc in lines}


def check(path: Path, acknowledged: dict[int, int]) -> tuple[int, bool]:
    """Open the file; return its newest entry and whether it was reported as damaged. Raises when an entry is gone."""
    try:
        journal = Journal.open(path)
    except (JournalMissingError, JournalUnreadableError):
        if acknowledged:
            raise
        path.unlink(missing_ok=True)
        return 0, False
    try:
        rows = {row.seq: crc32(line_of(row)) for row in journal.rows}
        gone = {seq: crc for seq, crc in acknowledged.items() if rows.get(seq) != crc}
        if gone:
            raise RuntimeError(f"{path.name}: acknowledged entries are gone or changed: {sorted(gone)}")
        timeline, _ = fold(journal, rules_of)
        return len(timeline.entries), journal.recovery is not None
    finally:
        journal.close()


def main(argv: list[str]) -> int:
    """Kill, check, kill again."""
    folder, count, seed = Path(argv[0]), int(argv[1]), int(argv[2])
    dice = random.Random(seed)
    acknowledged: dict[int, int] = {}
    totals = {"kills": 0, "acknowledged": 0, "beyond": 0, "damaged": 0, "games": 0}
    path = folder / "game-0.tcgame"
    for number in range(count):
        if dice.random() < 0.25 or number == 0:
            acknowledged = {}
            totals["games"] += 1
            path = folder / f"game-{number}.tcgame"
        after = dice.choice((0, 0, 1, 2, dice.randrange(60), dice.randrange(160)))
        told = kill_once(path, number + 1, after, dice.random() * 0.004)
        acknowledged |= told
        newest, is_damaged = check(path, acknowledged)
        totals["kills"] += 1
        totals["acknowledged"] += len(told)
        totals["beyond"] += newest > max(acknowledged, default=0)
        totals["damaged"] += is_damaged
        if newest == 0:
            acknowledged = {}
    print(json.dumps(totals))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
