"""Figures of the core: folding a long log, deciding, undoing far back, loading scenarios. Run by hand.

``python tests/bench/bench_core.py`` prints a table; times are processor time, the best and the median of several runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import process_time

from companion.core import commands as cm
from companion.core.codec import Codec
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE
from companion.core.rules import Context
from companion.core.setup import Setup
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.session.scenario_loader import load_game, make_setup

ENTRIES = 10_000
RULES = sfw96_rules()


def main() -> int:
    """Print every figure."""
    family = SfwFamily()
    loaded = load_game(family)
    setup = make_setup(family, loaded, "nov42", {"tournament": True, "minutes": 600})
    entries = _long_log(setup)
    codec = Codec(RULES)
    stored = [(codec.encode_command(e.command), codec.encode_events(e.events)) for e in entries]
    line = Timeline(RULES, entries)
    print(f"{len(entries)} entries, {sum(len(c) + len(v) for c, v in stored) / 1e6:.1f} MB of JSON")
    print(f"{'':44}{'best':>10}{'median':>10}")
    _row("fold of 10,000 entries", lambda: Timeline(RULES, entries))
    _row("the same, read from JSON first", lambda: _read(codec, stored))
    now, press = line.state.clocks.last_ms + 5, line.state.step.id
    if not line.handle(cm.EndAct(press, now, confirmed=True), Context()).drafts:
        raise RuntimeError("the log ends where no press is taken: the figure would mean nothing")
    _row("decide one press", lambda: line.handle(cm.EndAct(press, now, confirmed=True), Context()), 200)
    _row("decide an undo of the newest act", lambda: line.handle(cm.Undo(now, confirmed=True), Context()), 50)
    _row("decide an undo of 5,000 acts", lambda: line.handle(cm.Undo(now, 5_000, True), Context()))
    _row("state at the 5,000th entry", lambda: line.state_at(5_000), 50)
    _row("load and check all files of sfw96", lambda: load_game(family))
    _row("freeze a new game", lambda: make_setup(family, loaded, "nov42", {}))
    return 0


def _long_log(setup: Setup) -> list[Entry]:
    """Play a game with ticks, pauses, jumps back and undo until it has the wanted number of entries."""
    line, now = Timeline(RULES), 0
    entries: list[Entry] = []

    def send(command: cm.Command) -> None:
        handled = line.handle(command, Context("arbiter", now))  # type: ignore[arg-type]
        for draft in handled.drafts:
            entry = Entry(line.next_seq, draft.command, draft.events, TABLE, "bench", now)
            line.append(entry)
            entries.append(entry)

    send(cm.StartGame(setup, now))
    start = setup.steps[2].id
    while len(entries) < ENTRIES:
        now += 900
        step = line.state.step
        if line.state.clocks.is_paused:
            send(cm.Resume(now))
        elif len(entries) % 97 == 0:
            send(cm.Undo(now, confirmed=True))
        elif len(entries) % 41 == 0:
            send(cm.Pause(now))
        elif step.stage >= 5:
            send(cm.JumpTo(step.id, start, now))
        elif step.checks and step.checks[0] not in line.state.ticked.get(step.id, ()):
            send(cm.TickCheck(step.id, step.checks[0]))
        else:
            send(cm.EndAct(step.id, now, confirmed=True))
    return entries[:ENTRIES]


def _read(codec: Codec, stored: list[tuple[bytes, bytes]]) -> Timeline:
    entries = [
        Entry(i + 1, codec.decode_command(c), codec.decode_events(v), TABLE, "bench", 0)
        for i, (c, v) in enumerate(stored)
    ]
    return Timeline(RULES, entries)


def _row(what: str, run: Callable[[], object], times: int = 7) -> None:
    taken = []
    for _ in range(times):
        start = process_time()
        run()
        taken.append((process_time() - start) * 1000)
    print(f"{what:44}{min(taken):8.2f} ms{median(taken):7.2f} ms")


if __name__ == "__main__":
    sys.exit(main())
