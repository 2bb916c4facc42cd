"""Scenes of Song for War: ledger, battle, dice and units in the middle of an evening. Tile values are made up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from companion.core.commands import Command, EndAct, EnterPrintedValue, JumpTo
from companion.core.ids import ARBITER, TABLE, Actor, Nation, StepId
from companion.core.ledger import SealedEnvelope
from companion.core.scenario import GameData
from companion.core.setup import Setup
from companion.games.registry import GAMES
from companion.games.sfw import battle_commands as bc
from companion.games.sfw import resupply as rs
from companion.games.sfw import support as su
from companion.games.sfw import tokens as tk
from companion.games.sfw.battle_state import battles_of
from companion.games.sfw.control import CorrectControl, TakeControl
from companion.games.sfw.new_game import SfwFamily
from companion.games.sfw.seals import SealSecret
from companion.games.sfw.supply import SetUpHub, WatchGroup
from companion.presenters.memory_desk import MemoryDesk
from companion.ui.harness import Laid
from companion.ui.scene_data import installed_data
from companion.ui.scenes import scene

__all__ = ["SfwGame", "setup"]

_US, _GB, _ITALY, _GERMANY = (Nation(key) for key in ("us", "gb", "italy", "germany"))
_ENVELOPE = SealedEnvelope("aes256gcm-scrypt-1", "AAAA", "AAAA", (), {"n": 1024}, "0" * 64)


@cache
def _data(game: str = "sfw96") -> GameData:
    return installed_data(SfwFamily(game))


def setup(scenario: str, options: Mapping[str, Any] | None = None, game: str = "sfw96") -> Setup:
    """Return a new game of an edition from the installed data."""
    return SfwFamily(game).make_setup(_data(game), scenario, dict(options or {}))


class SfwGame:
    """A desk that takes commands and refuses to be refused."""

    def __init__(self, scenario: str, options: Mapping[str, Any] | None = None, game: str = "sfw96") -> None:
        self.desk = MemoryDesk(setup(scenario, options, game), GAMES[game].rules())

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


def _theater() -> SfwGame:
    """April 1943, Tunis taken in the middle of stage 3."""
    game = SfwGame("apr43", {"tournament": True})
    for site, nation in (("algiers", "us"), ("bizerte", "us"), ("tunis", "germany"), ("rome", "italy")):
        game.enter({f"holder.apr43.{site}": nation})
        game.enter({f"resupply.theater.{site}.{kind}": 12 for kind in ("air", "sea", "land")})
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5})
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", _US, {"us": 2}))
    return game


def _control() -> MemoryDesk:
    return _theater().desk


def _resupply() -> MemoryDesk:
    game = _theater()
    game.go("s3.r.allies.lanes")
    game.do(rs.EnterLane("1", {"allies": 0, "axis": 2}), rs.CutLane("1", "algiers"))
    game.do(rs.EnterLane("2", {"allies": 2, "axis": 0}), rs.ReportCondition("algiers", "contested"))
    game.do(rs.ChooseResupply(_US, "land", "algiers"), rs.Purchase(_US, "land", "infantry", 2))
    game.do(rs.ChooseResupply(_US, "sea", "bizerte"), rs.Purchase(_US, "sea", "destroyer"))
    game.do(rs.Place(_US, "sea", "B3"))
    return game.desk


def _support() -> MemoryDesk:
    game = _theater()
    game.jump("s3.t2.allies.move")
    game.do(tk.PlaceToken(_US, "mine", "E5"))
    game.go("s3.ns.allies.play")
    game.do(su.PlayCard(_US, "Lend-Lease", "strategy", 1, note="Land +2"))
    return game.desk


def _africa() -> MemoryDesk:
    game = SfwGame("nafrica")
    game.go("s1.t4.axis.move")
    game.do(CorrectControl("mersa_brega", _ITALY), SetUpHub(_ITALY, "the desert", ("mersa_brega",)))
    game.do(WatchGroup(_ITALY, "Tanks"))
    return game.desk


def _named() -> MemoryDesk:
    """Own minutes, and players with names."""
    options = {"players": 4, "seats": ["Anna", "Ben", "Cleo", "David"], "minutes": 30}
    game = SfwGame("italy", options)
    game.jump("s1.t1.allies.move")
    return game.desk


def _seated() -> MemoryDesk:
    """An empty desk that offers Italy."""
    desk = MemoryDesk(scenarios=(SfwFamily().info(_data(), "italy"),), settings={"tour_done": True})
    desk.offer("sfw96", "italy", lambda options: setup("italy", options))
    return desk


def _sealed() -> MemoryDesk:
    game = SfwGame("apr43")
    game.do(SealSecret(_US, "fleet", "Hidden Fleet, United States", _ENVELOPE))
    game.do(SealSecret(_ITALY, "fleet", "Hidden Fleet, Italy", _ENVELOPE))
    game.go("s3.t3.allies.move")
    return game.desk


def _declared(*, is_begun: bool = False) -> MemoryDesk:
    """The battle for Taranto, entered, and fought to its first dice."""
    game = SfwGame("apr43", {"tournament": True})
    game.go("s3.t4.allies.declare")
    game.enter({"tank.number": 8, "battleship.range": 1})
    game.do(bc.DeclareBattle("Naples", "land"), bc.DeclareBattle("Taranto", "land"))
    battle = next(b for b in battles_of(game.state).battles if b.space == "Taranto").id
    for side, unit, nation, count in (
        ("attacking", "tank", _US, 2),
        ("attacking", "infantry", _US, 3),
        ("attacking", "tank", _GB, 2),
        ("defending", "infantry", _ITALY, 3),
        ("defending", "infantry", _GERMANY, 1),
        ("defending", "tank", _GERMANY, 1),
    ):
        for _n in range(count):
            game.do(bc.ChangeUnits(battle, side, unit, nation))
    if is_begun:
        game.do(bc.BeginBattle(battle))
    return game.desk


scene("sfw-table", "table", lambda: _declared(is_begun=True))(None)
scene("sfw-control", "control", _control)(None)
scene("sfw-resupply", "resupply", _resupply)(None)
scene("sfw-support", "support", _support)(None)
scene("sfw-sealed", "sealed", _sealed)(None)
scene("sfw-order", "order", lambda: SfwGame("italy").desk)(None)
scene("sfw-clocks-named", "clocks", _named)(None)
scene("sfw-units", "units", _declared)(None)
scene("sfw-dice", "dice", _declared)(None)
scene("sfw-printed", "printed", _control)(None)


@scene("sfw-charts-points", "charts", _resupply)
def _charts_points(laid: Laid) -> None:
    laid.root.screen.choose("points")


@scene("sfw-control-victory", "control", _resupply)
def _victory(laid: Laid) -> None:
    laid.root.go("control", tab="victory")


@scene("sfw-support-supply", "support", _africa)
def _supply(laid: Laid) -> None:
    laid.root.go("support", tab="supply")


@scene("sfw-unit", "units", _declared)
def _unit(laid: Laid) -> None:
    laid.root.go("units", unit="tank")


@scene("sfw-battles", "battle", _declared)
def _battles(laid: Laid) -> None:
    laid.root.go("battle")


def _open_battle(laid: Laid, page: str = "") -> None:
    change = laid.desk.change
    battle = next(b for b in battles_of(change.state).battles if b.space == "Taranto").id
    laid.root.go("battle", battle=battle, page=page)
    laid.settle()


@scene("sfw-battle-units", "battle", _declared)
def _battle_units(laid: Laid) -> None:
    _open_battle(laid)


@scene("sfw-battle-odds", "battle", _declared)
def _battle_odds(laid: Laid) -> None:
    _open_battle(laid)
    laid.tap(laid.find(text=_text("Odds")))
    worker = laid.root.screen.worker
    if worker is not None:
        worker.join(timeout=20)
    laid.settle()


@scene("sfw-battle-roll", "battle", lambda: _declared(is_begun=True))
def _battle_roll(laid: Laid) -> None:
    _open_battle(laid)


def _text(english: str) -> str:
    from companion.presenters.i18n import _

    return _(english)


@scene("sfw-new-game-seats", "new_game", _seated)
def _seats(laid: Laid) -> None:
    laid.root.screen._chosen("italy")
    laid.root.screen._set("players", 4)
    laid.root.screen._set("seat.0", "Anna")
    laid.root.screen.ids.pages.page = 2
