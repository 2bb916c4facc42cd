"""Games of Song for War in the middle of an evening, for scenes and for tests. Tile values are made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.commands import Command, EndAct, EnterPrintedValue, JumpTo
from companion.core.ids import ARBITER, TABLE, Actor, Nation, SiteId, StepId
from companion.core.setup import Setup
from companion.games.registry import games_by_key
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import support as su
from companion.games.sfw.rules import tokens as tk
from companion.games.sfw.rules.control import CorrectControl, TakeControl
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.supply import SetUpHub, WatchGroup
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data

__all__ = ["SfwGame", "in_africa", "in_resupply", "in_support", "setup", "theater"]

_US, _ITALY = Nation("us"), Nation("italy")


def setup(scenario: str, options: Mapping[str, Any] | None = None, game: str = "sfw96") -> Setup:
    """Return a new game of an edition from the installed data."""
    return SfwFamily(game).make_setup(installed_data(SfwFamily(game)), scenario, dict(options or {}))


class SfwGame:
    """A desk that takes commands and refuses to be refused."""

    def __init__(self, scenario: str, options: Mapping[str, Any] | None = None, game: str = "sfw96") -> None:
        self.desk = MemoryDesk(setup(scenario, options, game), games_by_key()[game].rules())

    @property
    def state(self) -> Any:
        change = self.desk.change
        assert change is not None
        return change.state

    def do(self, *commands: Command, actor: Actor = TABLE) -> None:
        for command in commands:
            self.desk.advance(700)
            self.desk.send(command, actor=actor)
            change = self.desk.change
            if change is not None and change.rejected is not None:
                raise ValueError(f"scene refused: {command}: {change.rejected}")

    def enter(self, values: Mapping[str, Any]) -> None:
        for key, value in values.items():
            self.do(EnterPrintedValue(key, value))

    def go(self, step: str) -> None:
        while self.state.step.id != step:
            self.do(EndAct(self.state.step.id, self.desk.now_ms() + 1, True))

    def jump(self, step: str) -> None:
        self.do(JumpTo(self.state.step.id, StepId(step), self.desk.now_ms()), actor=ARBITER)


def theater() -> SfwGame:
    """April 1943, Tunis taken in the middle of stage 3."""
    game = SfwGame("apr43", {"tournament": True})
    for site, nation in (("algiers", "us"), ("bizerte", "us"), ("tunis", "germany"), ("rome", "italy")):
        game.enter({f"holder.apr43.{site}": nation})
        game.enter({f"resupply.theater.{site}.{kind}": 12 for kind in ("air", "sea", "land")})
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5})
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl(SiteId("tunis"), _US, {"us": 2}))
    return game


def in_resupply() -> SfwGame:
    """The same game in Resupply: lanes counted, units bought and placed."""
    game = theater()
    game.go("s3.r.allies.lanes")
    game.do(rs.EnterLane("1", {"allies": 0, "axis": 2}), rs.CutLane("1", SiteId("algiers")))
    game.do(rs.EnterLane("2", {"allies": 2, "axis": 0}), rs.ReportCondition("algiers", "contested"))
    game.do(rs.ChooseResupply(_US, "land", "algiers"), rs.Purchase(_US, "land", "infantry", 2))
    game.do(rs.ChooseResupply(_US, "sea", "bizerte"), rs.Purchase(_US, "sea", "destroyer"))
    game.do(rs.Place(_US, "sea", "B3"))
    return game


def in_support() -> SfwGame:
    """The same game in National Support: a mine laid, a card played."""
    game = theater()
    game.jump("s3.t2.allies.move")
    game.do(tk.PlaceToken(_US, "mine", "E5"))
    game.go("s3.ns.allies.play")
    game.do(su.PlayCard(_US, "Lend-Lease", "strategy", 1, note="Land +2"))
    return game


def in_africa() -> SfwGame:
    """North Africa with a hub in the desert and a group that is watched."""
    game = SfwGame("nafrica")
    game.go("s1.t4.axis.move")
    game.do(CorrectControl(SiteId("mersa_brega"), _ITALY), SetUpHub(_ITALY, "the desert", ("mersa_brega",)))
    game.do(WatchGroup(_ITALY, "Tanks"))
    return game
