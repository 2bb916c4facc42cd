"""Scenes of Song for War: ledger, battle, dice and units in the middle of an evening. Tile values are made up."""

from __future__ import annotations

from companion.core import commands as cm
from companion.core.ids import ARBITER, Nation, SiteId, StepId
from companion.core.ledger import SealedEnvelope
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.battle_roll import roll_command
from companion.games.sfw.pages.control import Capture, ControlDraft
from companion.games.sfw.pages.resupply import ResupplyDraft
from companion.games.sfw.pages.support import SupportDraft
from companion.games.sfw.pages.units import UnitsDraft
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.seal_messages import SealSecret
from companion.pages.charts import ChartsDraft
from companion.pages.new_game import opened
from companion.pages.score import ScoreDraft
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data
from companion.testing.scenes import scene
from companion.testing.sfw_evenings import SfwGame, in_africa, in_resupply, in_support, setup, theater

__all__ = ["fought"]

_US, _GB, _ITALY, _GERMANY = (Nation(key) for key in ("us", "gb", "italy", "germany"))
_ENVELOPE = SealedEnvelope("aes256gcm-scrypt-1", "AAAA", "AAAA", (), {"n": 1024}, "0" * 64)


def _named() -> MemoryDesk:
    """Own minutes, and players with names."""
    options = {"players": 4, "seats": ["Anna", "Ben", "Cleo", "David"], "minutes": 30}
    game = SfwGame("italy", options)
    game.jump("s1.t1.allies.move")
    return game.desk


def _seated() -> MemoryDesk:
    """An empty desk that offers Italy."""
    desk = MemoryDesk(
        scenarios=(SfwFamily().info(installed_data(SfwFamily()), "italy"),), settings={"tour_done": True}
    )
    desk.offer("sfw96", "italy", lambda options: setup("italy", options))
    return desk


def _sealed() -> MemoryDesk:
    game = SfwGame("apr43")
    game.do(SealSecret(_US, "fleet", "Hidden Fleet, United States", _ENVELOPE))
    game.do(SealSecret(_ITALY, "fleet", "Hidden Fleet, Italy", _ENVELOPE))
    game.go("s3.t3.allies.move")
    return game.desk


def _declared(*, is_begun: bool = False, tournament: bool = True) -> MemoryDesk:
    """The battle for Taranto, entered, and fought to its first dice."""
    game = SfwGame("apr43", {"tournament": tournament})
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


def fought(until: str) -> MemoryDesk:
    """The battle for Taranto, fought on until it asks for something, with dice that hit and miss by turns."""
    desk = _declared(is_begun=True)
    while True:
        declared = next(b for b in battles_of(desk.change.state).battles if b.space == "Taranto")  # type: ignore[union-attr]
        view = battle_view(desk.change.state, declared)  # type: ignore[union-attr]
        if view.phase == until:
            return desk
        if view.phase == "losses":
            desk.send(view.losses[0].command(declared.id, {}))
        elif view.phase == "retreat":
            desk.send(bc.StandFast(declared.id))
        else:
            line = next(line for line in view.lines if line.dice)
            desk.send(roll_command(declared.id, line, [12 if n % 2 == 0 else 1 for n in range(line.dice)]))


def _rolling() -> MemoryDesk:
    """The same battle, its first group rolled."""
    desk = _declared(is_begun=True)
    declared = next(b for b in battles_of(desk.change.state).battles if b.space == "Taranto")  # type: ignore[union-attr]
    line = battle_view(desk.change.state, declared).lines[0]  # type: ignore[union-attr]
    desk.send(roll_command(declared.id, line, [11, 3]))
    return desk


scene("sfw-table", "table", lambda: _declared(is_begun=True))
scene("sfw-control", "control", lambda: theater().desk)
scene("sfw-resupply", "resupply", lambda: in_resupply().desk)
scene("sfw-support", "support", lambda: in_support().desk)
scene("sfw-sealed", "sealed", _sealed)
scene("sfw-order", "order", lambda: SfwGame("italy").desk)
scene("sfw-clocks-named", "clocks", _named)
scene("sfw-units", "units", _declared)
scene("sfw-dice", "dice", _declared)
scene("sfw-printed", "printed", lambda: theater().desk)


scene("sfw-charts-points", "charts", lambda: in_resupply().desk, draft=ChartsDraft("points"))


scene("sfw-control-changes", "control", lambda: in_resupply().desk, draft=ControlDraft("changes"))


scene("sfw-control-capture", "control", lambda: theater().desk)(
    lambda laid: laid.root.go("control", draft=ControlDraft(capture=Capture(SiteId("tunis"))))
)
scene("sfw-score", "score", lambda: in_resupply().desk)


scene("sfw-score-list", "score", lambda: in_resupply().desk, draft=ScoreDraft("list"))


@scene("sfw-score-africa", "score", lambda: in_africa().desk)
def _score_africa(_laid: Laid) -> None:
    """A scenario in which control decides."""


scene("sfw-support-supply", "support", lambda: in_africa().desk, draft=SupportDraft("supply"))


scene("sfw-unit", "units", _declared, draft=UnitsDraft(unit="tank"))


scene("sfw-battles", "battle", _declared, draft=BattleDraft(page="list"))


def _fought_before() -> MemoryDesk:
    """The next step of the other side, with the survivors of Taranto known to the log."""
    desk = fought("over")
    step = desk.change.state.step.id  # type: ignore[union-attr]
    desk.send(cm.JumpTo(step, StepId("s3.t4.axis.declare"), desk.now_ms()), actor=ARBITER)
    return desk


scene("sfw-battle-where", "battle", _fought_before)


@scene("sfw-resupply-buy", "resupply", lambda: in_resupply().desk)
def _buying(laid: Laid) -> None:
    laid.root.go("resupply", draft=ResupplyDraft("buy", "us"))


@scene("sfw-battle-losses", "battle", lambda: fought("losses"))
def _battle_losses(laid: Laid) -> None:
    _open_battle(laid)


@scene("sfw-battle-over", "battle", lambda: fought("over"))
def _battle_over(laid: Laid) -> None:
    _open_battle(laid)
    _wait(laid)


@scene("sfw-battle-support", "battle", _declared)
def _battle_support(laid: Laid) -> None:
    _open_battle(laid, tab="support")


@scene("sfw-luck", "battle", lambda: fought("over"))
def _luck(laid: Laid) -> None:
    _open_battle(laid, "luck")
    _wait(laid)


def _wait(laid: Laid) -> None:
    """Let what is worked out beside come to its end."""
    worker = laid.root.screen.later.worker
    if worker is not None:
        worker.join(timeout=20)
    laid.settle()


def _open_battle(laid: Laid, page: str = "", tab: str = "") -> None:
    change = laid.desk.change
    battle = next(b for b in battles_of(change.state).battles if b.space == "Taranto").id
    laid.root.go("battle", draft=BattleDraft(battle, page, tab=tab))
    laid.settle()


@scene("sfw-battle-units", "battle", _declared)
def _battle_units(laid: Laid) -> None:
    _open_battle(laid)


@scene("sfw-battle-odds", "battle", _declared)
def _battle_odds(laid: Laid) -> None:
    _open_battle(laid, "odds")
    _wait(laid)


@scene("sfw-battle-coach", "battle", lambda: _declared(tournament=False), is_screen=False)
def _battle_coach(laid: Laid) -> None:
    _open_battle(laid, "coach")
    _wait(laid)
    _wait(laid)


@scene("sfw-battle-force", "battle", lambda: _declared(tournament=False), is_screen=False)
def _battle_force(laid: Laid) -> None:
    change = laid.desk.change
    battle = next(b for b in battles_of(change.state).battles if b.space == "Taranto").id
    laid.root.go("battle", draft=BattleDraft(battle, "coach", coached="defending", wanted=50))
    laid.settle()
    _wait(laid)


@scene("sfw-battle-details", "battle", _declared)
def _battle_details(laid: Laid) -> None:
    _open_battle(laid, "details")


def _escorted() -> MemoryDesk:
    """A battle in which empty transports are, so that an open point of the rules decides it."""
    game = SfwGame("apr43")
    game.go("s3.t3.axis.declare")
    game.do(bc.DeclareBattle("E5", "sea"))
    for side, unit, nation in (
        ("attacking", "sea_transport", _ITALY),
        ("attacking", "destroyer", _ITALY),
        ("defending", "destroyer", _US),
    ):
        game.do(bc.ChangeUnits("A", side, unit, nation))
    return game.desk


scene("sfw-battle-ruling", "battle", _escorted, draft=BattleDraft("A", page="details"))


@scene("sfw-battle-roll", "battle", lambda: _declared(is_begun=True))
def _battle_roll(laid: Laid) -> None:
    _open_battle(laid)


@scene("sfw-new-game-seats", "new_game", _seated)
def _seats(laid: Laid) -> None:
    info = next(one for one in laid.desk.scenarios() if one.scenario == "italy")
    laid.root.go("new_game", draft=opened(info).put("players", 4).put("seat.0", "Anna"))
    laid.settle()


@scene("sfw-battle-dice", "battle", _rolling)
def _dice(laid: Laid) -> None:
    """The second group's dice, two of three entered: a hit and a miss."""
    for value in ("11", "4"):
        laid.tap(laid.find(text=value))
