"""Play recorded inputs through a game session with a hand-moved clock, fast and the same every time.

A recording's ``ResumeGame`` really drops the session and opens the file again; a power cut leaves the files as
they lie. Flags, sleep and heartbeats are the session's own doing: their lines only move the clock.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.codec import Codec
from companion.core.history import Entry
from companion.core.ids import Actor, Millis, Side
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed
from companion.session.errors import FileValueError, Shown
from companion.session.game_session import GameSession, RulesOf, rules_for
from companion.session.journal import SUFFIX
from companion.session.portable import Line, Portable, command_of
from companion.session.timesource import ManualTime

__all__ = ["FileHost", "Host", "MakeSetup", "Played", "Player", "report"]

MakeSetup = Callable[[str, str, Mapping[str, Any]], Setup]
"""Game, scenario and options to a frozen setup; ValueError with every fault."""

_ANSWER_S = 60.0


class Host(Protocol):
    """Where a recording is played: something that holds one open game."""

    def start(self, setup: Setup) -> None:
        """Start a game. Raises when it cannot be."""
        ...

    def session(self) -> GameSession:
        """The open game. ValueError when none is."""
        ...

    def reopen(self, *, is_cut: bool, wake: Callable[[], None]) -> None:
        """Close the game, or drop it as a power cut would; call `wake`; open its file again."""
        ...


class FileHost:
    """A host that keeps one game file in a folder."""

    def __init__(self, folder: Path, rules_of: RulesOf, time: ManualTime, app_version: str = "") -> None:
        """Take the folder and the clock."""
        self._folder, self._rules_of, self._time, self._app_version = folder, rules_of, time, app_version
        self._session: GameSession | None = None

    def start(self, setup: Setup) -> None:
        """Start a game."""
        self._session = GameSession.create(
            self._folder / f"replay{SUFFIX}", setup, self._rules_of, self._time, app_version=self._app_version
        )

    def session(self) -> GameSession:
        """The open game. ValueError when none is."""
        if self._session is None:
            raise ValueError("no game is open")
        return self._session

    def reopen(self, *, is_cut: bool, wake: Callable[[], None]) -> None:
        """Close or drop the game and open its file again."""
        session = self.session()
        if is_cut:
            session.cut_power()
        else:
            session.close()
        wake()
        self._session = GameSession.open(
            session.path, self._rules_of, self._time, app_version=self._app_version
        )

    def close(self) -> None:
        """Put the game away; twice is safe."""
        if self._session is not None:
            self._session.close()


class Played(NamedTuple):
    """One line that was played."""

    number: int
    """Line in the file."""
    line: Line
    change: Change
    """The newest change after the line; `change.rejected` tells a refusal."""


class Player:
    """Plays a recording line by line."""

    def __init__(
        self,
        recording: Portable,
        host: Host,
        time: ManualTime,
        rules_of: RulesOf,
        make_setup: MakeSetup | None = None,
    ) -> None:
        """Take the recording and where it is played. `make_setup` serves recordings that name a scenario."""
        self._recording, self._host, self._time = recording, host, time
        self._rules_of, self._make_setup = rules_of, make_setup
        self._codec: Codec | None = None
        self._boots = 1

    def play(self) -> Iterator[Played]:
        """Play every line; FileValueError names a bad line, everything before it has been played."""
        for number, line in self._recording.lines:
            yield Played(number, line, self._play(number, line))
        if self._codec is None:
            return
        clocks = self._host.session().change.state.clocks
        due = ck.deadline(clocks)
        if due is not None and due <= self._time.now_ms():
            # Nothing can arrive any more that would save the flag.
            self._move_to(due + clocks.config.grace_ms)

    def _play(self, number: int, line: Line) -> Change:
        if self._codec is None:
            return self._start(number, line)
        command = command_of(self._recording.path, number, line, self._codec)
        if isinstance(command, cm.ResumeGame):
            return self._resume(line, command)
        if line.at_ms < self._time.now_ms():
            raise self._fault(
                number, "at_ms", Say("at least {least}", least=self._time.now_ms()), Typed(str(line.at_ms))
            )
        if isinstance(command, cm.StopForSleep):
            self._move_to(command.last_ms)
            self._time.sleep_machine(max(0, command.gap_ms - (line.at_ms - command.last_ms)))
        self._move_to(line.at_ms)
        if isinstance(command, cm.SettleClock | cm.StopForSleep):
            return self._host.session().change
        envelope = Envelope(command, Actor(line.actor), line.source)
        return self._host.session().ask(envelope).result(_ANSWER_S)

    def _start(self, number: int, line: Line) -> Change:
        if line.command != "StartGame":
            raise self._fault(number, "command", Typed("'StartGame'"), Typed(repr(line.command)))
        setup = self._setup(number, line)
        self._codec = Codec(rules_for(self._rules_of, setup.game))
        self._time.to(line.at_ms)
        self._host.start(setup)
        return self._host.session().change

    def _setup(self, number: int, line: Line) -> Setup:
        args = line.args
        if "setup" in args:
            game = args["setup"].get("game", "") if isinstance(args["setup"], dict) else ""
            codec = Codec(rules_for(self._rules_of, str(game)))
            command = command_of(self._recording.path, number, line, codec)
            assert isinstance(command, cm.StartGame)
            return command.setup
        for key in ("game", "scenario"):
            if not isinstance(args.get(key), str):
                raise self._fault(
                    number, f"args.{key}", Say("a text, or a complete setup"), Typed(repr(args.get(key)))
                )
        options = args.get("options", {})
        if not isinstance(options, dict):
            raise self._fault(number, "args.options", Say("an object"), Typed(repr(options)))
        if self._make_setup is None:
            raise self._fault(number, "args.setup", Say("a complete setup"), Say("the name of a scenario"))
        try:
            return self._make_setup(args["game"], args["scenario"], options)
        except ValueError as fault:
            raise self._fault(
                number, "args", Say("a scenario that can be started"), Typed(str(fault))
            ) from fault

    def _resume(self, line: Line, command: cm.ResumeGame) -> Change:
        time, session = self._time, self._host.session()
        time.to(command.last_ms)
        session.sync(_ANSWER_S, beat=True)

        def wake() -> None:
            if command.cause == "power" or line.at_ms < time.now_ms():
                self._boots += 1
                time.reboot(f"boot-{self._boots}", line.at_ms, away_ms=command.gap_ms or 0)
            else:
                time.to(line.at_ms)

        self._host.reopen(is_cut=command.cause != "closed", wake=wake)
        return self._host.session().change

    def _move_to(self, at_ms: Millis) -> None:
        self._time.to(at_ms)
        self._host.session().sync(_ANSWER_S)

    def _fault(self, number: int, key: str, expected: Shown, got: Shown) -> FileValueError:
        return FileValueError(self._recording.path, line=number, key=key, expected=expected, got=got)


def _control_figures(clocks: ck.Clocks, side: Side, now: Millis) -> dict[str, int]:
    """Return what a time control leaves a side; nothing where the game has none."""
    control, seen = clocks.config.control, ck.as_of(clocks, now)
    found = {} if control is None or not control.tokens else {"tokens_left": ck.tokens_left(seen, side)}
    if control is not None and control.periods:
        found["periods_left"] = ck.periods_left(seen, side)
    return found


def report(session: GameSession, played: list[Played]) -> dict[str, Any]:
    """Return where a game stands after a recording, as plain data: position, clocks, flags and a summary of the log."""
    state, now = session.change.state, session.time.now_ms()
    setup, clocks = state.frozen_setup, state.clocks
    entries = session.entries()
    return {
        "game": setup.game,
        "scenario": setup.scenario,
        "title": setup.title,
        "position": {
            "step": state.step.id,
            "stage": state.step.stage,
            "phase": state.step.phase,
            "index": state.index,
            "steps": len(state.itinerary),
        },
        "clocks": {
            side: {
                "spent_ms": ck.spent(clocks, side, now),
                "remaining_ms": ck.remaining(clocks, side, now),
                **_control_figures(clocks, side, now),
            }
            for side in clocks.sides
        },
        "running": clocks.running,
        "is_paused": clocks.is_paused,
        "flags": [{"side": fall.side, "stage": fall.stage} for fall in clocks.falls],
        "flag_prompt": state.flag_prompt,
        "gap": msgspec.to_builtins(state.gap),
        "ending": msgspec.to_builtins(state.ending),
        "rulings": dict(sorted(state.rulings.items())),
        "printed": dict(sorted(state.printed.items())),
        "table": msgspec.to_builtins(state.game, str_keys=True, enc_hook=repr, order="deterministic"),
        "log": _log_summary(session, entries),
        "refused": [
            {"line": item.number, "command": item.line.command, "code": str(item.change.rejected.code)}
            for item in played
            if item.change.rejected is not None
        ],
        "state_sha256": state_digest(state),
    }


def state_digest(state: GameState) -> str:
    """Return a hash of everything that is true now; the same log folds to the same hash."""
    parts = msgspec.to_builtins(
        {
            "step": state.step.id if state.setup is not None else "",
            "steps": [step.id for step in state.itinerary.steps],
            "clocks": state.clocks,
            "ticked": state.ticked,
            "rulings": state.rulings,
            "printed": state.printed,
            "flag_prompt": state.flag_prompt,
            "gap": state.gap,
            "is_adjourned": state.is_adjourned,
            "ending": state.ending,
            "game": state.game,
        },
        str_keys=True,
        enc_hook=repr,
        order="deterministic",
    )
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def _log_summary(session: GameSession, entries: tuple[Entry, ...]) -> dict[str, Any]:
    kinds = Counter(type(entry.command).__name__ for entry in entries)
    return {
        "entries": len(entries),
        "counting": sum(session.counts(entry.seq) for entry in entries),
        "commands": dict(sorted(kinds.items())),
    }
