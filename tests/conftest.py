"""A game of v0.96 at an in-memory table, driven through commands as a screen drives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from companion.core.commands import Command, EndAct, EnterPrintedValue, JumpTo
from companion.core.events import Event
from companion.core.ids import ARBITER, TABLE, Actor
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.sfw.new_game import SfwFamily
from companion.games.sfw.rules import sfw96_rules
from companion.presenters.memory_desk import MemoryDesk
from companion.session.scenario_loader import Loaded, load_game, make_setup

_FAMILY = SfwFamily()


@cache
def _loaded() -> Loaded:
    return load_game(_FAMILY)


# A full set of tile values that fits every stated sum. The figures are made up for the tests.
TILES: dict[str, float] = {
    "algiers": 8, "gibraltar": 6, "malta": 4, "alexandria": 8,
    "bizerte": 2, "tripoli": 5, "benghazi": 1, "tobruk": 3, "bone": 0.5, "derna": 0.5,
    "tunis": 4, "messina": 3, "naples": 4, "athens": 9, "thessaloniki": 3, "rome": 9, "cagliari": 1, "taranto": 4,
    "larissa": 0.25, "maleme": 0.5, "heraklion": 0.5, "catania": 1, "ajaccio": 0.75,
}  # fmt: skip


class Game:
    """One game; refusals of `do` fail the test, `refuse` wants one."""

    def __init__(self, scenario: str, options: Mapping[str, Any] | None = None) -> None:
        setup = make_setup(_FAMILY, _loaded(), scenario, dict(options or {}))
        self.desk = MemoryDesk(setup, sfw96_rules())

    @property
    def state(self) -> GameState:
        change = self.desk.change
        assert change is not None
        return change.state

    def send(self, command: Command, actor: Actor = TABLE) -> tuple[Rejected | None, tuple[Event, ...]]:
        self.desk.advance(1)
        self.desk.send(command, actor=actor)
        change = self.desk.change
        assert change is not None
        return change.rejected, tuple(event for entry in change.entries for event in entry.events)

    def do(self, *commands: Command, actor: Actor = TABLE) -> tuple[Event, ...]:
        events: tuple[Event, ...] = ()
        for command in commands:
            rejected, events = self.send(command, actor)
            assert rejected is None, f"{command}: {rejected}"
        return events

    def refuse(self, command: Command, code: str, *words: str, actor: Actor = TABLE) -> str:
        before = self.state
        rejected, _ = self.send(command, actor)
        assert rejected is not None, f"{command} was taken"
        assert rejected.code == code, rejected
        for word in words:
            assert word in rejected.detail, rejected.detail
        assert self.state == before
        return rejected.detail

    def go(self, step: str) -> None:
        """Walk to a step, going on over whatever is asked on the way."""
        while self.state.step.id != step:
            self.next(confirmed=True)

    def jump(self, step: str) -> None:
        self.do(JumpTo(self.state.step.id, step, self.desk.now_ms()), actor=ARBITER)  # type: ignore[arg-type]

    def end(self, *, confirmed: bool = False) -> EndAct:
        return EndAct(self.state.step.id, self.desk.now_ms() + 1, confirmed)

    def next(self, *, confirmed: bool = False) -> tuple[Event, ...]:
        return self.do(self.end(confirmed=confirmed))

    def enter(self, values: Mapping[str, Any]) -> None:
        for key, value in values.items():
            self.do(EnterPrintedValue(key, value))

    def enter_tiles(self) -> None:
        self.enter({f"vp.theater.{site}": vp for site, vp in TILES.items()})


@pytest.fixture
def ledger_game() -> Callable[..., Game]:
    return Game
