"""Record the demo: a whole Italy tournament game, played at a hand-moved clock through the real writer.

Run by hand when the rules, the scenario or the commands change: ``python tests/session/record_demo.py``. What it
writes is input only; whoever plays it decides everything again.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from companion.adapters.catalogue import GameCatalogue
from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.ids import ARBITER, TABLE, Actor, Side
from companion.games.sfw.rules.control import SetTotals
from companion.places import DEMO
from companion.session.game_session import GameSession
from companion.session.timesource import ManualTime

SEED = 1943
OPTIONS = {"tournament": True, "players": 2, "seats": ["Ada", "Ben"]}
ALLIES, AXIS = Side("allies"), Side("axis")
TRACK = {1: (60, 112), 2: (66, 106), 3: (82, 90), 4: (86, 86)}
"""Victory points on the track after each stage, in quarters, Allies and Axis."""


class Recorder:
    """Two players, an arbiter and a box, and everything they did."""

    def __init__(self, folder: Path) -> None:
        self.time = ManualTime(60_000)
        self.catalogue = GameCatalogue()
        self.lines: list[dict[str, Any]] = []
        self.random = random.Random(SEED)
        setup = self.catalogue.make_setup("sfw96", "italy", OPTIONS)
        self.session = GameSession.create(
            folder / "demo.tcgame", setup, self.catalogue.rules_of, self.time, app_version="demo"
        )
        self.note("touch", TABLE, "StartGame", {"game": "sfw96", "scenario": "italy", "options": OPTIONS})

    @property
    def change(self) -> Change:
        """The newest change."""
        return self.session.change

    def note(self, source: str, actor: str, command: str, args: dict[str, Any]) -> None:
        """Write a line down."""
        self.lines.append(
            {"at_ms": self.time.now_ms(), "source": source, "actor": actor, "command": command, "args": args}
        )

    def wait(self, ms: int) -> None:
        """Let time pass in pieces, as a box that looks at its clock does."""
        while ms > 0:
            piece = min(ms, 1_000)
            self.time.advance(piece)
            self.session.sync()
            ms -= piece

    def send(self, command: cm.Command, actor: Actor = TABLE, source: str = "touch") -> Change:
        """Send a command and write it down."""
        args = msgspec.to_builtins(command)
        name = args.pop("type")
        if args.get("at_ms") == self.time.now_ms():
            del args["at_ms"]
        self.note(source, actor, name, args)
        return self.session.ask(Envelope(command, actor, source)).result(30)

    def press(self, source: str = "gpio") -> Change:
        """Press the big button of whoever is to act; what is still open is left so on the screen, with a word."""
        state, step = self.change.state, self.change.state.step
        actor = Actor(step.owners[0]) if len(step.owners) == 1 else TABLE
        if self.session.rules.leaving(state, step) is None:
            return self.expect(self.send(cm.EndAct(step.id, self.time.now_ms()), actor, source))
        self.wait(2_000)
        return self.expect(self.send(cm.EndAct(step.id, self.time.now_ms(), confirmed=True), actor, "touch"))

    def expect(self, change: Change) -> Change:
        """Insist that the game took it."""
        if change.rejected is not None:
            raise RuntimeError(f"{change.envelope}: {change.rejected}")
        return change

    def cut_power(self, away_ms: int, up_ms: int) -> None:
        """Pull the plug, come back after a while, open the file again."""
        self.session.sync(beat=True)
        last_ms = self.time.now_ms()
        self.session.cut_power()
        self.time.reboot("boot-2", up_ms, away_ms=away_ms)
        self.session = GameSession.open(
            self.session.path, self.catalogue.rules_of, self.time, app_version="demo"
        )
        resumed = self.change.entries[0].command
        assert isinstance(resumed, cm.ResumeGame)
        assert resumed.last_ms == last_ms
        args = {"last_ms": last_ms, "gap_ms": resumed.gap_ms, "cause": resumed.cause}
        self.note("app", "system", "ResumeGame", args)


def think_ms(recorder: Recorder, step: Any) -> int:
    """Return how long a player takes over a step."""
    longest = {"move": 110, "declare": 25, "resolve": 60, "return": 20, "choose": 40, "place": 70}
    return recorder.random.randrange(6_000, 1_000 * longest.get(step.act, 15))


def play(recorder: Recorder) -> None:
    """Play the evening."""
    is_undone = is_corrected = is_cut = False
    while recorder.change.state.ending is None:
        state = recorder.change.state
        step = state.step
        if state.flag_prompt is not None:
            carry_out_flag(recorder)
            continue
        if step.clock is not None and state.clocks.is_paused:
            recorder.wait(4_000)
            recorder.expect(recorder.send(cm.Resume(recorder.time.now_ms())))
            continue
        for check in step.checks[:1]:
            recorder.wait(2_000)
            recorder.expect(recorder.send(cm.TickCheck(step.id, check)))
        if step.id == "s1.t3.axis.move" and not is_undone:
            is_undone = True
            slip(recorder)
            continue
        if step.id == "s2.t4.axis.move":
            left = ck.remaining(recorder.change.state.clocks, AXIS, recorder.time.now_ms())
            assert left is not None
            recorder.wait(left + 2_000)  # Ben thinks too long
            continue
        if step.id == "s3.t2.allies.move" and not is_corrected:
            is_corrected = True
            correct(recorder)
            continue
        if step.id == "s4.t4.allies.resolve" and not is_cut:
            is_cut = True
            recorder.wait(31_000)
            recorder.cut_power(away_ms=95_000, up_ms=42_000)
            recorder.wait(20_000)
            recorder.expect(recorder.send(cm.DecideGap(None, 0, recorder.time.now_ms()), ARBITER))
            continue
        recorder.wait(think_ms(recorder, step))
        if step.act == "check" and step.stage in TRACK:
            allies, axis = TRACK[step.stage]
            recorder.expect(recorder.send(SetTotals({ALLIES: allies, AXIS: axis})))
            recorder.wait(3_000)
        recorder.press("touch" if step.act in ("choose", "place") else "gpio")


def slip(recorder: Recorder) -> None:
    """Ben presses too early; the arbiter takes it back and play goes on."""
    recorder.wait(9_000)
    recorder.press()
    recorder.wait(3_000)
    recorder.expect(recorder.send(cm.Undo(recorder.time.now_ms())))


def correct(recorder: Recorder) -> None:
    """A die fell off the table during Ada's move: the arbiter gives her 45 seconds."""
    recorder.wait(20_000)
    correction = cm.CorrectTime(ALLIES, 45_000, recorder.time.now_ms(), "a die under the table")
    recorder.expect(recorder.send(correction, ARBITER))


def carry_out_flag(recorder: Recorder) -> None:
    """The table ticks off what the fallen flag costs."""
    state = recorder.change.state
    assert state.flag_prompt is not None
    rules = recorder.session.rules
    losses = tuple(item.id for item in rules.flag_losses(state, state.flag_prompt))
    recorder.wait(12_000)
    command = cm.AcknowledgeFlag(state.flag_prompt, state.step.id, recorder.time.now_ms(), losses)
    recorder.expect(recorder.send(command, ARBITER))


def encoded(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Write the recording as JSON lines."""
    for line in lines:
        yield json.dumps(line, ensure_ascii=False) + "\n"


def main() -> int:
    """Play, and write the recording."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder))
        play(recorder)
        recorder.session.close()
    DEMO.parent.mkdir(exist_ok=True)
    DEMO.write_text("".join(encoded(recorder.lines)), encoding="utf-8")
    print(f"{DEMO.name}: {len(recorder.lines)} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
