"""Scenes of the film: an evening of Song for War watched at a battle, its holders and its luck."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from companion.core.ids import Nation, SiteId
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_roll import roll_command
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import TakeControl
from companion.pages.desk import SavedGame, Watched
from companion.pages.film.draft import FilmDraft, PlayersDraft
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes import scene
from companion.testing.sfw_evenings import SfwGame

__all__: list[str] = []


def _evening() -> MemoryDesk:
    """The battle for Tunis, fought out, and Tunis taken."""
    game = SfwGame("apr43", {"tournament": True, "seats": ["Anna", "Ben"]})
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5, "tank.number": 8})
    game.go("s3.t4.allies.declare")
    game.do(bc.DeclareBattle("Tunis", "land"))
    for side, unit, nation, count in (
        ("attacking", "tank", "us", 2),
        ("attacking", "infantry", "us", 3),
        ("defending", "infantry", "italy", 2),
        ("defending", "tank", "germany", 1),
    ):
        game.do(bc.ChangeUnits("A", side, unit, nation, count))
    game.do(bc.BeginBattle("A"))
    throws = iter((9, 3, 12, 8, 2, 11, 4, 10, 1, 7, 12, 5))
    while True:
        declared = next(one for one in battles_of(game.state).battles if one.id == "A")
        if declared.status != "fighting":
            break
        view = battle_view(game.state, declared)
        if view.phase == "losses":
            game.do(view.losses[0].command("A", {}))
        elif view.phase == "retreat":
            game.do(bc.StandFast("A"))
        else:
            line = next(line for line in view.lines if line.dice)
            game.do(roll_command("A", line, [next(throws) for _n in range(line.dice)]))
    game.do(TakeControl(SiteId("tunis"), Nation("us"), {"us": 2}))
    return game.desk


def _watch(laid: Laid, tab: str, at: int) -> None:
    laid.root.go("film", draft=FilmDraft(None, at, tab))
    laid.settle()
    worker = laid.root.screen.later.worker
    if worker is not None:
        worker.join(timeout=20)


scene("film", "film", _evening)(lambda laid: _watch(laid, "act", 31))
scene("film-battle-over", "film", _evening)(lambda laid: _watch(laid, "battle", 32))
scene("film-held", "film", _evening)(lambda laid: _watch(laid, "held", 33))
scene("film-chart", "film", _evening)(lambda laid: _watch(laid, "points", 33))
scene("film-luck", "film", _evening)(lambda laid: _watch(laid, "luck", 33))
scene("film-story", "film", _evening)(lambda laid: _watch(laid, "story", 33))


def _players() -> MemoryDesk:
    """Two saved evenings of the same players."""
    evening, path = _evening(), Path("april.tcgame")
    change = evening.change
    assert change is not None
    state = change.state
    setup = state.frozen_setup
    saved = SavedGame(path, setup.game, setup.scenario, setup.title, state.step.id, 1_795_000_000_000, False)
    other = replace(saved, path=Path("older.tcgame"), saved_wall_ms=1_794_000_000_000)
    desk = MemoryDesk(saved=(saved, other), settings={"player_names": ["Anna", "Ben"], "tour_done": True})
    for game in (saved, other):
        desk.watched[game.path] = Watched(change, evening.entries(), evening.counts)
    return desk


def _look(laid: Laid, name: str) -> None:
    laid.root.go("players", draft=PlayersDraft(name))
    laid.settle()
    worker = laid.root.screen.later.worker
    if worker is not None:
        worker.join(timeout=20)


scene("players", "players", _players)(lambda laid: _look(laid, ""))
scene("player", "players", _players)(lambda laid: _look(laid, "Anna"))
