"""A table that plays any game through the real core: decide, store, apply; values go through their JSON form."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.codec import Codec
from companion.core.commands import Command, EndAct, EnterPrintedValue, StartGame
from companion.core.history import Entry, Timeline
from companion.core.ids import TABLE, Actor
from companion.core.rules import Context, GameRules, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState


class GameTable:
    """Sends commands as the shell does; every clock press is a second after the last."""

    def __init__(self, rules: GameRules, setup: Setup) -> None:
        self.codec = Codec(rules)
        self.timeline = Timeline(rules)
        self.now_ms = 1_000
        self.do(StartGame(setup, self.now_ms))

    @property
    def state(self) -> GameState:
        return self.timeline.state

    def do(self, command: Command, actor: Actor = TABLE) -> None:
        rejected = self.attempt(command, actor)
        assert rejected is None, rejected

    def attempt(self, command: Command, actor: Actor = TABLE) -> Rejected | None:
        self.now_ms += 1_000
        handled = self.timeline.handle(command, Context(actor))
        for draft in handled.drafts:
            stored = self.codec.decode_events(self.codec.encode_events(draft.events))
            sent = self.codec.decode_command(self.codec.encode_command(draft.command))
            self.timeline.append(Entry(self.timeline.next_seq, sent, stored, actor, "test", self.now_ms))
        assert self.state == handled.state
        return handled.rejected

    def refusal(self, command: Command, actor: Actor = TABLE) -> Rejected:
        rejected = self.attempt(command, actor)
        assert rejected is not None
        return rejected

    def enter(self, key: str, value: Any) -> None:
        self.do(EnterPrintedValue(key, msgspec.json.decode(msgspec.json.encode(value))))

    def next(self) -> None:
        self.do(EndAct(self.state.step.id, self.now_ms))

    def to(self, act: str) -> None:
        """Go on to the next step with this act, from the current one."""
        while self.state.step.act != act:
            self.next()

    def to_step(self, step: str) -> None:
        while self.state.step.id != step:
            self.next()
